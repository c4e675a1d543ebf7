// SPDX-License-Identifier: BSD-2-Clause
/* The table of advice: each piece in the words of a command line, and in those of pmutrace.h. */
#include "event/advice.h"

static const char *const words[][2] = {
	[ADVICE_LIST] = {
		[READER_PERSON] = "'pmutrace list' shows what there is",
		[READER_PROGRAM] = "pmutrace_for_each_event(), pmutrace_for_each_pmu_event() and "
				   "pmutrace_for_each_tracepoint() list what there is",
	},
	[ADVICE_LIST_PMU] = {
		[READER_PERSON] = "'pmutrace list' shows those that it has",
		[READER_PROGRAM] = "pmutrace_for_each_pmu_event() lists those that it has",
	},
	[ADVICE_FOR_CPUS] = {
		[READER_PERSON] = "use -a or -C",
		[READER_PROGRAM] = "open it on a target of kind PMUTRACE_CPUS",
	},
	[ADVICE_ONLY_COUNT] = {
		[READER_PERSON] = "use 'pmutrace stat'",
		[READER_PROGRAM] = "leave out its rate: @.. in the spec, attr.sample_period",
	},
	[ADVICE_NO_INHERIT] = {
		[READER_PERSON] = "use --no-inherit",
		[READER_PROGRAM] = "leave out options.inherit",
	},
	[ADVICE_OPEN_FILES] = {
		[READER_PERSON] = "raise it with ulimit -n",
		[READER_PROGRAM] = "raise the hard limit of RLIMIT_NOFILE to",
	},
};

const char *advice(enum advice what, enum reader to)
{
	return words[what][to];
}
