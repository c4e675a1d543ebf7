// SPDX-License-Identifier: BSD-2-Clause
/* The columns and sets that are there without a file. */
#include "columns/column_defs_state.h"

#define BUILT_IN(word, head, how, what, say)                                                       \
	{                                                                                          \
		.name = word, .title = head, .formula = how, .form = what, .help = say             \
	}
#define SET(word, say, ...)                                                                        \
	{                                                                                          \
		.name = word, .help = say, .words = (const char *[]){ __VA_ARGS__ },               \
		.nr = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(const char *)               \
	}

static const struct column_def columns[] = {
	BUILT_IN("cpu", "%CPU", "100 * time / interval", COLUMN_PERCENT,
		 "Time on CPUs, in percent of one CPU."),
	BUILT_IN("time", "TIME", "time", COLUMN_TIME, "Time on CPUs."),
	BUILT_IN("switches", "SWITCH", "switches", COLUMN_COUNT, "How often it went off a CPU."),
	BUILT_IN("tasks", "TASKS", "tasks", COLUMN_COUNT, "Threads that have run."),
	BUILT_IN("slice", "SLICE", "time / switches", COLUMN_TIME,
		 "Time on a CPU from one switch to the next, the mean."),
	BUILT_IN("migrations", "MIGR", "cpu-migrations", COLUMN_COUNT,
		 "How often it went to another CPU."),
	BUILT_IN("faults", "FAULTS", "page-faults", COLUMN_COUNT, "Page faults."),
	BUILT_IN("minor", "MINOR", "minor-faults", COLUMN_COUNT,
		 "Page faults without input from a disk."),
	BUILT_IN("major", "MAJOR", "major-faults", COLUMN_COUNT,
		 "Page faults with input from a disk."),
	BUILT_IN("ipc", "IPC", "instructions / cycles", COLUMN_RATIO, "Instructions per cycle."),
	BUILT_IN("ghz", "GHZ", "cycles / time", COLUMN_RATIO,
		 "Cycles in a nanosecond on a CPU: its clock rate."),
	BUILT_IN("mpki", "MPKI", "1000 * cache-misses / instructions", COLUMN_RATIO,
		 "Misses of the last cache in 1000 instructions."),
	BUILT_IN("miss", "MISS%", "100 * cache-misses / cache-references", COLUMN_PERCENT,
		 "Accesses to the last cache that missed."),
	BUILT_IN("l1-miss", "L1-MISS%", "100 * L1-dcache-load-misses / L1-dcache-loads",
		 COLUMN_PERCENT, "Loads that missed the first data cache."),
	BUILT_IN("llc-miss", "LLC-MISS%", "100 * LLC-load-misses / LLC-loads", COLUMN_PERCENT,
		 "Loads from the last cache that missed."),
	BUILT_IN("llc-mpki", "LLC-MPKI", "1000 * LLC-load-misses / instructions", COLUMN_RATIO,
		 "Loads from memory in 1000 instructions."),
	BUILT_IN("branch-miss", "BR-MISS%", "100 * branch-misses / branches", COLUMN_PERCENT,
		 "Branches that were mispredicted."),
	BUILT_IN("branch-mpki", "BR-MPKI", "1000 * branch-misses / instructions", COLUMN_RATIO,
		 "Mispredicted branches in 1000 instructions."),
	BUILT_IN("dtlb-miss", "DTLB-MISS%", "100 * dTLB-load-misses / dTLB-loads", COLUMN_PERCENT,
		 "Loads whose address was not in the TLB."),
	BUILT_IN("dtlb-mpki", "DTLB-MPKI", "1000 * dTLB-load-misses / instructions", COLUMN_RATIO,
		 "Loads whose address was not in the TLB, in 1000 instructions."),
	BUILT_IN("itlb-mpki", "ITLB-MPKI", "1000 * iTLB-load-misses / instructions", COLUMN_RATIO,
		 "Instruction fetches that were not in the TLB, in 1000 instructions."),
	BUILT_IN("retiring", "RETIRE%", "100 * topdown-retiring / slots", COLUMN_PERCENT,
		 "Issue slots of work that was of use."),
	BUILT_IN("bad-spec", "BAD-SPEC%", "100 * topdown-bad-spec / slots", COLUMN_PERCENT,
		 "Issue slots of work on the wrong path."),
	BUILT_IN("fe-bound", "FE-BOUND%", "100 * topdown-fe-bound / slots", COLUMN_PERCENT,
		 "Issue slots without work to do."),
	BUILT_IN("be-bound", "BE-BOUND%", "100 * topdown-be-bound / slots", COLUMN_PERCENT,
		 "Issue slots that waited for execution or memory."),
};

static const struct column_set sets[] = {
	SET(DEFAULT_SET, "Time, instructions per cycle, cache misses.", "cpu", "ipc", "ghz", "mpki",
	    "cache-misses", "switches", "faults"),
	SET(SOFTWARE_SET, "What needs no PMU; the default without one.", "cpu", "switches",
	    "migrations", "faults", "major"),
	SET("cache", "Accesses to caches and misses.", "cpu", "ipc", "cache-references",
	    "cache-misses", "miss", "mpki", "l1-miss"),
	SET("branch", "Branches and mispredictions.", "cpu", "ipc", "branches", "branch-misses",
	    "branch-miss", "branch-mpki"),
	SET("tlb", "Misses of the address caches.", "cpu", "dTLB-load-misses", "dtlb-miss",
	    "dtlb-mpki", "iTLB-load-misses", "itlb-mpki"),
	SET("memory", "Loads from memory, page faults.", "cpu", "ipc", "LLC-load-misses",
	    "llc-miss", "llc-mpki", "faults", "major"),
	{ .name = "topdown-l1",
	  .help = "Where issue slots went (Intel, Ice Lake and later).",
	  /* The PMU knows the others only behind this leader. */
	  .events = "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}",
	  .words = (const char *[]){ "cpu", "retiring", "bad-spec", "fe-bound", "be-bound" },
	  .nr = 5 },
};

const struct column_def *built_in_column(size_t i)
{
	return i < ARRAY_SIZE(columns) ? &columns[i] : NULL;
}

const struct column_set *built_in_set(size_t i)
{
	return i < ARRAY_SIZE(sets) ? &sets[i] : NULL;
}

size_t built_in_columns(void)
{
	return ARRAY_SIZE(columns);
}

size_t built_in_sets(void)
{
	return ARRAY_SIZE(sets);
}
