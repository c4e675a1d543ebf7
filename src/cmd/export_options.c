// SPDX-License-Identifier: BSD-2-Clause
/* Puts an exporter's options together from the command line and its file. */
#include "cmd/export_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "cmd/export_lines.h"
#include "run/overhead.h"

#define AT(member) offsetof(struct export_opts, member)

const struct opt export_options[] = {
	{ OPT_HEAD, .help = "Where" },
	{ OPT_STR, 0, "listen", "ADDRESS", AT(listen),
	  "127.0.0.1:9870, [::1]:9870, or :9870 for all addresses" },
	{ OPT_BOOL, 0, "profiles", NULL, AT(profiles),
	  "/debug/pprof/profile, too: stacks of all programs for who asks" },
	{ OPT_HEAD, .help = "Metrics node_perf_*, as node_exporter has them (all that there are)" },
	{ OPT_STR, 0, "collector.perf.cpus", "LIST", AT(cpus), "on these: 2-6, 1-10:5" },
	{ OPT_STRS, 0, "collector.perf.tracepoint", "S:E", AT(tracepoints),
	  "of a tracepoint, too: sched:sched_switch" },
	{ OPT_STRS, 0, "collector.perf.hardware-profilers", "NAME", AT(hardware),
	  "of hardware events these: CpuCycles" },
	{ OPT_STRS, 0, "collector.perf.software-profilers", "NAME", AT(software),
	  "of software events these: PageFault" },
	{ OPT_STRS, 0, "collector.perf.cache-profilers", "NAME", AT(cache),
	  "of caches these: LLReadMiss" },
	{ OPT_BOOL, 0, "collector.perf.disable-hardware-profilers", NULL, AT(no_hardware),
	  "no hardware events" },
	{ OPT_BOOL, 0, "collector.perf.disable-software-profilers", NULL, AT(no_software),
	  "no software events" },
	{ OPT_BOOL, 0, "collector.perf.disable-cache-profilers", NULL, AT(no_cache), "no caches" },
	{ OPT_HEAD, .help = "Metrics pmutrace_cgroup_*, pmutrace_process_*: what these use" },
	{ OPT_STRS, 0, "by", "LIST", AT(by),
	  "cgroup, process: CPU time and context switches of each" },
	{ OPT_STRS, 'e', "events", "EV,..", AT(events), "and these events" },
	{ OPT_U32, 0, "series", "N", AT(series),
	  "for the N that use most, the rest is one, \"other\" (100)" },
	{ OPT_HEAD, .help = "Metrics pmutrace_probe_*, and any of the above, from a file" },
	{ OPT_STR, 0, "config", "FILE", AT(config),
	  "lines of count and func, and options; again on SIGHUP" },
	{ OPT_BOOL, 0, "check-config", NULL, AT(check_config), "only say whether it is good" },
	{ OPT_HEAD, .help = "Cost" },
	{ OPT_STR, 0, "max-overhead", "PCT", AT(max_overhead),
	  "of one CPU: measures less where it would cost more" },
	{ OPT_HEAD, .help = "Output" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "no notices" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

/* Those of the command line alone. */
static bool is_of_a_file(const char *name)
{
	static const char *const not [] = { "config", "check-config", "quiet", "verbose" };

	for (size_t i = 0; i < ARRAY_SIZE(not ); i++)
		if (!strcmp(name, not [i]))
			return false;
	return true;
}

static int put_setting(struct export_settings *s, const struct config_setting *c,
		       const struct export_opts *given, struct buf *why)
{
	const struct export_opts nothing = {};
	struct buf wrong = {};
	int err;

	if (is_of_a_file(c->name) && opt__is_given(export_options, c->name, given, &nothing))
		return 0;
	if (is_of_a_file(c->name))
		err = opt__put(export_options, &s->opts, c->name, (const char *const *)c->values,
			       c->nr_values, &wrong);
	else
		err = why__refuse(&wrong, -EINVAL, "%s is of the command line", c->name);
	if (err)
		err = why__refuse(why, err, "%s:%u: %s", given->config, c->line,
				  wrong.len ? wrong.data : strerror(-err));
	buf__free(&wrong);
	return err;
}

static int copy_strs(struct opt_strs *to, const struct opt_strs *from)
{
	int err = 0;

	for (size_t i = 0; i < from->nr && !err; i++) {
		err = array__grow(&to->items, &to->cap, to->nr + 1);
		if (!err)
			to->items[to->nr++] = from->items[i];
	}
	return err;
}

/* Where the lists are. */
static const size_t lists[] = { AT(tracepoints), AT(hardware), AT(software),
				AT(cache),	 AT(events),   AT(by) };

static struct opt_strs *list_of(const struct export_opts *o, size_t i)
{
	return (struct opt_strs *)((char *)o + lists[i]);
}

static int copy_opts(struct export_opts *to, const struct export_opts *from)
{
	int err = 0;

	*to = *from;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		*list_of(to, i) = (struct opt_strs){};
	for (size_t i = 0; i < ARRAY_SIZE(lists) && !err; i++)
		err = copy_strs(list_of(to, i), list_of(from, i));
	return err;
}

void export_opts__free(struct export_opts *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		free((void *)list_of(o, i)->items);
}

void export_settings__free(struct export_settings *s)
{
	export_opts__free(&s->opts);
	config__free(&s->config);
	buf__free(&s->by);
	free(s->lines);
}

/* "cgroup,process" */
static int join(struct buf *out, const struct opt_strs *items)
{
	int err = 0;

	for (size_t i = 0; i < items->nr && !err; i++)
		err = buf__printf(out, "%s%s", i ? "," : "", items->items[i]);
	return err;
}

static void put_exporter(struct export_settings *s)
{
	const struct export_opts *o = &s->opts;

	s->exporter = (struct exporter_opts){
		.listen = o->listen ? o->listen : "127.0.0.1:9870",
		.node_perf = {
			.cpus = o->cpus,
			.tracepoints = o->tracepoints.items,
			.nr_tracepoints = o->tracepoints.nr,
			.hardware = o->hardware.items,
			.nr_hardware = o->hardware.nr,
			.software = o->software.items,
			.nr_software = o->software.nr,
			.cache = o->cache.items,
			.nr_cache = o->cache.nr,
			.no_hardware = o->no_hardware,
			.no_software = o->no_software,
			.no_cache = o->no_cache,
		},
		.by = !o->by.nr ? NULL : s->by.data ? s->by.data : "",
		.events = o->events.items,
		.nr_events = o->events.nr,
		.max_series = o->series,
		.profiles = o->profiles,
		.lines = s->lines,
		.nr_lines = s->config.nr_lines,
	};
}

int export_settings__make(struct export_settings *out, const struct export_opts *given,
			  const struct buf *bytes, struct buf *why)
{
	int err = copy_opts(&out->opts, given);

	if (!err && bytes)
		err = config__parse(&out->config, bytes, given->config, why);
	for (size_t i = 0; i < out->config.nr_settings && !err; i++)
		err = put_setting(out, &out->config.settings[i], given, why);
	if (!err)
		err = join(&out->by, &out->opts.by);
	if (!err)
		err = export_lines__make(&out->lines, &out->config, given->config, why);
	if (err)
		return err;
	put_exporter(out);
	if (out->opts.max_overhead)
		err = overhead__parse(out->opts.max_overhead, &out->exporter.max_overhead, why);
	return err ? err : exporter_opts__check(&out->exporter, why);
}
