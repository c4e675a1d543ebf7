// SPDX-License-Identifier: BSD-2-Clause
/* Makes labels of paths of cgroups, and of what processes say. */
#include "serve/known_origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/containers.h"
#include "model/container.h"

void known_origin__free(struct known_origin *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(k->texts); i++)
		buf__free(&k->texts[i]);
	free(k->within);
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
static int be_container(struct known_origin *k, const char *root, struct container *c)
{
	struct buf name = {}, shown = {};
	int err = containers__name(&name, root, c);

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

struct known_origin *known_origin__new(const char *root, const char *path)
{
	struct known_origin *k = calloc(1, sizeof(*k));
	struct container c;
	const char *unit;
	size_t len;
	int err;

	if (!k)
		return NULL;
	if (container__parse(path, &c))
		err = be_container(k, root, &c);
	else if ((unit = service_of(path, &len)))
		err = be_service(k, unit, len);
	else
		err = be_host(k);
	if (err) {
		known_origin__free(k);
		return NULL;
	}
	return k;
}

/* The labels of its cgroup, but for the service's name if it says its own, and what it says. */
static int label_process(struct known_origin *k, const struct known_origin *of)
{
	static const char service[] = "service_name";
	const char *name = k->says.values[CONTEXT_SERVICE_NAME];
	int err = 0;

	for (size_t i = 0; i < of->shown.nr_labels && !err; i++) {
		const struct push_label *l = &of->shown.labels[i];

		if (!*name || strcmp(l->name, service))
			err = add_label(k, l->name, l->value, strlen(l->value));
	}
	if (!err && *name)
		err = add_label(k, service, name, strlen(name));
	for (size_t i = CONTEXT_SERVICE_NAME + 1; i < CONTEXT_PARTS && !err; i++)
		if (*k->says.values[i])
			err = add_label(k, context_part__name(i), k->says.values[i],
					strlen(k->says.values[i]));
	return err;
}

struct known_origin *known_origin__of_context(const struct known_origin *of,
					      const struct process_context *says)
{
	struct known_origin *k = calloc(1, sizeof(*k));
	struct buf whose = {};
	int err;

	if (!k)
		return NULL;
	/* What is behind the end of a text is not compared. */
	for (size_t i = 0; i < CONTEXT_PARTS; i++)
		strcpy(k->says.values[i], says->values[i]);
	k->within = strdup(of->shown.whose);
	err = k->within ? 0 : -ENOMEM;
	if (!err)
		err = buf__printf(&whose, "%s/%s", of->shown.whose,
				  says->values[CONTEXT_SERVICE_NAME]);
	if (!err)
		err = set_whose(k, whose.data, whose.len);
	if (!err)
		err = label_process(k, of);
	buf__free(&whose);
	if (!err)
		return k;
	known_origin__free(k);
	return NULL;
}

static bool is_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

bool known_origin__is_same(const struct known_origin *a, const struct known_origin *b)
{
	if (a->within || b->within)
		return is_text(a->within, b->within) &&
		       !memcmp(&a->says, &b->says, sizeof(a->says));
	return is_text(a->shown.whose, b->shown.whose);
}
