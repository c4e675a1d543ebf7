// SPDX-License-Identifier: BSD-2-Clause
/* Rules of Go's code are those that Go's linker writes into .debug_frame, as readelf has it. */
#include "../elf_fixture.h"

#include "elf/elf_file.h"
#include "elf/go_frames.h"
#include "unwind/rules.h"
#include "unwind/table.h"

static const char program[] =
	"package main\n"
	"import (\"crypto/md5\"; \"crypto/sha1\"; \"crypto/sha256\"; \"crypto/sha512\")\n"
	"//go:noinline\n"
	"func leaf(n uint64) uint64 { return n * 3 ^ n >> 5 }\n"
	"func main() { b := []byte{1}\n"
	"println(leaf(uint64(len(b))), sha256.Sum256(b)[0], sha1.Sum(b)[0], md5.Sum(b)[0], "
	"sha512.Sum512(b)[0]) }\n";

struct table {
	struct unwind_table t;
	struct unwind_rules rules;
};

/* Compiled packages are kept beside the object files. */
static void build(const struct dir *d, struct table *t)
{
	char path[512] = "", *end;
	struct elf_from from;
	FILE *f;

	snprintf(path, sizeof(path), "%s/m.go", d->path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(program, f);
	assert_int_equal(fclose(f), 0);
	memset(path, 0, sizeof(path));
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	end = strstr(path, "/tests/unit/");
	strcpy(end ? end : path, end ? "/go-cache" : "/tmp");
	must(sh(d,
		"export GO111MODULE=off GOFLAGS= GOTOOLCHAIN=local GOARCH=amd64 CGO_ENABLED=0 "
		"GOCACHE=%s && go build -ldflags=-compressdwarf=false -o full m.go && "
		"go build -ldflags='-s -w' -o lib.so m.go",
		path));
	assert_true(elf_from__open(&from, open(d->lib, O_RDONLY | O_CLOEXEC), NULL));
	assert_int_equal(unwind_table__build(&t->t, &from, &t->rules, 100000), 0);
	close(from.fd);
	elf_from__close(&from);
}

static const struct unwind_rule *rule_at(const struct table *t, uint64_t addr)
{
	return &t->rules.all[unwind_table__find(&t->t, addr)];
}

/* Each row of a function that we have rules of: the canonical frame address. */
static void frames_are_where_readelf_says(void **state)
{
	const struct dir *d = *state;
	unsigned long start = 0, end = 0, at;
	size_t nr_functions = 0, nr_moved = 0;
	struct table t = {};
	char line[512];
	FILE *f;
	int off;

	build(d, &t);
	snprintf(line, sizeof(line), "readelf --debug-dump=frames-interp %s/full 2>/dev/null",
		 d->path);
	f = popen(line, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const char *pc = strstr(line, " FDE ") ? strstr(line, " pc=") : NULL;

		if (pc && sscanf(pc, " pc=%lx..%lx", &start, &end) == 2)
			nr_functions += rule_at(&t, start)->cfa == UNWIND_CFA_SP;
		if (sscanf(line, "%lx rsp+%d", &at, &off) != 2 || at < start || at >= end ||
		    rule_at(&t, start)->cfa != UNWIND_CFA_SP)
			continue;
		nr_moved += off > 8;
		if (rule_at(&t, at)->cfa != UNWIND_CFA_SP || rule_at(&t, at)->cfa_off != off)
			fail_msg("0x%lx: not rsp+%d", at, off);
		assert_int_equal(rule_at(&t, at)->ra, UNWIND_SAVED_AT_CFA);
		assert_int_equal(rule_at(&t, at)->ra_off, -8);
	}
	assert_int_equal(pclose(f), 0);
	assert_true(nr_functions > 1000 && nr_moved > 2000);
	unwind_table__free(&t.t);
	unwind_rules__free(&t.rules);
}

/* The assembler saves it next to the return address, and the frame has been made by then. */
static void the_register_is_saved_in_the_frame(void **state)
{
	const struct dir *d = *state;
	struct table t = {};
	uint64_t block, inside;

	build(d, &t);
	block = nm_address(d, "full", "crypto/sha256.block.*");
	assert_int_equal(rule_at(&t, block)->cfa, UNWIND_CFA_SP);
	assert_int_equal(rule_at(&t, block)->cfa_off, 8);
	assert_int_equal(rule_at(&t, block)->fp, UNWIND_SAVED_SAME);
	inside = block + 2000;
	assert_true(rule_at(&t, inside)->cfa_off > 512);
	assert_int_equal(rule_at(&t, inside)->fp, UNWIND_SAVED_AT_CFA);
	assert_int_equal(rule_at(&t, inside)->fp_off, -16);
	unwind_table__free(&t.t);
	unwind_rules__free(&t.rules);
}

/* A frame pointer leads from a function without a frame to its caller's caller. */
static void compiled_functions_have_rules_with_and_without_a_frame(void **state)
{
	const struct dir *d = *state;
	struct table t = {};
	uint64_t leaf, caller;

	build(d, &t);
	leaf = nm_address(d, "full", "main.leaf");
	for (uint64_t in = 0; in < 8; in += 7) {
		assert_int_equal(rule_at(&t, leaf + in)->cfa, UNWIND_CFA_SP);
		assert_int_equal(rule_at(&t, leaf + in)->cfa_off, 8);
		assert_int_equal(rule_at(&t, leaf + in)->ra, UNWIND_SAVED_AT_CFA);
		assert_int_equal(rule_at(&t, leaf + in)->fp, UNWIND_SAVED_SAME);
	}
	caller = nm_address(d, "full", "main.main");
	assert_int_equal(rule_at(&t, caller)->cfa_off, 8);
	assert_int_equal(rule_at(&t, caller)->fp, UNWIND_SAVED_SAME);
	assert_true(rule_at(&t, caller + 64)->cfa_off > 16);
	assert_int_equal(rule_at(&t, caller + 64)->fp, UNWIND_SAVED_AT_CFA);
	assert_int_equal(rule_at(&t, caller + 64)->fp_off, -16);
	unwind_table__free(&t.t);
	unwind_rules__free(&t.rules);
}

/* It says where the interrupted code's registers are: no function of its own has a frame there. */
static void signals_return_to_code_of_go(void **state)
{
	const struct dir *d = *state;
	struct table t = {};
	uint64_t sigreturn, entry;

	build(d, &t);
	sigreturn = nm_address(d, "full", "runtime.sigreturn.*");
	assert_int_equal(rule_at(&t, sigreturn)->cfa, UNWIND_CFA_SIGNAL);
	assert_true(rule_at(&t, sigreturn)->by_code); /* elfutils has no such rule */
	/* Where a handler returns to, and so what is looked up, is the byte before. */
	assert_int_equal(rule_at(&t, sigreturn - 1)->cfa, UNWIND_CFA_SIGNAL);
	assert_int_not_equal(rule_at(&t, sigreturn - 2)->cfa, UNWIND_CFA_SIGNAL);
	/* Go's .debug_frame has the entry point as a function like any other, with a caller. */
	entry = nm_address(d, "full", "_rt0_amd64_linux");
	assert_int_equal(rule_at(&t, entry)->cfa, UNWIND_CFA_STOP);
	assert_true(rule_at(&t, entry)->by_code);
	/* Who changes to another stack has no rule that tells where it was. */
	assert_int_equal(rule_at(&t, nm_address(d, "full", "runtime.systemstack.abi0"))->cfa,
			 UNWIND_CFA_NONE);
	unwind_table__free(&t.t);
	unwind_rules__free(&t.rules);
}

/* Go's compiler saves it there before it calls them: "mov %rbp,-0x10(%rsp)". */
static void duffs_register_is_saved_by_its_callers(void **state)
{
	static const char *const names[] = { "runtime.duffcopy", "runtime.duffzero" };
	const struct dir *d = *state;
	struct table t = {};

	build(d, &t);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const uint64_t at = nm_address(d, "full", names[i]);

		for (uint64_t in = 0; in < 100; in += 99) {
			assert_int_equal(rule_at(&t, at + in)->cfa, UNWIND_CFA_SP);
			assert_int_equal(rule_at(&t, at + in)->cfa_off, 8);
			assert_int_equal(rule_at(&t, at + in)->fp, UNWIND_SAVED_AT_CFA);
			assert_int_equal(rule_at(&t, at + in)->fp_off, -16);
		}
	}
	unwind_table__free(&t.t);
	unwind_rules__free(&t.rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(frames_are_where_readelf_says),
		IN_DIR(the_register_is_saved_in_the_frame),
		IN_DIR(compiled_functions_have_rules_with_and_without_a_frame),
		IN_DIR(signals_return_to_code_of_go),
		IN_DIR(duffs_register_is_saved_by_its_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
