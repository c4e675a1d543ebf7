// SPDX-License-Identifier: BSD-2-Clause
/* Writes what samples are counted in, then a sample for each stack and whose it is. */
#include "print/pprof.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "by.wire.h"
#include "model/profile.h"
#include "print/event_line.h"
#include "print/lossline.h"
#include "print/pprof_locations.h"
#include "print/pprof_tables.h"
#include "print/sampled.h"
#include "print/series_name.h"

/* What of an event a value of each sample is. */
struct value_type {
	uint32_t event;
	bool weight;		   /* how many events samples stand for, else how many there are */
	const char *ending, *name; /* the event's name and an ending, or a name */
	const char *unit;
};

enum { LABELS_MAX = 5 };

struct out {
	struct pprof_tables t;
	const struct profile *p;
	const struct pprof_opts *o;
	struct value_type *types;
	size_t nr_types, cap_types;
	int64_t *values; /* of the sample that is made: one for each type */
	struct pprof_locations locations;
	struct buf text;
	int64_t key_pid, key_tid, key_cpu, key_comm, key_cgroup; /* texts of labels' keys */
};

static void fail(struct out *o, int err)
{
	if (!o->t.err)
		o->t.err = err;
}

static bool is_clock(const struct out *o, uint32_t event)
{
	return o->o->weights && !strcmp(o->p->events[event].unit, "ns");
}

static void add_type(struct out *o, struct value_type type)
{
	int err = array__grow(&o->types, &o->cap_types, o->nr_types + 1);

	if (err)
		fail(o, err);
	else
		o->types[o->nr_types++] = type;
}

/* The first clock of a series is what CPU time is there. */
static bool is_cpu(const struct out *o, uint32_t event)
{
	if (o->o->cpu)
		return is_clock(o, event);
	if (!o->o->series || !is_clock(o, event))
		return false;
	for (uint32_t i = 0; i < event; i++)
		if (is_clock(o, i) && !o->p->events[i].is_member)
			return false;
	return !o->p->events[event].is_member;
}

/* The names that profiles of CPU time have everywhere. */
static void add_cpu_types(struct out *o, uint32_t event)
{
	add_type(o, (struct value_type){ event, false, NULL, "samples", "count" });
	if (is_clock(o, event))
		add_type(o, (struct value_type){ event, true, NULL, "cpu", "nanoseconds" });
}

static void find_types(struct out *o)
{
	bool has_clock = false;

	if (o->o->cpu) {
		add_cpu_types(o, o->o->event);
		return;
	}
	for (uint32_t i = 0; i < o->p->nr_events; i++) {
		const char *unit = is_clock(o, i) ? "nanoseconds" : "count";

		if (is_cpu(o, i)) {
			add_cpu_types(o, i);
			continue;
		}
		if (!o->p->events[i].is_member)
			add_type(o, (struct value_type){ i, false, "_sample", NULL, "count" });
		if (o->o->weights)
			add_type(o, (struct value_type){ i, true, "_event", NULL, unit });
		if (is_clock(o, i) && !has_clock && !o->p->events[i].is_member && !o->o->series) {
			has_clock = true;
			add_cpu_types(o, i);
		}
	}
}

/* An event's name, with something behind it. */
static int64_t event_text(struct out *o, uint32_t event, const char *ending)
{
	const char *name = o->p->events[event].name;

	buf__clear(&o->text);
	fail(o, o->o->series ? series_name__put(&o->text, name) : buf__puts(&o->text, name));
	fail(o, buf__puts(&o->text, ending));
	return o->t.err ? 0 : pprof_tables__text(&o->t, o->text.data);
}

static int64_t type_text(struct out *o, const struct value_type *type)
{
	return type->name ? pprof_tables__text(&o->t, type->name)
			  : event_text(o, type->event, type->ending);
}

/* The last one of the chosen event that has its name, or of those that have names of their own. */
static size_t default_type(const struct out *o)
{
	size_t found = 0;

	for (size_t i = 0; i < o->nr_types; i++)
		if (o->types[i].event == o->o->event &&
		    (is_cpu(o, o->o->event) || !o->types[i].name || o->o->cpu))
			found = i;
	return found;
}

static void put_types(struct out *o)
{
	for (size_t i = 0; i < o->nr_types; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *all[] = { &type };

		type.type = type_text(o, &o->types[i]);
		type.unit = pprof_tables__text(&o->t, o->types[i].unit);
		part.n_sample_type = 1;
		part.sample_type = all;
		if (i == default_type(o))
			part.default_sample_type = type.type;
		pprof_tables__put(&o->t, &part);
	}
}

static void put_comment(struct out *o, Pprof__Profile *part, const char *text)
{
	int64_t id = pprof_tables__text(&o->t, text);

	part->n_comment = 1;
	part->comment = &id;
	pprof_tables__put(&o->t, part);
}

static void put_comments(struct out *o)
{
	const struct profile_about *about = &o->p->about;
	const char *noun = o->o->noun ? o->o->noun : "sample";
	Pprof__Profile part = PPROF__PROFILE__INIT;

	buf__clear(&o->text);
	fail(o, buf__printf(&o->text, "pmutrace " PMUTRACE_VERSION " %s", o->o->command));
	if (*about->host)
		fail(o, buf__printf(&o->text, " of %s (Linux %s, %s, %s)", about->host,
				    about->kernel, about->machine, about->cpu));
	if (!o->t.err)
		put_comment(o, &part, o->text.data);
	for (uint32_t i = 0; i < o->p->nr_events && !o->t.err; i++) {
		buf__clear(&o->text);
		fail(o, print__event_line(&o->text, o->p, i, noun));
		if (!o->t.err)
			put_comment(o, &part, o->text.data);
	}
	buf__clear(&o->text);
	fail(o, print__losses_of(&o->text, noun, &o->p->losses));
	if (!o->t.err)
		put_comment(o, &part, o->text.data);
}

static void put_head(struct out *o)
{
	const struct profile *p = o->p;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;

	put_types(o);
	part.time_nanos = p->about.begin_ns;
	part.duration_nanos = p->duration_ns;
	type.type = is_cpu(o, o->o->event) ? pprof_tables__text(&o->t, "cpu")
					   : event_text(o, o->o->event, "");
	type.unit = pprof_tables__text(&o->t, is_clock(o, o->o->event) ? "nanoseconds" : "count");
	part.period_type = &type;
	part.period = sampled__period(&p->events[o->o->event], o->o->weights);
	pprof_tables__put(&o->t, &part);
	put_comments(o);
	o->key_pid = pprof_tables__text(&o->t, "pid");
	o->key_tid = pprof_tables__text(&o->t, "tid");
	o->key_cpu = pprof_tables__text(&o->t, "cpu");
	o->key_comm = pprof_tables__text(&o->t, "comm");
	o->key_cgroup = pprof_tables__text(&o->t, "cgroup");
}

/* Adds a row to the values of its event. */
static void add_values(struct out *o, const struct row *row)
{
	for (size_t i = 0; i < o->nr_types; i++)
		if (o->types[i].event == row->key.event)
			o->values[i] += o->types[i].weight ? row->weight : row->samples;
}

static void put_sample(struct out *o, Pprof__Sample *sample)
{
	sample->n_value = o->nr_types;
	sample->value = o->values;
	pprof_tables__put_sample(&o->t, sample);
	memset(o->values, 0, o->nr_types * sizeof(*o->values));
}

/* pprof takes a number without a unit for one of its key's; a 0 without it does not exist there. */
static void add_number(Pprof__Label *labels, size_t *nr, int64_t key, int64_t value)
{
	pprof__label__init(&labels[*nr]);
	labels[*nr].key = key;
	if (!value)
		labels[*nr].num_unit = key;
	labels[(*nr)++].num = value;
}

static void add_text(Pprof__Label *labels, size_t *nr, int64_t key, int64_t text)
{
	if (!text)
		return;
	pprof__label__init(&labels[*nr]);
	labels[*nr].key = key;
	labels[(*nr)++].str = text;
}

/* What rows are by; @command: a node, or 0. */
static size_t label(struct out *o, const struct row_key *k, uint32_t command, Pprof__Label *labels)
{
	const struct frame *frames = o->p->frames;
	const unsigned by = o->p->by;
	size_t nr = 0;

	if (by & BY_PID)
		add_number(labels, &nr, o->key_pid, k->pid);
	if (by & BY_TID)
		add_number(labels, &nr, o->key_tid, k->tid);
	if (by & BY_CPU)
		add_number(labels, &nr, o->key_cpu, k->cpu);
	if (by & BY_COMM && command)
		add_text(labels, &nr, o->key_comm,
			 pprof_tables__string(&o->t, frames[o->p->nodes[command].frame].name));
	if (by & BY_CGROUP)
		add_text(labels, &nr, o->key_cgroup, pprof_tables__string(&o->t, k->cgroup));
	return nr;
}

/* The sample whose values are there, with the stack and the labels of @k. */
static void put_row(struct out *o, const struct row_key *k)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	Pprof__Label labels[LABELS_MAX], *all[LABELS_MAX];
	uint32_t command;
	int err =
		pprof_locations__of(&o->locations, o->p, k->stack, &sample.n_location_id, &command);

	if (err) {
		fail(o, err);
		return;
	}
	sample.location_id = o->locations.ids;
	sample.n_label = label(o, k, command, labels);
	for (size_t i = 0; i < sample.n_label; i++)
		all[i] = &labels[i];
	sample.label = all;
	put_sample(o, &sample);
}

/* But for the event: 0 is the same sample. */
static int compare_keys(const struct row_key *a, const struct row_key *b)
{
	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->cgroup > b->cgroup) - (a->cgroup < b->cgroup);
}

static int compare_rows(const void *one, const void *two, void *profile)
{
	const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;
	const struct profile *p = profile;
	int order = compare_keys(&p->rows[a].key, &p->rows[b].key);

	return order ? order : (a > b) - (a < b);
}

static bool is_wanted(const struct out *o, const struct row *row)
{
	if (o->o->cpu && row->key.event != o->o->event)
		return false;
	return row->samples || o->p->events[row->key.event].is_member;
}

static void put_rows(struct out *o)
{
	const struct profile *p = o->p;
	uint32_t *order = calloc(p->nr_rows + 1, sizeof(*order));
	size_t nr = 0;

	if (!order) {
		fail(o, -ENOMEM);
		return;
	}
	for (uint32_t i = 0; i < p->nr_rows; i++)
		if (is_wanted(o, &p->rows[i]))
			order[nr++] = i;
	if (p->nr_events > 1)
		qsort_r(order, nr, sizeof(*order), compare_rows, (void *)p);
	fail(o, pprof_locations__write(&o->locations, &o->t, order, nr));
	for (size_t i = 0; i < nr && !o->t.err; i++) {
		const struct row *row = &p->rows[order[i]];

		add_values(o, row);
		if (i + 1 == nr || compare_keys(&row->key, &p->rows[order[i + 1]].key))
			put_row(o, &row->key);
	}
	free(order);
}

/* Of one event: of several nobody knows which ones they were of. */
static void put_losses(struct out *o)
{
	const struct profile *p = o->p;

	for (unsigned i = 0; i < p->losses.nr && p->nr_events == 1 && !o->o->cpu; i++) {
		const struct loss *loss = &p->losses.by[i];
		const struct row row = { .samples = loss->n,
					 .weight = sampled__lost_weight(p->events, loss) };
		Pprof__Sample sample = PPROF__SAMPLE__INIT;
		uint64_t location;

		if (loss->flaw || !loss->n || o->t.err)
			continue;
		buf__clear(&o->text);
		fail(o, buf__printf(&o->text, "[lost: %s]", loss->name));
		location = o->t.err ? 0 : pprof_tables__note(&o->t, o->text.data);
		sample.n_location_id = 1;
		sample.location_id = &location;
		add_values(o, &row);
		put_sample(o, &sample);
	}
}

int print__pprof(FILE *f, const struct profile *p, const struct pprof_opts *opts)
{
	struct out *o;
	int err;

	if (opts->event >= p->nr_events)
		return -EINVAL;
	o = calloc(1, sizeof(*o));
	if (!o)
		return -ENOMEM;
	o->p = p;
	o->o = opts;
	pprof_tables__begin(&o->t, f, p);
	find_types(o);
	o->values = calloc(o->nr_types + 1, sizeof(*o->values));
	if (!o->values)
		fail(o, -ENOMEM);
	if (!o->t.err)
		put_head(o);
	if (!o->t.err)
		put_rows(o);
	if (!o->t.err)
		put_losses(o);
	err = pprof_tables__end(&o->t);
	free(o->types);
	free(o->values);
	pprof_locations__free(&o->locations);
	buf__free(&o->text);
	free(o);
	return err;
}
