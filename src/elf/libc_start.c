// SPDX-License-Identifier: BSD-2-Clause
/* Finds the functions that __libc_start_main() and pthread_create() of a C library refer to. */
#include "elf/libc_start.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_code.h"
#include "elf/elf_file.h"
#include "elf/symtab.h"

enum {
	CODE_BYTES_MAX = 16384,
	CALLEES_MAX = 64,  /* of pthread_create() */
	RANGES_MAX = 4096, /* of a file: real ones have a handful */
};

struct library {
	struct outermosts *o;
	const struct elf_from *from;
	struct libc_function *functions; /* by start */
	size_t nr;
	uint8_t *code; /* of the function at hand */
};

/* What a function refers to: a call, or an address taken. */
typedef int reference_fn(struct library *l, const struct libc_function *to, void *arg);

int outermosts__add(struct outermosts *o, uint64_t start, uint64_t end, enum outermost what)
{
	int err;

	if (start >= end || o->nr == RANGES_MAX)
		return 0;
	err = array__grow(&o->ranges, &o->cap, o->nr + 1);
	if (!err)
		o->ranges[o->nr++] = (struct outermost_range){ start, end, what };
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct libc_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static struct libc_function *function_at(const struct library *l, uint64_t start)
{
	const struct libc_function key = { .start = start };

	return l->nr ? bsearch(&key, l->functions, l->nr, sizeof(key), by_start) : NULL;
}

static bool is_call(const uint8_t *code, size_t i)
{
	return i >= 1 && code[i - 1] == 0xe8;
}

/* lea offset(%rip),reg */
static bool is_lea(const uint8_t *code, size_t i)
{
	return i >= 3 && (code[i - 3] == 0x48 || code[i - 3] == 0x4c) && code[i - 2] == 0x8d &&
	       (code[i - 1] & 0xc7) == 0x05;
}

/*
 * Calls @fn for each operand that leads to the first byte of a function. Code is not decoded: any
 * four bytes may be the operand. By chance one fits once in some million bytes.
 */
static int each_reference(struct library *l, const struct libc_function *of,
			  bool (*is_operand)(const uint8_t *code, size_t i), reference_fn *fn,
			  void *arg)
{
	uint64_t len = of->end - of->start;
	const struct libc_function *to;
	int err = 0;

	if (len > CODE_BYTES_MAX || !elf_code__read(l->from, of->start, l->code, len))
		return 0;
	for (size_t i = 0; i + 4 <= len && !err; i++) {
		uint32_t distance;

		if (!is_operand(l->code, i))
			continue;
		memcpy(&distance, l->code + i, sizeof(distance));
		to = function_at(l, of->start + i + 4 + (int64_t)(int32_t)le32toh(distance));
		if (to)
			err = fn(l, to, arg);
	}
	return err;
}

static int add_start(struct library *l, const struct libc_function *to, void *arg)
{
	(void)arg;
	return to->is_exported ? 0 : outermosts__add(l->o, to->start, to->end, OUTERMOST_START);
}

struct callees {
	const struct libc_function *by[CALLEES_MAX];
	size_t nr;
};

static int take_callee(struct library *l, const struct libc_function *to, void *arg)
{
	struct callees *c = arg;

	(void)l;
	if (!to->is_exported && c->nr < CALLEES_MAX)
		c->by[c->nr++] = to;
	return 0;
}

/* What pthread_create() starts; the address may be taken one call further in. */
static int add_thread_start(struct library *l, const struct libc_function *create)
{
	struct callees callees = {};
	int err = each_reference(l, create, is_call, take_callee, &callees);

	if (!err)
		err = each_reference(l, create, is_lea, add_start, NULL);
	for (size_t i = 0; i < callees.nr && !err; i++)
		err = each_reference(l, callees.by[i], is_lea, add_start, NULL);
	return err;
}

struct wanted {
	struct libc_function *start_main, *create;
};

/* Marks what other files can call by name, and finds the two that all begins with. */
static void read_exports(struct library *l, struct wanted *w)
{
	struct elf_strings strings;
	struct elf_window window;
	struct libc_function *f;
	GElf_Shdr shdr;
	GElf_Sym sym;
	const char *name;
	size_t len;

	if (!elf_file__section_of_type(l->from->elf, SHT_DYNSYM, &shdr))
		return;
	strings = elf_strings__of(l->from->elf, shdr.sh_link);
	elf_window__begin(&window, l->from, &shdr, ELF_T_SYM, SYMTAB_MAX * sizeof(Elf64_Sym));
	while (elf_window__next(&window)) {
		for (size_t i = 0; i < window.nr; i++) {
			sym = elf_window__sym(&window, i);
			f = sym.st_shndx == SHN_UNDEF ? NULL : function_at(l, sym.st_value);
			if (!f)
				continue;
			f->is_exported = true;
			name = elf_strings__get(&strings, sym.st_name, &len);
			if (name && !strcmp(name, "__libc_start_main"))
				w->start_main = f;
			if (name && !strcmp(name, "pthread_create"))
				w->create = f;
		}
	}
}

/* Its first byte is a return address, and looked up one byte before. */
static int add_context_end(struct library *l)
{
	int err = 0;

	for (size_t i = 0; i < l->nr && !err; i++) {
		const struct libc_function *f = &l->functions[i];

		if (f->start && elf_code__ends_context(l->from, EM_X86_64, f->start, f->end))
			err = outermosts__add(l->o, f->start - 1, f->end, OUTERMOST_ROOT);
	}
	return err;
}

static int read_library(struct library *l)
{
	struct wanted w = {};
	int err = 0;

	qsort(l->functions, l->nr, sizeof(*l->functions), by_start);
	read_exports(l, &w);
	if (w.start_main)
		err = outermosts__add(l->o, w.start_main->start, w.start_main->end,
				      OUTERMOST_START);
	if (!err && w.start_main)
		err = each_reference(l, w.start_main, is_call, add_start, NULL);
	if (!err && w.create)
		err = add_thread_start(l, w.create);
	return err ? err : add_context_end(l);
}

bool libc_start__is_needed(const GElf_Ehdr *header)
{
	return header->e_machine == EM_X86_64;
}

int libc_start__add(struct outermosts *o, const struct elf_from *from, struct libc_function *by,
		    size_t nr)
{
	struct library l = { .o = o, .from = from, .functions = by, .nr = nr };
	int err;

	if (!nr)
		return 0;
	l.code = malloc(CODE_BYTES_MAX);
	if (!l.code)
		return -ENOMEM;
	err = read_library(&l);
	free(l.code);
	return err;
}
