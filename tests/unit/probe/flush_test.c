// SPDX-License-Identifier: BSD-2-Clause
/* At the end of an interval: programs that are under way may still write the table it is read from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "probe/func_session.h"
#include "probe/count_session.h"
#include "probe/sample_session.h"

enum { SLOT_BITS = 3, KEY_WORDS = SAMPLE_KEY_WORDS };

/* A table of one CPU in plain memory. */
struct memory {
	uint32_t active;
	struct table_cpu cpu;
	struct table_slot slots[TABLE_GENERATIONS << SLOT_BITS];
	struct tables_seen seen[TABLE_GENERATIONS];
	struct table_chunk store[TABLE_GENERATIONS];
};

static struct memory memory;
static struct tables *table;
static unsigned nr_waits, nr_closed;
static uint64_t total;

static void set_up(struct object *o)
{
	memset(&memory, 0, sizeof(memory));
	nr_waits = nr_closed = total = 0;
	o->tables.first = KEY_WORDS;
	table = &o->tables;
	*table = (struct tables){ .cpus = &memory.cpu,
				  .slots = memory.slots,
				  .store = memory.store,
				  .seen = memory.seen,
				  .active = &memory.active,
				  .nr_places = 1 };
	table->cfg.lanes = 1;
	table->cfg.slot_bits = SLOT_BITS;
	table->cfg.chunks = 1;
	table->cfg.max_keys = 4;
}

/* As a program does that began while this generation was active. */
static void hit(unsigned gen, uint32_t slot, uint64_t count)
{
	struct table_generation *g = &memory.cpu.gen[gen];
	struct table_record r = { .slot = slot, .words = TABLE_RECORD_WORDS + KEY_WORDS };

	memcpy(&memory.store[gen].words[g->words], &r, sizeof(r));
	memory.slots[(gen << SLOT_BITS) + slot] =
		(struct table_slot){ .count = count, .sum = count, .key = g->keys };
	g->words += r.words;
	g->keys++;
	g->seen += count;
}

int __wrap_grace__wait(void);

/* It has ended when the wait has; other programs write the other generation by then. */
int __wrap_grace__wait(void)
{
	assert_int_equal(memory.active, 1);
	nr_waits++;
	hit(0, 5, 100);
	hit(1, 6, 1000);
	return 0;
}

static int closed(void *arg)
{
	assert_int_equal(nr_waits, 1);
	nr_closed++;
	return 0;
}

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	*handle = 0;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t count,
		      uint64_t weight, const struct table_value *values)
{
	total += count;
	return 0;
}

static const struct rows_reader fns = { .closed = closed,
					.stack = take_stack,
					.count = take_count };

static void assert_all_of_the_interval(int err)
{
	assert_int_equal(err, 0);
	assert_int_equal(nr_waits, 1);
	assert_int_equal(nr_closed, 1);
	assert_int_equal(total, 103); /* and nothing of the next one */
	for (size_t i = 0; i < TABLE_GENERATIONS; i++)
		free(memory.seen[i].handles);
}

static void of_samples(void **state)
{
	struct sampler s = { .session = { .fns = &sampler__fns, .stopped = true } };

	set_up(&s.object);
	hit(0, 1, 3);
	assert_all_of_the_interval(session__flush(&s.session, &fns));
}

static void of_hits(void **state)
{
	struct hook hook = {}, *hooks[] = { &hook };
	struct count h = { .session.fns = &count__fns, .hooks = hooks, .nr_hooks = 1 };

	set_up(&hook.object);
	hit(0, 1, 3);
	assert_all_of_the_interval(session__flush(&h.session, &fns));
}

static void of_calls(void **state)
{
	struct pair pair = {}, *pairs[] = { &pair };
	struct func c = { .session.fns = &func__fns, .pairs = pairs, .nr_pairs = 1 };

	set_up(&pair.object);
	hit(0, 1, 3);
	assert_all_of_the_interval(session__flush(&c.session, &fns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_samples),
		cmocka_unit_test(of_hits),
		cmocka_unit_test(of_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
