// SPDX-License-Identifier: BSD-2-Clause
/* Takes runtime, name or id and pod out of a cgroup's path. */
#include "model/container.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { ID_LEN = CONTAINER_ID, SHOWN_LEN = 12, POD_SHOWN = 8 };

static bool is_id(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && i < ID_LEN && isxdigit((unsigned char)s[i]))
		i++;
	return i == ID_LEN && (i == len || !isxdigit((unsigned char)s[i]));
}

/* "docker-ID.scope", "ID", "libpod-ID": where the ID is. */
static const char *find_id(const char *part, size_t len)
{
	for (size_t i = 0; i + ID_LEN <= len; i++)
		if ((!i || part[i - 1] == '-' || part[i - 1] == ':') && is_id(part + i, len - i))
			return part + i;
	return NULL;
}

static bool begins(const char *part, size_t len, const char *with)
{
	return len > strlen(with) && !strncmp(part, with, strlen(with));
}

static bool ends(const char *part, size_t len, const char *with)
{
	return len > strlen(with) && !strncmp(part + len - strlen(with), with, strlen(with));
}

static void set_name(struct container *c, const char *runtime, const char *name, size_t len)
{
	c->runtime = runtime;
	c->name = name;
	c->name_len = len;
	c->is_id = false;
}

/* A part of the path between slashes that has a name instead of an id. */
static bool take_name(struct container *c, const char *path, const char *part, size_t len)
{
	static const char payload[] = "lxc.payload.", machine[] = "machine-", scope[] = ".scope";
	const size_t nr_machine = strlen(machine), nr_scope = strlen(scope);

	if (begins(part, len, payload))
		set_name(c, "lxc", part + strlen(payload), len - strlen(payload));
	else if (len > nr_machine + nr_scope && begins(part, len, machine) &&
		 ends(part, len, scope))
		set_name(c, "machine", part + nr_machine, len - nr_machine - nr_scope);
	else if (part - path >= 5 && !strncmp(part - 5, "/lxc/", 5))
		set_name(c, "lxc", part, len);
	else
		return false;
	return true;
}

/* Who made it, by what stands before its id. */
static const char *find_runtime(const char *path, const char *part, const char *id)
{
	static const char *const prefixes[][2] = {
		{ "docker-", "docker" },
		{ "libpod-", "podman" },
		{ "cri-containerd-", "containerd" },
		{ "crio-", "crio" },
	};
	static const char docker[] = "/docker/";
	const size_t nr_docker = strlen(docker);

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if ((size_t)(id - part) == strlen(prefixes[i][0]) &&
		    !strncmp(part, prefixes[i][0], id - part))
			return prefixes[i][1];
	if (id == part && (size_t)(part - path) >= nr_docker &&
	    !strncmp(part - nr_docker, docker, nr_docker))
		return "docker";
	return NULL;
}

static bool take_id(struct container *c, const char *path, const char *part, size_t len)
{
	const char *id = find_id(part, len);

	if (!id)
		return false;
	set_name(c, find_runtime(path, part, id), id, SHOWN_LEN);
	c->is_id = true;
	return true;
}

/* "pod1234abcd-...", "kubepods-burstable-pod1234abcd_....slice": there UIDs are without '-' */
static void take_pod(struct container *c, const char *path, const char *part, size_t len)
{
	static const char slice[] = ".slice", pod[] = "pod";
	const char *at = part;

	if (!strstr(path, "kubepods"))
		return;
	if (ends(part, len, slice)) {
		len -= strlen(slice);
		for (const char *s = part; s < part + len; s++)
			at = *s == '-' ? s + 1 : at;
	}
	if (!begins(at, part + len - at, pod) || !isxdigit((unsigned char)at[strlen(pod)]))
		return;
	c->pod = at + strlen(pod);
	c->pod_len = part + len - c->pod;
}

bool container__parse(const char *path, struct container *c)
{
	*c = (struct container){};
	/* The innermost: containers may be inside of others. */
	for (const char *part = path; *part;) {
		const char *end = strchrnul(part, '/');

		if (take_id(c, path, part, end - part) || take_name(c, path, part, end - part))
			c->rest = end;
		else
			take_pod(c, path, part, end - part);
		part = *end ? end + 1 : end;
	}
	return c->name;
}

const char *container__of_path(const char *path, size_t *len)
{
	struct container c;

	if (!container__parse(path, &c))
		return NULL;
	*len = c.name_len;
	return c.name;
}

static size_t shown_of_pod(const struct container *c)
{
	return c->pod_len < POD_SHOWN ? c->pod_len : POD_SHOWN;
}

int container__put(struct buf *out, const struct container *c, const char *name)
{
	const char *kind = c->pod ? "pod" : c->runtime ? c->runtime : "container";
	int err = buf__printf(out, "%s:", kind);

	if (!err && name)
		err = buf__puts(out, name);
	if (!err && !name && c->pod)
		err = buf__printf(out, "%.*s/", (int)shown_of_pod(c), c->pod);
	if (!err && !name)
		err = buf__put(out, c->name, c->name_len);
	return err ? err : buf__puts(out, c->rest);
}
