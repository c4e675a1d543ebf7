// SPDX-License-Identifier: BSD-2-Clause
/* Reads .debug_ranges and .debug_rnglists. */
#include "dwarf/ranges.h"

#include "dwarf/constants.h"

/* Offset of a list in .debug_rnglists, out of the unit's table of offsets. */
static bool find_list(const struct bases *b, uint64_t i, uint64_t *at)
{
	const struct dwarf_section *s = &b->sections->rnglists;
	const unsigned len = b->kind.offset_bytes;

	if (i > s->len / len || !dwarf_section__number(s, b->rnglists + i * len, len, at))
		return false;
	*at += b->rnglists;
	return true;
}

static void begin_list(struct ranges *r, const struct value *v)
{
	const struct bases *b = r->bases;
	uint64_t at = v->v;

	r->in_rnglist = b->kind.version >= 5;
	if (v->form == DW_FORM_rnglistx && !find_list(b, v->v, &at))
		return;
	if (!r->in_rnglist)
		at += b->ranges;
	r->in_list = true;
	r->list = cursor__at(r->in_rnglist ? &b->sections->rnglists : &b->sections->ranges, at,
			     UINT64_MAX);
	r->base = b->low_pc;
}

void ranges__begin(struct ranges *r, const struct bases *b, const struct text *text,
		   const struct die *die)
{
	*r = (struct ranges){ .bases = b, .text = text };
	if (die__has(die, ATTR_RANGES)) {
		begin_list(r, &die->values[ATTR_RANGES]);
		return;
	}
	if (!die__has(die, ATTR_LOW_PC) || !die__has(die, ATTR_HIGH_PC) ||
	    !value__address(b, &die->values[ATTR_LOW_PC], &r->low))
		return;
	/* An address, or since DWARF 4 the number of bytes. */
	if (!value__address(b, &die->values[ATTR_HIGH_PC], &r->high))
		r->high = r->low + die->values[ATTR_HIGH_PC].v;
}

static bool is_code(const struct ranges *r, uint64_t addr)
{
	return addr >= r->text->low && addr < r->text->high;
}

static void set_base(struct ranges *r, uint64_t base)
{
	r->base = base;
	/* A base of 0 is also written where addresses are whole. */
	r->dead = base == 1 || base >= (r->bases->kind.address_bytes == 4 ? 0xfffffffe : -2ull);
}

/* An entry of .debug_ranges. False: the list ends. */
static bool take_range(struct ranges *r, uint64_t *low, uint64_t *high)
{
	const unsigned len = r->bases->kind.address_bytes;
	const uint64_t base_follows = len == 8 ? UINT64_MAX : (1ull << 8 * len) - 1;

	*low = take_number(&r->list, len);
	*high = take_number(&r->list, len);
	if (r->list.over || (!*low && !*high))
		return false;
	if (*low == base_follows) {
		set_base(r, *high);
		*low = *high = 0;
		return true;
	}
	*low = r->dead ? 0 : *low + r->base;
	*high = r->dead ? 0 : *high + r->base;
	return true;
}

static bool take_index(struct ranges *r, uint64_t *addr)
{
	return bases__address(r->bases, take_leb(&r->list), addr);
}

/* An entry of .debug_rnglists: what begins with an address. */
static bool take_addresses(struct ranges *r, uint8_t kind, uint64_t *low, uint64_t *high)
{
	const unsigned len = r->bases->kind.address_bytes;

	switch (kind) {
	case DW_RLE_startx_endx:
		return take_index(r, low) && take_index(r, high);
	case DW_RLE_startx_length:
		if (!take_index(r, low))
			return false;
		*high = *low + take_leb(&r->list);
		return true;
	case DW_RLE_start_end:
		*low = take_number(&r->list, len);
		*high = take_number(&r->list, len);
		return true;
	case DW_RLE_start_length:
		*low = take_number(&r->list, len);
		*high = *low + take_leb(&r->list);
		return true;
	default:
		return false;
	}
}

static bool take_rnglist_entry(struct ranges *r, uint64_t *low, uint64_t *high)
{
	uint8_t kind = take_u8(&r->list);

	*low = *high = 0;
	switch (kind) {
	case DW_RLE_end_of_list:
		return false;
	case DW_RLE_base_addressx:
		if (!take_index(r, low))
			return false;
		set_base(r, *low);
		*low = 0;
		return true;
	case DW_RLE_base_address:
		set_base(r, take_number(&r->list, r->bases->kind.address_bytes));
		return true;
	case DW_RLE_offset_pair:
		*low = take_leb(&r->list);
		*high = take_leb(&r->list);
		*low = r->dead ? 0 : *low + r->base;
		*high = r->dead ? 0 : *high + r->base;
		return true;
	default:
		return take_addresses(r, kind, low, high);
	}
}

bool ranges__next(struct ranges *r, uint64_t *low, uint64_t *high)
{
	while (r->in_list) {
		r->in_list =
			r->in_rnglist ? take_rnglist_entry(r, low, high) : take_range(r, low, high);
		r->in_list = r->in_list && !r->list.over;
		if (r->in_list && *low < *high && is_code(r, *low))
			return true;
	}
	*low = r->low;
	*high = r->high;
	r->low = r->high = 0;
	return *low < *high && is_code(r, *low);
}
