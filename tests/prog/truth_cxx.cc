// SPDX-License-Identifier: BSD-2-Clause
/*
 * truth_cxx - fact: its whole stacks while exceptions pass through them; without frame pointers.
 *
 * usage: truth_cxx [SECONDS] MODE
 *
 * SECONDS (default 1) is CPU time. Nearly all of it is spent in spin_truth(), at the end of a chain:
 *	destructor	main, catches, (the unwinder's frames, which run cleanups of passed), ~Guard,
 *			spin_truth
 *	caught		main, catches, spin_truth: in the handler, again and again
 *	virtual		main, calls, Square::area, spin_truth
 *	lambda		main, sorts, (std::sort's frames), spin_truth
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#define KNOWN_FRAME __attribute__((noinline, noclone, used))
#define NO_TAIL_CALL asm volatile("" ::: "memory")

static uint64_t end_ns;

static uint64_t cpu_ns()
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

extern "C" KNOWN_FRAME void spin_truth()
{
	for (unsigned i = 0; i < 300000; i++)
		asm volatile("" : "+r"(i));
}

/* What is left when an exception has passed spins. */
struct Guard {
	KNOWN_FRAME ~Guard()
	{
		spin_truth();
		NO_TAIL_CALL;
	}
};

extern "C" KNOWN_FRAME void throws()
{
	throw 1;
}

extern "C" KNOWN_FRAME void passed()
{
	Guard guard;

	throws();
}

extern "C" KNOWN_FRAME void catches(bool spins)
{
	while (cpu_ns() < end_ns) {
		try {
			if (spins)
				throws();
			passed();
		} catch (int) {
			if (spins)
				spin_truth();
			NO_TAIL_CALL;
		}
	}
}

struct Shape {
	virtual ~Shape() = default;
	virtual int area() = 0;
};

struct Square : Shape {
	KNOWN_FRAME int area() override
	{
		spin_truth();
		NO_TAIL_CALL;
		return 4;
	}
};

extern "C" KNOWN_FRAME void calls(Shape *shape)
{
	while (cpu_ns() < end_ns)
		shape->area();
}

extern "C" KNOWN_FRAME void sorts()
{
	while (cpu_ns() < end_ns) {
		std::vector<int> v = { 5, 3, 8, 1, 9, 2, 7 };

		std::sort(v.begin(), v.end(), [](int a, int b) {
			spin_truth();
			NO_TAIL_CALL;
			return a < b;
		});
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[argc - 1] : "virtual";

	end_ns = cpu_ns() + (argc > 2 ? std::atof(argv[1]) : 1) * 1e9;
	if (!std::strcmp(mode, "destructor")) {
		catches(false);
	} else if (!std::strcmp(mode, "caught")) {
		catches(true);
	} else if (!std::strcmp(mode, "virtual")) {
		Square square;

		calls(&square);
	} else if (!std::strcmp(mode, "lambda")) {
		sorts();
	} else {
		std::fprintf(stderr, "truth_cxx: no such mode: %s\n", mode);
		return 2;
	}
	NO_TAIL_CALL;
	return 0;
}
