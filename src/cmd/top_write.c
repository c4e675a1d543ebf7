// SPDX-License-Identifier: BSD-2-Clause
/* top: what the screen shows, into a file. */
#include "cmd/top_write.h"

#include <errno.h>
#include <stdio.h>

#include "cmd/outputs.h"
#include "cmd/profile_output.h"
#include "cmd/screen_file.h"
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

static const char *name_of(const struct screen_page *page)
{
	static const char *const names[] = {
		[SCREEN_PROCESSES] = "processes", [SCREEN_THREADS] = "threads",
		[SCREEN_CGROUPS] = "cgroups",	  [SCREEN_FUNCTIONS] = "functions",
		[SCREEN_CPUS] = "CPUs",		  [SCREEN_STACKS] = "stacks",
	};

	return names[page->what];
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

struct page_write {
	const struct top_run *run;
	const struct screen_page *page;
};

static int write_page(void *arg, FILE *f, enum format format)
{
	const struct page_write *w = arg;

	return is_of_samples(w->page) ? write_some_samples(f, w->page, format)
				      : write_tasks(f, w->run, w->page, format);
}

int top_write(const struct top_run *r, const char *path, const struct screen_page *page,
	      struct buf *why)
{
	struct page_write w = { r, page };
	bool has_samples = is_of_samples(page);
	enum format format;
	int err = screen_file__format(path, has_samples ? OF_SAMPLES : OF_TASKS, name_of(page),
				      &format, why);

	if (err)
		return err;
	if (has_samples && !page->profile && format != FORMAT_TABLE)
		return buf__printf(why, "%s: there are no samples to write yet", path) ? -ENOMEM
										       : -ENODATA;
	return screen_file__write(path, format, page->text, write_page, &w, why);
}
