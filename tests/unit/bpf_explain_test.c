// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "probe/bpf.h"

static void check(int of, const char *room, const char *expected)
{
	struct buf why = {};

	assert_int_equal(bpf__explain_load(&why, of, room), 0);
	assert_string_equal(why.data, expected);
	buf__free(&why);
}

/* Options are named by those who have them. */
static void without_memory_the_option_is_the_commands_own(void **state)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	check(-ENOMEM, "--stacks", "not enough memory for the BPF maps: try a smaller --stacks");
	check(-ENOMEM, "--keys", "not enough memory for the BPF maps: try a smaller --keys");
	check(-ENOMEM, NULL, "not enough memory for the BPF maps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory_the_option_is_the_commands_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
