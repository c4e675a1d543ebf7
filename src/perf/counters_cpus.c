// SPDX-License-Identifier: BSD-2-Clause
/* Counters of CPUs that go offline and come back. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "perf/counters_state.h"

static const uint64_t STILL_NS = 1000 * 1000000ull; /* reading an event wakes its CPU */
static const uint64_t SLACK_NS = 10 * 1000000ull;

static bool is_on_cpu(const struct counter_place *at)
{
	return at->cpu >= 0 && (at->pid < 0 || at->cgroup_fd >= 0);
}

bool counters__are_on_cpus(const struct counters *c)
{
	for (size_t place = 0; place < c->nr_places; place++)
		if (is_on_cpu(&c->places[place]))
			return true;
	return false;
}

/* Enabled time of the first event that is open there; UINT64_MAX: there is none. 0 or -errno. */
static int read_enabled(const struct counters *c, size_t place, uint64_t *enabled_ns)
{
	for (size_t i = 0; i < c->nr_events; i++) {
		int fd = *counters__fd_at(c, i, place);
		ssize_t n;

		if (fd < 0)
			continue;
		/* Value and times, or number and times: they are the second word in either form. */
		n = read(fd, c->words, c->max_words * sizeof(*c->words));
		if (n < 0)
			return -errno;
		if (n < 24)
			continue; /* fell off its counter */
		*enabled_ns = c->words[1];
		return 0;
	}
	*enabled_ns = UINT64_MAX;
	return 0;
}

static void close_events(struct counters *c, size_t place)
{
	for (size_t i = 0; i < c->nr_events; i++) {
		int *fd = counters__fd_at(c, i, place);

		if (*fd < 0)
			continue;
		close(*fd);
		*fd = -ESRCH;
		c->nr_open--;
	}
}

/* Closes the events of a place, and keeps what they have counted. */
static int close_place(struct counters *c, size_t place)
{
	struct counter_value values[c->nr_events];
	int err;

	memset(values, 0, sizeof(values));
	err = counters__read(c, place, values); /* what was kept before is in it */
	if (err)
		return err;
	for (size_t i = 0; i < c->nr_events; i++)
		if (*counters__fd_at(c, i, place) >= 0)
			*counters__kept_at(c, i, place) =
				(struct kept){ values[i].value, values[i].enabled_ns,
					       values[i].running_ns, values[i].nr_lost, true };
	close_events(c, place);
	c->lives[place].away = true;
	return 0;
}

/*
 * Opens and enables all events of a place again, or none: the CPU may come online between two of
 * them. An error is not final: the next call tries again.
 */
static void open_again(struct counters *c, size_t place)
{
	struct buf why = {};
	int err = counters__open_place(c, &c->opts, place, &why);

	for (size_t i = 0; i < c->nr_events && !err; i++) {
		int fd = *counters__fd_at(c, i, place);

		if (fd < 0 && counters__kept_at(c, i, place)->open)
			err = fd;
		if (fd >= 0 && c->opened[i].leader == i && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			err = -errno;
	}
	if (err)
		log__debug("CPU %d: its events cannot be opened: %s", c->places[place].cpu,
			   why.len ? why.data : strerror(-err));
	if (err)
		close_events(c, place);
	c->lives[place].away = err;
	buf__free(&why);
}

static int come_back(struct counters *c, size_t place, uint64_t *missed_ns)
{
	struct cpu_life *life = &c->lives[place];
	uint64_t now_ns;

	open_again(c, place);
	if (life->away)
		return 0;
	now_ns = clock__now_ns();
	*missed_ns += now_ns - life->measured_ns;
	life->measured_ns = now_ns;
	life->enabled_ns = 0;
	return 0;
}

/* If enabled time fell behind, the CPU was offline in between. The two clocks need not agree. */
static int look_at(struct counters *c, size_t place, bool last, uint64_t *missed_ns)
{
	struct cpu_life *life = &c->lives[place];
	uint64_t now_ns = clock__now_ns(), passed_ns = now_ns - life->measured_ns, enabled_ns;
	int err;

	if (!last && passed_ns < STILL_NS)
		return 0;
	err = read_enabled(c, place, &enabled_ns);
	if (err || enabled_ns == UINT64_MAX)
		return err;
	enabled_ns -= life->enabled_ns;
	if (enabled_ns + passed_ns / 16 + SLACK_NS >= passed_ns) {
		life->measured_ns = now_ns;
		life->enabled_ns += enabled_ns;
		return 0;
	}
	*missed_ns += passed_ns - enabled_ns;
	life->measured_ns = now_ns;
	life->enabled_ns += enabled_ns;
	err = last ? 0 : close_place(c, place);
	return err || last ? err : come_back(c, place, missed_ns);
}

static int mend_place(struct counters *c, size_t place, bool online, bool last, uint64_t *missed_ns)
{
	struct cpu_life *life = &c->lives[place];

	if (!online) {
		life->measured_ns = clock__now_ns();
		return life->away ? 0 : close_place(c, place);
	}
	if (!life->away)
		return look_at(c, place, last, missed_ns);
	if (!last)
		return come_back(c, place, missed_ns);
	*missed_ns += clock__now_ns() - life->measured_ns;
	return 0;
}

int counters__mend(struct counters *c, const bool *online, size_t nr, bool last,
		   uint64_t *missed_ns)
{
	int err = 0;

	for (size_t place = 0; place < c->nr_places && !err; place++) {
		const struct counter_place *at = &c->places[place];

		if (is_on_cpu(at) && (size_t)at->cpu < nr)
			err = mend_place(c, place, online[at->cpu], last, missed_ns);
	}
	return err;
}
