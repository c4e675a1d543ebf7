// SPDX-License-Identifier: BSD-2-Clause
/* Reads entries, and follows the indices in their values. */
#include "dwarf/die.h"

#include "dwarf/constants.h"

/* The form is in the entry itself; it may not be another one that has its value elsewhere. */
static uint64_t take_form(struct dwarf_cursor *c)
{
	uint64_t form = take_leb(c);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
		c->over = true;
	return c->over ? DW_FORM_flag_present : form;
}

static void skip_form(struct dwarf_cursor *c, uint64_t form, const struct unit_kind *kind)
{
	int size;

	if (form == DW_FORM_indirect)
		form = take_form(c);
	switch (form) {
	case DW_FORM_addrx:
	case DW_FORM_udata:
	case DW_FORM_sdata:
		take_leb(c);
		return;
	case DW_FORM_string:
		cursor__skip_string(c);
		return;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor__skip(c, take_leb(c));
		return;
	case DW_FORM_block1:
		cursor__skip(c, take_u8(c));
		return;
	case DW_FORM_block2:
		cursor__skip(c, take_number(c, 2));
		return;
	case DW_FORM_block4:
		cursor__skip(c, take_number(c, 4));
		return;
	default:
		break;
	}
	size = form__bytes(form, kind);
	if (size >= 0)
		cursor__skip(c, size);
	else if (size == FORM_VARIES)
		take_leb(c);
	else
		c->over = true;
}

struct value value__take(struct dwarf_cursor *c, const struct abbrev_attr *attr,
			 const struct unit_kind *kind)
{
	struct value v = { .form = attr->form };
	int size;

	if (attr->bytes && attr->bytes <= 8) {
		v.v = take_number(c, attr->bytes);
		return v;
	}
	if (v.form == DW_FORM_indirect)
		v.form = take_form(c);
	switch (v.form) {
	case DW_FORM_implicit_const:
		v.v = attr->constant;
		return v;
	case DW_FORM_sdata:
		v.v = take_sleb(c);
		return v;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		v.v = take_leb(c);
		return v;
	default:
		break;
	}
	size = form__bytes(v.form, kind);
	if (size > 0 && size <= 8) {
		v.v = take_number(c, size);
		return v;
	}
	v.v = cursor__offset(c);
	skip_form(c, v.form, kind);
	return v;
}

bool die__read_values(struct die *out, struct dwarf_cursor *c, const struct abbrevs *abbrevs,
		      const struct abbrev *abbrev, uint64_t at)
{
	const struct abbrev_attr *attr = &abbrevs->attrs[abbrev->first_attr], *end;

	out->at = at;
	out->abbrev = abbrev;
	for (end = attr + out->abbrev->nr_attrs; attr < end; attr++)
		if (attr->attr)
			out->values[attr->attr] = value__take(c, attr, &abbrevs->kind);
		else if (attr->bytes)
			cursor__skip(c, attr->bytes);
		else
			skip_form(c, attr->form, &abbrevs->kind);
	return !c->over;
}

bool die__read(struct die *out, struct dwarf_cursor *c, const struct abbrevs *abbrevs)
{
	uint64_t at = cursor__offset(c), code = take_leb(c);
	const struct abbrev *abbrev = code ? abbrevs__get(abbrevs, code) : NULL;

	out->at = at;
	out->abbrev = abbrev;
	if (c->over || (code && !abbrev))
		return false;
	return !code || die__read_values(out, c, abbrevs, abbrev, at);
}

void die__skip(struct dwarf_cursor *c, const struct abbrevs *abbrevs, const struct abbrev *abbrev)
{
	const struct abbrev_step *step = &abbrevs->steps[abbrev->first_step];

	for (;; step++) {
		cursor__skip(c, step->bytes);
		if (!step->form || c->over)
			return;
		skip_form(c, step->form, &abbrevs->kind);
	}
}

uint64_t die__sibling(const struct die *die, const struct dwarf_cursor *c, uint64_t unit_at)
{
	const struct value *v = &die->values[ATTR_SIBLING];
	uint64_t here = cursor__offset(c), at;

	if (!die->abbrev->children || !die__has(die, ATTR_SIBLING))
		return 0;
	at = v->form == DW_FORM_ref_addr ? v->v : unit_at + v->v;
	return at > here && at - here < cursor__left(c) ? at : 0;
}

bool bases__address(const struct bases *b, uint64_t i, uint64_t *addr)
{
	const unsigned len = b->kind.address_bytes;

	return i <= b->addresses->len / len &&
	       dwarf_section__number(b->addresses, b->addr + i * len, len, addr);
}

bool value__address(const struct bases *b, const struct value *v, uint64_t *addr)
{
	switch (v->form) {
	case DW_FORM_addr:
		*addr = v->v;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return bases__address(b, v->v, addr);
	default:
		return false;
	}
}

const char *value__string(const struct bases *b, const struct value *v)
{
	const struct dwarf_sections *s = b->sections;
	const unsigned len = b->kind.offset_bytes;
	uint64_t at;

	switch (v->form) {
	case DW_FORM_string:
		return dwarf_section__string(&s->info, v->v);
	case DW_FORM_strp:
		return dwarf_section__string(&s->str, v->v);
	case DW_FORM_line_strp:
		return dwarf_section__string(&s->line_str, v->v);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return dwarf_section__string(&s->alt_str, v->v);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (v->v > s->str_offsets.len / len ||
		    !dwarf_section__number(&s->str_offsets, b->str_offsets + v->v * len, len, &at))
			return NULL;
		return dwarf_section__string(&s->str, at);
	default:
		return NULL;
	}
}

bool value__reference(const struct bases *b, const struct value *v, uint64_t *at, bool *in_alt)
{
	*at = v->v;
	*in_alt = false;
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*at += b->unit_at;
		return *at >= b->unit_at;
	case DW_FORM_ref_addr:
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*in_alt = true;
		return true;
	default: /* DW_FORM_ref_sig8 leads to types: a function in one has its declaration here */
		return false;
	}
}
