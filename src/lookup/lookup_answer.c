// SPDX-License-Identifier: BSD-2-Clause
/* Both ends of an answer: what is found is put into records, which are looked at and taken. */
#include "lookup/lookup_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "elf/body.h"
#include "elf/entry.h"
#include "elf/exits.h"
#include "elf/hazards.h"
#include "elf/prologues.h"
#include "elf/symtab.h"

enum {
	CHUNK_BYTES = 64 * 1024,
	CONDITION_MAX = 15, /* of a jump, as Intel's manual counts them */
	SKIP_MAX = 16,	    /* an instruction */
	EXITS_MAX = 1 << 20,
};

int lookup_sink__flush(struct lookup_sink *s)
{
	for (size_t at = 0; s->file >= 0 && at < s->bytes.len;) {
		const ssize_t n =
			pwrite(s->file, s->bytes.data + at, s->bytes.len - at, (off_t)s->written);

		if (n <= 0)
			return -EFBIG;
		at += n;
		s->written += n;
	}
	if (s->file >= 0)
		buf__clear(&s->bytes);
	return 0;
}

int lookup_sink__put(struct lookup_sink *s, const void *bytes, size_t len)
{
	const int err = buf__put(&s->bytes, bytes, len);

	return err || s->bytes.len < CHUNK_BYTES ? err : lookup_sink__flush(s);
}

static int put_record(struct lookup_sink *s, const struct lookup_record *from,
		      const char *const texts[LOOKUP_TEXTS])
{
	struct lookup_record r = *from;
	int err;

	for (size_t i = 0; texts && i < LOOKUP_TEXTS; i++)
		r.text_bytes[i] = texts[i] ? strlen(texts[i]) + 1 : 0;
	err = lookup_sink__put(s, &r, sizeof(r));
	for (size_t i = 0; texts && i < LOOKUP_TEXTS && !err; i++)
		if (texts[i])
			err = lookup_sink__put(s, texts[i], r.text_bytes[i]);
	s->nr += !err;
	return err;
}

static int put_function(const struct lookup_function *f, void *arg)
{
	const struct lookup_record r = {
		.offset = f->offset,
		.size = f->size,
		.more = f->skip,
		.flags = f->is_alias ? LOOKUP_IS_ALIAS : 0,
	};
	const char *const texts[LOOKUP_TEXTS] = { [LOOKUP_NAME] = f->name };

	return put_record(arg, &r, texts);
}

static int put_usdt(const struct usdt_probe *p, void *arg)
{
	const struct lookup_record r = { .offset = p->offset, .more = p->semaphore };
	const char *const texts[LOOKUP_TEXTS] = {
		[LOOKUP_NAME] = p->name,
		[LOOKUP_PROVIDER] = p->provider,
		[LOOKUP_ARGS] = p->args,
	};

	return put_record(arg, &r, texts);
}

static int make_function(struct file_lookup *f, const char *symbol, struct lookup_sink *out,
			 struct buf *why)
{
	struct lookup_function found;
	int err = file_lookup__function(f, symbol, &found, why);

	return err ? err : put_function(&found, out);
}

static int make_hazards(const struct file_lookup *f, struct lookup_sink *out)
{
	const struct lookup_record r = {
		.flags = hazards__of(&f->img, &f->names),
		.more = hazards__is_recent_go(&f->img),
	};

	return put_record(out, &r, NULL);
}

static int make_prologues(const struct file_lookup *f, struct lookup_sink *out, struct buf *why)
{
	struct lookup_record r = {};
	struct prologues p;
	int err = prologues__count(f->img.elf, &p);

	if (err)
		return why__refuse(why, err, "%s has no functions to look at: %s", f->path,
				   strerror(-err));
	r.size = p.functions;
	r.more = p.kept;
	return put_record(out, &r, NULL);
}

static int put_exits(const struct exits *e, struct lookup_sink *out, struct buf *why)
{
	const struct lookup_record entry = {
		.offset = e->entry,
		.flags =
			(e->calls ? LOOKUP_CALLS : 0) | (e->checks_stack ? LOOKUP_CHECKS_STACK : 0),
	};
	int err;

	if (e->nr > EXITS_MAX)
		return why__refuse(why, -EOPNOTSUPP, "there are %zu of them", e->nr);
	err = put_record(out, &entry, NULL);
	for (size_t i = 0; i < e->nr && !err; i++) {
		const struct exit_place *p = &e->items[i];
		const struct lookup_record r = {
			.offset = p->offset,
			.condition = p->condition,
			.flags = (p->unsure ? LOOKUP_UNSURE : 0) | (p->jump ? LOOKUP_JUMP : 0),
		};

		err = put_record(out, &r, NULL);
	}
	return err;
}

static int make_exits(const struct file_lookup *f, uint64_t offset, struct lookup_sink *out,
		      struct buf *why)
{
	struct exits e = {};
	int err = exits__find(&e, &f->img, &f->names, offset, why);

	if (!err)
		err = put_exits(&e, out, why);
	exits__free(&e);
	return err;
}

static int make_go_entry(const struct file_lookup *f, const char *name, struct lookup_sink *out,
			 struct buf *why)
{
	struct lookup_record r = {};
	int err;

	for (size_t i = 0; i < f->names.nr; i++) {
		const struct elf_name *n = &f->names.items[i];

		if (n->kind != ELF_NAME_FUNCTION ||
		    strcmp(strtab__get(f->names.strings, n->name), name))
			continue;
		err = exits__begin(&f->img, &f->names, n->offset, &r.offset);
		if (err && err != -ENOMEM)
			return why__refuse(why, err, "the code of %s in %s cannot be read: %s",
					   name, f->path, strerror(-err));
		return err ? err : put_record(out, &r, NULL);
	}
	return 0;
}

int lookup_answer__make(struct file_lookup *f, const struct lookup_question *q,
			struct lookup_sink *out, struct buf *why)
{
	int err;

	switch (q->kind) {
	case LOOKUP_FUNCTION:
		return make_function(f, q->text, out, why);
	case LOOKUP_FUNCTIONS:
		return file_lookup__each_function(f, q->text, put_function, out, why);
	case LOOKUP_NO_FUNCTION:
		return file_lookup__explain_no_function(f, q->text, why);
	case LOOKUP_USDT:
		return q->text ? file_lookup__find_usdt(f, q->provider, q->text, put_usdt, out, why)
			       : file_lookup__each_usdt(f, put_usdt, out, why);
	case LOOKUP_PROLOGUES:
		return make_prologues(f, out, why);
	default:
		break;
	}
	err = file_lookup__read_names(f);
	if (err)
		return err;
	switch (q->kind) {
	case LOOKUP_PLACE:
		return body__check_place(&f->img, &f->names, q->offset, why);
	case LOOKUP_HAZARDS:
		return make_hazards(f, out);
	case LOOKUP_EXITS:
		return make_exits(f, q->offset, out, why);
	case LOOKUP_GO_ENTRY:
		return make_go_entry(f, q->text, out, why);
	default:
		return -ENOMEM; /* nobody asks for that */
	}
}

/* All of a record: its texts, which end where they say. False: it is not all there. */
static bool take(const struct lookup_answer *a, size_t *at, struct lookup_record *r,
		 const char *texts[LOOKUP_TEXTS])
{
	if (a->len - *at < sizeof(*r))
		return false;
	memcpy(r, a->bytes + *at, sizeof(*r));
	*at += sizeof(*r);
	for (size_t i = 0; i < LOOKUP_TEXTS; i++) {
		const size_t bytes = r->text_bytes[i];

		texts[i] = bytes ? a->bytes + *at : NULL;
		if (bytes > a->len - *at ||
		    (bytes && memchr(texts[i], 0, bytes) != texts[i] + bytes - 1))
			return false;
		*at += bytes;
	}
	return true;
}

static bool is_sound_function(const struct lookup_question *q, const struct lookup_record *r,
			      const char *const texts[LOOKUP_TEXTS])
{
	const bool listed = q->kind == LOOKUP_FUNCTIONS, is_named = texts[LOOKUP_NAME] != NULL;

	return r->more <= SKIP_MAX && r->flags <= (listed ? LOOKUP_IS_ALIAS : 0) &&
	       is_named == listed && !(is_named && !*texts[LOOKUP_NAME]) &&
	       !texts[LOOKUP_PROVIDER] && !texts[LOOKUP_ARGS];
}

static bool is_sound_usdt(const struct lookup_question *q, const struct lookup_record *r,
			  const char *const texts[LOOKUP_TEXTS])
{
	for (size_t i = 0; i < LOOKUP_TEXTS; i++)
		if (!texts[i] || (i != LOOKUP_ARGS && !*texts[i]))
			return false;
	return r->more <= INT64_MAX && !r->flags && !r->size &&
	       (!q->text || !strcmp(q->text, texts[LOOKUP_NAME])) &&
	       (!q->provider || !strcmp(q->provider, texts[LOOKUP_PROVIDER]));
}

/* Of the kinds without texts. @i: which record it is. */
static bool is_sound_code(const struct lookup_question *q, const struct lookup_record *r, size_t i,
			  const char *const texts[LOOKUP_TEXTS])
{
	const unsigned all = HAZARD_GO | HAZARD_EXCEPTIONS | HAZARD_STACKS;

	for (size_t t = 0; t < LOOKUP_TEXTS; t++)
		if (texts[t])
			return false;
	if (q->kind == LOOKUP_PROLOGUES)
		return r->size >= PROLOGUES_MIN && r->size <= PROLOGUES_MAX && r->more <= r->size &&
		       !r->flags && !r->offset;
	if (r->size)
		return false;
	if (q->kind == LOOKUP_HAZARDS)
		return !(r->flags & ~all) && r->more <= 1 && !r->offset;
	if (q->kind == LOOKUP_EXITS)
		return !r->more && r->flags <= 3 && r->condition <= (i ? CONDITION_MAX : 0);
	return q->kind == LOOKUP_GO_ENTRY && !r->more && !r->flags;
}

/* The kernel refuses a place that is not in the file; but it is to be one at all. */
static bool is_sound(const struct lookup_question *q, const struct lookup_record *r, size_t i,
		     const char *const texts[LOOKUP_TEXTS])
{
	const bool may_depend = q->kind == LOOKUP_EXITS && i;

	if (r->offset > INT64_MAX || r->unused || r->condition < (may_depend ? INSN_ALWAYS : 0) ||
	    (!may_depend && r->condition))
		return false;
	if (q->kind == LOOKUP_FUNCTION || q->kind == LOOKUP_FUNCTIONS)
		return is_sound_function(q, r, texts);
	return q->kind == LOOKUP_USDT ? is_sound_usdt(q, r, texts) : is_sound_code(q, r, i, texts);
}

static bool is_sound_number(const struct lookup_question *q, uint32_t nr)
{
	switch (q->kind) {
	case LOOKUP_FUNCTION:
	case LOOKUP_HAZARDS:
	case LOOKUP_PROLOGUES:
		return nr == 1;
	case LOOKUP_FUNCTIONS:
		return nr <= SYMTAB_MAX;
	case LOOKUP_USDT:
		return q->text ? nr : true;
	case LOOKUP_EXITS:
		return nr > 1 && nr <= EXITS_MAX + 1;
	case LOOKUP_GO_ENTRY:
		return nr <= 1;
	default: /* LOOKUP_NO_FUNCTION is answered with an error */
		return q->kind == LOOKUP_PLACE && !nr;
	}
}

bool lookup_answer__check(const struct lookup_answer *a, const struct lookup_question *q)
{
	const char *texts[LOOKUP_TEXTS], *provider = NULL;
	struct lookup_record r;
	size_t at = 0;

	if (!is_sound_number(q, a->nr))
		return false;
	for (uint32_t i = 0; i < a->nr; i++) {
		if (!take(a, &at, &r, texts) || !is_sound(q, &r, i, texts))
			return false;
		/* The places of one probe, which has one provider. */
		if (q->kind == LOOKUP_USDT && q->text && provider &&
		    strcmp(provider, texts[LOOKUP_PROVIDER]))
			return false;
		provider = texts[LOOKUP_PROVIDER];
	}
	return at == a->len;
}

bool lookup_answer__next(const struct lookup_answer *a, size_t *at, struct lookup_record *r,
			 const char *texts[LOOKUP_TEXTS])
{
	return *at < a->len && take(a, at, r, texts);
}

void lookup_answer__free(struct lookup_answer *a)
{
	free(a->bytes);
	*a = (struct lookup_answer){};
}
