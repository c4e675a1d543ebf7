// SPDX-License-Identifier: BSD-2-Clause
/* A function's code -> where it is left: returns, and jumps out of it. */
#include "elf/exits.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "elf/elf_bytes.h"
#include "elf/entry.h"

enum { PARTS = 4 }; /* the function, and what was moved out of it */

struct search {
	const struct elf_image *img;
	const struct elf_names *names;
	struct body parts[PARTS];
	size_t nr_parts;
	struct exits *out;
};

static int add(struct exits *e, const struct insn *i, bool unsure)
{
	int err = array__grow(&e->items, &e->cap, e->nr + 1);

	if (err)
		return err;
	e->items[e->nr++] = (struct exit_place){
		.offset = i->at,
		.condition = i->kind == INSN_BRANCH ? i->condition : INSN_ALWAYS,
		.unsure = unsure,
		.jump = i->kind != INSN_RETURN,
	};
	return 0;
}

static bool is_inside(const struct body *b, uint64_t at)
{
	return at >= b->start && at - b->start < b->bytes;
}

static bool is_ours(const struct search *s, uint64_t at)
{
	for (size_t i = 0; i < s->nr_parts; i++)
		if (is_inside(&s->parts[i], at))
			return true;
	return false;
}

static int add_part(struct search *s, uint64_t offset)
{
	struct body *b = &s->parts[s->nr_parts];
	int err = body__open(b, s->img, s->names, offset, BODY_BYTES_MAX);

	s->nr_parts += !err;
	return err;
}

/* "cmp 0x10(%r14),%rsp" or %r12; "ldr x16, [x28, #16]": struct g's stackguard0. */
static bool is_guard(const uint8_t *code, unsigned machine)
{
	static const uint8_t rsp[] = { 0x49, 0x3b, 0x66, 0x10 }, r12[] = { 0x4d, 0x3b, 0x66, 0x10 };
	static const uint8_t x16[] = { 0x90, 0x0b, 0x40, 0xf9 };

	if (machine == EM_AARCH64)
		return !memcmp(code, x16, sizeof(x16));
	return !memcmp(code, rsp, sizeof(rsp)) || !memcmp(code, r12, sizeof(r12));
}

/*
 * Go's stack check among the first instructions: its branch to what makes the stack larger. NULL:
 * there is none.
 */
static const struct insn *find_check(const struct elf_image *img, const struct insns *insns)
{
	enum { GUARD_MOST = 8, BRANCH_MOST = 3 };
	const struct elf_from from = { .elf = img->elf, .fd = img->fd };
	size_t at, end;
	uint8_t code[4];
	GElf_Ehdr header;

	if (!gelf_getehdr(img->elf, &header))
		return NULL;
	for (at = 0; at < insns->nr && at < GUARD_MOST; at++)
		if (elf_bytes__read(&from, insns->items[at].at, code, sizeof(code)) &&
		    is_guard(code, header.e_machine))
			break;
	if (at == insns->nr || at == GUARD_MOST)
		return NULL;
	for (end = at + BRANCH_MOST; at < insns->nr && at <= end; at++)
		if (insns->items[at].kind == INSN_BRANCH)
			return &insns->items[at];
	return NULL;
}

static void begin_behind_check(struct search *s)
{
	const struct insn *branch = find_check(s->img, &s->parts[0].insns);

	if (!branch)
		return;
	s->out->entry = branch->at + branch->bytes;
	s->out->checks_stack = true;
}

/* A jump out of all that is known of the function: to a cold part, which becomes known, or away. */
static int look_outside(struct search *s, const struct insn *i, bool *leaves, struct buf *why)
{
	struct body to;
	int err = body__open(&to, s->img, s->names, i->target, 0);
	bool is_cold = !err && entry__is_cold(to.name);

	if (!err)
		body__close(&to);
	else if (err == -ENOMEM)
		return err;
	*leaves = !is_cold;
	if (!is_cold)
		return 0;
	if (s->nr_parts == PARTS)
		return why__refuse(why, -EOPNOTSUPP, "it is scattered over too many parts");
	return add_part(s, i->target);
}

static int look_at_jump(struct search *s, const struct insn *i, struct buf *why)
{
	bool is_own_start = i->target == s->parts[0].start, leaves = is_own_start;
	int err = 0;

	/*
	 * To its own beginning, where the entry probe is: a call that returns in its stead. With
	 * Go's stack check it is the same call, on a larger stack.
	 */
	if (is_own_start && s->out->checks_stack)
		return 0;
	if (!is_own_start && !is_ours(s, i->target))
		err = look_outside(s, i, &leaves, why);
	if (err || !leaves)
		return err;
	if (i->kind == INSN_BRANCH && i->condition == INSN_ALWAYS)
		return why__refuse(why, -EOPNOTSUPP,
				   "a branch leaves it by a condition that cannot be told");
	s->out->calls = true;
	return add(s->out, i, is_own_start);
}

static int look_at(struct search *s, const struct insn *i, struct buf *why)
{
	switch (i->kind) {
	case INSN_RETURN:
		return add(s->out, i, false);
	case INSN_JUMP:
	case INSN_BRANCH:
		return look_at_jump(s, i, why);
	case INSN_INDIRECT:
		s->out->calls = true;
		return add(s->out, i, true);
	case INSN_CALL:
		s->out->calls = true;
		return 0;
	default:
		return 0;
	}
}

static int undecodable(const struct body *b, struct buf *why)
{
	return why__refuse(why, -EOPNOTSUPP, "what is at %s+0x%llx is not known to the decoder",
			   b->name, (unsigned long long)b->insns.bytes);
}

/* Parts are appended while they are looked at. */
static int look_at_parts(struct search *s, struct buf *why)
{
	int err = 0;

	for (size_t p = 0; p < s->nr_parts && !err; p++) {
		const struct body *b = &s->parts[p];

		if (b->insns.bytes < b->bytes)
			return undecodable(b, why);
		for (size_t i = 0; i < b->insns.nr && !err; i++)
			err = look_at(s, &b->insns.items[i], why);
	}
	return err;
}

int exits__find(struct exits *out, const struct elf_image *img, const struct elf_names *names,
		uint64_t offset, struct buf *why)
{
	struct search s = { .img = img, .names = names, .out = out };
	int err;

	*out = (struct exits){ .entry = offset };
	err = add_part(&s, offset);
	if (err == -ENOENT && buf__puts(why, "no symbol tells where it ends"))
		err = -ENOMEM;
	if (!err)
		begin_behind_check(&s);
	if (!err)
		err = look_at_parts(&s, why);
	if (!err && !out->nr)
		err = why__refuse(why, -EOPNOTSUPP,
				  "it has none: it never returns, but ends the program or thread, "
				  "throws, or runs for ever");
	for (size_t i = 0; i < s.nr_parts; i++)
		body__close(&s.parts[i]);
	if (err)
		exits__free(out);
	return err;
}

int exits__begin(const struct elf_image *img, const struct elf_names *names, uint64_t offset,
		 uint64_t *at)
{
	enum { BYTES_MOST = 128 };
	const struct insn *branch;
	struct body b;
	int err = body__open(&b, img, names, offset, BYTES_MOST);

	if (err)
		return err;
	branch = find_check(img, &b.insns);
	*at = branch ? branch->at : offset;
	body__close(&b);
	return 0;
}

void exits__free(struct exits *e)
{
	free(e->items);
	*e = (struct exits){};
}
