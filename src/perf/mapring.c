// SPDX-License-Identifier: BSD-2-Clause
/* Maps a perf ring buffer, hands out its records in order, waits for more, counts lost ones. */
#include "perf/mapring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"

enum { RECORD_MAX = 65536 }; /* header.size is a u16 */

struct mapring {
	struct perf_event_mmap_page *page;
	const char *data;
	uint64_t data_bytes; /* power of two */
	size_t map_bytes;    /* 0: memory of the caller */
	int fd;
	int cancel_fd;		/* eventfd; -1: nobody cancels */
	uint64_t head;		/* as of the last update */
	uint64_t tail;		/* of the record handed out last, else of the next one */
	uint64_t released;	/* tail as the kernel knows it */
	uint64_t current_bytes; /* of the record handed out last, 0 when there is none */
	uint64_t nr_lost;
	uint64_t copy[RECORD_MAX / 8]; /* a record that does not lie in one piece */
};

/* Finds the data in @bytes of memory at r->page. */
static int find_data(struct mapring *r, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint64_t offset, size;

	if (bytes < sizeof(*r->page))
		return -EBADMSG;
	offset = r->page->data_offset;
	size = r->page->data_size;
	/* Filled in since 4.1 (commit e8c6deac69629); before, it was always so. */
	if (!offset && bytes > page) {
		offset = page;
		size = bytes - page;
	}
	if (offset < sizeof(*r->page) || offset > bytes || size > bytes - offset)
		return -EBADMSG;
	if (size < sizeof(struct perf_event_header) || size & (size - 1))
		return -EBADMSG;
	r->data = (const char *)r->page + offset;
	r->data_bytes = size;
	r->head = r->tail = r->released = r->page->data_tail;
	return 0;
}

/* NULL: see errno. */
static struct mapring *new_ring(bool is_cancelled)
{
	struct mapring *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return NULL;
	r->fd = r->cancel_fd = -1;
	if (is_cancelled)
		r->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!is_cancelled || r->cancel_fd >= 0)
		return r;
	err = errno;
	free(r);
	errno = err;
	return NULL;
}

static int open_ring(struct mapring **out, int fd, size_t bytes, bool is_cancelled)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct mapring *r;
	int err;

	*out = NULL;
	if (bytes < page || bytes & (bytes - 1) || bytes > SIZE_MAX / 2)
		return -EINVAL;
	r = new_ring(is_cancelled);
	if (!r)
		return -errno;
	r->fd = fd;
	r->page = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	err = r->page == MAP_FAILED ? -errno : 0;
	if (!err) {
		r->map_bytes = bytes + page;
		err = find_data(r, r->map_bytes);
	}
	if (err)
		mapring__close(r);
	else
		*out = r;
	return err;
}

int mapring__open(struct mapring **out, int fd, size_t bytes)
{
	return open_ring(out, fd, bytes, true);
}

int mapring__open_alone(struct mapring **out, int fd, size_t bytes)
{
	return open_ring(out, fd, bytes, false);
}

int mapring__over(struct mapring **out, void *memory, size_t bytes)
{
	struct mapring *r = new_ring(true);
	int err;

	*out = NULL;
	if (!r)
		return -errno;
	r->page = memory;
	err = find_data(r, bytes);
	if (err)
		mapring__close(r);
	else
		*out = r;
	return err;
}

void mapring__close(struct mapring *r)
{
	if (!r)
		return;
	if (r->map_bytes)
		munmap(r->page, r->map_bytes);
	if (r->cancel_fd >= 0)
		close(r->cancel_fd);
	free(r);
}

int mapring__fd(const struct mapring *r)
{
	return r->fd;
}

uint64_t mapring__nr_lost(const struct mapring *r)
{
	return r->nr_lost;
}

int mapring__pause(struct mapring *r, bool pause)
{
	return ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause ? 1 : 0) ? -errno : 0;
}

/* Acquire: records before the head are read after it. */
static uint64_t load_head(const struct mapring *r)
{
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

bool mapring__has_record(const struct mapring *r)
{
	return load_head(r) != r->tail + r->current_bytes;
}

void mapring__release(struct mapring *r)
{
	if (r->released == r->tail)
		return;
	/* Release: what was read before the tail is not overwritten too early. */
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
	r->released = r->tail;
}

void mapring__update(struct mapring *r)
{
	mapring__release(r);
	r->head = load_head(r);
}

/* @len bytes from the place of @pos on, which may wrap around the end. */
static void copy_out(const struct mapring *r, uint64_t pos, void *to, size_t len)
{
	uint64_t at = pos & (r->data_bytes - 1), first = r->data_bytes - at;

	if (first > len)
		first = len;
	memcpy(to, r->data + at, first);
	memcpy((char *)to + first, r->data, len - first);
}

static void count_lost(struct mapring *r, const struct perf_event_header *h, const void *record)
{
	size_t at = h->type == PERF_RECORD_LOST ? 16 : 8;
	uint64_t nr;

	if (h->type != PERF_RECORD_LOST && h->type != PERF_RECORD_LOST_SAMPLES)
		return;
	if (h->size < at + sizeof(nr))
		return;
	memcpy(&nr, (const char *)record + at, sizeof(nr));
	r->nr_lost += nr;
}

int mapring__next(struct mapring *r, const void **bytes, size_t *len)
{
	struct perf_event_header h;
	uint64_t waiting, at;

	*bytes = NULL;
	*len = 0;
	r->tail += r->current_bytes;
	r->current_bytes = 0;
	/* Not for each record: the kernel's head is on the same cache line. */
	if (r->tail - r->released >= r->data_bytes / 4)
		mapring__release(r);
	waiting = r->head - r->tail;
	if (!waiting)
		return -EAGAIN;
	if (waiting < sizeof(h) || waiting > r->data_bytes)
		goto out_corrupt;
	copy_out(r, r->tail, &h, sizeof(h));
	if (h.size < sizeof(h) || h.size > waiting)
		goto out_corrupt;

	at = r->tail & (r->data_bytes - 1);
	*bytes = r->data + at;
	if (at + h.size > r->data_bytes || (uintptr_t)*bytes % 8) {
		copy_out(r, r->tail, r->copy, h.size);
		*bytes = r->copy;
	}
	*len = h.size;
	r->current_bytes = h.size;
	count_lost(r, &h, *bytes);
	return 0;

out_corrupt:
	r->tail = r->head = load_head(r);
	mapring__release(r);
	return -EBADMSG;
}

int mapring__wait(struct mapring *r, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = r->cancel_fd, .events = POLLIN },
				{ .fd = r->fd, .events = POLLIN } };
	uint64_t deadline_ns = UINT64_MAX, times;
	bool ready;
	int nr, ms;

	if (timeout_ms >= 0)
		deadline_ns = clock__now_ns() + timeout_ms * 1000000ull;
	for (;;) {
		ready = mapring__has_record(r);
		ms = ready ? 0 : clock__ms_until(deadline_ns);
		nr = poll(fds, ARRAY_SIZE(fds), ms);
		if (nr < 0)
			return -errno;
		if (fds[0].revents && read(r->cancel_fd, &times, sizeof(times)) > 0)
			return -ECANCELED;
		/* The kernel may have written between the look and the end it reports. */
		if (ready || mapring__has_record(r))
			return 0;
		if (fds[1].revents & POLLNVAL)
			return -EBADF;
		if (fds[1].revents & POLLERR)
			return -EIO;
		if (fds[1].revents & POLLHUP)
			return -ESHUTDOWN;
		/* A wake-up for records that were read meanwhile says nothing. */
		if (!nr && !ms)
			return -ETIMEDOUT;
	}
}

int mapring__read(struct mapring *r, int timeout_ms, const void **bytes, size_t *len)
{
	int err = mapring__next(r, bytes, len);

	if (err != -EAGAIN)
		return err;
	mapring__update(r);
	err = mapring__next(r, bytes, len);
	if (err != -EAGAIN)
		return err;
	err = mapring__wait(r, timeout_ms);
	if (err)
		return err;
	mapring__update(r);
	return mapring__next(r, bytes, len);
}

void mapring__cancel(struct mapring *r)
{
	uint64_t one = 1;
	int saved = errno;
	/* It can fail only when it is readable already. */
	ssize_t ignored = write(r->cancel_fd, &one, sizeof(one));

	(void)ignored;
	errno = saved;
}
