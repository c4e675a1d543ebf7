// SPDX-License-Identifier: BSD-2-Clause
/* Functions of programs -> return probes, or probes on the instructions that leave them. */
#include "plan/returns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/hazards.h"
#include "lookup/lookup_code.h"
#include "machine/registers.h"

/* The file that was asked about last: all functions of a pattern are in one. */
struct file {
	const char *path; /* NULL: none yet */
	unsigned hazards;
	bool is_recent_go;
};

static int look_at_file(struct file *f, struct lookup_reader *reader, const char *path,
			struct buf *why)
{
	int err;

	if (f->path && !strcmp(f->path, path))
		return 0;
	f->path = NULL;
	err = lookup__hazards(reader, path, &f->hazards, &f->is_recent_go, why);
	if (!err)
		f->path = path;
	return err;
}

int returns__parse(enum returns_way *out, const char *word, struct buf *why)
{
	*out = RETURNS_SAFE;
	if (!word)
		return 0;
	if (!strcmp(word, "trap"))
		*out = RETURNS_TRAP;
	else if (!strcmp(word, "decode"))
		*out = RETURNS_DECODE;
	else
		return buf__printf(why,
				   "--returns '%s': write trap (the kernel's return probes) or "
				   "decode (probes on the instructions that leave a function)",
				   word)
			       ? -ENOMEM
			       : -EINVAL;
	return 0;
}

/* What choose() needs, for one function after the other. */
struct choosing {
	struct returns *r;
	const struct returns_opts *opts;
	struct perf_event_env env;
	bool looks_inside; /* files of the functions can be opened */
	struct file file;
};

static int add_exit(struct choosing *c, const struct exit_place *place, struct buf *why)
{
	struct returns *r = c->r;
	struct buf text = {};
	int err = buf__printf(&text, "uprobe:%s:0x%llx", c->file.path,
			      (unsigned long long)place->offset);

	if (!err)
		err = perf_events__parse(&r->events, &c->env, text.data, why);
	if (!err)
		err = array__grow(&r->exits, &r->cap_exits, r->nr_exits + 1);
	if (!err)
		r->exits[r->nr_exits++] = (struct func_exit){ .condition = place->condition,
							      .unsure = place->unsure,
							      .jump = place->jump };
	buf__free(&text);
	return err;
}

/* Takes back exits from @nr on, of a function that is left out after all. */
static void drop_exits(struct returns *r, size_t nr)
{
	r->nr_exits = nr;
	perf_events__truncate(&r->events, nr);
}

static int explain(const char *name, const struct file *f, const struct buf *reason,
		   struct buf *why)
{
	int err = buf__printf(why, "the returns of '%s' cannot be found in its code: %s", name,
			      reason->data ? reason->data : "");

	if (!err && f->hazards)
		err = buf__printf(why, "; %s, and so it is not used (--returns trap --force does)",
				  hazards__harm(f->hazards));
	return err ? err : -EINVAL;
}

static enum func_place place_of(const struct file *f, bool any_depth)
{
	if (f->hazards & HAZARD_GO)
		return FUNC_PLACE_GO;
	if (f->hazards & HAZARD_STACKS)
		return FUNC_PLACE_STACK;
	return any_depth ? FUNC_PLACE_THREAD : FUNC_PLACE_TASK;
}

/* Go's assembly has another calling convention: no register has the goroutine. */
static int check_go(const struct file *f, const char *name, struct buf *why)
{
	const char *end = name ? strstr(name, ".abi0") : NULL;
	int err = 0;

	if (!(f->hazards & HAZARD_GO))
		return 0;
	if (end && !end[strlen(".abi0")])
		err = buf__puts(why,
				"it is written in assembly, which does not tell its goroutine");
	else if (!f->is_recent_go)
		err = buf__puts(why, "the program was built by a Go older than 1.18, which does "
				     "not tell its goroutine");
	else
		return 0;
	return err ? err : -EOPNOTSUPP;
}

/* Nobody reads the stack while a leaf function runs; but Go's runtime interrupts it to do so. */
static bool is_harmless(const struct file *f, const struct exits *exits)
{
	return !f->hazards || (!exits->calls && !(f->hazards & HAZARD_GO));
}

/* Does that come of the file, and not of the function? */
static bool is_unreadable(int err)
{
	return err && err != -EOPNOTSUPP && err != -ENOENT;
}

/* The exits of a function, if these are to be probed. *nr: how many; 0: return probes. */
static int choose(struct choosing *c, struct func_probe *f, size_t *nr, struct buf *why)
{
	const struct perf_site *site = &f->entry->site;
	struct buf reason = {};
	struct exits exits = {};
	size_t before = c->r->nr_exits;
	int err = 0;

	*nr = 0;
	/* Without an `instruction` callback the files are not to be opened. */
	if (!c->looks_inside && c->opts->way == RETURNS_SAFE)
		return 0;
	err = look_at_file(&c->file, c->env.reader_of_files, site->home, why);
	if (err)
		return err;
	if (!c->file.hazards && c->opts->way != RETURNS_DECODE && !c->opts->any_depth)
		return 0;
	err = lookup__exits(c->env.reader_of_files, site->home, site->offset, &exits, &reason);
	if (is_unreadable(err)) {
		err = buf__puts(why, reason.data ? reason.data : "") ? -ENOMEM : err;
		goto out_free;
	}
	if (c->opts->way != RETURNS_DECODE && !err && is_harmless(&c->file, &exits) &&
	    place_of(&c->file, c->opts->any_depth) == FUNC_PLACE_TASK)
		goto out_free;
	if (c->opts->way == RETURNS_TRAP) {
		err = 0;
		c->r->is_forced = c->opts->force;
		c->r->hazards |= c->file.hazards;
		if (!c->opts->force)
			err = buf__printf(why,
					  "'%s': %s; leave out --returns trap, or write --force",
					  f->entry->name, hazards__harm(c->file.hazards))
				      ? -ENOMEM
				      : -EINVAL;
		goto out_free;
	}
	if (!err)
		err = check_go(&c->file, site->name, &reason);
	if (err == -EOPNOTSUPP || err == -ENOENT)
		err = explain(f->entry->name, &c->file, &reason, why);
	for (; !err && *nr < exits.nr; ++*nr)
		err = add_exit(c, &exits.items[*nr], why);
	if (!err && c->opts->goroutines && c->file.hazards & HAZARD_GO)
		err = goroutines__add(&c->r->goroutines, site->home, &c->env, why);
	if (err)
		drop_exits(c->r, before);
	if (!err)
		f->entry->site.offset = exits.entry;
	c->r->nr_decoded += !err;
	c->r->hazards |= c->file.hazards;
	f->place = place_of(&c->file, c->opts->any_depth);
out_free:
	exits__free(&exits);
	buf__free(&reason);
	return err;
}

/* @nr_exits: how many exits each of the kept functions has, in their order. */
static int choose_all(struct choosing *c, struct func_probe *functions, size_t *nr,
		      size_t *nr_exits, struct skipped *skipped, struct buf *why)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < *nr && !err; i++) {
		struct func_probe *f = &functions[i];

		if (f->entry && f->leave && f->leave->site.kind == SITE_URETPROBE &&
		    f->entry->site.kind == SITE_UPROBE)
			err = choose(c, f, &nr_exits[kept], why);
		if (err == -EINVAL && f->optional) {
			err = skipped__add(skipped, f->entry->name, why->data);
			buf__clear(why);
			continue;
		}
		functions[kept++] = *f;
	}
	if (!err && !kept)
		err = buf__puts(why, "none of these functions can be measured without harm; -v "
				     "tells why")
			      ? -ENOMEM
			      : -EINVAL;
	*nr = kept;
	return err;
}

/* All functions need the same enum func_place: what can be known of a call depends on it. */
static int check_places(struct returns *r, const struct func_probe *functions, size_t nr,
			struct buf *why)
{
	r->place = functions[0].place;
	for (size_t i = 1; i < nr; i++)
		if (functions[i].place != r->place)
			return buf__printf(why,
					   "'%s' and '%s': functions of Go, and of programs that "
					   "switch between stacks, are measured by themselves; "
					   "leave out one of them",
					   functions[0].entry->name, functions[i].entry->name)
				       ? -ENOMEM
				       : -EINVAL;
	return 0;
}

/* Return probes first, then decoded ones: neighbours of one kind can share programs. */
static int put_alike_together(struct func_probe *functions, size_t nr)
{
	struct func_probe *decoded = calloc(nr + 1, sizeof(*decoded));
	size_t nr_decoded = 0, nr_trapped = 0;

	if (!decoded)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		if (functions[i].exits)
			decoded[nr_decoded++] = functions[i];
		else
			functions[nr_trapped++] = functions[i];
	memcpy(functions + nr_trapped, decoded, nr_decoded * sizeof(*decoded));
	free(decoded);
	return 0;
}

int returns__plan(struct returns *r, const struct returns_opts *opts,
		  const struct perf_event_env *env, struct func_probe *functions, size_t *nr,
		  struct skipped *skipped, struct buf *why)
{
	struct choosing c = { .r = r, .opts = opts, .env = *env };
	size_t *nr_exits = calloc(*nr + 1, sizeof(*nr_exits)), at = 0;
	int err = nr_exits ? 0 : -ENOMEM;

	c.looks_inside = env->instruction;
	c.env.instruction = NULL; /* exits__find() has checked them */
	if (!err)
		err = choose_all(&c, functions, nr, nr_exits, skipped, why);
	if (!err)
		err = check_places(r, functions, *nr, why);
	/* `events` will not move any more: pointers into it can be set. */
	goroutines__finish(&r->goroutines);
	for (size_t i = 0; i < r->nr_exits && !err; i++)
		r->exits[i].event = &r->events.items[i];
	for (size_t i = 0; i < *nr && !err; i++) {
		if (nr_exits[i])
			functions[i].exits = &r->exits[at];
		functions[i].nr_exits = nr_exits[i];
		at += nr_exits[i];
	}
	if (!err)
		err = put_alike_together(functions, *nr);
	free(nr_exits);
	return err;
}

void returns__free(struct returns *r)
{
	goroutines__free(&r->goroutines);
	perf_events__free(&r->events);
	free(r->exits);
	*r = (struct returns){};
}

void returns__describe(const struct returns *r, size_t nr_functions, char text[RETURNS_CHARS])
{
	const char *why = r->hazards & HAZARD_GO	   ? "Go moves its stacks"
			  : r->hazards & HAZARD_STACKS	   ? "the program switches stacks"
			  : r->hazards & HAZARD_EXCEPTIONS ? "exceptions may pass"
							   : "as asked for";
	char of[64] = "";

	if (r->nr_decoded < nr_functions)
		snprintf(of, sizeof(of), "of %zu of the functions ", r->nr_decoded);
	snprintf(text, RETURNS_CHARS, "returns %sare seen at their instructions (%s)%s%s", of, why,
		 REGISTERS_OUR_MACHINE == EM_X86_64
			 ? ": some 12 us a call, where a return probe takes 1"
			 : "",
		 r->place == FUNC_PLACE_STACK ? "; only the time of calls is known"
		 : r->place != FUNC_PLACE_GO  ? ""
		 : r->goroutines.nr	      ? "; so are switches of goroutines"
					      : "; with -e also what else calls use is known");
}

const char *returns__harm(const struct returns *r)
{
	return r->is_forced ? hazards__harm(r->hazards) : NULL;
}

/* 1: a return probe there may harm the program; 0: not; or -errno. */
static int is_harmful(struct file *file, struct lookup_reader *reader,
		      const struct perf_event_spec *ev, struct buf *why)
{
	struct buf reason = {};
	struct exits exits = {};
	int err = look_at_file(file, reader, ev->site.home, why);

	if (err || !file->hazards)
		return err;
	err = lookup__exits(reader, ev->site.home, ev->site.offset, &exits, &reason);
	if (!is_unreadable(err))
		err = err || !is_harmless(file, &exits);
	else if (buf__puts(why, reason.data ? reason.data : ""))
		err = -ENOMEM;
	exits__free(&exits);
	buf__free(&reason);
	return err;
}

int returns__check(const struct perf_events *events, const struct perf_event_env *env,
		   struct buf *why)
{
	const char *force = env->reader == READER_PROGRAM ? "options.force" : "--force";
	struct file file = {};
	int err = 0;

	for (size_t i = 0; i < events->nr && !err; i++) {
		const struct perf_event_spec *ev = &events->items[i];

		if (ev->site.kind == SITE_URETPROBE)
			err = is_harmful(&file, env->reader_of_files, ev, why);
		if (err > 0)
			err = buf__printf(why,
					  "'%s': %s; `pmutrace func` measures its calls without "
					  "one, and %s uses it all the same",
					  ev->name, hazards__harm(file.hazards), force)
				      ? -ENOMEM
				      : -EINVAL;
	}
	return err;
}
