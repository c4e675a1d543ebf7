// SPDX-License-Identifier: BSD-2-Clause
/* Tables of real files, held against elfutils at random addresses. */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "elf/elf_code.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "unwind/table.h"

/* DWARF 5, section 7.7.1; <dwarf.h> has names that elf/cfi.h has, too. */
enum {
	DW_OP_plus_uconst = 0x23,
	DW_OP_regx = 0x90,
	DW_OP_bregx = 0x92,
	DW_OP_call_frame_cfa = 0x9c
};

enum { ADDRESSES = 20000, FILES_MIN = 6 };

static uint64_t seed = 20261123;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* What elfutils says of an address, in our terms; cfa BAD: something that is not compared. */
static struct unwind_rule oracle(Dwarf_CFI *cfi, uint64_t addr)
{
	struct unwind_rule r = { .cfa = UNWIND_CFA_NONE };
	Dwarf_Op *ops, mem[3];
	bool signal = false;
	Dwarf_Frame *frame;
	size_t nr;

	if (dwarf_cfi_addrframe(cfi, addr, &frame))
		return r;
	r.cfa = UNWIND_CFA_BAD;
	if (dwarf_frame_info(frame, NULL, NULL, &signal) < 0)
		return r;
	if (signal) {
		r.cfa = UNWIND_CFA_SIGNAL;
		free(frame);
		return r;
	}
	/* The return address: "no location" with these two pointers equal means undefined. */
	if (dwarf_frame_register(frame, 16, mem, &ops, &nr) == 0 && nr == 0 && ops == mem) {
		r.cfa = UNWIND_CFA_STOP;
		free(frame);
		return r;
	}
	if (dwarf_frame_cfa(frame, &ops, &nr) == 0 && nr == 1 && ops[0].atom == DW_OP_bregx) {
		r.cfa = ops[0].number == 7   ? UNWIND_CFA_SP
			: ops[0].number == 6 ? UNWIND_CFA_FP
					     : UNWIND_CFA_REG;
		r.cfa_off = (int32_t)ops[0].number2;
	}
	if (dwarf_frame_register(frame, 16, mem, &ops, &nr))
		nr = 0;
	if (nr == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst) {
		r.ra = UNWIND_SAVED_AT_CFA;
		r.ra_off = (int16_t)ops[1].number;
	} else if (nr == 1 && ops[0].atom == DW_OP_regx) { /* vfork(): it is in rdi */
		r.ra = UNWIND_SAVED_REG;
	}
	if (dwarf_frame_register(frame, 6, mem, &ops, &nr) == 0) {
		if (!nr)
			r.fp = ops == mem ? UNWIND_SAVED_BAD : UNWIND_SAVED_SAME;
		else if (nr == 1 && ops[0].atom == DW_OP_call_frame_cfa)
			r.fp = UNWIND_SAVED_AT_CFA;
		else if (nr == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
			 ops[1].atom == DW_OP_plus_uconst) {
			r.fp = UNWIND_SAVED_AT_CFA;
			r.fp_off = (int16_t)ops[1].number;
		} else {
			r.fp = UNWIND_SAVED_BAD;
		}
	}
	free(frame);
	return r;
}

struct outcome {
	unsigned nr, described, compared, wrong, bad;
};

/* Behind the first byte of a direct call: there a frame is looked up by its return address. */
static bool is_in_call(const struct elf_from *from, uint64_t addr)
{
	uint8_t code[4];

	return elf_code__read(from, addr - sizeof(code), code, sizeof(code)) &&
	       memchr(code, 0xe8, sizeof(code));
}

static void compare(const char *name, const struct elf_from *from, uint64_t addr,
		    const struct unwind_rule *ours, const struct unwind_rule *theirs,
		    struct outcome *o)
{
	bool same = ours->cfa == theirs->cfa;

	o->nr++;
	o->described += theirs->cfa != UNWIND_CFA_NONE;
	/* An expression is not translated here; over padding we let a function reach. */
	if (theirs->cfa == UNWIND_CFA_BAD || theirs->cfa == UNWIND_CFA_NONE)
		return;
	o->compared++;
	if (ours->cfa == UNWIND_CFA_BAD) { /* the return address is in a register, too */
		o->bad++;
		return;
	}
	/* A register that calls preserve: ours is where the callee has saved it. */
	if (ours->cfa == UNWIND_CFA_SAVED && theirs->cfa == UNWIND_CFA_REG &&
	    is_in_call(from, addr))
		same = ours->add == theirs->cfa_off && ours->ra == theirs->ra &&
		       ours->ra_off == theirs->ra_off;
	else if (same && theirs->cfa <= UNWIND_CFA_REG)
		same = ours->cfa_off == theirs->cfa_off && ours->ra == theirs->ra &&
		       ours->ra_off == theirs->ra_off &&
		       (theirs->fp == UNWIND_SAVED_BAD || ours->fp == theirs->fp) &&
		       (ours->fp != UNWIND_SAVED_AT_CFA || ours->fp_off == theirs->fp_off);
	if (same)
		return;
	if (o->wrong++ < 5)
		print_message("%s: %llx: cfa %d %d, fp %d %d; elfutils: cfa %d %d, fp %d %d\n",
			      name, (unsigned long long)addr, ours->cfa, ours->cfa_off, ours->fp,
			      ours->fp_off, theirs->cfa, theirs->cfa_off, theirs->fp,
			      theirs->fp_off);
}

/* Every gap that has no function is longer than padding. */
static void check_gaps(const struct unwind_table *t, Dwarf_CFI *cfi, const char *name)
{
	for (unsigned i = 0; i < 2000; i++) {
		const uint64_t addr =
			t->base + next_random() % ((uint64_t)t->nr_pages << UNWIND_PAGE_SHIFT);
		const struct unwind_rule r = oracle(cfi, addr);

		if (unwind_table__find(t, addr) == 0 && r.cfa != UNWIND_CFA_NONE)
			fail_msg("%s: %llx has a rule", name, (unsigned long long)addr);
	}
}

static void check(const char *name, const struct elf_from *from, struct unwind_rules *rules)
{
	Dwarf_CFI *cfi = dwarf_getcfi_elf(from->elf);
	struct unwind_table t;
	struct outcome o = {};

	assert_int_equal(unwind_table__build(&t, from, rules, 10000000), 0);
	if (!cfi || !t.nr_rows)
		fail_msg("%s: no table", name);
	assert_int_equal(t.pages[t.nr_pages], t.nr_rows);
	for (unsigned i = 0; i < ADDRESSES; i++) {
		const uint64_t addr =
			t.base + next_random() % ((uint64_t)t.nr_pages << UNWIND_PAGE_SHIFT);
		const uint32_t number = unwind_table__find(&t, addr);
		const struct unwind_rule theirs = oracle(cfi, addr);

		assert_true(number < rules->nr);
		compare(name, from, addr, &rules->all[number], &theirs, &o);
	}
	check_gaps(&t, cfi, name);
	print_message("%s: %u rows, %u of %u addresses described, %u compared\n", name, t.nr_rows,
		      o.described, o.nr, o.compared);
	assert_int_equal(o.wrong, 0);
	assert_true(o.compared * 100 >= o.described * 90);
	assert_true(o.bad * 1000 <= o.described * 5);
	unwind_table__free(&t);
	dwarf_cfi_end(cfi);
}

static bool check_file(const char *path, struct unwind_rules *rules)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_from from;

	if (fd < 0)
		return false;
	assert_true(elf_from__open(&from, fd, NULL));
	check(path, &from, rules);
	elf_from__close(&from);
	close(fd);
	return true;
}

static void rules_are_those_of_elfutils(void **state)
{
	static const char *const patterns[] = {
		"/lib/*/libc.so.6",
		"/lib64/libc.so.6",
		"/lib/*/ld-linux-*.so.*",
		"/lib/*/libm.so.6",
		"/lib64/libm.so.6",
		"/usr/lib/*/libstdc++.so.6",
		"/usr/lib64/libstdc++.so.6",
		"/bin/bash",
		"/usr/bin/perl",
		"/usr/lib/*/libcrypto.so.*",
		"/usr/lib*/liblzma.so.5",
		"/usr/lib/*/liblzma.so.5",
		"/usr/lib/*/libLLVM-1*.so.1",
		"/usr/bin/gcc",
		"/proc/self/exe",
	};
	struct unwind_rules rules = {};
	unsigned nr = 0;

	(void)state;
	elf_version(EV_CURRENT);
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t found;

		if (!glob(patterns[i], 0, NULL, &found))
			nr += check_file(found.gl_pathv[0], &rules);
		globfree(&found);
	}
	assert_true(nr >= FILES_MIN);
	unwind_rules__free(&rules);
}

static void the_vdso_has_rules(void **state)
{
	struct unwind_rules rules = {};
	struct elf_from from = { .fd = -1 };
	size_t len;
	const void *image = vdso__image(&len);
	char *copy;

	(void)state;
	assert_non_null(image);
	copy = malloc(len);
	memcpy(copy, image, len);
	from.elf = elf_file__open_memory(copy, len);
	check("[vdso]", &from, &rules);
	elf_end(from.elf);
	free(copy);
	unwind_rules__free(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_those_of_elfutils),
		cmocka_unit_test(the_vdso_has_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
