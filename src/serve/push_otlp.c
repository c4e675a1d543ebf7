// SPDX-License-Identifier: BSD-2-Clause
/* A request of OTLP: one resource, a profile of each event, one dictionary for all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/packer.h"
#include "base/utf8.h"
#include "by.wire.h"
#include "model/profile.h"
#include "print/sampled.h"
#include "print/series_name.h"
#include "proto/otlp_profiles.pb-c.h"
#include "serve/push_body.h"
#include "serve/push_otlp_tables.h"

enum { ATTRIBUTES = 5 };

struct otlp_out {
	struct otlp_tables t;
	const struct push_profile *p;
	struct otlp_table profiles, resource;
};

static void fail(struct otlp_out *o, int err)
{
	if (!o->t.err)
		o->t.err = err;
}

/* The service is known by another name here. */
static const char *key_of(const char *label)
{
	return strcmp(label, "service_name") ? label : "service.name";
}

static bool has_key(const struct otlp_out *o, const char *key)
{
	for (size_t i = 0; i < o->resource.nr; i++)
		if (!strcmp(((Otlp__KeyValue *)o->resource.items[i])->key, key))
			return true;
	return false;
}

static char *valid_copy(struct otlp_out *o, const char *text)
{
	struct buf valid = {};
	int err = utf8__put_valid(&valid, text, strlen(text));
	char *copy =
		err ? NULL : arena__copy(&o->t.arena, valid.data ? valid.data : "", valid.len + 1);

	if (!copy)
		fail(o, -ENOMEM);
	buf__free(&valid);
	return copy;
}

static void add_resource(struct otlp_out *o, const char *key, const char *value)
{
	Otlp__KeyValue *kv;

	if (!*value || has_key(o, key))
		return;
	kv = otlp_tables__alloc(&o->t, sizeof(*kv));
	if (!kv)
		return;
	otlp__key_value__init(kv);
	kv->key = valid_copy(o, key);
	kv->value = otlp_tables__alloc(&o->t, sizeof(*kv->value));
	if (!kv->value)
		return;
	otlp__any_value__init(kv->value);
	kv->value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	kv->value->string_value = valid_copy(o, value);
	if (!o->t.err)
		otlp_table__add(&o->t, &o->resource, kv);
}

static int32_t series_string(struct otlp_out *o, const char *name)
{
	struct buf text = {};
	int32_t id = 0;
	int err = series_name__put(&text, name);

	if (err)
		fail(o, err);
	else
		id = otlp_tables__string(&o->t, text.data);
	buf__free(&text);
	return id;
}

static Otlp__ValueType *type_of(struct otlp_out *o, uint32_t event)
{
	Otlp__ValueType *type = otlp_tables__alloc(&o->t, sizeof(*type));
	const bool is_cpu = push_profile__is_cpu(o->p, event);

	if (!type)
		return NULL;
	otlp__value_type__init(type);
	type->type_strindex = is_cpu ? otlp_tables__string(&o->t, "cpu")
				     : series_string(o, o->p->profile->events[event].name);
	type->unit_strindex = otlp_tables__string(&o->t, is_cpu ? "nanoseconds" : "count");
	return type;
}

/* Whose a row is, as semantic conventions call it. */
static void put_attributes(struct otlp_out *o, const struct row_key *k, Otlp__Sample *sample)
{
	const char *comm = profile__comm(o->p->profile, k->stack);
	const unsigned by = o->p->profile->by;
	int32_t *list = otlp_tables__alloc(&o->t, ATTRIBUTES * sizeof(*list));
	size_t nr = 0;

	if (!list)
		return;
	if (by & BY_PID)
		list[nr++] = otlp_tables__number(&o->t, "process.pid", k->pid);
	if (by & BY_TID)
		list[nr++] = otlp_tables__number(&o->t, "thread.id", k->tid);
	if (by & BY_CPU)
		list[nr++] = otlp_tables__number(&o->t, "cpu.logical_number", k->cpu);
	if (*comm)
		list[nr++] = otlp_tables__text(&o->t, "thread.name", comm);
	if (by & BY_CGROUP && k->cgroup)
		list[nr++] = otlp_tables__text(&o->t, "process.linux.cgroup",
					       strtab__get(o->p->profile->strings, k->cgroup));
	sample->attribute_indices = list;
	sample->n_attribute_indices = nr;
}

static Otlp__Sample *new_sample(struct otlp_out *o, int32_t stack, uint64_t value)
{
	Otlp__Sample *sample = otlp_tables__alloc(&o->t, sizeof(*sample));
	int64_t *values = otlp_tables__alloc(&o->t, sizeof(*values));

	if (!sample || !values)
		return NULL;
	otlp__sample__init(sample);
	sample->stack_index = stack;
	*values = (int64_t)value;
	sample->values = values;
	sample->n_values = 1;
	return sample;
}

static uint64_t value_of(const struct otlp_out *o, uint64_t samples, uint64_t weight)
{
	return o->p->pprof.weights ? weight : samples;
}

static void put_rows(struct otlp_out *o, uint32_t event, struct otlp_table *samples)
{
	const struct profile *p = o->p->profile;

	for (size_t i = 0; i < p->nr_rows && !o->t.err; i++) {
		const struct row *row = &p->rows[i];
		const uint64_t value = value_of(o, row->samples, row->weight);
		Otlp__Sample *sample;

		if (row->key.event != event || !value)
			continue;
		sample = new_sample(o, otlp_tables__stack(&o->t, row->key.stack), value);
		if (!sample)
			return;
		put_attributes(o, &row->key, sample);
		otlp_table__add(&o->t, samples, sample);
	}
}

/* Of one event, as in print/pprof.h: of several nobody knows which ones they were of. */
static void put_losses(struct otlp_out *o, struct otlp_table *samples)
{
	const struct profile *p = o->p->profile;
	struct buf name = {};

	for (unsigned i = 0; i < p->losses.nr && p->nr_events == 1 && !o->t.err; i++) {
		const struct loss *loss = &p->losses.by[i];
		const uint64_t value = value_of(o, loss->n, sampled__lost_weight(p->events, loss));
		int err;

		if (loss->flaw || !value)
			continue;
		buf__clear(&name);
		err = buf__printf(&name, "[lost: %s]", loss->name);
		if (err)
			fail(o, err);
		else
			otlp_table__add(&o->t, samples,
					new_sample(o, otlp_tables__note(&o->t, name.data), value));
	}
	buf__free(&name);
}

static void put_profile(struct otlp_out *o, uint32_t event)
{
	Otlp__Profile *profile = otlp_tables__alloc(&o->t, sizeof(*profile));
	uint8_t *id = otlp_tables__alloc(&o->t, 16);
	struct otlp_table samples = {};

	if (!profile || !id)
		return;
	otlp__profile__init(profile);
	put_rows(o, event, &samples);
	put_losses(o, &samples);
	/* The first one is there in any case: a request of none is refused. */
	if (samples.nr || event == o->p->pprof.event) {
		fail(o, push_body__id(id));
		profile->sample_type = type_of(o, event);
		profile->period_type = type_of(o, event);
		profile->period = (int64_t)sampled__period(&o->p->profile->events[event],
							   o->p->pprof.weights);
		profile->time_unix_nano = o->p->begin_ns;
		profile->duration_nano = o->p->duration_ns;
		profile->profile_id = (ProtobufCBinaryData){ 16, id };
		profile->n_samples = samples.nr;
		profile->samples = arena__copy(&o->t.arena, samples.items,
					       samples.nr * sizeof(*samples.items));
		if (!profile->samples)
			fail(o, -ENOMEM);
		otlp_table__add(&o->t, &o->profiles, profile);
	}
	free(samples.items);
}

static int gzip(struct buf *out, const void *bytes, size_t len)
{
	struct packer *packer = packer__new(PACK_GZIP);
	char piece[32 * 1024];
	size_t n;
	int err = packer ? 0 : -ENOMEM;

	if (err)
		return err;
	packer__feed(packer, bytes, len, true);
	while (!err && (n = packer__take(packer, piece, sizeof(piece))))
		err = buf__put(out, piece, n);
	packer__free(packer);
	return err;
}

static int pack(struct push_body *out, const Otlp__ExportProfilesRequest *request)
{
	const size_t len = otlp__export_profiles_request__get_packed_size(request);
	uint8_t *bytes = malloc(len + 1);
	int err;

	if (!bytes)
		return -ENOMEM;
	out->unpacked = otlp__export_profiles_request__pack(request, bytes);
	err = gzip(&out->bytes, bytes, out->unpacked);
	free(bytes);
	return err;
}

/* Everything around the profiles, which are there. */
static int pack_all(struct push_body *out, const struct otlp_out *o)
{
	Otlp__ExportProfilesRequest request = OTLP__EXPORT_PROFILES_REQUEST__INIT;
	Otlp__ResourceProfiles resource_profiles = OTLP__RESOURCE_PROFILES__INIT, *rp;
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__ScopeProfiles scope_profiles = OTLP__SCOPE_PROFILES__INIT, *sp;
	Otlp__InstrumentationScope scope = OTLP__INSTRUMENTATION_SCOPE__INIT;
	Otlp__ProfilesDictionary dictionary = OTLP__PROFILES_DICTIONARY__INIT;

	rp = &resource_profiles;
	sp = &scope_profiles;
	resource.n_attributes = o->resource.nr;
	resource.attributes = (Otlp__KeyValue **)o->resource.items;
	scope.name = (char *)"pmutrace";
	scope.version = (char *)PMUTRACE_VERSION;
	scope_profiles.scope = &scope;
	scope_profiles.n_profiles = o->profiles.nr;
	scope_profiles.profiles = (Otlp__Profile **)o->profiles.items;
	resource_profiles.resource = &resource;
	resource_profiles.n_scope_profiles = 1;
	resource_profiles.scope_profiles = &sp;
	otlp_tables__fill(&o->t, &dictionary);
	request.n_resource_profiles = 1;
	request.resource_profiles = &rp;
	request.dictionary = &dictionary;
	return pack(out, &request);
}

int push_otlp__make(struct push_body *out, const struct push_profile *p,
		    const struct push_labels *labels)
{
	struct otlp_out *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return -ENOMEM;
	o->p = p;
	otlp_tables__begin(&o->t, p->profile);
	/* What is shown by default is the first profile. */
	if (!o->t.err)
		put_profile(o, p->pprof.event);
	for (uint32_t i = 0; i < p->profile->nr_events && !o->t.err; i++)
		if (i != p->pprof.event)
			put_profile(o, i);
	for (size_t i = 0; i < p->nr_labels && !o->t.err; i++)
		add_resource(o, key_of(p->labels[i].name), p->labels[i].value);
	if (!o->t.err)
		add_resource(o, "service.name", push_labels__get(labels, "service_name"));
	err = o->t.err ? o->t.err : pack_all(out, o);
	otlp_tables__end(&o->t);
	free(o->profiles.items);
	free(o->resource.items);
	free(o);
	return err;
}
