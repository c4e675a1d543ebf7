/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/sites.h - one program attached to the probes that it is for, in the cheapest way that the
 * kernel has.
 *
 * Knows: raw tracepoints, links for many functions (probe/multi.h), perf events (probe/attach.h).
 * Does not know: what the program does.
 */
#ifndef PMUTRACE_PROBE_SITES_H
#define PMUTRACE_PROBE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "machine/target.h"

/* In the order in which they are to be tried. */
enum sites_way {
	SITES_RAW,	  /* a raw tracepoint: half the price of a perf event's */
	SITES_TRAMPOLINE, /* programs of their own at both ends of one of the kernel's functions */
	SITES_SESSION,	  /* one program and link for both ends of many functions */
	SITES_MULTI,	  /* one link for many functions: 5.18, of programs 6.6 */
	SITES_LINKS,	  /* a perf event and a link for each of many functions: 5.15 */
	SITES_EVENT,	  /* a perf event for each probe, or for each CPU */
	SITES_WAYS,
};

struct sites_probe {
	/* Parsed for its site; made (perf_event__make) if that is needed. Borrowed until close. */
	struct perf_event_spec *event;
	uint64_t cookie; /* but of SITES_EVENT: what bpf_get_attach_cookie() says there */
	bool optional;	 /* one of many: told and left out if it cannot be probed */
};

struct sites_opts {
	const struct perf_event_env *env;
	const struct target *target; /* events that overflow: on its CPUs */
	/* A function that the kernel does not let be probed, among others; NULL: not told. */
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
 * Whether the probe has that way, as far as that is known before trying. Ways for both ends of
 * functions: never; see sites__has_function_way().
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
 * @overflows: they are events, one for each CPU, left disabled
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

/* Hits that the program did not get to see, as far as links tell: 6.7 and newer. */
uint64_t sites__missed(const struct sites *s);

/*
 * Programs of uprobes may be preempted, which takes atomic operations to live with: 5.12. Older
 * kernels do not preempt them.
 */
bool sites__preempts_users(void);

/*
 * On x86_64 a program on the raw tracepoints of system calls is one frame further away from them
 * since 6.13: what calls it turns preemption off and on (DECLARE_EVENT_SYSCALL_CLASS,
 * include/trace/bpf_probe.h), where elsewhere it jumps.
 */
bool sites__calls_have_frame(void);

#endif
