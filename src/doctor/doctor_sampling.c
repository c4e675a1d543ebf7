// SPDX-License-Identifier: BSD-2-Clause
/* What `pmutrace profile` is made of, tried one by one and then together. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor_facts.h"

static const char AREA[] = "sampling";

static const char *by_seccomp(const struct doctor *d)
{
	return doctor__seccomp_blocks(d) ? " (a seccomp filter)" : "";
}

static void check_events(const struct doctor *d)
{
	int own = d->tries->perf_own, cpu = d->tries->perf_cpu;

	if (!cpu) {
		findings__add(d->findings, AREA, "perf-events", FINDING_OK,
			      "whole CPUs, user and kernel");
		return;
	}
	if (!own)
		findings__add(d->findings, AREA, "perf-events",
			      doctor__says_nothing(cpu) ? FINDING_UNKNOWN : FINDING_LIMITED,
			      "one's own processes only; whole CPUs: %s", strerror(-cpu));
	else
		findings__add(d->findings, AREA, "perf-events", doctor__state_of(own),
			      "perf_event_open: %s%s", strerror(-own), by_seccomp(d));
	findings__cost(d->findings, "pmutrace profile watches whole CPUs and cannot run");
	doctor__fix_refused(d, own ? own : cpu, DOCTOR_FIX_PERF);
}

static void report_bpf(const struct doctor *d, const char *name, int err, const char *works)
{
	const struct doctor_tries *t = d->tries;
	const char *fix = DOCTOR_FIX_BPF;

	if (!err) {
		findings__add(d->findings, AREA, name, FINDING_OK, "%s", works);
		return;
	}
	if (err == DOCTOR_NOT_TRIED) {
		fix = t->bpf_load ? fix : DOCTOR_FIX_PERF;
		err = t->bpf_load ? t->bpf_load : t->perf_own;
		findings__add(d->findings, AREA, name, doctor__state_of(err),
			      "not tried: it needs what is missing above");
	} else {
		findings__add(d->findings, AREA, name, doctor__state_of(err), "refused: %s%s",
			      doctor__reason(err), by_seccomp(d));
	}
	findings__cost(d->findings, "pmutrace profile cannot run");
	doctor__fix_refused(d, err, fix);
}

/* A fix for what profile is made of and does not work alone; its own errno tells least. */
static void fix_profile(const struct doctor *d)
{
	const struct doctor_tries *t = d->tries;
	int btf = doctor__access(d, "/sys/kernel/btf/vmlinux", R_OK);

	if (doctor__says_nothing(t->profile))
		doctor__fix_refused(d, t->profile, "");
	else if (doctor__seccomp_blocks(d) || !doctor__may_bpf(d))
		doctor__fix_permissions(d);
	else if (t->perf_cpu)
		doctor__fix_refused(d, t->perf_cpu, DOCTOR_FIX_PERF);
	else if (t->bpf_load || t->bpf_attach)
		doctor__fix_refused(d, t->bpf_load ? t->bpf_load : t->bpf_attach, DOCTOR_FIX_BPF);
	else if (btf)
		doctor__fix_refused(d, btf, DOCTOR_FIX_BTF);
	else
		findings__fix(d->findings,
			      "none is known: first mend what else is not ok here, mlock above "
			      "all; this tells more: sudo %s profile -v -e cpu-clock 1",
			      d->program);
}

static void check_profile(const struct doctor *d)
{
	const struct doctor_tries *t = d->tries;

	if (!t->profile) {
		findings__add(d->findings, AREA, "profile", FINDING_OK,
			      "all of pmutrace profile loads and attaches");
		return;
	}
	findings__add(d->findings, AREA, "profile", doctor__state_of(t->profile), "%s",
		      t->profile_why.len ? t->profile_why.data : strerror(-t->profile));
	findings__cost(d->findings, "pmutrace profile cannot run");
	fix_profile(d);
}

void doctor__sampling(const struct doctor *d)
{
	check_profile(d);
	check_events(d);
	report_bpf(d, "bpf-programs", d->tries->bpf_load, "programs for perf events load");
	report_bpf(d, "bpf-attach", d->tries->bpf_attach, "and attach to them");
}
