/* SPDX-License-Identifier: BSD-2-Clause */
/* Hits of probes counted by hand, for tests of what shows them. */
#ifndef TESTS_UNIT_HITS_H
#define TESTS_UNIT_HITS_H

#include "profiles.h"

/* A run of 5 s by @by. */
static inline struct profile *new_hits(unsigned by, const char *event)
{
	const struct profile_event e = { .name = event, .unit = "" };
	struct profile *p = new_profile();
	uint32_t id;

	p->by = by;
	p->duration_ns = 5000000000;
	assert_int_equal(profile__event(p, &e, &id), 0);
	return p;
}

static inline void add_field(struct profile *p, const char *name, enum field_kind kind)
{
	assert_int_equal(profile__field(p, name, kind), 0);
}

static inline void add_metric(struct profile *p, const char *name, const char *unit, bool is_signed)
{
	const struct profile_metric m = { .name = name, .unit = unit, .is_signed = is_signed };

	assert_int_equal(profile__metric(p, &m), 0);
}

static inline uint64_t text_word(struct profile *p, const char *text)
{
	uint32_t id;

	assert_int_equal(profile__string(p, text, strlen(text), &id), 0);
	return id;
}

struct hit {
	uint32_t event, pid, stack;
	uint64_t n;
	uint64_t words[4];
	struct profile_value value; /* of the only metric */
};

static inline void add_hits(struct profile *p, struct hit h)
{
	struct row_key key = { .event = h.event, .pid = h.pid, .stack = h.stack };

	if (p->nr_fields)
		assert_int_equal(tuples__add(&p->tuples, h.words, &key.fields), 0);
	assert_int_equal(profile__add(p, &key, h.n, h.n, p->nr_metrics ? &h.value : NULL), 0);
	p->losses.seen += h.n;
	p->losses.kept += h.n;
}

/*
 * By process, powers of two of `lat`: 42 has 12 of 1 and 988 of 4 to 7, 7 has 1 below 0.
 * The bucket is between two fields.
 */
static inline struct profile *latencies(const char *unit)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");

	add_field(p, "fd", FIELD_UNSIGNED);
	add_field(p, "lat", FIELD_BUCKET);
	add_field(p, "op", FIELD_TEXT);
	p->buckets = (struct buckets){ .metric = "lat", .unit = unit };
	add_hits(p, (struct hit){ .pid = 7, .n = 1, .words = { 4, -1, text_word(p, "r") } });
	add_hits(p, (struct hit){ .pid = 42, .n = 988, .words = { 3, 3, text_word(p, "r") } });
	add_hits(p, (struct hit){ .pid = 42, .n = 12, .words = { 3, 1, text_word(p, "r") } });
	return p;
}

#endif
