// SPDX-License-Identifier: BSD-2-Clause
/* Generic hardware and software events, cache events, raw codes: names that need no sysfs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "perf/event_parse.h"

static const struct perf_event_name generics[] = {
#define HW(n, a, c, t)                                                                             \
	{                                                                                          \
		n, a, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, "", t                                 \
	}
#define SW(n, a, c, u, t)                                                                          \
	{                                                                                          \
		n, a, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, u, t                                  \
	}
	HW("cycles", "cpu-cycles", CPU_CYCLES, "clock cycles of the CPU, while it is not idle"),
	HW("instructions", NULL, INSTRUCTIONS, "instructions retired"),
	HW("cache-references", NULL, CACHE_REFERENCES, "accesses to the last level cache, mostly"),
	HW("cache-misses", NULL, CACHE_MISSES, "misses of the last level cache, mostly"),
	HW("branches", "branch-instructions", BRANCH_INSTRUCTIONS, "branches retired"),
	HW("branch-misses", NULL, BRANCH_MISSES, "branches that were predicted wrong"),
	HW("bus-cycles", NULL, BUS_CYCLES, "clock cycles of the bus, at a fixed rate"),
	HW("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND,
	   "cycles without an instruction to issue"),
	HW("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND,
	   "cycles in which nothing could be retired"),
	HW("ref-cycles", NULL, REF_CPU_CYCLES, "cycles at a fixed rate, while not idle"),
	SW("cpu-clock", NULL, CPU_CLOCK, "ns", "time of the CPU"),
	SW("task-clock", NULL, TASK_CLOCK, "ns", "time that tasks ran"),
	SW("page-faults", "faults", PAGE_FAULTS, "", "page faults, minor and major"),
	SW("context-switches", "cs", CONTEXT_SWITCHES, "", "switches to another task"),
	SW("cpu-migrations", "migrations", CPU_MIGRATIONS, "", "moves of a task to another CPU"),
	SW("minor-faults", NULL, PAGE_FAULTS_MIN, "", "page faults without reading from a disk"),
	SW("major-faults", NULL, PAGE_FAULTS_MAJ, "", "page faults that had to read"),
	SW("alignment-faults", NULL, ALIGNMENT_FAULTS, "", "unaligned accesses that trapped"),
	SW("emulation-faults", NULL, EMULATION_FAULTS, "", "instructions that the kernel emulated"),
	SW("dummy", NULL, DUMMY, "", "counts nothing"),
	SW("bpf-output", NULL, BPF_OUTPUT, "", "what BPF programs write; counts nothing"),
	SW("cgroup-switches", NULL, CGROUP_SWITCHES, "", "switches to a task of another cgroup"),
#undef HW
#undef SW
};

/* Names of each part of a cache event, the one of `perf list` first. */
static const char *const caches[][4] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "L1d", "l1-d" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "L1i", "l1-i" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

static const char *const ops[][4] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches", "speculative-read" },
};

static const char *const results[][4] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

const struct perf_event_name *perf_event__name(size_t i)
{
	return i < ARRAY_SIZE(generics) ? &generics[i] : NULL;
}

bool perf_event__cache_name(uint64_t config, char *name, size_t size)
{
	size_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= ARRAY_SIZE(caches) || op >= ARRAY_SIZE(ops) || result >= ARRAY_SIZE(results))
		return false;
	if (result == PERF_COUNT_HW_CACHE_RESULT_MISS)
		snprintf(name, size, "%s-%s-misses", caches[cache][0], ops[op][0]);
	else
		snprintf(name, size, "%s-%s", caches[cache][0], ops[op][1]);
	return true;
}

bool perf_event__is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW;
}

const char *event__nearest(const char *name)
{
	const char *near =
		nearest(name, &generics[0].name, ARRAY_SIZE(generics), sizeof(generics[0]));
	const char *alias =
		nearest(name, &generics[0].alias, ARRAY_SIZE(generics), sizeof(generics[0]));

	return near ? near : alias;
}

static bool same(const char *word, const char *s, size_t len)
{
	return word && strlen(word) == len && !strncasecmp(word, s, len);
}

/* The longest of the words that @s starts with, up to a '-' or the end; its index or -1. */
static int take_word(const char *const words[][4], size_t nr, const char **s, size_t *len)
{
	size_t best_len = 0;
	int best = -1;

	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < 4 && words[i][k]; k++) {
			size_t n = strlen(words[i][k]);

			if (n > *len || n <= best_len || strncasecmp(words[i][k], *s, n))
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

/* "L1-dcache-load-misses" -> cache | op << 8 | result << 16. False if it is none. */
static bool parse_cache(const char *s, size_t len, uint64_t *config)
{
	int cache = take_word(caches, ARRAY_SIZE(caches), &s, &len);
	int op = take_word(ops, ARRAY_SIZE(ops), &s, &len);
	int result = take_word(results, ARRAY_SIZE(results), &s, &len);

	if (cache < 0 || len || (op < 0 && result < 0))
		return false;
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	*config = cache | op << 8 | result << 16;
	return true;
}

static bool parse_raw(const char *s, size_t len, uint64_t *config)
{
	char hex[20];

	if (len < 2 || len > 17 || s[0] != 'r')
		return false;
	if (strspn(s + 1, "0123456789abcdefABCDEF") < len - 1)
		return false;
	hex[0] = '0';
	hex[1] = 'x';
	memcpy(hex + 2, s + 1, len - 1);
	hex[len + 1] = '\0';
	return !parse__u64(hex, 0, UINT64_MAX, config);
}

bool event__generic(struct perf_event_spec *ev, const char *name, size_t len)
{
	uint64_t config;

	for (size_t i = 0; i < ARRAY_SIZE(generics); i++) {
		const struct perf_event_name *g = &generics[i];

		if (!same(g->name, name, len) && !same(g->alias, name, len))
			continue;
		ev->attr.type = g->type;
		ev->attr.config = g->config;
		snprintf(ev->unit, sizeof(ev->unit), "%s", g->unit);
		return true;
	}
	if (parse_cache(name, len, &config))
		ev->attr.type = PERF_TYPE_HW_CACHE;
	else if (parse_raw(name, len, &config))
		ev->attr.type = PERF_TYPE_RAW;
	else
		return false;
	ev->attr.config = config;
	return true;
}
