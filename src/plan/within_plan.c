// SPDX-License-Identifier: BSD-2-Clause
/* Parses the function of --within and opens a session that follows who is inside of it. */
#include "plan/within_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "event/event.h"
#include "lookup/resolve.h"
#include "plan/function_words.h"
#include "plan/returns.h"
#include "probe/within.h"

struct within_plan {
	struct perf_events events; /* the entry, then the return */
	struct returns returns;	   /* probes where it is left, if a return probe could harm */
	struct within *session;
};

static int parse(struct within_plan *in, const struct perf_event_env *env, const char *word,
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

/* Tasks inside are known by thread id, and each probed exit has to leave the function for sure. */
static int check(const struct func_probe *f, const char *word, struct buf *why)
{
	const char *reason = NULL;

	if (f->place != FUNC_PLACE_TASK)
		reason = "who is inside is told by thread, and this program moves what runs there "
			 "between threads or stacks (Go, coroutines)";
	for (size_t i = 0; i < f->nr_exits; i++)
		if (f->exits[i].condition >= 0)
			reason = "a return probe could break the program, and the function is left "
				 "by "
				 "a conditional jump";
	if (!reason)
		return 0;
	return buf__printf(why, "'%s': %s; --force uses a return probe all the same", word, reason)
		       ? -ENOMEM
		       : -EINVAL;
}

static int open_session(struct within_plan *in, const char *word, bool force,
			const struct target *target, struct lookup_reader *reader, struct buf *why)
{
	const struct returns_opts way = { .way = force ? RETURNS_TRAP : RETURNS_SAFE,
					  .force = force };
	struct perf_event_env env = resolve__by(reader);
	struct within_opts opts = { .env = &env, .target = target };
	struct func_probe f = {};
	struct skipped unused = {};
	size_t nr = 1;
	int err;

	env.sites = true;
	err = parse(in, &env, word, why);
	if (err)
		return err;
	f.entry = opts.entry = &in->events.items[0];
	f.leave = opts.leave = &in->events.items[1];
	err = returns__plan(&in->returns, &way, &env, &f, &nr, &unused, why);
	if (!err)
		err = check(&f, word, why);
	opts.exits = f.exits;
	opts.nr_exits = f.nr_exits;
	return err ? err : within__open(&in->session, &opts, why);
}

int within_plan__open(struct within_plan **out, const char *word, bool force,
		      const struct target *target, struct lookup_reader *reader, struct buf *why)
{
	struct buf text = {};
	struct within_plan *in;
	int err;

	*out = NULL;
	if (!word)
		return 0;
	in = calloc(1, sizeof(*in));
	if (!in)
		return -ENOMEM;
	err = open_session(in, word, force, target, reader, &text);
	if (err && text.len && buf__printf(why, "--within: %s", text.data))
		err = -ENOMEM;
	buf__free(&text);
	if (err) {
		within_plan__close(in);
		return err;
	}
	*out = in;
	return 0;
}

void within_plan__close(struct within_plan *in)
{
	if (!in)
		return;
	within__close(in->session);
	perf_events__free(&in->events);
	returns__free(&in->returns);
	free(in);
}

int within_plan__fd(const struct within_plan *in)
{
	return in ? within__fd(in->session) : 0;
}

bool within_plan__tell(const struct within_plan *in)
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
