// SPDX-License-Identifier: BSD-2-Clause
/* One object of a counting session: its probes, sizes and configuration, loading, clones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object/bpf.h"
#include "object/clone.h"
#include "probe/count_session.h"

enum {
	STACK_WORDS = 40, /* room for a usual stack */
	KEYS_DEFAULT = 2048,
	MANY_PROBES = 8, /* that share tables */
	KEYS_OF_MANY = 4 * KEYS_DEFAULT,
};

int count__add_hook(struct count *h, struct hook *k)
{
	int err = array__grow(&h->hooks, &h->cap_hooks, h->nr_hooks + 1);

	if (!err)
		h->hooks[h->nr_hooks++] = k;
	return err;
}

void hook__close(struct hook *k)
{
	if (!k)
		return;
	sites__detach(&k->sites);
	for (size_t i = 0; i < k->nr_clones; i++)
		close(k->clones[i]);
	free(k->clones);
	unwind_maps__unmap(&k->object.unwind);
	tables__unmap(&k->object.tables);
	hook__unmap_totals(k);
	count_bpf__destroy(k->skel);
	free(k->calls);
	free(k->probes);
	free(k);
}

int hook__new(struct hook **out, const struct count_probe *const *probes, size_t nr)
{
	struct hook *k = calloc(1, sizeof(*k));

	*out = k;
	if (!k)
		return -ENOMEM;
	k->probes = malloc(nr * sizeof(*k->probes));
	if (!k->probes)
		return -ENOMEM;
	memcpy(k->probes, probes, nr * sizeof(*k->probes));
	k->nr_probes = nr;
	return 0;
}

bool count_probe__same_shape(const struct count_probe *a, const struct count_probe *b)
{
	return a->nr_by == b->nr_by && !memcmp(a->by, b->by, sizeof(a->by)) &&
	       !memcmp(&a->measure, &b->measure, sizeof(a->measure)) &&
	       a->measure_signed == b->measure_signed &&
	       (a->filter == b->filter ||
		(a->filter && b->filter && !memcmp(a->filter, b->filter, sizeof(*a->filter))));
}

static bool uses_context(const struct fetch *f)
{
	return f->source == FETCH_CONTEXT;
}

/* A field or filter needs the tracepoint's record, which raw tracepoints do not have. */
static bool uses_record(const struct count_probe *p)
{
	bool uses = uses_context(&p->measure);

	for (size_t i = 0; i < p->nr_by; i++)
		uses |= uses_context(&p->by[i]);
	for (size_t i = 0; p->filter && i < p->filter->nr; i++)
		uses |= uses_context(&p->filter->terms[i].left);
	return uses;
}

bool hook__has_way(const struct count_probe *probe, enum sites_way way)
{
	const struct perf_site *site = &probe->event->site;

	/* Tracepoints of single system calls have no raw tracepoint. */
	if (way == SITES_RAW && site->kind == SITE_TRACEPOINT &&
	    (uses_record(probe) || !strcmp(site->home, "syscalls")))
		return false;
	return site__has_way(site, way);
}

static struct bpf_program *program_of(const struct hook *k)
{
	if (k->calls)
		return k->skel->progs.count_call;
	if (k->way == SITES_RAW)
		return k->skel->progs.count_raw;
	if (site__is_user(&k->probes[0]->event->site))
		return sites__preempts_users() ? k->skel->progs.count_user
					       : k->skel->progs.count_function;
	if (site__is_kernel(&k->probes[0]->event->site))
		return k->skel->progs.count_function;
	if (k->probes[0]->event->site.kind == SITE_TRACEPOINT)
		return k->skel->progs.count_record;
	return k->skel->progs.count_event;
}

bool count__has_no_key(const struct count_probe *probe, const struct count_opts *opts)
{
	return !probe->nr_by && !probe->measure.source && !opts->by;
}

/* One program serves probes with different numbers: it tells them by their cookies. */
static bool needs_cookie(const struct hook *k)
{
	for (size_t i = 1; i < k->nr_probes && sites__has_cookies(k->way); i++)
		if (k->probes[i]->number != k->probes[0]->number)
			return true;
	return false;
}

/* The programs' configuration for a probe: how they make the words of a key. */
static struct count_cfg count_cfg(const struct hook *k, const struct count_probe *probe,
				  uint32_t source, const struct count_opts *opts)
{
	struct count_cfg cfg = {
		.task.by = opts->by | (opts->by & BY_USTACK ? BY_PID : 0),
		.nr_by = probe->nr_by,
		.measure = probe->measure,
		.measure_signed = probe->measure_signed,
		.values = opts->values,
		.buckets = opts->buckets,
		.linear = opts->linear,
		.source = source,
		.has_cookie = needs_cookie(k),
		.at_entry = probe->event->site.at_entry,
		.totals = k->row_totals,
	};
	uint32_t at = SAMPLE_KEY_WORDS;

	for (size_t i = 0; i < probe->nr_by; i++) {
		cfg.by[i] = probe->by[i];
		cfg.by[i].at = at;
		at += probe->by[i].words;
	}
	cfg.measure.at = at;
	return cfg;
}

/* Configuration and filter for the @n-th probe of the hook, or for its @n-th plan of calls. */
static void configure(const struct hook *k, size_t n, const struct count_opts *opts,
		      struct count_cfg *cfg, struct filter_cfg *filter)
{
	const struct count_probe *probe = k->calls ? k->calls[n].probe : k->probes[n];

	*cfg = count_cfg(k, probe, k->object.has_no_keys ? n : probe->number, opts);
	if (k->calls) {
		cfg->calls = n * COUNT_CALLS;
		cfg->at_exit = k->calls[n].at_exit;
		cfg->call_args = k->calls[n].args;
		cfg->call_frame = sites__calls_have_frame();
	}
	if (probe->filter)
		*filter = *probe->filter;
	else
		*filter = (struct filter_cfg){};
}

/* Lays out the key, which is the same for all probes of a hook. */
static void plan_key(struct hook *k, const struct count_opts *opts)
{
	const struct count_probe *probe = k->probes[0];

	k->number = probe->number;
	k->object.tables.first = SAMPLE_KEY_WORDS + (opts->buckets != BUCKETS_NONE);
	for (size_t i = 0; i < probe->nr_by; i++)
		k->object.tables.first += probe->by[i].words;
	k->object.has_no_keys = !k->is_event && !probe->filter && !needs_cookie(k) &&
				count__has_no_key(probe, opts);
	/* Where one program serves them all by cookies they share one total. */
	k->nr_totals = k->object.has_no_keys && (k->calls || !sites__has_cookies(k->way))
			       ? k->nr_probes
			       : 1;
}

/* Programs of raw tracepoints may interrupt one another, but none interrupts itself. */
static uint32_t lanes_of(const struct hook *k)
{
	if (k->program == k->skel->progs.count_raw)
		return k->nr_probes > 1 ? TABLE_LANES : 1;
	return k->program == k->skel->progs.count_user ? TABLE_LANES : 1;
}

static uint64_t keys_of(const struct hook *k, uint32_t lanes)
{
	return k->nr_probes < MANY_PROBES ? KEYS_DEFAULT : KEYS_OF_MANY / lanes;
}

static int size_tables(struct hook *k, const struct count_opts *opts)
{
	uint32_t lanes = lanes_of(k);
	struct tables_opts tables = {
		.max_keys = opts->max_keys ? opts->max_keys : keys_of(k, lanes),
		.max_words = k->object.tables.first + 2 * opts->max_stack,
		.key_words = TABLE_RECORD_WORDS + k->object.tables.first,
		.lanes = lanes,
		.nr_values = opts->values,
		.exemplars = opts->exemplars && !k->object.has_no_keys,
	};
	int err;

	if (opts->by & (BY_KSTACK | BY_USTACK))
		tables.key_words += STACK_WORDS;
	if (k->object.has_no_keys)
		tables.max_keys = 1;
	err = tables__size(&k->object.tables, &tables, k->skel->obj);
	if (!err && k->nr_calls)
		err = bpf_map__set_max_entries(k->skel->maps.calls, k->nr_calls * COUNT_CALLS);
	return err ? err
		   : bpf_map__set_max_entries(k->skel->maps.scratch, k->object.tables.nr_places);
}

/* Sets all that is decided before loading: the program, read-only data, sizes. */
static int prepare(struct count *h, struct hook *k, const struct count_opts *opts)
{
	const struct bpf_object *obj = k->skel->obj;
	struct bpf_program *programs[] = {
		k->skel->progs.count_function, k->skel->progs.count_user,
		k->skel->progs.count_record,   k->skel->progs.count_raw,
		k->skel->progs.count_event,    k->skel->progs.count_call
	};
	int err = 0;

	k->program = program_of(k);
	k->is_event = k->program == k->skel->progs.count_event;
	plan_key(k, opts);
	if (k->object.has_no_keys)
		err = hook__size_totals(k);
	configure(k, 0, opts, (void *)&k->skel->rodata->cfg, (void *)&k->skel->rodata->filter);
	k->skel->rodata->stack = bpf__stack_cfg(k->object.tables.first, opts->max_stack, opts->by);
	for (size_t i = 0; i < ARRAY_SIZE(programs) && !err; i++)
		if (programs[i] != k->program)
			err = bpf_program__set_autoload(programs[i], false);
	if (!err && k->way == SITES_MULTI)
		err = bpf_program__set_expected_attach_type(
			k->program, (enum bpf_attach_type)site__multi_type(
					    &k->probes[0]->event->site, SITES_MULTI));
	if (!err)
		err = size_tables(k, opts);
	if (!err)
		err = targets__prepare(obj, opts->target, opts->command, true, true);
	if (!err)
		err = targets__within(obj, opts->within_fd);
	if (!err)
		err = unwind_maps__prepare(obj, &k->skel->rodata->stack,
					   &(struct unwind_room){ .bytes = opts->unwind_bytes });
	if (!err && h->nr_hooks)
		err = targets__share(obj, h->hooks[0]->skel->obj);
	if (!err && h->nr_hooks)
		err = unwind_maps__share(obj, h->hooks[0]->skel->obj);
	return err;
}

int hook__load(struct count *h, struct hook *k, const struct count_opts *opts, struct buf *why)
{
	int err = 0;

	k->skel = count_bpf__open();
	if (!k->skel)
		err = -errno;
	if (!err)
		err = prepare(h, k, opts);
	if (!err)
		err = count_bpf__load(k->skel);
	if (!err)
		err = tables__map(&k->object.tables, k->skel->obj);
	if (!err && k->object.has_no_keys)
		err = hook__map_totals(k);
	if (!err && !h->nr_hooks)
		err = targets__fill(k->skel->obj, opts->target);
	if (!err)
		k->object.on = (uint32_t *)&k->skel->bss->control.on;
	return err ? bpf__explain_load(why, err, "--keys") : 0;
}

static int add_clone(struct hook *k, const struct count_opts *opts, size_t n, int *fd)
{
	size_t bytes = bpf_map__value_size(k->skel->maps.rodata);
	const char *first = (const char *)k->skel->rodata;
	size_t cfg = (const char *)&k->skel->rodata->cfg - first;
	size_t filter = (const char *)&k->skel->rodata->filter - first;
	char *config = malloc(bytes);
	int err = config ? array__grow(&k->clones, &k->cap_clones, k->nr_clones + 1) : -ENOMEM;

	if (!err) {
		memcpy(config, first, bytes);
		configure(k, n, opts, (void *)(config + cfg), (void *)(config + filter));
		err = clone__load(fd, k->skel->obj, k->program, k->skel->maps.rodata, config);
	}
	if (!err)
		k->clones[k->nr_clones++] = *fd;
	free(config);
	return err;
}

int hook__program(struct hook *k, size_t n, const struct count_opts *opts, int *fd)
{
	*fd = bpf_program__fd(k->program);
	return n ? add_clone(k, opts, n, fd) : 0;
}
