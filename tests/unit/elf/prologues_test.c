// SPDX-License-Identifier: BSD-2-Clause
#include "elf_fixture.h"

#include <elf.h>
#include <errno.h>

#include "elf/elf_file.h"
#include "elf/prologues.h"

#define BYTES(...)                                                                                 \
	{                                                                                          \
		.bytes = (const uint8_t[]){ __VA_ARGS__ },                                         \
		.len = sizeof((const uint8_t[]){ __VA_ARGS__ }), .addr = 0x1000, .low = 0x1000,    \
		.high = 0x2000,                                                                    \
	}

/* Assembled by hand, checked with objdump -d. */
static void x86_frame_pointers_are_seen(void **state)
{
	const struct code plain = BYTES(0x55, 0x48, 0x89, 0xe5, 0xc3);
	const struct code endbr = BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5);
	/* test %rdi,%rdi; je; push %rbp; xor %eax,%eax; mov %rsp,%rbp: behind an early return */
	const struct code later =
		BYTES(0x48, 0x85, 0xff, 0x74, 0x10, 0x55, 0x31, 0xc0, 0x48, 0x89, 0xe5);
	const struct code other_mov = BYTES(0x55, 0x48, 0x8b, 0xec);
	/* push %rbp; eight instructions that gcc 12 scheduled in between; mov %rsp,%rbp */
	const struct code apart = BYTES(0x55, 0x4d, 0x89, 0xc1, 0x31, 0xc0, 0x41, 0x89, 0xc8, 0x49,
					0x83, 0xc9, 0x08, 0x89, 0xd1, 0x89, 0xf2, 0x48, 0x89, 0xfe,
					0xbf, 0x2a, 0x01, 0x00, 0x00, 0x48, 0x89, 0xe5);

	assert_true(code__keeps_frame_pointer(EM_X86_64, &plain));
	assert_true(code__keeps_frame_pointer(EM_X86_64, &endbr));
	assert_true(code__keeps_frame_pointer(EM_X86_64, &later));
	assert_true(code__keeps_frame_pointer(EM_X86_64, &other_mov));
	assert_true(code__keeps_frame_pointer(EM_X86_64, &apart));
}

static void x86_code_that_uses_rbp_otherwise_is_told_apart(void **state)
{
	/* push %rbp; push %rbx; sub $0x28,%rsp; mov %rsp,%rbp: rbp is some buffer */
	const struct code buffer = BYTES(0x55, 0x53, 0x48, 0x83, 0xec, 0x28, 0x48, 0x89, 0xe5);
	/* push %r13; mov %rsp,%rbp */
	const struct code r13 = BYTES(0x41, 0x55, 0x48, 0x89, 0xe5);
	/* push %rbp; mov %rdi,%rbp */
	const struct code argument = BYTES(0x55, 0x48, 0x89, 0xfd, 0xc3);
	const struct code empty = { .len = 0 };

	assert_false(code__keeps_frame_pointer(EM_X86_64, &buffer));
	assert_false(code__keeps_frame_pointer(EM_X86_64, &r13));
	assert_false(code__keeps_frame_pointer(EM_X86_64, &argument));
	assert_false(code__keeps_frame_pointer(EM_X86_64, &empty));
}

static void x86_calls_have_to_lead_to_code(void **state)
{
	const struct code call = BYTES(0x90, 0xe8, 0x10, 0x00, 0x00, 0x00);
	const struct code astray = BYTES(0x90, 0xe8, 0x10, 0x00, 0x00, 0x7f);
	const struct code got = BYTES(0x90, 0xff, 0x15, 0x00, 0x00, 0x00, 0x00);
	const struct code leaf = BYTES(0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3);

	assert_true(code__calls(EM_X86_64, &call));
	assert_false(code__calls(EM_X86_64, &astray));
	assert_true(code__calls(EM_X86_64, &got));
	assert_false(code__calls(EM_X86_64, &leaf));
}

static void arm64_frame_pointers_are_seen(void **state)
{
	/* stp x29, x30, [sp, #-32]!; mov x29, sp */
	const struct code plain = BYTES(0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91);
	/* paciasp; sub sp, sp, #48; stp x29, x30, [sp, #32]; add x29, sp, #32 */
	const struct code pac = BYTES(0x3f, 0x23, 0x03, 0xd5, 0xff, 0xc3, 0x00, 0xd1, 0xfd, 0x7b,
				      0x02, 0xa9, 0xfd, 0x83, 0x00, 0x91);
	/* stp x29, x30, [sp, #-32]!, and x29 is used for something else */
	const struct code only_saved = BYTES(0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0xaa);
	/* str x30, [sp, #-16]! */
	const struct code only_x30 = BYTES(0xfe, 0x0f, 0x1f, 0xf8, 0xfd, 0x03, 0x00, 0x91);
	/* bl .+16 */
	const struct code bl = BYTES(0x04, 0x00, 0x00, 0x94);

	assert_true(code__keeps_frame_pointer(EM_AARCH64, &plain));
	assert_true(code__keeps_frame_pointer(EM_AARCH64, &pac));
	assert_false(code__keeps_frame_pointer(EM_AARCH64, &only_saved));
	assert_false(code__keeps_frame_pointer(EM_AARCH64, &only_x30));
	assert_true(code__calls(EM_AARCH64, &bl));
	assert_false(code__calls(EM_AARCH64, &plain));
}

/* 40 functions that call others, and as many that do not. */
static void write_source(const struct dir *d)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/many.c", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("extern int out(int);\n", f);
	for (int i = 0; i < 40; i++)
		fprintf(f,
			"int leaf%d(int x) { return x * %d + 1; }\n"
			"int call%d(int x) { int y = out(x); return out(y + %d) + x; }\n",
			i, i, i, i);
	fclose(f);
}

static int count(const struct dir *d, const char *flags, struct prologues *p)
{
	char path[96];
	Elf *elf;
	int fd, err;

	must(sh(d, "cc -O2 %s -fPIC -shared -o many.so many.c", flags));
	snprintf(path, sizeof(path), "%s/many.so", d->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	elf = elf_file__open(fd);
	assert_non_null(elf);
	err = prologues__count(elf, p);
	elf_end(elf);
	close(fd);
	return err;
}

static void a_library_is_judged_by_how_it_was_built(void **state)
{
	const struct dir *d = *state;
	struct prologues p;

	write_source(d);
	assert_int_equal(count(d, "-fno-omit-frame-pointer", &p), 0);
	assert_true(p.functions >= 40 && p.functions < 50);
	assert_true(p.kept >= 40);
	assert_int_equal(count(d, "-fomit-frame-pointer", &p), 0);
	assert_true(p.functions >= 40 && p.functions < 50);
	assert_true(p.kept <= 2);
	/* Names do not matter. */
	assert_int_equal(count(d, "-fno-omit-frame-pointer -s", &p), 0);
	assert_true(p.kept >= 40);
}

static void too_little_code_says_nothing(void **state)
{
	const struct dir *d = *state;
	struct prologues p;

	must(sh(d, "echo 'int f(int x) { return x; }' >many.c"));
	assert_int_equal(count(d, "", &p), -ENODATA);
	write_source(d);
	assert_int_equal(count(d, "-fno-asynchronous-unwind-tables -Wl,--no-eh-frame-hdr", &p),
			 -ENODATA);
}

static void every_cut_of_a_file_is_survived(void **state)
{
	const struct dir *d = *state;
	struct prologues p;
	char path[96], *image;
	size_t len;
	FILE *f;

	write_source(d);
	assert_int_equal(count(d, "-fno-omit-frame-pointer -s", &p), 0);
	snprintf(path, sizeof(path), "%s/many.so", d->path);
	f = fopen(path, "r");
	assert_non_null(f);
	image = malloc(1 << 20);
	len = fread(image, 1, 1 << 20, f);
	fclose(f);
	for (size_t cut = 0; cut < len; cut += 97) {
		char *part = malloc(cut ? cut : 1);
		Elf *elf;

		memcpy(part, image, cut);
		elf = elf_file__open_memory(part, cut);
		if (elf && !prologues__count(elf, &p))
			assert_true(p.kept <= p.functions);
		elf_end(elf);
		free(part);
	}
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_frame_pointers_are_seen),
		cmocka_unit_test(x86_code_that_uses_rbp_otherwise_is_told_apart),
		cmocka_unit_test(x86_calls_have_to_lead_to_code),
		cmocka_unit_test(arm64_frame_pointers_are_seen),
		IN_DIR(a_library_is_judged_by_how_it_was_built),
		IN_DIR(too_little_code_says_nothing),
		IN_DIR(every_cut_of_a_file_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
