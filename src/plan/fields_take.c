// SPDX-License-Identifier: BSD-2-Clause
/* Makes a field of a place: a number, an address or a string, as its type or ":TYPE" says. */
#include <errno.h>
#include <string.h>

#include "plan/field_place.h"

/* The type behind ':'. */
struct wanted {
	bool string, kernel, user; /* kernel, user: kstr, ustr */
	enum field_kind kind;	   /* else a number */
	uint32_t size;
};

static bool parse_wanted(const char *as, struct wanted *w)
{
	static const enum field_kind kinds[] = { FIELD_SIGNED, FIELD_UNSIGNED, FIELD_HEX };
	static const char letters[] = "sux";
	static const char *const bits[] = { "8", "16", "32", "64" };
	const char *letter = *as ? strchr(letters, *as) : NULL;
	size_t i;

	*w = (struct wanted){ .kernel = !strcmp(as, "kstr"), .user = !strcmp(as, "ustr") };
	w->string = w->kernel || w->user || !strcmp(as, "str");
	for (i = 0; letter && i < ARRAY_SIZE(bits); i++) {
		if (strcmp(as + 1, bits[i]))
			continue;
		w->kind = kinds[letter - letters];
		w->size = 1u << i;
	}
	return w->string || w->size;
}

/* The field that is being made, and what of. */
struct taking {
	const struct field_place *place;
	const char *text; /* as it is written */
	struct field *out;
	struct buf *why;
};

/* The last load, whose size is not set yet; NULL: the source loads nothing. */
static struct fetch_load *last_load(struct fetch *f)
{
	if (f->nr_steps)
		return &f->steps[f->nr_steps - 1];
	return f->source == FETCH_CONTEXT ? &f->load : NULL;
}

static int take_number(struct taking *t, uint32_t size, bool is_signed, enum field_kind kind)
{
	struct fetch_load *l = last_load(&t->out->fetch);

	t->out->kind = kind;
	t->out->fetch.form = FETCH_NUMBER;
	t->out->fetch.words = 1;
	if (l) {
		l->size = (uint8_t)size;
		l->is_signed = is_signed;
	}
	return 0;
}

static int take_text(struct taking *t, enum fetch_form form)
{
	t->out->kind = FIELD_TEXT;
	t->out->fetch.form = form;
	t->out->fetch.words = FETCH_STRING_WORDS;
	return 0;
}

/* An array of bytes: in the record, or behind a pointer, which is then all that is loaded. */
static int take_bytes(struct taking *t)
{
	struct fetch *f = &t->out->fetch;

	if (t->place->is_dynamic)
		return take_text(t, f->form);
	if (!f->nr_steps)
		return take_text(t, FETCH_CHARS);
	f->steps[f->nr_steps - 1].size = 0;
	return take_text(t, f->is_user ? FETCH_USER_STRING : FETCH_STRING);
}

static int take_pointed(struct taking *t, const struct wanted *w)
{
	bool user = w->user || (!w->kernel && t->out->fetch.is_user);
	struct fetch_load *l = last_load(&t->out->fetch);

	if (!l)
		return refuse(t->why, "'%s' is a constant, not a pointer to a string", t->text);
	l->size = 8;
	return take_text(t, user ? FETCH_USER_STRING : FETCH_STRING);
}

static int take_string(struct taking *t, const struct wanted *w)
{
	const struct field_type *type = &t->place->type;

	switch (type->shape) {
	case SHAPE_ARRAY:
		if (w->kernel || w->user)
			return refuse(t->why,
				      "'%s' is no pointer to a string, but an array: write :str",
				      t->text);
		return take_bytes(t);
	case SHAPE_POINTER:
		return take_pointed(t, w);
	case SHAPE_NUMBER:
		if (type->size == 8 && !type->bits)
			return take_pointed(t, w);
		break;
	default:
		break;
	}
	return refuse(t->why, "'%s' is neither a string nor a pointer to one", t->text);
}

static bool is_word(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Without ':': as its type says. */
static int take_plain(struct taking *t)
{
	const struct field_type *type = &t->place->type;
	struct fetch_load *l = last_load(&t->out->fetch);

	switch (type->shape) {
	case SHAPE_NUMBER:
		if (!is_word(type->size))
			return refuse(t->why, "'%s' has %u bytes: numbers have up to 8", t->text,
				      type->size);
		if (l) {
			l->shift = type->shift;
			l->bits = type->bits;
		}
		return take_number(t, type->size, type->is_signed,
				   type->is_signed ? FIELD_SIGNED : FIELD_UNSIGNED);
	case SHAPE_POINTER:
		return take_number(t, 8, false, FIELD_HEX);
	case SHAPE_ARRAY:
		if (type->of_chars)
			return take_bytes(t);
		return refuse(t->why, "'%s' is an array: only strings can be had as a whole%s",
			      t->text,
			      t->place->is_dynamic ? "" : ", or its first bytes with :x32");
	case SHAPE_STRUCT:
		return refuse(t->why, "'%s' is a whole struct: name a member, as %s.MEMBER",
			      t->text, t->text);
	case SHAPE_FLOAT:
		return refuse(t->why,
			      "'%s' is a floating point number, which programs in the "
			      "kernel cannot take",
			      t->text);
	default:
		return refuse(t->why, "'%s' is void: there is nothing", t->text);
	}
}

/* A number converted as C does: a narrower type cuts, one as wide or wider keeps the value. */
static int convert(struct taking *t, const struct wanted *w)
{
	const struct field_type *type = &t->place->type;
	bool is_signed = w->kind == FIELD_SIGNED;
	int err = take_plain(t);

	if (err)
		return err;
	t->out->kind = w->kind;
	if (type->bits || w->size > type->size)
		return 0;
	if (t->out->fetch.source == FETCH_CONSTANT) {
		uint32_t unused = 64 - 8 * w->size;
		uint64_t high = t->out->fetch.constant << unused;

		t->out->fetch.constant =
			is_signed ? (uint64_t)((int64_t)high >> unused) : high >> unused;
		return 0;
	}
	return take_number(t, w->size, is_signed, w->kind);
}

static int take_as_number(struct taking *t, const struct wanted *w)
{
	const struct field_type *type = &t->place->type;

	switch (type->shape) {
	case SHAPE_NUMBER:
	case SHAPE_POINTER:
		return convert(t, w);
	case SHAPE_ARRAY:
	case SHAPE_STRUCT:
		if (!t->place->is_dynamic && type->size >= w->size)
			return take_number(t, w->size, w->kind == FIELD_SIGNED, w->kind);
		return refuse(t->why, "'%s' cannot be taken as a number of %u bytes", t->text,
			      w->size);
	default:
		return take_plain(t);
	}
}

/* Fields of the task: numbers of 32 bits, and comm. */
static int take_of_task(struct taking *t, const struct wanted *w)
{
	bool is_text = t->out->fetch.source == FETCH_COMM;

	if (w && w->string != is_text)
		return refuse(t->why, "'%s' is a %s", t->text, is_text ? "string" : "number");
	if (w && (w->kernel || w->user || (!is_text && w->size < 4)))
		return refuse(t->why, "'%s' is taken as it is: write no type behind it", t->text);
	if (is_text)
		return take_text(t, FETCH_CHARS);
	return take_number(t, 4, false, w ? w->kind : FIELD_UNSIGNED);
}

int field_place__take(const struct field_place *p, const char *text, const char *as,
		      struct field *out, struct buf *why)
{
	struct taking t = { p, text, out, why };
	struct wanted w = {};

	*out = (struct field){ .fetch = p->fetch };
	if (as && !parse_wanted(as, &w))
		return refuse(why,
			      "'%s' is not a type: there are s8 s16 s32 s64, u8 u16 u32 u64, "
			      "x8 x16 x32 x64, str, kstr and ustr",
			      as);
	if (p->is_task)
		return take_of_task(&t, as ? &w : NULL);
	if (!as)
		return take_plain(&t);
	return w.string ? take_string(&t, &w) : take_as_number(&t, &w);
}
