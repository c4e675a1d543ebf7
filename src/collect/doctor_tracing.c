// SPDX-License-Identifier: BSD-2-Clause
/* tracefs, and the kinds of probes. */
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "collect/doctor_facts.h"
#include "perf/tracefs.h"

static const char AREA[] = "tracing";

static void report_no_tracefs(const struct doctor *d, int err)
{
	bool mountable = !doctor__access(d, "/sys/kernel/tracing", F_OK);

	if (err == -EACCES) {
		findings__add(d->findings, AREA, "tracefs", FINDING_MISSING,
			      "mounted, but closed to this user");
		findings__cost(d->findings, "tracepoints cannot be looked up by name");
		doctor__fix_permissions(d);
		return;
	}
	findings__add(d->findings, AREA, "tracefs", FINDING_MISSING, "%s",
		      err != -ENOENT ? strerror(-err)
		      : mountable    ? "not mounted"
				     : "this kernel has none");
	findings__cost(d->findings, "tracepoints cannot be looked up by name");
	findings__fix(d->findings, "%s",
		      mountable ? "sudo mount -t tracefs tracefs /sys/kernel/tracing"
				: "boot a kernel built with CONFIG_FTRACE=y");
}

static void check_tracefs(const struct doctor *d)
{
	struct buf path = {}, why = {};
	int err = tracefs__find(d->root, &path, &why);

	if (!err)
		findings__add(d->findings, AREA, "tracefs", FINDING_OK, "%s",
			      path.data + strlen(d->root));
	else
		report_no_tracefs(d, err);
	buf__free(&path);
	buf__free(&why);
}

struct kind {
	const char *name;
	const char *cost;
	const char *absent, *fix; /* where the kernel has no such thing */
	bool for_admin;		  /* some kernels ask for CAP_SYS_ADMIN */
};

/* The kernel's own ENOTSUPP, which libc has no words for, reaches us from BPF. */
static const char *reason(int err)
{
	enum { KERNEL_ENOTSUPP = 524 };

	return strerror(err == -KERNEL_ENOTSUPP ? EOPNOTSUPP : -err);
}

static void report(const struct doctor *d, const struct kind *k, int err)
{
	bool refused = err == -EPERM || err == -EACCES;

	if (!err) {
		findings__add(d->findings, AREA, k->name, FINDING_OK, "they attach");
		return;
	}
	if (err == DOCTOR_NOT_TRIED)
		findings__add(d->findings, AREA, k->name, FINDING_UNKNOWN,
			      "not tried: BPF programs do not load");
	else if (refused || err == -EMFILE || err == -ENOMEM)
		findings__add(d->findings, AREA, k->name, FINDING_MISSING, "refused: %s",
			      reason(err));
	else
		findings__add(d->findings, AREA, k->name, FINDING_MISSING, "%s (%s)", k->absent,
			      reason(err));
	findings__cost(d->findings, "%s", k->cost);
	if (!doctor__may_bpf(d) && (refused || err == DOCTOR_NOT_TRIED))
		doctor__fix_permissions(d);
	else if (refused && k->for_admin && !doctor__has(d, CAP_SYS_ADMIN))
		findings__fix(d->findings, "run as root: sudo %s ...", d->program);
	else if (!refused && err != DOCTOR_NOT_TRIED)
		findings__fix(d->findings, "%s", k->fix);
}

/* Those with a PMU: without it there is nothing to try. */
static void report_pmu(const struct doctor *d, const struct kind *k, const char *pmu, int err)
{
	if (!doctor__access(d, pmu, F_OK)) {
		report(d, k, err);
		return;
	}
	findings__add(d->findings, AREA, k->name, FINDING_MISSING, "%s", k->absent);
	findings__cost(d->findings, "%s", k->cost);
	findings__fix(d->findings, "%s", k->fix);
}

static const struct kind tracepoints = {
	"tracepoints",
	"events like sched:sched_switch cannot be counted",
	"this kernel's tracepoints do not take BPF programs",
	"boot a kernel built with CONFIG_BPF_EVENTS=y",
	false,
};

static const struct kind raw_tracepoints = {
	"raw-tracepoints",
	"children of the processes that -p names are not followed",
	"this kernel does not have them",
	"boot a kernel built with CONFIG_BPF_EVENTS=y",
	false,
};

static const struct kind kprobes = {
	"kprobes",
	"kprobe: and kretprobe: probes cannot be used",
	"a kernel without kprobes",
	"boot a kernel built with CONFIG_KPROBE_EVENTS=y",
	true,
};

static const struct kind kprobe_multi = {
	"kprobe-multi",
	"a probe on many functions (kprobe:tcp_*) attaches one by one, which takes its time",
	"this kernel does not have it",
	"boot a kernel of 5.18 or newer, built with CONFIG_FPROBE=y",
	false,
};

static const struct kind uprobes = {
	"uprobes",
	"uprobe:, uretprobe: and usdt: probes cannot be used",
	"a kernel without uprobes",
	"boot a kernel built with CONFIG_UPROBE_EVENTS=y",
	true,
};

static const struct kind fentry = {
	"fentry",
	"functions are entered by way of kprobes, which cost more",
	"this kernel does not have it",
	"boot a kernel built with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y (arm64: 6.4 or newer)",
	false,
};

/* Somebody may have switched all of them off. */
static bool kprobes_are_off(const struct doctor *d)
{
	int64_t on;

	return !doctor__read_number(d, "/sys/kernel/debug/kprobes/enabled", &on) && !on;
}

static void check_kprobes(const struct doctor *d)
{
	if (!kprobes_are_off(d)) {
		report_pmu(d, &kprobes, "/sys/bus/event_source/devices/kprobe", d->tries->kprobe);
		return;
	}
	findings__add(d->findings, AREA, kprobes.name, FINDING_MISSING, "all are switched off");
	findings__cost(d->findings, "%s", kprobes.cost);
	findings__fix(d->findings, "echo 1 | sudo tee /sys/kernel/debug/kprobes/enabled");
}

void doctor__tracing(const struct doctor *d)
{
	check_tracefs(d);
	report(d, &tracepoints, d->tries->tracepoint);
	report(d, &raw_tracepoints, d->tries->raw_tracepoint);
	check_kprobes(d);
	report(d, &kprobe_multi, d->tries->kprobe_multi);
	report_pmu(d, &uprobes, "/sys/bus/event_source/devices/uprobe", d->tries->uprobe);
	report(d, &fentry, d->tries->fentry);
}
