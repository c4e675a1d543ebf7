// SPDX-License-Identifier: BSD-2-Clause
/* Reads headers and root entries of units, and tables of abbreviations once for all their units. */
#include "dwarf/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/constants.h"

/* Programs of hundreds of millions of lines have less. */
enum { UNITS_MAX = 1 << 20 };

/* False: no header that we know; *end is set if the next unit can be found all the same. */
static bool read_header(const struct dwarf_section *info, uint64_t at, struct unit *u)
{
	struct dwarf_cursor c = cursor__at(info, at, UINT64_MAX);
	uint64_t len;

	*u = (struct unit){ .at = at };
	if (!cursor__take_length(&c, &len, &u->kind.offset_bytes) || !len || len > cursor__left(&c))
		return false;
	u->end = cursor__offset(&c) + len;
	u->kind.version = take_number(&c, 2);
	if (u->kind.version < 2 || u->kind.version > 5)
		return false;
	if (u->kind.version == 5) {
		u->type = take_u8(&c);
		u->kind.address_bytes = take_u8(&c);
		u->abbrevs_at = take_number(&c, u->kind.offset_bytes);
	} else {
		u->type = DW_UT_compile;
		u->abbrevs_at = take_number(&c, u->kind.offset_bytes);
		u->kind.address_bytes = take_u8(&c);
	}
	if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
		u->dwo_id = take_number(&c, 8);
	else if (u->type == DW_UT_type || u->type == DW_UT_split_type)
		cursor__skip(&c, 8 + u->kind.offset_bytes);
	u->dies = cursor__offset(&c);
	return !c.over && u->dies < u->end &&
	       (u->kind.address_bytes == 4 || u->kind.address_bytes == 8);
}

int info_file__read_units(struct info_file *f)
{
	const struct dwarf_section *info = &f->sections.info;
	struct unit u;
	int err;

	for (uint64_t at = 0; at < info->len && f->nr < UNITS_MAX; at = u.end) {
		if (!read_header(info, at, &u)) {
			if (!u.end)
				break;
			continue;
		}
		err = array__grow(&f->units, &f->cap, f->nr + 1);
		if (err)
			return err;
		f->units[f->nr++] = u;
	}
	return 0;
}

static void forget_unit(struct unit *u)
{
	if (!u->facts)
		return;
	unit_functions__free(&u->facts->functions);
	free(u->facts);
	u->facts = NULL;
}

void info_file__forget(struct info_file *f)
{
	for (size_t i = 0; i < f->nr; i++)
		forget_unit(&f->units[i]);
	for (size_t i = 0; i < f->nr_abbrevs; i++) {
		abbrevs__free(f->abbrevs[i]);
		free(f->abbrevs[i]);
	}
	f->nr_abbrevs = 0;
	idmap__clear(&f->abbrev_numbers);
}

void info_file__free(struct info_file *f)
{
	info_file__forget(f);
	free(f->units);
	free(f->abbrevs);
	idmap__free(&f->abbrev_numbers);
	f->units = NULL;
	f->abbrevs = NULL;
	f->nr = f->cap = f->cap_abbrevs = 0;
}

struct unit *info_file__unit(const struct info_file *f, uint64_t at)
{
	size_t low = 0, high = f->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->units[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at < f->units[low - 1].dies || at >= f->units[low - 1].end)
		return NULL;
	return &f->units[low - 1];
}

static struct value value_of(const struct die *die, enum attr attr)
{
	return die__has(die, attr) ? die->values[attr] : (struct value){};
}

static uint64_t number_of(const struct die *die, enum attr attr, uint64_t otherwise)
{
	return die__has(die, attr) ? die->values[attr].v : otherwise;
}

/* Where tables begin that have a header and no attribute that says where: behind the header. */
static uint64_t behind_header(const struct unit *u, unsigned bytes_32, unsigned bytes_64)
{
	if (u->kind.version < 5)
		return 0;
	return u->kind.offset_bytes == 8 ? bytes_64 : bytes_32;
}

static void set_bases(const struct info_file *f, const struct unit *u, const struct die *die,
		      struct bases *b)
{
	*b = (struct bases){ .sections = &f->sections,
			     .addresses = &f->sections.addr,
			     .kind = u->kind,
			     .split = f->split,
			     .unit_at = u->at };
	b->str_offsets = number_of(die, ATTR_STR_OFFSETS_BASE, behind_header(u, 8, 16));
	b->addr = number_of(die, ATTR_ADDR_BASE, behind_header(u, 8, 16));
	b->rnglists = number_of(die, ATTR_RNGLISTS_BASE, behind_header(u, 12, 20));
	if (f->split) {
		const struct bases *skeleton = &f->skeleton.bases;

		b->addresses = skeleton->addresses;
		b->addr = skeleton->addr;
		/* GNU's: the lists of a split unit are the program's, from here on. */
		b->ranges = f->skeleton.ranges_base;
		b->low_pc = skeleton->low_pc;
	}
}

static void set_root(const struct info_file *f, const struct unit *u, const struct die *die,
		     struct root *root)
{
	*root = (struct root){ .name = value_of(die, ATTR_NAME),
			       .comp_dir = value_of(die, ATTR_COMP_DIR),
			       .dwo_name = value_of(die, ATTR_DWO_NAME) };
	set_bases(f, u, die, &root->bases);
	if (die__has(die, ATTR_LOW_PC))
		if (!value__address(&root->bases, &die->values[ATTR_LOW_PC], &root->bases.low_pc))
			root->bases.low_pc = 0;
	root->ranges_base = number_of(die, ATTR_RANGES_BASE, 0);
	root->has_lines = die__has(die, ATTR_STMT_LIST);
	root->stmt_list = number_of(die, ATTR_STMT_LIST, 0);
	root->has_dwo_id =
		u->kind.version >= 5 ? u->type == DW_UT_skeleton : die__has(die, ATTR_DWO_ID);
	root->dwo_id = u->kind.version >= 5 ? u->dwo_id : number_of(die, ATTR_DWO_ID, 0);
	root->has_addresses = die__has(die, ATTR_RANGES) || die__has(die, ATTR_HIGH_PC);
}

int unit__read_root(const struct info_file *f, const struct unit *u, struct work *work,
		    struct abbrevs *abbrevs, struct die *die, struct root *root)
{
	struct dwarf_cursor c = cursor__at(&f->sections.info, u->dies, u->end), first = c;
	uint64_t code = take_leb(&first), read = 0;
	int err;

	err = abbrevs__read_one(abbrevs, &f->sections.abbrev, u->abbrevs_at, &u->kind, code, &read);
	if (!work__take(work, read / 8 + 1) && !err) {
		abbrevs__free(abbrevs);
		err = -E2BIG;
	}
	if (err)
		return err;
	if (!die__read(die, &c, abbrevs) || !die->abbrev) {
		abbrevs__free(abbrevs);
		return -EINVAL;
	}
	set_root(f, u, die, root);
	return 0;
}

/* The table at the unit's offset, read once for all units of the kind. */
static int get_abbrevs(struct info_file *f, const struct unit *u, size_t *bytes,
		       const struct abbrevs **out)
{
	/* No offset has so many bits; two kinds differ in these. */
	const uint64_t key = u->abbrevs_at << 8 | u->kind.version << 5 |
			     (u->kind.address_bytes == 8) << 1 | (u->kind.offset_bytes == 8);
	struct abbrevs *a;
	uint32_t number;
	int err;

	if (idmap__get(&f->abbrev_numbers, key, &number)) {
		*out = f->abbrevs[number];
		return 0;
	}
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	err = abbrevs__read(a, &f->sections.abbrev, u->abbrevs_at, &u->kind);
	if (err == -EINVAL || err == -EFBIG) { /* it has none, and is not read again */
		*a = (struct abbrevs){ .kind = u->kind };
		err = 0;
	}
	if (!err)
		err = array__grow(&f->abbrevs, &f->cap_abbrevs, f->nr_abbrevs + 1);
	if (!err)
		err = idmap__set(&f->abbrev_numbers, key, f->nr_abbrevs);
	if (err) {
		abbrevs__free(a);
		free(a);
		return err;
	}
	*bytes += sizeof(*a) + abbrevs__bytes(a);
	*out = f->abbrevs[f->nr_abbrevs++] = a;
	return 0;
}

int unit__look(struct info_file *f, struct unit *u, size_t *bytes)
{
	struct dwarf_cursor c = cursor__at(&f->sections.info, u->dies, u->end);
	struct unit_facts *facts;
	struct die die;
	int err;

	if (u->facts)
		return 0;
	facts = calloc(1, sizeof(*facts));
	if (!facts)
		return -ENOMEM;
	err = get_abbrevs(f, u, bytes, &facts->abbrevs);
	if (!err && (!die__read(&die, &c, facts->abbrevs) || !die.abbrev))
		err = -EINVAL;
	if (err) {
		free(facts);
		return err;
	}
	set_root(f, u, &die, &facts->root);
	*bytes += sizeof(*facts);
	u->facts = facts;
	return 0;
}
