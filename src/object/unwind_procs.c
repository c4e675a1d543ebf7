// SPDX-License-Identifier: BSD-2-Clause
#include "object/unwind_procs.h"

#include <errno.h>

/* In a bucket of 16: numbers do not fall evenly. */
enum { PROCS_EXPECTED = 6, BUCKETS_MAX = 1 << 20 };

uint32_t unwind_procs__buckets(uint64_t nr)
{
	const uint64_t buckets = nr / PROCS_EXPECTED + 1;

	return buckets > BUCKETS_MAX ? BUCKETS_MAX : buckets;
}

static struct unwind_bucket *bucket_of(struct unwind_bucket *at, uint32_t nr_buckets, uint32_t pid)
{
	return &at[UNWIND_BUCKET_OF(pid, nr_buckets)];
}

/* The place of a process, 0: of none; UNWIND_BUCKET_PROCS: it has none. */
static uint32_t place_of(const struct unwind_bucket *b, uint32_t pid)
{
	uint32_t i = 0;

	while (i < UNWIND_BUCKET_PROCS && UNWIND_KEY_PID(b->keys[i]) != pid)
		i++;
	return i;
}

static void set_key(struct unwind_bucket *b, uint32_t place, uint32_t pid, uint32_t state)
{
	__atomic_store_n(&b->keys[place], UNWIND_PROC_KEY(pid, state), __ATOMIC_RELEASE);
}

static void write_state(struct unwind_proc *p, uint32_t pid, uint64_t life, uint32_t first,
			uint32_t nr)
{
	volatile typeof(p->check) *check = &p->check;
	const uint64_t is = UNWIND_PROC_CHECK(pid, life, first, nr);

	*check = ~is;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	p->mm = 0;
	p->life = life;
	p->first = first;
	p->nr = nr;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*check = is;
}

int unwind_procs__put(struct unwind_bucket *at, uint32_t nr_buckets, uint32_t pid, uint64_t life,
		      uint32_t first, uint32_t nr)
{
	struct unwind_bucket *b = bucket_of(at, nr_buckets, pid);
	uint32_t place = place_of(b, pid), state;

	if (place == UNWIND_BUCKET_PROCS)
		place = place_of(b, 0);
	if (place == UNWIND_BUCKET_PROCS)
		return -E2BIG;
	/* Also of a free one: a program may be at work in what was there before. */
	state = !UNWIND_KEY_STATE(b->keys[place]);
	write_state(&b->states[2 * place + state], pid, life, first, nr);
	set_key(b, place, pid, state);
	return 0;
}

void unwind_procs__forget(struct unwind_bucket *at, uint32_t nr_buckets, uint32_t pid)
{
	struct unwind_bucket *b = bucket_of(at, nr_buckets, pid);
	const uint32_t place = place_of(b, pid);

	if (place < UNWIND_BUCKET_PROCS)
		set_key(b, place, 0, UNWIND_KEY_STATE(b->keys[place]));
}
