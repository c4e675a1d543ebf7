// SPDX-License-Identifier: BSD-2-Clause
/* tracefs, and the kinds of probes. */
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "doctor/doctor_facts.h"
#include "event/tracefs.h"

static const char AREA[] = "tracing";

static void fix_no_tracefs(const struct doctor *d, int err)
{
	bool mountable = !doctor__access(d, "/sys/kernel/tracing", F_OK);

	doctor__fix_refused(d, err,
			    mountable ? "sudo mount -t tracefs tracefs /sys/kernel/tracing"
				      : "boot a kernel built with CONFIG_FTRACE=y");
}

static void report_no_tracefs(const struct doctor *d, int err)
{
	findings__add(d->findings, AREA, "tracefs", doctor__state_of(err), "%s",
		      err == -EACCES   ? "mounted, but closed to this user"
		      : err != -ENOENT ? strerror(-err)
		      : !doctor__access(d, "/sys/kernel/tracing", F_OK) ? "not mounted"
									: "this kernel has none");
	findings__cost(d->findings, "tracepoints cannot be looked up by name");
	fix_no_tracefs(d, err);
}

/* 0 or -errno: how it was found. */
static int check_tracefs(const struct doctor *d)
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
	return err;
}

struct kind {
	const char *name;
	const char *cost;
	const char *absent, *fix; /* where the kernel has no such thing */
	bool for_admin;		  /* some kernels ask for CAP_SYS_ADMIN */
};

static void fix(const struct doctor *d, const struct kind *k, int err)
{
	bool refused = err == -EPERM || err == -EACCES;

	if (refused && k->for_admin && doctor__may_bpf(d) && !doctor__has(d, CAP_SYS_ADMIN))
		findings__fix(d->findings, "run as root: sudo %s ...", d->program);
	else
		doctor__fix_refused(d, err, k->fix);
}

/* Probes are not tried where BPF programs do not load, which they need. */
static void report_not_tried(const struct doctor *d, const struct kind *k)
{
	int err = d->tries->bpf_load;

	findings__add(d->findings, AREA, k->name, doctor__state_of(err),
		      "not tried: it takes BPF programs, which do not load (%s)",
		      doctor__reason(err));
	findings__cost(d->findings, "%s", k->cost);
	doctor__fix_refused(d, err, DOCTOR_FIX_BPF);
}

static void report(const struct doctor *d, const struct kind *k, int err)
{
	if (!err) {
		findings__add(d->findings, AREA, k->name, FINDING_OK, "they attach");
		return;
	}
	if (err == DOCTOR_NOT_TRIED) {
		report_not_tried(d, k);
		return;
	}
	if (doctor__says_nothing(err))
		findings__add(d->findings, AREA, k->name, FINDING_UNKNOWN, "could not be tried: %s",
			      doctor__reason(err));
	else if (err == -EPERM || err == -EACCES)
		findings__add(d->findings, AREA, k->name, FINDING_MISSING, "refused: %s",
			      doctor__reason(err));
	else
		findings__add(d->findings, AREA, k->name, FINDING_MISSING, "%s (%s)", k->absent,
			      doctor__reason(err));
	findings__cost(d->findings, "%s", k->cost);
	fix(d, k, err);
}

/* For kinds of probes that have a PMU: without it there is nothing to try. */
static void report_pmu(const struct doctor *d, const struct kind *k, const char *pmu, int err)
{
	int none = doctor__access(d, pmu, F_OK);
	int no_sysfs = doctor__access(d, "/sys/bus/event_source/devices", F_OK);

	if (!none) {
		report(d, k, err);
	} else if (no_sysfs) {
		findings__add(d->findings, AREA, k->name, FINDING_UNKNOWN,
			      "/sys/bus/event_source/devices: %s", strerror(-no_sysfs));
		findings__cost(d->findings, "%s", k->cost);
		doctor__fix_refused(d, no_sysfs, DOCTOR_FIX_SYSFS);
	} else {
		findings__add(d->findings, AREA, k->name, FINDING_MISSING, "%s", k->absent);
		findings__cost(d->findings, "%s", k->cost);
		doctor__fix_refused(d, none, k->fix);
	}
}

/* Tracepoints are found by name in tracefs. @tracefs: 0, or the -errno of looking for that. */
static void check_tracepoints(const struct doctor *d, const struct kind *k, int tracefs)
{
	int err = d->tries->tracepoint;

	if (!tracefs || err != tracefs) {
		report(d, k, err);
		return;
	}
	findings__add(d->findings, AREA, k->name, doctor__state_of(err),
		      "not tried: it takes tracefs, see above");
	findings__cost(d->findings, "%s", k->cost);
	fix_no_tracefs(d, err);
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
	"boot a kernel built with CONFIG_DEBUG_INFO_BTF=y and "
	"CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y (arm64: 6.4 or newer)",
	false,
};

/* All kprobes may have been switched off through debugfs. */
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
	check_tracepoints(d, &tracepoints, check_tracefs(d));
	report(d, &raw_tracepoints, d->tries->raw_tracepoint);
	check_kprobes(d);
	report(d, &kprobe_multi, d->tries->kprobe_multi);
	report_pmu(d, &uprobes, "/sys/bus/event_source/devices/uprobe", d->tries->uprobe);
	report(d, &fentry, d->tries->fentry);
}
