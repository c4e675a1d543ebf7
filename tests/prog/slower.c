// SPDX-License-Identifier: BSD-2-Clause
/*
 * slower - fact: of its CPU time parse takes 30 %, look_up 30 and render 40; or parse takes more.
 *
 * usage: slower [-s SECONDS] [-x PERCENT]
 *
 * SECONDS (default 1) is CPU time. With -x parse takes PERCENT longer for each request, and all
 * else what it took: after -x 10 it has 33 of 103. Requests come in bursts of four, in which one
 * function may take eight times as long as another; over eight bursts (70 ms) shares are exact.
 * What each got is printed at the end.
 */
#include "prog.h"

enum { PARSE, LOOK_UP, RENDER, FUNCTIONS, SIZES = 8, BURST = 4 };

static uint64_t spent_ns[FUNCTIONS];
static uint32_t rnd = 12345;

KNOWN_FRAME void parse(uint64_t ns)
{
	spent_ns[PARSE] += burn_here(ns);
}

KNOWN_FRAME void look_up(uint64_t ns)
{
	spent_ns[LOOK_UP] += burn_here(ns);
}

KNOWN_FRAME void render(uint64_t ns)
{
	spent_ns[RENDER] += burn_here(ns);
}

static uint64_t sum(void)
{
	return spent_ns[PARSE] + spent_ns[LOOK_UP] + spent_ns[RENDER];
}

/* The sizes 1 to 8 in another order. */
static void shuffle(unsigned sizes[SIZES])
{
	for (unsigned i = 0; i < SIZES; i++) {
		unsigned other;

		rnd = rnd * 1103515245 + 12345;
		other = (rnd >> 16) % (i + 1);
		sizes[i] = sizes[other];
		sizes[other] = i + 1;
	}
}

/* Each request also makes up for what the one before overshot. */
KNOWN_FRAME void serve(uint64_t seconds_ns, unsigned percent)
{
	static const uint64_t tenths[] = { 3, 3, 4 };
	void (*const functions[])(uint64_t) = { parse, look_up, render };
	unsigned sizes[FUNCTIONS][SIZES];
	uint64_t due_ns[FUNCTIONS] = { 0 };

	for (unsigned request = 0; sum() < seconds_ns; request++) {
		const unsigned burst = request / BURST % SIZES;

		for (int i = 0; i < FUNCTIONS; i++) {
			if (request % (BURST * SIZES) == 0)
				shuffle(sizes[i]);
			due_ns[i] += sizes[i][burst] * tenths[i] * NS_PER_MS / 20 *
				     (i == PARSE ? 100 + percent : 100) / 100;
			if (due_ns[i] > spent_ns[i])
				functions[i](due_ns[i] - spent_ns[i]);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = NS_PER_SEC;
	unsigned percent = 0;
	int c;

	while ((c = getopt(argc, argv, "s:x:")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 'x':
			percent = parse_number(optarg, 1, 1000);
			break;
		default:
			return 2;
		}
	}
	rnd += (uint32_t)getpid();
	serve(seconds_ns, percent);
	printf("parse %" PRIu64 " look_up %" PRIu64 " render %" PRIu64 "\n", spent_ns[PARSE],
	       spent_ns[LOOK_UP], spent_ns[RENDER]);
	return 0;
}
