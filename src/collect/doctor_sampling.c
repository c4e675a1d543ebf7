// SPDX-License-Identifier: BSD-2-Clause
/* What `pmutrace profile` is made of, tried one by one and then together. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "collect/doctor_facts.h"

static const char AREA[] = "sampling";

/* Why perf_event_open(2) says no to those who should be allowed. */
static void explain_perf(const struct doctor *d, int err)
{
	if (doctor__seccomp_blocks(d) || !doctor__may_perf(d))
		doctor__fix_permissions(d);
	else if (err == -ENOSYS)
		findings__fix(d->findings, "boot a kernel built with CONFIG_PERF_EVENTS=y");
	else if (d->facts.paranoid > 2 && !doctor__has(d, CAP_SYS_ADMIN))
		findings__fix(d->findings, "sudo sysctl kernel.perf_event_paranoid=2");
	else if (err == -EACCES || err == -EPERM)
		findings__fix(d->findings, "a security module forbids it (SELinux: sudo ausearch "
					   "-m avc -ts recent)");
	else if (err == -EMFILE)
		findings__fix(d->findings, "sudo prlimit --pid $$ --nofile=65536:65536");
}

static void check_events(const struct doctor *d)
{
	int own = d->tries->perf_own, cpu = d->tries->perf_cpu;

	if (!cpu) {
		findings__add(d->findings, AREA, "perf-events", FINDING_OK,
			      "whole CPUs, user and kernel");
		return;
	}
	if (cpu == DOCTOR_NOT_TRIED) {
		findings__add(d->findings, AREA, "perf-events", FINDING_UNKNOWN, "not tried");
		findings__cost(d->findings, "nothing can be measured without");
		return;
	}
	if (!own)
		findings__add(d->findings, AREA, "perf-events", FINDING_LIMITED,
			      "one's own processes only; whole CPUs: %s", strerror(-cpu));
	else
		findings__add(d->findings, AREA, "perf-events", FINDING_MISSING,
			      "perf_event_open: %s%s", strerror(-own),
			      doctor__seccomp_blocks(d) ? " (a seccomp filter)" : "");
	findings__cost(d->findings, "pmutrace profile watches whole CPUs and cannot run");
	explain_perf(d, own ? own : cpu);
}

static void report_bpf(const struct doctor *d, const char *name, int err, const char *works)
{
	if (!err) {
		findings__add(d->findings, AREA, name, FINDING_OK, "%s", works);
		return;
	}
	if (err == DOCTOR_NOT_TRIED)
		findings__add(d->findings, AREA, name, FINDING_UNKNOWN,
			      "not tried: it needs what is missing above");
	else
		findings__add(d->findings, AREA, name, FINDING_MISSING, "refused: %s%s",
			      strerror(-err),
			      doctor__seccomp_blocks(d) ? " (a seccomp filter)" : "");
	findings__cost(d->findings, "pmutrace profile cannot run");
	if (doctor__seccomp_blocks(d) || !doctor__may_bpf(d))
		doctor__fix_permissions(d);
	else if (err == -ENOSYS)
		findings__fix(d->findings, "boot a kernel built with CONFIG_BPF_SYSCALL=y and "
					   "CONFIG_BPF_EVENTS=y");
	else if (err == -EINVAL)
		findings__fix(d->findings, "boot a kernel built with CONFIG_BPF_EVENTS=y");
	else if (err == -EPERM || err == -EACCES)
		findings__fix(d->findings,
			      "see lockdown; else a security module forbids it (SELinux: "
			      "sudo ausearch -m avc -ts recent)");
}

static void check_profile(const struct doctor *d)
{
	const struct doctor_tries *t = d->tries;

	if (!t->profile) {
		findings__add(d->findings, AREA, "profile", FINDING_OK,
			      "all of pmutrace profile loads and attaches");
		return;
	}
	if (t->profile == DOCTOR_NOT_TRIED)
		findings__add(d->findings, AREA, "profile", FINDING_UNKNOWN, "not tried");
	else
		findings__add(d->findings, AREA, "profile", FINDING_MISSING, "%s",
			      t->profile_why.len ? t->profile_why.data : strerror(-t->profile));
	findings__cost(d->findings, "pmutrace profile cannot run");
	if (doctor__seccomp_blocks(d) || !doctor__may_bpf(d))
		doctor__fix_permissions(d);
}

void doctor__sampling(const struct doctor *d)
{
	check_profile(d);
	check_events(d);
	report_bpf(d, "bpf-programs", d->tries->bpf_load, "programs for perf events load");
	report_bpf(d, "bpf-attach", d->tries->bpf_attach, "and attach to them");
}
