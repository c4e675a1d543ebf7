// SPDX-License-Identifier: BSD-2-Clause
/* Reads records from all buffers of a ring. */
#include <errno.h>
#include <unistd.h>

#include "api/record.h"
#include "api/ring.h"
#include "base/clock.h"

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
