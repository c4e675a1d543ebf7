// SPDX-License-Identifier: BSD-2-Clause
/* Calls perf_event_open(2) and its ioctls; reads sysctls of the kernel. */
#include "perf/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_open_at(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		 unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return perf_open_at(attr, pid, cpu, group_fd, 0);
}

int perf_set_filter(int fd, const char *filter)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;
}

int perf_set_bpf(int fd, int prog_fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) ? -errno : 0;
}

int perf_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int perf_disable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

int perf_refresh(int fd, unsigned int overflows)
{
	return ioctl(fd, PERF_EVENT_IOC_REFRESH, overflows) ? -errno : 0;
}

int perf_set_period(int fd, uint64_t period)
{
	return ioctl(fd, PERF_EVENT_IOC_PERIOD, &period) ? -errno : 0;
}

int perf_set_output(int fd, int to_fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (long)to_fd) ? -errno : 0;
}

int perf_id(int fd, uint64_t *id)
{
	return ioctl(fd, PERF_EVENT_IOC_ID, id) ? -errno : 0;
}

int perf_query_bpf(int fd, uint32_t *ids, size_t max, size_t *nr)
{
	enum { MAX_PROGRAMS = 64 }; /* the kernel's own limit: BPF_TRACE_MAX_PROGS */
	struct {
		struct perf_event_query_bpf head;
		uint32_t ids[MAX_PROGRAMS];
	} query = { .head.ids_len = max < MAX_PROGRAMS ? max : MAX_PROGRAMS };
	int err = ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, &query) ? -errno : 0;

	*nr = query.head.prog_cnt;
	if (err && err != -ENOSPC)
		return err;
	for (size_t i = 0; i < max && i < *nr && i < MAX_PROGRAMS; i++)
		ids[i] = query.ids[i];
	return *nr > max ? -ENOSPC : err;
}

bool perf_is_too_precise(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -ENOENT;
}

bool perf_counts_kernel_only(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return true;
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

long perf_sysctl(const char *name, long fallback)
{
	char path[128], text[32];
	long v = fallback;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	f = fopen(path, "re");
	if (!f)
		return fallback;
	if (fgets(text, sizeof(text), f))
		v = strtol(text, NULL, 10);
	fclose(f);
	return v;
}
