// SPDX-License-Identifier: BSD-2-Clause
/* top: what the screen shows, into a file. */
#include "cmd/top_write.h"

#include <errno.h>
#include <stdio.h>

#include "base/sink.h"
#include "cmd/outputs.h"
#include "cmd/profile_output.h"
#include "print/top_csv.h"
#include "print/top_json.h"

enum {
	OF_TASKS = 1 << FORMAT_TABLE | 1 << FORMAT_CSV | 1 << FORMAT_JSON,
	OF_SAMPLES = OF_TASKS | 1 << FORMAT_JSONL | 1 << FORMAT_SVG | 1 << FORMAT_FOLDED |
		     1 << FORMAT_SPEEDSCOPE | 1 << FORMAT_PPROF | 1 << FORMAT_FIREFOX |
		     1 << FORMAT_CHROME | 1 << FORMAT_HTML,
};

static bool is_of_samples(const struct screen_page *page)
{
	return page->what == SCREEN_FUNCTIONS || page->what == SCREEN_STACKS;
}

static int refuse(const char *path, const struct screen_page *page, struct buf *why)
{
	static const char *const names[] = {
		[SCREEN_PROCESSES] = "processes", [SCREEN_THREADS] = "threads",
		[SCREEN_CGROUPS] = "cgroups",	  [SCREEN_FUNCTIONS] = "functions",
		[SCREEN_CPUS] = "CPUs",		  [SCREEN_STACKS] = "stacks",
	};
	unsigned formats = is_of_samples(page) ? OF_SAMPLES : OF_TASKS;
	int err = buf__printf(why, "'%s' is not for %s, but these are:", path__ending(path),
			      names[page->what]);

	for (unsigned i = 0; i < FORMAT_NR && !err; i++)
		if (formats & 1u << i)
			err = buf__printf(why, " %s", format__ending(i));
	return err ? err : -EINVAL;
}

static int write_tasks(FILE *f, const struct top_run *r, const struct screen_page *page,
		       enum format format)
{
	const struct top_page p = {
		.live = r->live,
		.columns = &r->columns,
		.rows = &page->view->rows,
		.by = page->view->by,
		.max_rows = SIZE_MAX,
		.processes = r->processes,
		.full = page->view->full_commands,
	};

	return format == FORMAT_JSON ? print__top_json(f, &p) : print__top_csv(f, &p, true);
}

/* The title names the process or thread that is looked into. */
static int write_samples(FILE *f, const struct profile *p, const char *of, enum format format)
{
	struct profile_output out = { .profile = p, .command = "top", .weights = true };
	struct buf title = {};
	int err = 0;

	if (of && p->nr_events)
		err = buf__printf(&title, "Flame graph of %s, %s", p->events[0].name, of);
	out.svg.title = title.data;
	if (!err)
		err = profile_output__write(&out, f, format);
	buf__free(&title);
	return err;
}

static bool wants(void *scope, const struct profile *p, const struct row *row)
{
	return scope__has(scope, p, row);
}

/* Writes only the samples in the scope of the page. */
static int write_some_samples(FILE *f, const struct screen_page *page, enum format format)
{
	struct scope scope = *page->scope;
	struct profile *some = profile__like(page->profile);
	int err = some ? profile__merge_some(some, page->profile, wants, &scope) : -ENOMEM;

	if (!err)
		err = write_samples(f, some, page->of, format);
	profile__free(some);
	return err;
}

static int write_page(FILE *f, const struct top_run *r, const struct screen_page *page,
		      enum format format)
{
	if (format == FORMAT_TABLE || format == FORMAT_NR)
		return fputs(page->text->data, f) == EOF ? (errno ? -errno : -EIO) : 0;
	return is_of_samples(page) ? write_some_samples(f, page, format)
				   : write_tasks(f, r, page, format);
}

/* Writes all of it, or leaves no file. */
static int write_new(const struct top_run *r, const char *path, const struct screen_page *page,
		     enum format format)
{
	struct sink *s;
	FILE *f;
	int err = sink__open(&s, path, SINK_NEW);

	if (err)
		return err;
	err = sink__begin(s, &f);
	if (!err)
		err = sink__end(s, write_page(f, r, page, format));
	if (!err)
		err = sink__close(s);
	sink__free(s);
	return err;
}

int top_write(const struct top_run *r, const char *path, const struct screen_page *page,
	      struct buf *why)
{
	enum format format = format__of(path);
	bool has_samples = is_of_samples(page);
	int err;

	if (format == FORMAT_NR ? path__ending(path) != NULL
				: !((has_samples ? OF_SAMPLES : OF_TASKS) & 1u << format))
		return refuse(path, page, why);
	if (has_samples && !page->profile && format != FORMAT_TABLE && format != FORMAT_NR)
		return buf__printf(why, "%s: there are no samples to write yet", path) ? -ENOMEM
										       : -ENODATA;
	err = write_new(r, path, page, format);
	if (err && buf__printf(why, "cannot write %s: %s", path, sink__strerror(err)))
		return -ENOMEM;
	return err;
}
