/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/field_place.h - a field on its way from words to a struct fetch; private to fields*.c.
 *
 * A name gives a place: where its bytes are, and of what type. "->" and "." lead to other places;
 * fields_take.c makes a field of the last one.
 * Functions return 0, or -EINVAL with a sentence, or -ENOMEM.
 */
#ifndef PMUTRACE_PLAN_FIELD_PLACE_H
#define PMUTRACE_PLAN_FIELD_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/tracepoint.h"
#include "plan/fields.h"

struct btf;

/* Appends a sentence to @why, and is -EINVAL; or -ENOMEM. */
#define refuse(why, ...) (buf__printf(why, __VA_ARGS__) ? -ENOMEM : -EINVAL)

enum field_shape {
	SHAPE_NUMBER,
	SHAPE_POINTER,
	SHAPE_ARRAY,
	SHAPE_STRUCT, /* or a union */
	SHAPE_FLOAT,
	SHAPE_NOTHING, /* void */
};

struct field_type {
	enum field_shape shape;
	uint32_t size; /* bytes; 0: not known */
	bool is_signed;
	bool of_chars; /* SHAPE_ARRAY: a string */
	uint8_t shift, bits;
	/* The type; of a pointer what it points to. NULL: not known. */
	const struct btf *btf;
	uint32_t id;
};

struct field_place {
	/*
	 * Complete but for the form, and the size of the last load: of its last step, or of its
	 * source if there is none. is_user: what it points to is the task's.
	 */
	struct fetch fetch;
	struct field_type type;
	bool is_task;	  /* comm, pid ..: without a type */
	bool is_dynamic;  /* a tracepoint's array elsewhere in the record; the form is set */
	const char *text; /* the type in C, not looked up in the BTF yet; borrowed; or NULL */
};

struct fields {
	const struct perf_event_spec *ev;
	struct fields_group group;	 /* none: it is alone */
	const char *root;		 /* of /proc and /sys */
	struct tracepoint_format format; /* of SITE_TRACEPOINT, read when needed */
	bool has_format;
	const struct btf *btf; /* NULL: there is none, or not looked at yet */
	bool holds_types;      /* kernel_types__put() is due */
	bool has_looked;
};

/* fields__open() for another tree, and with types that are the caller's; NULL: the kernel's. */
int fields__open_at(struct fields **out, const struct perf_event_spec *ev, const char *root,
		    const struct btf *btf) must_check;

/* fields_record.c: a tracepoint's own. */
int fields__record(struct fields *f, const char *name, struct field_place *out,
		   struct buf *why) must_check;

/* Of SITE_TRACEPOINT: what its record has; *out lives as long as @f. */
int fields__format(struct fields *f, const struct tracepoint_format **out,
		   struct buf *why) must_check;

/* fields_args.c: "arg0", "ret", "ip", and arguments by name, of all other sites. */
int fields__argument(struct fields *f, const char *name, struct field_place *out,
		     struct buf *why) must_check;

/* fields_type.c: the kernel's BTF, with that of the function's module; NULL: none. 0 or -ENOMEM. */
int fields__types(struct fields *f, const struct btf **out) must_check;

/* What a type is, without typedefs and qualifiers. */
struct field_type field_type__of(const struct btf *btf, uint32_t id);

/* The type that this text names: "const struct sk_buff *", "umode_t". False: none does. */
bool field_type__named(const struct btf *btf, const char *text, struct field_type *out);

/* From a place, written like @before, to what is behind "->" (@arrow) or ".". */
int field_place__member(struct field_place *p, const char *before, bool arrow, const char *member,
			struct buf *why) must_check;

/* fields_take.c: the field at @p, taken as @as (what is behind ':'), or as it is (NULL). */
int field_place__take(const struct field_place *p, const char *text, const char *as,
		      struct field *out, struct buf *why) must_check;

#endif
