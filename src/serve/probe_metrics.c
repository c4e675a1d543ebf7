// SPDX-License-Identifier: BSD-2-Clause
/* Has lines of a configuration started, reads what they write, and starts them again. */
#include "serve/probe_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/strtab.h"
#include "serve/probe_metrics_state.h"

enum {
	POLL_MS = 1000,
	READ_BYTES = 64 * 1024,
	REST_BYTES = 4 << 20, /* of one row */
	SAID_BYTES = 400,
};

static const uint64_t FIRST_PATIENCE_NS = 5 * 1000000000ull;
static const uint64_t LAST_PATIENCE_NS = 60 * 1000000000ull;

static bool is_running(const struct probe_metric *m)
{
	return m->process.rows >= 0;
}

static void close_process(struct probe_metric *m)
{
	if (!is_running(m))
		return;
	close(m->process.rows);
	close(m->process.errors);
	m->process = (struct probe_process){ .rows = -1, .errors = -1 };
}

static void free_metric(struct probe_metric *m)
{
	if (!m)
		return;
	close_process(m);
	probe_metric__drop_interval(m);
	for (size_t i = 0; i < m->nr_keys; i++)
		free(m->keys[i]);
	for (size_t i = 0; i < m->nr_fields; i++)
		free(m->fields[i].name);
	for (size_t i = 0; i < m->nr_losses; i++)
		free(m->losses[i].reason);
	members__free(&m->members);
	buf__free(&m->rest);
	buf__free(&m->said);
	buf__free(&m->told);
	free(m->uses);
	free(m->values);
	free(m->exemplars);
	free(m->name);
	free(m->text);
	free(m->hist);
	free(m);
}

int probe_metrics__new(struct probe_metrics **out, struct probe_starter *starter)
{
	struct probe_metrics *m = calloc(1, sizeof(*m));

	*out = NULL;
	if (!m)
		return -ENOMEM;
	m->starter = starter;
	m->limit = SIZE_MAX;
	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (m->epoll < 0) {
		free(m);
		return -errno;
	}
	*out = m;
	return 0;
}

void probe_metrics__free(struct probe_metrics *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr; i++)
		free_metric(m->items[i]);
	free(m->items);
	close(m->epoll);
	free(m);
}

static struct probe_metric *new_metric(const struct probe_line *l)
{
	struct probe_metric *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->process.rows = m->process.errors = -1;
	m->patience_ns = FIRST_PATIENCE_NS;
	m->down_ns = clock__now_ns();
	m->range = l->range;
	m->name = strdup(l->name);
	m->text = strdup(l->text);
	m->hist = l->hist ? strdup(l->hist) : NULL;
	if (m->name && m->text && (m->hist || !l->hist) && !buf__puts(&m->said, "not started yet"))
		return m;
	free_metric(m);
	return NULL;
}

static struct probe_metric *find(const struct probe_metrics *m, const struct probe_line *l)
{
	for (size_t i = 0; i < m->nr; i++)
		if (!strcmp(m->items[i]->name, l->name) && !strcmp(m->items[i]->text, l->text))
			return m->items[i];
	return NULL;
}

/* The metrics of these lines, in their order: some that are there, some new ones. */
static int make_items(const struct probe_metrics *m, const struct probe_line *lines, size_t nr,
		      struct probe_metric **items)
{
	for (size_t i = 0; i < nr; i++) {
		items[i] = find(m, &lines[i]);
		if (items[i])
			continue;
		items[i] = new_metric(&lines[i]);
		if (items[i])
			continue;
		while (i--)
			if (!find(m, &lines[i]))
				free_metric(items[i]);
		return -ENOMEM;
	}
	return 0;
}

int probe_metrics__set(struct probe_metrics *m, const struct probe_line *lines, size_t nr,
		       uint32_t configuration, size_t max_series)
{
	struct probe_metric **items = calloc(nr + 1, sizeof(struct probe_metric *));
	int err = items ? make_items(m, lines, nr, items) : -ENOMEM;

	if (err) {
		free(items);
		return err;
	}
	for (size_t i = 0; i < nr; i++) {
		items[i]->stays = true;
		items[i]->index = lines[i].index;
		items[i]->configuration = configuration;
		items[i]->members.max = max_series ? max_series : PROBE_SERIES;
	}
	for (size_t i = 0; i < m->nr; i++)
		if (!m->items[i]->stays) {
			m->own_gone_ns += m->items[i]->own_ns;
			free_metric(m->items[i]);
		}
	for (size_t i = 0; i < nr; i++)
		items[i]->stays = false;
	free(m->items);
	m->items = items;
	m->nr = m->cap = nr;
	return 0;
}

int probe_metrics__fd(const struct probe_metrics *m)
{
	return m->epoll;
}

/* Once, however often it is tried again for the same reason. */
static void tell(struct probe_metric *m)
{
	const char *why = m->said.len ? m->said.data : "it has ended";

	if (m->told.len && !strcmp(m->told.data, why))
		return;
	log__notice("metric %s does not count: %s", m->name, why);
	buf__clear(&m->told);
	/* If that fails, it is told again. */
	if (buf__puts(&m->told, why))
		buf__clear(&m->told);
}

/* It does not count from now on, and is to be started again later. */
static void end(struct probe_metric *m)
{
	const uint64_t now_ns = clock__now_ns();

	if (is_running(m))
		m->nr_ended++;
	if (m->is_up)
		m->down_ns = now_ns;
	if (m->is_up && now_ns > m->started_ns + LAST_PATIENCE_NS)
		m->patience_ns = FIRST_PATIENCE_NS;
	m->is_up = false;
	close_process(m);
	probe_metric__drop_interval(m);
	buf__clear(&m->rest);
	m->retry_ns = now_ns + m->patience_ns;
	m->patience_ns *= 2;
	if (m->patience_ns > LAST_PATIENCE_NS)
		m->patience_ns = LAST_PATIENCE_NS;
	tell(m);
}

/* Whoever is to count less does without it. */
static int rest(struct probe_metric *m)
{
	if (m->is_up)
		m->down_ns = clock__now_ns();
	m->is_up = false;
	close_process(m);
	probe_metric__drop_interval(m);
	buf__clear(&m->rest);
	buf__clear(&m->said);
	m->retry_ns = 0;
	m->patience_ns = FIRST_PATIENCE_NS;
	return buf__puts(&m->said, "left out to keep --max-overhead");
}

void probe_metrics__limit(struct probe_metrics *m, size_t nr)
{
	m->limit = nr;
}

int probe_metrics__measure_cost(struct probe_metrics *m, bool wanted)
{
	int err = 0;

	for (size_t i = 0; i < m->nr && !err && wanted != m->own_cost; i++)
		if (is_running(m->items[i]))
			err = rest(m->items[i]);
	m->own_cost = wanted;
	return err;
}

size_t probe_metrics__nr(const struct probe_metrics *m)
{
	return m->nr;
}

uint64_t probe_metrics__own_ns(const struct probe_metrics *m)
{
	uint64_t ns = m->own_gone_ns;

	for (size_t i = 0; i < m->nr; i++)
		ns += m->items[i]->own_ns;
	return ns;
}

static int watch(const struct probe_metrics *m, struct probe_metric *of, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = of };

	return epoll_ctl(m->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* 0; -EPIPE: nothing can be started any more; -ENOMEM. What else is wrong is its own matter. */
static int start(struct probe_metrics *m, struct probe_metric *of)
{
	int err = probe_starter__start(m->starter, of->configuration, of->index, m->own_cost,
				       &of->process);

	if (err == -EBUSY || err == -EPIPE || err == -ENOMEM)
		return err == -EBUSY ? 0 : err;
	of->started_ns = clock__now_ns();
	buf__clear(&of->said);
	if (!err)
		err = watch(m, of, of->process.rows);
	if (!err)
		err = watch(m, of, of->process.errors);
	if (!err)
		return buf__puts(&of->said, "no interval has ended yet");
	err = buf__puts(&of->said, strerror(-err));
	end(of);
	return err;
}

/* The last line of what it says, without the program's name. */
static int hear(struct probe_metric *m)
{
	static const char us[] = "pmutrace: ";
	char bytes[4096];
	ssize_t n = read(m->process.errors, bytes, sizeof(bytes));
	const char *begin = bytes, *line_end;

	if (n <= 0)
		return 0;
	while (n && bytes[n - 1] == '\n')
		n--;
	line_end = memrchr(bytes, '\n', n);
	if (line_end)
		begin = line_end + 1;
	n -= begin - bytes;
	if ((size_t)n > strlen(us) && !memcmp(begin, us, strlen(us))) {
		begin += strlen(us);
		n -= strlen(us);
	}
	buf__clear(&m->said);
	return buf__put(&m->said, begin, n < SAID_BYTES ? n : SAID_BYTES);
}

static int take_lines(struct probe_metric *m)
{
	const uint64_t now_ns = clock__now_ns();
	char *at = m->rest.data, *newline;
	size_t left = m->rest.len;
	int err = 0;

	while (!err && left && (newline = memchr(at, '\n', left))) {
		err = probe_metric__take_line(m, at, newline - at, now_ns);
		left -= newline + 1 - at;
		at = newline + 1;
	}
	if (!err && left > REST_BYTES)
		err = -EINVAL;
	memmove(m->rest.data, at, left);
	m->rest.len = left;
	return err;
}

/* It counts: an interval is complete. */
static void note_up(struct probe_metric *m)
{
	const uint64_t begin_ns = clock__now_ns() - m->interval_ns;

	if (m->is_up || !m->updated_s || m->rows_left || !m->members.others)
		return;
	m->is_up = true;
	/* Never less than was told before: it cannot have counted before it was started. */
	m->missed_ns += (begin_ns > m->started_ns ? begin_ns : m->started_ns) - m->down_ns;
	buf__clear(&m->said);
	if (m->told.len)
		log__notice("metric %s counts", m->name);
	buf__clear(&m->told);
}

/* 0; 1: there is no more now; -EPIPE: it has ended; -EINVAL; -ENOMEM. */
static int read_some(struct probe_metric *m)
{
	ssize_t n;
	int err = buf__reserve(&m->rest, READ_BYTES);

	if (err)
		return err;
	n = read(m->process.rows, m->rest.data + m->rest.len, READ_BYTES);
	if (n < 0)
		return errno == EAGAIN ? 1 : errno == EINTR ? 0 : -errno;
	if (!n)
		return -EPIPE;
	m->rest.len += n;
	err = take_lines(m);
	if (!err)
		note_up(m);
	return err;
}

static int read_all(struct probe_metric *m)
{
	int err = hear(m);

	while (!err)
		err = read_some(m);
	if (err == 1)
		return 0;
	if (err == -ENOMEM)
		return err;
	err = hear(m); /* its last words */
	end(m);
	return err;
}

int probe_metrics__poll(struct probe_metrics *m)
{
	struct epoll_event events[2 * 64];
	const int nr = epoll_wait(m->epoll, events, ARRAY_SIZE(events), 0);
	int err = 0;

	for (int i = 0; i < nr && !err; i++)
		/* Both of its descriptors may be ready: with the first one all was read. */
		if (is_running(events[i].data.ptr))
			err = read_all(events[i].data.ptr);
	for (size_t i = m->limit; i < m->nr && !err; i++)
		if (is_running(m->items[i]))
			err = rest(m->items[i]);
	for (size_t i = 0; i < m->nr && i < m->limit && !err && m->starter; i++)
		if (!is_running(m->items[i]) && clock__now_ns() >= m->items[i]->retry_ns)
			err = start(m, m->items[i]);
	return err;
}

unsigned probe_metrics__patience_ms(const struct probe_metrics *m)
{
	return POLL_MS;
}

void probe_metrics__are_read(struct probe_metrics *m)
{
	for (size_t i = 0; i < m->nr; i++)
		members__are_read(&m->items[i]->members, clock__now_ns());
}
