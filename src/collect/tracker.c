// SPDX-License-Identifier: BSD-2-Clause
/* Reads side-band rings and /proc, and hands what they say to the process table and the namer. */
#include "collect/tracker.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "machine/cpus.h"
#include "perf/sideband.h"

enum {
	RING_BYTES = 512 * 1024, /* some 800 execs between two looks */
	EXECS = 1024,
};

struct tracker {
	struct mapped_files *files;
	struct procs *procs;
	struct namer *namer;
	struct sideband **rings;
	size_t nr_rings;
	DIR *survey; /* /proc, while it is being read */
	uint64_t survey_ns;
	bool surveyed;
	uint64_t read_ns;	  /* records up to then have been taken in */
	uint64_t nr_lost;	  /* as PERF_RECORD_LOST says */
	uint64_t nr_lost_in_full; /* of rings that have not said so yet */
	uint64_t nr_corrupt;
	uint32_t execs[EXECS]; /* that nobody has asked for */
	size_t nr_execs;
};

static int open_rings(struct tracker *t, struct buf *why)
{
	uint32_t *cpus;
	size_t nr, i;
	int err = cpus__online("", &cpus, &nr);

	if (err)
		return err;
	t->rings = calloc(nr, sizeof(*t->rings));
	err = t->rings ? 0 : -ENOMEM;
	for (i = 0; i < nr && !err; i++) {
		err = sideband__open(&t->rings[t->nr_rings], cpus[i], RING_BYTES);
		if (!err)
			t->nr_rings++;
		else if (err == -ENODEV) /* went offline */
			err = 0;
	}
	free(cpus);
	if (err && sideband__explain(why, err))
		return -ENOMEM;
	return err;
}

int tracker__open(struct tracker **out, const struct tracker_opts *opts, struct buf *why)
{
	struct namer_opts names = {
		.demangle = opts->demangle,
		.inlines = opts->inlines,
		.lines = opts->lines,
		.places = opts->places,
		.no_symbols = opts->no_symbols,
		.debuginfod = opts->debuginfod,
		.kallsyms = opts->kallsyms ? opts->kallsyms : "/proc/kallsyms",
		.symbol_bytes = opts->symbol_bytes,
		.gather_ns = opts->gather_ns,
		.jail = opts->jail,
		.late_max = opts->late_max,
	};
	struct tracker *t = calloc(1, sizeof(*t));
	int err = -ENOMEM;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	t->files = mapped_files__new("/proc");
	if (t->files)
		t->procs = procs__new("/proc", t->files);
	if (t->procs)
		err = namer__open(&t->namer, t->procs, t->files, &names);
	t->surveyed = !opts->user;
	t->survey_ns = clock__now_ns();
	if (!err && opts->user)
		err = open_rings(t, why);
	if (err) {
		tracker__close(t);
		return err;
	}
	*out = t;
	return 0;
}

void tracker__close(struct tracker *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_rings; i++)
		sideband__close(t->rings[i]);
	free(t->rings);
	if (t->survey)
		closedir(t->survey);
	namer__close(t->namer);
	procs__free(t->procs);
	mapped_files__free(t->files);
	free(t);
}

static int take_mapping(struct tracker *t, const struct sideband_record *r)
{
	struct mapping m = {
		.start = r->addr,
		.end = r->addr + r->len,
		.offset = r->offset,
		.since_ns = r->time_ns,
	};
	struct binary_ref ref = {
		.path = r->name,
		.build_id = r->build_id,
		.build_id_len = r->build_id_len,
		.dev_major = r->dev_major,
		.dev_minor = r->dev_minor,
		.inode = r->inode,
		.pid = r->pid,
		.start = m.start,
		.end = m.end,
	};

	return procs__map(t->procs, r->pid, &m, r->name, &ref);
}

static int take_record(void *arg, const struct sideband_record *r)
{
	struct tracker *t = arg;

	switch (r->kind) {
	case SIDEBAND_MMAP:
		return take_mapping(t, r);
	case SIDEBAND_EXEC:
		if (t->nr_execs < EXECS)
			t->execs[t->nr_execs++] = r->pid;
		return procs__exec(t->procs, r->pid, r->time_ns);
	case SIDEBAND_FORK:
		return procs__fork(t->procs, r->parent_pid, r->pid, r->time_ns);
	case SIDEBAND_EXIT:
		if (r->pid == r->tid)
			procs__exit(t->procs, r->pid, r->time_ns);
		return 0;
	case SIDEBAND_KSYMBOL:
		/* A symbol that was removed is kept: samples may still need it. */
		return r->unregister ? 0 : namer__kernel_added(t->namer, r->addr, r->len, r->name);
	case SIDEBAND_LOST:
		t->nr_lost += r->nr_lost;
		procs__lost(t->procs, r->since_ns, r->time_ns);
		return 0;
	case SIDEBAND_COMM:
		return 0;
	}
	return 0;
}

/* Losses that no record tells yet, for the ring was full or has had nothing to write since. */
static void look_for_lost(struct tracker *t, uint64_t now_ns)
{
	uint64_t nr = 0, since_ns = UINT64_MAX, last_ns;

	for (size_t i = 0; i < t->nr_rings; i++) {
		uint64_t lost = sideband__nr_lost(t->rings[i], &last_ns);

		nr += lost;
		if (lost && last_ns < since_ns)
			since_ns = last_ns;
	}
	if (nr > t->nr_lost + t->nr_lost_in_full)
		procs__lost(t->procs, since_ns, now_ns);
	t->nr_lost_in_full = nr > t->nr_lost ? nr - t->nr_lost : 0;
}

int tracker__update(struct tracker *t, uint64_t until_ns)
{
	int err = sidebands__read(t->rings, t->nr_rings, until_ns, take_record, t);
	uint64_t now_ns = until_ns == UINT64_MAX ? clock__now_ns() : until_ns;

	if (err == -EBADMSG) {
		log__debug("a corrupt ring of process events was skipped");
		t->nr_corrupt++;
		procs__lost(t->procs, t->read_ns, now_ns);
		err = 0;
	}
	if (!err && until_ns == UINT64_MAX)
		look_for_lost(t, now_ns);
	t->read_ns = now_ns;
	return err;
}

uint32_t tracker__take_exec(struct tracker *t)
{
	return t->nr_execs ? t->execs[--t->nr_execs] : 0;
}

int tracker__survey(struct tracker *t, uint64_t budget_ns, bool *done)
{
	uint64_t until = clock__now_ns() + budget_ns;
	struct proc *proc;
	struct dirent *d;
	int err;

	*done = t->surveyed;
	if (t->surveyed)
		return 0;
	if (!t->survey)
		t->survey = opendir("/proc");
	while (t->survey && (d = readdir(t->survey))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		err = procs__find(t->procs, strtoul(d->d_name, NULL, 10), t->survey_ns, &proc);
		if (err)
			return err;
		if (clock__now_ns() >= until)
			return 0;
	}
	if (t->survey)
		closedir(t->survey);
	t->survey = NULL;
	*done = t->surveyed = true;
	return 0;
}

struct namer *tracker__namer(struct tracker *t)
{
	return t->namer;
}

struct procs *tracker__procs(struct tracker *t)
{
	return t->procs;
}

const struct mapped_files *tracker__files(const struct tracker *t)
{
	return t->files;
}

size_t tracker__pollfds(const struct tracker *t, struct pollfd *fds, size_t max)
{
	for (size_t i = 0; i < t->nr_rings && i < max; i++)
		fds[i] = (struct pollfd){ .fd = sideband__fd(t->rings[i]), .events = POLLIN };
	if (t->nr_rings < max)
		fds[t->nr_rings] = (struct pollfd){ .fd = namer__fd(t->namer), .events = POLLIN };
	return t->nr_rings + 1;
}

uint64_t tracker__nr_unread(const struct tracker *t)
{
	return namer__nr_unread(t->namer);
}

uint64_t tracker__nr_maps_cut(const struct tracker *t)
{
	return namer__nr_maps_cut(t->namer);
}

uint64_t tracker__nr_lost(const struct tracker *t)
{
	return t->nr_lost + t->nr_lost_in_full + t->nr_corrupt;
}
