// SPDX-License-Identifier: BSD-2-Clause
/* Members of structs: where "->" and "." lead. */
#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "plan/fields_parts.h"

enum { DEPTH_MAX = 16, NAMES_MAX = 512 };

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
