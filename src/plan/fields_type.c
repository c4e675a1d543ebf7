// SPDX-License-Identifier: BSD-2-Clause
/* Reduces a type of the kernel's BTF to its shape, size and sign; finds types by their C text. */
#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "plan/fields_parts.h"
#include "plan/kernel_types.h"

enum { DEPTH_MAX = 16, NAME_BYTES = 128 };

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
