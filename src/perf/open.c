// SPDX-License-Identifier: BSD-2-Clause
#include "perf/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf/event.h"

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

int perf_open__explain(struct buf *out, int err, const struct perf_event_attr *attr,
		       const char *event)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return buf__printf(
			out,
			"no permission for '%s' (kernel.perf_event_paranoid is %ld): run as "
			"root, or with CAP_PERFMON",
			event, perf_sysctl("perf_event_paranoid", -1));
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		if (perf_event__is_hardware(attr))
			return buf__printf(out,
					   "this machine cannot count '%s': no hardware PMU, or it "
					   "lacks the event; try -e cpu-clock",
					   event);
		return buf__printf(out, "this kernel does not have the event '%s'", event);
	case EINVAL:
		return buf__printf(out,
				   "the kernel refuses '%s' in this form: check its modifiers and "
				   "rate (kernel.perf_event_max_sample_rate is %ld)",
				   event, perf_sysctl("perf_event_max_sample_rate", -1));
	case EMFILE:
		return buf__puts(out, "too many open files: raise the limit with ulimit -n");
	case ENOSPC:
		return buf__printf(out, "the CPU has no breakpoint left for '%s'", event);
	case EBUSY:
		return buf__printf(out, "'%s' is in use exclusively by somebody else", event);
	case ENOSYS:
		return buf__puts(out, "perf_event_open is not available: the kernel lacks it, or a "
				      "container's seccomp profile forbids it");
	default:
		return buf__printf(out, "cannot open '%s': %s", event, strerror(-err));
	}
}
