// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "object/tables.h"

/* Two CPUs, 8 slots and one chunk for each CPU and generation, in plain memory. */
enum { CPUS = 2, SLOT_BITS = 3, REGIONS = CPUS * TABLE_GENERATIONS };
/* With words of a session's own, so many that a chunk is a whole number of records. */
enum { FIRST = 12, KEY_WORDS = FIRST + 2 };

struct seen {
	unsigned nr_keys;
	uint64_t count, sum, who;
};

static int take_key(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	struct seen *seen = arg;

	*handle = 100 * s->cpu + s->key->tgid;
	seen->nr_keys++;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t count,
		      uint64_t sum, const struct table_value *values)
{
	struct seen *seen = arg;

	assert_int_equal(handle, 100 * s->cpu + s->key->tgid);
	assert_int_equal(s->key->tid, 0x1000 + s->key->tgid);
	assert_int_equal(s->kernel[0], 0x2000 + s->key->tgid);
	assert_int_equal(s->user[0], 0x3000 + s->key->tgid);
	seen->count += count;
	seen->sum += sum;
	seen->who += s->key->tgid;
	return 0;
}

static int setup(void **state)
{
	struct tables *t = calloc(1, sizeof(*t));

	t->nr_places = CPUS;
	t->first = FIRST;
	t->cfg.lanes = 1;
	t->cfg.slot_bits = SLOT_BITS;
	t->cfg.chunks = 1;
	t->cfg.max_keys = 4;
	t->cpus = calloc(CPUS, sizeof(*t->cpus));
	t->slots = calloc(REGIONS << SLOT_BITS, sizeof(*t->slots));
	t->store = calloc(REGIONS, sizeof(*t->store));
	t->seen = calloc(REGIONS, sizeof(*t->seen));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tables *t = *state;

	for (int i = 0; i < REGIONS; i++)
		free(t->seen[i].handles);
	free(t->cpus);
	free(t->slots);
	free(t->store);
	free(t->seen);
	free(t);
	return 0;
}

/* What the kernel side does for a new key with a frame of the kernel and one of the program. */
static void put(struct tables *t, uint32_t cpu, unsigned gen, uint32_t who, uint32_t slot,
		uint64_t count)
{
	uint32_t region = cpu * TABLE_GENERATIONS + gen;
	struct table_generation *g = &t->cpus[cpu].gen[gen];
	const struct sample_key key = {
		.tgid = who,
		.tid = 0x1000 + who,
		.stack = { .nr_kernel = 1, .nr_user = 1 },
	};
	const struct table_record r = { .slot = slot, .words = TABLE_RECORD_WORDS + KEY_WORDS };
	struct table_chunk *chunk =
		&t->store[region * t->cfg.chunks + g->words / TABLE_CHUNK_WORDS];
	__u64 *at = &chunk->words[g->words % TABLE_CHUNK_WORDS];

	memcpy(at, &r, sizeof(r));
	memcpy(at + TABLE_RECORD_WORDS, &key, sizeof(key));
	at[TABLE_RECORD_WORDS + FIRST] = 0x2000 + who;
	at[TABLE_RECORD_WORDS + FIRST + 1] = 0x3000 + who;
	t->slots[(region << t->cfg.slot_bits) + slot] =
		(struct table_slot){ .count = count, .sum = count * 10, .key = g->keys };
	g->words += r.words;
	g->keys++;
}

/* A program that is under way at a switch: what it writes when it goes on. */
static struct late {
	struct tables *of;
	unsigned gen; /* that it began to write; the other one has to be active by now */
	unsigned nr_waits;
} late;

int __real_grace__wait(void);
int __wrap_grace__wait(void);

int __wrap_grace__wait(void)
{
	late.nr_waits++;
	if (!late.of)
		return __real_grace__wait();
	assert_int_equal(*late.of->active, late.gen ^ 1);
	put(late.of, 0, late.gen, 7, 7, 1);
	return 0;
}

static void counts_come_with_their_keys(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_count, &seen };

	put(t, 0, 0, 1, 5, 3);
	put(t, 0, 0, 2, 6, 4);
	put(t, 1, 0, 3, 0, 5);
	put(t, 1, 1, 9, 1, 100); /* of the other generation */
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(seen.nr_keys, 3);
	assert_int_equal(seen.count, 12);
	assert_int_equal(seen.sum, 120);
	assert_int_equal(seen.who, 6);
}

static void a_drained_generation_is_empty(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_count, &seen };

	put(t, 0, 0, 1, 5, 3);
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(seen.count, 3);
	assert_int_equal(t->slots[5].count, 0);
	put(t, 0, 0, 2, 5, 7);
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(seen.count, 10);
}

static void keys_are_shown_once_and_only_when_they_are_complete(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_count, &seen };

	put(t, 0, 0, 1, 5, 3);
	assert_int_equal(tables__show(t, 0, false, &reader), 0);
	assert_int_equal(seen.nr_keys, 0); /* may still be under way on its CPU */
	assert_int_equal(tables__show(t, 0, false, &reader), 0);
	assert_int_equal(seen.nr_keys, 1);
	assert_int_equal(tables__show(t, 0, false, &reader), 0);
	assert_int_equal(seen.nr_keys, 1);
	t->slots[5].count += 2;
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(seen.nr_keys, 1);
	assert_int_equal(seen.count, 5);
}

/* A record that might not fit leaves the rest of a chunk, marked by 0 words. */
static void the_rest_of_a_chunk_is_skipped(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_count, &seen };
	struct table_chunk *store = calloc(REGIONS * 2, sizeof(*store));

	free(t->store);
	t->store = store;
	t->cfg.chunks = 2;
	put(t, 0, 0, 1, 0, 1);
	t->cpus[0].gen[0].words = TABLE_CHUNK_WORDS; /* what follows 0 words is unused */
	put(t, 0, 0, 2, 1, 1);
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(seen.nr_keys, 2);
	assert_int_equal(seen.who, 3);
}

static void fill_is_by_keys_or_by_words_of_the_fullest_cpu(void **state)
{
	struct tables *t = *state;

	assert_true(tables__fill(t, 0) == 0);
	put(t, 0, 0, 1, 0, 1);
	put(t, 1, 0, 1, 0, 1);
	put(t, 1, 0, 2, 1, 1);
	assert_true(tables__fill(t, 0) == 0.5); /* 2 of 4 keys on CPU 1 */
	assert_true(tables__fill(t, 1) == 0);
	t->cpus[0].gen[1].words = TABLE_CHUNK_WORDS * 3 / 4;
	assert_true(tables__fill(t, 1) == 0.75);
}

/* It is counted by itself: another program may be at work on the rest of the first lane. */
static void what_found_no_lane_was_seen_and_is_lost(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_count, &seen };
	uint64_t nr_seen, lost[TABLE_LOST_NR];

	put(t, 0, 0, 1, 5, 3);
	t->cpus[0].gen[0].seen = 4;
	t->cpus[0].gen[0].lost[TABLE_LOST_SLOTS] = 1;
	t->cpus[0].gen[0].lost[TABLE_LOST_BUSY] = 2;
	assert_int_equal(tables__seen(t), 6);
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(tables__seen(t), 6);
	tables__stats(t, &nr_seen, lost);
	assert_int_equal(nr_seen, 6);
	assert_int_equal(lost[TABLE_LOST_SLOTS], 1);
	assert_int_equal(lost[TABLE_LOST_BUSY], 2);
}

static int closed(void *arg)
{
	assert_int_equal(late.nr_waits, 1); /* the time that the interval has ended */
	return 0;
}

/* One that says it has more frames than there are words, as no program of ours writes it. */
static void a_key_longer_than_its_record_is_refused(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_count, &seen };
	struct sample_key *key = (void *)&t->store[0].words[TABLE_RECORD_WORDS];

	put(t, 0, 0, 1, 5, 3);
	key->stack.nr_user = 2;
	assert_int_equal(tables__drain(t, 0, &reader), -EBADMSG);
	put(t, 0, 1, 1, 5, 3);
	t->first = KEY_WORDS + 1;
	assert_int_equal(tables__drain(t, 1, &reader), -EBADMSG);
	assert_int_equal(seen.nr_keys, 0);
}

/* Three keys of four: more than half full. */
static void what_is_under_way_at_a_switch_is_waited_for(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { closed, take_key, take_count, &seen };
	uint32_t active = 0;

	t->active = &active;
	late = (struct late){ .of = t };
	put(t, 0, 0, 1, 1, 10);
	put(t, 0, 0, 2, 2, 20);
	put(t, 0, 0, 3, 3, 30);
	assert_int_equal(tables__poll(t, false, &reader), 0);
	late.of = NULL;
	assert_int_equal(late.nr_waits, 1);
	assert_int_equal(active, 1);
	assert_int_equal(seen.nr_keys, 4);
	assert_int_equal(seen.count, 61);
}

/* Of a table of 1,000 keys: how many milliseconds at @per_ms, the share that comes in each. */
static unsigned patience(struct tables *t, uint32_t keys, double per_ms)
{
	t->cpus[0].gen[0].keys = keys;
	t->pace.per_ms = per_ms;
	return tables__patience_ms(t);
}

static void a_table_is_looked_at_before_it_is_half_full(void **state)
{
	struct tables *t = *state;
	uint32_t active = 0;

	t->active = &active;
	t->cfg.max_keys = 1000;
	assert_int_equal(patience(t, 0, 0), 100);
	assert_int_equal(patience(t, 0, 0.004), 100);
	assert_int_equal(patience(t, 0, 0.01), 50);
	assert_int_equal(patience(t, 100, 0.01), 40);
	assert_int_equal(patience(t, 0, 1), 10);
	/* Nothing came of late: what may come all at once is as much in each millisecond. */
	assert_int_equal(patience(t, 100, 0), 90);
	assert_int_equal(patience(t, 500, 0), 50);
	assert_int_equal(patience(t, 500, 0.0001), 10);
	assert_int_equal(patience(t, 1000, 0), 10);
}

/* How quickly it fills outlasts a drain: else what fills it in 50 ms is lost half of the time. */
static void an_emptied_table_fills_as_quickly_as_before(void **state)
{
	struct tables *t = *state;
	uint32_t active = 0;

	t->active = &active;
	t->cfg.max_keys = 1000;
	assert_false(tables__is_half_full(t));
	t->cpus[0].gen[0].keys = 501;
	t->pace.ns -= 50000000;
	assert_true(tables__is_half_full(t));
	assert_int_equal(tables__flip(t), 0);
	assert_in_range(tables__patience_ms(t), 20, 60);
	/* It began empty again. */
	t->cpus[0].gen[1].keys = 100;
	t->pace.ns -= 100000000;
	assert_false(tables__is_half_full(t));
	assert_true(t->pace.per_ms > 0 && t->pace.per_ms <= 0.001);
}

/* The first poll has nothing before it; after a drain it began empty. */
static void how_fast_it_fills_is_since_the_last_poll(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { closed, take_key, take_count, &seen };
	const uint64_t a_minute = 60 * 1000000000ull;
	uint32_t active = 0;

	t->active = &active;
	t->cfg.max_keys = 1000;
	t->cpus[0].gen[0].keys = 100;
	assert_int_equal(tables__poll(t, false, &reader), 0);
	assert_true(t->pace.per_ms == 0);
	t->pace.ns -= a_minute;
	t->cpus[0].gen[0].keys = 400;
	assert_int_equal(tables__poll(t, false, &reader), 0);
	assert_int_equal((int)(t->pace.per_ms * 60000 * 10 + 0.5), 3);
	assert_int_equal(tables__flip(t), 0);
	t->pace.ns -= a_minute;
	t->cpus[0].gen[1].keys = 200;
	assert_int_equal(tables__poll(t, false, &reader), 0);
	assert_int_equal((int)(t->pace.per_ms * 60000 * 10 + 0.5), 2);
}

/* Losses and what was seen add up over all times that a table was emptied. */
static void losses_of_all_drains_are_told(void **state)
{
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_count, &seen };
	uint64_t nr_seen, lost[TABLE_LOST_NR];

	for (unsigned i = 1; i <= 3; i++) {
		struct table_generation *g = &t->cpus[0].gen[i % 2];

		g->seen = 100;
		g->lost[TABLE_LOST_SLOTS] = i;
		g->lost[TABLE_LOST_STORE] = 10 * i;
		assert_int_equal(tables__drain(t, i % 2, &reader), 0);
	}
	tables__stats(t, &nr_seen, lost);
	assert_int_equal(nr_seen, 300);
	assert_int_equal(lost[TABLE_LOST_SLOTS], 6);
	assert_int_equal(lost[TABLE_LOST_STORE], 60);
}

enum {
	MANY_KEYS = 6000, /* 288 KB of values */
	MANY_BITS = 13,
	MANY_CHUNKS = 1 + MANY_KEYS * (TABLE_RECORD_WORDS + KEY_WORDS) / TABLE_CHUNK_WORDS,
};

/* Each key's values are its own: the sums of CPU 1's are 2000000 and more. */
static int take_values(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t count,
		       uint64_t sum, const struct table_value *values)
{
	struct seen *seen = arg;

	assert_int_equal(values[0].sum, 2 * s->key->tgid);
	assert_int_equal(values[1].sum, 2 * s->key->tgid + 1);
	assert_int_equal(s->cpu, values[0].sum >= 2000000);
	seen->count += count;
	return 0;
}

static void put_with_values(struct tables *t, uint32_t cpu, uint32_t i, uint32_t slot)
{
	uint32_t who = cpu * 1000000 + i;
	const struct table_value values[2] = { { .sum = 2 * who }, { .sum = 2 * who + 1 } };
	off_t key = cpu * TABLE_GENERATIONS * t->cfg.max_keys + i;

	put(t, cpu, 0, who, slot, 1);
	assert_int_equal(pwrite(t->values_fd, values, sizeof(values), key * sizeof(values)),
			 sizeof(values));
}

/* Of one key, then of more, then of more than stay mapped; regions begin within pages. */
static void values_are_in_the_order_of_keys(void **state)
{
	static const uint32_t sizes[] = { 1, 300, 200, MANY_KEYS, 2 };
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_values, &seen };
	off_t bytes = (off_t)REGIONS * (MANY_KEYS + 1) * 2 * sizeof(struct table_value);
	uint32_t sum = 0;

	free(t->store);
	free(t->slots);
	t->store = calloc(REGIONS * MANY_CHUNKS, sizeof(*t->store));
	t->slots = calloc(REGIONS << MANY_BITS, sizeof(*t->slots));
	t->cfg.chunks = MANY_CHUNKS;
	t->cfg.slot_bits = MANY_BITS;
	t->cfg.max_keys = MANY_KEYS + 1;
	t->cfg.nr_values = 2;
	t->values_fd = memfd_create("values", MFD_CLOEXEC);
	assert_int_equal(ftruncate(t->values_fd, bytes), 0);
	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
		for (uint32_t i = 0; i < sizes[k]; i++) {
			put_with_values(t, 0, i, sizes[k] - 1 - i);
			put_with_values(t, 1, i, i);
		}
		sum += CPUS * sizes[k];
		assert_int_equal(tables__drain(t, 0, &reader), 0);
		assert_int_equal(seen.count, sum);
	}
	for (int i = 0; i < REGIONS; i++)
		if (t->seen[i].values)
			munmap(t->seen[i].values, t->seen[i].values_bytes);
	close(t->values_fd);
}

/* Behind the value that is measured; one for each key. */
static int take_exemplar(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t count,
			 uint64_t sum, const struct table_value *values)
{
	struct seen *seen = arg;
	char comm[TABLE_COMM_BYTES];

	snprintf(comm, sizeof(comm), "comm-%u", s->key->tgid);
	assert_int_equal(values[0].sum, s->key->tgid);
	assert_non_null(s->exemplar);
	assert_int_equal(s->exemplar->time_ns, 1000 + s->key->tgid);
	assert_int_equal(s->exemplar->value, 2000 + s->key->tgid);
	assert_int_equal(s->exemplar->pid_tgid, 3000 + s->key->tgid);
	assert_string_equal(s->exemplar->comm, comm);
	seen->count += count;
	return 0;
}

static void exemplars_are_those_of_their_keys(void **state)
{
	enum { VALUES = 1 + TABLE_EXEMPLAR_VALUES };
	struct tables *t = *state;
	struct seen seen = {};
	const struct rows_reader reader = { NULL, take_key, take_exemplar, &seen };

	t->cfg.nr_values = VALUES;
	t->cfg.exemplars = 1;
	t->values_fd = memfd_create("values", MFD_CLOEXEC);
	assert_int_equal(ftruncate(t->values_fd,
				   REGIONS * t->cfg.max_keys * VALUES * sizeof(struct table_value)),
			 0);
	for (uint32_t who = 1; who <= 3; who++) {
		const off_t key = (who == 3) * TABLE_GENERATIONS * t->cfg.max_keys + (who == 2);
		struct {
			struct table_value measured;
			struct table_exemplar exemplar;
		} of_key = { { .sum = who }, { 1000 + who, 2000 + who, 3000 + who, "", 0 } };

		snprintf(of_key.exemplar.comm, sizeof(of_key.exemplar.comm), "comm-%u", who);
		put(t, who == 3, 0, who, who, 1);
		assert_int_equal(
			pwrite(t->values_fd, &of_key, sizeof(of_key), key * sizeof(of_key)),
			sizeof(of_key));
	}
	assert_int_equal(tables__drain(t, 0, &reader), 0);
	assert_int_equal(seen.count, 3);
	for (int i = 0; i < REGIONS; i++)
		if (t->seen[i].values)
			munmap(t->seen[i].values, t->seen[i].values_bytes);
	close(t->values_fd);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(counts_come_with_their_keys),
		CASE(a_drained_generation_is_empty),
		CASE(keys_are_shown_once_and_only_when_they_are_complete),
		CASE(the_rest_of_a_chunk_is_skipped),
		CASE(what_found_no_lane_was_seen_and_is_lost),
		CASE(a_key_longer_than_its_record_is_refused),
		CASE(what_is_under_way_at_a_switch_is_waited_for),
		CASE(a_table_is_looked_at_before_it_is_half_full),
		CASE(how_fast_it_fills_is_since_the_last_poll),
		CASE(an_emptied_table_fills_as_quickly_as_before),
		CASE(losses_of_all_drains_are_told),
		CASE(values_are_in_the_order_of_keys),
		CASE(exemplars_are_those_of_their_keys),
		CASE(fill_is_by_keys_or_by_words_of_the_fullest_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
