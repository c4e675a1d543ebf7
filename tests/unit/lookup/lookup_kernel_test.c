// SPDX-License-Identifier: BSD-2-Clause
/* Kernel symbols by name: small lists worked out by hand, and grep on the running kernel's. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lookup/lookup.h"

#define KALLSYMS "/proc/kallsyms"

/* A file with that text; the caller unlinks it. */
static void make_file(char path[64], const char *text)
{
	int fd;

	strcpy(path, "/tmp/lookup_kernel_test.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char small[] = "ffffffff81000000 T _stext\n"
			    "ffffffff810001f0 T __pfx_vfs_read\n"
			    "ffffffff81000200 T vfs_read\n"
			    "ffffffff81000280 t twin\n"
			    "ffffffff81000300 t twin\n"
			    "ffffffff81000400 T vfs_write\n"
			    "ffffffff81000500 t in_two_places\n"
			    "ffffffff82000000 D jiffies\n"
			    "ffffffff83000000 T _sinittext\n"
			    "ffffffff83000010 t early_setup\n"
			    "ffffffff83001000 T _einittext\n"
			    "ffffffff83100000 D __per_cpu_start\n"
			    "ffffffff83100040 D runqueues\n"
			    "ffffffff83200000 D __per_cpu_end\n"
			    "0000000000001000 A old_percpu\n"
			    "ffffffffc0200000 t ext4_sync_fs\t[ext4]\n"
			    "ffffffffc0200100 t in_two_places\t[ext4]\n"
			    "ffffffffc0300000 t bpf_prog_1_x\t[bpf]\n"
			    "ffffffffc0300080 t ftrace_trampoline\t[__builtin__ftrace]\n";

static void assert_address(const char *text, const char *symbol, uint64_t want)
{
	struct buf why = {};
	uint64_t addr = 0;
	char path[64];

	make_file(path, text);
	assert_int_equal(lookup__kernel(path, symbol, &addr, &why), 0);
	assert_int_equal(addr, want);
	assert_int_equal(why.len, 0);
	unlink(path);
}

static void assert_refused(const char *text, const char *symbol, int err, const char *sentence)
{
	struct buf why = {};
	uint64_t addr;
	char path[64];

	make_file(path, text);
	assert_int_equal(lookup__kernel(path, symbol, &addr, &why), err);
	assert_non_null(why.data);
	if (!strstr(why.data, sentence))
		assert_string_equal(why.data, sentence);
	buf__free(&why);
	unlink(path);
}

static void code_and_data_have_addresses(void **state)
{
	(void)state;
	assert_address(small, "vfs_read", 0xffffffff81000200);
	assert_address(small, "jiffies", 0xffffffff82000000);
	assert_address(small, "ext4_sync_fs", 0xffffffffc0200000);
	assert_address("ffffffff81000000 T x\nffffffff81000000 t x", "x", 0xffffffff81000000);
}

static void an_unknown_symbol_has_neighbours(void **state)
{
	(void)state;
	assert_refused(small, "vfs_reed", -ENOENT, "no symbol 'vfs_reed' in the kernel");
	assert_refused(small, "vfs_reed", -ENOENT, "did you mean vfs_read");
	assert_refused(small, "nothing_like_it", -ENOENT, "in the kernel");
	assert_refused("", "vfs_read", -ENOENT, "no symbol");
}

static void several_symbols_of_one_name_are_not_guessed(void **state)
{
	(void)state;
	assert_refused(small, "twin", -ENOTUNIQ,
		       "2 symbols in the kernel, at 0xffffffff81000280, 0xffffffff81000300");
	assert_refused(small, "in_two_places", -ENOTUNIQ, "2 symbols");
}

static void hidden_addresses_are_an_error(void **state)
{
	static const char text[] = "0000000000000000 T vfs_read\n0000000000000000 D jiffies\n";

	(void)state;
	assert_refused(text, "jiffies", -EACCES, "kptr_restrict");
	assert_refused(text, "jiffie", -ENOENT, "did you mean jiffies");
}

static void a_per_cpu_variable_has_no_address(void **state)
{
	(void)state;
	assert_refused(small, "runqueues", -EINVAL, "per-CPU");
	assert_refused(small, "old_percpu", -EINVAL, "per-CPU");
}

static void a_list_that_is_not_there_is_an_error(void **state)
{
	struct buf why = {};
	uint64_t addr;

	(void)state;
	assert_int_equal(lookup__kernel("/nonexistent", "x", &addr, &why), -ENOENT);
	assert_string_equal(why.data, "cannot read /nonexistent: No such file or directory");
	buf__free(&why);
}

static void the_running_kernel_agrees_with_grep(void **state)
{
	static const char *const names[] = { "vfs_read", "_stext", "do_sys_openat2" };
	unsigned long long want = 0;
	struct buf why = {};
	uint64_t addr;
	char cmd[128];
	size_t i;
	FILE *f;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(cmd, sizeof(cmd), "grep -w '[tT] %s$' " KALLSYMS " | cut -d' ' -f1",
			 names[i]);
		f = popen(cmd, "r");
		assert_non_null(f);
		if (fscanf(f, "%llx", &want) != 1 || !want)
			skip();
		pclose(f);
		assert_int_equal(lookup__kernel(KALLSYMS, names[i], &addr, &why), 0);
		assert_int_equal(addr, want);
	}
}

static int list(const struct lookup_kernel_function *f, void *arg)
{
	fprintf(arg, "%s[%s] %" PRIx64 " %zu\n", f->name, f->module, f->addr, f->nr);
	return 0;
}

static char *list_of(const struct lookup_kernel_files *files, const char *glob)
{
	struct buf why = {};
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(lookup__each_kernel_function(files, glob, list, f, &why), 0);
	fclose(f);
	return text;
}

/* @traceable, @blacklist: text or NULL. */
static void assert_listed(const char *traceable, const char *blacklist, const char *glob,
			  const char *want)
{
	char kallsyms_path[64], traceable_path[64], blacklist_path[64], *got;
	struct lookup_kernel_files files = { .kallsyms = kallsyms_path };

	make_file(kallsyms_path, small);
	if (traceable) {
		make_file(traceable_path, traceable);
		files.traceable = traceable_path;
	}
	if (blacklist) {
		make_file(blacklist_path, blacklist);
		files.blacklist = blacklist_path;
	}
	got = list_of(&files, glob);
	assert_string_equal(got, want);
	free(got);
	unlink(kallsyms_path);
	if (traceable)
		unlink(traceable_path);
	if (blacklist)
		unlink(blacklist_path);
}

static void functions_are_listed_by_name(void **state)
{
	(void)state;
	assert_listed(NULL, NULL, "*",
		      "_einittext[] ffffffff83001000 1\n"
		      "_stext[] ffffffff81000000 1\n"
		      "ext4_sync_fs[ext4] ffffffffc0200000 1\n"
		      "in_two_places[] ffffffff81000500 2\n"
		      "in_two_places[ext4] ffffffffc0200100 2\n"
		      "twin[] ffffffff81000280 2\n"
		      "vfs_read[] ffffffff81000200 1\n"
		      "vfs_write[] ffffffff81000400 1\n");
	assert_listed(NULL, NULL, "vfs_*",
		      "vfs_read[] ffffffff81000200 1\n"
		      "vfs_write[] ffffffff81000400 1\n");
	assert_listed(NULL, NULL, "vfs_write", "vfs_write[] ffffffff81000400 1\n");
	assert_listed(NULL, NULL, "early*", "");
}

static void only_what_the_kernel_lets_trace_is_listed(void **state)
{
	(void)state;
	assert_listed("vfs_read\nin_two_places [ext4]\nnot_in_kallsyms\n"
		      "__ftrace_invalid_address___12\n",
		      NULL, "*",
		      "in_two_places[ext4] ffffffffc0200100 1\n"
		      "vfs_read[] ffffffff81000200 1\n");
	assert_listed("", NULL, "*", "");
}

static void what_the_kernel_forbids_is_left_out(void **state)
{
	(void)state;
	assert_listed(NULL,
		      "0xffffffff81000400-0xffffffff81000440\tvfs_write\n"
		      "0xffffffff81000280-0xffffffff81000300\ttwin\n"
		      "0xffffffff81000290-0xffffffff810002a0\tinside\n"
		      "0xffffffff81000240-0xffffffff81000290\toverlapping\n"
		      "0x0000000000000000-0x0000000000000000\tvfs_read\n"
		      "nonsense\n0xffffffff81000200\n0xffffffff81000200-\n",
		      "*t*",
		      "_einittext[] ffffffff83001000 1\n"
		      "_stext[] ffffffff81000000 1\n"
		      "ext4_sync_fs[ext4] ffffffffc0200000 1\n"
		      "in_two_places[] ffffffff81000500 2\n"
		      "in_two_places[ext4] ffffffffc0200100 2\n"
		      "twin[] ffffffff81000300 1\n");
}

static int list_probe(const struct lookup_kernel_function *f, const char *why_not, void *arg)
{
	fprintf(arg, "%s[%s] %zu %s\n", f->name, f->module, f->nr, why_not ? why_not : "yes");
	return 0;
}

/* What is in no list is told, and counts: the kernel looks for a name among all functions. */
static void what_cannot_be_probed_has_a_reason(void **state)
{
	char kallsyms[64], traceable[64], *text = NULL;
	const struct lookup_kernel_files files = { .kallsyms = kallsyms, .traceable = traceable };
	struct buf why = {};
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	make_file(kallsyms, small);
	make_file(traceable, "vfs_read\nin_two_places [ext4]\nearly_setup\n");
	assert_int_equal(lookup__each_kernel_probe(&files, "*t*", list_probe, f, &why), 0);
	assert_int_equal(lookup__each_kernel_probe(&files, "vfs_*", list_probe, f, &why), 0);
	assert_int_equal(why.len, 0);
	fclose(f);
	assert_string_equal(text,
			    "_einittext[] 1 not among those that the kernel allows to trace\n"
			    "_stext[] 1 not among those that the kernel allows to trace\n"
			    "ext4_sync_fs[ext4] 1 not among those that the kernel allows to "
			    "trace\n"
			    "in_two_places[] 2 several functions of that name\n"
			    "in_two_places[ext4] 2 several functions of that name\n"
			    "twin[] 2 several functions of that name\n"
			    "vfs_write[] 1 not among those that the kernel allows to trace\n"
			    "vfs_read[] 1 yes\n"
			    "vfs_write[] 1 not among those that the kernel allows to trace\n");
	free(text);
	assert_int_equal(lookup__each_kernel_probe(&files, "vfs_*reed", list_probe, NULL, &why),
			 -ENOENT);
	assert_string_equal(why.data, "no function of the kernel matches 'vfs_*reed'; did you mean "
				      "vfs_read?");
	buf__free(&why);
	unlink(kallsyms);
	unlink(traceable);
}

/* In the list a function has one of its names; probed twice, each call would be two. */
static void other_names_are_one_function(void **state)
{
	static const char *const globs[] = { "__x64_*", "__*_sys_getpid", "first", "hidden_*" };
	static const char names[] = "ffffffff81000100 T __x64_sys_getpid\n"
				    "ffffffff81000100 T __ia32_sys_getpid\n"
				    "ffffffff81000200 T __x64_sys_idle\n"
				    "ffffffff81000200 T __x32_sys_idle\n"
				    "ffffffff81000300 t first\n"
				    "ffffffff81000300 t second\n"
				    "0000000000000000 t hidden_a\n"
				    "0000000000000000 t hidden_b\n"
				    "ffffffff81000400 t second\n";
	char kallsyms[64], traceable[64], *text = NULL;
	struct lookup_kernel_files files = { .kallsyms = kallsyms, .traceable = traceable };
	struct buf why = {};
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	make_file(kallsyms, names);
	make_file(traceable, "__ia32_sys_getpid\nsecond\nhidden_a\nhidden_b\n");
	for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
		assert_int_equal(lookup__each_kernel_probe(&files, globs[i], list_probe, f, &why),
				 0);
	files.traceable = NULL;
	assert_int_equal(lookup__each_kernel_probe(&files, "__*", list_probe, f, &why), 0);
	fclose(f);
	assert_string_equal(text,
			    "__x64_sys_getpid[] 1 yes\n"
			    "__x64_sys_idle[] 1 not among those that the kernel allows to trace\n"
			    "__ia32_sys_getpid[] 1 yes\n"
			    "first[] 1 yes\n"
			    "hidden_a[] 1 yes\n"
			    "hidden_b[] 1 yes\n"
			    "__ia32_sys_getpid[] 1 yes\n"
			    "__x32_sys_idle[] 1 yes\n");
	free(text);
	buf__free(&why);
	unlink(kallsyms);
	unlink(traceable);
}

static void lists_that_cannot_be_read(void **state)
{
	struct lookup_kernel_files files = { .kallsyms = KALLSYMS };
	struct buf why = {};
	char *text;

	(void)state;
	files.blacklist = "/nonexistent";
	text = list_of(&files, "vfs_read");
	assert_non_null(strstr(text, "vfs_read[] "));
	free(text);
	files.traceable = "/nonexistent";
	assert_int_equal(lookup__each_kernel_function(&files, "x", list, NULL, &why), -ENOENT);
	assert_non_null(strstr(why.data, "cannot read /nonexistent"));
	buf__free(&why);
}

/* All names that end in _read and may be probed; sorted by another hand. */
static void a_glob_on_the_running_kernel_agrees_with_grep(void **state)
{
	const struct lookup_kernel_files files = { .kallsyms = KALLSYMS };
	char want[256], *got, *line, *rest;
	FILE *f;

	(void)state;
	got = rest = list_of(&files, "vfs_*read*");
	f = popen("LC_ALL=C; export LC_ALL; awk '$2 ~ /[tTwW]/ && $3 ~ /^vfs_.*read/ && NF == 3 "
		  "{ print $3 }' " KALLSYMS " | sort -u",
		  "r");
	assert_non_null(f);
	while (fscanf(f, "%255s", want) == 1) {
		line = strsep(&rest, "\n");
		assert_non_null(line);
		assert_memory_equal(line, want, strlen(want));
		assert_int_equal(line[strlen(want)], '[');
	}
	pclose(f);
	assert_string_equal(rest, "");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_and_data_have_addresses),
		cmocka_unit_test(an_unknown_symbol_has_neighbours),
		cmocka_unit_test(several_symbols_of_one_name_are_not_guessed),
		cmocka_unit_test(hidden_addresses_are_an_error),
		cmocka_unit_test(a_per_cpu_variable_has_no_address),
		cmocka_unit_test(a_list_that_is_not_there_is_an_error),
		cmocka_unit_test(the_running_kernel_agrees_with_grep),
		cmocka_unit_test(functions_are_listed_by_name),
		cmocka_unit_test(only_what_the_kernel_lets_trace_is_listed),
		cmocka_unit_test(what_the_kernel_forbids_is_left_out),
		cmocka_unit_test(what_cannot_be_probed_has_a_reason),
		cmocka_unit_test(other_names_are_one_function),
		cmocka_unit_test(lists_that_cannot_be_read),
		cmocka_unit_test(a_glob_on_the_running_kernel_agrees_with_grep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
