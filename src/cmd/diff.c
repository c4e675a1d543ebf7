// SPDX-License-Identifier: BSD-2-Clause
/* diff: two sides of captures or other files with stacks, and what really differs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/privileges.h"
#include "base/strtab.h"
#include "base/suggest.h"
#include "base/why.h"
#include "cmd/chosen_samples.h"
#include "cmd/cmd.h"
#include "cmd/diff_words.h"
#include "cmd/outputs.h"
#include "cmd/results.h"
#include "import/source.h"
#include "model/comparable.h"
#include "model/difference.h"
#include "model/difference_limit.h"
#include "model/profile.h"
#include "print/diff.h"
#include "print/lossline.h"

struct diff_command {
	struct chosen_samples_opts samples;
	const char *unit, *fail_above, *event, *format;
	struct opt_strs files;
	uint32_t rows;
	bool total, absolute, json, csv, strict, quiet, verbose;
};

static const struct diff_command defaults = { .rows = 20 };

#define AT(member) offsetof(struct diff_command, member)

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "What is compared" },
	{ OPT_BOOL, 0, "total", NULL, AT(total),
	  "functions with what they call, not by themselves" },
	{ OPT_BOOL, 0, "absolute", NULL, AT(absolute), "numbers per second, not shares" },
	{ OPT_STR, 0, "event", "NAME", AT(event), "of several (the first of A)" },
	{ OPT_STR, 0, "unit", "UNIT", AT(unit),
	  "what chance is seen in: runs, windows, threads or samples" },
	{ OPT_STR, 0, "fail-above", "PCT[:FUNC]", AT(fail_above),
	  "exit 4 if one (this one) grew by more than PCT %" },
	CHOSEN_SAMPLES_OPTIONS(struct diff_command, samples),
	{ OPT_HEAD, .help = "Output" },
	{ OPT_STRS, 'o', "output", "FILE", AT(files), "write here, format by ending; '-': stdout" },
	{ OPT_STR, 'f', "format", "FMT", AT(format), "table, json, csv, folded, svg or html" },
	{ OPT_BOOL, 0, "json", NULL, AT(json), "-f json" },
	{ OPT_BOOL, 0, "csv", NULL, AT(csv), "-f csv" },
	{ OPT_MOST, 0, "rows", "N", AT(rows), "functions in the table, or all (20)" },
	{ OPT_BOOL, 0, "strict", NULL, AT(strict), "exit 3 if anything was lost or multiplexed" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "no notices" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

struct side {
	struct diff_files files;
	struct source **sources;
	size_t nr_sources;
	struct profile *p; /* all its files */
	uint32_t event;
};

/* Everything of one run; freed together. */
struct diff {
	const struct diff_command *opts;
	struct outputs outputs;
	struct side sides[2];
	struct difference difference;
	struct difference totals; /* the same for graphs; not begun: there is none */
	bool has_graph;
	struct comparable comparable;
	struct difference_limit_opts limit_opts;
	struct difference_limit limit;
	bool lost;
	struct buf why;
};

static int open_sources(struct diff *d, struct side *side)
{
	int err = 0;

	side->sources = calloc(side->files.nr, sizeof(struct source *));
	if (!side->sources)
		return -ENOMEM;
	for (size_t i = 0; i < side->files.nr && !err; i++) {
		err = source__open(&side->sources[i], side->files.items[i], &d->why);
		side->nr_sources += !err;
	}
	return err == -EINVAL ? -EIO : err; /* no usage error */
}

static bool wants_graph(const struct outputs *o)
{
	for (size_t i = 0; i < o->nr; i++)
		if (o->items[i].format == FORMAT_HTML || o->items[i].format == FORMAT_SVG)
			return true;
	return false;
}

static int prepare(struct diff *d, const struct cmd_words *words)
{
	const struct diff_command *o = d->opts;
	const struct format_wish wishes[] = {
		{ "--json", o->json ? "json" : NULL },
		{ "--csv", o->csv ? "csv" : NULL },
		{ "-f", o->format },
	};
	struct diff_files sides[2] = {};
	const char *format;
	int err;

	log_to_stderr(o->quiet, o->verbose);
	d->outputs.formats = 1u << FORMAT_TABLE | 1u << FORMAT_FOLDED | 1u << FORMAT_JSON |
			     1u << FORMAT_CSV | 1u << FORMAT_HTML | 1u << FORMAT_SVG;
	d->difference.opts = (struct difference_opts){ .total = o->total, .absolute = o->absolute };
	err = format__agree(wishes, ARRAY_SIZE(wishes), &format, &d->why);
	if (!err)
		err = diff_words__unit(o->unit, &d->difference.opts.unit, &d->why);
	if (!err && o->fail_above)
		err = diff_words__limit(o->fail_above, &d->limit_opts, &d->why);
	if (!err)
		err = diff_words__sides(words, sides, &d->why);
	for (int side = 0; side < 2 && !err; side++) {
		d->sides[side].files = sides[side];
		err = open_sources(d, &d->sides[side]);
	}
	if (!err)
		err = outputs__open(&d->outputs, &o->files, format, &d->why);
	if (!err)
		err = difference__begin(&d->difference);
	d->has_graph = wants_graph(&d->outputs);
	d->totals.opts = d->difference.opts;
	d->totals.opts.total = true;
	return err || !d->has_graph ? err : difference__begin(&d->totals);
}

/* Files are better units than anything in them, if there are enough of them. */
static void choose_unit(struct diff *d)
{
	enum tally_unit *unit = &d->difference.opts.unit;

	if (*unit == TALLY_AUTO && d->sides[0].files.nr >= CONTRAST_UNITS_LEAST &&
	    d->sides[1].files.nr >= CONTRAST_UNITS_LEAST)
		*unit = TALLY_RUNS;
	d->totals.opts.unit = *unit;
}

/* By what the weight of an event that was not counted all the time falls short. */
static double scale_of(const struct diff *d, const struct profile_event *e, const char *file)
{
	if (!e->running_ns || e->running_ns >= e->enabled_ns)
		return 1;
	log__notice("%s: %s was counted %.1f %% of the time%s", file, e->name,
		    100 * (double)e->running_ns / (double)e->enabled_ns,
		    d->opts->absolute ? "; what is missing is estimated" : "");
	return (double)e->enabled_ns / (double)e->running_ns;
}

/* *p: the samples of a file that are wanted. */
static int read_file(struct diff *d, struct source *s, struct profile **p)
{
	const struct chosen_samples_way way = { .quiet = d->opts->quiet };
	struct selection *selection;
	struct profile *all = profile__new(), *some = NULL;
	int err = chosen_samples__open(&selection, &d->opts->samples, &d->why);

	if (!all)
		err = -ENOMEM;
	if (!err)
		err = chosen_samples__read(all, s, &d->opts->samples, &way, &d->lost, &d->why);
	if (!err)
		err = chosen_samples__select(&some, selection, all, source__name(s), &d->why);
	selection__close(selection);
	*p = err ? NULL : some ? some : all;
	if (*p != some)
		profile__free(some);
	if (*p != all)
		profile__free(all);
	return err;
}

static int add_run(struct diff *d, int of, const struct profile *p, uint32_t event, double scale)
{
	int err = difference__add(&d->difference, of, p, event, scale);

	return err || !d->has_graph ? err : difference__add(&d->totals, of, p, event, scale);
}

static int add_file(struct diff *d, int of, struct source *s)
{
	struct side *side = &d->sides[of];
	const char *name = source__name(s);
	struct profile *p;
	uint32_t event;
	int err = read_file(d, s, &p);

	if (err)
		return err;
	err = comparable__event(&d->comparable, p, name, d->opts->event, &event, &d->why);
	if (!err)
		err = comparable__look(&d->comparable, p, name, event, d->opts->absolute, &d->why);
	if (!err)
		err = add_run(d, of, p, event, scale_of(d, &p->events[event], name));
	if (!err && side->p) {
		err = profile__join(side->p, p);
	} else if (!err) {
		side->p = p;
		side->event = event;
		return 0;
	}
	profile__free(p);
	return err;
}

/* The name of --fail-above is on none of the sides. */
static int refuse_function(struct diff *d)
{
	const struct difference *of = &d->difference;
	const char **names = calloc(of->nr + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	for (size_t i = 0; i < of->nr && !err; i++)
		names[i] = tally_names__name(&of->names, of->rows[i].function);
	if (!err)
		err = buf__printf(&d->why, "--fail-above: no function is called '%s'",
				  d->limit_opts.function);
	if (!err)
		err = suggest(&d->why, d->limit_opts.function, names, of->nr);
	free(names);
	return err ? err : -EPROTO;
}

static int compare(struct diff *d, const struct cmd_words *words)
{
	int err = prepare(d, words);

	/* What strangers wrote is read with no more than results need. */
	if (!err)
		privileges__keep(PRIVILEGES_WRITE);
	choose_unit(d);
	for (int side = 0; side < 2 && !err; side++)
		for (size_t i = 0; i < d->sides[side].nr_sources && !err; i++)
			err = add_file(d, side, d->sides[side].sources[i]);
	if (!err)
		err = difference__compare(&d->difference, &d->why);
	if (!err && d->has_graph)
		err = difference__compare(&d->totals, &d->why);
	if (err || !d->opts->fail_above)
		return err;
	err = difference_limit__check(&d->limit, &d->difference, &d->limit_opts);
	return err == -ENOENT ? refuse_function(d) : err;
}

static struct diff_page page_of(struct diff *d)
{
	struct diff_page page = {
		.d = &d->difference,
		.totals = d->has_graph ? &d->totals : NULL,
		.limit = d->opts->fail_above ? &d->limit : NULL,
		.limit_opts = &d->limit_opts,
		.rows = d->opts->rows,
	};

	for (int side = 0; side < 2; side++)
		page.sides[side] = (struct diff_side){
			.files = (const char *const *)d->sides[side].files.items,
			.nr_files = d->sides[side].files.nr,
			.p = d->sides[side].p,
			.event = d->sides[side].event,
		};
	return page;
}

static int write_format(void *arg, FILE *f, enum format format)
{
	struct diff_page page = page_of(arg);

	page.width = results__width(f);
	page.color = results__color(f);
	switch (format) {
	case FORMAT_JSON:
		return print__diff_json(f, &page);
	case FORMAT_CSV:
		return print__diff_csv(f, &page);
	case FORMAT_FOLDED:
		return print__diff_folded(f, &page);
	case FORMAT_HTML:
		return print__diff_html(f, &page);
	case FORMAT_SVG:
		return print__diff_svg(f, &page);
	default:
		return print__diff_table(f, &page);
	}
}

static void tell_limit(struct diff *d)
{
	const struct diff_page page = page_of(d);
	struct buf text = {};

	if (!print__diff_limit(&text, &page))
		log__notice("%s", text.data);
	buf__free(&text);
}

static int write_all(struct diff *d)
{
	int failed = outputs__write(&d->outputs, write_format, d);
	bool lost = d->lost;

	for (int side = 0; side < 2; side++) {
		results__tell_losses(&d->outputs, side ? "B, samples" : "A, samples",
				     &d->sides[side].p->losses);
		lost |= results__lost(d->sides[side].p);
	}
	if (d->opts->fail_above)
		tell_limit(d);
	if (failed)
		return PMUTRACE_FAIL;
	if (d->opts->strict && lost)
		return PMUTRACE_STRICT;
	return d->limit.nr_above ? PMUTRACE_ABOVE : PMUTRACE_OK;
}

static void free_side(struct side *side)
{
	for (size_t i = 0; i < side->nr_sources; i++)
		source__close(side->sources[i]);
	free(side->sources);
	profile__free(side->p);
}

static int run(void *opts, const struct cmd_words *words)
{
	struct diff_command *o = opts;
	struct diff d = { .opts = o };
	int err = compare(&d, words), ret;

	ret = err ? complain_why(err, &d.why) : write_all(&d);
	difference__free(&d.difference);
	difference__free(&d.totals);
	free_side(&d.sides[0]);
	free_side(&d.sides[1]);
	outputs__close(&d.outputs);
	free((void *)o->files.items);
	buf__free(&d.why);
	return ret;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.args = "A B | A.. -- B..",
	.summary = "what really differs between two runs, or two times several",
	.examples =
		"  pmutrace diff before.pmut after.pmut            functions whose share changed\n"
		"  pmutrace diff old-*.pmut -- new-*.pmut          several runs of each\n"
		"  pmutrace diff a.pmut b.pmut --fail-above 5:parse   exit 4 if it got slower\n"
		"  pmutrace diff before.pmut after.pmut -o x.html     as a flame graph, red and "
		"blue\n"
		"  pmutrace diff a.folded b.folded -f folded | flamegraph.pl >diff.svg\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct diff_command),
	.run = run,
};
