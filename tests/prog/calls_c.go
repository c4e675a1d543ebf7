// SPDX-License-Identifier: BSD-2-Clause

// calls_c.go - a third of the time each in Go, in C that Go calls, and in Go that C calls.
//
// usage: calls_c ROUNDS
//
// In a round main.spins, spins_c, and main.spins below calls_back do the same work.
package main

/*
extern int back(int);

static int spins_c(int n)
{
	unsigned sum = 0;

	for (int i = 0; i < n; i++)
		sum += i ^ (sum << 1);
	return (int)sum;
}

static int calls_back(int n) { return back(n); }
*/
import "C"

import (
	"fmt"
	"os"
	"strconv"
)

//export back
func back(n C.int) C.int {
	return C.int(spins(int(n)))
}

//go:noinline
func spins(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i ^ (sum << 1)
	}
	return sum
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	sum := 0
	for i := 0; i < rounds; i++ {
		sum += spins(1000000) + int(C.spins_c(1000000)) + int(C.calls_back(1000000))
	}
	fmt.Println(sum)
}
