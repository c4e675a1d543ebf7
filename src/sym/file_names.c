// SPDX-License-Identifier: BSD-2-Clause
/* Answers questions from binaries, their debug information, and what JITs write down. */
#include "sym/file_names.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "elf/demangle.h"
#include "sym/binaries.h"
#include "sym/chains.h"
#include "sym/jits.h"

struct file_names {
	bool demangle, places, no_symbols;
	struct binaries *binaries;
	struct chains *chains; /* NULL: not asked for */
	struct jits *jits;
	struct idmap unread; /* files that were not read, or in part */
	uint64_t nr_unstored;
};

struct file_names *file_names__new(const struct file_names_opts *opts,
				   const struct file_source *source)
{
	const struct chains_opts chains = { .demangle = opts->demangle,
					    .inlines = opts->inlines,
					    .lines = opts->lines,
					    .places = opts->places,
					    .trusted_only = opts->trusted_only,
					    .max_bytes = opts->debug_bytes };
	const bool wants_chains =
		(opts->inlines || opts->lines || opts->places) && !opts->no_symbols;
	struct file_names *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	elf_version(EV_CURRENT); /* sets a global of libelf: before there are two threads */
	x->demangle = opts->demangle;
	x->places = opts->places;
	x->no_symbols = opts->no_symbols;
	x->binaries = binaries__new(source, opts->symbol_bytes);
	if (x->binaries)
		x->jits = jits__new(source, binaries__allowance(x->binaries));
	if (wants_chains)
		x->chains = chains__new(&chains);
	if (x->jits && (x->chains || !wants_chains))
		return x;
	file_names__free(x);
	return NULL;
}

void file_names__free(struct file_names *x)
{
	if (!x)
		return;
	jits__free(x->jits);
	chains__free(x->chains);
	binaries__free(x->binaries);
	idmap__free(&x->unread);
	free(x);
}

int file_names__add(struct file_names *x, uint32_t id, const struct file_identity *is)
{
	return binaries__add(x->binaries, id, is);
}

bool file_names__knows(const struct file_names *x, uint32_t id)
{
	return binaries__knows(x->binaries, id);
}

static int put_name(const struct file_names *x, struct file_answer *a, const char *symbol)
{
	a->named = true;
	return x->demangle ? demangle(&a->name, symbol) : buf__puts(&a->name, symbol);
}

static void put_build_id(const struct file_names *x, struct binary *b, struct file_answer *a)
{
	const unsigned char *id;
	size_t len = x->places ? binary__build_id(b, &id) : 0;

	if (!len || len > sizeof(a->build_id))
		return;
	memcpy(a->build_id, id, len);
	a->build_id_len = len;
}

/* @vaddr: file_question.vaddr. */
static int find_in_binary(const struct file_names *x, struct binary *b, uint64_t at, uint64_t vaddr,
			  struct file_answer *a)
{
	struct sym sym;
	bool named;

	a->vaddr = at;
	if (!b)
		return 0;
	if (binary__has_no_code(b)) {
		a->vaddr = vaddr;
		named = binary__find_at(b, vaddr, &sym);
	} else {
		named = binary__find(b, at, &sym, &a->vaddr);
	}
	if (binary__waits(b))
		return -EAGAIN;
	put_build_id(x, b, a);
	a->what = binary__outermost(b, a->vaddr, named ? sym.name : NULL);
	a->in_function = !named && binary__function(b, a->vaddr, &a->function);
	return named ? put_name(x, a, sym.name) : 0;
}

void file_names__ask_binary(const struct file_names *x, struct binary *b, uint64_t at,
			    struct file_answer *a)
{
	file_answer__clear(a);
	a->err = find_in_binary(x, b, at, 0, a);
}

/* What was found by its symbol, by the place where its function begins. */
static void leave_symbol_out(struct binary *b, struct file_answer *a)
{
	buf__clear(&a->name);
	a->in_function = b && binary__function(b, a->vaddr, &a->function);
}

static int find_in_file(struct file_names *x, const struct file_question *q, struct file_answer *a)
{
	struct binary *b;
	bool lacked;
	int err = 0;

	if (binaries__is_fetched(x->binaries, q->file))
		return -EAGAIN;
	/* Before the symbols are read: then the file is closed. */
	if (x->chains)
		err = chains__open_file(x->chains, x->binaries, q->file);
	if (err)
		return err;
	b = binaries__get(x->binaries, q->file);
	lacked = b && binary__lacked_memory(b);
	err = find_in_binary(x, b, q->at, q->vaddr, a);
	if (err == -EAGAIN)
		return err;
	x->nr_unstored += b && !lacked && binary__lacked_memory(b);
	if (x->no_symbols)
		leave_symbol_out(b, a);
	if (!err && x->chains)
		err = chains__find(x->chains, q->file, a->vaddr, &a->name, &a->inlined,
				   &a->nr_inlined, &a->lines);
	a->no_debug_room = x->chains && chains__had_no_room(x->chains, q->file);
	a->named = a->name.len > 0;
	return err;
}

/* The same; notes whether it, or what belongs to it, was not read to its end. */
static int ask_file(struct file_names *x, const struct file_question *q, struct file_answer *a)
{
	const struct allowance *run = binaries__allowance(x->binaries);
	const uint64_t nr_cut = run->nr_files_cut;
	int err = find_in_file(x, q, a);

	if (!err && run->nr_files_cut != nr_cut)
		err = idmap__set(&x->unread, q->file, 1);
	return err;
}

static int find_in_jit(struct file_names *x, const struct file_question *q, struct file_answer *a)
{
	struct sym sym;
	int found = jits__find(x->jits, q->pid, q->life, q->at, &sym, &a->map);

	if (found <= 0)
		return found;
	a->named = true;
	return buf__puts(&a->name, sym.name);
}

static int find_in_read(struct file_names *x, const struct file_question *q, struct file_answer *a)
{
	struct sym sym;

	if (!jits__known(x->jits, q->life, q->at, &sym))
		return 0;
	a->named = true;
	return buf__puts(&a->name, sym.name);
}

void file_names__ask(struct file_names *x, const struct file_question *q, struct file_answer *a)
{
	file_answer__clear(a);
	switch (q->kind) {
	case NAME_IN_FILE:
		a->err = ask_file(x, q, a);
		break;
	case NAME_OF_CODE:
		a->err = find_in_jit(x, q, a);
		break;
	case NAME_OF_READ_CODE:
		a->err = find_in_read(x, q, a);
		break;
	case READ_CODE_ON:
		a->err = jits__look(x->jits, q->pid, q->life);
		break;
	case REOPEN_FILE:
		a->fd = binaries__reopen(x->binaries, q->file);
		break;
	case DUMP_IS_THERE:
		a->err = jits__dump(x->jits, q->life);
		break;
	case LIFE_ENDED:
		jits__end(x->jits, q->life);
		break;
	case FILE_QUESTION_KINDS:
		break;
	}
}

void file_names__gaps(const struct file_names *x, struct file_gaps *out)
{
	*out = (struct file_gaps){
		.nr_unread = x->unread.nr,
		.nr_unstored = x->nr_unstored,
		.nr_maps_cut = jits__nr_maps_cut(x->jits),
		.nr_dumps_cut = jits__nr_dumps_cut(x->jits),
	};
}

void file_answer__clear(struct file_answer *a)
{
	struct buf name = a->name, inlined = a->inlined, lines = a->lines;

	buf__clear(&name);
	buf__clear(&inlined);
	buf__clear(&lines);
	*a = (struct file_answer){ .name = name, .inlined = inlined, .lines = lines, .fd = -1 };
}

void file_answer__free(struct file_answer *a)
{
	buf__free(&a->name);
	buf__free(&a->inlined);
	buf__free(&a->lines);
}
