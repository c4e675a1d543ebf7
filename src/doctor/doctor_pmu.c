// SPDX-License-Identifier: BSD-2-Clause
/* Hardware counters: are there any, how many, and who else uses them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "doctor/doctor_facts.h"
#include "event/pmu.h"

static const char AREA[] = "pmu";

enum { CPUINFO_BYTES = 8192 };

/* On x86 a flag of the CPU says that this is a virtual machine. */
static bool is_guest(const struct doctor *d)
{
	char text[CPUINFO_BYTES];

	return doctor__read_text(d, "/proc/cpuinfo", text, sizeof(text)) > 0 &&
	       strstr(text, " hypervisor");
}

static int list_pmus(const struct pmu *pmus, size_t nr, bool core, struct buf *out)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		if (!core || pmus[i].core)
			err = buf__printf(out, "%s%s", out->len ? ", " : "", pmus[i].name);
	return err;
}

static void report_hardware(const struct doctor *d, const char *core)
{
	int err = d->tries->cycles;
	bool refused = err == -EACCES || err == -EPERM;

	if (!err) {
		findings__add(d->findings, AREA, "hardware-pmu", FINDING_OK, "counts cycles%s%s",
			      *core ? ": " : "", core);
		return;
	}
	if (refused || err == -ENOSYS || doctor__says_nothing(err)) {
		findings__add(d->findings, AREA, "hardware-pmu",
			      *core && refused ? FINDING_LIMITED : FINDING_UNKNOWN, "%s%s%s", core,
			      *core ? ": " : "", strerror(-err));
		findings__cost(d->findings,
			       "cycles, instructions and cache misses may not be there");
		doctor__fix_refused(d, err, DOCTOR_FIX_PERF);
		return;
	}
	findings__add(d->findings, AREA, "hardware-pmu", FINDING_MISSING, "%s%s (cycles: %s)",
		      *core ? core : "none", is_guest(d) ? " in this virtual machine" : "",
		      strerror(-err));
	findings__cost(d->findings, "no cycles, instructions or cache misses; profile samples "
				    "cpu-clock instead");
	findings__fix(d->findings,
		      "in a virtual machine, give it one (QEMU: -cpu host,pmu=on; libvirt: <pmu "
		      "state='on'/>; cloud: a metal instance)%s",
		      is_guest(d) ? ""
				  : "; elsewhere see why there is none: sudo dmesg | grep -i pmu");
}

static void report_budget(const struct doctor *d, const struct doctor_budget *b, bool watchdog)
{
	if (b->nr && !doctor__says_nothing(b->err)) {
		findings__add(d->findings, AREA, "counters", FINDING_OK,
			      "%u hardware events at once%s; more take turns", b->nr,
			      watchdog ? ", one less while the NMI watchdog has its own" : "");
		findings__subject(d->findings, "%s", b->pmu);
		return;
	}
	findings__add(d->findings, AREA, "counters", doctor__state_of(b->err),
		      "%u hardware events at once, and then: %s", b->nr, strerror(-b->err));
	findings__subject(d->findings, "%s", b->pmu);
	findings__cost(d->findings, "how many of its events can be counted together is not known");
	doctor__fix_refused(d, b->err, "none: it counts no cycles");
}

static bool check_watchdog(const struct doctor *d, bool has_pmu)
{
	int64_t on = 0;
	int err = doctor__read_number(d, "/proc/sys/kernel/nmi_watchdog", &on);

	if (err && err != -ENOENT) {
		findings__add(d->findings, AREA, "nmi-watchdog", FINDING_UNKNOWN,
			      "kernel.nmi_watchdog cannot be read: %s", strerror(-err));
		findings__cost(d->findings, "if it is on, one hardware event less at once");
		doctor__fix_unread(d, err, "/proc/sys/kernel/nmi_watchdog");
		return false;
	}
	if (err || !on || !has_pmu) {
		findings__add(d->findings, AREA, "nmi-watchdog", FINDING_OK, "%s",
			      err   ? "this kernel has none"
			      : !on ? "off"
				    : "on, without a counter to take");
		return false;
	}
	findings__add(d->findings, AREA, "nmi-watchdog", FINDING_LIMITED,
		      "on: takes one hardware counter of every CPU");
	findings__cost(d->findings, "one event less at once");
	findings__fix(d->findings, "sudo sysctl kernel.nmi_watchdog=0");
	return true;
}

void doctor__pmu(const struct doctor *d)
{
	struct buf core = {}, all = {};
	struct pmu *pmus = NULL;
	size_t nr = 0;
	int err = pmus__read(d->root, &pmus, &nr), out_of_memory;
	bool watchdog;

	out_of_memory = list_pmus(pmus, nr, true, &core);
	if (!out_of_memory)
		out_of_memory = list_pmus(pmus, nr, false, &all);
	if (out_of_memory) {
		d->findings->err = out_of_memory;
		goto out_free;
	}
	report_hardware(d, core.len ? core.data : "");
	watchdog = check_watchdog(d, core.len > 0);
	for (size_t i = 0; i < d->tries->nr_budgets; i++)
		report_budget(d, &d->tries->budgets[i], watchdog);
	if (all.len) {
		findings__add(d->findings, AREA, "pmus", FINDING_OK, "%s", all.data);
	} else {
		err = err ? err : -ENOENT;
		findings__add(d->findings, AREA, "pmus", doctor__state_of(err),
			      "/sys/bus/event_source/devices: %s", strerror(-err));
		findings__cost(d->findings, "kprobes, uprobes and named PMUs cannot be found");
		doctor__fix_refused(d, err, DOCTOR_FIX_SYSFS);
	}

out_free:
	pmus__free(pmus, nr);
	buf__free(&core);
	buf__free(&all);
}
