// SPDX-License-Identifier: BSD-2-Clause
/* Writes an event's line in the table of a counting run: key, value, metric, noise. */
#include "print/stat_row.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "model/metric.h"
#include "print/escape.h"
#include "print/stat.h"

size_t stat_row__cells(const char *s)
{
	size_t used;

	utf8__fit(s, strlen(s), SIZE_MAX, &used);
	return used;
}

static int put_blanks(struct buf *b, size_t n)
{
	int err = 0;

	while (n-- && !err)
		err = buf__puts(b, " ");
	return err;
}

int stat_row__put_name(struct stat_table *t, const char *s, size_t width, bool right)
{
	size_t pad;
	int err;

	buf__clear(&t->text);
	err = escape__plain(&t->text, s);
	if (err)
		return err;
	pad = stat_row__cells(t->text.data);
	pad = pad < width ? width - pad : 0;
	if (right)
		err = put_blanks(&t->line, pad);
	if (!err)
		err = buf__puts(&t->line, t->text.data);
	if (!err && !right)
		err = put_blanks(&t->line, pad);
	return err;
}

void stat_row__end_line(struct stat_table *t)
{
	size_t len = t->line.len;

	while (len && t->line.data[len - 1] == ' ')
		len--;
	if (len)
		writer__put(&t->w, t->line.data, len);
	writer__putc(&t->w, '\n');
	buf__clear(&t->line);
}

const char *stat_row__key_heading(enum counts_by by)
{
	switch (by) {
	case COUNTS_BY_CPU:
		return "CPU        ";
	case COUNTS_BY_CORE:
		return "core            cpus ";
	case COUNTS_BY_SOCKET:
		return "socket cpus ";
	case COUNTS_BY_THREAD:
		return "            comm-tid      ";
	case COUNTS_BY_PROCESS:
		return "            comm-pid      ";
	default:
		return "";
	}
}

static int put_key(struct stat_table *t, const struct counts_key *k)
{
	struct buf id = {};
	bool thread = t->c->by == COUNTS_BY_THREAD;
	int err = 0;

	switch (t->c->by) {
	case COUNTS_BY_CPU:
		return buf__printf(&t->line, "CPU%-7" PRIu32 " ", k->cpu);
	case COUNTS_BY_CORE:
		err = buf__printf(&id, "S%" PRIu32 "-D0-C%" PRIu32, k->socket, k->core);
		if (!err)
			err = buf__printf(&t->line, "%-15s %4" PRIu32 " ", id.data, k->nr_cpus);
		break;
	case COUNTS_BY_SOCKET:
		return buf__printf(&t->line, "S%-5" PRIu32 " %4" PRIu32 " ", k->socket, k->nr_cpus);
	case COUNTS_BY_THREAD:
	case COUNTS_BY_PROCESS:
		err = stat_row__put_name(t, k->comm ? k->comm : "", COMM_WIDTH, true);
		if (!err)
			err = buf__printf(&t->line, "-%-8" PRIu32 " ", thread ? k->tid : k->pid);
		break;
	default:
		break;
	}
	buf__free(&id);
	return err;
}

static int put_time(struct stat_table *t)
{
	const uint64_t ns = t->c->at_ns;

	if (!ns)
		return 0;
	return buf__printf(&t->line, "%6" PRIu64 ".%09" PRIu64 " ", ns / 1000000000,
			   ns % 1000000000);
}

static int put_metric(struct stat_table *t, const struct metric *m)
{
	size_t start = t->line.len, used;
	int err;

	if (m->percent || m->decimals < 3)
		err = buf__printf(&t->line, " # %7.2f%c %s", m->value, m->percent ? '%' : ' ',
				  m->text);
	else
		err = buf__printf(&t->line, " # %8.3f %s", m->value, m->text);
	used = t->line.len - start;
	return err || used >= METRIC_WIDTH ? err : put_blanks(&t->line, METRIC_WIDTH - used);
}

/* Key, value, unit, name: all that stands before the metric. */
static int put_count(struct stat_table *t, size_t row, size_t event)
{
	const struct counts *c = t->c;
	const struct counts_key *key = stat__key(c, row);
	struct buf value = {};
	int err = put_time(t);

	if (!err)
		err = put_key(t, key);
	if (!err)
		err = stat__put_value(&value, c, stat__values(c, row), event, true);
	if (!err)
		err = buf__printf(&t->line, "%*s ", VALUE_WIDTH, value.data);
	if (!err)
		err = stat_row__put_name(t, stat__unit(c, event), t->unit_width, false);
	if (!err)
		err = buf__puts(&t->line, " ");
	if (!err)
		err = stat_row__put_name(t, c->events[event].name, t->event_width, false);
	if (!err && c->by == COUNTS_BY_CGROUP)
		err = buf__puts(&t->line, " ");
	if (!err && c->by == COUNTS_BY_CGROUP)
		err = stat_row__put_name(t, key->cgroup ? key->cgroup : "", t->cgroup_width, false);
	buf__free(&value);
	return err;
}

int stat_row__put(struct stat_table *t, size_t row, size_t event)
{
	const struct event_count *values = stat__values(t->c, row), *v = &values[event];
	const struct counts_runs *runs = metric__runs(t->c, values, event);
	bool has_value = event_count__has_value(v);
	struct metric m;
	size_t indent;
	int err = put_count(t, row, event);

	indent = t->line.len ? stat_row__cells(t->line.data) : 0;
	if (!err && metric__of(t->c, values, event, &m))
		err = put_metric(t, &m);
	else if (!err)
		err = put_blanks(&t->line, METRIC_WIDTH);
	if (!err && has_value && runs && runs->n > 1)
		err = buf__printf(&t->line, "  ( +-%6.2f%% )", stat__noise(runs));
	if (!err && v->state == COUNT_MULTIPLEXED)
		err = buf__printf(&t->line, "  (%.2f%%)", 100 * metric__share(v));
	stat_row__end_line(t);
	if (err || !metric__second(t->c, values, event, &m))
		return err;
	err = put_blanks(&t->line, indent);
	if (!err)
		err = put_metric(t, &m);
	stat_row__end_line(t);
	return err;
}
