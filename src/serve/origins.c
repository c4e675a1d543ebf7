// SPDX-License-Identifier: BSD-2-Clause
/* Remembers origins, and takes profiles apart by them. */
#include "serve/origins.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "serve/known_origin.h"

enum { HOST };

struct origins {
	struct origins_opts opts;
	char *root;
	struct known_origin **known; /* the host's first */
	size_t nr_known, cap_known;
	struct origin *parts;
	size_t nr_parts, cap_parts;
	uint32_t *of_string; /* of a profile's strings, of those that are cgroups: origin + 1 */
	size_t cap_of_string;
	struct idmap of_process; /* of a cgroup's processes with a context: their origin */
	size_t *of_row;
	size_t cap_of_row;
};

static bool has_room_for_context(const struct origins *o)
{
	size_t nr = 0;

	for (size_t i = 0; i < o->nr_known; i++)
		nr += o->known[i]->within != NULL;
	return nr < ORIGINS_BY_CONTEXT;
}

/* Takes @k. *index: the same one, if it is known already; @other: if there is no room. */
static int remember(struct origins *o, struct known_origin *k, size_t other, size_t *index)
{
	bool has_room;
	int err;

	for (size_t i = 0; i < o->nr_known; i++)
		if (known_origin__is_same(o->known[i], k)) {
			known_origin__free(k);
			*index = i;
			return 0;
		}
	*index = other;
	has_room = o->nr_known < ORIGINS && (!k->within || has_room_for_context(o));
	err = has_room ? array__grow(&o->known, &o->cap_known, o->nr_known + 1) : 0;
	if (err || !has_room) {
		known_origin__free(k);
		return err;
	}
	*index = o->nr_known;
	o->known[o->nr_known++] = k;
	return 0;
}

int origins__open(struct origins **out, const struct origins_opts *opts)
{
	struct origins *o = calloc(1, sizeof(*o));
	struct known_origin *host;
	size_t unused;
	int err;

	*out = NULL;
	if (!o)
		return -ENOMEM;
	o->opts = *opts;
	o->root = strdup(opts->root);
	host = o->root ? known_origin__new(o->root, "/") : NULL;
	err = host ? remember(o, host, HOST, &unused) : -ENOMEM;
	if (err)
		origins__close(o);
	else
		*out = o;
	return err;
}

static void free_parts(struct origins *o)
{
	for (size_t i = 0; i < o->nr_parts; i++)
		profile__free(o->parts[i].profile);
	o->nr_parts = 0;
}

void origins__close(struct origins *o)
{
	if (!o)
		return;
	free_parts(o);
	for (size_t i = 0; i < o->nr_known; i++)
		known_origin__free(o->known[i]);
	free(o->known);
	free(o->parts);
	free(o->of_string);
	idmap__free(&o->of_process);
	free(o->of_row);
	free(o->root);
	free(o);
}

/* In place of *origin, its cgroup's, that of what its process says, which is looked at once. */
static int find_by_context(struct origins *o, const struct row *row, size_t *origin)
{
	const uint64_t key = (uint64_t)row->key.cgroup << 32 | row->key.pid;
	const struct process_context *says;
	const size_t of_cgroup = *origin;
	struct known_origin *k;
	uint32_t known;
	int err = 0;

	if (idmap__get(&o->of_process, key, &known)) {
		*origin = known;
		return 0;
	}
	says = row->key.pid ? o->opts.context_of(o->opts.arg, row->key.pid) : NULL;
	if (says) {
		k = known_origin__of_context(o->known[of_cgroup], says);
		err = k ? remember(o, k, of_cgroup, origin) : -ENOMEM;
	}
	return err ? err : idmap__set(&o->of_process, key, *origin);
}

/* The origin of a row, by its cgroup, which is looked at once, and by its process. */
static int find(struct origins *o, const struct profile *p, const struct row *row, size_t *origin)
{
	uint32_t *known = &o->of_string[row->key.cgroup];
	struct known_origin *k;
	int err;

	if (!*known) {
		k = known_origin__new(o->root, strtab__get(p->strings, row->key.cgroup));
		err = k ? remember(o, k, HOST, origin) : -ENOMEM;
		if (err)
			return err;
		*known = *origin + 1;
	}
	*origin = *known - 1;
	return o->opts.context_of && p->by & BY_PID ? find_by_context(o, row, origin) : 0;
}

/* o->of_row; rows are not by cgroup from here on, nor by pid if nobody wants that. */
static int find_all(struct origins *o, struct profile *p)
{
	const size_t nr_strings = strtab__nr(p->strings);
	int err = array__grow(&o->of_string, &o->cap_of_string, nr_strings + 1);

	if (!err)
		err = array__grow(&o->of_row, &o->cap_of_row, p->nr_rows + 1);
	if (err)
		return err;
	memset(o->of_string, 0, (nr_strings + 1) * sizeof(*o->of_string));
	idmap__clear(&o->of_process);
	for (size_t i = 0; i < p->nr_rows && !err; i++) {
		err = find(o, p, &p->rows[i], &o->of_row[i]);
		p->rows[i].key.cgroup = 0;
		if (!o->opts.keeps_pids)
			p->rows[i].key.pid = 0;
	}
	p->by &= ~(unsigned)(o->opts.keeps_pids ? BY_CGROUP : BY_CGROUP | BY_PID);
	return err;
}

struct wish {
	const struct origins *origins;
	size_t origin;
};

static bool is_of(void *arg, const struct profile *p, const struct row *row)
{
	const struct wish *w = arg;

	return w->origins->of_row[row - p->rows] == w->origin;
}

/* Losses are not known by row: the host's profile has them all, others have none. */
static void set_losses(struct profile *part, bool has_them)
{
	uint64_t kept = 0;

	if (has_them)
		return;
	for (size_t i = 0; i < part->nr_rows; i++)
		kept += part->rows[i].samples;
	part->losses = (struct losses){ .seen = kept, .kept = kept };
	for (size_t e = 0; e < part->nr_events; e++)
		part->events[e].passed_over = 0;
}

static int add_part(struct origins *o, const struct profile *p, size_t origin)
{
	struct wish wish = { o, origin };
	struct profile *part = profile__like(p);
	int err = part ? profile__merge_some(part, p, is_of, &wish) : -ENOMEM;

	if (!err)
		err = array__grow(&o->parts, &o->cap_parts, o->nr_parts + 1);
	if (err) {
		profile__free(part);
		return err;
	}
	set_losses(part, origin == HOST);
	part->duration_ns = p->duration_ns;
	o->parts[o->nr_parts] = o->known[origin]->shown;
	o->parts[o->nr_parts++].profile = part;
	return 0;
}

/* Those that have not been seen for long are forgotten: containers come and go for ever. */
static void forget_unused(struct origins *o)
{
	enum { WINDOWS = 100 };
	size_t kept = 1;

	for (size_t i = 1; i < o->nr_known; i++)
		if (o->known[i]->unused > WINDOWS)
			known_origin__free(o->known[i]);
		else
			o->known[kept++] = o->known[i];
	o->nr_known = kept;
}

int origins__split(struct origins *o, struct profile *p, const struct origin **parts, size_t *nr)
{
	int err;

	free_parts(o);
	forget_unused(o);
	for (size_t i = 0; i < o->nr_known; i++)
		o->known[i]->unused++;
	err = find_all(o, p);
	for (size_t i = 0; i < p->nr_rows && !err; i++)
		o->known[o->of_row[i]]->unused = 0;
	for (size_t i = 0; i < o->nr_known && !err; i++)
		if (!o->known[i]->unused || (i == HOST && p->losses.nr))
			err = add_part(o, p, i);
	if (err)
		free_parts(o);
	*parts = o->parts;
	*nr = o->nr_parts;
	return err;
}
