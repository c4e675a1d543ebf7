// SPDX-License-Identifier: BSD-2-Clause
/* The life that sessions of all kinds have in common. */
#include "probe/session.h"

#include <unistd.h>

#include "base/log.h"
#include "object/grace.h"
#include "object/run_time.h"
#include "probe/object.h"

enum { PATIENCE_MS = 100 }; /* while nothing fills up */

#define for_each_object(o, s) for (size_t i_ = 0; ((o) = (s)->fns->object((s), i_)) != NULL; i_++)

static int call(struct session *s, int (*fn)(struct session *s))
{
	return fn ? fn(s) : 0;
}

static uint64_t missed_by(const struct session *s, const struct object *o)
{
	return s->fns->missed ? s->fns->missed(s, o) : 0;
}

/* Whether any of its objects has a switch. */
static bool turn(struct session *s, bool on)
{
	struct object *o;
	bool any = false;

	for_each_object(o, s)
	{
		if (!o->on)
			continue;
		__atomic_store_n(o->on, on, __ATOMIC_RELEASE);
		any = true;
	}
	return any;
}

int session__start(struct session *s)
{
	struct object *o;
	int err = call(s, s->fns->start);

	for_each_object(o, s) o->missed_before = missed_by(s, o);
	if (err)
		return err;
	turn(s, true);
	return call(s, s->fns->started);
}

int session__stop(struct session *s)
{
	bool waits = turn(s, false);
	struct object *o;
	int err;

	s->stopped = true;
	err = call(s, s->fns->stop);
	for_each_object(o, s) o->missed = missed_by(s, o) - o->missed_before;
	/* Programs that have seen their switch on may still be running. */
	return err || !waits ? err : grace__wait();
}

static int read_rest(struct session *s, const struct rows_reader *reader)
{
	return s->fns->rest ? s->fns->rest(s, reader) : 0;
}

int session__poll(struct session *s, const struct rows_reader *reader)
{
	int err = call(s, s->fns->before_poll);
	struct object *o;

	for_each_object(o, s) if (!err && !o->has_no_keys) err =
		tables__poll(&o->tables, s->stopped, reader);
	return err || !s->stopped ? err : read_rest(s, reader);
}

int session__drain(struct session *s, const struct rows_reader *reader)
{
	bool waits = false;
	struct object *o;
	int err = 0;

	for_each_object(o, s) if (!o->has_no_keys)
	{
		o->old = tables__flip(&o->tables);
		waits = true;
	}
	if (waits)
		err = s->fns->wait ? s->fns->wait(s) : grace__wait();
	if (!err)
		err = reader->closed(reader->arg);
	for_each_object(o, s) if (!err && !o->has_no_keys) err =
		tables__drain(&o->tables, o->old, reader);
	return err ? err : read_rest(s, reader);
}

int session__flush(struct session *s, const struct rows_reader *reader)
{
	int err = call(s, s->fns->before_flush);

	return err ? err : session__drain(s, reader);
}

bool session__is_half_full(struct session *s)
{
	struct object *o;
	bool any = false;

	for_each_object(o, s) if (!o->has_no_keys) any |= tables__is_half_full(&o->tables);
	return any;
}

unsigned session__patience_ms(const struct session *s)
{
	unsigned least = PATIENCE_MS;
	const struct object *o;

	for_each_object(o, s) if (tables__patience_ms(&o->tables) < least) least =
		tables__patience_ms(&o->tables);
	return least;
}

struct unwind_maps *session__unwind(const struct session *s)
{
	struct object *o = s->fns->object(s, 0);

	return o && o->unwind.rows.at ? &o->unwind : NULL;
}

uint64_t session__seen(const struct session *s)
{
	uint64_t sum = s->fns->rest_seen ? s->fns->rest_seen(s) : 0;
	const struct object *o;

	for_each_object(o, s) if (!o->has_no_keys) sum += tables__seen(&o->tables);
	return sum;
}

void session__losses(const struct session *s, struct losses *out)
{
	s->fns->losses(s, out);
}

uint64_t session__own_ns(struct session *s)
{
	const struct object *o;
	uint64_t sum = 0;

	/* Without a free descriptor it is what it was. */
	if (s->is_measured && !run_time__ns(&sum) && sum > s->run_ns)
		s->run_ns = sum;
	if (s->is_measured)
		return s->run_ns;
	for_each_object(o, s) sum += tables__own_ns(&o->tables);
	return sum;
}

int session__measure_cost(struct session *s, struct buf *why)
{
	const int err = run_time__measure(&s->run_time, why);

	s->is_measured = !err;
	return err;
}

void session__tell(const struct session *s)
{
	if (s->fns->tell)
		s->fns->tell(s);
}

int session__times(const struct session *s, uint32_t source, uint64_t *enabled_ns,
		   uint64_t *running_ns)
{
	*enabled_ns = *running_ns = 0;
	return s->fns->times ? s->fns->times(s, source, enabled_ns, running_ns) : 0;
}

uint64_t session__passed_over(const struct session *s, uint32_t source)
{
	return s->fns->passed_over ? s->fns->passed_over(s, source) : 0;
}

void session__check(const struct session *s, struct unwind_check *check)
{
	if (s->fns->check)
		s->fns->check(s, check);
}

void session__close(struct session *s)
{
	if (s && s->is_measured)
		close(s->run_time);
	if (s)
		s->fns->close(s);
}

void session__add_loss(struct losses *l, struct loss loss, uint64_t n)
{
	loss.n = n;
	if (n)
		losses__add(l, &loss);
}

void session__add_losses(struct losses *l, const struct loss *texts, const uint64_t *lost,
			 size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		session__add_loss(l, texts[i], lost[i]);
}

void session__tell_dropped(uint64_t children)
{
	if (children)
		log__notice("%llu new processes were not followed: more than 16384 at once",
			    (unsigned long long)children);
}
