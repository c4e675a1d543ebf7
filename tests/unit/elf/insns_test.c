// SPDX-License-Identifier: BSD-2-Clause
/* Kinds of instructions: bytes by hand, checked with objdump -d. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "elf/insns.h"

enum { AT = 0x1000 };

static struct insns s;

static int free_insns(void **state)
{
	insns__free(&s);
	return 0;
}

static void decode(unsigned machine, const char *code, size_t len)
{
	insns__free(&s);
	assert_int_equal(insns__decode(&s, machine, (const uint8_t *)code, len, AT), 0);
}

#define X86(code)   decode(EM_X86_64, code, sizeof(code) - 1)
#define ARM64(code) decode(EM_AARCH64, code, sizeof(code) - 1)

static void assert_is(size_t i, uint64_t at, enum insn_kind kind, uint64_t target, int condition)
{
	assert_true(i < s.nr);
	assert_int_equal(s.items[i].at, at);
	assert_int_equal(s.items[i].kind, kind);
	assert_int_equal(s.items[i].target, target);
	assert_int_equal(s.items[i].condition, condition);
}

static void x86_returns(void **state)
{
	X86("\xc3"		   /* ret */
	    "\xf3\xc3"		   /* repz ret */
	    "\xf2\xc3"		   /* bnd ret */
	    "\xc2\x08\x00"	   /* ret $8 */
	    "\xe8\x00\x00\x00\x00" /* call */
	    "\x0f\x0b");	   /* ud2 */
	assert_int_equal(s.nr, 6);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(s.items[i].kind, INSN_RETURN);
	assert_int_equal(s.items[4].kind, INSN_CALL);
	assert_int_equal(s.items[5].kind, INSN_OTHER);
	assert_int_equal(s.bytes, 15);
}

static void x86_jumps(void **state)
{
	X86("\xeb\x10"			     /* jmp +0x10 */
	    "\xe9\x00\x01\x00\x00"	     /* jmp +0x100 */
	    "\x75\xfe"			     /* jne itself */
	    "\x0f\x84\x00\x00\x00\x00"	     /* je the next */
	    "\xf2\x0f\x8c\x00\x00\x00\x00"   /* bnd jl the next */
	    "\xe3\x00"			     /* jrcxz */
	    "\xff\xe0"			     /* jmp *%rax */
	    "\x3e\xff\xe1"		     /* notrack jmp *%rcx */
	    "\xff\x24\xc5\x00\x00\x00\x00"); /* jmp *0x0(,%rax,8) */
	assert_is(0, AT, INSN_JUMP, AT + 0x12, INSN_ALWAYS);
	assert_is(1, AT + 2, INSN_JUMP, AT + 0x107, INSN_ALWAYS);
	assert_is(2, AT + 7, INSN_BRANCH, AT + 7, 5);
	assert_is(3, AT + 9, INSN_BRANCH, AT + 15, 4);
	assert_is(4, AT + 15, INSN_BRANCH, AT + 22, 0xc);
	assert_is(5, AT + 22, INSN_BRANCH, AT + 24, INSN_ALWAYS);
	assert_int_equal(s.items[6].kind, INSN_INDIRECT);
	assert_int_equal(s.items[7].kind, INSN_TABLE);
	assert_int_equal(s.items[8].kind, INSN_TABLE);
	assert_int_equal(s.nr, 9);
}

static void jumps_through_tables_are_told_from_tail_calls(void **state)
{
	X86("\x48\x63\x04\x82" /* movslq (%rdx,%rax,4),%rax */
	    "\x48\x01\xd0"     /* add %rdx,%rax */
	    "\xff\xe0");       /* jmp *%rax: of a switch */
	assert_int_equal(s.items[2].kind, INSN_TABLE);
	X86("\x48\x8b\x07"		 /* mov (%rdi),%rax */
	    "\xff\x60\x18"		 /* jmp *0x18(%rax): a virtual function */
	    "\xff\x25\x00\x10\x00\x00"); /* jmp *0x1000(%rip): of another file */
	assert_int_equal(s.items[1].kind, INSN_INDIRECT);
	assert_int_equal(s.items[2].kind, INSN_INDIRECT);
	ARM64("\x20\x78\xa0\xb8"   /* ldrsw x0, [x1, x0, lsl #2] */
	      "\x20\x00\x00\x8b"   /* add x0, x1, x0 */
	      "\x00\x00\x1f\xd6"); /* br x0 */
	assert_int_equal(s.items[2].kind, INSN_TABLE);
}

static void arm64_returns_and_jumps(void **state)
{
	ARM64("\xc0\x03\x5f\xd6"   /* ret */
	      "\xff\x0b\x5f\xd6"   /* retaa */
	      "\xff\x0f\x5f\xd6"   /* retab */
	      "\x00\x02\x1f\xd6"   /* br x16 */
	      "\x1f\x0a\x1f\xd7"   /* braa x16, sp: not of any decoder of those days */
	      "\x04\x00\x00\x14"   /* b +16 */
	      "\x40\x00\x00\x54"   /* b.eq +8 */
	      "\x40\x00\x00\xb4"   /* cbz x0, +8 */
	      "\x40\x00\x00\x36"   /* tbz w0, #0, +8 */
	      "\x04\x00\x00\x94"   /* bl +16 */
	      "\x00\x02\x3f\xd6"); /* blr x16 */
	assert_int_equal(s.nr, 11);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(s.items[i].kind, INSN_RETURN);
	assert_int_equal(s.items[3].kind, INSN_INDIRECT);
	assert_int_equal(s.items[4].kind, INSN_INDIRECT);
	assert_is(5, AT + 20, INSN_JUMP, AT + 36, INSN_ALWAYS);
	assert_is(6, AT + 24, INSN_BRANCH, AT + 32, INSN_ALWAYS);
	assert_is(7, AT + 28, INSN_BRANCH, AT + 36, INSN_ALWAYS);
	assert_is(8, AT + 32, INSN_BRANCH, AT + 40, INSN_ALWAYS);
	assert_int_equal(s.items[9].kind, INSN_CALL);
	assert_int_equal(s.items[10].kind, INSN_CALL);
}

static void an_address_is_in_one_instruction(void **state)
{
	X86("\x90\x48\x89\xe5\xc3"); /* nop; mov %rsp,%rbp; ret */
	assert_null(insns__find(&s, AT - 1));
	assert_ptr_equal(insns__find(&s, AT), &s.items[0]);
	for (unsigned i = 1; i < 4; i++)
		assert_ptr_equal(insns__find(&s, AT + i), &s.items[1]);
	assert_ptr_equal(insns__find(&s, AT + 4), &s.items[2]);
	assert_null(insns__find(&s, AT + 5));
}

static void what_is_no_code_ends_it(void **state)
{
	X86("\x90\x06\x90"); /* 06 was push %es, which 64-bit mode does not have */
	assert_int_equal(s.nr, 1);
	assert_int_equal(s.bytes, 1);
	X86("\x90\x48\x89"); /* cut off */
	assert_int_equal(s.bytes, 1);
	X86("");
	assert_int_equal(s.nr, 0);
	ARM64("\x00\x00\x00\x00\xc0\x03\x5f\xd6\xc0\x03"); /* udf, ret, half of one */
	assert_int_equal(s.nr, 2);
	assert_int_equal(s.items[1].kind, INSN_RETURN);
	assert_int_equal(s.bytes, 8);
	insns__free(&s);
	assert_int_equal(insns__decode(&s, EM_RISCV, (const uint8_t *)"\x90", 1, AT), -ENOTSUP);
}

#define T(test) cmocka_unit_test_teardown(test, free_insns)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(x86_returns),
		T(x86_jumps),
		T(jumps_through_tables_are_told_from_tail_calls),
		T(arm64_returns_and_jumps),
		T(an_address_is_in_one_instruction),
		T(what_is_no_code_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
