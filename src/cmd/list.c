// SPDX-License-Identifier: BSD-2-Clause
/* list: what can be measured here, by name; what a name stands for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/suggest.h"
#include "base/why.h"
#include "catalog/catalog_fill.h"
#include "catalog/explain.h"
#include "cmd/cmd.h"
#include "cmd/results.h"
#include "print/catalog.h"
#include "print/explained.h"

struct list_opts {
	const char *kinds, *functions, *usdt, *explain;
	bool fields, json, quiet, verbose;
};

#define AT(member) offsetof(struct list_opts, member)

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "What" },
	{ OPT_STR, 'k', "kind", "LIST", AT(kinds),
	  "of hardware,software,cache,pmu,syntax,vendor,tracepoint,kprobe; all" },
	{ OPT_STR, 0, "functions", "FILE", AT(functions), "functions of a program or library" },
	{ OPT_STR, 0, "usdt", "FILE", AT(usdt), "static probes of a program or library" },
	{ OPT_BOOL, 0, "fields", NULL, AT(fields), "what tracepoints tell: their fields" },
	{ OPT_STR, 0, "explain", "EV,..", AT(explain), "what events stand for, and if they open" },
	{ OPT_HEAD, .help = "Output" },
	{ OPT_BOOL, 0, "json", NULL, AT(json), "for programs" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "no notices" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

#define BIT(kind) (1u << (kind))

enum {
	OF_FILES = BIT(CATALOG_UPROBE) | BIT(CATALOG_USDT),
	ALL = (BIT(CATALOG_NR) - 1) & ~OF_FILES,
	MANY = BIT(CATALOG_KPROBE) | BIT(CATALOG_VENDOR),
};

/* Everything of one run; freed together. */
struct listing {
	const struct list_opts *o;
	struct lookup_reader *lookups; /* borrowed */
	const char *pattern;	       /* NULL: all */
	unsigned kinds;		       /* that are listed; bits of enum catalog_kind */
	bool named;		       /* the user said which */
	struct catalog_pattern compiled;
	struct catalog c;
	struct explanations explained;
	struct buf refused; /* which kinds could not be read, and why */
	struct buf why;
	int unwritten; /* the -errno of writing the result to stdout, or 0 */
};

static int parse_kinds(struct listing *r, const char *list)
{
	enum catalog_kind kind;
	size_t len;

	for (; list; list = list[len] ? list + len + 1 : NULL) {
		len = strcspn(list, ",");
		if (len == 3 && !strncmp(list, "all", 3))
			r->kinds |= ALL;
		else if (catalog_kind__parse(list, len, &kind))
			r->kinds |= BIT(kind);
		else
			return why__refuse(
				&r->why, -EINVAL,
				"--kind: unknown kind '%.*s'; known: hardware software cache "
				"pmu syntax vendor tracepoint kprobe all",
				(int)len, list);
	}
	return 0;
}

/* `perf list hw cache 'L1*'`: kinds may be words, and one more word is the pattern. */
static int parse_words(struct listing *r, const struct cmd_words *words)
{
	enum catalog_kind kind;

	if (words->command)
		return why__refuse(&r->why, -EINVAL, "list runs no command: unexpected '--'");
	for (int i = 0; i < words->nr; i++) {
		if (catalog_kind__parse(words->word[i], strlen(words->word[i]), &kind))
			r->kinds |= BIT(kind);
		else if (r->pattern)
			return why__refuse(&r->why, -EINVAL,
					   "unexpected '%s': one pattern, which is '%s' already",
					   words->word[i], r->pattern);
		else
			r->pattern = words->word[i];
	}
	return 0;
}

static int choose_kinds(struct listing *r)
{
	const struct list_opts *o = r->o;

	if ((r->kinds & BIT(CATALOG_UPROBE) && !o->functions) ||
	    (r->kinds & BIT(CATALOG_USDT) && !o->usdt))
		return why__refuse(&r->why, -EINVAL,
				   "which program's? --functions FILE or --usdt FILE lists them");
	if (o->functions)
		r->kinds |= BIT(CATALOG_UPROBE);
	if (o->usdt)
		r->kinds |= BIT(CATALOG_USDT);
	if (o->fields && !r->kinds)
		r->kinds = BIT(CATALOG_TRACEPOINT);
	if (o->fields && !(r->kinds & BIT(CATALOG_TRACEPOINT)))
		return why__refuse(&r->why, -EINVAL, "--fields: only tracepoints have them");
	r->named = r->kinds;
	if (!r->named)
		r->kinds = ALL & ~(r->pattern ? BIT(CATALOG_KPROBE) : (unsigned)MANY);
	return 0;
}

/* @refused: as in catalog_fill__wanted(). */
static int fill(struct listing *r, struct catalog *c, unsigned kinds, struct buf *refused)
{
	const struct catalog_fill_opts o = { .root = "", .try = true };
	const struct catalog_wanted wanted = {
		.kinds = kinds,
		.fields = r->o->fields,
		.functions = r->o->functions,
		.usdt = r->o->usdt,
		.reader = r->lookups,
	};

	/* If one kind alone is wanted, that it cannot be read is an error. */
	if (kinds == r->kinds && !(kinds & (kinds - 1)))
		refused = NULL;
	return catalog_fill__wanted(c, &o, &wanted, refused, &r->why);
}

/* Counts the entries of kinds that have so many that they are listed only when asked for. */
static int count_omitted(struct listing *r)
{
	unsigned omitted = r->named ? 0 : MANY & ~r->kinds;
	struct catalog c = {};
	int err = omitted ? catalog__init(&c, &r->compiled) : 0;

	if (omitted && !err)
		err = fill(r, &c, omitted, &r->refused);
	for (size_t i = 0; i < c.nr && !err; i++)
		r->c.nr_omitted[c.items[i].kind]++;
	catalog__free(&c);
	return err;
}

static const char *title_of(unsigned kind)
{
	return kind == CATALOG_KPROBE ? "functions of the kernel" : "events of the CPU's manual";
}

static int put_omitted(struct listing *r, struct buf *text)
{
	int err = 0;

	for (unsigned i = 0; i < CATALOG_NR && !err; i++)
		if (r->c.nr_omitted[i])
			err = buf__printf(
				text, "%s%zu %s (pmutrace list %s%s%s%s)", text->len ? ", " : "",
				r->c.nr_omitted[i], title_of(i), catalog_kind__name(i),
				r->compiled.has_glob ? " '"
				: r->pattern	     ? " "
						     : "",
				r->pattern ? r->pattern : "", r->compiled.has_glob ? "'" : "");
	return err;
}

/* Appends what may have been meant: names, aliases, and what is behind a name's ':'. */
static int suggest_names(struct listing *r, const struct catalog *c)
{
	const char **names = calloc(3 * c->nr + 1, sizeof(*names));
	size_t nr = 0;
	int err;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++) {
		const char *own = strchr(c->items[i].name, ':');

		names[nr++] = c->items[i].name;
		if (c->items[i].alias)
			names[nr++] = c->items[i].alias;
		if (own && own[1])
			names[nr++] = own + 1;
	}
	err = suggest(&r->why, r->pattern, names, nr);
	free(names);
	return err;
}

/* Appends names that are nearly the pattern: looks through the same kinds without it. */
static int put_suggestion(struct listing *r)
{
	const struct catalog_pattern any = {};
	struct buf refused = {}; /* what is in r->refused already */
	struct catalog c = {};
	int err = catalog__init(&c, &any);

	if (!err)
		err = fill(r, &c, r->kinds, &refused);
	if (!err)
		err = suggest_names(r, &c);
	catalog__free(&c);
	buf__free(&refused);
	return err;
}

static int nothing_found(struct listing *r)
{
	struct buf omitted = {};
	size_t before;
	int err;

	if (!r->pattern) {
		return why__refuse(&r->why, -ENOENT, "there is nothing of that kind here");
	}
	err = buf__printf(&r->why, "nothing matches '%s'", r->pattern);
	before = r->why.len;
	if (!err)
		err = put_omitted(r, &omitted);
	if (!err && omitted.len)
		err = buf__printf(&r->why, "; not looked through: %s", omitted.data);
	else if (!err)
		err = put_suggestion(r);
	buf__free(&omitted);
	if (!err && r->refused.len && r->why.len == before)
		err = buf__printf(&r->why, "; %s", r->refused.data);
	else if (!err && r->refused.len)
		log__notice("%s", r->refused.data);
	return err ? err : -ENOENT;
}

static int print_list(struct listing *r)
{
	const struct catalog_table_opts table = {
		.headlines = isatty(STDOUT_FILENO),
		.color = results__color(stdout),
		.fields = r->o->fields,
	};

	return r->o->json ? print__catalog_json(stdout, &r->c, r->o->fields)
			  : print__catalog_table(stdout, &r->c, &table);
}

/* JSON has the numbers in it. */
static void announce_omitted(struct listing *r)
{
	struct buf omitted = {};

	if (!r->o->json && !put_omitted(r, &omitted) && omitted.len)
		log__notice("not listed: %s", omitted.data);
	buf__free(&omitted);
}

static int list(struct listing *r)
{
	int err = choose_kinds(r);

	if (!err)
		err = catalog_pattern__compile(&r->compiled, r->pattern);
	if (err == -E2BIG)
		return why__refuse(&r->why, -EINVAL, "the pattern '%.64s..' is too long",
				   r->pattern);
	if (!err)
		err = catalog__init(&r->c, &r->compiled);
	if (!err)
		err = fill(r, &r->c, r->kinds, &r->refused);
	if (!err)
		err = count_omitted(r);
	if (!err && !r->c.nr)
		err = nothing_found(r);
	if (err)
		return err;
	if (r->refused.len)
		log__notice("%s", r->refused.data);
	catalog__sort(&r->c);
	r->unwritten = print_list(r);
	if (!r->unwritten)
		announce_omitted(r);
	return 0;
}

/* Events that are not known are an error, but the others are explained all the same. */
static int explain(struct listing *r)
{
	int err;

	if (r->pattern || r->kinds || r->o->fields || r->o->functions || r->o->usdt)
		return why__refuse(&r->why, -EINVAL,
				   "--explain goes alone: it takes events as -e does");
	err = explanations__init(&r->explained);
	if (!err)
		err = explain__list(&r->explained, r->o->explain, r->lookups, &r->why);
	if ((!err || err == -EINVAL) && r->explained.nr)
		r->unwritten = r->o->json ? print__explained_json(stdout, &r->explained)
					  : print__explained_table(stdout, &r->explained,
								   results__color(stdout));
	return err;
}

static int run(void *opts, const struct cmd_words *words)
{
	struct listing r = { .o = opts, .lookups = words->lookups };
	int err, ret = PMUTRACE_OK;

	log_to_stderr(r.o->quiet, r.o->verbose);
	err = parse_words(&r, words);
	if (!err)
		err = parse_kinds(&r, r.o->kinds);
	if (!err)
		err = r.o->explain ? explain(&r) : list(&r);
	if (r.unwritten)
		ret = complain_unwritten("stdout", r.unwritten);
	if (err)
		ret = complain_why(err, &r.why);
	catalog__free(&r.c);
	explanations__free(&r.explained);
	buf__free(&r.refused);
	buf__free(&r.why);
	return ret;
}

const struct cmd cmd_list = {
	.name = "list",
	.args = "[KIND..] [PATTERN]",
	.summary = "what can be measured here: events, tracepoints, functions; what a name is",
	.examples = "  pmutrace list                                events, tracepoints\n"
		    "  pmutrace list hw                             hardware events only\n"
		    "  sudo pmutrace list 'sched:*'                 tracepoints by a pattern\n"
		    "  sudo pmutrace list --fields sched_switch     what a tracepoint tells\n"
		    "  sudo pmutrace list kprobe 'vfs_*'            functions of the kernel\n"
		    "  pmutrace list --functions libc mall          functions of a library\n"
		    "  pmutrace list --explain cycles:u             what it is, does it open\n",
	.opts = opts_table,
	.opts_size = sizeof(struct list_opts),
	.names_code = true,
	.run = run,
};
