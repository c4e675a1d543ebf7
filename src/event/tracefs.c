// SPDX-License-Identifier: BSD-2-Clause
/* Finds the mount points of tracefs and debugfs in /proc/mounts; reads the list of tracers. */
#include "event/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOUNTS_MAX_BYTES = 16 << 20, TRACERS_MAX_BYTES = 1 << 16 };

static bool is_octal(char c, char max)
{
	return c >= '0' && c <= max;
}

/* The kernel writes blanks, '\\' and '#' as \040 and so on (mangle(), fs/proc_namespace.c). */
static int put_unescaped(struct buf *out, const char *s)
{
	int err = 0;

	while (*s && !err) {
		char c = *s++;

		if (c == '\\' && is_octal(s[0], '3') && is_octal(s[1], '7') &&
		    is_octal(s[2], '7')) {
			c = (s[0] - '0') << 6 | (s[1] - '0') << 3 | (s[2] - '0');
			s += 3;
		}
		err = buf__put(out, &c, 1);
	}
	return err;
}

int mounts__find(const char *root, const char *fstype, struct buf *path)
{
	struct buf text = {};
	char *next;
	int err;

	buf__clear(path);
	err = buf__printf(path, "%s/proc/mounts", root);
	if (!err)
		err = buf__read_file(&text, path->data, MOUNTS_MAX_BYTES);
	buf__clear(path);
	if (err)
		goto out_free;
	err = -ENOENT;
	next = text.data;
	while (next && err == -ENOENT) {
		char *line = strsep(&next, "\n"), *where, *type;

		strsep(&line, " ");
		where = strsep(&line, " ");
		type = strsep(&line, " ");
		if (!type || where[0] != '/' || strcmp(type, fstype))
			continue;
		err = buf__puts(path, root);
		if (!err)
			err = put_unescaped(path, where);
	}
out_free:
	buf__free(&text);
	return err;
}

int tracefs__debugfs(const char *root, struct buf *path)
{
	return mounts__find(root, "debugfs", path);
}

/* 0: this is a tracefs, and we may look into it; -ENOENT, -EACCES, or another -errno. */
static int look_into(const char *path)
{
	struct buf events = {};
	int err = buf__printf(&events, "%s/events", path), fd;

	if (err)
		return err;
	fd = open(events.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	buf__free(&events);
	if (err == -EPERM)
		return -EACCES;
	return err == -ENOTDIR ? -ENOENT : err;
}

/* The next place to look at into @path, or -ENOENT behind the last. */
static int nth_place(const char *root, unsigned n, struct buf *path)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	if (!n)
		return mounts__find(root, "tracefs", path);
	buf__clear(path);
	return buf__printf(path, "%s%s", root, usual[n - 1]);
}

static int explain(int err, const char *path, struct buf *why)
{
	int failed;

	if (err == -ENOENT)
		failed = buf__puts(why, "tracefs is not mounted: as root, run `mount -t tracefs "
					"tracefs /sys/kernel/tracing`");
	else if (err == -EACCES)
		failed =
			buf__printf(why,
				    "tracefs at %s is not readable by this user: run as root, or "
				    "let a group read it: `mount -o remount,gid=GROUP,mode=750 %s`",
				    path, path);
	else
		failed = buf__printf(why, "cannot look for tracefs: %s", strerror(-err));
	return failed ? failed : err;
}

int tracefs__find(const char *root, struct buf *path, struct buf *why)
{
	enum { NR_PLACES = 3 };
	struct buf hidden = {};
	int err = -ENOENT;

	for (unsigned i = 0; i < NR_PLACES; i++) {
		err = nth_place(root, i, path);
		if (!err)
			err = look_into(path->data);
		if (err == -EACCES && !hidden.len && buf__puts(&hidden, path->data))
			err = -ENOMEM;
		if (err != -ENOENT && err != -EACCES)
			break;
	}
	if (err == -ENOENT && hidden.len)
		err = -EACCES;
	if (err) {
		buf__clear(path);
		err = explain(err, hidden.len ? hidden.data : "", why);
	}
	buf__free(&hidden);
	return err;
}

static int read_text(const char *tracefs, const char *name, struct buf *text)
{
	struct buf path = {};
	int err = buf__printf(&path, "%s/%s", tracefs, name);

	if (!err)
		err = buf__read_file(text, path.data, TRACERS_MAX_BYTES);
	buf__free(&path);
	return err;
}

int tracefs__tracers(const char *tracefs, struct tracers *out)
{
	size_t cap = 0, list_len = 0;
	char *rest, *word;
	int err;

	*out = (struct tracers){};
	err = read_text(tracefs, "available_tracers", &out->text);
	if (!err) {
		list_len = out->text.len;
		err = buf__put(&out->text, "", 1);
	}
	if (!err)
		err = read_text(tracefs, "current_tracer", &out->text);
	if (err)
		goto out_free;

	rest = out->text.data;
	while ((word = strsep(&rest, " \n"))) {
		if (!*word)
			continue;
		err = array__grow(&out->available, &cap, out->nr + 1);
		if (err)
			goto out_free;
		out->available[out->nr++] = word;
	}
	out->current = out->text.data + list_len + 1;
	out->text.data[list_len + 1 + strcspn(out->current, "\n")] = '\0';
	return 0;

out_free:
	tracers__free(out);
	return err;
}

void tracers__free(struct tracers *t)
{
	free(t->available);
	buf__free(&t->text);
	*t = (struct tracers){};
}
