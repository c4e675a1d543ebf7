// SPDX-License-Identifier: BSD-2-Clause
/*
 * Charges the tasks that run on each CPU at a flush, and opens events again on CPUs that come back.
 *
 * A CPU that goes offline takes its perf events off for good (perf_event_exit_cpu(),
 * kernel/events/core.c). When it is back they can be read as before, but stand still, so they are
 * opened again. If it was offline between two looks, as in a suspended machine, the only sign is
 * that they were enabled for less time than has passed.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "object/grace.h"
#include "perf/open.h"
#include "probe/top_session.h"

/* Runs a program on a CPU. 0; -ENXIO: it is offline; another -errno. */
static int run_on(uint32_t cpu, const struct bpf_program *prog)
{
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts),
		.flags = BPF_F_TEST_RUN_ON_CPU,
		.cpu = cpu,
	};

	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
}

/* Adds up enabled and running times, as the program top_now has just read them. */
static void take_times(struct top *t, struct top_place *p, const struct top_cpu *now)
{
	/* Up to now nobody was charged there. */
	if (!p->told.since_ns)
		return;
	p->passed_ns = now->since_ns - p->told.since_ns;
	for (size_t i = 0; i < t->nr_events; i++) {
		uint64_t enabled_ns = now->enabled_ns[i] - p->told.enabled_ns[i];

		if (t->how[i] != TOP_COUNTER_PERF)
			continue;
		t->enabled_ns[i] += enabled_ns;
		t->running_ns[i] += now->running_ns[i] - p->told.running_ns[i];
		if (enabled_ns > p->counted_ns)
			p->counted_ns = enabled_ns;
	}
}

static void keep_times(struct top_cpu *of, const struct top_cpu *from)
{
	memcpy(of->enabled_ns, from->enabled_ns, sizeof(of->enabled_ns));
	memcpy(of->running_ns, from->running_ns, sizeof(of->running_ns));
}

/* Charges the task that runs on a CPU, if it is online, and reads what is known of the CPU. */
static int look_at(struct top *t, uint32_t cpu)
{
	struct top_place *p = &t->places[cpu];
	struct top_cpu now;
	int err = run_on(cpu, t->skel->progs.top_now);

	if (err && err != -ENXIO)
		return err;
	p->is_online = !err;
	err = bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.running), &cpu, &now);
	if (err)
		return err;
	p->passed_ns = p->counted_ns = 0;
	if (p->is_online && !now.is_unknown)
		take_times(t, p, &now);
	else
		keep_times(&now, &p->told);
	p->told = now;
	return 0;
}

int top__turn_events(struct top *t, uint32_t cpu)
{
	int err = 0;

	for (size_t e = 0; e < t->nr_events && !err; e++) {
		const size_t at = cpu * TOP_EVENTS + e;
		const int fd = at < t->counters.nr ? t->counters.fds[at] : -1;

		if (fd >= 0)
			err = e < t->thrift.nr_events ? perf_enable(fd) : perf_disable(fd);
	}
	return err;
}

static int drop_counters(struct top *t, uint32_t cpu)
{
	static const struct top_cpu none;

	keep_times(&t->places[cpu].told, &none);
	return cpu_counters__drop(&t->counters, &t->counted, cpu,
				  bpf_map__fd(t->skel->maps.counters));
}

/*
 * Opens a CPU's events anew. Parts of tasks' runs from the first look here to the second are lost,
 * and counted as such: events cannot be read between, so that no count is the difference of the old
 * event and the new one.
 */
static int renew_counters(struct top *t, uint32_t cpu)
{
	struct buf why = {};
	int err = drop_counters(t, cpu);

	if (!err)
		err = look_at(t, cpu);
	if (err)
		return err;
	err = cpu_counters__reopen(&t->counters, &t->counted, cpu,
				   bpf_map__fd(t->skel->maps.counters), &why);
	/* Tried again at the next flush; until then losses tell. */
	if (err)
		log__debug("CPU %u: its events cannot be opened: %s", (unsigned)cpu,
			   why.len ? why.data : strerror(-err));
	buf__free(&why);
	if (!err)
		err = top__turn_events(t, cpu);
	return err ? err == -ENOMEM ? err : 0 : look_at(t, cpu);
}

int top__renew_all(struct top *t)
{
	int err = 0;

	for (uint32_t cpu = 0; cpu < t->object.tables.nr_places && !err; cpu++)
		if (t->places[cpu].is_online)
			err = renew_counters(t, cpu);
	return err;
}

/*
 * Renews events that stand still. Enabled times may lag behind the clock by a 16th; below that a
 * second look decides: events that have not moved since the first are dead.
 */
static int mend_counters(struct top *t, uint32_t cpu)
{
	struct top_place *p = &t->places[cpu];
	int err;

	if (!cpu_counters__are_open(&t->counters, &t->counted, cpu))
		return renew_counters(t, cpu);
	if (p->counted_ns >= p->passed_ns - p->passed_ns / 16)
		return 0;
	err = look_at(t, cpu);
	return err || p->counted_ns ? err : renew_counters(t, cpu);
}

static int mend_all(struct top *t)
{
	bool have_counters = false;
	int err = 0;

	for (size_t i = 0; i < t->thrift.nr_events; i++)
		have_counters |= t->how[i] == TOP_COUNTER_PERF;
	for (uint32_t cpu = 0; cpu < t->object.tables.nr_places && have_counters && !err; cpu++)
		if (t->places[cpu].is_online)
			err = mend_counters(t, cpu);
	return err;
}

static bool has_left(const struct top_place *p)
{
	return !p->is_online && p->told.since_ns;
}

/*
 * Forgets the task of CPUs that went offline, so that the next one there is not charged for it.
 * Their last switch comes shortly after they are marked offline: that is waited for.
 */
static int see_off(struct top *t)
{
	int err = grace__wait();

	for (uint32_t cpu = 0; cpu < t->object.tables.nr_places && !err; cpu++) {
		struct top_place *p = &t->places[cpu];

		if (!has_left(p))
			continue;
		err = drop_counters(t, cpu);
		if (!err)
			err = look_at(t, cpu);
		if (err || p->is_online) /* it came back */
			continue;
		err = top__forget_task(t, cpu);
	}
	return err;
}

int top__forget_task(struct top *t, uint32_t cpu)
{
	struct top_place *p = &t->places[cpu];

	p->told.since_ns = 0;
	return bpf_map_update_elem(bpf_map__fd(t->skel->maps.running), &cpu, &p->told, BPF_ANY);
}

/* Offline CPUs have nothing to charge: their last switch has charged all they did. */
int top__charge(struct top *t)
{
	uint64_t before_ns = t->now_ns;
	bool have_left = false;
	int err;

	if (t->thrift.paused) {
		t->now_ns = clock__now_ns();
		return 0;
	}
	t->nr_cpus = 0;
	for (uint32_t cpu = 0; cpu < t->object.tables.nr_places; cpu++) {
		err = look_at(t, cpu);
		if (err)
			return err;
		t->nr_cpus += t->places[cpu].told.since_ns != 0;
		have_left |= has_left(&t->places[cpu]);
	}
	t->now_ns = clock__now_ns();
	if (before_ns)
		t->cpus_ns += (t->now_ns - before_ns) * t->nr_cpus;
	err = mend_all(t);
	return err || !have_left ? err : see_off(t);
}

int top__fence(struct top *t)
{
	bool have_left = false;

	for (uint32_t cpu = 0; cpu < t->object.tables.nr_places; cpu++) {
		int err = run_on(cpu, t->skel->progs.top_fence);

		if (err && err != -ENXIO)
			return err;
		have_left |= err && t->places[cpu].is_online;
	}
	return have_left ? grace__wait() : 0; /* for the last switch there */
}
