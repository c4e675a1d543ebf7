// SPDX-License-Identifier: BSD-2-Clause
/* list: what can be measured here, by name; what a name stands for. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "collect/catalog_fill.h"
#include "collect/explain.h"
#include "collect/resolve.h"
#include "out/catalog_json.h"
#include "out/catalog_table.h"
#include "out/explained_json.h"
#include "out/explained_table.h"
#include "sym/suggest.h"

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
struct run {
	const struct list_opts *o;
	const char *pattern; /* NULL: all */
	unsigned kinds;	     /* that are listed; bits of enum catalog_kind */
	bool named;	     /* the user said which */
	struct catalog_pattern compiled;
	struct catalog c;
	struct explanations explained;
	struct buf why;
};

static int __attribute__((format(printf, 2, 3))) usage(struct run *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int err;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err = buf__puts(&r->why, text);
	return err ? err : -EINVAL;
}

static int parse_kinds(struct run *r, const char *list)
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
			return usage(r,
				     "--kind: unknown kind '%.*s'; known: hardware software cache "
				     "pmu syntax vendor tracepoint kprobe all",
				     (int)len, list);
	}
	return 0;
}

/* `perf list hw cache 'L1*'`: kinds may be words, and one more word is the pattern. */
static int parse_words(struct run *r, const struct cmd_words *words)
{
	enum catalog_kind kind;

	if (words->command)
		return usage(r, "list runs no command: unexpected '--'");
	for (int i = 0; i < words->nr; i++) {
		if (catalog_kind__parse(words->word[i], strlen(words->word[i]), &kind))
			r->kinds |= BIT(kind);
		else if (r->pattern)
			return usage(r, "unexpected '%s': one pattern, which is '%s' already",
				     words->word[i], r->pattern);
		else
			r->pattern = words->word[i];
	}
	return 0;
}

static int choose_kinds(struct run *r)
{
	const struct list_opts *o = r->o;

	if ((r->kinds & BIT(CATALOG_UPROBE) && !o->functions) ||
	    (r->kinds & BIT(CATALOG_USDT) && !o->usdt))
		return usage(r, "which program's? --functions FILE or --usdt FILE lists them");
	if (o->functions)
		r->kinds |= BIT(CATALOG_UPROBE);
	if (o->usdt)
		r->kinds |= BIT(CATALOG_USDT);
	if (o->fields && !r->kinds)
		r->kinds = BIT(CATALOG_TRACEPOINT);
	if (o->fields && !(r->kinds & BIT(CATALOG_TRACEPOINT)))
		return usage(r, "--fields: only tracepoints have them");
	r->named = r->kinds;
	if (!r->named)
		r->kinds = ALL & ~(r->pattern ? BIT(CATALOG_KPROBE) : (unsigned)MANY);
	return 0;
}

/* Who asked for everything gets the rest; who asked for tracepoints alone cannot have them. */
static int fill_tracepoints(struct run *r, struct catalog *c)
{
	int err = catalog_fill__tracepoints(c, "", r->o->fields, &r->why);

	if (!err || err == -ENOMEM || r->kinds == BIT(CATALOG_TRACEPOINT))
		return err == -EINVAL ? -EIO : err;
	log__notice("no tracepoints: %s", r->why.len ? r->why.data : strerror(-err));
	buf__clear(&r->why);
	return 0;
}

static int fill_functions(struct run *r, struct catalog *c)
{
	int err = catalog_fill__kernel_functions(c, &r->why);

	if (!err || err == -ENOMEM || r->kinds == BIT(CATALOG_KPROBE))
		return err;
	log__notice("no functions of the kernel: %s", r->why.len ? r->why.data : strerror(-err));
	buf__clear(&r->why);
	return 0;
}

static int fill(struct run *r, struct catalog *c, unsigned kinds)
{
	const struct catalog_fill_opts o = { .root = "", .try = true };
	int err = catalog_fill__generic(c, &o, kinds);

	if (!err && kinds & BIT(CATALOG_PMU))
		err = catalog_fill__pmus(c, &o);
	if (!err && kinds & BIT(CATALOG_SYNTAX))
		err = catalog_fill__syntax(c, &o);
	if (!err && kinds & BIT(CATALOG_VENDOR))
		err = catalog_fill__vendor(c);
	if (!err && kinds & BIT(CATALOG_TRACEPOINT))
		err = fill_tracepoints(r, c);
	if (!err && kinds & BIT(CATALOG_KPROBE))
		err = fill_functions(r, c);
	if (!err && kinds & BIT(CATALOG_UPROBE))
		err = catalog_fill__functions(c, r->o->functions, &r->why);
	if (!err && kinds & BIT(CATALOG_USDT))
		err = catalog_fill__usdt(c, r->o->usdt, &r->why);
	return err;
}

/* How many there are of what is not listed because nobody asked for that many. */
static int count_omitted(struct run *r)
{
	unsigned omitted = r->named ? 0 : MANY & ~r->kinds;
	struct catalog c = {};
	int err = omitted ? catalog__init(&c, &r->compiled) : 0;

	if (omitted && !err)
		err = fill(r, &c, omitted);
	for (size_t i = 0; i < c.nr && !err; i++)
		r->c.nr_omitted[c.items[i].kind]++;
	catalog__free(&c);
	return err;
}

static const char *title_of(unsigned kind)
{
	return kind == CATALOG_KPROBE ? "functions of the kernel" : "events of the CPU's manual";
}

static int put_omitted(struct run *r, struct buf *text)
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

/* What may have been meant: names, and what of them may be typed alone. */
static int suggest_names(struct run *r, const struct catalog *c)
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

static int nothing_found(struct run *r)
{
	const struct catalog_pattern any = {};
	struct buf omitted = {};
	struct catalog c = {};
	int err;

	if (!r->pattern) {
		err = buf__puts(&r->why, "there is nothing of that kind here");
		return err ? err : -ENOENT;
	}
	err = buf__printf(&r->why, "nothing matches '%s'", r->pattern);
	if (!err)
		err = put_omitted(r, &omitted);
	if (!err && omitted.len)
		err = buf__printf(&r->why, "; not looked through: %s", omitted.data);
	else if (!err)
		err = catalog__init(&c, &any);
	if (!err && c.strings) {
		/* Its notices have been given. */
		log__set_sink(NULL);
		err = fill(r, &c, r->kinds);
		if (!err)
			err = suggest_names(r, &c);
	}
	catalog__free(&c);
	buf__free(&omitted);
	return err ? err : -ENOENT;
}

/* https://no-color.org, and terminals that have none. */
static bool wants_color(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && no[0]) && term && strcmp(term, "dumb");
}

static int print(struct run *r)
{
	const struct catalog_table_opts table = {
		.headlines = isatty(STDOUT_FILENO),
		.color = wants_color(),
		.fields = r->o->fields,
	};
	struct buf omitted = {};
	int err;

	if (r->o->json)
		return out__catalog_json(stdout, &r->c, r->o->fields);
	err = out__catalog_table(stdout, &r->c, &table);
	if (!err)
		err = put_omitted(r, &omitted);
	if (!err && omitted.len)
		log__notice("not listed: %s", omitted.data);
	buf__free(&omitted);
	return err;
}

static int list(struct run *r)
{
	int err = catalog_pattern__compile(&r->compiled, r->pattern);

	if (err == -E2BIG)
		return usage(r, "the pattern '%.64s..' is too long", r->pattern);
	if (!err)
		err = catalog__init(&r->c, &r->compiled);
	if (!err)
		err = fill(r, &r->c, r->kinds);
	if (!err)
		err = count_omitted(r);
	if (!err && !r->c.nr)
		err = nothing_found(r);
	if (err)
		return err;
	catalog__sort(&r->c);
	return print(r);
}

static int explain(struct run *r)
{
	struct perf_events events = {};
	int err;

	if (r->pattern || r->kinds || r->o->fields || r->o->functions || r->o->usdt)
		return usage(r, "--explain goes alone: it takes events as -e does");
	err = perf_events__parse(&events, &resolve_env, r->o->explain, &r->why);
	if (!err)
		err = explanations__init(&r->explained);
	if (!err)
		err = explain__events(&r->explained, &events, &r->why);
	if (!err && r->o->json)
		err = out__explained_json(stdout, &r->explained);
	else if (!err)
		err = out__explained_table(stdout, &r->explained, wants_color());
	perf_events__free(&events);
	return err;
}

static int run(void *opts, const struct cmd_words *words)
{
	struct run r = { .o = opts };
	int err, ret = PMUTRACE_OK;

	log_to_stderr(r.o->quiet, r.o->verbose);
	err = parse_words(&r, words);
	if (!err)
		err = parse_kinds(&r, r.o->kinds);
	if (!err && r.o->explain) {
		err = explain(&r);
	} else if (!err) {
		err = choose_kinds(&r);
		if (!err)
			err = list(&r);
	}
	if (err == -EIO && !r.why.len)
		err = buf__puts(&r.why, "cannot write stdout") ? -ENOMEM : -EIO;
	if (err)
		ret = complain_why(err, &r.why);
	catalog__free(&r.c);
	explanations__free(&r.explained);
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
	.run = run,
};
