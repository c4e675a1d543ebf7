// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "probe/sample_tables.h"

/* Two CPUs, 8 slots and one chunk for each CPU and generation, in plain memory. */
enum { CPUS = 2, SLOT_BITS = 3, REGIONS = CPUS * SAMPLE_GENERATIONS };

struct seen {
	unsigned nr_stacks;
	uint64_t samples, weight, tids;
};

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	struct seen *seen = arg;

	*handle = 100 * s->cpu + s->key->tid;
	seen->nr_stacks++;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		      uint64_t weight)
{
	struct seen *seen = arg;

	assert_int_equal(handle, 100 * s->cpu + s->key->tid);
	assert_int_equal(s->kernel[0], 0xfff0 + s->key->tid);
	assert_int_equal(s->user[0], 0x1000 + s->key->tid);
	seen->samples += samples;
	seen->weight += weight;
	seen->tids += s->key->tid;
	return 0;
}

static int setup(void **state)
{
	struct sample_tables *t = calloc(1, sizeof(*t));

	t->nr_cpus = CPUS;
	t->slot_bits = SLOT_BITS;
	t->chunks = 1;
	t->max_stacks = 4;
	t->cpus = calloc(CPUS, sizeof(*t->cpus));
	t->slots = calloc(REGIONS << SLOT_BITS, sizeof(*t->slots));
	t->store = calloc(REGIONS, sizeof(*t->store));
	t->seen = calloc(REGIONS, sizeof(*t->seen));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct sample_tables *t = *state;

	for (int i = 0; i < REGIONS; i++)
		free(t->seen[i].handles);
	free(t->cpus);
	free(t->slots);
	free(t->store);
	free(t->seen);
	free(t);
	return 0;
}

/* What the kernel side does for a new stack of one kernel and one user frame. */
static void sample(struct sample_tables *t, uint32_t cpu, unsigned gen, uint32_t tid, uint32_t slot,
		   uint64_t samples)
{
	uint32_t region = cpu * SAMPLE_GENERATIONS + gen;
	struct sample_generation *g = &t->cpus[cpu].gen[gen];
	struct sample_record r = {
		.slot = slot,
		.words = SAMPLE_RECORD_WORDS + 2,
		.key = { .tid = tid, .nr_kernel = 1, .nr_user = 1 },
	};
	__u64 *at = &t->store[region].words[g->words];

	memcpy(at, &r, sizeof(r));
	at[SAMPLE_RECORD_WORDS] = 0xfff0 + tid;
	at[SAMPLE_RECORD_WORDS + 1] = 0x1000 + tid;
	t->slots[(region << SLOT_BITS) + slot] = (struct sample_slot){ .samples = samples,
								       .weight = samples * 10,
								       .record = g->words };
	g->words += r.words;
	g->stacks++;
}

static void counts_come_with_their_stacks(void **state)
{
	struct sample_tables *t = *state;
	struct seen seen = {};
	const struct sampler_fns fns = { NULL, take_stack, take_count, &seen };

	sample(t, 0, 0, 1, 5, 3);
	sample(t, 0, 0, 2, 6, 4);
	sample(t, 1, 0, 3, 0, 5);
	sample(t, 1, 1, 9, 1, 100); /* of the other generation */
	assert_int_equal(sample_tables__drain(t, 0, &fns), 0);
	assert_int_equal(seen.nr_stacks, 3);
	assert_int_equal(seen.samples, 12);
	assert_int_equal(seen.weight, 120);
	assert_int_equal(seen.tids, 6);
}

static void a_drained_generation_is_empty(void **state)
{
	struct sample_tables *t = *state;
	struct seen seen = {};
	const struct sampler_fns fns = { NULL, take_stack, take_count, &seen };

	sample(t, 0, 0, 1, 5, 3);
	assert_int_equal(sample_tables__drain(t, 0, &fns), 0);
	assert_int_equal(sample_tables__drain(t, 0, &fns), 0);
	assert_int_equal(seen.samples, 3);
	assert_int_equal(t->slots[5].samples, 0);
	sample(t, 0, 0, 2, 5, 7);
	assert_int_equal(sample_tables__drain(t, 0, &fns), 0);
	assert_int_equal(seen.samples, 10);
}

static void stacks_are_shown_once_and_only_when_they_are_complete(void **state)
{
	struct sample_tables *t = *state;
	struct seen seen = {};
	const struct sampler_fns fns = { NULL, take_stack, take_count, &seen };

	sample(t, 0, 0, 1, 5, 3);
	assert_int_equal(sample_tables__show(t, 0, false, &fns), 0);
	assert_int_equal(seen.nr_stacks, 0); /* may still be under way on its CPU */
	assert_int_equal(sample_tables__show(t, 0, false, &fns), 0);
	assert_int_equal(seen.nr_stacks, 1);
	assert_int_equal(sample_tables__show(t, 0, false, &fns), 0);
	assert_int_equal(seen.nr_stacks, 1);
	t->slots[5].samples += 2;
	assert_int_equal(sample_tables__drain(t, 0, &fns), 0);
	assert_int_equal(seen.nr_stacks, 1);
	assert_int_equal(seen.samples, 5);
}

/* A record that might not fit leaves the rest of a chunk, marked by 0 words. */
static void the_rest_of_a_chunk_is_skipped(void **state)
{
	struct sample_tables *t = *state;
	struct seen seen = {};
	const struct sampler_fns fns = { NULL, take_stack, take_count, &seen };
	struct sample_chunk *store = calloc(REGIONS * 2, sizeof(*store));

	free(t->store);
	t->store = store;
	t->chunks = 2;
	sample(t, 0, 0, 1, 0, 1);
	t->cpus[0].gen[0].words = SAMPLE_CHUNK_WORDS; /* what follows 0 words is unused */
	sample(t, 0, 0, 2, 1, 1);
	assert_int_equal(sample_tables__drain(t, 0, &fns), 0);
	assert_int_equal(seen.nr_stacks, 2);
	assert_int_equal(seen.tids, 3);
}

static void fill_is_by_stacks_or_by_words_of_the_fullest_cpu(void **state)
{
	struct sample_tables *t = *state;

	assert_true(sample_tables__fill(t, 0) == 0);
	sample(t, 0, 0, 1, 0, 1);
	sample(t, 1, 0, 1, 0, 1);
	sample(t, 1, 0, 2, 1, 1);
	assert_true(sample_tables__fill(t, 0) == 0.5); /* 2 of 4 stacks on CPU 1 */
	assert_true(sample_tables__fill(t, 1) == 0);
	t->cpus[0].gen[1].words = SAMPLE_CHUNK_WORDS * 3 / 4;
	assert_true(sample_tables__fill(t, 1) == 0.75);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(counts_come_with_their_stacks),
		CASE(a_drained_generation_is_empty),
		CASE(stacks_are_shown_once_and_only_when_they_are_complete),
		CASE(the_rest_of_a_chunk_is_skipped),
		CASE(fill_is_by_stacks_or_by_words_of_the_fullest_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
