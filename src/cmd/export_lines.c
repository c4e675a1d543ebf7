// SPDX-License-Identifier: BSD-2-Clause
/* Parses lines by the option tables of their commands. */
#include "cmd/export_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/why.h"
#include "cmd/cmd.h"
#include "plan/histograms.h"
#include "serve/config.h"
#include "serve/probe_metrics.h"

/* A line while it is parsed. */
struct line_words {
	const struct cmd *cmd;
	void *opts;
	char **argv; /* of opt__parse(), which moves them */
	int nr, first;
};

static const struct opt *find_option(const struct cmd *cmd, const char *name)
{
	for (const struct opt *o = cmd->opts; o->type != OPT_END; o++)
		if (o->name && !strcmp(o->name, name))
			return o;
	return NULL;
}

/* The value of an option of texts; NULL: it is not given, or the command has no such option. */
static const char *text_of(const struct line_words *w, const char *name)
{
	const struct opt *o = find_option(w->cmd, name);

	return o ? *(const char **)((char *)w->opts + o->offset) : NULL;
}

static void free_words(struct line_words *w)
{
	for (const struct opt *o = w->cmd->opts; w->opts && o->type != OPT_END; o++)
		if (o->type == OPT_STRS)
			free((void *)((struct opt_strs *)((char *)w->opts + o->offset))->items);
	free(w->opts);
	free(w->argv);
}

static int parse(struct line_words *w, const struct config_line *l, struct buf *why)
{
	int dashes;

	w->cmd = !strcmp(l->words[0], "count") ? &cmd_count : &cmd_func;
	w->nr = l->nr_words;
	w->opts = calloc(1, w->cmd->opts_size + 1);
	w->argv = calloc(l->nr_words + 1, sizeof(*w->argv));
	if (!w->opts || !w->argv)
		return -ENOMEM;
	memcpy(w->opts, w->cmd->defaults, w->cmd->opts_size);
	memcpy(w->argv, l->words, l->nr_words * sizeof(*w->argv));
	return opt__parse(w->cmd->opts, w->opts, w->nr, w->argv, &w->first, &dashes, why);
}

/* How long it measures, and what becomes of it, is the exporter's. */
static int check_options(const struct line_words *w, struct buf *why)
{
	static const char *const ours[] = {
		"output",  "format",   "json",	   "csv",	"rows",	     "event",  "all-events",
		"reverse", "icicle",   "pprof",	   "no-places", "title",     "strict", "quiet",
		"verbose", "duration", "interval", "top",	"calibrate", "net",    "exemplars",
	};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (opt__is_given(w->cmd->opts, ours[i], w->opts, w->cmd->defaults))
			return why__refuse(why, -EINVAL,
					   "--%s is not of a metric, which counts all the time and "
					   "is answered by the exporter",
					   ours[i]);
	return 0;
}

static int check_words(const struct line_words *w, struct buf *why)
{
	const bool has_pair = text_of(w, "from");
	uint64_t ns;

	if (w->first == w->nr && !has_pair)
		return why__refuse(why, -EINVAL, "%s of what? name a %s", w->cmd->name,
				   w->cmd == &cmd_count ? "probe" : "function");
	if (w->first < w->nr && !parse__time(w->argv[w->nr - 1], 1000000000, &ns))
		return why__refuse(why, -EINVAL,
				   "no length of time ('%s'): a metric counts all the time",
				   w->argv[w->nr - 1]);
	return 0;
}

static int check_keys(const struct line_words *w, struct buf *why)
{
	static const char *const stacks[] = { "stack", "kstack", "ustack" };
	const char *by = text_of(w, "by");

	for (const char *at = by ? by : ""; *at;) {
		const size_t len = strcspn(at, ",");

		for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
			if (strlen(stacks[i]) == len && !strncmp(at, stacks[i], len))
				return why__refuse(why, -EINVAL,
						   "--by %s: stacks are no labels of a metric",
						   stacks[i]);
		at += len;
		at += *at == ',';
	}
	return 0;
}

static int check_histogram(const struct line_words *w, struct probe_line *out, struct buf *why)
{
	const char *linear = text_of(w, "lhist");
	const struct buckets *b = &out->range;
	int err;

	if (!linear)
		return 0;
	if (!out->hist)
		return why__refuse(why, -EINVAL,
				   "--lhist says how --hist is to be divided; name the field");
	err = histograms__parse(&out->range, linear, why);
	if (err)
		return err;
	if (((uint64_t)b->hi - (uint64_t)b->lo) / b->step > PROBE_BUCKETS - 2)
		return why__refuse(why, -EINVAL, "--lhist %s: at most %d buckets in a metric",
				   linear, PROBE_BUCKETS - 2);
	return 0;
}

static int make_line(struct probe_line *out, const struct config_line *l, uint32_t index,
		     struct buf *why)
{
	struct line_words w = {};
	int err = parse(&w, l, why);

	if (!err)
		err = check_options(&w, why);
	if (!err)
		err = check_words(&w, why);
	if (!err)
		err = check_keys(&w, why);
	if (!err) {
		*out = (struct probe_line){ .name = l->name,
					    .text = l->text,
					    .index = index,
					    .hist = text_of(&w, "hist") };
		err = check_histogram(&w, out, why);
	}
	free_words(&w);
	return err;
}

int export_lines__make(struct probe_line **out, const struct config *c, const char *path,
		       struct buf *why)
{
	struct buf wrong = {};
	int err = 0;

	*out = calloc(c->nr_lines + 1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr_lines && !err; i++) {
		err = make_line(&(*out)[i], &c->lines[i], i, &wrong);
		if (err)
			err = why__refuse(why, err, "%s:%u: %s: %s", path, c->lines[i].line,
					  c->lines[i].name,
					  wrong.len ? wrong.data : strerror(-err));
	}
	buf__free(&wrong);
	return err;
}
