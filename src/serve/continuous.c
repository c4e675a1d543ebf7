// SPDX-License-Identifier: BSD-2-Clause
/* Hands windows on, and tells what became of them. */
#include "serve/continuous.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/sink.h"
#include "base/why.h"
#include "model/profile.h"
#include "model/regroup.h"
#include "serve/contexts.h"
#include "serve/continuous_metrics.h"
#include "serve/origins.h"
#include "serve/push_body.h"

/* So long is waited for what processes say, at most. */
static const uint64_t CONTEXTS_NS = 50000000;

struct continuous {
	struct continuous_opts opts;
	struct pusher *pusher;	   /* NULL: nothing is pushed */
	struct out_dir *dir;	   /* NULL: no files */
	struct origins *origins;   /* of what is pushed */
	struct contexts *contexts; /* of that, too; NULL: nobody is asked */
	struct utsname host;
	struct push_label *labels; /* the user's, copied, the host's, and room for an origin's */
	size_t nr_labels;
	struct continuous_counts counts;
	struct continuous_metrics metrics; /* what is in no other counts */
	bool is_dir_ill, are_metrics_ill;  /* which was told */
};

static int copy_labels(struct continuous *c, const struct continuous_opts *o)
{
	c->labels = calloc(o->nr_labels + 1 + ORIGIN_LABELS, sizeof(*c->labels));
	if (!c->labels)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr_labels; i++) {
		c->labels[i].name = strdup(o->labels[i].name);
		c->labels[i].value = strdup(o->labels[i].value);
		if (!c->labels[i].name || !c->labels[i].value)
			return -ENOMEM;
	}
	c->labels[o->nr_labels] = (struct push_label){ "host", c->host.nodename };
	c->nr_labels = o->nr_labels + 1;
	return 0;
}

static const struct process_context *context_of(void *arg, uint32_t pid)
{
	return contexts__of(arg, pid);
}

/* Who pushes without contexts has what it had before there were any. */
static int open_origins(struct continuous *c)
{
	struct origins_opts opts = { .root = "", .keeps_pids = c->opts.keeps_pids };
	const int err = c->opts.jail ? contexts__open(&c->contexts, c->opts.jail, "/proc") : 0;

	if (err == -ENOMEM)
		return err;
	if (err)
		log__notice("processes are not asked for the names of their services: no process "
			    "that may look at them: %s",
			    strerror(-err));
	if (c->contexts) {
		opts.context_of = context_of;
		opts.arg = c->contexts;
	}
	return origins__open(&c->origins, &opts);
}

static int check_metrics(const char *path, struct buf *why)
{
	const int err = continuous_metrics__check(path);

	return err ? why__refuse(why, err, "--metrics %s: %s", path, sink__strerror(err)) : 0;
}

int continuous__open(struct continuous **out, const struct continuous_opts *opts, struct buf *why)
{
	const struct out_dir_opts dir = { .ending = "pb.gz",
					  .max_bytes = opts->dir_bytes,
					  .max_age_ns = opts->dir_age_ns };
	struct continuous *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->opts = *opts;
	if (uname(&c->host))
		strcpy(c->host.nodename, "localhost");
	err = copy_labels(c, opts);
	if (!err && opts->metrics)
		err = check_metrics(opts->metrics, why);
	if (!err && opts->push.url)
		err = pusher__open(&c->pusher, &opts->push, why);
	if (!err && opts->push.url)
		err = open_origins(c);
	if (!err && opts->dir)
		err = out_dir__open(&c->dir, opts->dir, &dir, why);
	if (err)
		(void)continuous__close(c, 0);
	else
		*out = c;
	return err;
}

/* @whose, and its labels behind all others. */
static struct push_profile pushed(struct continuous *c, const struct profile *p, const char *whose,
				  const struct push_label *labels, size_t nr, uint64_t begin_ns,
				  uint32_t event)
{
	for (size_t i = 0; i < nr; i++)
		c->labels[c->nr_labels + i] = labels[i];
	return (struct push_profile){
		.profile = p,
		.pprof = { .command = c->opts.command, .event = event, .weights = true },
		.begin_ns = begin_ns,
		.duration_ns = p->duration_ns,
		.labels = c->labels,
		.nr_labels = c->nr_labels + nr,
		.whose = whose,
	};
}

static int write_file(struct continuous *c, const struct profile *p, uint64_t begin_ns,
		      uint32_t event)
{
	const struct push_profile whole = pushed(c, p, c->host.nodename, NULL, 0, begin_ns, event);
	const struct out_file file = { begin_ns, c->host.nodename };
	struct buf bytes = {};
	size_t unpacked;
	int err = push_body__pprof(&bytes, &whole, &unpacked);

	if (!err)
		err = out_dir__put(c->dir, &file, bytes.data, bytes.len, clock__wall_ns());
	buf__free(&bytes);
	if (!err == c->is_dir_ill)
		log__notice("%s: %s", c->opts.dir,
			    err ? strerror(-err) : "profiles are written again");
	c->is_dir_ill = err;
	return err;
}

/* By pid only if that is wanted. */
static int put_file(struct continuous *c, const struct profile *p, uint64_t begin_ns,
		    uint32_t event)
{
	const struct regroup_opts without = { .by = p->by & ~(unsigned)BY_PID };
	struct profile *grouped = NULL;
	int err;

	if (c->opts.keeps_pids || !(p->by & BY_PID))
		return write_file(c, p, begin_ns, event);
	err = regroup__new(&grouped, p, &without);
	if (!err)
		err = write_file(c, grouped, begin_ns, event);
	profile__free(grouped);
	return err;
}

static int push(struct continuous *c, struct profile *p, uint64_t begin_ns, uint32_t event)
{
	const struct origin *parts;
	size_t nr = 0;
	int err = c->contexts ? contexts__look(c->contexts, p, CONTEXTS_NS) : 0, failed = 0;

	if (!err)
		err = origins__split(c->origins, p, &parts, &nr);
	for (size_t i = 0; i < nr && !err; i++) {
		const struct push_profile part =
			pushed(c, parts[i].profile, parts[i].whose, parts[i].labels,
			       parts[i].nr_labels, begin_ns, event);

		const int put_err = pusher__put(c->pusher, &part);

		if (put_err)
			failed = put_err;
	}
	return err ? err : failed;
}

/* What went wrong since the last time; at most once a minute. */
static void tell_push(struct continuous *c, uint64_t now_ns)
{
	struct buf line = {};

	if (!pusher__tell(c->pusher, &c->counts.push, now_ns, &line) && line.len)
		log__notice("%s", line.data);
	buf__free(&line);
}

int continuous__counts(struct continuous *c, struct continuous_counts *out)
{
	int err = c->pusher ? pusher__poll(c->pusher, &c->counts.push) : 0;

	if (c->pusher && !err)
		tell_push(c, clock__now_ns());
	if (c->dir)
		c->counts.dir = *out_dir__counts(c->dir);
	*out = c->counts;
	return err;
}

/* All that is known now. */
static void write_metrics(struct continuous *c)
{
	struct continuous_metrics *m = &c->metrics;
	int err;

	if (!c->opts.metrics)
		return;
	m->nr_windows = c->counts.nr_windows;
	m->nr_failed = c->counts.nr_failed;
	m->has_push = c->pusher;
	m->push = c->counts.push;
	if (c->pusher && pusher__waiting_bytes(c->pusher, &m->waiting_bytes))
		m->waiting_bytes = UINT64_MAX;
	m->has_dir = c->dir;
	if (c->dir)
		m->dir = *out_dir__counts(c->dir);
	m->has_contexts = c->contexts;
	if (c->contexts)
		m->contexts = contexts__counts(c->contexts);
	err = continuous_metrics__write(c->opts.metrics, m);
	if (!err == c->are_metrics_ill)
		log__notice("%s: %s", c->opts.metrics,
			    err ? sink__strerror(err) : "metrics are written again");
	c->are_metrics_ill = err;
	m->nr_unwritten += err != 0;
}

static void note_window(struct continuous *c, const struct profile *p, uint64_t begin_ns)
{
	c->metrics.window_end_ns = begin_ns + p->duration_ns;
	c->metrics.window_ns = p->duration_ns;
	continuous_metrics__add_losses(&c->metrics, &p->losses);
}

int continuous__put(struct continuous *c, struct profile *p, uint64_t begin_ns, uint32_t event)
{
	int err = c->dir ? put_file(c, p, begin_ns, event) : 0, pushed_err = 0;

	note_window(c, p, begin_ns);
	/* Of the same memory there is none for what comes. */
	if (c->pusher && err != -ENOMEM)
		pushed_err = push(c, p, begin_ns, event);
	c->counts.nr_windows++;
	c->counts.nr_failed += err || pushed_err;
	/* Who has ended is told by continuous__counts(). */
	if (c->pusher)
		(void)!pusher__poll(c->pusher, &c->counts.push);
	write_metrics(c);
	return err == -ENOMEM || pushed_err == -ENOMEM ? -ENOMEM : 0;
}

static uint64_t tell_pushed(const struct continuous *c)
{
	const struct pusher_counts *n = &c->counts.push;
	uint64_t lost = 0;
	bool why;

	for (size_t i = 0; i < PUSH_LOSSES; i++)
		lost += n->lost[i];
	/* What went wrong and was mended by a second try is nobody's trouble. */
	why = *n->error && (n->waiting || lost);
	log__notice("%" PRIu64 " profiles were sent, %" PRIu64 " wait in %s, %" PRIu64
		    " were lost%s%s",
		    n->sent, n->waiting, c->opts.push.spool, lost, why ? ": " : "",
		    why ? n->error : "");
	for (size_t i = 0; i < PUSH_LOSSES; i++)
		if (n->lost[i])
			log__notice("%" PRIu64 " %s", n->lost[i], push_loss__text(i));
	return lost;
}

static uint64_t tell_files(const struct continuous *c)
{
	const struct out_dir_counts *n = &c->counts.dir;

	log__notice("%" PRIu64 " files were written to %s, %" PRIu64 " could not be; %" PRIu64
		    " had to make room, %" PRIu64 " were too old",
		    n->written, c->opts.dir, n->failed, n->removed_full, n->removed_old);
	return n->failed;
}

void continuous__note_overhead(struct continuous *c, const struct overhead *o)
{
	c->metrics.has_budget = true;
	overhead__figures(o, &c->metrics.overhead);
}

bool continuous__close(struct continuous *c, unsigned patience_ms)
{
	uint64_t lost = 0;

	if (!c)
		return false;
	if (c->pusher)
		pusher__end(c->pusher, patience_ms, &c->counts.push);
	if (c->dir)
		c->counts.dir = *out_dir__counts(c->dir);
	if (c->counts.nr_windows) {
		write_metrics(c);
		lost += c->pusher ? tell_pushed(c) : 0;
		lost += c->dir ? tell_files(c) : 0;
	}
	pusher__close(c->pusher, 0, NULL);
	out_dir__close(c->dir);
	origins__close(c->origins);
	contexts__close(c->contexts);
	for (size_t i = 0; c->labels && i < c->opts.nr_labels; i++) {
		free((void *)c->labels[i].name);
		free((void *)c->labels[i].value);
	}
	free(c->labels);
	free(c);
	return lost;
}
