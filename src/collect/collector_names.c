// SPDX-License-Identifier: BSD-2-Clause
/* Stacks and their counts on the way into the profile: at once, or when their names are there. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "collect/collector_state.h"

static const uint64_t NAMES_NS = 5 * 1000000;	    /* per poll, for stacks that waited */
static const uint64_t MAPS_NS = 5 * 1000000;	    /* per poll, for large maps of processes */
static const uint64_t WAIT_NS = 60 * 1000000000ull; /* a stack, while sampling goes on */
static const uint64_t STEP_NS = 20 * 1000000;	    /* of that, between two looks */
static const unsigned STALLED_LOOKS = 4; /* without CPU time of the naming thread: a disk */

static int name_stack(struct collector *c, const struct sample_stack *s, bool hurry,
		      uint32_t *handle)
{
	struct namer *namer = tracker__namer(c->tracker);
	int err = collector__keep_to_room(c);

	if (err)
		return err;
	namer__hurry(namer, hurry);
	err = stacks__name(c->stacks, s, handle);
	namer__hurry(namer, false);
	if (err != -ENOSPC)
		return err;
	*handle = STACK_DROPPED;
	return 0;
}

int collector__take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	struct collector *c = arg;
	bool hurry = waiting__bytes(c->waiting) > collector__wait_bytes(c);
	int err = name_stack(c, s, hurry, handle);

	if (err != -EAGAIN)
		return err;
	err = waiting__put(c->waiting, s, handle);
	if (!err && *handle & STACK_BITS)
		err = -E2BIG;
	*handle |= STACK_WAITS;
	return err;
}

static void count_flaws(struct collector *c, uint16_t flaws, uint32_t handle, uint64_t samples)
{
	static const uint16_t reasons[] = {
		[STACK_CUT >> STACK_REASON_SHIFT] = STACK_USER_TRUNCATED,
		[STACK_UNREADABLE >> STACK_REASON_SHIFT] = STACK_USER_UNREADABLE,
		[STACK_BROKEN >> STACK_REASON_SHIFT] = STACK_USER_BROKEN,
		[STACK_NO_RULE >> STACK_REASON_SHIFT] = STACK_USER_NO_RULE,
		[STACK_BAD_RULE >> STACK_REASON_SHIFT] = STACK_USER_BAD_RULE,
		[STACK_UNKNOWN >> STACK_REASON_SHIFT] = STACK_USER_UNKNOWN,
		[STACK_GONE >> STACK_REASON_SHIFT] = 0, /* only user space can find that */
	};

	/* Of the user half the program's flaws are hints: stacks__name() has decided. */
	flaws &= STACK_NOT_OF_USER;
	flaws |= reasons[(handle & STACK_REASON) >> STACK_REASON_SHIFT];
	for (unsigned i = 0; i < COLLECTOR_GONE; i++)
		if (flaws & 1u << i)
			c->flaws[i] += samples;
	if ((handle & STACK_REASON) == STACK_GONE)
		c->flaws[COLLECTOR_GONE] += samples;
	if (handle & STACK_UNNAMED)
		c->flaws[COLLECTOR_UNNAMED] += samples;
}

/* Fills in the key's event, and the fields of its probe. @cgroup: its path, or NULL. */
static int take_probe(struct collector *c, const struct sample_stack *s, const char *cgroup,
		      struct row_key *key)
{
	uint32_t source = s->key->stack.source;

	key->event = source;
	if (!c->probes)
		return source < c->profile->nr_events ? 0 : -EBADMSG;
	if (source >= c->nr_probes)
		return -EBADMSG;
	key->event = c->probes[source].event;
	if (!c->fields.nr)
		return 0;
	return rowfields__take(&c->fields, c->profile, s, &c->probes[source], cgroup, &key->fields);
}

static int take_key(struct collector *c, const struct sample_stack *s, struct row_key *key)
{
	const char *cgroup = NULL;
	int err = 0;

	if (c->by & BY_PID)
		key->pid = s->key->tgid;
	if (c->by & BY_TID)
		key->tid = s->key->tid;
	if (c->by & BY_CPU)
		key->cpu = s->cpu;
	if (c->cgroups)
		cgroup = cgroups__path(c->cgroups, s->key->cgroup);
	if (c->by & BY_CGROUP && cgroup)
		err = profile__string(c->profile, cgroup, strlen(cgroup), &key->cgroup);
	return err ? err : take_probe(c, s, cgroup, key);
}

/* What is new to a profile that is full is left out: it is no number. */
static int take_exemplar(struct collector *c, const struct table_exemplar *from,
			 struct profile_exemplar *e)
{
	const uint64_t now_ns = clock__now_ns(), wall_ns = clock__wall_ns();
	int err = profile__string(c->profile, from->comm, strnlen(from->comm, sizeof(from->comm)),
				  &e->comm);

	if (err)
		return err == -ENOSPC ? 0 : err;
	e->time_ns = wall_ns - (now_ns - from->time_ns);
	e->value = from->value;
	e->pid = from->pid_tgid >> 32;
	e->tid = (uint32_t)from->pid_tgid;
	return 0;
}

static int add_exemplar(struct collector *c, const struct row_key *key,
			const struct profile_exemplar *e)
{
	uint32_t row;
	int err = e->time_ns ? profile__row(c->profile, key, &row) : 0;

	return err || !e->time_ns ? err : profile__exemplify(c->profile, row, e);
}

/* In the window of time in which it was sampled. */
static int add_row(struct collector *c, const struct row_key *key, const struct waiting_count *n)
{
	uint32_t window, row;
	int err;

	if (n->first_ns < c->start_ns ||
	    !windows__at(&c->profile->windows, n->first_ns - c->start_ns, &window))
		return profile__add(c->profile, key, n->samples, n->weight,
				    c->profile->nr_metrics ? n->values : NULL);
	err = profile__row(c->profile, key, &row);
	return err ? err : profile__grow_late(c->profile, window, row, n->samples, n->weight);
}

/*
 * What the members of the event's group have counted at its samples: rows of their own, without
 * samples. All have room, or none is added.
 */
static int add_members(struct collector *c, const struct row_key *key,
		       const struct waiting_count *n)
{
	struct waiting_count counted = *n;
	struct row_key row = *key;
	uint32_t id;
	int err = 0;

	if (!n->values || !c->nr_members)
		return 0;
	for (uint32_t i = 0; i < c->nr_members && !err; i++) {
		row.event = c->nr_sampled + i;
		err = n->values[i].sum ? profile__row(c->profile, &row, &id) : 0;
	}
	if (!err)
		err = profile__row(c->profile, key, &id);
	counted.samples = 0;
	counted.values = NULL;
	for (uint32_t i = 0; i < c->nr_members && !err; i++) {
		row.event = c->nr_sampled + i;
		counted.weight = n->values[i].sum;
		err = counted.weight ? add_row(c, &row, &counted) : 0;
	}
	return err;
}

static int add_count(void *arg, uint32_t handle, const struct waiting_count *count)
{
	struct collector *c = arg;
	struct row_key key = count->key;
	int err = -ENOSPC;

	key.stack = stacks__node(handle);
	if (!count->dropped && handle != STACK_DROPPED) {
		err = add_members(c, &key, count);
		if (!err)
			err = add_row(c, &key, count);
		if (!err)
			err = add_exemplar(c, &key, &count->exemplar);
	}
	if (err == -ENOSPC) {
		c->room.nr_full += count->samples;
		return 0;
	}
	if (err)
		return err;
	c->profile->losses.kept += count->samples;
	/* Rows with the caller's frame alone have no stack that could be cut. */
	if (c->by & (BY_KSTACK | BY_USTACK))
		count_flaws(c, count->flaws, handle, count->samples);
	else
		count_flaws(c, 0, handle, count->samples);
	return 0;
}

static int name_waiting(void *arg, const struct sample_stack *s, bool hurry, uint32_t *handle)
{
	return name_stack(arg, s, hurry, handle);
}

static struct waiting_fns waiting_fns(struct collector *c)
{
	return (struct waiting_fns){ name_waiting, add_count, c };
}

int collector__take_count(void *arg, const struct sample_stack *s, uint32_t handle,
			  uint64_t samples, uint64_t weight, const struct table_value *values)
{
	struct collector *c = arg;
	const struct waiting_fns fns = waiting_fns(c);
	/* Of members only the rows of their leader have values. */
	const bool has_members = c->nr_members && !s->key->stack.source;
	const size_t nr_values = has_members ? c->nr_members : c->profile->nr_metrics;
	struct profile_value all[FUNC_VALUES_MAX] = {};
	struct waiting_count count = {
		.flaws = s->key->stack.flaws,
		.first_ns = s->first_ns,
		.samples = samples,
		.weight = weight,
		.values = nr_values ? all : NULL,
	};
	int err = collector__keep_to_room(c);

	if (!err)
		err = take_key(c, s, &count.key);
	count.dropped = err == -ENOSPC;
	if (err && !count.dropped)
		return err;
	err = count.dropped || !s->exemplar ? 0 : take_exemplar(c, s->exemplar, &count.exemplar);
	if (err)
		return err;
	for (size_t i = 0; values && i < nr_values && i < ARRAY_SIZE(all); i++)
		all[i] = (struct profile_value){ values[i].sum, values[i].min, values[i].max };
	return handle & STACK_WAITS ? waiting__count(c->waiting, handle & ~STACK_BITS, &count, &fns)
				    : add_count(c, handle, &count);
}

int collector__name_waiting(struct collector *c)
{
	const struct waiting_fns fns = waiting_fns(c);
	uint64_t now_ns = clock__now_ns(), hurry_ns = 0;
	size_t nr = 0, nr_read = 0;
	int err = procs__read_on(tracker__procs(c->tracker), MAPS_NS, &nr_read);

	if (!err)
		err = namer__take(tracker__namer(c->tracker), &nr);
	if (!c->stopped && now_ns > WAIT_NS && waiting__since_ns(c->waiting) < now_ns - WAIT_NS)
		hurry_ns = now_ns - WAIT_NS;
	if (err || (!nr && !nr_read && !c->retry && !hurry_ns))
		return err;
	err = waiting__name(c->waiting, NAMES_NS, hurry_ns, &fns);
	c->retry = err == 1;
	return err < 0 ? err : 0;
}

bool collector__has_names_to_do(const struct collector *c)
{
	return c->retry || procs__nr_reading(tracker__procs(c->tracker));
}

/* One wait of STEP_NS at most. *busy_ns: the naming thread's CPU time by then. */
static int await_step(struct collector *c, uint64_t until_ns, uint64_t *busy_ns)
{
	struct namer *namer = tracker__namer(c->tracker);
	uint64_t step_ns = clock__now_ns() + STEP_NS;
	int err;

	if (!collector__has_names_to_do(c))
		(void)namer__wait(namer, step_ns < until_ns ? step_ns : until_ns);
	*busy_ns = namer__cpu_ns(namer);
	err = tracker__update(c->tracker, clock__now_ns() - TRACKER_LAG_NS);
	return err ? err : collector__name_waiting(c);
}

/* The kernel's tables have room for what comes in another STEP_NS. */
static bool has_room(const struct collector *c)
{
	return session__patience_ms(c->session) * 1000000ull >= STEP_NS;
}

uint64_t collector__names_ns(uint64_t interval_ns)
{
	static const uint64_t MAX_NS = 200 * 1000000;

	return interval_ns / 4 < MAX_NS ? interval_ns / 4 : MAX_NS;
}

/*
 * Counts looks, not time: a CPU that others have for a while is kept from the naming thread and
 * from this one alike.
 */
int collector__await_names(struct collector *c, uint64_t names_ns, bool last)
{
	const uint64_t until_ns = clock__now_ns() + names_ns;
	uint64_t busy_ns = 0, last_ns = 0;
	unsigned nr_still = 0;
	int err = 0;

	while (!err && waiting__nr(c->waiting) && clock__now_ns() < until_ns) {
		err = await_step(c, until_ns, &busy_ns);
		if (busy_ns != last_ns || collector__has_names_to_do(c))
			nr_still = 0;
		else if (++nr_still == STALLED_LOOKS)
			break;
		if (!last && !has_room(c))
			break;
		last_ns = busy_ns;
	}
	return err;
}

int collector__name_all(struct collector *c)
{
	const struct waiting_fns fns = waiting_fns(c);
	size_t nr;
	int err = namer__take(tracker__namer(c->tracker), &nr);

	if (!err)
		err = waiting__name(c->waiting, UINT64_MAX, UINT64_MAX, &fns);
	c->retry = false;
	return err;
}
