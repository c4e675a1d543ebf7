// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attaches BPF programs to events, and asks which ones they have. bpf(2) is called as it is, so
 * that programs that use this library need no libbpf for it.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/object.h"
#include "event/pmu.h"
#include "perf/open.h"

static int call_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr)) < 0 ? -errno : 0;
}

/*
 * An initializer is of one member of a union. What follows those that a kernel knows is to be 0,
 * or it refuses the call (CHECK_ATTR(), kernel/bpf/syscall.c).
 */
static void clear(union bpf_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
}

static const char *type_name(uint32_t type)
{
	switch (type) {
	case BPF_PROG_TYPE_KPROBE:
		return "kprobe";
	case BPF_PROG_TYPE_TRACEPOINT:
		return "tracepoint";
	case BPF_PROG_TYPE_PERF_EVENT:
		return "perf_event";
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
		return "raw_tracepoint";
	case BPF_PROG_TYPE_TRACING:
		return "tracing";
	default:
		return "another";
	}
}

/* Types of the kernel's probe PMUs are numbers that differ from boot to boot. */
int column__bpf_type(const struct pmutrace_events *e, size_t event)
{
	const struct perf_event_spec *spec = &e->list.items[e->columns[event].first];
	uint32_t type = spec->attr.type;
	int found = BPF_PROG_TYPE_PERF_EVENT;
	struct pmu *pmus;
	size_t nr;

	/* Probes of our own making in tracefs are tracepoints to perf, and probes to BPF. */
	if (type == PERF_TYPE_TRACEPOINT)
		return spec->fallback ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT;
	if (type <= PERF_TYPE_BREAKPOINT || pmus__read("", &pmus, &nr))
		return found;
	for (size_t i = 0; i < nr; i++)
		if (pmus[i].type == type &&
		    (!strcmp(pmus[i].name, "kprobe") || !strcmp(pmus[i].name, "uprobe")))
			found = BPF_PROG_TYPE_KPROBE;
	pmus__free(pmus, nr);
	return found;
}

int pmutrace_bpf_type(const struct pmutrace_events *e, size_t event)
{
	return event < e->nr_columns ? column__bpf_type(e, event) : -ERANGE;
}

/*
 * A map, BTF or a link: BPF_OBJ_GET_INFO_BY_FD answers for these as well, with types of their own
 * that would be taken for those of programs.
 */
static bool is_something_else(int fd)
{
	static const char program[] = "anon_inode:bpf-prog";
	char path[64], target[sizeof(program)] = "";
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target));
	return n >= 0 && (n != sizeof(program) - 1 || memcmp(target, program, n));
}

/* -EBADF: it is no program; the kernel says EBADFD where there is no such descriptor. */
static int program_type(int prog_fd, uint32_t *type)
{
	struct bpf_prog_info info = {};
	union bpf_attr attr;
	int err = prog_fd < 0 || is_something_else(prog_fd) ? -EBADF : 0;

	clear(&attr);
	attr.info.bpf_fd = prog_fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	if (!err)
		err = call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	*type = info.type;
	return err == -EBADFD ? -EBADF : err;
}

static int explain_set_bpf(const struct pmutrace_events *e, size_t event, int err,
			   struct pmutrace_error *why)
{
	const char *label = pmutrace_label(e, event);

	switch (-err) {
	case EEXIST:
		return error__say(why, err,
				  "'%s' has a program already: an event takes one, and a "
				  "tracepoint takes each program once",
				  label);
	case EPROTO:
		return error__say(why, err,
				  "'%s' is precise: programs that ask for stacks then need "
				  "PERF_SAMPLE_CALLCHAIN and no exclude_callchain_*",
				  label);
	case ENODATA:
		return error__say(why, err, "'%s' is not open", label);
	default:
		return error__say(why, err, "cannot attach a BPF program to '%s': %s", label,
				  strerror(-err));
	}
}

static int set_bpf(int fd, void *arg)
{
	return perf_set_bpf(fd, *(int *)arg);
}

/* A probe runs its program at all places: attached at each of them it would run once for each. */
static int attach_once(const struct pmutrace_events *e, size_t event, int prog_fd)
{
	const struct api_event *c = &e->columns[event];
	int first = -ENODATA, err, fd;

	for (size_t i = c->first; i < c->first + c->nr; i++) {
		fd = -ENODATA;
		for (size_t place = 0; place < e->nr_places && fd < 0; place++)
			fd = counters__fd(e->counters, i, place);
		if (fd < 0)
			continue;
		err = perf_set_bpf(fd, prog_fd);
		if (first == -ENODATA || !first)
			first = err;
	}
	return first;
}

int pmutrace_set_bpf(struct pmutrace_events *e, size_t event, int prog_fd,
		     struct pmutrace_error *why)
{
	uint32_t type, want;
	int err;

	if (event >= e->nr_columns)
		return error__say(why, -ERANGE, "there is no event %zu", event);
	err = program_type(prog_fd, &type);
	if (err == -EBADF)
		return error__say(why, err, "descriptor %d is no BPF program", prog_fd);
	if (err)
		return error__say(why, err, "descriptor %d: cannot ask what BPF program it is: %s",
				  prog_fd, strerror(-err));
	want = (uint32_t)column__bpf_type(e, event);
	if (type != want)
		return error__say(why, -EINVAL,
				  "'%s' takes BPF programs of type %s, and this one is of type %s "
				  "(%u)",
				  pmutrace_label(e, event), type_name(want), type_name(type), type);
	if (want == BPF_PROG_TYPE_PERF_EVENT) {
		/* The kernel attaches it, and never runs it. */
		if (!pmutrace_attr(e, event)->sample_period)
			return error__say(why, -EINVAL,
					  "'%s' has no sample_period: its BPF program would never "
					  "run",
					  pmutrace_label(e, event));
		err = column__each(e, event, set_bpf, &prog_fd);
	} else {
		err = attach_once(e, event, prog_fd);
	}
	return err ? explain_set_bpf(e, event, err, why) : error__none(why);
}

/* Asks which program a probe has: the kernel tells it of a descriptor of a task. */
static int query_task(int fd, uint32_t *id)
{
	union bpf_attr attr;
	int err;

	clear(&attr);
	attr.task_fd_query.pid = getpid();
	attr.task_fd_query.fd = fd;
	err = call_bpf(BPF_TASK_FD_QUERY, &attr);
	*id = attr.task_fd_query.prog_id;
	return err;
}

int pmutrace_query_bpf(const struct pmutrace_events *e, size_t event, uint32_t *ids, size_t max,
		       size_t *nr, struct pmutrace_error *why)
{
	int err, fd = -ENODATA, type;
	uint32_t id = 0;

	*nr = 0;
	if (event >= e->nr_columns)
		return error__say(why, -ERANGE, "there is no event %zu", event);
	type = column__bpf_type(e, event);
	for (size_t i = 0; i < e->nr_places && fd < 0; i++)
		fd = pmutrace_fd(e, event, i);
	if (fd < 0)
		return error__say(why, fd, "'%s' is not open", pmutrace_label(e, event));
	if (type == BPF_PROG_TYPE_PERF_EVENT)
		return error__say(why, -EOPNOTSUPP,
				  "the kernel tells programs of tracepoints and probes only, not "
				  "of '%s'",
				  pmutrace_label(e, event));
	if (type == BPF_PROG_TYPE_TRACEPOINT) {
		err = perf_query_bpf(fd, ids, max, nr);
	} else {
		err = query_task(fd, &id);
		*nr = !err && id;
		if (*nr > max)
			err = -ENOSPC;
		else if (*nr)
			ids[0] = id;
		if (err == -ENOENT) /* it has none */
			err = 0;
	}
	if (err == -ENOSPC)
		return error__say(why, err, "'%s' has %zu programs, and there is room for %zu",
				  pmutrace_label(e, event), *nr, max);
	if (err)
		return error__say(why, err, "cannot ask for the programs of '%s': %s",
				  pmutrace_label(e, event), strerror(-err));
	return error__none(why);
}
