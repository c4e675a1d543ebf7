// SPDX-License-Identifier: BSD-2-Clause

// work.go - formats and sorts in two goroutines for as long as it is let: completeness.sh's Go.
package main

import (
	"fmt"
	"sort"
)

func work() {
	for n := 0; n < 1000000; n++ {
		all := make([]string, 0)
		for i := 0; i < 5000; i++ {
			all = append(all, fmt.Sprint(i*7919%5000))
		}
		sort.Strings(all)
	}
}

func main() {
	go work()
	work()
}
