// SPDX-License-Identifier: BSD-2-Clause
/* Tables of processes, users and cgroups by id; frees the strings of forgotten entries. */
#include "model/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/strtab.h"

struct known {
	uint64_t key;	 /* pid, uid or id of a cgroup */
	uint64_t set_at; /* when, on processes.now */
	union {
		struct process process;
		struct process_user user;
		struct process_cgroup cgroup;
	};
};

struct table {
	struct known *items;
	size_t nr, cap;
	struct idmap by_key;
};

enum kind { PROCESSES, USERS, CGROUPS, KINDS };

struct strings {
	struct strtab *table;
	size_t bytes; /* of all strings in the table, in use or not */
};

struct processes {
	struct table tables[KINDS];
	struct strings strings;
	size_t bytes; /* of what is known */
	uint64_t now; /* counts what was set, for set_at */
};

enum {
	TEXTS = 2,		 /* strings of one entry, at most */
	STRING_BYTES = 16,	 /* overhead of a string in its table */
	SPARE_BYTES = 256 << 10, /* of unused strings do not make a new table worth while */
};

_Static_assert(sizeof(struct known) > TEXTS * STRING_BYTES,
	       "strings that are all used are fewer bytes than what uses them");

struct processes *processes__new(void)
{
	struct processes *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->strings.table = strtab__new();
	if (!p->strings.table) {
		processes__free(p);
		return NULL;
	}
	return p;
}

void processes__free(struct processes *p)
{
	if (!p)
		return;
	for (size_t k = 0; k < KINDS; k++) {
		free(p->tables[k].items);
		idmap__free(&p->tables[k].by_key);
	}
	strtab__free(p->strings.table);
	free(p);
}

/* Where its texts are; how many. */
static size_t find_texts(struct known *k, enum kind kind, const char **texts[TEXTS])
{
	switch (kind) {
	case PROCESSES:
		texts[0] = &k->process.command;
		return 1;
	case USERS:
		texts[0] = &k->user.name;
		return 1;
	case CGROUPS:
		texts[0] = &k->cgroup.path;
		texts[1] = &k->cgroup.name;
		return 2;
	default:
		return 0;
	}
}

/* Memory of one entry and its strings. */
static size_t bytes_of(const struct known *one, enum kind kind)
{
	struct known copy = *one;
	const char **texts[TEXTS];
	size_t nr = find_texts(&copy, kind, texts), bytes = sizeof(*one);

	for (size_t i = 0; i < nr; i++)
		bytes += strlen(*texts[i]) + 1;
	return bytes;
}

/* The same string, owned by the table. */
static int intern(struct strings *strings, const char **text)
{
	const char *s = *text ? *text : "";
	uint32_t nr = strtab__nr(strings->table), id;
	size_t len = strlen(s);
	int err = strtab__add(strings->table, s, len, &id);

	if (err)
		return err;
	if (id == nr)
		strings->bytes += len + 1 + STRING_BYTES;
	*text = strtab__get(strings->table, id);
	return 0;
}

static const struct known *find(const struct processes *p, enum kind kind, uint64_t key)
{
	const struct table *t = &p->tables[kind];
	uint32_t i;

	return idmap__get(&t->by_key, key, &i) ? &t->items[i] : NULL;
}

static int put(struct processes *p, enum kind kind, const struct known *one)
{
	struct table *t = &p->tables[kind];
	uint32_t i;
	int err;

	if (idmap__get(&t->by_key, one->key, &i)) {
		p->bytes -= bytes_of(&t->items[i], kind);
	} else {
		i = t->nr;
		err = array__grow(&t->items, &t->cap, t->nr + 1);
		if (!err)
			err = idmap__set(&t->by_key, one->key, i);
		if (err)
			return err;
		t->nr++;
	}
	t->items[i] = *one;
	p->bytes += bytes_of(one, kind);
	return 0;
}

/* Copies all texts into another table of strings; @move: and makes the entries use those. */
static int copy_texts(struct processes *p, struct strings *to, bool move)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < p->tables[kind].nr; i++) {
			struct known *one = &p->tables[kind].items[i], copy = *one;
			const char **texts[TEXTS];
			size_t nr = find_texts(move ? one : &copy, kind, texts);

			for (size_t k = 0; k < nr; k++) {
				int err = intern(to, texts[k]);

				if (err)
					return err;
			}
		}
	}
	return 0;
}

/* Frees strings of what was forgotten or replaced, once they are the larger part. */
static void drop_strings(struct processes *p)
{
	struct strings fresh;

	if (p->strings.bytes <= 2 * p->bytes + SPARE_BYTES)
		return;
	fresh = (struct strings){ .table = strtab__new() };
	/* Entries are switched over only when the new table is complete: that cannot fail. */
	if (!fresh.table || copy_texts(p, &fresh, false) || copy_texts(p, &fresh, true)) {
		strtab__free(fresh.table);
		return;
	}
	strtab__free(p->strings.table);
	p->strings = fresh;
}

static int set(struct processes *p, enum kind kind, struct known *one)
{
	const char **texts[TEXTS];
	size_t nr = find_texts(one, kind, texts);
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = intern(&p->strings, texts[i]);
	one->set_at = ++p->now;
	if (!err)
		err = put(p, kind, one);
	drop_strings(p);
	return err;
}

/* Removes what @keep says no to; the rest stays in its order. */
static void forget(struct processes *p, enum kind kind, bool (*keep)(void *arg, uint64_t key),
		   void *arg)
{
	struct table *t = &p->tables[kind];
	size_t nr = t->nr;

	t->nr = 0;
	idmap__clear(&t->by_key);
	/* The map has held more than these before: it does not have to grow. */
	for (size_t i = 0; i < nr; i++) {
		if (keep(arg, t->items[i].key) && !idmap__set(&t->by_key, t->items[i].key, t->nr))
			t->items[t->nr++] = t->items[i];
		else
			p->bytes -= bytes_of(&t->items[i], kind);
	}
	drop_strings(p);
}

static bool keep_none(void *arg, uint64_t key)
{
	(void)arg;
	(void)key;
	return false;
}

void processes__clear(struct processes *p)
{
	for (enum kind kind = 0; kind < KINDS; kind++)
		forget(p, kind, keep_none, NULL);
}

const struct process *processes__find(const struct processes *p, uint32_t pid)
{
	const struct known *k = find(p, PROCESSES, pid);

	return k ? &k->process : NULL;
}

void processes__name_rows(const struct processes *p, struct live_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		struct live_row *row = &rows->items[i];
		const struct process *one = row->is_named ? NULL : processes__find(p, row->tgid);

		if (one && one->comm[0])
			memcpy(row->comm, one->comm, sizeof(row->comm));
	}
}

int processes__set(struct processes *p, const struct process *one)
{
	struct known k = { .key = one->pid, .process = *one };

	return set(p, PROCESSES, &k);
}

struct keep_pid {
	bool (*keep)(void *arg, uint32_t pid);
	void *arg;
};

static bool keep_pid(void *arg, uint64_t key)
{
	const struct keep_pid *k = arg;

	return k->keep(k->arg, key);
}

void processes__keep(struct processes *p, bool (*keep)(void *arg, uint32_t pid), void *arg)
{
	struct keep_pid k = { keep, arg };

	forget(p, PROCESSES, keep_pid, &k);
}

const char *processes__user(const struct processes *p, uint32_t uid)
{
	const struct known *k = find(p, USERS, uid);

	return k ? k->user.name : NULL;
}

int processes__set_user(struct processes *p, uint32_t uid, const char *name)
{
	struct known k = { .key = uid, .user = { uid, name } };

	return set(p, USERS, &k);
}

const char *processes__cgroup(const struct processes *p, uint64_t id)
{
	const struct known *k = find(p, CGROUPS, id);

	return k ? k->cgroup.name : NULL;
}

const char *processes__cgroup_path(const struct processes *p, uint64_t id)
{
	const struct known *k = find(p, CGROUPS, id);

	return k ? k->cgroup.path : NULL;
}

int processes__set_cgroup(struct processes *p, uint64_t id, const char *path, const char *name)
{
	struct known k = { .key = id, .cgroup = { id, path, name } };

	return set(p, CGROUPS, &k);
}

void processes__keep_cgroups(struct processes *p, bool (*keep)(void *arg, uint64_t id), void *arg)
{
	forget(p, CGROUPS, keep, arg);
}

size_t processes__nr(const struct processes *p)
{
	return p->tables[PROCESSES].nr;
}

size_t processes__nr_cgroups(const struct processes *p)
{
	return p->tables[CGROUPS].nr;
}

size_t processes__bytes(const struct processes *p)
{
	return p->bytes;
}

uint64_t processes__now(const struct processes *p)
{
	return p->now;
}

static int visit(const struct process_visitor *v, enum kind kind, const struct known *k)
{
	if (kind == PROCESSES && v->process)
		return v->process(v->arg, &k->process);
	if (kind == USERS && v->user)
		return v->user(v->arg, &k->user);
	if (kind == CGROUPS && v->cgroup)
		return v->cgroup(v->arg, &k->cgroup);
	return 0;
}

int processes__each(const struct processes *p, uint64_t since, const struct process_visitor *v)
{
	int err = 0;

	for (enum kind kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; i < p->tables[kind].nr && !err; i++)
			if (p->tables[kind].items[i].set_at > since)
				err = visit(v, kind, &p->tables[kind].items[i]);
	return err;
}
