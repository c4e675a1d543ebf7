// SPDX-License-Identifier: BSD-2-Clause
/*
 * Types of the kernel's BTF: their shape, size and sign; found by their C text; their members,
 * where "->" and "." lead.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "plan/field_place.h"
#include "plan/kernel_types.h"

enum { DEPTH_MAX = 16, NAME_BYTES = 128, NAMES_MAX = 512 };

/* Skips typedefs and qualifiers. NULL: void. */
static const struct btf_type *bare(const struct btf *btf, uint32_t *id)
{
	const struct btf_type *t = btf__type_by_id(btf, *id);

	for (int i = 0; t && i < DEPTH_MAX && (btf_is_mod(t) || btf_is_typedef(t)); i++) {
		*id = t->type;
		t = btf__type_by_id(btf, *id);
	}
	return t && !btf_is_void(t) ? t : NULL;
}

static bool is_char(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = bare(btf, &id);

	return t && btf_is_int(t) && t->size == 1 &&
	       !strcmp(btf__name_by_offset(btf, t->name_off), "char");
}

struct field_type field_type__of(const struct btf *btf, uint32_t id)
{
	struct field_type out = { .shape = SHAPE_NOTHING, .btf = btf };
	const struct btf_type *t = bare(btf, &id);
	__s64 size = t ? btf__resolve_size(btf, id) : 0;

	out.id = id;
	out.size = size > 0 && size <= UINT32_MAX ? (uint32_t)size : 0;
	if (!t)
		return out;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		out.shape = SHAPE_NUMBER;
		out.is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		out.shape = SHAPE_NUMBER;
		out.is_signed = btf_kflag(t);
		break;
	case BTF_KIND_PTR:
		out.shape = SHAPE_POINTER;
		out.id = t->type;
		break;
	case BTF_KIND_ARRAY:
		out.shape = SHAPE_ARRAY;
		out.of_chars = is_char(btf, btf_array(t)->type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD:
		out.shape = SHAPE_STRUCT;
		break;
	case BTF_KIND_FLOAT:
		out.shape = SHAPE_FLOAT;
		break;
	}
	return out;
}

static const char *skip_qualifiers(const char *s)
{
	static const char *const words[] = { "const ", "volatile " };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return skip_qualifiers(s + strlen(words[i]));
	return s;
}

static int find_name(const struct btf *btf, const char *name)
{
	static const struct {
		const char *prefix;
		uint32_t kind;
	} tags[] = {
		{ "struct ", BTF_KIND_STRUCT },
		{ "union ", BTF_KIND_UNION },
		{ "enum ", BTF_KIND_ENUM },
	};
	int id;

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		size_t len = strlen(tags[i].prefix);

		if (!strncmp(name, tags[i].prefix, len))
			return btf__find_by_name_kind(btf, name + len, tags[i].kind);
	}
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	return id > 0 ? id : btf__find_by_name_kind(btf, name, BTF_KIND_INT);
}

bool field_type__named(const struct btf *btf, const char *text, struct field_type *out)
{
	char name[NAME_BYTES];
	size_t len, stars = 0;
	int id;

	text = skip_qualifiers(text);
	for (len = strlen(text); len && (text[len - 1] == '*' || text[len - 1] == ' '); len--)
		stars += text[len - 1] == '*';
	if (!len || len >= sizeof(name) || stars > 1)
		return false;
	memcpy(name, text, len);
	name[len] = '\0';
	id = find_name(btf, name);
	if (id <= 0)
		return false;
	if (stars)
		*out = (struct field_type){ SHAPE_POINTER, .size = 8, .btf = btf, .id = id };
	else
		*out = field_type__of(btf, id);
	return true;
}

int fields__types(struct fields *f, const struct btf **out)
{
	enum perf_site_kind kind = f->ev->site.kind;
	const char *module =
		kind == SITE_KPROBE || kind == SITE_KRETPROBE ? f->ev->site.home : NULL;
	struct btf *btf;
	int err = 0;

	if (!f->has_looked) {
		err = kernel_types__get(module, &btf);
		f->holds_types = !err;
		f->has_looked = err != -ENOMEM;
		f->btf = err ? NULL : btf;
	}
	*out = f->btf;
	return err == -ENOMEM ? err : 0;
}

struct member {
	uint32_t bit; /* from the outermost struct's start */
	uint32_t bits;
	uint32_t type;
};

/* A struct or union, or NULL. Where there is a declaration alone, what it declares. */
static const struct btf_type *composite(const struct btf *btf, uint32_t id)
{
	struct field_type type = field_type__of(btf, id);
	const struct btf_type *t = btf__type_by_id(btf, type.id);
	int found;

	if (type.shape != SHAPE_STRUCT || !btf_is_fwd(t))
		return type.shape == SHAPE_STRUCT ? t : NULL;
	found = btf__find_by_name_kind(btf, btf__name_by_offset(btf, t->name_off),
				       btf_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT);
	return found > 0 ? btf__type_by_id(btf, found) : NULL;
}

/* Looks inside of structs and unions without a name, too. */
static bool find_member(const struct btf *btf, const struct btf_type *t, const char *name,
			int depth, struct member *out)
{
	const struct btf_member *m = btf_members(t);

	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		const struct btf_type *inner = m[i].name_off ? NULL : composite(btf, m[i].type);
		uint32_t bit = btf_member_bit_offset(t, i);

		if (m[i].name_off && !strcmp(btf__name_by_offset(btf, m[i].name_off), name)) {
			*out = (struct member){ bit, btf_member_bitfield_size(t, i), m[i].type };
			return true;
		}
		if (inner && depth < DEPTH_MAX && find_member(btf, inner, name, depth + 1, out)) {
			out->bit += bit;
			return true;
		}
	}
	return false;
}

static size_t list_members(const struct btf *btf, const struct btf_type *t, int depth,
			   const char **names, size_t nr)
{
	const struct btf_member *m = btf_members(t);

	for (uint32_t i = 0; i < btf_vlen(t) && nr < NAMES_MAX; i++) {
		const struct btf_type *inner = m[i].name_off ? NULL : composite(btf, m[i].type);

		if (m[i].name_off)
			names[nr++] = btf__name_by_offset(btf, m[i].name_off);
		else if (inner && depth < DEPTH_MAX)
			nr = list_members(btf, inner, depth + 1, names, nr);
	}
	return nr;
}

static int no_member(const struct btf *btf, const struct btf_type *t, const char *before,
		     const char *name, struct buf *why)
{
	const char *names[NAMES_MAX];
	size_t nr = list_members(btf, t, 0, names, 0);
	const char *tag = btf__name_by_offset(btf, t->name_off);
	int err = buf__printf(why, "'%s', a %s %s, has no member '%s'", before,
			      btf_is_union(t) ? "union" : "struct", *tag ? tag : "without a name",
			      name);

	if (!err)
		err = suggest_or_list(why, name, names, nr);
	return err ? err : -EINVAL;
}

/* Follows the pointer: completes the load that gets it, and opens the next step. */
static int follow(struct field_place *p, const char *before, struct buf *why)
{
	struct fetch *f = &p->fetch;
	struct fetch_load *l = f->nr_steps ? &f->steps[f->nr_steps - 1] : &f->load;

	if (f->nr_steps == FETCH_STEPS)
		return refuse(why, "'%s' is as far as it goes: %d pointers can be followed", before,
			      FETCH_STEPS);
	l->size = 8;
	f->steps[f->nr_steps++] = (struct fetch_load){};
	return 0;
}

/*
 * The byte at which the member's load begins. A bit field is loaded in units of its type; a packed
 * one may cross two of them: then from its first byte on.
 */
static uint32_t place_bits(struct field_type *type, const struct member *m)
{
	uint32_t unit = type->size ? type->size : 1, byte = m->bit / 8, shift;

	if (!m->bits)
		return byte;
	byte = m->bit / (unit * 8) * unit;
	shift = m->bit - byte * 8;
	if (shift + m->bits > unit * 8) {
		byte = m->bit / 8;
		shift = m->bit % 8;
		while (unit < 8 && shift + m->bits > unit * 8)
			unit *= 2;
	}
	type->size = unit;
	type->shift = shift;
	type->bits = m->bits;
	return byte;
}

static int check_operator(const struct field_place *p, const char *before, bool arrow,
			  const char *member, struct buf *why)
{
	enum field_shape shape = p->type.shape;

	if (shape == SHAPE_NUMBER && p->fetch.is_user)
		return refuse(
			why,
			"the types of programs are not known here: '%s' can be a number, or a "
			"string that it points to, %s:str",
			before, before);
	if (p->is_task || (shape != SHAPE_POINTER && shape != SHAPE_STRUCT))
		return refuse(why, "'%s' is neither a struct nor a pointer to one: it has no '%s'",
			      before, member);
	if (arrow != (shape == SHAPE_POINTER))
		return refuse(why, "'%s' is a %s: write %s%s%s", before,
			      arrow ? "struct" : "pointer", before, arrow ? "." : "->", member);
	return 0;
}

int field_place__member(struct field_place *p, const char *before, bool arrow, const char *member,
			struct buf *why)
{
	const struct btf *btf = p->type.btf;
	const struct btf_type *t = btf ? composite(btf, p->type.id) : NULL;
	struct fetch_load *l;
	struct member m;
	int err = check_operator(p, before, arrow, member, why);

	if (err)
		return err;
	if (!t)
		return refuse(why, "it is not known of what type that is which '%s' %s", before,
			      arrow ? "points to" : "is");
	if (!find_member(btf, t, member, 0, &m))
		return no_member(btf, t, before, member, why);
	err = arrow ? follow(p, before, why) : 0;
	if (err)
		return err;
	p->type = field_type__of(btf, m.type);
	l = p->fetch.nr_steps ? &p->fetch.steps[p->fetch.nr_steps - 1] : &p->fetch.load;
	l->offset += (int32_t)place_bits(&p->type, &m);
	return 0;
}
