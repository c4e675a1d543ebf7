// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "sym/kallsyms.h"

static int open_text(struct kallsyms **k, const char *text)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC), err;
	size_t len = strlen(text);
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = kallsyms__open(k, path);
	close(fd);
	if (!err) {
		err = kallsyms__read(*k);
		if (err) {
			kallsyms__close(*k);
			*k = NULL;
		}
	}
	return err;
}

static struct kallsyms *table(const char *text)
{
	struct kallsyms *k;

	assert_int_equal(open_text(&k, text), 0);
	return k;
}

static void assert_at(const struct kallsyms *k, uint64_t addr, const char *module, const char *name,
		      uint64_t offset)
{
	struct ksym s;

	assert_true(kallsyms__find(k, addr, &s));
	assert_string_equal(s.name, name);
	assert_string_equal(s.module, module);
	assert_int_equal(s.offset, offset);
}

static void assert_nothing_at(const struct kallsyms *k, uint64_t addr)
{
	struct ksym s;

	assert_false(kallsyms__find(k, addr, &s));
}

static const char small[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000100 t do_one_initcall\n"
			    "ffffffff810001f0 T __pfx_vfs_read\n"
			    "ffffffff81000200 T vfs_read\n"
			    "ffffffff81000280 D some_data\n"
			    "ffffffff81000300 W weak_hook\n"
			    "ffffffff81000400 T _etext\n"
			    "ffffffffc0200000 t ext4_sync_fs\t[ext4]\n"
			    "ffffffffc0100000 t bpf_prog_6deef7357e7b4530_sd_devices\t[bpf]\n";

static void only_code_is_kept(void **state)
{
	struct kallsyms *k = table(small);

	(void)state;
	assert_at(k, 0xffffffff81000104, "kernel", "do_one_initcall", 4);
	assert_at(k, 0xffffffff81000290, "kernel", "vfs_read", 0x90);
	assert_at(k, 0xffffffff81000300, "kernel", "weak_hook", 0);
	assert_nothing_at(k, 0xffffffff80ffffff);
	kallsyms__close(k);
}

/* Nothing runs in a function's padding: an address there belongs to what lies before. */
static void padding_symbols_are_skipped(void **state)
{
	struct kallsyms *k = table(small);

	(void)state;
	assert_at(k, 0xffffffff810001f8, "kernel", "do_one_initcall", 0xf8);
	kallsyms__close(k);
}

static void modules_and_programs_say_whose_they_are(void **state)
{
	struct kallsyms *k = table(small);

	(void)state;
	assert_at(k, 0xffffffffc0200010, "ext4", "ext4_sync_fs", 0x10);
	assert_at(k, 0xffffffffc0100001, "bpf", "bpf_prog_6deef7357e7b4530_sd_devices", 1);
	kallsyms__close(k);
}

static void holes_have_no_name(void **state)
{
	struct kallsyms *k = table(small);

	(void)state;
	assert_at(k, 0xffffffff810003ff, "kernel", "weak_hook", 0xff);
	assert_nothing_at(k, 0xffffffff81000400); /* _etext is an end, no function */
	assert_nothing_at(k, 0xffffffffc01fffff + 0x1000000);
	assert_nothing_at(k, 0xffffffffffffffff);
	kallsyms__close(k);
}

static void hidden_addresses_are_an_error(void **state)
{
	struct kallsyms *k;

	(void)state;
	assert_int_equal(open_text(&k, "0000000000000000 T _stext\n0000000000000000 t foo\n"),
			 -EACCES);
	assert_null(k);
}

static void a_file_without_symbols_is_an_error(void **state)
{
	struct kallsyms *k;

	(void)state;
	assert_int_equal(open_text(&k, ""), -ENODATA);
	assert_int_equal(open_text(&k, "hello\nworld\n"), -ENODATA);
	assert_int_equal(kallsyms__open(&k, "/nonexistent/kallsyms"), -ENOENT);
	assert_null(k);
}

static void the_last_line_needs_no_newline(void **state)
{
	struct kallsyms *k = table("ffffffff81000000 T a\nffffffff81000010 T b");

	(void)state;
	assert_at(k, 0xffffffff8100000f, "kernel", "a", 15);
	assert_at(k, 0xffffffff81000011, "kernel", "b", 1);
	kallsyms__close(k);
}

static void odd_lines_are_skipped(void **state)
{
	struct kallsyms *k = table("ffffffff81000000 T good\n"
				   "\n"
				   "zzz T bad\n"
				   "ffffffff81000010\n"
				   "ffffffff81000010 T\n"
				   "ffffffff81000010 T \n"
				   "1ffffffff81000010f T overflow\n"
				   "ffffffff81000020 T odd\tmodule\n"
				   "ffffffff81000030 T empty\t[]\n");

	(void)state;
	assert_at(k, 0xffffffff8100001f, "kernel", "good", 0x1f);
	assert_at(k, 0xffffffff81000020, "kernel", "odd", 0);
	assert_at(k, 0xffffffff81000030, "kernel", "empty", 0);
	kallsyms__close(k);
}

static void a_name_with_a_nul_in_it_is_skipped(void **state)
{
	char path[] = "/tmp/kallsyms_test.XXXXXX";
	static const char text[] = "10 T a\n20 T b\0c\t[m]\n30 T \0\n40 T d\t[\0]\n";
	int fd = mkstemp(path);
	struct kallsyms *k;

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(kallsyms__open(&k, path), 0);
	assert_int_equal(kallsyms__read(k), 0);
	unlink(path);
	assert_at(k, 0x45, "kernel", "a", 0x35);
	kallsyms__close(k);
}

/* The reader's buffer has 64 KiB. */
static void a_line_longer_than_the_buffer_is_skipped(void **state)
{
	size_t head = strlen("ffffffff81000010 T "), len = 200000;
	char *text = malloc(len + 200), *end;
	struct kallsyms *k;

	(void)state;
	end = stpcpy(text, "ffffffff81000000 T before\nffffffff81000010 T ");
	memset(end, 'x', len - head);
	strcpy(end + len - head, "\nffffffff81000020 T after\n");
	k = table(text);
	assert_at(k, 0xffffffff81000010, "kernel", "before", 0x10);
	assert_at(k, 0xffffffff81000020, "kernel", "after", 0);
	kallsyms__close(k);
	free(text);
}

static void a_program_added_later_covers_its_length(void **state)
{
	struct kallsyms *k = table(small);
	struct ksym sym;

	(void)state;
	assert_int_equal(kallsyms__add(k, 0xffffffffc0300000, 0x80, "bpf_prog_1"), 0);
	assert_at(k, 0xffffffffc030007f, "bpf", "bpf_prog_1", 0x7f);
	assert_at(k, 0xffffffffc0200010, "ext4", "ext4_sync_fs", 0x10);
	/* The same place, used again. */
	assert_int_equal(kallsyms__add(k, 0xffffffffc0300040, 0x40, "bpf_prog_2"), 0);
	assert_at(k, 0xffffffffc030003f, "bpf", "bpf_prog_1", 0x3f);
	assert_at(k, 0xffffffffc0300040, "bpf", "bpf_prog_2", 0);
	/* As a whole, and from its begin on: what was behind it is gone with it. */
	assert_int_equal(kallsyms__add(k, 0xffffffffc0300000, 0x100, "bpf_prog_3"), 0);
	assert_at(k, 0xffffffffc030007f, "bpf", "bpf_prog_3", 0x7f);
	assert_int_equal(kallsyms__add(k, 0xffffffffc0300000, 0x20, "bpf_prog_4"), 0);
	assert_at(k, 0xffffffffc030001f, "bpf", "bpf_prog_4", 0x1f);
	assert_false(kallsyms__find(k, 0xffffffffc0300040, &sym) && !strcmp(sym.module, "bpf"));
	/* Others stay. */
	assert_int_equal(kallsyms__add(k, 0xffffffffc0300400, 0x20, "bpf_prog_5"), 0);
	assert_int_equal(kallsyms__add(k, 0xffffffffc0300300, 0x100, "bpf_prog_6"), 0);
	assert_at(k, 0xffffffffc030041f, "bpf", "bpf_prog_5", 0x1f);
	assert_at(k, 0xffffffffc0300000, "bpf", "bpf_prog_4", 0);
	kallsyms__close(k);
}

/* Writes the list in pieces that end anywhere, with a pause behind some. */
static void write_pieces(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");
	size_t piece, at;

	if (!f)
		_exit(1);
	setvbuf(f, NULL, _IONBF, 0);
	for (at = 0; at < len; at += piece) {
		piece = at % 977 + 1;
		if (piece > len - at)
			piece = len - at;
		if (fwrite(text + at, 1, piece, f) != piece)
			_exit(1);
		if (piece % 50 == 0)
			usleep(500);
	}
	fclose(f);
	_exit(0);
}

/* 10,000 functions of 16 bytes out of a pipe: whatever a read brings, all of them are there. */
static void a_list_that_comes_in_pieces_is_read_to_its_end(void **state)
{
	char path[] = "/tmp/kallsyms_test.XXXXXX", name[16], *text;
	struct kallsyms *k;
	int fd = mkstemp(path), status;
	size_t len;
	FILE *f;
	pid_t pid;

	(void)state;
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	f = open_memstream(&text, &len);
	for (unsigned i = 1; i <= 10000; i++)
		fprintf(f, "%x T f%u\n", i * 16, i);
	fclose(f);
	pid = fork();
	if (!pid)
		write_pieces(path, text, len);
	assert_int_equal(kallsyms__open(&k, path), 0);
	assert_int_equal(kallsyms__add(k, 0x8000000, 0x80, "bpf_prog_1"), 0);
	assert_nothing_at(k, 16);
	assert_at(k, 0x8000001, "bpf", "bpf_prog_1", 1);
	assert_int_equal(kallsyms__read(k), 0);
	for (unsigned i = 1; i <= 10000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_at(k, i * 16 + 15, "kernel", name, 15);
	}
	assert_at(k, 0x8000001, "bpf", "bpf_prog_1", 1);
	kallsyms__close(k);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	unlink(path);
	free(text);
}

/* Our own addresses of the running kernel, read by another hand. */
static void the_running_kernel_agrees_with_grep(void **state)
{
	unsigned long long addr = 0;
	struct kallsyms *k;
	struct ksym s;
	FILE *f;

	(void)state;
	assert_int_equal(kallsyms__open(&k, "/proc/kallsyms"), 0);
	if (kallsyms__read(k)) {
		kallsyms__close(k);
		skip();
	}
	f = popen("grep -w 'T vfs_read$' /proc/kallsyms | cut -d' ' -f1", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llx", &addr), 1);
	pclose(f);
	assert_true(kallsyms__find(k, addr + 1, &s));
	assert_string_equal(s.name, "vfs_read");
	assert_int_equal(s.offset, 1);
	kallsyms__close(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_code_is_kept),
		cmocka_unit_test(padding_symbols_are_skipped),
		cmocka_unit_test(modules_and_programs_say_whose_they_are),
		cmocka_unit_test(holes_have_no_name),
		cmocka_unit_test(hidden_addresses_are_an_error),
		cmocka_unit_test(a_file_without_symbols_is_an_error),
		cmocka_unit_test(the_last_line_needs_no_newline),
		cmocka_unit_test(odd_lines_are_skipped),
		cmocka_unit_test(a_name_with_a_nul_in_it_is_skipped),
		cmocka_unit_test(a_line_longer_than_the_buffer_is_skipped),
		cmocka_unit_test(a_program_added_later_covers_its_length),
		cmocka_unit_test(a_list_that_comes_in_pieces_is_read_to_its_end),
		cmocka_unit_test(the_running_kernel_agrees_with_grep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
