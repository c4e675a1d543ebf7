/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/tracefs_probe.h - kprobes and uprobes made in tracefs, where the kernel has no PMU for
 * them, or one that cannot be told how many calls may be under way (kretprobes).
 *
 * Unlike an event of a PMU such a probe outlives its maker: it is there, for everybody to see,
 * until it is removed. So its group carries the maker's process id: "pmutrace_PID", and from inside
 * a PID namespace "pmutrace_PID_in_INODE". Whoever comes next removes what the dead have left.
 * Does not know: symbols, perf events. The kernel arms a probe when a perf event is opened on its
 * id; a BPF program on that event is of type kprobe, not tracepoint (perf_event_set_bpf_prog()).
 *
 * Source: Documentation/trace/kprobetrace.rst and uprobetracer.rst, kernel/trace/trace_uprobe.c.
 */
#ifndef PMUTRACE_EVENT_TRACEFS_PROBE_H
#define PMUTRACE_EVENT_TRACEFS_PROBE_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum tracefs_probe_kind {
	TRACEFS_KPROBE,
	TRACEFS_KRETPROBE,
	TRACEFS_UPROBE,
	TRACEFS_URETPROBE,
};

enum { TRACEFS_PROBE_NAME_SIZE = 64 }; /* MAX_EVENT_NAME_LEN, kernel/trace/trace_probe.h */

/* A tracepoint CATEGORY:NAME. Holds nothing that is to be freed. */
struct tracefs_probe {
	enum tracefs_probe_kind kind;
	char category[TRACEFS_PROBE_NAME_SIZE];
	char name[TRACEFS_PROBE_NAME_SIZE];
	uint32_t id; /* perf_event_attr.config of PERF_TYPE_TRACEPOINT */
};

/**
 * tracefs_probe__add() - make a probe
 * @what: of the kernel "FUNCTION[+OFFSET]", "MODULE:FUNCTION[+OFFSET]" or "0xADDRESS"; of a file
 *        "/PATH:OFFSET[(OFFSET_OF_COUNTER)]", all offsets in the file; numbers decimal or 0x hex
 * @out:  to be given to tracefs_probe__remove()
 * @why:  on error, a sentence, with what the kernel wrote into its error_log
 *
 * A path with a blank, a '#' or a byte 0xa0 ("à") cannot be told to the kernel: -EINVAL. Not by
 * two threads at the same time: they might choose the same name.
 *
 * Return: 0; -EINVAL; -ENOENT: no such function or file; -EOPNOTSUPP: the kernel has no such
 * probes; -EACCES: not for this user; -ENAMETOOLONG; another -errno.
 */
int tracefs_probe__add(const char *tracefs, enum tracefs_probe_kind kind, const char *what,
		       struct tracefs_probe *out, struct buf *why) must_check;

/* After its perf events are closed. 0; -EBUSY: they are not; -ENOENT: gone already; another -errno.
 */
int tracefs_probe__remove(const char *tracefs, const struct tracefs_probe *p) must_check;

/*
 * Removes the probes of processes that ended without doing so, those still in use by others
 * excepted. How many probes were removed, or -errno.
 */
int tracefs_probe__clean(const char *tracefs) must_check;

#endif
