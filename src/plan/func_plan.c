// SPDX-License-Identifier: BSD-2-Clause
/* Functions and probe pairs in words -> func_opts: pairs, numbers, returns, buckets. */
#include "plan/func_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/why.h"
#include "machine/registers.h"
#include "plan/func_events.h"
#include "plan/func_fields.h"
#include "plan/function_words.h"
#include "plan/histograms.h"
#include "object/sites.h"

/* Names of functions, to find those that several files have. */
struct name_counts {
	struct strtab *names;
	uint32_t *ids; /* of each function: its name */
	uint32_t *nr;  /* functions, by id of their name */
	size_t used, cap;
};

/* Entries and returns are of the same functions in the same order, unless a file was changed. */
static int check_pairs(const struct func_plan *p, size_t first, const char *word, struct buf *why)
{
	bool same = p->entries.nr == p->leaves.nr;

	for (size_t i = first; i < p->entries.nr && same; i++)
		same = sites__are_function(&p->entries.items[i].site, &p->leaves.items[i].site);
	return same ? 0
		    : why__refuse(why, -EINVAL,
				  "'%s': functions have changed while they were looked "
				  "up; run it again",
				  word);
}

static int check_function(const struct perf_event_spec *ev, struct buf *why)
{
	if (ev->has_rate)
		return why__refuse(why, -EINVAL, "'%s': every call is measured; leave out the rate",
				   ev->name);
	if (ev->site.kind == SITE_KPROBE && ev->site.offset)
		return why__refuse(why, -EINVAL,
				   "'%s': a call begins where the function does; leave "
				   "out the offset",
				   ev->name);
	return 0;
}

static int add_function(struct func_plan *p, const char *word, struct buf *why)
{
	struct buf entry = {}, leave = {};
	size_t first = p->entries.nr;
	int err = function_word__probes(word, &entry, &leave, why);

	p->env.skipped = skipped__of_pattern;
	if (!err)
		err = perf_events__parse(&p->entries, &p->env, entry.data, why);
	for (size_t i = first; i < p->entries.nr && !err; i++)
		err = check_function(&p->entries.items[i], why);
	p->env.skipped = NULL; /* the entries have told them */
	if (!err)
		err = perf_events__parse(&p->leaves, &p->env, leave.data, why);
	if (!err)
		err = check_pairs(p, first, word, why);
	if (!err)
		p->words[p->nr_words++] = (struct profile_event){ .name = word, .unit = "" };
	buf__free(&entry);
	buf__free(&leave);
	return err;
}

static int add_probe(struct func_plan *p, struct perf_events *to, const char *option,
		     const char *word, struct buf *why)
{
	int err = perf_events__parse(to, &p->env, word, why);

	if (err)
		return err;
	for (size_t i = 1; i < to->nr; i++)
		if (strcmp(to->items[i].name, to->items->name) != 0)
			return why__refuse(why, -EINVAL, "%s '%s' is %zu probes; name one", option,
					   word, (size_t)to->nr);
	if (to->items->site.kind == SITE_NONE)
		return why__refuse(why, -EINVAL,
				   "%s '%s' is no place in code: a tracepoint, or a probe of a "
				   "function or program is wanted",
				   option, word);
	return 0;
}

static int add_pair(struct func_plan *p, const struct func_plan_opts *opts, struct buf *why)
{
	int err = add_probe(p, &p->entries, "--from", opts->from, why);

	if (!err)
		err = add_probe(p, &p->leaves, "--to", opts->to, why);
	if (!err)
		err = buf__printf(&p->pair, "%s -> %s", opts->from, opts->to);
	if (!err)
		p->words[p->nr_words++] =
			(struct profile_event){ .name = p->pair.data, .unit = "" };
	return err;
}

static int check_words(const struct func_plan_opts *opts, struct buf *why)
{
	if (!opts->from != !opts->to)
		return why__refuse(why, -EINVAL, "--from PROBE and --to PROBE go together");
	if (opts->from && opts->nr_words)
		return why__refuse(why, -EINVAL,
				   "'%s': a function, or --from and --to: one of both",
				   opts->words[0]);
	if (opts->returns.any_depth && opts->returns.way == RETURNS_TRAP)
		return why__refuse(why, -EINVAL,
				   "--any-depth: the kernel sees at most 64 returns in each "
				   "other by return probes; leave out --returns trap");
	if (opts->match && !opts->from)
		return why__refuse(why, -EINVAL,
				   "--match goes with --from and --to: calls of functions "
				   "are told apart by their tasks");
	if (opts->match && opts->events && opts->events->nr)
		return why__refuse(why, -EINVAL,
				   "-e: with --match a call is of no task, and only its "
				   "time is known");
	if (!opts->from && !opts->nr_words)
		return why__refuse(why, -EINVAL,
				   "no function; write one, such as libc:malloc or "
				   "vfs_read, or --from PROBE --to PROBE (`pmutrace list` "
				   "shows them)");
	return 0;
}

/* Counts the function's name: several files may have it. */
static int add_name(struct func_plan *p, struct name_counts *n, size_t i)
{
	const char *name = p->entries.items[i].site.name;
	uint32_t id;
	int err = strtab__add(n->names, name ? name : "", name ? strlen(name) : 0, &id);

	if (!err)
		err = array__grow(&n->nr, &n->cap, id + 1);
	if (err)
		return err;
	if (id >= n->used)
		n->nr[n->used++] = 0;
	n->nr[id]++;
	n->ids[i] = id;
	return 0;
}

/* Names for the key `func`: the function's, or with its file where several have that name. */
static int name_functions(struct func_plan *p)
{
	size_t nr = p->entries.nr;
	struct name_counts n = { .names = strtab__new(), .ids = calloc(nr + 1, sizeof(*n.ids)) };
	int err = n.names && n.ids ? array__grow(&n.nr, &n.cap, 1) : -ENOMEM;

	if (!err)
		n.nr[n.used++] = 0; /* of the empty name */
	for (size_t i = 0; i < nr && !err; i++)
		err = add_name(p, &n, i);
	for (size_t i = 0; i < nr && !err; i++) {
		const struct perf_event_spec *ev = &p->entries.items[i];
		bool is_unique = ev->site.name && n.nr[n.ids[i]] == 1;

		p->rowprobes[i].function = p->pair.len ? p->pair.data
					   : is_unique ? ev->site.name
						       : ev->name;
	}
	strtab__free(n.names);
	free(n.ids);
	free(n.nr);
	return err;
}

/* --from and --to make one function in several parts: a probe may have several places. */
static size_t nr_functions(const struct func_plan *p)
{
	return p->entries.nr > p->leaves.nr ? p->entries.nr : p->leaves.nr;
}

/* @word_end: for each word, the number of functions up to and with its own. */
static int number_functions(struct func_plan *p, const size_t *word_end, struct buf *why)
{
	size_t word = 0, first = 0, nr = nr_functions(p);

	if (nr > UINT16_MAX)
		return why__refuse(why, -EINVAL, "more than %d functions", UINT16_MAX);
	p->functions = calloc(nr + 1, sizeof(*p->functions));
	p->rowprobes = calloc(nr + 1, sizeof(*p->rowprobes));
	if (!p->functions || !p->rowprobes)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		while (i == word_end[word])
			first = word_end[word++];
		p->functions[i] = (struct func_probe){
			.entry = i < p->entries.nr ? &p->entries.items[i] : NULL,
			.leave = i < p->leaves.nr ? &p->leaves.items[i] : NULL,
			.optional = !p->pair.len && word_end[word] - first > 1,
			.number = p->pair.len ? 0 : i,
		};
		p->rowprobes[i] = (struct rowprobe){
			.name = p->pair.len ? p->pair.data : p->entries.items[i].name,
			.event = word,
		};
	}
	p->nr_functions = p->nr_rowprobes = nr;
	return name_functions(p);
}

static int plan_buckets(struct func_plan *p, const struct func_plan_opts *opts, struct buf *why)
{
	const struct profile_metric *m = NULL;
	int err;

	for (size_t i = 0; i < p->nr_metrics && !m; i++)
		if (!strcmp(p->metrics[i].name, opts->buckets)) {
			m = &p->metrics[i];
			p->bucket_of = i;
		}
	if (!m)
		return why__refuse(why, -EINVAL,
				   "--hist: '%s' is not measured; write time, self, on-cpu, "
				   "off-cpu or an event of -e",
				   opts->buckets);
	p->buckets = (struct buckets){ .metric = m->name, .unit = m->unit };
	p->bucket_kind = opts->linear ? BUCKETS_LINEAR : BUCKETS_LOG2;
	err = opts->linear ? histograms__parse(&p->buckets, opts->linear, why) : 0;
	return err ? err : histograms__add_field(&p->key, &p->buckets);
}

static int plan_functions(struct func_plan *p, const struct func_plan_opts *opts, struct buf *why)
{
	size_t *word_end = calloc(opts->nr_words + 2, sizeof(*word_end));
	int err = 0;

	p->words = calloc(opts->nr_words + 1, sizeof(*p->words));
	if (!word_end || !p->words)
		err = -ENOMEM;
	if (!err && opts->from) {
		err = add_pair(p, opts, why);
		word_end[0] = nr_functions(p);
	}
	for (size_t i = 0; i < opts->nr_words && !err; i++) {
		err = add_function(p, opts->words[i], why);
		word_end[i] = p->entries.nr;
	}
	if (!err)
		err = number_functions(p, word_end, why);
	free(word_end);
	return err;
}

static bool is_of_functions(const struct func_plan *p)
{
	enum perf_site_kind kind = p->entries.items->site.kind;

	return !p->pair.len || kind == SITE_UPROBE || kind == SITE_KPROBE;
}

static bool wants_events(const struct func_plan_opts *opts)
{
	return opts->events && opts->events->nr && !opts->default_events;
}

/* Where calls move between threads, what the thread uses is not what the call uses. */
static int plan_places(struct func_plan *p, const struct func_plan_opts *opts, struct buf *why)
{
	bool is_go = p->returns.place == FUNC_PLACE_GO;

	if (p->returns.place == FUNC_PLACE_STACK)
		p->known = FUNC_KNOWS_TIME;
	else if (is_go && !p->returns.goroutines.nr)
		p->known = FUNC_KNOWS_SELF_TIME;
	if (p->known == FUNC_KNOWS_TIME && wants_events(opts))
		return why__refuse(why, -EINVAL,
				   "-e: of '%s' only the time of calls is known, for its "
				   "program switches between stacks; leave out -e",
				   p->entries.items->name);
	if (is_go && opts->filter && func_filter__of(opts->filter) & FILTER_OF_ENTRY)
		return why__refuse(why, -EINVAL,
				   "--filter: Go passes arguments in other registers than "
				   "C; `ret` and fields of the task can be compared");
	return 0;
}

static int check_go_fields(const struct func_plan *p, struct buf *why)
{
	const struct func_probe *f = p->functions;

	if (p->returns.place != FUNC_PLACE_GO || !f->nr_by || f->by_ret == (1u << f->nr_by) - 1)
		return 0;
	return why__refuse(why, -EINVAL,
			   "--by: Go passes arguments in other registers than C; `ret` and "
			   "keys of the task can be used");
}

int func_plan__make(struct func_plan *p, const struct func_plan_opts *opts, struct buf *why)
{
	int err = check_words(opts, why);

	p->env = *opts->env;
	p->env.sites = true;
	p->env.max_sites = opts->max_probes;
	p->env.skipped_arg = &p->skipped;
	p->known = opts->match ? FUNC_KNOWS_TIME : FUNC_KNOWS_ALL;
	if (!err)
		err = plan_functions(p, opts, why);
	if (!err && !p->pair.len) {
		struct returns_opts returns = opts->returns;

		returns.goroutines = wants_events(opts);
		err = returns__plan(&p->returns, &returns, &p->env, p->functions, &p->nr_functions,
				    &p->skipped, why);
	}
	if (!err && opts->returns.any_depth && p->returns.place == FUNC_PLACE_TASK)
		err = why__refuse(why, -EINVAL, "--any-depth is for functions of programs");
	if (!err && p->returns.place != FUNC_PLACE_TASK)
		err = plan_places(p, opts, why);
	if (!err)
		err = func_plan__events(p, opts->events, why);
	if (!err)
		err = func_plan__fields(p, opts, why);
	if (!err)
		err = check_go_fields(p, why);
	if (!err && p->key.by & BY_CALLER && !is_of_functions(p))
		err = why__refuse(why, -EINVAL,
				  "--by caller: a tracepoint is called by nobody; stack, "
				  "kstack and ustack tell where it was");
	if (!err && opts->buckets)
		err = plan_buckets(p, opts, why);
	return err;
}

void func_plan__free(struct func_plan *p)
{
	for (size_t i = 0; i < FUNC_EVENTS; i++)
		buf__free(&p->self[i]);
	buf__free(&p->pair);
	skipped__free(&p->skipped);
	returns__free(&p->returns);
	rowkeys__free(&p->key);
	free(p->filters);
	free(p->words);
	free(p->rowprobes);
	free(p->functions);
	perf_events__free(&p->entries);
	perf_events__free(&p->leaves);
	*p = (struct func_plan){};
}

static void skip(void *plan, const struct perf_event_spec *event, int err)
{
	struct func_plan *p = plan;

	/* Out of memory: the function is left out without a word. */
	if (skipped__add(&p->skipped, event->name, strerror(-err)))
		return;
}

static struct func_registers find_registers(void)
{
	struct func_registers out = {};
	struct cpu_register r = {};

	_Static_assert(ARRAY_SIZE(out.args) == REGISTERS_MAX_ARGS, "one for each");
	for (unsigned i = 0; i < ARRAY_SIZE(out.args); i++) {
		registers__find(REGISTERS_OUR_MACHINE,
				registers__argument(REGISTERS_OUR_MACHINE, i), &r);
		out.args[i] = r.at;
	}
	registers__find(REGISTERS_OUR_MACHINE, registers__result(REGISTERS_OUR_MACHINE), &r);
	out.result = r.at;
	return out;
}

/* Whether some function is the kernel's (a program's): its callers are on such stacks. */
static bool has_site(const struct func_plan *p, bool (*is)(const struct perf_site *site))
{
	for (size_t i = 0; i < p->nr_functions; i++)
		if (p->functions[i].leave && is(&p->functions[i].leave->site))
			return true;
	return false;
}

void func_plan__put(const struct func_plan *p, struct func_opts *calls, struct collector_opts *opts)
{
	bool by_caller = p->key.by & BY_CALLER;

	calls->functions = p->functions;
	calls->nr_functions = p->nr_functions;
	calls->events = p->events;
	calls->nr_events = p->nr_events;
	calls->switches = p->returns.goroutines.switches;
	calls->nr_switches = p->returns.goroutines.nr;
	calls->registers = find_registers();
	calls->env = &p->env;
	calls->buckets = p->bucket_kind;
	calls->bucket_of = p->bucket_of;
	calls->linear = histograms__linear(&p->buckets);
	calls->by = by_caller && has_site(p, site__is_kernel) ? BY_KSTACK : 0;
	calls->by |= by_caller && has_site(p, site__is_user) ? BY_USTACK : 0;
	if (by_caller && !(p->key.by & (BY_KSTACK | BY_USTACK)))
		calls->max_stack = 1;
	calls->skipped = skip;
	calls->arg = (void *)p;
	opts->calls = calls;
	opts->by = p->key.by;
	opts->events = p->words;
	opts->nr_events = p->nr_words;
	opts->probes = p->rowprobes;
	opts->nr_probes = p->nr_rowprobes;
	opts->fields = p->key.fields;
	opts->nr_fields = p->key.nr_fields;
	opts->metrics = p->metrics;
	opts->nr_metrics = p->nr_metrics;
	opts->buckets = p->bucket_kind != BUCKETS_NONE ? &p->buckets : NULL;
}
