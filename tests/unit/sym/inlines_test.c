// SPDX-License-Identifier: BSD-2-Clause
/* Inlined functions and lines of programs built in many ways, held against elfutils. */
#include <dirent.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "elf/demangle.h"
#include "elf/elf_file.h"
#include "sym/inlines.h"

enum { DEPTH_MAX = 256 };

/* A function with code, as elfutils lists them. */
struct theirs_function {
	Dwarf_Addr low, high;
	Dwarf_Die die, unit;
};

struct theirs {
	Dwarf *dwarf;
	unsigned nr_type_units;
	struct theirs_function *all;
	size_t nr, cap;
};

struct source_line {
	const char *path;
	int line;
};

static void add_function(struct theirs *t, Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		assert_int_equal(array__grow(&t->all, &t->cap, t->nr + 1), 0);
		t->all[t->nr++] = (struct theirs_function){ low, high, *die, *unit };
	}
}

static void add_below(struct theirs *t, Dwarf_Die *parent, Dwarf_Die *unit)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			add_function(t, &die, unit);
		add_below(t, &die, unit);
	} while (!dwarf_siblingof(&die, &die));
}

static void add_units(struct theirs *t)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (!dwarf_get_units(t->dwarf, cu, &cu, NULL, &type, &die, &split)) {
		t->nr_type_units += type == DW_UT_type;
		if (dwarf_tag(&die) != DW_TAG_compile_unit &&
		    dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		add_below(t, split.addr ? &split : &die, &die);
	}
}

/* The entries that the address is in, the outermost first. */
static unsigned enter(Dwarf_Die *parent, Dwarf_Addr addr, Dwarf_Die *chain, unsigned nr)
{
	Dwarf_Die die;
	int tag;

	if (dwarf_child(parent, &die))
		return nr;
	do {
		tag = dwarf_tag(&die);
		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) ||
		    dwarf_haspc(&die, addr) <= 0)
			continue;
		assert_true(nr < DEPTH_MAX);
		if (tag == DW_TAG_inlined_subroutine)
			chain[nr++] = die;
		return enter(&die, addr, chain, nr);
	} while (!dwarf_siblingof(&die, &die));
	return nr;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	return name ? name : dwarf_diename(die);
}

static struct source_line place_of(Dwarf_Die *unit, Dwarf_Addr addr)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
	struct source_line p = {};

	if (line && !dwarf_lineno(line, &p.line))
		p.path = dwarf_linesrc(line, NULL, NULL);
	return p;
}

static struct source_line call_of(Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	size_t nr;

	if (dwarf_attr(inlined, DW_AT_call_file, &attr))
		dwarf_formudata(&attr, &file);
	if (dwarf_attr(inlined, DW_AT_call_line, &attr))
		dwarf_formudata(&attr, &line);
	if (dwarf_getsrcfiles(unit, &files, &nr))
		return (struct source_line){ NULL, line };
	return (struct source_line){ dwarf_filesrc(files, file, NULL, NULL), line };
}

static const char *comp_dir_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *dir = NULL;

	if (dwarf_attr(unit, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	return dir ? dir : "";
}

/*
 * Whole, as elfutils leaves some relative to where they were compiled; and without what is only
 * another way to write the same path.
 */
static const char *plain_path(const char *path, const char *dir, char *buf, size_t len)
{
	size_t n = *path == '/' ? 0 : snprintf(buf, len, "%s/", dir);

	for (; *path && n + 1 < len; path++)
		if (!strncmp(path, "/./", 3))
			path++;
		else
			buf[n++] = *path;
	buf[n] = '\0';
	return buf;
}

static bool is_same(const struct inlined_frame *ours, Dwarf_Die *die,
		    const struct source_line *place, const char *dir)
{
	char left[PATH_MAX], right[PATH_MAX];
	const char *name = name_of(die);
	struct buf readable = {};
	bool same;

	if (name)
		assert_int_equal(demangle(&readable, name), 0);
	same = name ? ours->name && !strcmp(ours->name, readable.data) : !ours->name;
	buf__free(&readable);
	if (!same || ours->line != (uint32_t)place->line)
		return false;
	if (!place->path || !ours->path)
		return !place->path == !ours->path;
	return !strcmp(plain_path(ours->path, "", left, sizeof(left)),
		       plain_path(place->path, dir, right, sizeof(right)));
}

/* Where the function begins: elfutils follows origins in an order of its own. */
static bool is_same_start(const struct inlined_frame *ours, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word line = 0;

	if (dwarf_attr_integrate(die, DW_AT_decl_line, &attr))
		(void)dwarf_formudata(&attr, &line);
	return ours->start_line == line;
}

static void explain(const struct inlined_chain *ours, unsigned i, Dwarf_Die *die,
		    const struct source_line *place)
{
	print_message("frame %u of %zu: %s %s:%u (from %u), elfutils: %s %s:%d\n", i, ours->nr,
		      ours->frames[i].name ? ours->frames[i].name : "-",
		      ours->frames[i].path ? ours->frames[i].path : "-", ours->frames[i].line,
		      ours->frames[i].start_line, name_of(die), place->path ? place->path : "-",
		      place->line);
}

static bool is_same_chain(const struct inlined_chain *ours, struct theirs_function *f,
			  Dwarf_Addr addr, bool loud)
{
	struct source_line place = place_of(&f->unit, addr);
	Dwarf_Die chain[DEPTH_MAX];
	unsigned nr;

	chain[0] = f->die;
	nr = enter(&f->die, addr, chain, 1);
	if (nr != ours->nr)
		return false;
	for (unsigned i = 0; i < nr; i++) {
		Dwarf_Die *die = &chain[nr - 1 - i];

		if (ours->frames[i].inlined != (i + 1 < nr) ||
		    !is_same_start(&ours->frames[i], die) ||
		    !is_same(&ours->frames[i], die, &place, comp_dir_of(&f->unit))) {
			if (loud)
				explain(ours, i, die, &place);
			return false;
		}
		place = call_of(&f->unit, die);
	}
	return true;
}

struct outcome {
	unsigned nr, inlined, wrong;
};

/* One function may be there several times, by the linker's doing: ours is one of them. */
static void compare(struct inlines *x, struct theirs *t, Dwarf_Addr addr, const char *name,
		    struct outcome *o)
{
	struct inlined_chain ours = {};
	bool covered = false, same = false;
	int err = inlines__find(x, addr, &ours);

	for (size_t i = 0; i < t->nr && !same; i++)
		if (t->all[i].low <= addr && addr < t->all[i].high) {
			covered = true;
			same = is_same_chain(&ours, &t->all[i], addr, o->wrong < 5);
		}
	if (covered) {
		o->nr++;
		o->inlined += ours.nr > 1;
	} else {
		same = err == -ENOENT || (ours.nr == 1 && !ours.frames[0].name);
	}
	if (!same && o->wrong++ < 5)
		print_message("%s: %#llx: %zu frames, %s %s:%u\n", name, (unsigned long long)addr,
			      ours.nr, ours.nr && ours.frames[0].name ? ours.frames[0].name : "-",
			      ours.nr && ours.frames[0].path ? ours.frames[0].path : "-",
			      ours.nr ? ours.frames[0].line : 0);
	free(ours.frames);
}

static void check_text(const char *path, struct inlines *x, struct theirs *t, Elf *elf,
		       unsigned step)
{
	struct outcome o = {};
	GElf_Shdr text;

	assert_non_null(elf_file__section_named(elf, ".text", &text));
	for (uint64_t at = 0; at < text.sh_size; at += step)
		compare(x, t, text.sh_addr + at, path, &o);
	print_message("%s: %u addresses, %u with inlined functions\n", path, o.nr, o.inlined);
	assert_int_equal(o.wrong, 0);
	assert_true(o.nr > 0 && o.inlined * 10 > o.nr);
}

/* Each @step-th byte of the file's code. @debug: where its debug information is. */
static void check_file(const char *path, const char *debug, unsigned step)
{
	struct debug_places places = { .root = "", .path = path };
	const struct inlines_opts opts = { .others = { .open = debug_places__open, .arg = &places },
					   .starts = true };
	int fd = open(path, O_RDONLY | O_CLOEXEC), debug_fd = open(debug, O_RDONLY | O_CLOEXEC);
	struct theirs theirs = { .dwarf = dwarf_begin(debug_fd, DWARF_C_READ) };
	struct elf_from from;
	struct inlines *x;

	assert_non_null(theirs.dwarf);
	add_units(&theirs);
	assert_true(theirs.nr > 0);
	/* Types in units of their own: what is inlined are also members of those. */
	if (strstr(path, "types") && !strstr(path, "split")) /* it lists the program's */
		assert_true(theirs.nr_type_units > 10);
	assert_true(elf_from__open(&from, fd, NULL));
	assert_int_equal(inlines__open(&x, &from, &opts), 0);
	check_text(path, x, &theirs, from.elf, step);
	inlines__close(x);
	elf_from__close(&from);
	free(theirs.all);
	dwarf_end(theirs.dwarf);
	close(debug_fd);
	close(fd);
}

/* $O, out of our own path in it: $O/tests/unit/sym/inlines_test. */
static void build_dir(char *path, size_t len)
{
	ssize_t n = readlink("/proc/self/exe", path, len - 1);

	assert_true(n > 0);
	path[n] = '\0';
	for (int up = 0; up < 4; up++)
		*strrchr(path, '/') = '\0';
}

/*
 * Of several units in a .dwo elfutils 0.188 looks at the first one alone, a type. The same code was
 * built without these, too: gcc-split-types-5 is gcc-split-5.
 */
static void find_twin(const char *path, char *twin, size_t len)
{
	static const char types[] = "-split-types";
	const char *at = strstr(path, types);

	if (at)
		snprintf(twin, len, "%.*s-split%s", (int)(at - path), path, at + strlen(types));
}

static void programs_built_in_many_ways(void **state)
{
	char dir[PATH_MAX - 512], path[PATH_MAX], debug[PATH_MAX + 8];
	struct dirent *entry;
	unsigned nr = 0;
	DIR *programs;

	(void)state;
	build_dir(dir, sizeof(dir));
	strcat(dir, "/tests/inlined");
	programs = opendir(dir);
	assert_non_null(programs);
	while ((entry = readdir(programs))) {
		if (strchr(entry->d_name, '.'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		snprintf(debug, sizeof(debug), "%s.debug", path);
		find_twin(path, debug, sizeof(debug));
		check_file(path, access(debug, R_OK) ? path : debug, 5);
		nr++;
	}
	closedir(programs);
	assert_true(nr >= INLINED_NR);
}

/* C, of many units: this very program. */
static void this_program(void **state)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	(void)state;
	assert_true(n > 0);
	path[n] = '\0';
	check_file(path, path, 101);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_built_in_many_ways),
		cmocka_unit_test(this_program),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
