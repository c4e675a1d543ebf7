// SPDX-License-Identifier: BSD-2-Clause
/* Names of results, and sums of them. */
#include "model/unwind_check.h"

struct words {
	const char *name, *text;
};

static const struct words results[UNWIND_CHECK_RESULTS] = {
	[UNWIND_CHECK_SAME] = { "same", "the same" },
	[UNWIND_CHECK_UNCOPIED] = { "uncopied", "the same up to the end of what was copied" },
	[UNWIND_CHECK_BY_FP] = { "frame_pointer",
				 "differ in code without rules, by frame pointer" },
	[UNWIND_CHECK_GAVE_UP] = { "gave_up", "the same up to a rule that it cannot follow" },
	[UNWIND_CHECK_INCOMPLETE] = { "incomplete", "end early, and are told as incomplete" },
	[UNWIND_CHECK_DIFFERENT] = { "different", "different" },
};

static const struct words skips[UNWIND_CHECK_SKIPS] = {
	[UNWIND_CHECK_NO_COPY] = { "no_copy", "without a copy or rules" },
	[UNWIND_CHECK_NO_FILES] = { "no_files", "in files that could not be read in time" },
	[UNWIND_CHECK_NO_READER] = { "no_reader", "that the reference could not look at" },
};

const char *unwind_check__name(enum unwind_check_result result)
{
	return results[result].name;
}

const char *unwind_check__text(enum unwind_check_result result)
{
	return results[result].text;
}

const char *unwind_check__skip_name(enum unwind_check_skip skip)
{
	return skips[skip].name;
}

const char *unwind_check__skip_text(enum unwind_check_skip skip)
{
	return skips[skip].text;
}

uint64_t unwind_check__nr_compared(const struct unwind_check *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < UNWIND_CHECK_RESULTS; i++)
		sum += c->results[i];
	return sum;
}

uint64_t unwind_check__nr_skipped(const struct unwind_check *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < UNWIND_CHECK_SKIPS; i++)
		sum += c->skipped[i];
	return sum;
}
