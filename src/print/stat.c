// SPDX-License-Identifier: BSD-2-Clause
/* Lines, keys, names, units and values of a counting run, the same for all its outputs. */
#include "print/stat.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/counts.h"
#include "model/metric.h"

static bool has_rows(const struct counts *c)
{
	return c->by != COUNTS_BY_NOTHING;
}

size_t stat__nr_lines(const struct counts *c)
{
	return has_rows(c) ? c->nr_rows : 1;
}

const struct event_count *stat__values(const struct counts *c, size_t line)
{
	return has_rows(c) ? c->rows[line].values : c->totals;
}

const struct counts_key *stat__key(const struct counts *c, size_t line)
{
	static const struct counts_key none = {};

	return has_rows(c) ? &c->rows[line].key : &none;
}

size_t stat__key_parts(const struct counts *c, const struct counts_key *key,
		       struct stat_key_part parts[STAT_KEY_PARTS])
{
	const struct stat_key_part comm = { "comm", key->comm ? key->comm : "", 0 };
	const struct stat_key_part cgroup = { "cgroup", key->cgroup ? key->cgroup : "", 0 };
	size_t nr = 0;

	switch (c->by) {
	case COUNTS_BY_NOTHING:
		break;
	case COUNTS_BY_CPU:
		parts[nr++] = (struct stat_key_part){ "cpu", NULL, key->cpu };
		break;
	case COUNTS_BY_CORE:
	case COUNTS_BY_SOCKET:
		parts[nr++] = (struct stat_key_part){ "socket", NULL, key->socket };
		if (c->by == COUNTS_BY_CORE)
			parts[nr++] = (struct stat_key_part){ "core", NULL, key->core };
		parts[nr++] = (struct stat_key_part){ "cpus", NULL, key->nr_cpus };
		break;
	case COUNTS_BY_THREAD:
	case COUNTS_BY_PROCESS:
		parts[nr++] = comm;
		parts[nr++] = (struct stat_key_part){ "pid", NULL, key->pid };
		if (c->by == COUNTS_BY_THREAD)
			parts[nr++] = (struct stat_key_part){ "tid", NULL, key->tid };
		break;
	case COUNTS_BY_CGROUP:
		parts[nr++] = cgroup;
		break;
	}
	return nr;
}

int stat__unique_name(const struct counts *c, size_t event, struct buf *b)
{
	const char *name = c->events[event].name;
	size_t nth = 1;
	int err;

	for (size_t i = 0; i < event; i++)
		nth += !strcmp(c->events[i].name, name);
	buf__clear(b);
	err = buf__puts(b, name);
	if (!err && nth > 1)
		err = buf__printf(b, "#%zu", nth);
	return err;
}

bool stat__is_msec(const struct counts *c, size_t event)
{
	enum count_role role = c->events[event].role;

	return role == ROLE_TASK_CLOCK || role == ROLE_CPU_CLOCK;
}

const char *stat__unit(const struct counts *c, size_t event)
{
	const char *unit = c->events[event].unit;

	if (stat__is_msec(c, event))
		return "msec";
	return unit ? unit : "";
}

static const char *without_value(enum count_state s)
{
	switch (s) {
	case COUNT_NOT_SUPPORTED:
		return "<not supported>";
	case COUNT_NO_PERMISSION:
		return "<no permission>";
	default:
		return "<not counted>";
	}
}

/* 1234567.89 as 1,234,567.89. */
static int put_grouped(struct buf *b, const char *number)
{
	size_t digits = strspn(number, "0123456789");
	int err = 0;

	for (size_t i = 0; i < digits && !err; i++) {
		if (i && (digits - i) % 3 == 0)
			err = buf__puts(b, ",");
		if (!err)
			err = buf__put(b, &number[i], 1);
	}
	return err ? err : buf__puts(b, number + digits);
}

int stat__put_value(struct buf *b, const struct counts *c, const struct event_count *values,
		    size_t event, bool grouped)
{
	double scale = c->events[event].scale, n = metric__number(c, values, event);
	struct buf digits = {};
	int err;

	if (!event_count__has_value(&values[event]))
		return buf__puts(b, without_value(values[event].state));
	if (stat__is_msec(c, event))
		err = buf__printf(&digits, "%.2f", n / 1e6);
	else if (floor(scale) != scale)
		err = buf__printf(&digits, "%.2f", n);
	else if (scale != 1 || metric__runs(c, values, event))
		err = buf__printf(&digits, "%.0f", n);
	else
		err = buf__printf(&digits, "%" PRIu64, values[event].value);
	if (!err)
		err = grouped ? put_grouped(b, digits.data) : buf__puts(b, digits.data);
	buf__free(&digits);
	return err;
}

double stat__noise(const struct counts_runs *r)
{
	if (r->n < 2 || r->mean == 0)
		return 0;
	return 100 * counts_runs__stddev(r) / sqrt(r->n) / fabs(r->mean);
}
