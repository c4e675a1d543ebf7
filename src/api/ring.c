// SPDX-License-Identifier: BSD-2-Clause
/* Opens, pauses and closes a ring: one reader for the buffers of all events of an object. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/parts.h"
#include "api/ring.h"
#include "perf/mapring.h"
#include "perf/open.h"
#include "perf/record.h"

/* The buffer of the same CPU, or of the same thread: the kernel wants one or the other. */
static struct buffer *find_buffer(struct pmutrace_ring *r, size_t place)
{
	int cpu = r->events->places[place].cpu;

	for (size_t i = 0; i < r->nr_buffers; i++)
		if (r->buffers[i].place == (int)place || (cpu >= 0 && r->buffers[i].cpu == cpu))
			return &r->buffers[i];
	return NULL;
}

static int add_writer(struct pmutrace_ring *r, int fd)
{
	int err = array__grow(&r->polls, &r->cap_polls, r->nr_writers + 2);

	if (err)
		return err;
	r->nr_left++;
	r->polls[++r->nr_writers] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return 0;
}

/* The first event of a place has a buffer mapped, the others write there, too. */
static int add_fd(struct pmutrace_ring *r, int fd, size_t place, size_t bytes)
{
	struct buffer *b = find_buffer(r, place);
	int err;

	if (b) {
		err = perf_set_output(fd, mapring__fd(b->ring));
		return err ? err : add_writer(r, fd);
	}
	err = array__grow(&r->buffers, &r->cap_buffers, r->nr_buffers + 1);
	if (err)
		return err;
	b = &r->buffers[r->nr_buffers];
	*b = (struct buffer){ .cpu = r->events->places[place].cpu, .place = (int)place };
	err = mapring__open(&b->ring, fd, bytes);
	if (err)
		return err;
	r->nr_buffers++;
	return add_writer(r, fd);
}

static int add_event(struct pmutrace_ring *r, size_t event, size_t bytes)
{
	struct pmutrace_events *e = r->events;
	const struct column *c = &e->columns[event];
	int err = 0, fd;

	for (size_t place = 0; place < e->nr_places && !err; place++) {
		for (size_t i = c->first; i < c->first + c->nr && !err; i++) {
			fd = counters__fd(e->counters, i, place);
			if (fd < 0)
				continue;
			if (attr__writes(counters__attr(e->counters, i)))
				err = add_fd(r, fd, place, bytes);
		}
	}
	return err;
}

static int add_events(struct pmutrace_ring *r, size_t bytes)
{
	struct pmutrace_events *e = r->events;
	int err = 0;

	r->owner = e->nr_columns;
	for (size_t i = 0; i < e->nr_columns && !err; i++) {
		const struct perf_event_attr *attr = pmutrace_attr(e, i);

		r->layouts[i] = perf_record_layout__of(attr);
		if (r->owner == e->nr_columns && attr__writes(attr))
			r->owner = i;
		err = add_event(r, i, bytes);
	}
	return err;
}

static int explain(int err, size_t bytes, struct pmutrace_error *why)
{
	switch (-err) {
	case EPERM:
		return error__say(
			why, err,
			"no permission for %zu KiB of ring buffer: "
			"kernel.perf_event_mlock_kb is %ld; take fewer pages, or run with "
			"CAP_IPC_LOCK",
			bytes / 1024, perf_sysctl("perf_event_mlock_kb", -1));
	case EINVAL:
		return error__say(why, err,
				  "the kernel maps no such ring: pages must be a power of two, and "
				  "events that share it need one clock (attr.clockid)");
	default:
		return error__say(why, err, "cannot map the ring: %s", strerror(-err));
	}
}

int pmutrace_ring_open(struct pmutrace_ring **out, struct pmutrace_events *e, size_t pages,
		       struct pmutrace_error *why)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct pmutrace_ring *r = calloc(1, sizeof(*r));
	size_t bytes;
	int err = -ENOMEM;

	*out = NULL;
	pages = pages ? pages : 128;
	bytes = pages <= SIZE_MAX / 4 / page ? pages * page : 1;
	if (!r)
		return error__say(why, err, "out of memory");
	r->events = e;
	r->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->layouts = calloc(e->nr_columns, sizeof(*r->layouts));
	r->polls = calloc(1, sizeof(*r->polls));
	r->cap_polls = 1;
	if (r->cancel_fd < 0)
		err = -errno;
	else if (r->layouts && r->polls)
		err = add_events(r, bytes);
	if (!err && !r->nr_buffers) {
		err = error__say(why, -EINVAL,
				 "none of the events writes records: they need a sample_period, or "
				 "record bits such as attr.mmap");
		goto out_close;
	}
	if (err) {
		err = explain(err, bytes, why);
		goto out_close;
	}
	r->polls[0] = (struct pollfd){ .fd = r->cancel_fd, .events = POLLIN };
	*out = r;
	return error__none(why);

out_close:
	pmutrace_ring_close(r);
	return err;
}

void pmutrace_ring_close(struct pmutrace_ring *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr_buffers; i++)
		mapring__close(r->buffers[i].ring);
	if (r->cancel_fd >= 0)
		close(r->cancel_fd);
	free(r->buffers);
	free(r->polls);
	free(r->layouts);
	free(r);
}

void pmutrace_ring_cancel(struct pmutrace_ring *r)
{
	uint64_t one = 1;
	int saved = errno;
	/* It can fail only when it is readable already. */
	ssize_t ignored = write(r->cancel_fd, &one, sizeof(one));

	(void)ignored;
	errno = saved;
}

static int pause_all(struct pmutrace_ring *r, bool pause)
{
	int first = 0, err;

	for (size_t i = 0; i < r->nr_buffers; i++) {
		err = mapring__pause(r->buffers[i].ring, pause);
		first = first ? first : err;
	}
	return first;
}

int pmutrace_ring_pause(struct pmutrace_ring *r)
{
	return pause_all(r, true);
}

int pmutrace_ring_resume(struct pmutrace_ring *r)
{
	return pause_all(r, false);
}

uint64_t pmutrace_ring_nr_lost(const struct pmutrace_ring *r)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < r->nr_buffers; i++)
		nr += mapring__nr_lost(r->buffers[i].ring);
	return nr;
}

int pmutrace_ring_fd(const struct pmutrace_ring *r, size_t i)
{
	return i < r->nr_buffers ? mapring__fd(r->buffers[i].ring) : -ENOENT;
}
