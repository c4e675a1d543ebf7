// SPDX-License-Identifier: BSD-2-Clause
/* Decodes how the stack pointer moves, and looks in the code for where the register is saved. */
#include "elf/go_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_code.h"
#include "elf/gopclntab.h"

enum {
	FUNCTIONS_MAX = 1 << 20,
	MOVES_BYTES = 1024, /* of a function */
	FRAME_BYTES_MAX = 1 << 20,
	SAVING_BYTES = 8, /* of the longest instruction that saves the register */
};

struct reader {
	const struct elf_from *from;
	struct gopclntab table;
	go_frame_fn *fn;
	void *arg;
	struct elf_part moves, code;
	uint64_t code_at; /* address of the part's first byte */
	unsigned nr;	  /* functions looked at */
};

struct bytes {
	const unsigned char *all;
	size_t nr, at;
};

static bool read_varint(struct bytes *b, uint32_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 32 && b->at < b->nr; shift += 7) {
		const unsigned char byte = b->all[b->at++];

		*v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Pairs: a difference to the value before, of either sign; for how much code that holds. */
static bool decode_moves(struct go_frame *f, struct bytes *b, unsigned code_bytes)
{
	uint64_t addr = f->start;
	uint32_t diff = 0, code = 0;
	int64_t moved = -1;

	while (read_varint(b, &diff) && (diff || !f->nr)) {
		moved += diff & 1 ? ~(int64_t)(diff >> 1) : (int64_t)(diff >> 1);
		if (f->nr == GO_FRAME_MOVES || moved < 0 || moved > FRAME_BYTES_MAX ||
		    !read_varint(b, &code) || code > (f->end - addr) / code_bytes)
			return false;
		f->moves[f->nr++] = (struct go_move){ addr, moved };
		addr += (uint64_t)code * code_bytes;
	}
	return f->nr;
}

static bool read_moves(struct reader *r, const struct go_function *in, struct go_frame *f)
{
	const struct gopclntab *t = &r->table;
	struct bytes b = {};

	if (!in->moves || in->moves >= t->moves_len)
		return false;
	b.nr = t->moves_len - in->moves < MOVES_BYTES ? t->moves_len - in->moves : MOVES_BYTES;
	b.all = elf_part__look(&r->moves, in->moves, b.nr);
	return b.all && decode_moves(f, &b, t->code_bytes);
}

/* NULL: no such code. */
static const uint8_t *look_at_code(struct reader *r, uint64_t addr, size_t len)
{
	struct elf_part *c = &r->code;

	if (addr < r->code_at || addr - r->code_at >= c->len) {
		*c = (struct elf_part){ .from = r->from };
		r->code_at = addr;
		c->len = elf_code__at(r->from->elf, addr, &c->at);
	}
	return elf_part__look(c, addr - r->code_at, len);
}

/* mov %rbp,N(%rsp) where the frame has been made; or the frame is made by push %rbp. */
static bool find_saved(struct reader *r, struct go_frame *f)
{
	static const uint8_t near[] = { 0x48, 0x89, 0x6c, 0x24 };
	static const uint8_t far[] = { 0x48, 0x89, 0xac, 0x24 };
	const struct go_move *m;
	const uint8_t *code;
	uint32_t at;

	if (f->nr < 2 || f->moves[0].bytes || !f->moves[1].bytes)
		return false;
	m = &f->moves[1];
	code = m->addr > f->start ? look_at_code(r, m->addr - 1, 1 + SAVING_BYTES) : NULL;
	if (!code)
		return false;
	if (m->bytes == sizeof(uint64_t) && code[0] == 0x55) {
		f->saved = m->addr;
		f->saved_below = sizeof(uint64_t);
		return true;
	}
	if (!memcmp(code + 1, near, sizeof(near))) {
		f->saved = m->addr + sizeof(near) + 1;
		at = code[5];
	} else if (!memcmp(code + 1, far, sizeof(far))) {
		f->saved = m->addr + sizeof(far) + sizeof(at);
		memcpy(&at, code + 5, sizeof(at));
	} else {
		return false;
	}
	f->saved_below = m->bytes - at;
	return at < m->bytes;
}

/*
 * "mov %rbp,-16(%rsp); lea -16(%rsp),%rbp" before they are called: a pair of words for whoever
 * follows frame pointers, though below the stack pointer. Source: Go's obj6.go, "ADUFFCOPY".
 */
static bool is_duff(const struct reader *r, const struct go_function *in, struct go_frame *f)
{
	static const char names[][sizeof("runtime.duffcopy")] = { "runtime.duffcopy",
								  "runtime.duffzero" };
	const struct gopclntab *t = &r->table;
	char name[sizeof(names[0])];

	if (in->flags != GO_ASSEMBLY || f->nr != 1 || f->moves[0].bytes ||
	    in->name >= t->names_len ||
	    !elf_bytes__read(r->from, t->at + t->names + in->name, name, sizeof(name)))
		return false;
	f->saved = f->start;
	f->saved_below = sizeof(uint64_t);
	f->by_caller =
		!memcmp(name, names[0], sizeof(name)) || !memcmp(name, names[1], sizeof(name));
	return f->by_caller;
}

/* It never moves the stack pointer, and calls nobody. */
static bool has_no_frame(struct go_frame *f)
{
	f->saved = f->end;
	return f->nr == 1 && !f->moves[0].bytes;
}

static int take_function(const struct go_function *in, void *arg)
{
	struct reader *r = arg;
	struct go_frame f;

	if ((in->flags & ~GO_ASSEMBLY) || r->nr == FUNCTIONS_MAX)
		return 0;
	r->nr++;
	f.start = in->addr;
	f.end = in->addr + in->size;
	f.nr = 0;
	f.by_caller = false;
	if (!read_moves(r, in, &f) ||
	    (!find_saved(r, &f) && !is_duff(r, in, &f) && !has_no_frame(&f)))
		return 0;
	return r->fn(&f, r->arg);
}

int go_frames__read(const struct elf_from *from, go_frame_fn *fn, void *arg)
{
	struct reader *r = calloc(1, sizeof(*r));
	GElf_Ehdr header;
	int err = 0;

	if (!r)
		return -ENOMEM;
	*r = (struct reader){ .from = from, .fn = fn, .arg = arg };
	if (gelf_getehdr(from->elf, &header) && header.e_machine == EM_X86_64 &&
	    gopclntab__find(&r->table, from) && r->table.moves_len) {
		r->moves = (struct elf_part){ .from = from,
					      .at = r->table.at + r->table.moves,
					      .len = r->table.moves_len,
					      .ahead = MOVES_BYTES };
		err = gopclntab__read(&r->table, from, take_function, r);
	}
	free(r);
	return err;
}
