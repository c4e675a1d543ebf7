/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/sites.h - attaches one program to its probes, in a chosen way: from the cheapest on, as
 * far as the kernel has them.
 *
 * Knows: raw tracepoints, links for many functions (object/multi.h), perf events (object/attach.h).
 * Does not know: what the program does.
 */
#ifndef PMUTRACE_OBJECT_SITES_H
#define PMUTRACE_OBJECT_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "machine/target.h"

/* Ways to attach a program, in the order in which they are to be tried. */
enum sites_way {
	SITES_RAW,	  /* a raw tracepoint: half the cost of a perf event's */
	SITES_TRAMPOLINE, /* fentry and fexit programs of one kernel function */
	SITES_SESSION,	  /* one program and link for both ends of many functions */
	SITES_MULTI,	  /* one link for many functions: 5.18, of programs 6.6 */
	SITES_LINKS,	  /* a perf event and a link for each of many functions: 5.15 */
	SITES_EVENT,	  /* a perf event for each probe, or for each CPU */
	SITES_WAYS,
};

struct sites_probe {
	/* Parsed for its site; made (perf_event__make) if that is needed. Borrowed until close. */
	struct perf_event_spec *event;
	uint64_t cookie; /* bpf_get_attach_cookie(), but for SITES_EVENT */
	bool optional;	 /* left out and told if it cannot be probed */
};

struct sites_opts {
	const struct perf_event_env *env;
	const struct target *target; /* events that sample: on its CPUs */
	/* Called for an optional probe that the kernel refuses; NULL: not told. */
	void (*skipped)(void *arg, const struct perf_event_spec *event, int err);
	void *arg;
};

/* Zero-initialise it; sites__detach() in any case. */
struct sites {
	int *fds; /* perf events and links */
	size_t nr_fds, cap_fds;
	size_t nr_places;
	bool by_link; /* multi__missed() of each */
};

bool site__is_user(const struct perf_site *site);
bool site__is_kernel(const struct perf_site *site);

/* They are one function's entry and return. */
bool sites__are_function(const struct perf_site *entry, const struct perf_site *leave);

/*
 * Whether the probe can be attached that way, as far as that is known before trying. False for ways
 * that serve both ends of functions: see sites__has_function_way().
 */
bool site__has_way(const struct perf_site *site, enum sites_way way);

/* bpf_get_attach_cookie() tells the probes of one program apart. */
bool sites__has_cookies(enum sites_way way);

/* Whether both ends of a function have SITES_TRAMPOLINE (5.17) or SITES_SESSION (6.10, 6.13). */
bool sites__has_function_way(const struct perf_site *entry, const struct perf_site *leave,
			     enum sites_way way);

/*
 * What a program has to be loaded for, for SITES_MULTI and SITES_SESSION:
 * bpf_program__set_expected_attach_type().
 */
unsigned site__multi_type(const struct perf_site *site, enum sites_way way);

/**
 * sites__attach() - attach a program
 * @probes: of one kind; SITES_MULTI, SITES_SESSION: in one file; SITES_RAW, SITES_TRAMPOLINE: only
 *	one
 * @overflows: they are events that sample, one for each CPU, left disabled
 *
 * Return: 0; -errno with @why: the program is not attached everywhere.
 */
int sites__attach(struct sites *s, enum sites_way way, int prog_fd, bool overflows,
		  const struct sites_probe *probes, size_t nr, const struct sites_opts *opts,
		  struct buf *why) must_check;

/* A program to a raw tracepoint, beside others. 0 or -errno with @why. */
int sites__attach_raw(struct sites *s, const char *tracepoint, int prog_fd,
		      struct buf *why) must_check;
void sites__detach(struct sites *s);

/* Hits for which the program was not run, as far as links tell: 6.7 and newer. */
uint64_t sites__missed(const struct sites *s);

/*
 * Whether programs of uprobes may be preempted. The tables need atomic operations then, which there
 * are since 5.12; older kernels do not preempt them.
 */
bool sites__preempts_users(void);

/*
 * On x86_64 a program on the raw tracepoints of system calls is one frame further away from them
 * since 6.13: what calls it turns preemption off and on (DECLARE_EVENT_SYSCALL_CLASS,
 * include/trace/bpf_probe.h), where elsewhere it jumps.
 */
bool sites__calls_have_frame(void);

#endif
