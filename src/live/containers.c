// SPDX-License-Identifier: BSD-2-Clause
/* Looks a container's id up in the files of its runtime, and takes the name out of the JSON. */
#include "live/containers.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/regular.h"
#include "base/utf8.h"

enum {
	FILE_BYTES = 8 << 20, /* of a file that is looked at */
	PART_BYTES = 256,     /* of a name */
};

static int parse_json(const struct buf *text, struct json_object **out)
{
	struct json_tokener *tokener = json_tokener_new();

	if (!tokener)
		return -ENOMEM;
	*out = json_tokener_parse_ex(tokener, text->data, text->len);
	json_tokener_free(tokener);
	return *out ? 0 : -ENOENT;
}

/* A regular file as JSON: 0; -ENOENT: there is none, or it cannot be made sense of; -ENOMEM. */
static int read_json(const char *path, struct json_object **out)
{
	struct buf text = {};
	int err = regular__read(&text, path, FILE_BYTES);

	*out = NULL;
	if (!err)
		err = parse_json(&text, out);
	buf__free(&text);
	return err == -ENOMEM || !err ? err : -ENOENT;
}

/* NULL: there is none, or it is no string, or empty. */
static const char *string_of(struct json_object *o, const char *key)
{
	struct json_object *value;
	const char *s;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &value))
		return NULL;
	s = json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
	return s && *s ? s : NULL;
}

static int put_part(struct buf *name, const char *s)
{
	return utf8__put_line(name, s, strlen(s), PART_BYTES);
}

static int take_docker(struct buf *name, struct json_object *o, const char *id)
{
	const char *s = string_of(o, "Name");

	(void)id;
	return s ? put_part(name, s + (*s == '/')) : -ENOENT;
}

/* What the runtime was told by Kubernetes, or by nerdctl. */
static int take_annotations(struct buf *name, struct json_object *o, const char *id)
{
	static const char *const keys[][3] = {
		{ "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri.sandbox-name",
		  "io.kubernetes.cri.container-name" },
		{ "io.kubernetes.pod.namespace", "io.kubernetes.pod.name",
		  "io.kubernetes.container.name" },
		{ NULL, NULL, "nerdctl/name" },
	};
	struct json_object *all;
	int err = -ENOENT;

	(void)id;
	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, "annotations", &all))
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(keys) && err == -ENOENT; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(keys[i]); k++) {
			const char *s = keys[i][k] ? string_of(all, keys[i][k]) : NULL;

			if (!s)
				continue;
			err = err ? 0 : buf__puts(name, "/");
			if (!err)
				err = put_part(name, s);
			if (err)
				return err;
		}
	}
	return err;
}

/* Looks @id up in the list of all containers. */
static int take_listed(struct buf *name, struct json_object *o, const char *id)
{
	size_t nr = json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;

	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(o, i), *names, *first;
		const char *its = string_of(one, "id");

		if (!its || strcmp(its, id))
			continue;
		if (!json_object_object_get_ex(one, "names", &names) ||
		    !json_object_is_type(names, json_type_array) ||
		    !json_object_array_length(names))
			return -ENOENT;
		first = json_object_array_get_idx(names, 0);
		if (!json_object_is_type(first, json_type_string))
			return -ENOENT;
		return put_part(name, json_object_get_string(first));
	}
	return -ENOENT;
}

static const struct source {
	const char *before, *behind; /* of the id in the path; behind NULL: it is not in it */
	int (*take)(struct buf *name, struct json_object *o, const char *id);
} sources[] = {
	{ "var/lib/docker/containers/", "/config.v2.json", take_docker },
	{ "run/containerd/io.containerd.runtime.v2.task/k8s.io/", "/config.json",
	  take_annotations },
	{ "run/containerd/io.containerd.runtime.v2.task/default/", "/config.json",
	  take_annotations },
	{ "run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/", "/config.json",
	  take_annotations },
	{ "run/containers/storage/overlay-containers/", "/userdata/config.json", take_annotations },
	{ "var/lib/containers/storage/overlay-containers/", "/userdata/config.json",
	  take_annotations },
	{ "var/lib/containers/storage/overlay-containers/containers.json", NULL, take_listed },
	{ "var/lib/containers/storage/overlay-containers/volatile-containers.json", NULL,
	  take_listed },
};

int containers__name(struct buf *name, const char *root, const struct container *c)
{
	char id[CONTAINER_ID + 1], path[PATH_MAX];
	size_t start = name->len;
	int err = -ENOENT;

	if (!c->is_id)
		return -ENOENT; /* the path has its name */
	snprintf(id, sizeof(id), "%.*s", CONTAINER_ID, c->name);
	for (size_t i = 0; i < ARRAY_SIZE(sources) && err == -ENOENT; i++) {
		const struct source *s = &sources[i];
		struct json_object *o;

		snprintf(path, sizeof(path), "%s/%s%s%s", root, s->before, s->behind ? id : "",
			 s->behind ? s->behind : "");
		err = read_json(path, &o);
		if (!err)
			err = s->take(name, o, id);
		json_object_put(o);
		if (!err && name->len == start)
			err = -ENOENT;
	}
	return err;
}
