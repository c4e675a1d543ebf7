// SPDX-License-Identifier: BSD-2-Clause
#include "perf/ring.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "perf/open.h"

struct perf_ring {
	int fd;
	struct perf_event_mmap_page *page;
	const char *data;
	size_t data_bytes; /* power of two */
	size_t map_bytes;
	uint64_t head, tail;	 /* of the records being read */
	struct perf_record next; /* the first of them, if has_next */
	size_t next_len;
	bool has_next;
	char record[65536]; /* a record that wraps around the end, copied together */
};

/* PERF_SAMPLE_TID | PERF_SAMPLE_TIME behind every record (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

static int open_event(int cpu, uint32_t wakeup_bytes)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.build_id = 1,
		.watermark = 1,
		.wakeup_watermark = wakeup_bytes,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	int fd = perf_open(&attr, -1, cpu, -1);

	/* Build-ids came with 5.12 (commit 88a16a130933): without, files are told by inode. */
	if (fd == -EINVAL || fd == -E2BIG) {
		attr.build_id = 0;
		fd = perf_open(&attr, -1, cpu, -1);
	}
	return fd;
}

int perf_ring__open(struct perf_ring **out, int cpu, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_ring *r;
	int err;

	*out = NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->data_bytes = bytes;
	r->map_bytes = bytes + page;
	r->fd = open_event(cpu, bytes / 4);
	if (r->fd < 0) {
		err = r->fd;
		goto out_close;
	}
	r->page = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->page == MAP_FAILED) {
		err = -errno;
		r->page = NULL;
		goto out_close;
	}
	r->data = (const char *)r->page + page;
	*out = r;
	return 0;

out_close:
	perf_ring__close(r);
	return err;
}

void perf_ring__close(struct perf_ring *r)
{
	if (!r)
		return;
	if (r->page)
		munmap(r->page, r->map_bytes);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

int perf_ring__explain(struct buf *out, int err)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };

	return perf_open__explain(out, err, &attr, "process events of every CPU");
}

int perf_ring__fd(const struct perf_ring *r)
{
	return r->fd;
}

/* A NUL-terminated name between @at and @end; NULL if it is not terminated. */
static const char *name_at(const char *at, const char *end)
{
	return at < end && memchr(at, '\0', end - at) ? at : NULL;
}

static int decode_mmap2(const struct perf_event_header *h, const char *body, const char *end,
			struct perf_record *out)
{
	struct {
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		union {
			struct {
				uint32_t maj, min;
				uint64_t ino, ino_generation;
			} file;
			struct {
				uint8_t size, reserved[3], bytes[20];
			} build_id;
		} id;
		uint32_t prot, flags;
	} m;

	if ((size_t)(end - body) < sizeof(m))
		return -EBADMSG;
	memcpy(&m, body, sizeof(m));
	*out = (struct perf_record){
		.kind = RECORD_MMAP,
		.pid = m.pid,
		.tid = m.tid,
		.addr = m.addr,
		.len = m.len,
		.offset = m.pgoff,
		.name = name_at(body + sizeof(m), end),
	};
	if (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		if (m.id.build_id.size > sizeof(m.id.build_id.bytes))
			return -EBADMSG;
		out->build_id_len = m.id.build_id.size;
		out->build_id = (const uint8_t *)body + ((char *)m.id.build_id.bytes - (char *)&m);
	} else {
		out->dev_major = m.id.file.maj;
		out->dev_minor = m.id.file.min;
		out->inode = m.id.file.ino;
	}
	return out->name ? 0 : -EBADMSG;
}

static int decode_comm(const struct perf_event_header *h, const char *body, const char *end,
		       struct perf_record *out)
{
	uint32_t ids[2];

	if ((size_t)(end - body) < sizeof(ids))
		return -EBADMSG;
	memcpy(ids, body, sizeof(ids));
	*out = (struct perf_record){
		.kind = h->misc & PERF_RECORD_MISC_COMM_EXEC ? RECORD_EXEC : RECORD_COMM,
		.pid = ids[0],
		.tid = ids[1],
		.name = name_at(body + sizeof(ids), end),
	};
	return out->name ? 0 : -EBADMSG;
}

static int decode_task(enum perf_record_kind kind, const char *body, const char *end,
		       struct perf_record *out)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} t;

	if ((size_t)(end - body) < sizeof(t))
		return -EBADMSG;
	memcpy(&t, body, sizeof(t));
	*out = (struct perf_record){
		.kind = kind,
		.pid = t.pid,
		.tid = t.tid,
		.parent_pid = t.ppid,
	};
	return 0;
}

static int decode_ksymbol(const char *body, const char *end, struct perf_record *out)
{
	struct {
		uint64_t addr;
		uint32_t len;
		uint16_t type, flags;
	} k;

	if ((size_t)(end - body) < sizeof(k))
		return -EBADMSG;
	memcpy(&k, body, sizeof(k));
	*out = (struct perf_record){
		.kind = RECORD_KSYMBOL,
		.addr = k.addr,
		.len = k.len,
		.unregister = k.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
		.name = name_at(body + sizeof(k), end),
	};
	return out->name ? 0 : -EBADMSG;
}

static int decode_lost(const char *body, const char *end, struct perf_record *out)
{
	uint64_t id_lost[2];

	if ((size_t)(end - body) < sizeof(id_lost))
		return -EBADMSG;
	memcpy(id_lost, body, sizeof(id_lost));
	*out = (struct perf_record){ .kind = RECORD_LOST, .nr_lost = id_lost[1] };
	return 0;
}

int perf_record__decode(const void *bytes, size_t len, struct perf_record *out)
{
	const char *body, *end;
	struct perf_event_header h;
	struct sample_id id;
	int err;

	if (len < sizeof(h) + sizeof(id))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (h.size != len)
		return -EBADMSG;
	body = (const char *)bytes + sizeof(h);
	end = (const char *)bytes + len - sizeof(id);
	switch (h.type) {
	case PERF_RECORD_MMAP2:
		err = decode_mmap2(&h, body, end, out);
		break;
	case PERF_RECORD_COMM:
		err = decode_comm(&h, body, end, out);
		break;
	case PERF_RECORD_FORK:
		err = decode_task(RECORD_FORK, body, end, out);
		break;
	case PERF_RECORD_EXIT:
		err = decode_task(RECORD_EXIT, body, end, out);
		break;
	case PERF_RECORD_KSYMBOL:
		err = decode_ksymbol(body, end, out);
		break;
	case PERF_RECORD_LOST:
		err = decode_lost(body, end, out);
		break;
	default:
		return -ENOMSG;
	}
	memcpy(&id, end, sizeof(id));
	out->time_ns = id.time;
	return err;
}

/* The record at @tail as one piece of memory, or NULL if its header is impossible. */
static const void *record_at(struct perf_ring *r, uint64_t tail, uint64_t head, size_t *len)
{
	size_t at = tail & (r->data_bytes - 1), first;
	struct perf_event_header h;

	/* Headers never wrap: records are 8-byte aligned, as is the ring. */
	memcpy(&h, r->data + at, sizeof(h));
	if (h.size < sizeof(h) || h.size > head - tail)
		return NULL;
	*len = h.size;
	if (at + h.size <= r->data_bytes)
		return r->data + at;
	first = r->data_bytes - at;
	memcpy(r->record, r->data + at, first);
	memcpy(r->record + first, r->data, h.size - first);
	return r->record;
}

/* Decodes the next record of interest into r->next. -EBADMSG: nothing more can be trusted. */
static int look_ahead(struct perf_ring *r)
{
	const void *bytes;

	r->has_next = false;
	while (r->tail != r->head) {
		bytes = record_at(r, r->tail, r->head, &r->next_len);
		if (!bytes) {
			r->tail = r->head;
			return -EBADMSG;
		}
		if (!perf_record__decode(bytes, r->next_len, &r->next)) {
			r->has_next = true;
			return 0;
		}
		r->tail += r->next_len;
	}
	return 0;
}

static struct perf_ring *oldest(struct perf_ring **rings, size_t nr)
{
	struct perf_ring *first = NULL;

	for (size_t i = 0; i < nr; i++)
		if (rings[i]->has_next && (!first || rings[i]->next.time_ns < first->next.time_ns))
			first = rings[i];
	return first;
}

int perf_rings__read(struct perf_ring **rings, size_t nr, uint64_t until_ns, perf_record_fn fn,
		     void *arg)
{
	struct perf_ring *r;
	int err = 0, corrupt = 0;

	for (size_t i = 0; i < nr; i++) {
		r = rings[i];
		r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
		r->tail = r->page->data_tail;
		if (look_ahead(r))
			corrupt = -EBADMSG;
	}
	while (!err && (r = oldest(rings, nr)) && r->next.time_ns <= until_ns) {
		err = fn(arg, &r->next);
		r->tail += r->next_len;
		if (look_ahead(r))
			corrupt = -EBADMSG;
	}
	for (size_t i = 0; i < nr; i++)
		__atomic_store_n(&rings[i]->page->data_tail, rings[i]->tail, __ATOMIC_RELEASE);
	return err ? err : corrupt;
}
