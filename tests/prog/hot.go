// SPDX-License-Identifier: BSD-2-Clause
//
// hot ROUNDS - two functions that are larger than what Go's compiler inlines of itself: mix() takes
// all the time, seldom() is called once.
package main

import (
	"os"
	"strconv"
)

func mix(a, b uint64) uint64 {
	a ^= b << 13
	b += a>>7 | a<<57
	a *= 0x9e3779b97f4a7c15
	b ^= a>>31 | b<<33
	a += b*b ^ a>>11
	b -= a<<5 ^ b>>3
	a ^= b<<17 | b>>47
	b *= a | 1
	a += b>>19 ^ a<<7
	b ^= a<<23 | a>>41
	return a ^ b>>29
}

func seldom(a, b uint64) uint64 {
	b ^= a << 13
	a += b>>7 | b<<57
	b *= 0x9e3779b97f4a7c15
	a ^= b>>31 | a<<33
	b += a*a ^ b>>11
	a -= b<<5 ^ a>>3
	b ^= a<<17 | a>>47
	a *= b | 1
	b += a>>19 ^ b<<7
	a ^= b<<23 | b>>41
	return b ^ a>>29
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	sum := uint64(1)

	for i := 0; i < rounds; i++ {
		sum = mix(sum, uint64(i))
	}
	println(seldom(sum, 1))
}
