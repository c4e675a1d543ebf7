// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "object/bpf.h"

static void check(int of, const char *room, const char *expected)
{
	struct buf why = {};

	assert_int_equal(bpf__explain_load(&why, of, room), of == -EINVAL ? -EOPNOTSUPP : of);
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

/* -EINVAL would be told as a mistake on the command line. */
static void what_the_verifier_refuses_is_nobodys_mistake(void **state)
{
	static const char refused[] = "this kernel's verifier refuses the programs (-v shows why): "
				      "please report it with the output of uname -r";

	if (access("/sys/kernel/btf/vmlinux", R_OK) || geteuid())
		skip();
	check(-EINVAL, "--stacks", refused);
	check(-EACCES, "--stacks", refused);
}

static void limit_files(rlim_t nr)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = nr;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* libbpf says the same without a descriptor for the types of a program. */
static void a_limit_is_no_fault_of_the_verifier(void **state)
{
	struct buf why = {};

	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	limit_files(30);
	assert_int_equal(bpf__explain_load(&why, -EINVAL, "--stacks"), -EMFILE);
	assert_string_equal(why.data,
			    "too many open files: the limit is 30; raise it with ulimit -n 1024");
	limit_files(200);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory_the_option_is_the_commands_own),
		cmocka_unit_test(what_the_verifier_refuses_is_nobodys_mistake),
		cmocka_unit_test(a_limit_is_no_fault_of_the_verifier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
