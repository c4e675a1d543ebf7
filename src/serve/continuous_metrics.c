// SPDX-License-Identifier: BSD-2-Clause
/* Writes down what is counted. */
#include "serve/continuous_metrics.h"

#include <errno.h>
#include <stdio.h>

#include "base/sink.h"
#include "serve/exposition.h"
#include "serve/overhead_metrics.h"

#define PREFIX "pmutrace_profile_"

void continuous_metrics__add_losses(struct continuous_metrics *m, const struct losses *of_window)
{
	m->losses.seen += of_window->seen;
	m->losses.kept += of_window->kept;
	for (unsigned i = 0; i < of_window->nr; i++)
		losses__add(&m->losses, &of_window->by[i]);
}

static void put_counter(struct exposition *x, const char *name, const char *help, uint64_t value)
{
	exposition__family(x, name, METRIC_COUNTER, help);
	exposition__u64(x, value);
}

/* 0: it never was. */
static void put_time(struct exposition *x, const char *name, const char *help, uint64_t ns)
{
	if (!ns)
		return;
	exposition__family(x, name, METRIC_GAUGE, help);
	exposition__double(x, (double)(ns / 1000000) / 1e3);
}

static void put_reasons(struct exposition *x, const struct losses *l, bool flaws, const char *name,
			const char *help)
{
	bool is_first = true;

	for (unsigned i = 0; i < l->nr; i++) {
		if (l->by[i].flaw != flaws)
			continue;
		if (is_first)
			exposition__family(x, name, METRIC_COUNTER, help);
		is_first = false;
		exposition__label(x, "reason", l->by[i].name);
		exposition__u64(x, l->by[i].n);
	}
}

/* What was sampled, and how: gauges of the sampling itself belong here. */
static void put_sampling(struct exposition *x, const struct continuous_metrics *m)
{
	put_counter(x, PREFIX "windows_total", "Windows that have ended", m->nr_windows);
	put_counter(x, PREFIX "failed_windows_total",
		    "Windows of which something could not be kept", m->nr_failed);
	put_time(x, PREFIX "last_window_timestamp_seconds", "When the last window ended",
		 m->window_end_ns);
	exposition__family(x, PREFIX "window_seconds", METRIC_GAUGE, "Length of the last window");
	exposition__double(x, (double)m->window_ns / 1e9);
	put_counter(x, PREFIX "samples_total", "Samples that are in profiles", m->losses.kept);
	put_reasons(x, &m->losses, false, PREFIX "lost_samples_total",
		    "Samples that are in no profile, by reason");
	put_reasons(x, &m->losses, true, PREFIX "flawed_samples_total",
		    "Samples of which a part is missing, by reason");
}

/* found + put = sent + sum(lost) + waiting. */
static void put_pushes(struct exposition *x, const struct continuous_metrics *m)
{
	const struct pusher_counts *n = &m->push;

	put_counter(x, PREFIX "pushes_found_total",
		    "Profiles that waited in the spool at the start", n->found);
	put_counter(x, PREFIX "pushes_put_total", "Profiles that were to be written into the spool",
		    n->put);
	put_counter(x, PREFIX "pushes_sent_total", "Profiles that the backend took", n->sent);
	exposition__family(x, PREFIX "pushes_lost_total", METRIC_COUNTER,
			   "Profiles that the backend does not get, by reason");
	for (unsigned i = 0; i < PUSH_LOSSES; i++) {
		exposition__label(x, "reason", push_loss__name(i));
		exposition__u64(x, n->lost[i]);
	}
	put_counter(x, PREFIX "push_failures_total", "Requests that are tried again",
		    n->nr_failures);
	exposition__gauge(x, PREFIX "pushes_waiting", "Profiles that wait in the spool",
			  n->waiting);
	if (m->waiting_bytes != UINT64_MAX)
		exposition__gauge(x, PREFIX "pushes_waiting_bytes",
				  "Bytes of profiles that wait in the spool", m->waiting_bytes);
	put_time(x, PREFIX "push_last_success_timestamp_seconds",
		 "When the backend last took a profile", n->sent_ns);
}

static void put_files(struct exposition *x, const struct out_dir_counts *n)
{
	put_counter(x, PREFIX "files_written_total", "Files that were written", n->written);
	put_counter(x, PREFIX "files_failed_total", "Files that could not be written", n->failed);
	exposition__family(x, PREFIX "files_removed_total", METRIC_COUNTER,
			   "Files that were removed, by reason");
	exposition__label(x, "reason", "full");
	exposition__u64(x, n->removed_full);
	exposition__label(x, "reason", "old");
	exposition__u64(x, n->removed_old);
}

static void put_contexts(struct exposition *x, const struct contexts_counts *n)
{
	exposition__gauge(x, PREFIX "context_processes", "Sampled processes that say what they are",
			  n->offering);
	put_counter(x, PREFIX "contexts_unreadable_total",
		    "Looks at processes that say what cannot be read", n->unreadable);
}

int continuous_metrics__put(struct buf *out, const struct continuous_metrics *m)
{
	struct exposition x = { .out = out };

	exposition__family(&x, "pmutrace_build_info", METRIC_GAUGE, "The version of pmutrace");
	exposition__label(&x, "version", PMUTRACE_VERSION);
	exposition__u64(&x, 1);
	put_sampling(&x, m);
	if (m->has_budget)
		overhead_metrics__put(&m->overhead, &x);
	if (m->has_push)
		put_pushes(&x, m);
	if (m->has_dir)
		put_files(&x, &m->dir);
	if (m->has_contexts)
		put_contexts(&x, &m->contexts);
	put_counter(&x, PREFIX "metrics_unwritten_total",
		    "Times that this file could not be written", m->nr_unwritten);
	return exposition__end(&x);
}

int continuous_metrics__check(const char *path)
{
	struct sink *s;
	const int err = sink__open(&s, path, SINK_WHOLE);

	sink__free(s);
	return err;
}

int continuous_metrics__write(const char *path, const struct continuous_metrics *m)
{
	struct buf text = {};
	struct sink *s = NULL;
	FILE *f;
	int err = continuous_metrics__put(&text, m);

	if (!err)
		err = sink__open(&s, path, SINK_WHOLE);
	if (!err)
		err = sink__begin(s, &f);
	if (!err)
		err = sink__end(s, fwrite(text.data, 1, text.len, f) == text.len ? 0 : -EIO);
	if (!err)
		err = sink__close(s);
	sink__free(s);
	buf__free(&text);
	return err;
}
