/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/attach.h - attaches a program to a perf event (PERF_EVENT_IOC_SET_BPF). Closing the
 * descriptor detaches it, so that a killed process leaves nothing behind.
 */
#ifndef PMUTRACE_OBJECT_ATTACH_H
#define PMUTRACE_OBJECT_ATTACH_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"

/*
 * Opens an event that samples at its rate or period, on one CPU, disabled. *fd: the caller's, or -1
 * when the CPU went offline. 0 or -errno with @why.
 */
int attach__event(const struct perf_event_spec *ev, int cpu, int prog_fd, int *fd,
		  struct buf *why) must_check;

/*
 * Opens an event that counts in the group of @leader, an event on the same CPU, and begins with it.
 * As attach__event().
 */
int attach__member(const struct perf_event_spec *ev, int cpu, int leader, int *fd,
		   struct buf *why) must_check;

/*
 * A tracepoint, kprobe or uprobe: one event serves all CPUs and tasks, and the program runs from
 * now on, whether the event is enabled or not (perf_trace_run_bpf_submit(),
 * include/trace/perf.h). A second event of the same probe would be refused: EEXIST.
 */
int attach__probe(const struct perf_event_spec *ev, int cpu, int prog_fd, int *fd,
		  struct buf *why) must_check;

/*
 * Likewise, by a BPF link with a cookie, by which the program knows the probe
 * (bpf_get_attach_cookie). *fd: the link's, which holds the event. Since 5.15, commit 7adfc6c9b315;
 * older: -EINVAL.
 */
int attach__link(const struct perf_event_spec *ev, int cpu, int prog_fd, uint64_t cookie, int *fd,
		 struct buf *why) must_check;

/*
 * Adds the time that events of attach__event() were enabled and on a counter, ns; of @nr
 * descriptors those that are -1 are left out. 0 or -errno.
 */
int attach__times(const int *fds, size_t nr, uint64_t *enabled_ns, uint64_t *running_ns) must_check;

#endif
