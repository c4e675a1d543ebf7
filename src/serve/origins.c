// SPDX-License-Identifier: BSD-2-Clause
/* Looks at paths of cgroups, and takes profiles apart by them. */
#include "serve/origins.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "live/containers.h"
#include "model/container.h"
#include "model/profile.h"

enum { HOST };

/* What is known of an origin, for as long as it is seen. */
struct known_origin {
	struct origin shown;
	struct buf texts[ORIGIN_LABELS + 1]; /* values of labels, then `whose` */
	unsigned unused;		     /* windows in a row in which it had no samples */
};

struct origins {
	char *root;
	struct known_origin **known; /* the host's first */
	size_t nr_known, cap_known;
	struct origin *parts;
	size_t nr_parts, cap_parts;
	uint32_t *of_string; /* of a profile's strings, of those that are cgroups: origin + 1 */
	size_t cap_of_string;
	size_t *of_row;
	size_t cap_of_row;
};

static void free_known(struct known_origin *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(k->texts); i++)
		buf__free(&k->texts[i]);
	free(k);
}

static int set_whose(struct known_origin *k, const char *text, size_t len)
{
	struct buf *whose = &k->texts[ORIGIN_LABELS];
	int err = buf__put(whose, text, len);

	k->shown.whose = whose->data ? whose->data : "";
	return err;
}

static int add_label(struct known_origin *k, const char *name, const char *value, size_t len)
{
	const size_t i = k->shown.nr_labels;
	int err = buf__puts(&k->texts[i], "");

	if (!err)
		err = buf__put(&k->texts[i], value, len);
	k->shown.labels[i] = (struct push_label){ name, k->texts[i].data };
	k->shown.nr_labels += !err;
	return err;
}

static int be_host(struct known_origin *k)
{
	int err = set_whose(k, "host", 4);

	return err ? err : add_label(k, "service_name", "host", 4);
}

/* "nginx.service", "/system.slice/nginx.service/x". */
static int be_service(struct known_origin *k, const char *unit, size_t len)
{
	int err = set_whose(k, unit, len);

	if (!err)
		err = add_label(k, "unit", unit, len);
	return err ? err : add_label(k, "service_name", unit, len - strlen(".service"));
}

/* "NAMESPACE/POD/CONTAINER", or the name alone. */
static int label_container(struct known_origin *k, const char *name)
{
	const char *pod = strchr(name, '/'), *last = pod ? strchr(pod + 1, '/') : NULL;
	int err = 0;

	if (last) {
		err = add_label(k, "namespace", name, pod - name);
		if (!err)
			err = add_label(k, "pod", pod + 1, last - pod - 1);
		name = last + 1;
	}
	if (!err)
		err = add_label(k, "container", name, strlen(name));
	return err ? err : add_label(k, "service_name", name, strlen(name));
}

/* The whole container, whichever of its cgroups was asked about. */
static int be_container(struct origins *o, struct known_origin *k, struct container *c)
{
	struct buf name = {}, shown = {};
	int err = containers__name(&name, o->root, c);

	c->rest = "";
	if (err == -ENOENT)
		err = buf__put(&name, c->name, c->is_id ? 12 : c->name_len);
	else if (!err)
		err = container__put(&shown, c, name.data);
	if (!err && !shown.len)
		err = container__put(&shown, c, NULL);
	if (!err)
		err = set_whose(k, shown.data, shown.len);
	if (!err)
		err = label_container(k, name.data);
	buf__free(&name);
	buf__free(&shown);
	return err;
}

/* The unit of a service of the system, *len bytes; NULL: it is of none. */
static const char *service_of(const char *path, size_t *len)
{
	static const char slice[] = "/system.slice/", ending[] = ".service";
	const char *at = path;

	if (strncmp(path, slice, strlen(slice)))
		return NULL;
	/* Slices may be nested: /system.slice/system-getty.slice/getty@tty1.service */
	for (at = strchr(path + 1, '/'); at; at = strchr(at, '/')) {
		at++;
		*len = strcspn(at, "/");
		if (*len > strlen(ending) &&
		    !memcmp(at + *len - strlen(ending), ending, strlen(ending)))
			return at;
	}
	return NULL;
}

static struct known_origin *make(struct origins *o, const char *path)
{
	struct known_origin *k = calloc(1, sizeof(*k));
	struct container c;
	const char *unit;
	size_t len;
	int err;

	if (!k)
		return NULL;
	if (container__parse(path, &c))
		err = be_container(o, k, &c);
	else if ((unit = service_of(path, &len)))
		err = be_service(k, unit, len);
	else
		err = be_host(k);
	if (err) {
		free_known(k);
		return NULL;
	}
	return k;
}

static bool is_whose(const struct known_origin *k, const char *whose)
{
	return whose && k->shown.whose && !strcmp(k->shown.whose, whose);
}

static int remember(struct origins *o, struct known_origin *k, size_t *index)
{
	int err;

	for (size_t i = 0; i < o->nr_known; i++)
		if (is_whose(o->known[i], k->shown.whose)) {
			free_known(k);
			*index = i;
			return 0;
		}
	*index = HOST;
	err = o->nr_known < ORIGINS ? array__grow(&o->known, &o->cap_known, o->nr_known + 1) : 0;
	if (err || o->nr_known == ORIGINS) {
		free_known(k);
		return err;
	}
	*index = o->nr_known;
	o->known[o->nr_known++] = k;
	return 0;
}

int origins__open(struct origins **out, const char *root)
{
	struct origins *o = calloc(1, sizeof(*o));
	struct known_origin *host;
	size_t unused;
	int err;

	*out = NULL;
	if (!o)
		return -ENOMEM;
	o->root = strdup(root);
	host = o->root ? make(o, "/") : NULL;
	err = host ? remember(o, host, &unused) : -ENOMEM;
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
		free_known(o->known[i]);
	free(o->known);
	free(o->parts);
	free(o->of_string);
	free(o->of_row);
	free(o->root);
	free(o);
}

/* The origin of a row, by its cgroup, which is looked at once. */
static int find(struct origins *o, const struct profile *p, const struct row *row, size_t *origin)
{
	uint32_t *known = &o->of_string[row->key.cgroup];
	struct known_origin *k;
	int err;

	if (!*known) {
		k = make(o, strtab__get(p->strings, row->key.cgroup));
		err = k ? remember(o, k, origin) : -ENOMEM;
		if (err)
			return err;
		*known = *origin + 1;
	}
	*origin = *known - 1;
	return 0;
}

/* o->of_row; rows are not by cgroup from here on. */
static int find_all(struct origins *o, struct profile *p)
{
	const size_t nr_strings = strtab__nr(p->strings);
	int err = array__grow(&o->of_string, &o->cap_of_string, nr_strings + 1);

	if (!err)
		err = array__grow(&o->of_row, &o->cap_of_row, p->nr_rows + 1);
	if (err)
		return err;
	memset(o->of_string, 0, (nr_strings + 1) * sizeof(*o->of_string));
	for (size_t i = 0; i < p->nr_rows && !err; i++) {
		err = find(o, p, &p->rows[i], &o->of_row[i]);
		p->rows[i].key.cgroup = 0;
	}
	p->by &= ~(unsigned)BY_CGROUP;
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
			free_known(o->known[i]);
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
