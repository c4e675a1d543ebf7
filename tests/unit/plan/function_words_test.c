// SPDX-License-Identifier: BSD-2-Clause
#include "rows.h"

#include <errno.h>

#include "plan/function_words.h"

/* The probes at a function's entry and return, or why the word is refused. */
static void put_word(const char *word, struct buf *is)
{
	struct buf entry = {}, leave = {};
	int err = function_word__probes(word, &entry, &leave, is);

	if (!err || entry.len || leave.len)
		assert_int_equal(buf__printf(is, "%s %s", entry.data, leave.data), 0);
	else if (err != -EINVAL)
		assert_int_equal(buf__printf(is, "%d", err), 0);
	buf__free(&entry);
	buf__free(&leave);
}

static void a_path_and_a_name_are_of_a_program(void **state)
{
	ASSERT_ROWS(put_word, { "libc:malloc", "uprobe:libc:malloc uretprobe:libc:malloc" },
		    { "./a.out:main", "uprobe:./a.out:main uretprobe:./a.out:main" },
		    { "/bin/x:ns::f", "uprobe:/bin/x:ns::f uretprobe:/bin/x:ns::f" });
}

static void a_bare_name_is_of_the_kernel(void **state)
{
	ASSERT_ROWS(put_word, { "vfs_read", "kprobe:vfs_read kretprobe:vfs_read" },
		    { "tcp_*", "kprobe:tcp_* kretprobe:tcp_*" });
}

static void prefixes_say_which(void **state)
{
	ASSERT_ROWS(put_word, { "kprobe:vfs_read", "kprobe:vfs_read kretprobe:vfs_read" },
		    { "k:vfs_read", "kprobe:vfs_read kretprobe:vfs_read" },
		    { "uprobe:libc:malloc", "uprobe:libc:malloc uretprobe:libc:malloc" },
		    { "u:libc:malloc", "uprobe:libc:malloc uretprobe:libc:malloc" });
}

/* Only a word's beginning is a prefix: "k" may be a program, "kprobes" a function. */
static void names_like_prefixes_are_names(void **state)
{
	ASSERT_ROWS(
		put_word, { "./k:main", "uprobe:./k:main uretprobe:./k:main" },
		{ "kprobe_busy_begin", "kprobe:kprobe_busy_begin kretprobe:kprobe_busy_begin" });
}

static void what_is_no_function_is_refused(void **state)
{
#define REFUSED(word, why)                                                                         \
	{ word, "'" word "': " why "; write PATH:FUNCTION of a program, or the name of a "         \
		"function of the kernel" }
#define NONE "no function is named"
#define HALF "a function is wanted, entered and returned from"
#define LIST "one function goes here, not a list"

	ASSERT_ROWS(put_word, REFUSED("", NONE), REFUSED("kprobe:", NONE), REFUSED("u:", NONE),
		    REFUSED("kretprobe:vfs_read", HALF), REFUSED("ur:libc:malloc", HALF),
		    REFUSED("usdt:libc:setjmp", HALF), REFUSED("rawtracepoint:sched_switch", HALF),
		    REFUSED("vfs_read,vfs_write", LIST), REFUSED("{vfs_read}", LIST));
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
