/* SPDX-License-Identifier: BSD-2-Clause */
/* Small counting runs made by hand, for tests. */
#ifndef TESTS_UNIT_COUNTINGS_H
#define TESTS_UNIT_COUNTINGS_H

#include <math.h>

#include "profiles.h"

#include "model/counts.h"

/* HOSTILE as the model keeps it: 0xff became U+FFFD. */
#define HOSTILE_VALID "a;b\"c'd<e>f&g\\h\n\033[31m\xef\xbf\xbd]]>"

#define assert_near(a, b, by)                                                                      \
	do {                                                                                       \
		double a_ = (a), b_ = (b);                                                         \
		if (!(fabs(a_ - b_) <= (by)))                                                      \
			fail_msg("%.17g is not %.17g", a_, b_);                                    \
	} while (0)

static inline struct counts *new_counts(enum counts_by by)
{
	struct counts *c = counts__new();

	assert_non_null(c);
	c->by = by;
	c->duration_ns = 2000000000;
	return c;
}

static inline void add_counter(struct counts *c, const char *name, enum count_role role, int group)
{
	bool clock = role == ROLE_TASK_CLOCK || role == ROLE_CPU_CLOCK;
	const struct counts_event e = {
		.name = name,
		.unit = clock ? "ns" : "",
		.scale = 1,
		.group = group,
		.software = clock,
		.role = role,
	};

	assert_int_equal(counts__event(c, &e), 0);
}

/* Counted all of a second. */
static inline struct event_count counted(uint64_t n)
{
	return (struct event_count){ n, n, 1000000000, 1000000000, COUNT_COUNTED };
}

/* Counted @percent of a second. */
static inline struct event_count part(uint64_t raw, uint64_t percent)
{
	struct event_count c = { .raw = raw, .enabled_ns = 1000000000 };

	c.running_ns = percent * 10000000;
	event_count__settle(&c);
	return c;
}

static inline struct event_count absent(enum count_state state)
{
	return (struct event_count){ .state = state };
}

/* A row with this key and these values, one for each event. */
#define ADD_VALUES(c, k, ...)                                                                      \
	do {                                                                                       \
		const struct event_count values_[] = { __VA_ARGS__ };                              \
		const struct counts_key key_ = k;                                                  \
		struct counts_row *row_;                                                           \
		assert_int_equal(ARRAY_SIZE(values_), (c)->nr_events);                             \
		assert_int_equal(counts__row(c, &key_, &row_), 0);                                 \
		memcpy(row_->values, values_, sizeof(values_));                                    \
	} while (0)

static inline struct counts_key task(const char *comm, uint32_t pid, uint32_t tid)
{
	return (struct counts_key){ .comm = comm, .pid = pid, .tid = tid };
}

static inline struct counts_key of_cpu(uint32_t cpu)
{
	return (struct counts_key){ .cpu = cpu };
}

static inline struct counts_key of_cgroup(const char *path)
{
	return (struct counts_key){ .cgroup = path };
}

/* One row, finished. */
#define SET_VALUES(c, ...)                                                                         \
	do {                                                                                       \
		ADD_VALUES(c, of_cpu(0), __VA_ARGS__);                                             \
		counts__finish(c);                                                                 \
	} while (0)

#endif
