// SPDX-License-Identifier: BSD-2-Clause
/* Writes to tracefs's kprobe_events and uprobe_events: adds, removes, cleans up probes. */
#include "event/tracefs_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/why.h"
#include "event/tracefs_place.h"
#include "event/tracepoint.h"

enum {
	COMMAND_MAX = 4095, /* bytes with the newline: WRITE_BUFSIZE, kernel/trace/trace.c */
	EVENTS_MAX_BYTES = 64 << 20,
	ERROR_LOG_MAX_BYTES = 1 << 20,
	SAME_NAME_MAX = 9999,
};

static bool is_kernel(enum tracefs_probe_kind kind)
{
	return kind == TRACEFS_KPROBE || kind == TRACEFS_KRETPROBE;
}

static bool is_return(enum tracefs_probe_kind kind)
{
	return kind == TRACEFS_KRETPROBE || kind == TRACEFS_URETPROBE;
}

static const char *kind_name(enum tracefs_probe_kind kind)
{
	static const char *const names[] = { "kprobe", "kretprobe", "uprobe", "uretprobe" };

	return names[kind];
}

static const char *events_file(enum tracefs_probe_kind kind)
{
	return is_kernel(kind) ? "kprobe_events" : "uprobe_events";
}

/* Adding to a name that exists would make one event of both (append_trace_uprobe()). */
static int choose_name(const char *tracefs, struct tracefs_probe *p, const char *place)
{
	static const char longest_suffix[] = "_9999";
	struct buf path = {};
	int err = -EEXIST;
	size_t len;

	tracefs_place__name(p->name, sizeof(p->name) - strlen(longest_suffix), is_return(p->kind),
			    place);
	len = strlen(p->name);

	for (unsigned i = 1; err == -EEXIST && i <= SAME_NAME_MAX; i++) {
		if (i > 1)
			snprintf(p->name + len, sizeof(p->name) - len, "_%u", i);
		buf__clear(&path);
		err = buf__printf(&path, "%s/events/%s/%s", tracefs, p->category, p->name);
		if (!err)
			err = access(path.data, F_OK) ? 0 : -EEXIST;
	}
	buf__free(&path);
	return err;
}

/* One line, in one write: that is how the kernel takes it. Never O_TRUNC: it removes all probes. */
static int write_line(const char *tracefs, const char *file, const struct buf *line)
{
	struct buf path = {};
	int err = buf__printf(&path, "%s/%s", tracefs, file), fd;
	ssize_t n;

	if (err)
		return err;
	fd = open(path.data, O_WRONLY | O_APPEND | O_CLOEXEC);
	err = fd < 0 ? -errno : 0;
	buf__free(&path);
	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	n = write(fd, line->data, line->len);
	if (n != (ssize_t)line->len)
		err = n < 0 ? -errno : -EIO;
	close(fd);
	return err;
}

/*
 * Appends what the kernel's log says about our command; it is ours alone by its group:
 *	[ 12.345678] trace_uprobe: error: Failed to find the given file
 *	  Command: p:pmutrace_42/p_ls_0x10 /bin/ls:0x10
 */
static int put_logged(const char *tracefs, const char *command, struct buf *why)
{
	static const char start[] = " error: ", command_start[] = "  Command: ";
	const char *reason = NULL, *found = NULL;
	struct buf path = {}, text = {};
	char *next;
	int err = buf__printf(&path, "%s/error_log", tracefs);

	/* Since 5.3; without one there is the errno. */
	if (!err && buf__read_file(&text, path.data, ERROR_LOG_MAX_BYTES))
		goto out_free;
	next = text.data;
	while (!err && next) {
		const char *line = strsep(&next, "\n"), *error = strstr(line, start);

		if (error)
			reason = error + strlen(start);
		else if (reason && !strncmp(line, command_start, strlen(command_start)) &&
			 !strcmp(line + strlen(command_start), command))
			found = reason;
	}
	if (found)
		err = buf__printf(why, " (%s)", found);
out_free:
	buf__free(&text);
	buf__free(&path);
	return err;
}

/* The kernel was built without such probes. */
static int put_lack(enum tracefs_probe_kind kind, const char *tracefs, struct buf *why)
{
	bool is_kernel = kind == TRACEFS_KPROBE || kind == TRACEFS_KRETPROBE;
	const char *lack = is_kernel ? "CONFIG_KPROBES or CONFIG_KPROBE_EVENTS"
				     : "CONFIG_UPROBES or CONFIG_UPROBE_EVENTS";
	const char *other = is_kernel ? "tracepoints, and uprobes for programs"
				      : "tracepoints, and kprobes for the kernel";

	return buf__printf(why,
			   "this kernel cannot make a %s: it was built without %s (%s/%s is "
			   "missing); there may be %s: see `pmutrace list`",
			   kind_name(kind), lack, tracefs, events_file(kind), other);
}

static int explain(int err, const char *tracefs, const struct tracefs_probe *p, const char *what,
		   const char *command, struct buf *why)
{
	const char *kind = kind_name(p->kind), *file = events_file(p->kind);
	int failed;

	if (err == -EOPNOTSUPP)
		failed = put_lack(p->kind, tracefs, why);
	else if (err == -EACCES || err == -EPERM)
		failed = buf__printf(why, "cannot make a %s: writing %s/%s needs root", kind,
				     tracefs, file);
	else
		failed = buf__printf(why, "the kernel refuses the %s '%s': %s", kind, what,
				     strerror(-err));
	if (!failed)
		failed = put_logged(tracefs, command, why);
	if (failed)
		return failed;
	return err == -EPERM ? -EACCES : err;
}

static int too_long(const char *what, struct buf *why)
{
	return why__refuse(why, -ENAMETOOLONG, "'%s' is too long for tracefs; use a symbolic link",
			   what);
}

/*
 * maxactive of a kretprobe: calls under way at the same time. The kernel's default depends on the
 * number of CPUs, but functions that block have more. Each takes some 100 bytes.
 */
enum { CALLS_AT_ONCE = 1024 };

static int put_return(struct buf *line, enum tracefs_probe_kind kind)
{
	if (kind == TRACEFS_KRETPROBE)
		return buf__printf(line, "r%d", CALLS_AT_ONCE);
	return buf__puts(line, is_return(kind) ? "r" : "p");
}

int tracefs_probe__add(const char *tracefs, enum tracefs_probe_kind kind, const char *what,
		       struct tracefs_probe *out, struct buf *why)
{
	struct buf place = {}, line = {};
	int err;

	*out = (struct tracefs_probe){ .kind = kind };
	tracefs_place__group(out->category, sizeof(out->category), getpid());
	err = tracefs_place__put(&place, is_kernel(kind), what, why);
	if (!err)
		err = choose_name(tracefs, out, place.data);
	if (!err)
		err = put_return(&line, kind);
	if (!err)
		err = buf__printf(&line, ":%s/%s %s\n", out->category, out->name, place.data);
	if (err)
		goto out_free;
	if (line.len > COMMAND_MAX) {
		err = too_long(what, why);
		goto out_free;
	}
	err = write_line(tracefs, events_file(kind), &line);
	if (err) {
		line.data[line.len - 1] = '\0';
		err = explain(err, tracefs, out, what, line.data, why);
		goto out_free;
	}
	err = tracepoint__id(tracefs, out->category, out->name, &out->id, why);
	if (err && tracefs_probe__remove(tracefs, out))
		log__debug("tracefs: %s/%s stays behind", out->category, out->name);
out_free:
	buf__free(&line);
	buf__free(&place);
	return err;
}

static int remove_event(const char *tracefs, const char *file, const char *event)
{
	struct buf line = {};
	int err = buf__printf(&line, "-:%s\n", event);

	if (!err)
		err = write_line(tracefs, file, &line);
	buf__free(&line);
	return err;
}

int tracefs_probe__remove(const char *tracefs, const struct tracefs_probe *p)
{
	char event[2 * TRACEFS_PROBE_NAME_SIZE];

	snprintf(event, sizeof(event), "%s/%s", p->category, p->name);
	return remove_event(tracefs, events_file(p->kind), event);
}

/* Of a process of our own PID namespace that is gone? Nobody knows of those in other namespaces. */
static bool is_stale(const char *group)
{
	char digits[16], expected[TRACEFS_PROBE_NAME_SIZE];
	size_t prefix = strlen(TRACEFS_GROUP_PREFIX), len;
	uint64_t pid;

	if (strncmp(group, TRACEFS_GROUP_PREFIX, prefix))
		return false;
	len = strspn(group + prefix, "0123456789");
	if (len >= sizeof(digits))
		return false;
	memcpy(digits, group + prefix, len);
	digits[len] = '\0';
	if (parse__u64(digits, 1, INT_MAX, &pid))
		return false;
	tracefs_place__group(expected, sizeof(expected), pid);
	return !strcmp(group, expected) && kill(pid, 0) && errno == ESRCH;
}

/* "p:GROUP/EVENT PLACE": 1 if it was removed, 0 if it stays, or -errno. */
static int clean_line(const char *tracefs, const char *file, char *line)
{
	char *event = strchr(line, ':'), *slash;
	bool stale;
	int err;

	if (!event)
		return 0;
	event++;
	event[strcspn(event, " ")] = '\0';
	slash = strchr(event, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	stale = is_stale(event);
	*slash = '/';
	if (!stale)
		return 0;
	err = remove_event(tracefs, file, event);
	if (err == -EBUSY || err == -ENOENT)
		return 0;
	return err ? err : 1;
}

static int clean_file(const char *tracefs, const char *file)
{
	struct buf path = {}, text = {};
	int err = buf__printf(&path, "%s/%s", tracefs, file), nr = 0;
	char *next;

	if (!err)
		err = buf__read_file(&text, path.data, EVENTS_MAX_BYTES);
	next = err ? NULL : text.data;
	while (next && err >= 0) {
		err = clean_line(tracefs, file, strsep(&next, "\n"));
		if (err > 0)
			nr++;
	}
	buf__free(&text);
	buf__free(&path);
	if (err < 0 && err != -ENOENT)
		return err;
	return nr;
}

int tracefs_probe__clean(const char *tracefs)
{
	int kernel = clean_file(tracefs, "kprobe_events");
	int user = clean_file(tracefs, "uprobe_events");

	if (kernel < 0 || user < 0)
		return kernel < 0 ? kernel : user;
	return kernel + user;
}
