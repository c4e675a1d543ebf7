// SPDX-License-Identifier: BSD-2-Clause
/* --call-graph: its words, and kernels that reading user memory in an NMI may stop. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "plan/call_graph.h"

/* d319f344561d is in 6.4, and came to stable kernels as 6.3.10 and 6.1.36; 5.19 brought the bug. */
static void kernels_are_told_apart(void **state)
{
	static const struct {
		const char *release;
		bool may_stop;
		const char *version;
	} kernels[] = {
		{ "5.10.0-46-cloud-amd64", false, NULL },
		{ "5.18.19", false, NULL },
		{ "5.19.0", true, NULL },
		{ "6.0.12-arch1", true, NULL },
		{ "6.1.35", true, NULL },
		{ "6.1.36", false, NULL },
		{ "6.1.0-56-amd64", false, "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-09-20)" },
		{ "6.1.0-9-amd64", true, "#1 SMP PREEMPT_DYNAMIC Debian 6.1.27-1 (2023-05-08)" },
		{ "6.1.0-56-amd64", true, "#1 SMP" },
		{ "6.2.16", true, NULL },
		{ "6.3.9", true, NULL },
		{ "6.3.10", false, NULL },
		{ "6.4.0", false, NULL },
		{ "6.12.117+deb13-cloud-amd64", false, NULL },
		{ "7.0", false, NULL },
		{ "nonsense", false, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (call_graph__may_stop_kernel(kernels[i].release, kernels[i].version) !=
		    kernels[i].may_stop)
			fail_msg("%s", kernels[i].release);
}

static void words(void **state)
{
	static const struct {
		const char *way;
		int err;
		bool user, by_rules;
	} ways[] = {
		{ "eh", 0, true, true },	   { "fp", 0, true, false },
		{ "none", 0, false, false },	   { NULL, 0, true, true },
		{ "dwarf", -EINVAL, true, false }, { "", -EINVAL, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct call_graph_opts opts = { ways[i].way, 0, true };
		struct call_graph graph;
		struct buf why = {};

		assert_int_equal(call_graph__choose(&opts, &graph, &why), ways[i].err);
		assert_int_equal(graph.user, ways[i].user);
		assert_int_equal(graph.unwind_bytes > 0, ways[i].by_rules);
		assert_int_equal(why.len > 0, ways[i].err < 0);
		buf__free(&why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_told_apart),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
