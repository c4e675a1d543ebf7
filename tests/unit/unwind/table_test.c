// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tables of code that is put together here: each function's rows are known from its directives. One
 * byte of code is one of `nop` or of .fill, so that offsets can be counted.
 */
#include "elf_fixture.h"

#include <errno.h>

#include "elf/elf_file.h"
#include "unwind/table.h"

struct file {
	struct elf_from from;
	struct unwind_rules rules;
	struct unwind_table table;
	uint64_t text; /* the address of `first` */
};

static void assemble(const struct dir *d, const char *code)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/t.s", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(code, f);
	fclose(f);
}

/* t.so of t.s, by the tools of x86_64 or arm64: clang and lld have both. */
static int build(struct file *f, const struct dir *d, const char *target, const char *code,
		 size_t max_rows)
{
	char path[96];
	int err;

	assemble(d, code);
	assert_int_equal(0, sh(d,
			       "clang --target=%s-linux-gnu -c -o t.o t.s && ld.lld -shared "
			       "--apply-dynamic-relocs %s -o t.so t.o",
			       target, strstr(code, "_start") ? "-e _start" : ""));
	snprintf(path, sizeof(path), "%s/t.so", d->path);
	*f = (struct file){ .from.fd = open(path, O_RDONLY | O_CLOEXEC) };
	assert_true(f->from.fd >= 0);
	f->from.elf = elf_file__open(f->from.fd);
	assert_non_null(f->from.elf);
	f->text = nm_address(d, "t.so", "first");
	err = unwind_table__build(&f->table, &f->from, &f->rules, max_rows);
	elf_end(f->from.elf);
	close(f->from.fd);
	return err;
}

static void release(struct file *f)
{
	unwind_table__free(&f->table);
	unwind_rules__free(&f->rules);
}

/* A rule in words, without what it does not use. */
static void describe(const struct unwind_rule *r, char *to, size_t len)
{
	static const char *const cfas[] = {
		[UNWIND_CFA_NONE] = "none",	[UNWIND_CFA_SP] = "sp",
		[UNWIND_CFA_FP] = "fp",		[UNWIND_CFA_REG] = "reg",
		[UNWIND_CFA_PLT] = "plt",	[UNWIND_CFA_SP_DEREF] = "*sp",
		[UNWIND_CFA_FP_DEREF] = "*fp",	[UNWIND_CFA_INDEXED] = "index",
		[UNWIND_CFA_CLONE] = "clone",	[UNWIND_CFA_SAVED] = "saved",
		[UNWIND_CFA_SIGNAL] = "signal", [UNWIND_CFA_STOP] = "stop",
		[UNWIND_CFA_BAD] = "bad",
	};
	static const char *const saved[] = { "same", "cfa", "fp", "reg", "bad" };
	int n = snprintf(to, len, "%s", cfas[r->cfa]);

	if (r->cfa == UNWIND_CFA_NONE || r->cfa >= UNWIND_CFA_SIGNAL)
		return;
	n += snprintf(to + n, len - n, "%+d", r->cfa_off);
	if (r->add)
		n += snprintf(to + n, len - n, "%+d", r->add);
	if (r->reg)
		n += snprintf(to + n, len - n, " reg %u", r->reg);
	n += snprintf(to + n, len - n, " fp %s", saved[r->fp]);
	if (r->fp_off)
		n += snprintf(to + n, len - n, "%+d", r->fp_off);
	n += snprintf(to + n, len - n, " ra %s", saved[r->ra]);
	if (r->ra_off)
		snprintf(to + n, len - n, "%+d", r->ra_off);
}

struct expected {
	unsigned at;
	const char *rule;
};

/* Each holds up to the next one's offset; at the last one's it is looked at once. */
static void assert_rows(const struct file *f, const struct expected *e, size_t nr)
{
	char found[96];

	for (size_t i = 0; i < nr; i++) {
		unsigned end = i + 1 < nr ? e[i + 1].at : e[i].at + 1;

		for (unsigned at = e[i].at; at < end; at++) {
			uint32_t number = unwind_table__find(&f->table, f->text + at);

			describe(&f->rules.all[number], found, sizeof(found));
			if (strcmp(found, e[i].rule))
				fail_msg("at %u: '%s', not '%s'", at, found, e[i].rule);
		}
	}
}

static void rows_of_x86_64(void **state)
{
	static const char code[] =
		".text\n.globl first\n"
		"first: .cfi_startproc; nop\n"
		" .cfi_def_cfa_offset 16; .cfi_offset %rbp, -16; nop\n"
		" .cfi_def_cfa_register %rbp; nop\n"
		" .cfi_remember_state; .cfi_def_cfa %rsp, 8; .cfi_restore %rbp; nop\n"
		" .cfi_restore_state; .fill 600, 1, 0x90\n"
		" .cfi_def_cfa %r10, 0; nop\n"
		" .cfi_escape 0x10,6,2,0x76,0\n"		  /* rbp at *(rbp + 0) */
		" .cfi_escape 0x0f,3,0x76,0x78,6; nop\n"	  /* CFA: breg6 -8, deref */
		" .cfi_escape 0x0f,6,0x77,0xf8,0,6,0x23,8; nop\n" /* breg7 120, deref, +8 */
		" .cfi_escape 0x0f,10,0x77,8,0x79,0,0x38,0x1e,0x22,6,0x23,8; nop\n"
		" .cfi_escape 0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22; nop\n"
		" .cfi_def_cfa %rsp, 8; .cfi_same_value %rbp; .cfi_register %rip, %rdi; nop\n"
		" .cfi_escape 0x0f,2,0x97,0; nop\n" /* DW_OP_push_object_address */
		" .cfi_undefined %rip; nop\n"
		" .cfi_endproc\n";
	static const struct expected rows[] = {
		{ 0, "sp+8 fp same ra cfa-8" },
		{ 1, "sp+16 fp cfa-16 ra cfa-8" },
		{ 2, "fp+16 fp cfa-16 ra cfa-8" },
		{ 3, "sp+8 fp same ra cfa-8" },
		{ 4, "fp+16 fp cfa-16 ra cfa-8" },
		{ 604, "reg+0 reg 7 fp cfa-16 ra cfa-8" },
		{ 605, "*fp-8 fp fp ra cfa-8" },
		{ 606, "*sp+120+8 fp fp ra cfa-8" },
		{ 607, "index+8+8 reg 8 fp fp ra cfa-8" },
		{ 608, "plt+11 fp fp ra cfa-8" },
		{ 609, "sp+8 reg 14 fp same ra reg" },
		{ 610, "bad" },
		{ 611, "stop" },
		{ 612, "none" },
	};
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

/* Registers are words of struct user_pt_regs; an instruction has four bytes. */
static void rows_of_arm64(void **state)
{
	static const char code[] =
		".text\n.globl first\n"
		"first: .cfi_startproc; nop\n"
		" .cfi_negate_ra_state; nop\n"
		" .cfi_def_cfa_offset 70000; .cfi_offset 29, -70000; .cfi_offset 30, -69992; nop\n"
		" .cfi_def_cfa 29, 16; .cfi_offset 29, -16; .cfi_offset 30, -8; nop\n"
		" .cfi_def_cfa 31, 0; .cfi_restore 29; .cfi_restore 30; nop\n"
		" .cfi_def_cfa 31, 32; .cfi_escape 0x10,30,2,0x8f,8; nop\n" /* x30 at *(sp + 8) */
		" .cfi_register 30, 9; nop\n"
		" .cfi_undefined 30; nop\n"
		" .cfi_endproc\n"
		".fill 4, 4, 0xd503201f\n"
		"second: .cfi_startproc; .cfi_signal_frame; .cfi_def_cfa 29, 0; nop; "
		".cfi_endproc\n";
	static const struct expected rows[] = {
		{ 0, "sp+0 fp same ra same" },
		{ 8, "sp+70000 fp cfa-70000 ra cfa-69992" },
		{ 12, "fp+16 fp cfa-16 ra cfa-8" },
		{ 16, "sp+0 fp same ra same" },
		{ 20, "sp+32 fp same ra cfa-24" },
		{ 24, "sp+32 reg 9 fp same ra reg" },
		{ 28, "stop" },
		{ 32, "none" }, /* 16 bytes are no padding */
		{ 48, "signal" },
		{ 52, "none" },
	};
	struct file f;

	assert_int_equal(build(&f, *state, "aarch64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

static void up_to_15_bytes_between_functions_are_padding(void **state)
{
	static const char code[] =
		".text\n.globl first\n"
		"first: .cfi_startproc; .cfi_def_cfa_offset 24; nop; .cfi_endproc; .fill 15, 1, "
		"0xcc\n"
		"b: .cfi_startproc; .cfi_def_cfa_offset 32; nop; .cfi_endproc; .fill 16, 1, 0xcc\n"
		"c: .cfi_startproc; nop; .cfi_endproc\n"
		/* In another order in the section than in memory. */
		".section .text.z,\"ax\"\nz: .cfi_startproc; nop; .cfi_endproc\n.text\n";
	static const struct expected rows[] = {
		{ 0, "sp+24 fp same ra cfa-8" },
		{ 16, "sp+32 fp same ra cfa-8" },
		{ 17, "none" },
		{ 33, "sp+8 fp same ra cfa-8" },
	};
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

/* Entries by hand, as no compiler writes them: `first` has four bytes in a section of 64. */
static void of_functions_that_overlap_the_first_counts(void **state)
{
	static const char code[] =
		".text\n.globl first\nfirst: code: .fill 64, 1, 0x90\n"
		".section .eh_frame,\"a\",@progbits\n"
		"cie: .long cie_end - 1f\n"
		"1: .long 0; .byte 1; .asciz \"zR\"; .byte 1, 0x78, 16, 1, 0x1b\n"
		" .byte 0x0c, 7, 8, 0x90, 1; .balign 4\n" /* CFA rsp + 8, rip at CFA - 8 */
		"cie_end:\n"
		".macro fde from, len, offset\n"
		" .long 3f - 2f\n"
		"2: .long . - cie; .long code + \\from - .; .long \\len; .byte 0, 0x0e, \\offset\n"
		" .balign 4\n"
		"3:\n"
		".endm\n"
		"fde 20, 10, 48\n"
		"fde 0, 24, 16\n"
		"fde 4, 8, 32\n" /* inside of the former */
		"fde 24, 20, 64\n"
		"fde 60, 0x7fffffff, 80\n" /* longer than the segment */
		" .long 0\n";
	static const struct expected rows[] = {
		{ 0, "sp+16 fp same ra cfa-8" },
		{ 24, "sp+64 fp same ra cfa-8" },
		{ 44, "none" },
	};
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	assert_true(f.table.nr_pages <= 2);
	release(&f);
}

/* Nearly as long as what is read of a section at once: sanitizers see what is read beside it. */
static void an_entry_may_be_as_long_as_a_window(void **state)
{
	static const char code[] =
		".text\n.globl first\nfirst: code: .fill 64, 1, 0x90\n"
		".section .eh_frame,\"a\",@progbits\n"
		"cie: .long cie_end - 1f\n"
		"1: .long 0; .byte 1; .asciz \"zR\"; .byte 1, 0x78, 16, 1, 0x1b\n"
		" .byte 0x0c, 7, 8, 0x90, 1; .balign 4\n"
		"cie_end:\n"
		" .long 3f - 2f\n"
		"2: .long . - cie; .long code - .; .long 24; .byte 0, 0x0e, 16\n"
		" .fill 131040, 1, 0; .balign 4\n"
		"3: .long 0\n";
	static const struct expected rows[] = {
		{ 0, "sp+16 fp same ra cfa-8" },
		{ 24, "none" },
	};
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

static void code_at_the_entry_point_has_no_caller(void **state)
{
	static const char code[] = ".text\n.globl first, _start\n"
				   "first: .cfi_startproc; nop; .cfi_endproc; .fill 20, 1, 0xcc\n"
				   "_start: .fill 100, 1, 0x90\n"
				   "z: .cfi_startproc; .cfi_def_cfa_offset 32; nop; .cfi_endproc\n";
	static const struct expected rows[] = {
		{ 0, "sp+8 fp same ra cfa-8" },
		{ 1, "none" },
		{ 21, "stop" },
		{ 21 + 64, "none" },
		{ 121, "sp+32 fp same ra cfa-8" },
		{ 122, "none" },
	};
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

/* A library that needs no other is a C library: musl's restorer has no FDE. */
static void what_a_handler_returns_to_begins_a_byte_early(void **state)
{
	static const char code[] = ".text\n.globl first\n"
				   "first: .cfi_startproc; nop; .cfi_endproc; .fill 63, 1, 0xcc\n"
				   " mov $15, %rax; syscall; .fill 55, 1, 0xcc\n"
				   "z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char with_fde[] =
		".text\n.globl first\n"
		"first: .cfi_startproc; nop; .cfi_endproc; .fill 63, 1, 0xcc\n"
		" .cfi_startproc; .cfi_signal_frame; .cfi_escape 0x0f,4,0x77,0xa0,1,6\n"
		" .cfi_escape 0x10,16,3,0x77,0xa8,1\n"
		" mov $15, %rax; syscall; .cfi_endproc; .fill 55, 1, 0xcc\n"
		"z: .cfi_startproc; nop; .cfi_endproc\n";
	static const struct expected rows[] = { { 0, "sp+8 fp same ra cfa-8" },
						{ 1, "none" },
						{ 63, "signal" },
						{ 73, "none" },
						{ 128, "sp+8 fp same ra cfa-8" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", with_fde, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

/* glibc's __start_context: its FDE claims a caller. Its first byte is the return address. */
static void where_a_context_ends_nobody_has_called(void **state)
{
	static const char code[] =
		".text\n.globl first\n"
		"first: .cfi_startproc; nop; .cfi_endproc; .fill 31, 1, 0xcc\n"
		" .cfi_startproc; mov %rbx, %rsp; .fill 13, 1, 0x90; .cfi_endproc\n"
		" .fill 16, 1, 0xcc\n"
		"z: .cfi_startproc; mov %rcx, %rsp; .fill 13, 1, 0x90\n"
		" .cfi_endproc\n";
	static const struct expected rows[] = { { 0, "sp+8 fp same ra cfa-8" },
						{ 1, "none" },
						{ 31, "stop" },
						{ 48, "none" },
						{ 64, "sp+8 fp same ra cfa-8" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	assert_int_equal(f.rules.all[unwind_table__find(&f.table, f.text + 31)].reg,
			 UNWIND_NAMED_BY_NEXT);
	release(&f);
}

/* rustc -C panic=abort says nothing of main(). Its first and last instructions do. */
static void a_small_main_is_known_by_its_code(void **state)
{
	static const char pushed[] = ".text\n.globl first, _start\n"
				     "first: m: push %rax; .fill 6, 1, 0x90; pop %rcx; ret\n"
				     " .fill 20, 1, 0xcc\n"
				     "_start: lea m(%rip), %rdi; .fill 93, 1, 0x90\n"
				     "z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char moved[] = ".text\n.globl first, _start\n"
				    "first: m: sub $40, %rsp; .byte 0x90, 0x90, 0xc3, 0x90\n"
				    " add $40, %rsp; ret; .fill 20, 1, 0xcc\n"
				    "_start: lea m(%rip), %rdi; .fill 93, 1, 0x90\n"
				    "z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char odd[] = ".text\n.globl first, _start\n"
				  "first: m: sub $40, %rsp; nop; add $32, %rsp; ret\n"
				  " .fill 120, 1, 0xcc\n"
				  "_start: lea m(%rip), %rdi; .fill 93, 1, 0x90\n"
				  "z: .cfi_startproc; nop; .cfi_endproc\n";
	static const struct expected of_pushed[] = {
		{ 0, "sp+8 fp same ra cfa-8" },
		{ 1, "sp+16 fp same ra cfa-8" },
		{ 8, "sp+8 fp same ra cfa-8" },
		{ 9, "none" },
		{ 29, "stop" },
	};
	static const struct expected of_moved[] = {
		{ 0, "sp+8 fp same ra cfa-8" },
		{ 4, "sp+48 fp same ra cfa-8" },
		{ 12, "sp+8 fp same ra cfa-8" },
		{ 13, "none" },
		{ 33, "stop" },
	};
	static const struct expected of_odd[] = { { 0, "none" }, { 130, "stop" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", pushed, 1000), 0);
	assert_rows(&f, of_pushed, ARRAY_SIZE(of_pushed));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", moved, 1000), 0);
	assert_rows(&f, of_moved, ARRAY_SIZE(of_moved));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", odd, 1000), 0);
	assert_rows(&f, of_odd, ARRAY_SIZE(of_odd));
	release(&f);
}

/* crti.o says nothing of its functions. */
static void init_and_fini_are_known_by_their_code(void **state)
{
	static const char plain[] = ".section .init, \"ax\"\n.globl first\n"
				    "first: sub $8, %rsp; .fill 6, 1, 0x90; add $8, %rsp; ret\n"
				    ".text; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char marked[] = ".section .fini, \"ax\"\n.globl first\n"
				     "first: endbr64; sub $8, %rsp; nop; add $8, %rsp; ret\n"
				     ".text; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char longer[] = ".section .init, \"ax\"\n.globl first\n"
				     "first: sub $8, %rsp; add $8, %rsp; ret; nop\n"
				     ".text; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const struct expected of_plain[] = { { 0, "sp+8 fp same ra cfa-8" },
						    { 4, "sp+16 fp same ra cfa-8" },
						    { 14, "sp+8 fp same ra cfa-8" } };
	static const struct expected of_marked[] = { { 0, "sp+8 fp same ra cfa-8" },
						     { 8, "sp+16 fp same ra cfa-8" },
						     { 13, "sp+8 fp same ra cfa-8" } };
	static const struct expected of_longer[] = { { 0, "none" }, { 9, "none" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", plain, 1000), 0);
	assert_rows(&f, of_plain, ARRAY_SIZE(of_plain));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", marked, 1000), 0);
	assert_rows(&f, of_marked, ARRAY_SIZE(of_marked));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", longer, 1000), 0);
	assert_rows(&f, of_longer, ARRAY_SIZE(of_longer));
	release(&f);
}

/* BOLT moves them into .text, where the dynamic section says that they are. */
static void init_and_fini_may_have_been_moved(void **state)
{
	static const char init[] =
		".text\n.globl first, _init\nfirst: _init: sub $8, %rsp; nop; add $8, %rsp; ret\n"
		".fill 20, 1, 0xcc; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char fini[] =
		".text\n.globl first, _fini\nfirst: _fini: sub $8, %rsp; add $8, %rsp; ret; nop\n"
		".fill 20, 1, 0xcc; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const struct expected of_init[] = { { 0, "sp+8 fp same ra cfa-8" },
						   { 4, "sp+16 fp same ra cfa-8" },
						   { 9, "sp+8 fp same ra cfa-8" },
						   { 10, "none" } };
	static const struct expected of_fini[] = { { 0, "sp+8 fp same ra cfa-8" },
						   { 4, "sp+16 fp same ra cfa-8" },
						   { 8, "sp+8 fp same ra cfa-8" },
						   { 9, "none" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", init, 1000), 0);
	assert_rows(&f, of_init, ARRAY_SIZE(of_init));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", fini, 1000), 0);
	assert_rows(&f, of_fini, ARRAY_SIZE(of_fini));
	release(&f);
}

/* crtbegin.o says nothing of its functions: of the first one a page fault is a sample. */
static void the_first_of_init_array_jumps(void **state)
{
	static const char jumps[] =
		".text\n.globl first\nz: .cfi_startproc; nop; .cfi_endproc\n"
		".fill 20, 1, 0xcc; first: own: endbr64; jmp z\n.fill 20, 1, 0xcc\n"
		".section .init_array, \"aw\"; .quad own\n";
	static const char others[] = ".text\n.globl first\nz: .cfi_startproc; nop; .cfi_endproc\n"
				     ".fill 20, 1, 0xcc; first: own: push %rbp; jmp z\n"
				     ".section .init_array, \"aw\"; .quad own\n";
	static const struct expected of_jumps[] = { { 0, "sp+8 fp same ra cfa-8" }, { 5, "none" } };
	static const struct expected of_others[] = { { 0, "none" }, { 2, "none" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", jumps, 1000), 0);
	assert_rows(&f, of_jumps, ARRAY_SIZE(of_jumps));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", others, 1000), 0);
	assert_rows(&f, of_others, ARRAY_SIZE(of_others));
	release(&f);
}

/* glibc's FDEs of clone(2) end before the system call (x86_64), or behind all of it (arm64). */
static void behind_clone_a_register_tells_who_has_returned(void **state)
{
	static const char x86[] = ".text\n.globl first\n"
				  "first: .cfi_startproc; .fill 80, 1, 0x90; .cfi_endproc\n"
				  " syscall; test %rax, %rax; je z; ret\n"
				  "z: .cfi_startproc; .cfi_undefined %rip; nop; .cfi_endproc\n";
	static const char arm[] =
		".text\n.globl first\n"
		"first: .cfi_startproc; .rept 20; nop; .endr; svc #0\n"
		" cmp x0, #0; b.eq z; ret; .rept 3; nop; .endr; .cfi_endproc; nop\n"
		"z: .cfi_startproc; .cfi_undefined x30; nop; .cfi_endproc\n";
	static const char others[] = ".text\n.globl first\n"
				     "first: .cfi_startproc; .fill 80, 1, 0x90; .cfi_endproc\n"
				     " syscall; .fill 20, 1, 0x90\n"
				     "z: .cfi_startproc; .cfi_undefined %rip; nop; .cfi_endproc\n";
	static const char called[] = ".text\n.globl first\n"
				     "first: .cfi_startproc; .fill 80, 1, 0x90; .cfi_endproc\n"
				     " syscall; test %rax, %rax; .fill 20, 1, 0x90\n"
				     "z: .cfi_startproc; nop; .cfi_endproc\n";
	static const struct expected of_x86[] = { { 0, "sp+8 fp same ra cfa-8" },
						  { 80, "clone+8 reg 10 fp same ra cfa-8" },
						  { 88, "stop" } };
	static const struct expected of_arm[] = { { 0, "sp+0 fp same ra same" },
						  { 84, "clone+0 fp same ra same" },
						  { 112, "stop" } };
	static const struct expected of_others[] = { { 0, "sp+8 fp same ra cfa-8" },
						     { 80, "none" },
						     { 102, "stop" } };
	static const struct expected of_called[] = { { 0, "sp+8 fp same ra cfa-8" },
						     { 80, "none" },
						     { 105, "sp+8 fp same ra cfa-8" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", x86, 1000), 0);
	assert_rows(&f, of_x86, ARRAY_SIZE(of_x86));
	release(&f);
	assert_int_equal(build(&f, *state, "aarch64", arm, 1000), 0);
	assert_rows(&f, of_arm, ARRAY_SIZE(of_arm));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", others, 1000), 0);
	assert_rows(&f, of_others, ARRAY_SIZE(of_others));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", called, 1000), 0);
	assert_rows(&f, of_called, ARRAY_SIZE(of_called));
	release(&f);
}

/* lld says nothing of these, and on arm64 nobody does. */
static void plts_are_known_by_their_code(void **state)
{
	static const char x86[] =
		".section .plt, \"ax\"\n.globl first\n.balign 16\n"
		"first: .byte 0xff,0x35,0,0,0,0, 0xff,0x25,0,0,0,0, 0x0f,0x1f,0x40,0\n"
		" .rept 2; .byte 0xff,0x25,0,0,0,0, 0x68,0,0,0,0, 0xe9,0,0,0,0; .endr\n"
		".text; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char other[] = ".section .plt, \"ax\"\n.globl first\n.balign 16\n"
				    "first: .byte 0xff,0x35,0,0,0,0, 0xff,0x25,0,0,0,0\n"
				    " .fill 36, 1, 0x90\n"
				    ".text; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char arm[] = ".section .plt, \"ax\"\n.globl first\n.balign 16\n"
				  "first: stp x16, x30, [sp, #-16]!; .rept 15; nop; .endr\n"
				  ".text; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const char branch_targets[] =
		".section .plt, \"ax\"\n.globl first\n.balign 16\n"
		"first: bti c; stp x16, x30, [sp, #-16]!; .rept 14; nop; .endr\n"
		".text; z: .cfi_startproc; nop; .cfi_endproc\n";
	static const struct expected of_x86[] = { { 0, "sp+16 fp same ra cfa-8" },
						  { 6, "sp+24 fp same ra cfa-8" },
						  { 16, "plt+11 fp same ra cfa-8" },
						  { 47, "plt+11 fp same ra cfa-8" } };
	static const struct expected of_other[] = { { 0, "none" }, { 47, "none" } };
	static const struct expected of_arm[] = { { 0, "sp+0 fp same ra same" },
						  { 4, "sp+16 fp same ra cfa-8" },
						  { 32, "sp+0 fp same ra same" },
						  { 63, "sp+0 fp same ra same" } };
	static const struct expected of_targets[] = { { 0, "sp+0 fp same ra same" },
						      { 8, "sp+16 fp same ra cfa-8" },
						      { 32, "sp+0 fp same ra same" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", x86, 1000), 0);
	assert_rows(&f, of_x86, ARRAY_SIZE(of_x86));
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", other, 1000), 0);
	assert_rows(&f, of_other, ARRAY_SIZE(of_other));
	release(&f);
	assert_int_equal(build(&f, *state, "aarch64", arm, 1000), 0);
	assert_rows(&f, of_arm, ARRAY_SIZE(of_arm));
	release(&f);
	assert_int_equal(build(&f, *state, "aarch64", branch_targets, 1000), 0);
	assert_rows(&f, of_targets, ARRAY_SIZE(of_targets));
	release(&f);
}

/* While the function that is called runs, the register is where that has saved it. */
static void a_preserved_register_is_found_where_the_callee_saved_it(void **state)
{
	static const char code[] =
		".text\n.globl first\n"
		"first: .cfi_startproc; .cfi_def_cfa %rbx, 56; nop; call saves; nop\n"
		" call saves_not; call saves_twice; call *%rax; nop; .cfi_def_cfa %rax, 16\n"
		" call saves; call saves; .cfi_endproc\n"
		"saves: .cfi_startproc; nop; .cfi_offset %rbp, -24; .cfi_offset %rbx, -32; nop\n"
		" .cfi_restore %rbx; nop; .cfi_endproc\n"
		"saves_not: .cfi_startproc; nop; .cfi_offset %r12, -16; nop; .cfi_endproc\n"
		"saves_twice: .cfi_startproc; .cfi_offset %rbx, -16; nop\n"
		" .cfi_offset %rbx, -24; nop; .cfi_endproc\n";
	static const struct expected rows[] = {
		{ 0, "reg+56 reg 5 fp same ra cfa-8" }, { 2, "saved-32+56 reg 5 fp same ra cfa-8" },
		{ 6, "reg+56 reg 5 fp same ra cfa-8" }, { 20, "reg+16 reg 10 fp same ra cfa-8" },
		{ 30, "sp+8 fp same ra cfa-8" },
	};
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

/* Every page of a long function begins with the rule in force. */
static void a_page_needs_none_before_it(void **state)
{
	static const char code[] = ".text\n.balign 8192\n.globl first\n"
				   "first: .cfi_startproc; nop; .cfi_def_cfa_offset 40\n"
				   " .fill 20000, 1, 0x90; .cfi_endproc\n";
	static const struct expected rows[] = { { 0, "sp+8 fp same ra cfa-8" },
						{ 1, "sp+40 fp same ra cfa-8" },
						{ 20001, "none" } };
	struct file f;
	uint32_t page;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	page = (f.text - f.table.base) / UNWIND_PAGE_BYTES;
	assert_int_equal(f.table.base % UNWIND_PAGE_BYTES, 0);
	assert_int_equal(f.table.nr_pages, page + 3);
	assert_int_equal(f.table.pages[page + 1] - f.table.pages[page], 2);
	assert_int_equal(f.table.pages[page + 2] - f.table.pages[page + 1], 1);
	/* .. and the last one has the end of the code. */
	assert_int_equal(f.table.pages[page + 3] - f.table.pages[page + 2], 2);
	assert_int_equal(UNWIND_ROW_OFFSET(f.table.rows[f.table.pages[page + 2] + 1]),
			 20001 - 2 * UNWIND_PAGE_BYTES);
	assert_int_equal(f.table.pages[page + 3], f.table.nr_rows);
	release(&f);
	assert_int_equal(build(&f, *state, "x86_64", code, 4), -E2BIG);
	assert_null(f.table.rows);
	assert_int_equal(f.table.nr_pages, 0);
	release(&f);
}

/* Go's code between C's: 8 MB that nothing describes. */
static void little_may_be_described(void **state)
{
	static const char code[] = ".text\n.balign 8192\n.globl first\n"
				   "first: .cfi_startproc; nop; .cfi_endproc\n"
				   " .fill 8 << 20, 1, 0x90\n"
				   "last: .cfi_startproc; nop; .cfi_endproc\n";
	static const struct expected rows[] = { { 0, "sp+8 fp same ra cfa-8" },
						{ 1, "none" },
						{ (8 << 20) + 1, "sp+8 fp same ra cfa-8" },
						{ (8 << 20) + 2, "none" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 10000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

static void debug_frame_stands_in_for_eh_frame(void **state)
{
	static const char code[] = ".cfi_sections .debug_frame\n.text\n.globl first\n"
				   "first: .cfi_startproc; nop; .cfi_def_cfa_offset 40; nop\n"
				   " .cfi_endproc\n";
	static const struct expected rows[] = { { 0, "sp+8 fp same ra cfa-8" },
						{ 1, "sp+40 fp same ra cfa-8" },
						{ 2, "none" } };
	struct file f;

	assert_int_equal(build(&f, *state, "x86_64", code, 1000), 0);
	assert_rows(&f, rows, ARRAY_SIZE(rows));
	release(&f);
}

/* Programs have room for so many: those that are there go on being found. */
static void rules_without_room_are_counted(void **state)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .cfa_off = 8 };
	struct unwind_rules rules = { .max = 4 };
	uint32_t number;

	(void)state;
	for (uint32_t i = 0; i < 2; i++, rule.cfa_off += 8) {
		assert_int_equal(unwind_rules__add(&rules, &rule, &number), 0);
		assert_int_equal(number, UNWIND_RULE_BAD + 1 + i);
	}
	assert_int_equal(rules.nr_refused, 0);
	assert_int_equal(unwind_rules__add(&rules, &rule, &number), 0);
	assert_int_equal(number, UNWIND_RULE_BAD);
	assert_int_equal(rules.nr_refused, 1);
	rule.cfa_off = 8;
	assert_int_equal(unwind_rules__add(&rules, &rule, &number), 0);
	assert_int_equal(number, UNWIND_RULE_BAD + 1);
	assert_int_equal(rules.nr, 4);
	unwind_rules__free(&rules);
}

static void rules_are_numbered_once(void **state)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP };
	struct unwind_rules rules = {};
	uint32_t number, again;

	(void)state;
	for (int32_t i = 0; i < UNWIND_RULES_MAX - 2; i++) {
		rule.cfa_off = i;
		assert_int_equal(unwind_rules__add(&rules, &rule, &number), 0);
		assert_int_equal(number, i + 2);
	}
	rule.cfa_off = -1;
	assert_int_equal(unwind_rules__add(&rules, &rule, &number), 0);
	assert_int_equal(number, UNWIND_RULE_BAD);
	rule.cfa_off = 70000;
	assert_int_equal(unwind_rules__add(&rules, &rule, &again), 0);
	assert_int_equal(again, 70002);
	assert_int_equal(rules.all[again].cfa_off, 70000);
	assert_int_equal(rules.all[UNWIND_RULE_NONE].cfa, UNWIND_CFA_NONE);
	assert_int_equal(rules.all[UNWIND_RULE_BAD].cfa, UNWIND_CFA_BAD);
	unwind_rules__free(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(rows_of_x86_64),
		IN_DIR(rows_of_arm64),
		IN_DIR(up_to_15_bytes_between_functions_are_padding),
		IN_DIR(of_functions_that_overlap_the_first_counts),
		IN_DIR(an_entry_may_be_as_long_as_a_window),
		IN_DIR(code_at_the_entry_point_has_no_caller),
		IN_DIR(what_a_handler_returns_to_begins_a_byte_early),
		IN_DIR(where_a_context_ends_nobody_has_called),
		IN_DIR(a_small_main_is_known_by_its_code),
		IN_DIR(init_and_fini_are_known_by_their_code),
		IN_DIR(init_and_fini_may_have_been_moved),
		IN_DIR(the_first_of_init_array_jumps),
		IN_DIR(behind_clone_a_register_tells_who_has_returned),
		IN_DIR(plts_are_known_by_their_code),
		IN_DIR(a_preserved_register_is_found_where_the_callee_saved_it),
		IN_DIR(a_page_needs_none_before_it),
		IN_DIR(little_may_be_described),
		IN_DIR(debug_frame_stands_in_for_eh_frame),
		cmocka_unit_test(rules_are_numbered_once),
		cmocka_unit_test(rules_without_room_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
