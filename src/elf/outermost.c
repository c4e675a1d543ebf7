// SPDX-License-Identifier: BSD-2-Clause
/* Collects the code that has no caller: by unwind rules, entry point and known names. */
#include "elf/outermost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/elf_code.h"
#include "elf/elf_file.h"
#include "elf/libc_start.h"

enum {
	FUNCTIONS_MAX = 65536, /* of a C library: glibc has 4000 */
	ENTRY_BYTES = 128,     /* of the code at the entry point, if no FDE tells */
	DYNAMIC_MAX = 4096,    /* entries of .dynamic looked at */
};

struct reading {
	struct outermosts *o;
	const struct elf_from *from;
	unsigned machine;
	bool wants_functions;
	struct libc_function *functions;
	size_t nr, cap;
	uint64_t entry;
	bool has_entry;	    /* its unwind rule says that it has no caller */
	uint64_t entry_end; /* else: where its code ends */
};

static int take_root(const struct eh_function *f, void *arg)
{
	struct reading *r = arg;
	uint64_t start;

	r->has_entry |= f->root_start <= r->entry && r->entry < f->root_end;
	if (r->wants_functions && r->nr < FUNCTIONS_MAX) {
		int err = array__grow(&r->functions, &r->cap, r->nr + 1);

		if (err)
			return err;
		r->functions[r->nr++] = (struct libc_function){ f->start, f->end, false };
	}
	if (f->root_start < f->root_end &&
	    elf_code__behind_clone(r->from, r->machine, f->root_start, &start)) {
		int err = outermosts__add(r->o, start, f->root_start, OUTERMOST_IF_ALONE);

		if (err)
			return err;
	}
	return outermosts__add(r->o, f->root_start, f->root_end, OUTERMOST_ROOT);
}

/* The entry point's code ends where the next function begins. */
static int find_entry_end(const struct eh_function *f, void *arg)
{
	struct reading *r = arg;

	if (f->start > r->entry && f->start < r->entry_end)
		r->entry_end = f->start;
	return 0;
}

/* Most often _start says itself that it has no caller. */
static int add_entry(struct reading *r, const struct elf_from *from)
{
	int err;

	if (!r->entry || r->has_entry || r->entry > UINT64_MAX - ENTRY_BYTES)
		return 0;
	r->entry_end = r->entry + ENTRY_BYTES;
	err = eh_frame__read(from, false, find_entry_end, r);
	return err ? err : outermosts__add(r->o, r->entry, r->entry_end, OUTERMOST_ROOT);
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

enum { SONAME_BYTES = 16 }; /* what tells a C library */

struct dynamic {
	char soname[SONAME_BYTES + 1]; /* its beginning */
	bool has_soname, needs_others;
};

/* Not by elf_strptr(): that keeps all strings of the file in memory, 2.6 MB of libLLVM. */
static bool read_soname(struct dynamic *d, const struct elf_from *from, size_t strings, uint64_t at)
{
	GElf_Shdr shdr;
	size_t len;

	if (!gelf_getshdr(elf_getscn(from->elf, strings), &shdr) ||
	    !elf_bytes__section(&shdr, ELF_STRINGS_BYTES_MAX) || at >= shdr.sh_size)
		return false;
	len = shdr.sh_size - at < SONAME_BYTES ? shdr.sh_size - at : SONAME_BYTES;
	return elf_bytes__read(from, shdr.sh_offset + at, d->soname, len);
}

static struct dynamic read_dynamic(const struct elf_from *from)
{
	struct dynamic d = {};
	GElf_Shdr shdr;
	GElf_Dyn dyn;
	Elf_Data *data =
		elf_from__data(from, elf_file__section_of_type(from->elf, SHT_DYNAMIC, &shdr),
			       DYNAMIC_MAX * sizeof(GElf_Dyn));

	for (int i = 0; data && i < DYNAMIC_MAX && gelf_getdyn(data, i, &dyn); i++) {
		if (dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag == DT_SONAME && !d.has_soname)
			d.has_soname = read_soname(&d, from, shdr.sh_link, dyn.d_un.d_val);
		d.needs_others |= dyn.d_tag == DT_NEEDED;
	}
	return d;
}

/* A C library or its loader; or a program that one is statically linked into. */
static bool is_libc(const struct dynamic *d)
{
	return d->has_soname ? begins(d->soname, "libc.") || begins(d->soname, "libpthread.") ||
				       begins(d->soname, "ld-")
			     : !d->needs_others;
}

bool outermosts__is_libc(const struct elf_from *from)
{
	const struct dynamic d = read_dynamic(from);

	return is_libc(&d);
}

static int by_start(const void *a, const void *b)
{
	const struct outermost_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int outermosts__read(struct outermosts *o, const struct elf_from *from)
{
	struct reading r = { .o = o, .from = from };
	struct dynamic d;
	GElf_Ehdr header;
	int err;

	if (!gelf_getehdr(from->elf, &header))
		return 0;
	r.machine = header.e_machine;
	d = read_dynamic(from);
	o->is_libc = is_libc(&d);
	/* Older linkers let the entry point of a library be the first code that there is. */
	if (!d.has_soname || o->is_libc)
		r.entry = header.e_entry;
	r.wants_functions = o->is_libc && libc_start__is_needed(&header);
	err = eh_frame__read(from, !r.wants_functions, take_root, &r);
	if (!err)
		err = add_entry(&r, from);
	if (!err)
		err = libc_start__add(o, from, r.functions, r.nr);
	free(r.functions);
	if (o->nr)
		qsort(o->ranges, o->nr, sizeof(*o->ranges), by_start);
	return err;
}

void outermosts__free(struct outermosts *o)
{
	free(o->ranges);
	*o = (struct outermosts){};
}

/* Ranges do not overlap in files that make sense; in others the one that starts last counts. */
static enum outermost in_ranges(const struct outermosts *o, uint64_t vaddr)
{
	size_t lo = 0, hi = o->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->ranges[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && vaddr < o->ranges[lo - 1].end ? o->ranges[lo - 1].what : OUTERMOST_NOT;
}

static enum outermost by_name(const char *name, bool is_libc)
{
	static const struct {
		const char *name;
		enum outermost what;
		bool of_libc; /* others may have a function of this name that means nothing */
	} known[] = {
		{ "_start", OUTERMOST_ROOT, false },
		{ "_rt0_amd64", OUTERMOST_ROOT, false },
		{ "_rt0_amd64_linux", OUTERMOST_ROOT, false },
		{ "_rt0_arm64_linux", OUTERMOST_ROOT, false },
		{ "runtime.goexit", OUTERMOST_ROOT, false },
		{ "runtime.goexit.abi0", OUTERMOST_ROOT, false },
		{ "runtime.mstart", OUTERMOST_ROOT, false },
		{ "runtime.mstart.abi0", OUTERMOST_ROOT, false },
		{ "runtime.mcall", OUTERMOST_ROOT, false },
		{ "runtime.mcall.abi0", OUTERMOST_ROOT, false },
		{ "runtime.morestack", OUTERMOST_ROOT, false },
		{ "runtime.morestack.abi0", OUTERMOST_ROOT, false },
		{ "runtime.systemstack", OUTERMOST_ROOT, false },
		{ "runtime.systemstack.abi0", OUTERMOST_ROOT, false },
		{ "runtime.asmcgocall", OUTERMOST_ROOT, false },
		{ "runtime.asmcgocall.abi0", OUTERMOST_ROOT, false },
		{ "runtime.cgocallback", OUTERMOST_ROOT, false },
		{ "runtime.cgocallback.abi0", OUTERMOST_ROOT, false },
		{ "runtime.rt0_go", OUTERMOST_ROOT, false },
		{ "runtime.rt0_go.abi0", OUTERMOST_ROOT, false },
		{ "_dl_start_user", OUTERMOST_ROOT, true },
		{ "clone", OUTERMOST_IF_CALLED, true },
		{ "__clone", OUTERMOST_IF_CALLED, true },
		{ "clone3", OUTERMOST_IF_CALLED, true },
		{ "__clone3", OUTERMOST_IF_CALLED, true },
		{ "__libc_start_main", OUTERMOST_START, true },
		{ "__libc_start_main_impl", OUTERMOST_START, true },
		{ "__libc_start_call_main", OUTERMOST_START, true },
		{ "generic_start_main", OUTERMOST_START, true },
		{ "libc_start_main_stage2", OUTERMOST_START, true },
		{ "start_thread", OUTERMOST_START, true },
	};
	size_t len = strcspn(name, "@"); /* __libc_start_main@GLIBC_2.2.5 */

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(known[i].name, name, len) && !known[i].name[len])
			return is_libc || !known[i].of_libc ? known[i].what : OUTERMOST_NOT;
	return OUTERMOST_NOT;
}

enum outermost outermosts__find(const struct outermosts *o, uint64_t vaddr, const char *name)
{
	enum outermost what = in_ranges(o, vaddr);

	return what == OUTERMOST_NOT && name ? by_name(name, o->is_libc) : what;
}
