/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doctor/doctor.h - what this machine can do, what is missing, and what would fix it.
 *
 * Two halves: doctor__try() really tries things (opens events, loads and attaches programs that
 * do nothing, all gone when it returns), doctor__examine() puts that beside what /proc and /sys
 * say and makes findings of it. Nothing is changed, no permission is needed: what is refused is a
 * finding.
 * Does not know: how findings are shown.
 */
#ifndef PMUTRACE_DOCTOR_DOCTOR_H
#define PMUTRACE_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "jail/jail.h"
#include "model/findings.h"
#include "model/loss.h"

struct lookup_reader;

enum { DOCTOR_NOT_TRIED = 1, DOCTOR_PMUS = 8 };

/* How many times cycles fits into one group of a core PMU. */
struct doctor_budget {
	char pmu[64];
	unsigned nr;
	int err; /* with which the next one was refused */
};

/* User stacks of the whole machine, sampled for a moment. */
struct doctor_stacks {
	int err;	      /* 0; -errno: they could not be; DOCTOR_NOT_TRIED */
	bool by_rules;	      /* of .eh_frame; else by frame pointers alone */
	uint64_t ns;	      /* how long */
	struct losses losses; /* kept: user stacks; flaws: those that are not whole, by reason */
};

/* Each: 0: it works; -errno: how it was refused; DOCTOR_NOT_TRIED. */
struct doctor_tries {
	int perf_own;	    /* an event of one's own process, user code only */
	int perf_cpu;	    /* an event of a whole CPU, with the kernel's code */
	int bpf_load;	    /* a program of type perf_event */
	int bpf_attach;	    /* that, to such an event */
	int jit;	    /* that program was compiled; -ENOEXEC: it is interpreted */
	int kernel_memory;  /* a program that reads the kernel's memory */
	int cycles;	    /* a hardware event, as perf_cpu or, where that fails, perf_own */
	int tracepoint;	    /* an event of a tracepoint, and a program on it */
	int raw_tracepoint; /* a program on a raw tracepoint */
	int kprobe;	    /* an event of the kprobe PMU, and a program on it */
	int uprobe;
	int kprobe_multi; /* a link to several functions at once */
	int fentry;	  /* a program on a function's entry, by BTF */
	int profile;	  /* everything that pmutrace profile needs */
	struct buf profile_why;
	struct doctor_budget budgets[DOCTOR_PMUS];
	size_t nr_budgets;
	struct doctor_stacks stacks;
};

struct doctor_try_opts {
	struct jail *jail;     /* whose readers read strangers' files; NULL: there is none */
	uint64_t unwind_bytes; /* for rules of .eh_frame; 0: they are not to be followed */
};

/* Tries everything: 0.5 to 1 s. @out is filled, to be given to doctor_tries__free(). */
void doctor__try(struct doctor_tries *out, const struct doctor_try_opts *opts);
void doctor_tries__free(struct doctor_tries *t);

struct doctor_opts {
	const char *root;    /* of /proc and /sys: "" or a fixture tree */
	const char *program; /* how fixes call pmutrace in a shell's words, for setcap */
	const struct doctor_tries *tries;
	struct lookup_reader *glances; /* who reads strangers' programs: of lookup_glance_kind */
};

/* Adds all findings, and sets out->ready. 0 or -ENOMEM. */
int doctor__examine(struct findings *out, const struct doctor_opts *opts) must_check;

#endif
