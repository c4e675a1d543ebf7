// SPDX-License-Identifier: BSD-2-Clause
/* Opens a dummy event on a CPU for side-band records; merges those of several CPUs by time. */
#include "perf/sideband.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf/mapring.h"
#include "perf/open.h"
#include "perf/record.h"
#include "perf/uapi.h"

struct sideband {
	int fd;
	struct mapring *ring;
	struct sideband_record next; /* handed out by the ring, but not to the caller */
	bool has_next;
	bool counts_lost;
	uint64_t last_ns; /* of the last record that the ring handed out */
	uint64_t nr_lost; /* as records tell it */
};

static const struct perf_record_layout layout = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	.sample_id_all = true,
};

static int open_event(int cpu, uint32_t wakeup_bytes, uint64_t read_format)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = layout.sample_type,
		.read_format = read_format,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.ksymbol = 1,
		.watermark = 1,
		.wakeup_watermark = wakeup_bytes,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd;

	perf_attr__set_build_id(&attr, 1);
	fd = perf_open(&attr, -1, cpu, -1);
	/* Build-ids came with 5.12 (commit 88a16a130933): without, files are told by inode. */
	if (fd == -EINVAL || fd == -E2BIG) {
		perf_attr__set_build_id(&attr, 0);
		fd = perf_open(&attr, -1, cpu, -1);
	}
	return fd;
}

int sideband__open(struct sideband **out, int cpu, size_t bytes)
{
	struct sideband *s;
	int err;

	*out = NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->fd = open_event(cpu, bytes / 4, PERF_FORMAT_LOST);
	s->counts_lost = s->fd >= 0;
	if (s->fd == -EINVAL)
		s->fd = open_event(cpu, bytes / 4, 0);
	err = s->fd < 0 ? s->fd : mapring__open_alone(&s->ring, s->fd, bytes);
	if (err) {
		sideband__close(s);
		return err;
	}
	*out = s;
	return 0;
}

void sideband__close(struct sideband *s)
{
	if (!s)
		return;
	mapring__close(s->ring);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

int sideband__explain(struct buf *out, int err)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };

	return perf_open__explain(out, err, &attr, "process events of every CPU", READER_PERSON);
}

int sideband__fd(const struct sideband *s)
{
	return s->fd;
}

uint64_t sideband__nr_lost(const struct sideband *s, uint64_t *since_ns)
{
	uint64_t words[2]; /* value, lost */

	*since_ns = s->last_ns;
	if (s->counts_lost && read(s->fd, words, sizeof(words)) == sizeof(words) &&
	    words[1] > s->nr_lost)
		return words[1];
	return s->nr_lost;
}

static void set_mmap(struct sideband_record *out, const struct perf_record_mmap *m)
{
	out->kind = SIDEBAND_MMAP;
	out->pid = m->pid;
	out->tid = m->tid;
	out->addr = m->start;
	out->len = m->bytes;
	out->offset = m->offset;
	out->dev_major = m->dev_major;
	out->dev_minor = m->dev_minor;
	out->inode = m->inode;
	out->build_id = m->build_id;
	out->build_id_len = m->build_id_bytes;
	out->name = m->path;
}

static void set_comm(struct sideband_record *out, const struct perf_record *r)
{
	out->kind = perf_record__is_exec(r) ? SIDEBAND_EXEC : SIDEBAND_COMM;
	out->pid = r->comm.pid;
	out->tid = r->comm.tid;
	out->name = r->comm.name;
}

static void set_task(struct sideband_record *out, const struct perf_record *r)
{
	out->kind = r->type == PERF_RECORD_FORK ? SIDEBAND_FORK : SIDEBAND_EXIT;
	out->pid = r->task.pid;
	out->tid = r->task.tid;
	out->parent_pid = r->task.parent_pid;
}

static void set_ksymbol(struct sideband_record *out, const struct perf_record_ksymbol *k)
{
	out->kind = SIDEBAND_KSYMBOL;
	out->addr = k->start;
	out->len = k->bytes;
	out->unregister = k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	out->name = k->name;
}

static bool of_interest(uint32_t type)
{
	return type == PERF_RECORD_MMAP2 || type == PERF_RECORD_COMM || type == PERF_RECORD_FORK ||
	       type == PERF_RECORD_EXIT || type == PERF_RECORD_KSYMBOL || type == PERF_RECORD_LOST;
}

int sideband_record__decode(const void *bytes, size_t len, struct sideband_record *out)
{
	struct perf_event_header h;
	struct perf_record r;
	int err;

	if (len < sizeof(h))
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (h.size == len && !of_interest(h.type))
		return -ENOMSG;
	err = perf_record__decode(bytes, len, &layout, &r);
	if (err)
		return err;
	*out = (struct sideband_record){ .time_ns = r.id.time_ns };
	switch (r.type) {
	case PERF_RECORD_MMAP2:
		set_mmap(out, &r.mmap);
		return 0;
	case PERF_RECORD_COMM:
		set_comm(out, &r);
		return 0;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		set_task(out, &r);
		return 0;
	case PERF_RECORD_KSYMBOL:
		set_ksymbol(out, &r.ksymbol);
		return 0;
	case PERF_RECORD_LOST:
		out->kind = SIDEBAND_LOST;
		out->nr_lost = r.lost.nr;
		return 0;
	}
	return -ENOMSG;
}

/* Decodes the next record of interest into s->next. -EBADMSG: nothing more can be trusted. */
static int look_ahead(struct sideband *s)
{
	const void *bytes;
	size_t len;
	int err;

	s->has_next = false;
	while (!(err = mapring__next(s->ring, &bytes, &len))) {
		if (!sideband_record__decode(bytes, len, &s->next)) {
			s->has_next = true;
			s->next.since_ns = s->last_ns;
			s->last_ns = s->next.time_ns;
			s->nr_lost += s->next.nr_lost;
			return 0;
		}
	}
	return err == -EAGAIN ? 0 : err;
}

static struct sideband *oldest(struct sideband **cpus, size_t nr)
{
	struct sideband *first = NULL;

	for (size_t i = 0; i < nr; i++)
		if (cpus[i]->has_next && (!first || cpus[i]->next.time_ns < first->next.time_ns))
			first = cpus[i];
	return first;
}

int sidebands__read(struct sideband **cpus, size_t nr, uint64_t until_ns, sideband_fn fn, void *arg)
{
	struct sideband *s;
	int err = 0, corrupt = 0;

	for (size_t i = 0; i < nr; i++) {
		mapring__update(cpus[i]->ring);
		if (!cpus[i]->has_next && look_ahead(cpus[i]))
			corrupt = -EBADMSG;
	}
	while (!err && (s = oldest(cpus, nr)) && s->next.time_ns <= until_ns) {
		err = fn(arg, &s->next);
		if (look_ahead(s))
			corrupt = -EBADMSG;
	}
	for (size_t i = 0; i < nr; i++)
		mapring__release(cpus[i]->ring);
	return err ? err : corrupt;
}
