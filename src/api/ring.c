// SPDX-License-Identifier: BSD-2-Clause
/* Rings: one reader for the buffers of all events of an object. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "api/object.h"
#include "api/record.h"
#include "base/clock.h"
#include "perf/mapring.h"
#include "perf/open.h"
#include "perf/record.h"

struct buffer {
	struct mapring *ring;
	int cpu, place; /* place: where the event that owns it is open */
};

struct pmutrace_ring {
	struct pmutrace_events *events;
	struct perf_record_layout *layouts; /* by column */
	size_t owner;			    /* column whose layout tells ids */
	struct buffer *buffers;
	size_t nr_buffers, cap_buffers;
	struct pollfd *polls; /* [0]: cancel; then the events that write: -1 once they ended */
	size_t nr_writers, nr_left, cap_polls;
	size_t next; /* buffer to look at first */
	int cancel_fd;
};

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
	const struct api_event *c = &e->columns[event];
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

static bool same_layout(const struct perf_record_layout *a, const struct perf_record_layout *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->branch_sample_type == b->branch_sample_type &&
	       a->sample_regs_user == b->sample_regs_user &&
	       a->sample_regs_intr == b->sample_regs_intr && a->sample_id_all == b->sample_id_all &&
	       a->inode_only == b->inode_only;
}

static bool all_alike(const struct pmutrace_ring *r)
{
	for (size_t i = 0; i < r->events->nr_columns; i++)
		if (attr__writes(pmutrace_attr(r->events, i)) &&
		    !same_layout(&r->layouts[i], &r->layouts[r->owner]))
			return false;
	return true;
}

/* The event tells the layout. A record without a known id can be read if all layouts are equal. */
static int take(const struct pmutrace_ring *r, const void *bytes, size_t len,
		struct pmutrace_record *out)
{
	const struct perf_record_layout *layout = &r->layouts[r->owner];
	int event = PMUTRACE_NO_EVENT, err;
	uint64_t id;

	err = perf_record__id(bytes, len, layout, &id);
	if (!err)
		event = pmutrace_find(r->events, id);
	if (event >= 0)
		layout = &r->layouts[event];
	else if (!all_alike(r))
		err = -EBADMSG;
	else
		event = PMUTRACE_NO_EVENT;
	if (err && err != -ENODATA) {
		record__clear(out, bytes, len);
		return -EBADMSG;
	}
	err = record__take(layout, bytes, len, out);
	out->event = event;
	return err;
}

/* What waits, from one buffer after the other: -EAGAIN when there is nothing. */
static int next_record(struct pmutrace_ring *r, struct pmutrace_record *out)
{
	const void *bytes;
	size_t len;
	int err;

	for (size_t n = 0; n < 2 * r->nr_buffers; n++) {
		struct mapring *ring = r->buffers[r->next].ring;

		if (n >= r->nr_buffers)
			mapring__update(ring);
		err = mapring__next(ring, &bytes, &len);
		if (!err)
			return take(r, bytes, len, out);
		if (err != -EAGAIN)
			return err;
		r->next = (r->next + 1) % r->nr_buffers;
	}
	return -EAGAIN;
}

bool pmutrace_ring_has_record(const struct pmutrace_ring *r)
{
	for (size_t i = 0; i < r->nr_buffers; i++)
		if (mapring__has_record(r->buffers[i].ring))
			return true;
	return false;
}

/* Takes those that ended out of the list. 0: some are left. */
static int look_at_writers(struct pmutrace_ring *r)
{
	r->nr_left = 0;
	for (size_t i = 1; i <= r->nr_writers; i++) {
		short seen = r->polls[i].fd < 0 ? 0 : r->polls[i].revents;

		if (seen & POLLNVAL)
			return -EBADF;
		if (seen & POLLERR)
			return -EIO;
		if (seen & POLLHUP)
			r->polls[i].fd = -1;
		r->nr_left += r->polls[i].fd >= 0;
	}
	return r->nr_left ? 0 : -ESHUTDOWN;
}

/* 0: look again. */
static int wait_for_record(struct pmutrace_ring *r, uint64_t deadline_ns)
{
	int ms = r->nr_left ? clock__ms_until(deadline_ns) : 0, nr, err;
	uint64_t times;

	nr = poll(r->polls, r->nr_writers + 1, ms);
	if (nr < 0)
		return -errno;
	if (r->polls[0].revents && read(r->cancel_fd, &times, sizeof(times)) > 0)
		return -ECANCELED;
	err = look_at_writers(r);
	/* What was written before the end is read before it is told. */
	if (pmutrace_ring_has_record(r))
		return 0;
	if (err)
		return err;
	return !nr && !ms ? -ETIMEDOUT : 0;
}

int pmutrace_ring_read(struct pmutrace_ring *r, int timeout_ms, struct pmutrace_record *out)
{
	uint64_t deadline_ns = UINT64_MAX;
	int err = next_record(r, out);

	if (err == -EAGAIN && timeout_ms >= 0)
		deadline_ns = clock__now_ns() + (uint64_t)timeout_ms * 1000000;
	while (err == -EAGAIN) {
		err = wait_for_record(r, deadline_ns);
		if (!err)
			err = next_record(r, out);
	}
	return err;
}
