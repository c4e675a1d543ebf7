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
#include "import/context_reader.h"
#include "jail/jail.h"
#include "model/profile.h"

enum { FAILURES = 2 }; /* of readers in a window; then it is over */

struct known_process {
	uint32_t pid;
	uint64_t began;	    /* when, as /proc/PID/stat has it; 0: not known */
	uint64_t seen, due; /* windows */
	uint32_t rest;	    /* windows until the next look, of one that says nothing */
	struct context_place place;
	struct process_context *says; /* NULL: nothing */
};

struct contexts {
	struct jail *jail;
	char *proc;
	struct jailed *reader; /* NULL: it has failed, or none was needed yet */
	struct known_process *known;
	size_t nr, cap;
	size_t next; /* of those, where the next look begins: each has its turn */
	struct idmap by_pid;
	uint64_t window;
	uint64_t unreadable;
};

static int open_of(const struct contexts *c, uint32_t pid, const char *name)
{
	char path[4096];
	const int n = snprintf(path, sizeof(path), "%s/%u/%s", c->proc, pid, name);
	const int fd = n < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	return fd < 0 ? -ENOENT : fd;
}

/*
 * Its start in clock ticks since boot: field 22 of proc_pid_stat(5), behind a name of any bytes. 0:
 * it has ended, even if nobody has waited for it.
 */
static uint64_t start_of(const struct contexts *c, uint32_t pid)
{
	const int fd = open_of(c, pid, "stat");
	unsigned long long began = 0;
	char text[1024];
	const char *at;
	ssize_t n;

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

/* A reader is there. 0 or -errno. */
static int have_reader(struct contexts *c)
{
	return c->reader ? 0 : jailed__open(&c->reader, c->jail, &context_reader_kind);
}

/* Of a process that is gone, or may not be looked into: -ENOENT. */
static int ask(struct contexts *c, uint32_t pid, struct context_place *place,
	       struct process_context *out)
{
	const int maps = open_of(c, pid, "maps"), mem = maps < 0 ? maps : open_of(c, pid, "mem");
	int err = mem < 0 ? mem : have_reader(c);

	if (!err)
		err = context_reader__ask(c->reader, maps, mem, place, out);
	if (maps >= 0)
		close(maps);
	if (mem >= 0)
		close(mem);
	return err;
}

static bool is_readers_fault(int err)
{
	return err && err != -EALREADY && err != -ENOENT && err != -EAGAIN && err != -EPROTO;
}

int contexts__open(struct contexts **out, struct jail *jail, const char *proc)
{
	struct contexts *c = calloc(1, sizeof(*c));
	struct context_place nowhere = {};
	struct process_context none;
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->jail = jail;
	c->proc = strdup(proc);
	err = !c->proc ? -ENOMEM : jail ? 0 : -EPIPE;
	/* A reader that cannot be caged ends: better known now. */
	if (!err)
		err = ask(c, getpid(), &nowhere, &none);
	if (is_readers_fault(err)) {
		contexts__close(c);
		return err;
	}
	*out = c;
	return 0;
}

void contexts__close(struct contexts *c)
{
	if (!c)
		return;
	jailed__close(c->reader);
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

/* 0; an error of the reader; -ENOMEM. */
static int look_at(struct contexts *c, struct known_process *k)
{
	struct process_context says;
	struct context_place place = k->place;
	const int err = ask(c, k->pid, &place, &says);

	k->due = c->window + 1;
	switch (err) {
	case 0:
		k->place = place;
		return keep(k, &says);
	case -EALREADY:
	case -EAGAIN:
		return 0;
	case -ENOENT:
		/* It has ended meanwhile: it said what it has. */
		if (k->says && start_of(c, k->pid) != k->began)
			return 0;
		be_silent(c, k);
		return 0;
	default:
		c->unreadable++;
		be_silent(c, k);
		return is_readers_fault(err) ? err : 0;
	}
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
	return k->due <= c->window;
}

static int look_at_all(struct contexts *c)
{
	const uint64_t until_ns = clock__now_ns() + CONTEXT_LOOK_NS;
	int failures = 0, err;

	for (size_t i = 0; i < c->nr; i++) {
		struct known_process *k;

		if (failures == FAILURES || clock__now_ns() >= until_ns)
			return 0;
		if (c->next >= c->nr)
			c->next = 0;
		k = &c->known[c->next++];
		err = is_due(c, k) ? look_at(c, k) : 0;
		if (err == -ENOMEM)
			return err;
		if (err) {
			jailed__close(c->reader);
			c->reader = NULL;
			failures++;
		}
	}
	return 0;
}

int contexts__look(struct contexts *c, const struct profile *p)
{
	int err = forget_unseen(c);

	c->window++;
	for (size_t i = 0; i < p->nr_rows && !err; i++)
		err = note_pid(c, p->rows[i].key.pid);
	return err ? err : look_at_all(c);
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
