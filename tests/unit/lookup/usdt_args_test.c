// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <asm/ptrace.h>

#include "lookup/usdt_args.h"
#include "machine/registers.h"

/* Bytes in the kernel's struct pt_regs of x86_64. */
enum { RBP = 32, RBX = 40, R9 = 64, RAX = 80, RDX = 96, RDI = 112, RSP = 152 };

static struct usdt_arg get(unsigned machine, const char *args, size_t n)
{
	struct usdt_arg a;
	struct buf why = {};

	if (usdt_args__find(machine, args, n, &a, &why)) {
		print_error("'%s' %zu: %s\n", args, n, why.data ? why.data : "there is none");
		fail();
	}
	assert_null(why.data);
	return a;
}

static void assert_register(unsigned machine, const char *arg, unsigned at, unsigned size,
			    bool is_signed)
{
	struct usdt_arg a = get(machine, arg, 0);

	assert_int_equal(a.kind, USDT_REGISTER);
	assert_int_equal(a.at, at);
	assert_int_equal(a.size, size);
	assert_int_equal(a.is_signed, is_signed);
}

static void assert_memory(unsigned machine, const char *arg, unsigned at, int64_t offset,
			  unsigned size, bool is_signed)
{
	struct usdt_arg a = get(machine, arg, 0);

	assert_int_equal(a.kind, USDT_MEMORY);
	assert_int_equal(a.at, at);
	assert_int_equal(a.value, offset);
	assert_int_equal(a.size, size);
	assert_int_equal(a.is_signed, is_signed);
}

static void assert_constant(unsigned machine, const char *arg, int64_t value)
{
	struct usdt_arg a = get(machine, arg, 0);

	assert_int_equal(a.kind, USDT_CONSTANT);
	assert_int_equal(a.value, value);
}

static void assert_refused(unsigned machine, const char *arg, const char *because)
{
	struct buf why = {};
	struct usdt_arg a;

	assert_int_equal(usdt_args__find(machine, arg, 0, &a, &why), -EINVAL);
	assert_non_null(why.data);
	if (!strstr(why.data, because))
		print_error("'%s': %s\n", arg, why.data);
	assert_non_null(strstr(why.data, because));
	buf__free(&why);
}

static void x86_registers_and_their_parts(void **state)
{
	(void)state;
	assert_register(EM_X86_64, "-4@%edi", RDI, 4, true);
	assert_register(EM_X86_64, "8@%rax", RAX, 8, false);
	assert_register(EM_X86_64, "-4@%rax", RAX, 4, true);
	assert_register(EM_X86_64, "2@%di", RDI, 2, false);
	assert_register(EM_X86_64, "1@%dil", RDI, 1, false);
	assert_register(EM_X86_64, "-1@%ah", RAX + 1, 1, true);
	assert_register(EM_X86_64, "1@%bh", RBX + 1, 1, false);
	assert_register(EM_X86_64, "4@%r9d", R9, 4, false);
	assert_register(EM_X86_64, "2@%r9w", R9, 2, false);
	assert_register(EM_X86_64, "1@%r9b", R9, 1, false);
	/* Of a part there are no more bytes than it has. */
	assert_register(EM_X86_64, "-8@%edi", RDI, 4, true);
}

static void x86_memory_and_constants(void **state)
{
	(void)state;
	assert_memory(EM_X86_64, "8@-16(%rbp)", RBP, -16, 8, false);
	assert_memory(EM_X86_64, "4@(%rdx)", RDX, 0, 4, false);
	assert_memory(EM_X86_64, "-2@0x10(%rsp)", RSP, 16, 2, true);
	assert_constant(EM_X86_64, "-4@$5", 5);
	assert_constant(EM_X86_64, "-4@$-5", -5);
	assert_constant(EM_X86_64, "4@$-1", 4294967295);
	assert_constant(EM_X86_64, "-1@$255", -1);
	assert_constant(EM_X86_64, "8@$-1", -1);
}

static void what_one_load_cannot_get_is_refused(void **state)
{
	(void)state;
	assert_refused(EM_X86_64, "8@symbol(%rip)", "a variable at an address");
	assert_refused(EM_X86_64, "8@symbol+8(%rip)", "a variable at an address");
	assert_refused(EM_X86_64, "8@16(%rip)", "a variable at an address");
	assert_refused(EM_X86_64, "4@1234", "a variable at an address");
	assert_refused(EM_X86_64, "8@(%rax,%rbx,8)", "found by an index");
	assert_refused(EM_X86_64, "8@-8(,%rbx,8)", "found by an index");
	assert_refused(EM_X86_64, "8@%fs:16", "of the thread");
	assert_refused(EM_X86_64, "8f@%xmm0", "floating point");
	assert_refused(EM_X86_64, "-4f@$1", "floating point");
	assert_refused(EM_X86_64, "8@%xmm0", "vectors");
	assert_refused(EM_AARCH64, "-8@d0", "vectors");
	assert_refused(EM_AARCH64, "8@[x0, x1]", "found by an index");
	assert_refused(EM_AARCH64, "8@[x0, w1, sxtw 3]", "found by an index");
	assert_refused(EM_AARCH64, "8@[x0, :lo12:symbol]", "a variable at an address");
	assert_refused(EM_AARCH64, "8@symbol", "a variable at an address");
}

static void garbage_is_refused(void **state)
{
	static const char *const texts[] = {
		"8",
		"@%rdi",
		"8@",
		"3@%rdi",
		"16@%rdi",
		"0@%rdi",
		"-0@%rdi",
		"8@%",
		"8@%rdix",
		"8@%eip2",
		"8@(%rdi",
		"8@8(%rdi)x",
		"8@(%edi)",
		"8@$",
		"8@$x",
		"8@4294967296(%rbp)",
		"99999999999999999999@%rdi",
		"-9223372036854775808@%rdi",
		"%edi",
		"8@()",
	};
	char longest[512] = "8@$";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_refused(EM_X86_64, texts[i], "of an unknown form");
	memset(longest + 3, '1', sizeof(longest) - 4);
	assert_refused(EM_X86_64, longest, "of an unknown form");
	assert_refused(EM_AARCH64, "8@[x19", "of an unknown form");
	assert_refused(EM_AARCH64, "8@[x19]!", "of an unknown form");
	assert_refused(EM_AARCH64, "8@[w19]", "of an unknown form");
	assert_refused(EM_AARCH64, "8@[x31]", "of an unknown form");
}

/* x0 to x30, sp, pc: 8 bytes each. */
static void arm64_registers_memory_constants(void **state)
{
	(void)state;
	assert_register(EM_AARCH64, "8@x0", 0, 8, false);
	assert_register(EM_AARCH64, "-4@x30", 240, 4, true);
	assert_register(EM_AARCH64, "-8@w3", 24, 4, true);
	assert_register(EM_AARCH64, "8@sp", 248, 8, false);
	assert_memory(EM_AARCH64, "-4@[sp, 60]", 248, 60, 4, true);
	assert_memory(EM_AARCH64, "-4@[sp,#-60]", 248, -60, 4, true);
	assert_memory(EM_AARCH64, "8@[x19]", 152, 0, 8, false);
	assert_constant(EM_AARCH64, "-4@5", 5);
	assert_constant(EM_AARCH64, "-4@-5", -5);
	assert_constant(EM_AARCH64, "8@xzr", 0);
}

static void arguments_are_counted_and_found_by_number(void **state)
{
	const char *args = " -4@[sp, 60]  8@x1 -4@5 ";
	struct buf why = {};
	struct usdt_arg a;

	(void)state;
	assert_int_equal(usdt_args__nr(args), 3);
	assert_int_equal(get(EM_AARCH64, args, 0).value, 60);
	assert_int_equal(get(EM_AARCH64, args, 1).at, 8);
	assert_int_equal(get(EM_AARCH64, args, 2).value, 5);
	assert_int_equal(usdt_args__find(EM_AARCH64, args, 3, &a, &why), -ENOENT);
	assert_null(why.data);
	assert_int_equal(usdt_args__nr(""), 0);
	assert_int_equal(usdt_args__find(EM_AARCH64, "", 0, &a, &why), -ENOENT);
}

/* The numbers above are what this machine's own header says. */
static void registers_are_where_the_kernel_has_them(void **state)
{
	struct cpu_register r;

	(void)state;
#if defined(__x86_64__)
	assert_true(registers__find(EM_X86_64, "rdi", &r));
	assert_int_equal(r.at, offsetof(struct pt_regs, rdi));
	assert_true(registers__find(EM_X86_64, "r15", &r));
	assert_int_equal(r.at, offsetof(struct pt_regs, r15));
	assert_true(registers__find(EM_X86_64, "rbx", &r));
	assert_int_equal(r.at, offsetof(struct pt_regs, rbx));
	assert_true(registers__find(EM_X86_64, "rax", &r));
	assert_int_equal(r.at, offsetof(struct pt_regs, rax));
	assert_true(registers__find(EM_X86_64, "rsp", &r));
	assert_int_equal(r.at, offsetof(struct pt_regs, rsp));
	assert_true(registers__find(EM_X86_64, "rip", &r));
	assert_int_equal(r.at, offsetof(struct pt_regs, rip));
#elif defined(__aarch64__)
	assert_true(registers__find(EM_AARCH64, "x7", &r));
	assert_int_equal(r.at, offsetof(struct user_pt_regs, regs[7]));
	assert_true(registers__find(EM_AARCH64, "sp", &r));
	assert_int_equal(r.at, offsetof(struct user_pt_regs, sp));
	assert_true(registers__find(EM_AARCH64, "pc", &r));
	assert_int_equal(r.at, offsetof(struct user_pt_regs, pc));
#endif
	assert_int_equal(r.size, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_registers_and_their_parts),
		cmocka_unit_test(x86_memory_and_constants),
		cmocka_unit_test(what_one_load_cannot_get_is_refused),
		cmocka_unit_test(garbage_is_refused),
		cmocka_unit_test(arm64_registers_memory_constants),
		cmocka_unit_test(arguments_are_counted_and_found_by_number),
		cmocka_unit_test(registers_are_where_the_kernel_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
