// SPDX-License-Identifier: BSD-2-Clause
#include "collect/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "collect/function_words.h"
#include "collect/resolve.h"
#include "perf/event.h"
#include "probe/within.h"

struct inside {
	struct perf_events events; /* the entry, then the return */
	struct within *session;
};

static int parse(struct inside *in, const struct perf_event_env *env, const char *word,
		 struct buf *why)
{
	struct buf entry = {}, leave = {};
	int err = function_word__probes(word, &entry, &leave, why);

	if (!err && strpbrk(word, "*?@"))
		err = buf__printf(why,
				  "'%s': one function goes here, without a pattern or a rate; "
				  "`pmutrace list` shows their names",
				  word)
			      ? -ENOMEM
			      : -EINVAL;
	if (!err)
		err = perf_events__parse(&in->events, env, entry.data, why);
	if (!err)
		err = perf_events__parse(&in->events, env, leave.data, why);
	buf__free(&entry);
	buf__free(&leave);
	return err;
}

static int open_session(struct inside *in, const char *word, const struct target *target,
			struct buf *why)
{
	struct perf_event_env env = resolve_env;
	struct within_opts opts = { .env = &env, .target = target };
	int err;

	env.sites = true;
	err = parse(in, &env, word, why);
	if (err)
		return err;
	opts.entry = &in->events.items[0];
	opts.leave = &in->events.items[1];
	return within__open(&in->session, &opts, why);
}

int inside__open(struct inside **out, const char *word, const struct target *target,
		 struct buf *why)
{
	struct buf text = {};
	struct inside *in;
	int err;

	*out = NULL;
	if (!word)
		return 0;
	in = calloc(1, sizeof(*in));
	if (!in)
		return -ENOMEM;
	err = open_session(in, word, target, &text);
	if (err && text.len && buf__printf(why, "--within: %s", text.data))
		err = -ENOMEM;
	buf__free(&text);
	if (err) {
		inside__close(in);
		return err;
	}
	*out = in;
	return 0;
}

void inside__close(struct inside *in)
{
	if (!in)
		return;
	within__close(in->session);
	perf_events__free(&in->events);
	free(in);
}

int inside__fd(const struct inside *in)
{
	return in ? within__fd(in->session) : 0;
}

bool inside__tell(const struct inside *in)
{
	struct within_stats stats;

	if (!in)
		return false;
	within__stats(in->session, &stats);
	if (stats.left)
		log__notice("--within: %llu calls ended without a return (longjmp, an exception): "
			    "their tasks counted as inside until the next call",
			    (unsigned long long)stats.left);
	if (stats.dropped)
		log__notice("--within: %llu calls were not followed, as more than %d tasks were "
			    "inside at once",
			    (unsigned long long)stats.dropped, WITHIN_TASKS);
	if (stats.missed)
		log__notice("--within: the kernel left out %llu entries and returns: tasks may "
			    "have counted as outside, or as inside for too long",
			    (unsigned long long)stats.missed);
	return stats.left || stats.dropped || stats.missed;
}
