// SPDX-License-Identifier: BSD-2-Clause
/* Calls the printer of a format. */
#include "cmd/profile_output.h"

#include <errno.h>
#include <string.h>

#include "base/why.h"
#include "cmd/results.h"
#include "columns/shade.h"
#include "model/profile.h"
#include "print/chrome.h"
#include "print/csv.h"
#include "print/firefox.h"
#include "print/flame/html.h"
#include "print/folded.h"
#include "print/pprof.h"
#include "print/profile_json.h"
#include "print/speedscope.h"
#include "print/table.h"
#include "tape/capture.h"

int profile_output__check(const struct outputs *o, bool all_events, struct buf *why)
{
	for (size_t i = 0; i < o->nr; i++)
		if (o->items[i].format == FORMAT_FOLDED)
			return 0;
	return all_events ? why__refuse(why, -EINVAL, "--all-events is of folded stacks: -f folded")
			  : 0;
}

int profile_output__pprof_kind(const char *kind, bool *cpu, struct buf *why)
{
	*cpu = kind && !strcmp(kind, "cpu");
	if (!kind || *cpu || !strcmp(kind, "all"))
		return 0;
	return why__refuse(why, -EINVAL, "--pprof=%s: known are all and cpu", kind);
}

int profile_output__shown(const struct profile *p, enum format format, const struct profile **out,
			  struct profile **copy)
{
	int err;

	*out = p;
	*copy = NULL;
	if (!profile__has_places(p) || format__is(format, FORMAT_OF_PLACES))
		return 0;
	err = profile__without_places(copy, p);
	*out = *copy;
	return err;
}

static int write_chrome(const struct profile_output *o, FILE *f)
{
	const struct chrome_opts chrome = {
		.command = o->command,
		.title = o->svg.title,
		.noun = o->svg.noun,
		.event = o->svg.event,
		.weights = o->weights,
	};

	return print__chrome(f, o->profile, &chrome);
}

/* Commands have tried it before: nothing is told here. */
static int open_shade(const struct profile_output *o, struct shade **shade)
{
	struct buf why = {};
	int err = o->color ? shade__open(shade, o->color, o->profile, &why) : 0;

	buf__free(&why);
	return err;
}

static int write_svg(const struct profile_output *o, FILE *f)
{
	struct svg_opts svg = o->svg;
	struct shade *shade = NULL;
	int err = open_shade(o, &shade);

	svg.shade = shade;
	if (!err)
		err = print__svg(f, o->profile, &svg);
	shade__free(shade);
	return err;
}

static int write_html(const struct profile_output *o, FILE *f)
{
	struct html_opts html = {
		.command = o->command,
		.title = o->svg.title,
		.noun = o->svg.noun,
		.event = o->svg.event,
		.reverse = o->svg.reverse,
		.icicle = o->svg.icicle,
		.weights = o->weights,
	};
	struct shade *shade = NULL;
	int err = open_shade(o, &shade);

	html.shade = shade;
	if (!err)
		err = print__html(f, o->profile, &html);
	shade__free(shade);
	return err;
}

int profile_output__check_color(const char *color, const struct outputs *o, uint32_t event,
				struct buf *why)
{
	bool has_graph = false;

	for (size_t i = 0; i < o->nr; i++)
		has_graph |= o->items[i].format == FORMAT_SVG || o->items[i].format == FORMAT_HTML;
	if (color && !has_graph)
		return why__refuse(why, -EINVAL,
				   "--color is of flame graphs: -o FILE.svg, or FILE.html");
	if (color && event)
		return why__refuse(why, -EINVAL,
				   "--color is of the first event and its group: without --event");
	return 0;
}

static int write(const struct profile_output *o, FILE *f, enum format format)
{
	const struct json_opts json = {
		.command = o->command,
		.weights = o->weights,
		.at_ns = o->at_ns,
		.net = o->net,
		.own_cost = o->own_cost,
	};
	const struct csv_opts csv = {
		.weights = o->weights,
		.no_header = o->is_later,
		.at_ns = o->at_ns,
	};
	const struct speedscope_opts speedscope = {
		.command = o->command,
		.title = o->svg.title,
		.noun = o->svg.noun,
		.event = o->svg.event,
		.weights = o->weights,
	};
	const struct firefox_opts firefox = {
		.command = o->command,
		.title = o->svg.title,
		.noun = o->svg.noun,
		.event = o->svg.event,
		.weights = o->weights,
	};
	const struct pprof_opts pprof = {
		.command = o->command,
		.noun = o->svg.noun,
		.event = o->svg.event,
		.weights = o->weights,
		.cpu = o->pprof_cpu,
	};
	const struct table_opts table = {
		.rows = o->rows,
		.width = results__width(f),
		.color = results__color(f),
		.one_event = o->one_event,
		.event = o->svg.event,
	};

	switch (format) {
	case FORMAT_TABLE:
		if (o->is_later && putc('\n', f) == EOF)
			return errno ? -errno : -EIO;
		return print__table(f, o->profile, &table);
	case FORMAT_FOLDED:
		return o->all_events ? print__folded_all(f, o->profile)
				     : print__folded(f, o->profile, o->svg.event);
	case FORMAT_PMUT:
		return capture__write(f, o->profile);
	case FORMAT_SVG:
		return write_svg(o, f);
	case FORMAT_JSON:
		return print__json(f, o->profile, &json);
	case FORMAT_JSONL:
		return print__json_lines(f, o->profile, &json);
	case FORMAT_CSV:
		return print__csv(f, o->profile, &csv);
	case FORMAT_SPEEDSCOPE:
		return print__speedscope(f, o->profile, &speedscope);
	case FORMAT_FIREFOX:
		return print__firefox(f, o->profile, &firefox);
	case FORMAT_CHROME:
		return write_chrome(o, f);
	case FORMAT_PPROF:
		return print__pprof(f, o->profile, &pprof);
	case FORMAT_HTML:
		return write_html(o, f);
	case FORMAT_NR:
		break;
	}
	return -EINVAL;
}

int profile_output__write(const struct profile_output *o, FILE *f, enum format format)
{
	struct profile_output shown = *o;
	struct profile *copy;
	int err = profile_output__shown(o->profile, format, &shown.profile, &copy);

	if (!err)
		err = write(&shown, f, format);
	profile__free(copy);
	return err;
}
