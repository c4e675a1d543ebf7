// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where functions are left: of assembly, in which labels x0, x1, .. stand at the instructions that
 * are to be found. nm tells where these are.
 */
#include "elf_fixture.h"

#include <errno.h>

#include "elf/exits.h"
#include "elf/hazards.h"

static struct elf_image img;
static struct elf_names names;
static struct exits found;
static struct buf why;

/* The functions of x86-64. .L labels are no symbols. */
static const char assembly[] =
	".text\n"
	".macro f name\n.globl \\name\n.type \\name, @function\n\\name:\n.endm\n"
	".macro end name\n.size \\name, .-\\name\n.endm\n"
	"f plain\n test %edi, %edi\n je .L1\nx0: ret\n.L1: call other\nx1: ret\n end plain\n"
	"f leaf\n lea 1(%rdi), %eax\nx2: ret\n end leaf\n"
	"f tail\n pop %rbx\nx3: jmp other\n end tail\n"
	"f branch\n test %edi, %edi\nx4: jne other\nx5: ret\n end branch\n"
	"f unlikely\n test %edi, %edi\n je unlikely.cold\nx6: ret\n.L2: jmp .L3\n.L3: nop\n"
	"x7: ret\n end unlikely\n"
	"f near\n test %edi, %edi\nx16: je behind\nx17: ret\n end near\n"
	"f behind\n nop\n ret\n end behind\n"
	"f other\n nop\nx8: ret\n end other\n"
	"f never\n call abort@plt\n end never\n"
	"f virtual\n mov (%rdi), %rax\nx9: jmp *8(%rax)\n end virtual\n"
	"f table\n movslq (%rdx,%rax,4), %rax\n add %rdx, %rax\n jmp *%rax\nx10: ret\n end table\n"
	"f again\n dec %edi\nx11: jne again\nx12: ret\n end again\n"
	"f odd\n jrcxz other\n ret\n end odd\n"
	"f data\n ret\n .byte 0x06\n ret\n end data\n"
	"f go\n cmp 0x10(%r14), %rsp\n jbe .L4\nx13: sub $8, %rsp\n add $8, %rsp\nx14: ret\n"
	".L4: call other\n jmp go\n end go\n"
	".section .text.unlikely, \"ax\"\n"
	".type unlikely.cold, @function\nunlikely.cold: nop\n jmp .L2\nx15: ret\n"
	".size unlikely.cold, .-unlikely.cold\n";

static int open_library(void **state)
{
	struct dir *d;
	char path[128];
	FILE *f;

	if (make_dir(state))
		return -1;
	d = *state;
	snprintf(path, sizeof(path), "%s/a.s", d->path);
	f = fopen(path, "w");
	if (!f || fputs(assembly, f) < 0 || fclose(f))
		return -1;
	if (sh(d, "test $(uname -m) = x86_64 && cc -shared -nostdlib -Wl,-Bsymbolic -o lib.so a.s"))
		return 0;
	if (elf_image__open(&img, d->lib, &why))
		return -1;
	return elf_names__read(&names, &img, &(struct opener){});
}

static int close_library(void **state)
{
	exits__free(&found);
	elf_names__free(&names);
	elf_image__close(&img);
	buf__free(&why);
	return remove_dir(state);
}

static uint64_t offset_of(const char *name)
{
	for (size_t i = 0; i < names.nr; i++)
		if (!strcmp(strtab__get(names.strings, names.items[i].name), name))
			return names.items[i].offset;
	fail_msg("no symbol %s", name);
	return 0;
}

static int find(const char *function)
{
	if (!names.nr)
		skip();
	exits__free(&found);
	buf__clear(&why);
	return exits__find(&found, &img, &names, offset_of(function), &why);
}

static void assert_exit(size_t i, const char *label, int condition, bool unsure)
{
	assert_true(i < found.nr);
	assert_int_equal(found.items[i].offset, offset_of(label));
	assert_int_equal(found.items[i].condition, condition);
	assert_int_equal(found.items[i].unsure, unsure);
}

static void returns_are_exits(void **state)
{
	assert_int_equal(find("plain"), 0);
	assert_int_equal(found.nr, 2);
	assert_exit(0, "x0", INSN_ALWAYS, false);
	assert_exit(1, "x1", INSN_ALWAYS, false);
	assert_false(found.items[0].jump);
	assert_true(found.calls);
	assert_int_equal(found.entry, offset_of("plain"));
	assert_int_equal(find("leaf"), 0);
	assert_int_equal(found.nr, 1);
	assert_exit(0, "x2", INSN_ALWAYS, false);
	assert_false(found.calls);
}

static void jumps_to_others_are_exits(void **state)
{
	assert_int_equal(find("tail"), 0);
	assert_int_equal(found.nr, 1);
	assert_exit(0, "x3", INSN_ALWAYS, false);
	assert_true(found.items[0].jump);
	assert_true(found.calls);
	assert_int_equal(find("branch"), 0);
	assert_int_equal(found.nr, 2);
	assert_exit(0, "x4", 5, false);
	assert_exit(1, "x5", INSN_ALWAYS, false);
	/* Also to one that begins where this one ends. */
	assert_int_equal(find("near"), 0);
	assert_int_equal(found.nr, 2);
	assert_exit(0, "x16", 4, false);
	assert_exit(1, "x17", INSN_ALWAYS, false);
	assert_int_equal(find("virtual"), 0);
	assert_int_equal(found.nr, 1);
	assert_exit(0, "x9", INSN_ALWAYS, true);
}

static void a_cold_part_is_of_the_function(void **state)
{
	assert_int_equal(find("unlikely"), 0);
	assert_int_equal(found.nr, 3);
	assert_exit(0, "x6", INSN_ALWAYS, false);
	assert_exit(1, "x7", INSN_ALWAYS, false);
	assert_exit(2, "x15", INSN_ALWAYS, false);
}

static void a_table_stays_in_the_function(void **state)
{
	assert_int_equal(find("table"), 0);
	assert_int_equal(found.nr, 1);
	assert_exit(0, "x10", INSN_ALWAYS, false);
}

static void a_jump_to_its_own_beginning_is_a_call(void **state)
{
	assert_int_equal(find("again"), 0);
	assert_int_equal(found.nr, 2);
	assert_exit(0, "x11", 5, true);
	assert_exit(1, "x12", INSN_ALWAYS, false);
}

static void go_begins_behind_the_check_of_its_stack(void **state)
{
	assert_int_equal(find("go"), 0);
	assert_int_equal(found.entry, offset_of("x13"));
	assert_int_equal(found.nr, 1);
	assert_exit(0, "x14", INSN_ALWAYS, false);
}

static void what_cannot_be_found_is_told(void **state)
{
	assert_int_equal(find("never"), -EOPNOTSUPP);
	assert_non_null(strstr(why.data, "it never returns"));
	assert_int_equal(find("odd"), -EOPNOTSUPP);
	assert_non_null(strstr(why.data, "a condition that cannot be told"));
	assert_int_equal(find("data"), -EOPNOTSUPP);
	assert_non_null(strstr(why.data, "data+0x1 is not known to the decoder"));
}

static unsigned hazards_of_library(struct dir *d)
{
	unsigned hazards;

	elf_names__free(&names);
	elf_image__close(&img);
	names = (struct elf_names){};
	assert_int_equal(elf_image__open(&img, d->lib, &why), 0);
	assert_int_equal(elf_names__read(&names, &img, &(struct opener){}), 0);
	hazards = hazards__of(&img, &names);
	return hazards;
}

/* What a compiler and its libraries leave in a file. */
static void files_tell_what_return_probes_break(void **state)
{
	struct dir *d = *state;

	if (!names.nr)
		skip();
	assert_int_equal(hazards_of_library(d), 0);
	must(sh(d, "printf 'int f(void) { return 1; }' >p.c && cc -shared -fPIC -o lib.so p.c"));
	assert_int_equal(hazards_of_library(d), 0);
	must(sh(d,
		"printf '#include <ucontext.h>\\nint f(ucontext_t *a) { return swapcontext(a, a); "
		"}' >p.c && cc -shared -fPIC -o lib.so p.c"));
	assert_int_equal(hazards_of_library(d), HAZARD_STACKS);
	must(sh(d, "printf '.section .go.buildinfo, \"a\"\\n.ascii \"\\\\377 Go "
		   "buildinf:\"\\n.byte 8, 2\\n' >g.s && cc -shared -nostdlib -Wl,-Bsymbolic -o "
		   "lib.so g.s a.s"));
	assert_int_equal(hazards_of_library(d), HAZARD_GO);
	assert_true(hazards__is_recent_go(&img));
	must(sh(d, "c++ --version"));
	must(sh(d, "printf 'int f(int n) { if (n) throw n; return 1; }' >p.cc && "
		   "c++ -shared -fPIC -o lib.so p.cc"));
	assert_int_equal(hazards_of_library(d), HAZARD_EXCEPTIONS);
}

#define T(test) cmocka_unit_test_setup_teardown(test, open_library, close_library)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(returns_are_exits),
		T(jumps_to_others_are_exits),
		T(a_cold_part_is_of_the_function),
		T(a_table_stays_in_the_function),
		T(a_jump_to_its_own_beginning_is_a_call),
		T(go_begins_behind_the_check_of_its_stack),
		T(what_cannot_be_found_is_told),
		T(files_tell_what_return_probes_break),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
