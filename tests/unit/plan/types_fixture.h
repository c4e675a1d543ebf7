/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BTF of a kernel that has no more than this:
 *
 *	struct part { int a; char name[12]; };
 *	struct wide { unsigned long one, two; };
 *	struct thing {
 *		unsigned long id;					at 0
 *		union { struct part *part; unsigned long word; };	8
 *		struct part in;						16
 *		u32 low : 3, mid : 7;					32: bits 0, 3
 *		int high : 4;						32: bit 28
 *		double real;						40
 *		struct thing *next;					48
 *		const char *label;					56
 *		u32 crossing : 8;					64: bit 28, packed
 *		int counts[2];						72
 *		struct hidden *hidden;					80
 *	};
 *	int look(const struct thing *thing, const u16 port, enum way way, _Bool on, ...);
 *	void spread(int a, struct wide w, int b);
 *	struct part *many(int a, int b, int c, int d, int e, int f, int g);
 *	int __traceiter_seen(void *__data, _Bool on, const struct thing *thing);
 */
#ifndef TESTS_UNIT_PLAN_TYPES_FIXTURE_H
#define TESTS_UNIT_PLAN_TYPES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/btf.h>

struct type_ids {
	int i32, u32, u64, u16, on, way, part, wide, thing_ptr;
};

static inline void add_numbers(struct btf *b, struct type_ids *t)
{
	t->i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	t->u64 = btf__add_int(b, "unsigned long", 8, 0);
	t->u32 = btf__add_typedef(b, "u32", btf__add_int(b, "unsigned int", 4, 0));
	t->u16 = btf__add_typedef(b, "u16", btf__add_int(b, "unsigned short", 2, 0));
	t->on = btf__add_int(b, "_Bool", 1, BTF_INT_BOOL);
	t->way = btf__add_enum(b, "way", 4);
	assert_int_equal(btf__add_enum_value(b, "THERE", 1), 0);
}

static inline void add_field(struct btf *b, const char *name, int type, unsigned bit, unsigned bits)
{
	assert_int_equal(btf__add_field(b, name, type, bit, bits), 0);
}

static inline void add_structs(struct btf *b, struct type_ids *t)
{
	int c = btf__add_int(b, "char", 1, 0), name = btf__add_array(b, t->i32, c, 12);
	int counts = btf__add_array(b, t->i32, t->i32, 2), real = btf__add_float(b, "double", 8);
	int hidden = btf__add_ptr(b, btf__add_fwd(b, "hidden", BTF_FWD_STRUCT));
	int label = btf__add_ptr(b, btf__add_const(b, c)), part, inner, thing;

	t->part = btf__add_struct(b, "part", 16);
	add_field(b, "a", t->i32, 0, 0);
	add_field(b, "name", name, 32, 0);
	t->wide = btf__add_struct(b, "wide", 16);
	add_field(b, "one", t->u64, 0, 0);
	add_field(b, "two", t->u64, 64, 0);
	part = btf__add_ptr(b, t->part);
	inner = btf__add_union(b, NULL, 8);
	add_field(b, "part", part, 0, 0);
	add_field(b, "word", t->u64, 0, 0);
	thing = btf__add_struct(b, "thing", 88);
	add_field(b, "id", t->u64, 0, 0);
	add_field(b, NULL, inner, 64, 0);
	add_field(b, "in", t->part, 128, 0);
	add_field(b, "low", t->u32, 256, 3);
	add_field(b, "mid", t->u32, 259, 7);
	add_field(b, "high", t->i32, 284, 4);
	add_field(b, "real", real, 320, 0);
	add_field(b, "next", thing + 1, 384, 0);
	add_field(b, "label", label, 448, 0);
	add_field(b, "crossing", t->u32, 540, 8);
	add_field(b, "counts", counts, 576, 0);
	add_field(b, "hidden", hidden, 640, 0);
	assert_int_equal(btf__add_ptr(b, thing), thing + 1);
	t->thing_ptr = btf__add_ptr(b, btf__add_const(b, thing));
}

/* @params: pairs of name and type, up to a name that is NULL. */
static inline void add_function(struct btf *b, const char *name, int ret, const char *const *names,
				const int *params, size_t nr)
{
	int proto = btf__add_func_proto(b, ret);

	assert_true(proto > 0);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(btf__add_func_param(b, names[i], params[i]), 0);
	assert_true(btf__add_func(b, name, BTF_FUNC_STATIC, proto) > 0);
}

static inline struct btf *types_fixture(void)
{
	static const char *const look[] = { "thing", "port", "way", "on", NULL };
	static const char *const spread[] = { "a", "w", "b" };
	static const char *const many[] = { "a", "b", "c", "d", "e", "f", "g" };
	static const char *const seen[] = { "__data", "on", "thing" };
	struct btf *b = btf__new_empty();
	struct type_ids t;
	int port, data, part;

	assert_non_null(b);
	add_numbers(b, &t);
	add_structs(b, &t);
	port = btf__add_const(b, t.u16);
	data = btf__add_ptr(b, 0);
	part = btf__add_ptr(b, t.part);
	add_function(b, "look", t.i32, look, (int[]){ t.thing_ptr, port, t.way, t.on, 0 }, 5);
	add_function(b, "spread", 0, spread, (int[]){ t.i32, t.wide, t.i32 }, 3);
	add_function(b, "many", part, many,
		     (int[]){ t.i32, t.i32, t.i32, t.i32, t.i32, t.i32, t.i32 }, 7);
	add_function(b, "__traceiter_seen", t.i32, seen, (int[]){ data, t.on, t.thing_ptr }, 3);
	return b;
}

#endif
