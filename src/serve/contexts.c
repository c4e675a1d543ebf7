// SPDX-License-Identifier: BSD-2-Clause
/* Knows sampled processes, and asks about those that are due. */
#include "serve/contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/idmap.h"
#include "model/profile.h"
#include "serve/context_asker.h"

struct known_process {
	uint32_t pid;
	uint64_t began;	    /* when, as /proc/PID/stat has it; 0: not known */
	uint64_t seen, due; /* windows */
	uint32_t rest;	    /* windows until the next look, of one that says nothing */
	bool is_asked;	    /* the answer is still to come */
	struct context_place place;
	struct process_context *says; /* NULL: nothing */
};

struct contexts {
	struct context_asker *asker;
	char *proc;
	struct known_process *known;
	size_t nr, cap;
	size_t nr_asked;
	size_t next; /* of those known, who is asked first: each has its turn */
	struct idmap by_pid;
	uint64_t window;
	uint64_t unreadable;
};

/*
 * Its start in clock ticks since boot: field 22 of proc_pid_stat(5), behind a name of any bytes. 0:
 * it has ended, even if nobody has waited for it.
 */
static uint64_t start_of(const struct contexts *c, uint32_t pid)
{
	unsigned long long began = 0;
	char text[4096];
	const char *at;
	ssize_t n;
	int fd;

	if (snprintf(text, sizeof(text), "%s/%u/stat", c->proc, pid) >= (int)sizeof(text))
		return 0;
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')');
	if (at && (!strncmp(at, ") Z", 3) || !strncmp(at, ") X", 3)))
		return 0;
	for (int i = 2; at && i < 22; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", &began) == 1 ? began : 0;
}

int contexts__open(struct contexts **out, struct jail *jail, const char *proc)
{
	struct contexts *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->proc = strdup(proc);
	err = c->proc ? context_asker__open(&c->asker, jail, proc) : -ENOMEM;
	if (err)
		contexts__close(c);
	else
		*out = c;
	return err;
}

void contexts__close(struct contexts *c)
{
	if (!c)
		return;
	context_asker__close(c->asker);
	for (size_t i = 0; i < c->nr; i++)
		free(c->known[i].says);
	free(c->known);
	idmap__free(&c->by_pid);
	free(c->proc);
	free(c);
}

static void forget(struct known_process *k)
{
	free(k->says);
	k->says = NULL;
	k->place = (struct context_place){};
}

/* Those that have not been seen for long: pids come and go for ever. */
static int forget_unseen(struct contexts *c)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < c->nr; i++)
		if (c->known[i].seen + CONTEXT_UNSEEN < c->window)
			forget(&c->known[i]);
		else
			c->known[kept++] = c->known[i];
	if (kept == c->nr)
		return 0;
	c->nr = kept;
	idmap__clear(&c->by_pid);
	for (size_t i = 0; i < kept && !err; i++)
		err = idmap__set(&c->by_pid, c->known[i].pid, i);
	return err;
}

static int note_pid(struct contexts *c, uint32_t pid)
{
	uint32_t i;
	int err;

	if (idmap__get(&c->by_pid, pid, &i)) {
		c->known[i].seen = c->window;
		return 0;
	}
	if (!pid || c->nr == CONTEXT_PROCESSES)
		return 0;
	err = array__grow(&c->known, &c->cap, c->nr + 1);
	if (!err)
		err = idmap__set(&c->by_pid, pid, c->nr);
	if (!err)
		c->known[c->nr++] =
			(struct known_process){ .pid = pid, .seen = c->window, .due = c->window };
	return err;
}

static void be_silent(struct contexts *c, struct known_process *k)
{
	forget(k);
	k->rest = !k->rest ? 1 : k->rest < CONTEXT_REST ? 2 * k->rest : CONTEXT_REST;
	k->due = c->window + k->rest;
}

static int keep(struct known_process *k, const struct process_context *says)
{
	if (!process_context__has_any(says)) {
		free(k->says);
		k->says = NULL;
	} else {
		if (!k->says)
			k->says = malloc(sizeof(*k->says));
		if (!k->says)
			return -ENOMEM;
		*k->says = *says;
	}
	k->rest = 0;
	return 0;
}

/* 0 or -ENOMEM. */
static int take_answer(struct contexts *c, struct known_process *k,
		       const struct context_question *q)
{
	k->due = c->window + 1;
	switch (q->err) {
	case 0:
		k->place = q->place;
		return keep(k, &q->says);
	case -EALREADY:
	case -EAGAIN:
		return 0;
	case -ENOENT:
		/* It has ended meanwhile: it said what it has. */
		if (!k->says || start_of(c, k->pid) == k->began)
			be_silent(c, k);
		return 0;
	default:
		c->unreadable++;
		be_silent(c, k);
		return 0;
	}
}

static int take_answers(struct contexts *c)
{
	struct context_question *q;
	int err = 0;
	uint32_t i;

	while (!err && (q = context_asker__take(c->asker))) {
		c->nr_asked--;
		if (idmap__get(&c->by_pid, q->pid, &i)) {
			c->known[i].is_asked = false;
			/* Its number may be another's by now. */
			if (c->known[i].began == q->began)
				err = take_answer(c, &c->known[i], q);
		}
		free(q);
	}
	return err;
}

/* Is it its turn? Its number may be another's. What one that is gone has said stays. */
static bool is_due(struct contexts *c, struct known_process *k)
{
	const uint64_t began = k->seen == c->window ? start_of(c, k->pid) : 0;

	if (!began)
		return false;
	if (began != k->began) {
		forget(k);
		k->began = began;
		k->rest = 0;
		k->due = c->window;
	}
	return !k->is_asked && k->due <= c->window;
}

/* 0; -errno: there is nobody to ask. */
static int ask(struct contexts *c, struct known_process *k)
{
	const struct context_question q = { .pid = k->pid, .began = k->began, .place = k->place };
	const int err = context_asker__ask(c->asker, &q);

	k->is_asked = !err;
	c->nr_asked += !err;
	return err;
}

/* All are looked at whether they are still who they were; those that come too late begin next. */
static int ask_all(struct contexts *c)
{
	size_t first_left = c->nr;
	int err = 0;

	for (size_t i = 0; i < c->nr && !err; i++) {
		const size_t at = (c->next + i) % c->nr;

		if (!is_due(c, &c->known[at]))
			continue;
		if (c->nr_asked < CONTEXT_ASKED)
			err = ask(c, &c->known[at]);
		else if (first_left == c->nr)
			first_left = at;
	}
	c->next = first_left < c->nr ? first_left : 0;
	/* Without a thread for it nobody is asked. */
	return err == -ENOMEM ? err : 0;
}

int contexts__look(struct contexts *c, const struct profile *p, uint64_t wait_ns)
{
	const uint64_t until_ns = clock__now_ns() + wait_ns;
	int err = take_answers(c);

	if (!err)
		err = forget_unseen(c);
	c->window++;
	for (size_t i = 0; i < p->nr_rows && !err; i++)
		err = note_pid(c, p->rows[i].key.pid);
	if (!err)
		err = ask_all(c);
	if (err)
		return err;
	context_asker__wait(c->asker, until_ns);
	return take_answers(c);
}

const struct process_context *contexts__of(const struct contexts *c, uint32_t pid)
{
	uint32_t i;

	if (!idmap__get(&c->by_pid, pid, &i))
		return NULL;
	return c->known[i].says;
}

struct contexts_counts contexts__counts(const struct contexts *c)
{
	struct contexts_counts counts = { .unreadable = c->unreadable };

	for (size_t i = 0; i < c->nr; i++)
		counts.offering += c->known[i].says != NULL;
	return counts;
}
