// SPDX-License-Identifier: BSD-2-Clause
/* Adds up what a line of a configuration writes: JSON of its intervals, by json-c. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "base/why.h"
#include "serve/exposition.h"
#include "serve/probe_metrics_state.h"

/* A member of an object; NULL: there is none, or it is null. */
static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &value))
		return NULL;
	return value;
}

static struct json_object *get_object(struct json_object *o, const char *key)
{
	struct json_object *value = get(o, key);

	return json_object_is_type(value, json_type_object) ? value : NULL;
}

static uint64_t number(struct json_object *o)
{
	return o ? (uint64_t)json_object_get_int64(o) : 0;
}

static int refuse(struct probe_metric *m, const char *why)
{
	buf__clear(&m->said);
	return why__refuse(&m->said, -EINVAL, "%s", why);
}

/* A key's name as a label, which must not be one that we give, nor one of another key. */
static int add_key(struct probe_metric *m, const char *key)
{
	static const char *const ours[] = { "metric", "part", "event", "field", "le", "reason" };
	struct buf label = {};
	int err;

	if (m->nr_keys == PROBE_KEYS)
		return refuse(m, "too many keys for labels");
	err = exposition__name(&label, key);
	for (size_t i = 0; i < ARRAY_SIZE(ours) && !err; i++)
		if (label.len && !strcmp(label.data, ours[i])) {
			buf__clear(&label);
			err = buf__printf(&label, "key_%s", ours[i]);
		}
	for (size_t i = 0; i < m->nr_keys && !err; i++)
		if (label.len && !strcmp(label.data, m->keys[i]))
			err = refuse(m,
				     "two keys are the same label: name one of them another way");
	if (err || !label.len) {
		buf__free(&label);
		return err ? err : refuse(m, "a key without a name");
	}
	m->keys[m->nr_keys++] = label.data;
	return 0;
}

static int add_keys(struct probe_metric *m, struct json_object *key)
{
	struct json_object_iterator at = json_object_iter_begin(key);
	const struct json_object_iterator end = json_object_iter_end(key);
	int err = 0;

	for (; !err && !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
		err = add_key(m, json_object_iter_peek_name(&at));
	return err;
}

static int put_label(struct buf *name, struct json_object *value, struct probe_metric *m)
{
	const size_t before = name->len;
	const char *text = value ? json_object_get_string(value) : "";
	int err;

	if (json_object_is_type(value, json_type_array) ||
	    json_object_is_type(value, json_type_object))
		return refuse(m, "stacks are no labels: take stack, kstack or ustack out of --by");
	err = utf8__put_line(name, text, strlen(text), LABEL_BYTES);
	for (size_t i = before; i < name->len && !err; i++)
		if (name->data[i] == *KEY_END)
			name->data[i] = ' ';
	return err ? err : buf__puts(name, KEY_END);
}

/* The row's keys as a member's name. */
static int put_name(struct probe_metric *m, struct json_object *key, struct buf *name)
{
	size_t nr = 0;
	int err = buf__puts(name, "");

	json_object_object_foreach(key, unused, value)
	{
		(void)unused;
		nr++;
		if (!err)
			err = put_label(name, value, m);
	}
	return !err && nr != m->nr_keys ? refuse(m, "rows have different keys") : err;
}

static int add_field(struct probe_metric *m, const char *name, const char *unit)
{
	struct probe_field *f = &m->fields[m->nr_fields];

	if (m->nr_fields == PROBE_FIELDS)
		return refuse(m, "it measures too much");
	f->name = strdup(name);
	f->is_time = !strcmp(unit, "ns");
	if (!f->name)
		return -ENOMEM;
	m->nr_fields++;
	return 0;
}

static int add_fields(struct probe_metric *m, struct json_object *head)
{
	struct json_object *units = get_object(head, "units");
	int err = 0;

	if (!units)
		return 0;
	json_object_object_foreach(units, name, unit)
	{
		if (!err)
			err = add_field(m, name, unit ? json_object_get_string(unit) : "");
	}
	return err;
}

static size_t count_buckets(const struct buckets *range)
{
	enum { BELOW_AND_ABOVE = 2, OF_LOG2 = 65 };

	if (!range->linear)
		return OF_LOG2;
	return ((uint64_t)range->hi - (uint64_t)range->lo) / range->step + BELOW_AND_ABOVE;
}

/* What it counts, from its first head. */
static int begin(struct probe_metric *m, struct json_object *head)
{
	struct json_object *command = get(head, "command");
	int err;

	m->is_func = command && !strcmp(json_object_get_string(command), "func");
	err = add_fields(m, head);
	if (err)
		return err;
	m->nr_buckets = m->hist ? count_buckets(&m->range) : 0;
	if (m->nr_buckets > PROBE_BUCKETS)
		return refuse(m, "too many buckets: --lhist with larger steps");
	m->first_bucket = m->nr_buckets;
	m->members.nr_values = probe_metric__bucket(m, m->nr_buckets);
	m->is_known = true;
	return 0;
}

static int add_loss(struct probe_metric *m, const char *reason, uint64_t n)
{
	struct probe_loss *l = m->losses;

	while (l < m->losses + m->nr_losses && strcmp(l->reason, reason))
		l++;
	if (l == m->losses + m->nr_losses) {
		if (m->nr_losses == PROBE_LOSSES)
			return refuse(m, "too many kinds of losses");
		l->reason = strdup(reason);
		if (!l->reason)
			return -ENOMEM;
		l->n = 0;
		m->nr_losses++;
	}
	l->n += n;
	return 0;
}

static int add_losses(struct probe_metric *m, struct json_object *losses)
{
	int err = 0;

	json_object_object_foreach(losses, reason, n)
	{
		if (!err)
			err = add_loss(m, reason, number(n));
	}
	return err;
}

static int end_interval(struct probe_metric *m, uint64_t now_ns)
{
	const struct exemplar *exemplars = m->exemplars;
	int err;

	for (size_t i = 0; i < m->nr_uses; i++) {
		m->uses[i].values = m->values + i * m->members.nr_values;
		m->uses[i].exemplars = exemplars;
		exemplars += m->uses[i].nr_exemplars;
	}
	err = members__add(&m->members, m->uses, m->nr_uses, now_ns, m->interval_ns);
	m->updated_s = (double)clock__wall_ns() / 1e9;
	probe_metric__drop_interval(m);
	return err;
}

static int take_head(struct probe_metric *m, struct json_object *head, uint64_t now_ns)
{
	struct json_object *losses = get_object(head, "losses"), *seen = get(head, "seen");
	int err = m->is_known ? 0 : begin(m, head);

	if (err)
		return err;
	if (m->rows_left)
		return refuse(m, "an interval has less rows than it said");
	m->rows_left = number(get(head, "nr_rows"));
	m->interval_ns = number(get(head, "duration_ns"));
	m->own_ns += number(get(head, "own_bpf_ns"));
	m->is_seen_known = seen;
	m->seen += number(seen);
	m->names = strtab__new();
	if (!m->names)
		return -ENOMEM;
	if (losses)
		err = add_losses(m, losses);
	if (!err && !m->rows_left)
		err = end_interval(m, now_ns);
	return err;
}

static void add_sums(const struct probe_metric *m, struct json_object *row, uint64_t *values)
{
	struct json_object *metrics = get(row, "metrics");

	for (size_t f = 0; metrics && f < m->nr_fields; f++)
		values[1 + f] += number(get(get(metrics, m->fields[f].name), "sum"));
}

/* One hit of the row: of all, and of a bucket of its histogram; @json: NULL: there is none. */
static int add_exemplar(struct probe_metric *m, struct json_object *json, uint32_t bucket_at)
{
	struct json_object *comm = get(json, "comm"), *value = get(json, "value");
	struct exemplar *e;
	int err = json ? array__grow(&m->exemplars, &m->cap_exemplars, m->nr_exemplars + 2) : 0;

	if (err || !json)
		return err;
	e = &m->exemplars[m->nr_exemplars++];
	*e = (struct exemplar){ .at = EXEMPLAR_OF_HITS,
				.pid = number(get(json, "pid")),
				.tid = number(get(json, "tid")),
				.time_ns = number(get(json, "time_ns")),
				.value = value ? json_object_get_double(value) : 0 };
	snprintf(e->comm, sizeof(e->comm), "%s", comm ? json_object_get_string(comm) : "");
	if (bucket_at == EXEMPLAR_OF_HITS)
		return 0;
	m->exemplars[m->nr_exemplars] = *e;
	m->exemplars[m->nr_exemplars++].at = bucket_at;
	return 0;
}

/* The bucket that begins at @from; NULL: which has no beginning. */
static size_t find_bucket(const struct probe_metric *m, struct json_object *from)
{
	const int64_t n = from ? json_object_get_int64(from) : 0;

	if (!from)
		return 0;
	if (m->range.linear)
		return 1 + ((uint64_t)n - (uint64_t)m->range.lo) / m->range.step;
	return n ? 1 + 64 - __builtin_clzll((uint64_t)n) : 1;
}

static int add_buckets(struct probe_metric *m, struct json_object *row, uint64_t *values)
{
	struct json_object *hist = get(row, "hist");
	int err = 0;

	if (!m->nr_buckets || !json_object_is_type(hist, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(hist) && !err; i++) {
		struct json_object *one = json_object_array_get_idx(hist, i);
		const size_t bucket = find_bucket(m, get(one, "from"));

		if (bucket >= m->nr_buckets)
			return refuse(m, "a bucket that its --hist does not have");
		values[probe_metric__bucket(m, bucket)] += number(get(one, "count"));
		if (bucket < m->first_bucket)
			m->first_bucket = bucket;
		if (bucket > m->last_bucket)
			m->last_bucket = bucket;
		err = add_exemplar(m, get_object(one, "exemplar"), probe_metric__exemplar(bucket));
	}
	return err;
}

/* Of several probes that are one row's. */
static uint64_t sum_of(struct json_object *hits)
{
	uint64_t sum = 0;

	json_object_object_foreach(hits, unused, n)
	{
		(void)unused;
		sum += number(n);
	}
	return sum;
}

static int add_values(struct probe_metric *m, struct json_object *row, uint64_t *values)
{
	struct json_object *hits = get_object(row, "values");
	int err;

	memset(values, 0, m->members.nr_values * sizeof(*values));
	if (hits)
		values[0] = sum_of(hits);
	add_sums(m, row, values);
	err = add_exemplar(m, get_object(row, "exemplar"), EXEMPLAR_OF_HITS);
	return err ? err : add_buckets(m, row, values);
}

/* As the others are, in all of its labels: it has no series of its own, but is one of them. */
static bool is_called_other(const struct probe_metric *m, const char *name)
{
	static const char other[] = "other" KEY_END;

	for (size_t k = 0; k < m->nr_keys; k++, name += strlen(other))
		if (strncmp(name, other, strlen(other)))
			return false;
	return m->nr_keys;
}

static int take_row(struct probe_metric *m, struct json_object *row, struct json_object *key,
		    uint64_t now_ns)
{
	const size_t first_exemplar = m->nr_exemplars;
	struct buf name = {};
	uint32_t id = 0;
	int err = m->rows_left ? 0 : refuse(m, "a row without an interval");

	if (!err && !m->nr_keys)
		err = add_keys(m, key);
	while (err && !m->members.others && m->nr_keys)
		free(m->keys[--m->nr_keys]);
	if (!err)
		err = array__grow(&m->uses, &m->cap_uses, m->nr_uses + 1);
	if (!err)
		err = array__grow(&m->values, &m->cap_values,
				  (m->nr_uses + 1) * m->members.nr_values);
	if (!err)
		err = put_name(m, key, &name);
	if (!err)
		err = strtab__add(m->names, name.data, name.len, &id);
	if (!err)
		err = add_values(m, row, m->values + m->nr_uses * m->members.nr_values);
	buf__free(&name);
	if (err)
		return err;
	m->uses[m->nr_uses++] = (struct metric_use){
		.name = is_called_other(m, strtab__get(m->names, id)) ? NULL
								      : strtab__get(m->names, id),
		.detail = "",
		.nr_exemplars = m->nr_exemplars - first_exemplar,
	};
	return --m->rows_left ? 0 : end_interval(m, now_ns);
}

void probe_metric__drop_interval(struct probe_metric *m)
{
	strtab__free(m->names);
	m->names = NULL;
	m->nr_uses = m->nr_exemplars = 0;
	m->rows_left = 0;
}

int probe_metric__take_line(struct probe_metric *m, const char *line, size_t len, uint64_t now_ns)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *o, *key;
	int err;

	if (!tokener)
		return -ENOMEM;
	o = json_tokener_parse_ex(tokener, line, len);
	json_tokener_free(tokener);
	key = get(o, "key");
	if (get(o, "nr_rows"))
		err = take_head(m, o, now_ns);
	else if (json_object_is_type(key, json_type_object))
		err = take_row(m, o, key, now_ns);
	else
		err = refuse(m, "it writes what is no row");
	json_object_put(o);
	return err;
}
