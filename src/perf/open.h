/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/open.h - perf_event_open(2) and the ioctls, with errors that can be explained.
 */
#ifndef PMUTRACE_PERF_OPEN_H
#define PMUTRACE_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/advice.h"

/* A file descriptor (close-on-exec), or -errno. @pid and @cpu as in perf_event_open(2). */
int perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd) must_check;

/* With flags (PERF_FLAG_*): a cgroup's descriptor in the place of @pid, for one. */
int perf_open_at(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		 unsigned long flags) must_check;

/* 0 or -errno. */
int perf_set_filter(int fd, const char *filter) must_check;
int perf_set_bpf(int fd, int prog_fd) must_check;
int perf_enable(int fd) must_check;
int perf_disable(int fd) must_check;
int perf_refresh(int fd, unsigned int overflows) must_check;
int perf_set_period(int fd, uint64_t period) must_check;
int perf_set_output(int fd, int to_fd) must_check; /* @to_fd -1: to none */
int perf_id(int fd, uint64_t *id) must_check;

/*
 * Ids of the BPF programs of a tracepoint event; @nr: how many there are, of which at most @max are
 * written. 0; -ENOSPC: more than @max; another -errno.
 */
int perf_query_bpf(int fd, uint32_t *ids, size_t max, size_t *nr) must_check;

/*
 * Why perf_open failed and what to do about it, one sentence. Appended to @out. An invalid event is
 * opened in other forms, some ten at most, to find what is wrong with it.
 */
int perf_open__explain(struct buf *out, int err, const struct perf_event_attr *attr,
		       const char *event, enum reader reader) must_check;

/* With CAP_PERFMON or CAP_SYS_ADMIN, and not only in a container's user namespace. */
bool perf_is_privileged(void);

/* Whether an errno means that precise_ip is too high: x86 has several for that. */
bool perf_is_too_precise(int err);

/* Only the kernel makes such an event happen: without the kernel's part it would count 0. */
bool perf_counts_kernel_only(const struct perf_event_attr *attr);

/* Value of /proc/sys/kernel/NAME, or @fallback if it cannot be read. */
long perf_sysctl(const char *name, long fallback);

#endif
