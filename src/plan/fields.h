/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/fields.h - the fields that a probe has, by name -> how its program fetches them.
 *
 * A field is written
 *	comm pid tid cpu uid	the task at hand, of any probe; refused if all probes asked are
 *				tracepoints with a field of that name: which is meant?
 *	TASK->NAME		the task at hand alone
 *	arg0 .. arg5		arguments of a function, of a raw tracepoint, of a USDT probe (the
 *				last two: as many as there are)
 *	ret			of kretprobe and uretprobe
 *	ip			of perf events: where it was
 *	NAME			a tracepoint's own field, as its `format` file has it; an argument
 *				of a kernel function or raw tracepoint, as the kernel's BTF has it
 *	REC->NAME		a tracepoint's own alone: its pid need not be the task's at hand
 *	FIELD->MEMBER		what a pointer leads to, of types that BTF knows; several times, and
 *				FIELD.MEMBER inside of a struct: sk->__sk_common.skc_dport
 *	FIELD:TYPE		taken as s8 s16 s32 s64, u8 .. u64, x8 .. x64 (hex), str (what it
 *				points to: in the kernel, for probes of programs and for system
 *				calls in the task), kstr, ustr
 *
 * Numbers have the type that is known of them (format, BTF, USDT note); without one they are s64.
 * TYPE converts as C does: a narrower one cuts; one as wide or wider keeps the value. Of arrays and
 * structs it is the first bytes.
 *
 * Source: Documentation/trace/events.rst, kprobetrace.rst (fetch arguments), bpf.h (BTF),
 * sourceware.org/systemtap/wiki/UserSpaceProbeImplementation (arguments of notes).
 * Does not know: what is done with the values.
 */
#ifndef PMUTRACE_PLAN_FIELDS_H
#define PMUTRACE_PLAN_FIELDS_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "fetch.wire.h"
#include "event/event.h"
#include "model/profile.h"

struct fields;

struct field {
	struct fetch fetch;   /* `at` is open */
	enum field_kind kind; /* how the words are to be shown */
};

/*
 * @ev: parsed for its site; borrowed while *out lives. What the kernel knows of it is read when a
 * name needs it, and kept while any is open (plan/kernel_types.h). 0 or -ENOMEM.
 */
int fields__open(struct fields **out, const struct perf_event_spec *ev) must_check;
void fields__close(struct fields *f);

/* The fields of probes that are asked for the same names, some NULL; borrowed. */
struct fields_group {
	struct fields *const *all;
	size_t nr;
};

/* Names are checked against all probes of the group from now on; the list must outlive them. */
void fields__put_together(const struct fields_group *g);

/* May the name mean the task's field? 0; -EINVAL: all probes have a field of that name too. */
int fields__check_task(const struct fields_group *g, const char *name, struct buf *why) must_check;

/*
 * Checks a field (@text, as above) that must mean the same in all. 0; -EINVAL: the name is one of
 * the task's, and some probes have a field of that name.
 */
int fields__check_both(const struct fields_group *g, const char *text, struct buf *why) must_check;

/**
 * fields__find() - one field
 * @text: @len bytes of it, as above
 * @why:  on -EINVAL a sentence: what the probe has instead, the nearest name
 *
 * Return: 0; -EINVAL; -ENOMEM; another -errno with @why.
 */
int fields__find(struct fields *f, const char *text, size_t len, struct field *out,
		 struct buf *why) must_check;

#endif
