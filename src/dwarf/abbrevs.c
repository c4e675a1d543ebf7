// SPDX-License-Identifier: BSD-2-Clause
/* Reads tables of abbreviations, and prepares passing over entries. */
#include "dwarf/abbrevs.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/constants.h"

/* Far more than the largest program has in one table, and little enough memory. */
enum { ABBREVS_MAX = 1 << 18, ATTRS_MAX = 1 << 20 };

int form__bytes(uint64_t form, const struct unit_kind *kind)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return kind->address_bytes;
	case DW_FORM_ref_addr:
		return kind->version <= 2 ? kind->address_bytes : kind->offset_bytes;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return kind->offset_bytes;
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc:
	case DW_FORM_string:
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_indirect:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return FORM_VARIES;
	default:
		return FORM_UNKNOWN;
	}
}

static enum attr attr_of(uint64_t name)
{
	switch (name) {
	case DW_AT_sibling:
		return ATTR_SIBLING;
	case DW_AT_name:
		return ATTR_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return ATTR_LINKAGE_NAME;
	case DW_AT_low_pc:
		return ATTR_LOW_PC;
	case DW_AT_high_pc:
		return ATTR_HIGH_PC;
	case DW_AT_ranges:
		return ATTR_RANGES;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		return ATTR_ORIGIN;
	case DW_AT_call_file:
		return ATTR_CALL_FILE;
	case DW_AT_call_line:
		return ATTR_CALL_LINE;
	case DW_AT_decl_line:
		return ATTR_DECL_LINE;
	case DW_AT_stmt_list:
		return ATTR_STMT_LIST;
	case DW_AT_comp_dir:
		return ATTR_COMP_DIR;
	case DW_AT_str_offsets_base:
		return ATTR_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return ATTR_ADDR_BASE;
	case DW_AT_rnglists_base:
		return ATTR_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return ATTR_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return ATTR_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return ATTR_DWO_ID;
	default:
		return ATTR_NONE;
	}
}

static int add_step(struct abbrevs *a, uint32_t bytes, uint16_t form)
{
	int err = array__grow(&a->steps, &a->cap_steps, a->nr_steps + 1);

	if (!err)
		a->steps[a->nr_steps++] = (struct abbrev_step){ bytes, form };
	return err;
}

static int add_attr(struct abbrevs *a, struct abbrev *to, uint64_t name, uint64_t form, int bytes,
		    int64_t constant)
{
	enum attr attr = attr_of(name);
	int err;

	if (to->has & 1u << attr)
		attr = ATTR_NONE; /* the first one counts */
	if (a->nr_attrs == ATTRS_MAX)
		return -EFBIG;
	err = array__grow(&a->attrs, &a->cap_attrs, a->nr_attrs + 1);
	if (err)
		return err;
	a->attrs[a->nr_attrs++] =
		(struct abbrev_attr){ form, attr, bytes > 0 ? bytes : 0, constant };
	to->nr_attrs++;
	if (attr)
		to->has |= 1u << attr;
	return 0;
}

static int read_attrs(struct abbrevs *a, struct dwarf_cursor *c, struct abbrev *to)
{
	uint64_t name, form;
	int64_t constant;
	uint32_t bytes = 0;
	int err, size;

	for (;;) {
		name = take_leb(c);
		form = take_leb(c);
		constant = form == DW_FORM_implicit_const ? take_sleb(c) : 0;
		if (c->over)
			return -EINVAL;
		if (!name && !form)
			return add_step(a, bytes, 0);
		size = form__bytes(form, &a->kind);
		if (size == FORM_UNKNOWN)
			return -EINVAL;
		err = add_attr(a, to, name, form, size, constant);
		if (!err && size == FORM_VARIES)
			err = add_step(a, bytes, form);
		if (err)
			return err;
		bytes = size == FORM_VARIES ? 0 : bytes + size;
	}
}

static int read_abbrev(struct abbrevs *a, struct dwarf_cursor *c, uint64_t code)
{
	struct abbrev to = { .code = code,
			     .tag = take_leb(c),
			     .children = take_u8(c),
			     .first_attr = a->nr_attrs,
			     .first_step = a->nr_steps };
	int err = read_attrs(a, c, &to);

	if (!err && a->nr == ABBREVS_MAX)
		err = -EFBIG;
	if (!err)
		err = array__grow(&a->all, &a->cap, a->nr + 1);
	if (!err)
		a->all[a->nr++] = to;
	return err;
}

static int compare_codes(const void *a, const void *b)
{
	uint64_t left = ((const struct abbrev *)a)->code, right = ((const struct abbrev *)b)->code;

	return left < right ? -1 : left > right;
}

int abbrevs__read(struct abbrevs *out, const struct dwarf_section *section, uint64_t at,
		  const struct unit_kind *kind)
{
	struct abbrevs a = { .kind = *kind };
	struct dwarf_cursor c = cursor__at(section, at, UINT64_MAX);
	bool sorted = true;
	uint64_t code;
	int err = 0;

	while (!err && (code = take_leb(&c))) {
		sorted &= !a.nr || code > a.all[a.nr - 1].code;
		err = read_abbrev(&a, &c, code);
	}
	if (!err && c.over)
		err = -EINVAL;
	if (err) {
		abbrevs__free(&a);
		return err;
	}
	if (!sorted)
		qsort(a.all, a.nr, sizeof(*a.all), compare_codes);
	*out = a;
	return 0;
}

/* Passes over attributes and their forms. */
static void skip_attrs(struct dwarf_cursor *c)
{
	uint64_t name, form;

	do {
		name = take_leb(c);
		form = take_leb(c);
		if (form == DW_FORM_implicit_const)
			take_leb(c);
	} while (!c->over && (name || form));
}

int abbrevs__read_one(struct abbrevs *out, const struct dwarf_section *section, uint64_t at,
		      const struct unit_kind *kind, uint64_t code, uint64_t *read)
{
	struct abbrevs a = { .kind = *kind };
	struct dwarf_cursor c = cursor__at(section, at, UINT64_MAX);
	int err = -ENOENT;
	uint64_t other;

	while (err == -ENOENT && (other = take_leb(&c))) {
		if (other == code) {
			err = read_abbrev(&a, &c, code);
		} else {
			take_leb(&c);
			take_u8(&c);
			skip_attrs(&c);
		}
	}
	*read = cursor__offset(&c) - at;
	if (err)
		abbrevs__free(&a);
	else
		*out = a;
	return err;
}

void abbrevs__free(struct abbrevs *a)
{
	free(a->all);
	free(a->attrs);
	free(a->steps);
	*a = (struct abbrevs){};
}

size_t abbrevs__bytes(const struct abbrevs *a)
{
	return a->cap * sizeof(*a->all) + a->cap_attrs * sizeof(*a->attrs) +
	       a->cap_steps * sizeof(*a->steps);
}

const struct abbrev *abbrevs__search(const struct abbrevs *a, uint64_t code)
{
	struct abbrev key = { .code = code };

	return bsearch(&key, a->all, a->nr, sizeof(*a->all), compare_codes);
}
