// SPDX-License-Identifier: BSD-2-Clause
/* Cache events: "L1-dcache-load-misses" <-> cache, operation and result of their config. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/event_parse.h"

enum {
	ALIASES = 5,
	READ = 1 << PERF_COUNT_HW_CACHE_OP_READ,
	WRITE = 1 << PERF_COUNT_HW_CACHE_OP_WRITE,
	PREFETCH = 1 << PERF_COUNT_HW_CACHE_OP_PREFETCH,
};

/*
 * The words for each part, the one of `perf list` first. Source: tools/perf/util/parse-events.l.
 */
static const char *const caches[][ALIASES] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1-d", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

/* What there is of each cache. Source: evsel__hw_cache_stat of tools/perf/util/evsel.c. */
static const struct {
	unsigned ops;
	const char *text;
} known[] = {
	[PERF_COUNT_HW_CACHE_L1D] = { READ | WRITE | PREFETCH, "the L1 data cache" },
	[PERF_COUNT_HW_CACHE_L1I] = { READ | PREFETCH, "the L1 instruction cache" },
	[PERF_COUNT_HW_CACHE_LL] = { READ | WRITE | PREFETCH, "the last level cache" },
	[PERF_COUNT_HW_CACHE_DTLB] = { READ | WRITE | PREFETCH, "the data TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { READ, "the instruction TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { READ, "the branch predictor" },
	[PERF_COUNT_HW_CACHE_NODE] = { READ | WRITE | PREFETCH, "the node's memory" },
};

static const char *const ops[][ALIASES] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches", "speculative-read",
					      "speculative-load" },
};

static const char *const results[][ALIASES] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

bool perf_event__cache_name(uint64_t config, char *name, size_t size)
{
	size_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= ARRAY_SIZE(caches) || op >= ARRAY_SIZE(ops) || result >= ARRAY_SIZE(results))
		return false;
	if (!(known[cache].ops & 1u << op))
		return false;
	if (result == PERF_COUNT_HW_CACHE_RESULT_MISS)
		snprintf(name, size, "%s-%s-misses", caches[cache][0], ops[op][0]);
	else
		snprintf(name, size, "%s-%s", caches[cache][0], ops[op][1]);
	return true;
}

/* The longest of the words that @s starts with, up to a '-' or the end; its index or -1. */
static int take_word(const char *const words[][ALIASES], size_t nr, const char **s, size_t *len)
{
	size_t best_len = 0;
	int best = -1;

	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < ALIASES && words[i][k]; k++) {
			size_t n = strlen(words[i][k]);

			if (n > *len || n <= best_len || strncmp(words[i][k], *s, n))
				continue;
			if (n < *len && (*s)[n] != '-')
				continue;
			best = i;
			best_len = n;
		}
	}
	if (best < 0)
		return -1;
	if (best_len < *len)
		best_len++; /* the dash */
	*s += best_len;
	*len -= best_len;
	return best;
}

static int refuse_op(struct event_parser *p, const char *s, size_t len, int cache, int op)
{
	const char *verb = op == PERF_COUNT_HW_CACHE_OP_WRITE ? "stored to" : "prefetched into";
	bool prefetches = known[cache].ops & PREFETCH;

	return event__refuse(p, -EINVAL, "'%.*s' is invalid: %s is never %s; it has %s-loads%s%s%s",
			     (int)len, s, known[cache].text, verb, caches[cache][0],
			     prefetches ? " and " : "", prefetches ? caches[cache][0] : "",
			     prefetches ? "-prefetches" : "");
}

/* As with perf, the operation and its result may come in either order, or be left out. */
int event__cache(struct event_parser *p, const char *name, size_t name_len, uint64_t *config)
{
	const char *s = name;
	size_t len = name_len;
	int cache = take_word(caches, ARRAY_SIZE(caches), &s, &len), op, result;

	/* A dash with nothing behind it is no end. */
	if (cache < 0 || name[name_len - 1] == '-')
		return -ENOENT;
	op = take_word(ops, ARRAY_SIZE(ops), &s, &len);
	result = take_word(results, ARRAY_SIZE(results), &s, &len);
	if (op < 0)
		op = take_word(ops, ARRAY_SIZE(ops), &s, &len);
	if (len)
		return -ENOENT;
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	if (!(known[cache].ops & 1u << op))
		return refuse_op(p, name, name_len, cache, op);
	*config = cache | op << 8 | result << 16;
	return 0;
}
