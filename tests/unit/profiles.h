/* SPDX-License-Identifier: BSD-2-Clause */
/* Small profiles made by hand, and what a writer wrote, for tests. */
#ifndef TESTS_UNIT_PROFILES_H
#define TESTS_UNIT_PROFILES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strtab.h"
#include "model/profile.h"

/* Every byte that is special somewhere, and one (0xff) that is no UTF-8. */
#define HOSTILE "a;b\"c'd<e>f&g\\h\n\033[31m\xff]]>"

static inline uint32_t add_event(struct profile *p, const char *name)
{
	const struct profile_event e = { .name = name, .unit = "", .hz = 99 };
	uint32_t id;

	assert_int_equal(profile__event(p, &e, &id), 0);
	return id;
}

static inline uint32_t add_frame(struct profile *p, const char *name, const char *module,
				 enum frame_kind kind)
{
	struct frame f = { .kind = kind };
	uint32_t id;

	assert_int_equal(profile__string(p, name, strlen(name), &f.name), 0);
	assert_int_equal(profile__string(p, module, strlen(module), &f.module), 0);
	assert_int_equal(profile__frame(p, &f, &id), 0);
	return id;
}

/* "kname" for a kernel frame, "j" JIT, "n" note, "c" command, "i" inlined, "u" user; NULL ends. */
static inline uint32_t add_stack(struct profile *p, ...)
{
	uint32_t node = 0;
	const char *s;
	va_list ap;

	va_start(ap, p);
	while ((s = va_arg(ap, const char *))) {
		enum frame_kind kind = *s == 'k'   ? FRAME_KERNEL
				       : *s == 'j' ? FRAME_JIT
				       : *s == 'n' ? FRAME_NOTE
				       : *s == 'c' ? FRAME_COMM
				       : *s == 'i' ? FRAME_INLINED
						   : FRAME_USER;
		const char *module = kind == FRAME_USER ? "prog" : "";

		assert_int_equal(profile__child(p, node, add_frame(p, s + 1, module, kind), &node),
				 0);
	}
	va_end(ap);
	return node;
}

static inline void add_row(struct profile *p, uint32_t event, uint32_t pid, uint32_t stack,
			   uint64_t samples)
{
	const struct row_key key = { .event = event, .pid = pid, .stack = stack };

	assert_int_equal(profile__add(p, &key, samples, samples * 1000, NULL), 0);
	p->losses.seen += samples;
	p->losses.kept += samples;
}

static inline struct profile *new_profile(void)
{
	struct profile *p = profile__new();

	assert_non_null(p);
	p->by = BY_COMM | BY_PID | BY_KSTACK | BY_USTACK;
	p->duration_ns = 2000000000;
	p->nr_cpus = 4;
	return p;
}

/*
 *	                              cycles  faults
 *	sh;main;work;work;leaf        5 (3 in pid 1, 2 in pid 2)
 *	sh;main;work                  3
 *	sh;main;sys_read (kernel)     2       4
 *	node;run (JIT)                        1
 */
static inline struct profile *small_profile(void)
{
	struct profile *p = new_profile();
	uint32_t cycles = add_event(p, "cycles"), faults = add_event(p, "faults");
	uint32_t leaf = add_stack(p, "csh", "umain", "uwork", "uwork", "uleaf", NULL);
	uint32_t work = add_stack(p, "csh", "umain", "uwork", NULL);
	uint32_t sys_read = add_stack(p, "csh", "umain", "ksys_read", NULL);
	uint32_t run = add_stack(p, "cnode", "jrun", NULL);

	add_row(p, cycles, 1, leaf, 3);
	add_row(p, cycles, 2, leaf, 2);
	add_row(p, cycles, 1, work, 3);
	add_row(p, cycles, 1, sys_read, 2);
	add_row(p, faults, 1, sys_read, 4);
	add_row(p, faults, 9, run, 1);
	return p;
}

/* What the second event, a member of the first one's group, has counted at a stack's samples. */
static inline void add_counted(struct profile *p, uint32_t stack, uint64_t samples, uint64_t leader,
			       uint64_t member)
{
	struct row_key key = { .pid = 1, .stack = stack };

	assert_int_equal(profile__add(p, &key, samples, leader, NULL), 0);
	key.event = 1;
	if (member)
		assert_int_equal(profile__add(p, &key, 0, member, NULL), 0);
	p->losses.seen += samples;
	p->losses.kept += samples;
}

/*
 *	                samples   cycles   instructions, counted at these samples
 *	sh;main;fast     10       1000     2000
 *	sh;main;slow     10       1000      500
 *	sh;main           1        500        0
 *	sh;idle           1          0        0
 */
static inline struct profile *grouped_profile(void)
{
	const struct profile_event member = {
		.name = "instructions", .unit = "", .is_member = true, .leader = "cycles"
	};
	struct profile *p = new_profile();
	uint32_t id;

	add_event(p, "cycles");
	assert_int_equal(profile__event(p, &member, &id), 0);
	add_counted(p, add_stack(p, "csh", "umain", "ufast", NULL), 10, 1000, 2000);
	add_counted(p, add_stack(p, "csh", "umain", "uslow", NULL), 10, 1000, 500);
	add_counted(p, add_stack(p, "csh", "umain", NULL), 1, 500, 0);
	add_counted(p, add_stack(p, "csh", "uidle", NULL), 1, 0, 0);
	return p;
}

/* Three samples, all names hostile. */
static inline struct profile *hostile_profile(void)
{
	struct profile *p = new_profile();

	add_event(p, "cpu/event=0x3c,umask=0x0/" HOSTILE);
	add_row(p, 0, 1, add_stack(p, "c" HOSTILE, "u" HOSTILE, "k" HOSTILE, NULL), 2);
	add_row(p, 0, 1, add_stack(p, "c", "u", NULL), 1);
	return p;
}

struct capture {
	FILE *f;
	char *text;
	size_t len;
};

static inline struct capture *capture_open(void)
{
	struct capture *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	c->f = open_memstream(&c->text, &c->len);
	assert_non_null(c->f);
	return c;
}

static inline char *capture_close(struct capture *c)
{
	char *text;

	assert_int_equal(fclose(c->f), 0);
	assert_int_equal(strlen(c->text), c->len);
	text = c->text;
	free(c);
	return text;
}

/* CALL with `f` as its stream; the bytes written, for free(). */
#define WRITTEN(call)                                                                              \
	({                                                                                         \
		struct capture *capture_ = capture_open();                                         \
		FILE *f = capture_->f;                                                             \
		assert_int_equal(call, 0);                                                         \
		capture_close(capture_);                                                           \
	})

static inline size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (text = strstr(text, what); text; text = strstr(text + strlen(what), what))
		n++;
	return n;
}

/* A stream that takes nothing, as a full disk. */
static inline FILE *full_disk(void)
{
	FILE *f = fopen("/dev/full", "w");

	if (!f)
		skip();
	return f;
}

#endif
