// SPDX-License-Identifier: BSD-2-Clause

// goroutines - calls in Go, whose stacks grow and whose goroutines move between threads.
//
// usage: goroutines GOROUTINES DEPTH [PAGES]
//
// Each goroutine calls main.deep DEPTH + 1 times in each other, on a stack that has to grow, and at
// its end yields to others. main.throws panics at each third call, and main.catches recovers it.
//
// With PAGES: 40 times main.asks touches that many pages, and lets another goroutine touch ten times
// as many, for which it waits in main.waits; then it touches them once more. Half of that on one
// thread, then on any of four.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

const rounds = 20

//go:noinline
func deep(n int) int {
	var room [16]int
	if n == 0 {
		runtime.Gosched()
		return 1
	}
	room[n%16] = deep(n - 1)
	return room[n%16] + 1
}

//go:noinline
func throws(n int) int {
	if n%3 == 0 {
		panic(n)
	}
	return n
}

//go:noinline
func passed(n int) int {
	return throws(n) + 1
}

//go:noinline
func catches(n int) (result int) {
	defer func() {
		if recover() != nil {
			result = -1
		}
	}()
	return passed(n)
}

//go:noinline
func touch(pages int) {
	room, err := syscall.Mmap(-1, 0, pages*4096, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	syscall.Madvise(room, 15) // MADV_NOHUGEPAGE
	for i := 0; i < pages; i++ {
		room[i*4096] = 1
	}
	syscall.Munmap(room)
}

//go:noinline
func waits(turns, done chan int, n int) {
	turns <- n
	<-done
}

//go:noinline
func asks(turns, done chan int, pages int) {
	touch(pages)
	waits(turns, done, 10*pages)
	touch(pages)
}

func ask(pages int) {
	turns, done := make(chan int), make(chan int)

	go func() {
		for n := range turns {
			touch(n)
			done <- n
		}
	}()
	for i := 0; i < 2*rounds; i++ {
		runtime.GOMAXPROCS(1 + i/rounds*3)
		asks(turns, done, pages)
	}
	close(turns)
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[1])
	depth, _ := strconv.Atoi(os.Args[2])
	sums := make([]int, goroutines)
	var all sync.WaitGroup

	for i := range sums {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			sums[i] = deep(depth)
		}(i)
	}
	all.Wait()
	sum, caught := 0, 0
	for i := range sums {
		sum += sums[i]
		if catches(i) < 0 {
			caught++
		}
	}
	if len(os.Args) > 3 {
		pages, _ := strconv.Atoi(os.Args[3])
		ask(pages)
	}
	fmt.Printf("%d calls, %d caught\n", sum, caught)
}
