// SPDX-License-Identifier: BSD-2-Clause
/* Instructions of a kernel's function: bytes assembled by hand, in a core file with one segment. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "lookup/kernel_text.h"

#define SEGMENT 0xffffffff81000000u
enum { FUNCTION = 0x200, SEGMENT_AT = 0x1000 };

static const char symbols[] = "ffffffff81000200 T probe_me\n"
			      "ffffffff81000210 D data_in_between\n"
			      "ffffffff81000240 T next_one\n"
			      "ffffffff81000300 t twin\n"
			      "ffffffff81000400 T vfs_write\n"
			      "ffffffff81000500 t twin\n"
			      "ffffffff85000000 T elsewhere\n"
			      "ffffffff85001000 T behind_it\n";

/* clang-format off */
static const uint8_t x86[] = {
	0x0f, 0x1f, 0x44, 0x00, 0x00, /*  0 nopl 0(%rax,%rax,1): a call of __fentry__, patched */
	0x55,			      /*  5 push %rbp */
	0x48, 0x89, 0xe5,	      /*  6 mov %rsp,%rbp */
	0xe9, 0xf2, 0x01, 0x00, 0x00, /*  9 jmp vfs_write */
	0x31, 0xc0,		      /* 14 xor %eax,%eax */
	0xc3,			      /* 16 ret */
};
/* clang-format on */

struct fixture {
	char kcore[64], kallsyms[64];
	struct kernel_text text;
	struct buf why;
};

static void write_file(char path[64], const void *data, size_t len)
{
	FILE *f;

	if (!*path) {
		strcpy(path, "/tmp/kernel_text_test.XXXXXX");
		close(mkstemp(path));
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

/* A core file in which the function has this code. */
static void write_kcore(struct fixture *x, const uint8_t *code, size_t len)
{
	static uint8_t file[SEGMENT_AT + 0x1000];
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
		.e_type = ET_CORE,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	Elf64_Phdr segments[] = {
		{ .p_type = PT_NOTE, .p_vaddr = SEGMENT, .p_memsz = 0x1000 },
		{ .p_type = PT_LOAD,
		  .p_vaddr = SEGMENT,
		  .p_memsz = 0x1000,
		  .p_offset = SEGMENT_AT },
	};

	memset(file, 0, sizeof(file));
	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), segments, sizeof(segments));
	memset(file + SEGMENT_AT, 0x90, 0x1000);
	memcpy(file + SEGMENT_AT + FUNCTION, code, len);
	write_file(x->kcore, file, sizeof(file));
}

static int open_fixture(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	if (!x)
		return -1;
	write_kcore(x, x86, sizeof(x86));
	write_file(x->kallsyms, symbols, strlen(symbols));
	x->text = (struct kernel_text){ x->kcore, x->kallsyms, EM_X86_64 };
	*state = x;
	return 0;
}

static int close_fixture(void **state)
{
	struct fixture *x = *state;

	unlink(x->kcore);
	unlink(x->kallsyms);
	buf__free(&x->why);
	free(x);
	return 0;
}

static void refused(struct fixture *x, uint64_t offset, const char *nearest)
{
	buf__clear(&x->why);
	assert_int_equal(kernel_text__check_place(&x->text, "probe_me", offset, &x->why), -EINVAL);
	if (!strstr(x->why.data, nearest))
		fail_msg("'%s' lacks '%s'", x->why.data, nearest);
}

static void passed(struct fixture *x, const char *function, uint64_t offset)
{
	buf__clear(&x->why);
	assert_int_equal(kernel_text__check_place(&x->text, function, offset, &x->why), 0);
	assert_int_equal(x->why.len, 0);
}

static void the_nearest_beginnings_are_told(void **state)
{
	struct fixture *x = *state;
	static const uint64_t beginnings[] = { 0, 5, 6, 9, 14, 16 };

	refused(x, 3, "begin at probe_me+0x0 and probe_me+0x5");
	refused(x, 7, "begin at probe_me+0x6 and probe_me+0x9");
	refused(x, 13, "begin at probe_me+0x9 and probe_me+0xe");
	refused(x, 15, "begin at probe_me+0xe and probe_me+0x10");
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		passed(x, "probe_me", beginnings[i]);
}

static void arm64_has_them_every_four_bytes(void **state)
{
	static const uint8_t arm[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
	struct fixture *x = *state;

	write_kcore(x, arm, sizeof(arm));
	x->text.machine = EM_AARCH64;
	refused(x, 2, "begin at probe_me+0x0 and probe_me+0x4");
	passed(x, "probe_me", 4);
}

/* What others have put there hides what begins where: behind that nothing is said. */
static void nothing_is_said_behind_the_probes_of_others(void **state)
{
	struct fixture *x = *state;
	uint8_t code[sizeof(x86)];

	memcpy(code, x86, sizeof(code));
	code[5] = 0xcc; /* a breakpoint */
	write_kcore(x, code, sizeof(code));
	refused(x, 3, "probe_me+0x5");
	passed(x, "probe_me", 7);
	passed(x, "probe_me", 15);

	memcpy(code, x86, sizeof(code));
	code[10]++; /* a jump to what is no symbol: a copy of what was there */
	write_kcore(x, code, sizeof(code));
	refused(x, 7, "probe_me+0x6");
	passed(x, "probe_me", 12);
	passed(x, "probe_me", 15);
}

static void what_cannot_be_told_is_left_to_the_kernel(void **state)
{
	static const char hidden[] = "0000000000000000 T probe_me\n0000000000000000 T next_one\n";
	struct fixture *x = *state;
	Elf64_Ehdr header;
	FILE *f;

	passed(x, "no_such_function", 3);
	passed(x, "data_in_between", 3);
	passed(x, "twin", 3);
	passed(x, "elsewhere", 3);   /* in no segment */
	passed(x, "probe_me", 0x40); /* in the next one */
	passed(x, "probe_me", UINT64_MAX);

	write_file(x->kallsyms, hidden, strlen(hidden));
	passed(x, "probe_me", 3);
	write_file(x->kallsyms, symbols, strlen(symbols));
	refused(x, 3, "probe_me+0x5");

	/* Headers and no more, though they tell of 65535 segments. */
	f = fopen(x->kcore, "r+");
	assert_non_null(f);
	assert_int_equal(fread(&header, sizeof(header), 1, f), 1);
	fclose(f);
	header.e_phnum = UINT16_MAX;
	write_file(x->kcore, &header, sizeof(header));
	passed(x, "probe_me", 3);
	write_file(x->kcore, "not a core file", 15);
	passed(x, "probe_me", 3);
	x->text.kcore = "/nonexistent/kcore";
	passed(x, "probe_me", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_nearest_beginnings_are_told, open_fixture,
						close_fixture),
		cmocka_unit_test_setup_teardown(arm64_has_them_every_four_bytes, open_fixture,
						close_fixture),
		cmocka_unit_test_setup_teardown(nothing_is_said_behind_the_probes_of_others,
						open_fixture, close_fixture),
		cmocka_unit_test_setup_teardown(what_cannot_be_told_is_left_to_the_kernel,
						open_fixture, close_fixture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
