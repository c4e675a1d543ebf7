// SPDX-License-Identifier: BSD-2-Clause
/* Jobs for the thread that asks the reference: files, and stacks to compare. */
#include "collect/verifier.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/why.h"
#include "base/worker.h"
#include "unwind/reference.h"

enum {
	OPEN_MAX_JOBS = 1024, /* 30 MB: beyond that stacks are not compared */
	EXAMPLES_MAX = 10,    /* of differences, for -v */
	EXAMPLE_FRAMES = 4,   /* around the first one that differs */
};

struct verify_job {
	struct job job;
	int fd; /* a file, by its number; -1: a stack */
	uint32_t number;
	struct reference_space space;
	struct reference_mapping *mappings;
	size_t nr_mappings;
	struct reference_stack stack;
	uint64_t frames[STACK_MAX_FRAMES];
	uint8_t by[STACK_MAX_FRAMES];
	struct compared_stack found;

	int err; /* it could not be compared */
	enum unwind_check_result result;
};

/* The thread's. */
struct asker {
	struct jailed *reader; /* NULL: it has come to nothing */
	size_t max_frames;
	unsigned nr_examples[UNWIND_CHECK_RESULTS];
	uint64_t last_example; /* where it began to differ */
};

struct verifier {
	struct worker *worker;
	struct unwind_check check;
};

static int put_frame(struct buf *b, const uint64_t *pcs, size_t nr, size_t i)
{
	return i < nr ? buf__printf(b, " %#" PRIx64, pcs[i]) : buf__puts(b, " (end)");
}

/* Both stacks from where they are still the same. */
static void show(struct asker *a, const struct verify_job *j, const struct reference_frames *theirs,
		 size_t at)
{
	const size_t from = at > 2 ? at - 2 : 0;
	struct buf ours = {}, other = {};
	int err = 0;

	if (j->result == UNWIND_CHECK_SAME || a->nr_examples[j->result] >= EXAMPLES_MAX ||
	    (at && j->frames[at - 1] == a->last_example))
		return;
	a->nr_examples[j->result]++;
	a->last_example = at ? j->frames[at - 1] : 0;
	for (size_t i = from; i < from + EXAMPLE_FRAMES && !err; i++) {
		err = put_frame(&ours, j->frames, j->found.nr, i);
		if (!err)
			err = put_frame(&other, theirs->pc, theirs->nr, i);
	}
	if (!err)
		log__debug("verify-unwind: %s, process %u, %u bytes of stack: from frame %zu of "
			   "%zu:%s; the "
			   "reference's, of %u:%s%s%s",
			   unwind_check__name(j->result), j->space.pid, j->stack.bytes, from,
			   j->found.nr, ours.data, theirs->nr, other.data,
			   theirs->error[0] ? ": " : "", theirs->error);
	buf__free(&ours);
	buf__free(&other);
}

static int compare_stack(struct asker *a, struct verify_job *j)
{
	struct reference_frames *theirs = calloc(1, sizeof(*theirs));
	size_t at;
	int err = theirs ? 0 : -ENOMEM;

	if (!err)
		err = reference__walk(a->reader, &j->space, &j->stack, a->max_frames, theirs);
	if (err == -ESRCH) {
		err = reference__space(a->reader, &j->space, j->mappings, j->nr_mappings);
		if (!err)
			err = reference__walk(a->reader, &j->space, &j->stack, a->max_frames,
					      theirs);
	}
	if (!err) {
		j->result = compare(&j->found, theirs, &at);
		show(a, j, theirs, at);
	}
	free(theirs);
	return err;
}

static void give_up(struct asker *a)
{
	struct buf why = {};

	if (!jailed__why(a->reader, &why))
		log__notice("no more stacks are compared with the reference's: %s", why.data);
	buf__free(&why);
	jailed__close(a->reader);
	a->reader = NULL;
}

static void run(void *owner, struct job *job)
{
	struct verify_job *j = (struct verify_job *)job;
	struct asker *a = owner;

	j->err = -EPIPE;
	if (!a->reader)
		return;
	j->err = j->fd >= 0 ? reference__file(a->reader, j->number, j->fd) : compare_stack(a, j);
	if (j->err == -EPIPE || j->err == -ETIME || j->err == -EBADMSG)
		give_up(a);
}

static void free_job(struct job *job)
{
	struct verify_job *j = (struct verify_job *)job;

	if (j->fd >= 0)
		close(j->fd);
	free(j->mappings);
	free(j);
}

static void end(void *owner)
{
	struct asker *a = owner;

	jailed__close(a->reader);
	free(a);
}

static int refuse(struct buf *why, int err)
{
	switch (err) {
	case -EOPNOTSUPP:
		return why__refuse(why, err, "--verify-unwind: pmutrace was built without libdw");
	case -ENOENT:
		return why__refuse(
			why, err,
			"--verify-unwind: there is no libdw.so.1 here: install elfutils' "
			"libraries (Debian: libdw1, Fedora: elfutils-libs)");
	case -ENOSYS:
		return why__refuse(why, err, "--verify-unwind: this libdw.so.1 is too old");
	}
	return why__refuse(why, err, "--verify-unwind: no reader for it: %s", strerror(-err));
}

static int hello(struct verifier *v, struct asker *a, struct jail *jail)
{
	char version[REFERENCE_VERSION_BYTES];
	int err = jail ? jailed__open(&a->reader, jail, &reference_reader) : -EPIPE;

	if (!err)
		err = reference__hello(a->reader, version);
	if (!err)
		snprintf(v->check.reference, sizeof(v->check.reference), "elfutils %s", version);
	return err;
}

int verifier__open(struct verifier **out, struct jail *jail, size_t max_frames, struct buf *why)
{
	struct verifier *v = calloc(1, sizeof(*v));
	struct asker *a = calloc(1, sizeof(*a));
	const struct worker_opts opts = { .run = run, .free = free_job, .end = end, .owner = a };
	int err = v && a ? hello(v, a, jail) : -ENOMEM;

	*out = NULL;
	if (!err) {
		v->check.wanted = true;
		a->max_frames = max_frames;
		err = worker__open(&v->worker, &opts);
	}
	if (!err) {
		*out = v;
		return 0;
	}
	if (a)
		end(a);
	free(v);
	return err == -ENOMEM ? err : refuse(why, err);
}

void verifier__close(struct verifier *v)
{
	if (!v)
		return;
	worker__close(v->worker);
	free(v);
}

int verifier__file(struct verifier *v, uint32_t number, int fd)
{
	struct verify_job *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	j->number = number;
	if (j->fd < 0) { /* code of it has no rules for the reference: differences show it */
		free(j);
		return 0;
	}
	worker__give(v->worker, &j->job);
	return 0;
}

/* What was never touched is not there, and nobody looks for it: 0 in the reference's copy. */
static void take_stack(struct reference_stack *out, const struct copied_stack *from)
{
	memcpy(out->regs, from->regs, UNWIND_REGS * sizeof(*from->regs));
	out->from = from->from;
	out->bytes = from->bytes < sizeof(out->stack) ? from->bytes : sizeof(out->stack);
	for (uint32_t at = 0; at < out->bytes; at += sizeof(uint64_t)) {
		uint32_t left = out->bytes - at;

		if (copied_stack__read(from, out->stack + at, left < 8 ? left : 8, out->from + at))
			memset(out->stack + at, 0, left < 8 ? left : 8);
	}
}

int verifier__stack(struct verifier *v, const struct verified_stack *s)
{
	struct verify_job *j;

	if (worker__nr_open(v->worker) >= OPEN_MAX_JOBS) {
		v->check.skipped[UNWIND_CHECK_NO_READER]++;
		return 0;
	}
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	j->fd = -1;
	j->space = s->space;
	take_stack(&j->stack, s->stack);
	j->found = s->found;
	if (j->found.nr > STACK_MAX_FRAMES)
		j->found.nr = STACK_MAX_FRAMES;
	memcpy(j->frames, s->found.frames, j->found.nr * sizeof(*j->frames));
	memcpy(j->by, s->found.by, j->found.nr * sizeof(*j->by));
	j->found.frames = j->frames;
	j->found.by = j->by;
	j->nr_mappings = s->nr_mappings;
	j->mappings = calloc(s->nr_mappings + 1, sizeof(*j->mappings));
	if (!j->mappings) {
		free(j);
		return -ENOMEM;
	}
	memcpy(j->mappings, s->mappings, s->nr_mappings * sizeof(*j->mappings));
	worker__give(v->worker, &j->job);
	return 0;
}

void verifier__skip(struct verifier *v, enum unwind_check_skip why, uint64_t nr)
{
	v->check.skipped[why] += nr;
}

bool verifier__poll(struct verifier *v)
{
	struct job *job;

	worker__log(v->worker);
	while ((job = worker__take(v->worker))) {
		const struct verify_job *j = (const struct verify_job *)job;

		if (j->fd < 0 && j->err)
			v->check.skipped[UNWIND_CHECK_NO_READER]++;
		else if (j->fd < 0)
			v->check.results[j->result]++;
		free_job(job);
	}
	return worker__nr_open(v->worker);
}

void verifier__end(const struct verifier *v, struct unwind_check *out)
{
	*out = v->check;
	out->skipped[UNWIND_CHECK_NO_READER] += worker__nr_open(v->worker);
}
