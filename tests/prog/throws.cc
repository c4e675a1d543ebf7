// SPDX-License-Identifier: BSD-2-Clause
/*
 * throws - functions that exceptions pass.
 *
 * usage: throws N
 *
 * For each I < N outer(I) calls middle(I) calls inner(I), which throws if I is a multiple of 3;
 * middle() catches it and throws it again if I is a multiple of 2, and lets it pass otherwise.
 * Caught is it around outer(). leaf(I) is called by inner() first, and calls nothing. Prints how
 * many came back, were thrown and were thrown again.
 */
#include <cstdio>
#include <cstdlib>

#define KNOWN_FRAME extern "C" __attribute__((noinline, noclone, used))

static unsigned again;

KNOWN_FRAME unsigned leaf(unsigned n)
{
	asm volatile("" : "+r"(n));
	return n + 1;
}

KNOWN_FRAME unsigned inner(unsigned n)
{
	unsigned result = leaf(n);

	if (n % 3 == 0)
		throw n;
	return result;
}

KNOWN_FRAME unsigned middle(unsigned n)
{
	unsigned result = 0;

	if (n % 2)
		return inner(n) + 1;
	try {
		result = inner(n);
	} catch (unsigned) {
		again++;
		throw;
	}
	return result + 2;
}

KNOWN_FRAME unsigned outer(unsigned n)
{
	unsigned result = middle(n);

	asm volatile("" : "+r"(result));
	return result;
}

int main(int argc, char **argv)
{
	unsigned back = 0, thrown = 0, n = argc > 1 ? std::atoi(argv[1]) : 1;

	for (unsigned i = 0; i < n; i++) {
		try {
			outer(i);
			back++;
		} catch (unsigned) {
			thrown++;
		}
	}
	std::printf("%u back, %u thrown, %u again\n", back, thrown, again);
	return 0;
}
