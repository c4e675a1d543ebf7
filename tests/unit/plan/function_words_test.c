// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "plan/function_words.h"

static void expect(const char *word, const char *at_entry, const char *at_return)
{
	struct buf entry = {}, leave = {}, why = {};

	assert_int_equal(function_word__probes(word, &entry, &leave, &why), 0);
	assert_string_equal(entry.data, at_entry);
	assert_string_equal(leave.data, at_return);
	assert_int_equal(why.len, 0);
	buf__free(&entry);
	buf__free(&leave);
	buf__free(&why);
}

static void expect_refused(const char *word, const char *because)
{
	struct buf entry = {}, leave = {}, why = {};

	assert_int_equal(function_word__probes(word, &entry, &leave, &why), -EINVAL);
	assert_non_null(strstr(why.data, because));
	assert_int_equal(entry.len, 0);
	assert_int_equal(leave.len, 0);
	buf__free(&entry);
	buf__free(&leave);
	buf__free(&why);
}

static void a_path_and_a_name_are_of_a_program(void **state)
{
	expect("libc:malloc", "uprobe:libc:malloc", "uretprobe:libc:malloc");
	expect("./a.out:main", "uprobe:./a.out:main", "uretprobe:./a.out:main");
	expect("/bin/x:ns::f", "uprobe:/bin/x:ns::f", "uretprobe:/bin/x:ns::f");
}

static void a_bare_name_is_of_the_kernel(void **state)
{
	expect("vfs_read", "kprobe:vfs_read", "kretprobe:vfs_read");
	expect("tcp_*", "kprobe:tcp_*", "kretprobe:tcp_*");
}

static void prefixes_say_which(void **state)
{
	expect("kprobe:vfs_read", "kprobe:vfs_read", "kretprobe:vfs_read");
	expect("k:vfs_read", "kprobe:vfs_read", "kretprobe:vfs_read");
	expect("uprobe:libc:malloc", "uprobe:libc:malloc", "uretprobe:libc:malloc");
	expect("u:libc:malloc", "uprobe:libc:malloc", "uretprobe:libc:malloc");
}

/* Only a word's beginning is a prefix: "k" may be a program, "kprobes" a function. */
static void names_like_prefixes_are_names(void **state)
{
	expect("./k:main", "uprobe:./k:main", "uretprobe:./k:main");
	expect("kprobe_busy_begin", "kprobe:kprobe_busy_begin", "kretprobe:kprobe_busy_begin");
}

static void what_is_no_function_is_refused(void **state)
{
	expect_refused("", "no function");
	expect_refused("kprobe:", "no function");
	expect_refused("u:", "no function");
	expect_refused("kretprobe:vfs_read", "entered and returned from");
	expect_refused("ur:libc:malloc", "entered and returned from");
	expect_refused("usdt:libc:setjmp", "entered and returned from");
	expect_refused("rawtracepoint:sched_switch", "entered and returned from");
	expect_refused("vfs_read,vfs_write", "not a list");
	expect_refused("{vfs_read}", "not a list");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_and_a_name_are_of_a_program),
		cmocka_unit_test(a_bare_name_is_of_the_kernel),
		cmocka_unit_test(prefixes_say_which),
		cmocka_unit_test(names_like_prefixes_are_names),
		cmocka_unit_test(what_is_no_function_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
