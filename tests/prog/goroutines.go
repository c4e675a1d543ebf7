// SPDX-License-Identifier: BSD-2-Clause

// goroutines - calls in Go, whose stacks grow and whose goroutines move between threads.
//
// usage: goroutines GOROUTINES DEPTH
//
// Each goroutine calls main.deep DEPTH + 1 times in each other, on a stack that has to grow, and at
// its end yields to others. main.throws panics at each third call, and main.catches recovers it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

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
	fmt.Printf("%d calls, %d caught\n", sum, caught)
}
