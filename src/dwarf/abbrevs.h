/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/abbrevs.h - abbreviations: the attributes that entries of a unit have, and in which form.
 *
 * A table is made for units of one kind, so that the sizes of forms are known: passing over an
 * entry that nobody asks about is mostly one addition.
 * Source: DWARF 5, section 7.5.3.
 */
#ifndef PMUTRACE_DWARF_ABBREVS_H
#define PMUTRACE_DWARF_ABBREVS_H

#include "dwarf/cursor.h"

/* Attributes that anything here asks for. */
enum attr {
	ATTR_NONE,
	ATTR_SIBLING,
	ATTR_NAME,
	ATTR_LINKAGE_NAME,
	ATTR_LOW_PC,
	ATTR_HIGH_PC,
	ATTR_RANGES,
	ATTR_ORIGIN, /* DW_AT_abstract_origin, or else DW_AT_specification */
	ATTR_CALL_FILE,
	ATTR_CALL_LINE,
	ATTR_DECL_LINE,
	ATTR_STMT_LIST,
	ATTR_COMP_DIR,
	ATTR_STR_OFFSETS_BASE,
	ATTR_ADDR_BASE,
	ATTR_RNGLISTS_BASE,
	ATTR_RANGES_BASE,
	ATTR_DWO_NAME,
	ATTR_DWO_ID,
	NR_ATTRS,
};

/* What sizes of forms depend on. */
struct unit_kind {
	uint8_t version;
	uint8_t address_bytes;
	uint8_t offset_bytes;
};

struct abbrev_attr {
	uint16_t form;
	uint8_t attr;	  /* enum attr */
	int8_t bytes;	  /* form__bytes(); 0 if it is not known beforehand */
	int64_t constant; /* of DW_FORM_implicit_const */
};

/* Passes over some bytes, and a value whose form has no fixed size; 0: the entry ends here. */
struct abbrev_step {
	uint32_t bytes;
	uint16_t form;
};

struct abbrev {
	uint64_t code;
	uint32_t has; /* 1 << enum attr */
	uint32_t first_attr, nr_attrs;
	uint32_t first_step;
	uint16_t tag;
	bool children;
};

struct abbrevs {
	struct unit_kind kind;
	struct abbrev *all; /* by code */
	struct abbrev_attr *attrs;
	struct abbrev_step *steps;
	size_t nr, nr_attrs, nr_steps;
	size_t cap, cap_attrs, cap_steps;
};

enum { FORM_VARIES = -1, FORM_UNKNOWN = -2 };

/* Bytes of a form, FORM_VARIES or FORM_UNKNOWN. */
int form__bytes(uint64_t form, const struct unit_kind *kind);

/**
 * abbrevs__read() - read a table
 * @section: .debug_abbrev
 * @at:      its offset there
 *
 * Return: 0; -EINVAL: damaged; -EFBIG: more than a compiler writes; -ENOMEM. To be given to
 * abbrevs__free() after 0 only.
 */
int abbrevs__read(struct abbrevs *out, const struct dwarf_section *section, uint64_t at,
		  const struct unit_kind *kind) must_check;
void abbrevs__free(struct abbrevs *a);

/* Memory that it takes. */
size_t abbrevs__bytes(const struct abbrevs *a);

const struct abbrev *abbrevs__search(const struct abbrevs *a, uint64_t code);

/* NULL: there is no such code. */
static inline const struct abbrev *abbrevs__get(const struct abbrevs *a, uint64_t code)
{
	/* Compilers count from 1. */
	if (code - 1 < a->nr && a->all[code - 1].code == code)
		return &a->all[code - 1];
	return abbrevs__search(a, code);
}

/*
 * The one abbreviation @code without the rest of the table, for entries that are the only ones to
 * be looked at in their unit. Errors as of abbrevs__read(), and -ENOENT. *read: bytes that were
 * read.
 */
int abbrevs__read_one(struct abbrevs *out, const struct dwarf_section *section, uint64_t at,
		      const struct unit_kind *kind, uint64_t code, uint64_t *read) must_check;

#endif
