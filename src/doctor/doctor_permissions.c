// SPDX-License-Identifier: BSD-2-Clause
/* Capabilities, and the settings that decide what is possible without them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/privileges.h"
#include "doctor/doctor_facts.h"

static const char AREA[] = "permissions";

static const struct {
	unsigned cap;
	const char *name, *cost;
} needed[] = {
	{ CAP_PERFMON, "cap_perfmon", "no events of other users or the kernel" },
	{ CAP_BPF, "cap_bpf", "no BPF programs" },
	{ CAP_SYSLOG, "cap_syslog", "kernel functions have no names" },
	{ CAP_SYS_PTRACE, "cap_sys_ptrace", "other users' functions have no names" },
	{ CAP_DAC_READ_SEARCH, "cap_dac_read_search", "files of others and tracefs are closed" },
};

static bool has_needed(const struct doctor *d, unsigned cap)
{
	if (cap == CAP_PERFMON)
		return doctor__may_perf(d);
	if (cap == CAP_BPF && doctor__has(d, CAP_SYS_ADMIN))
		return true;
	return doctor__has(d, cap);
}

static int list_missing(const struct doctor *d, struct buf *names, struct buf *costs)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(needed) && !err; i++) {
		if (has_needed(d, needed[i].cap))
			continue;
		err = buf__printf(names, "%s%s", names->len ? " " : "", needed[i].name);
		if (!err)
			err = buf__printf(costs, "%s%s", costs->len ? "; " : "", needed[i].cost);
	}
	return err;
}

static void check_capabilities(const struct doctor *d)
{
	struct buf names = {}, costs = {};
	int err = list_missing(d, &names, &costs);

	if (err) {
		d->findings->err = err;
	} else if (!d->facts.caps_known) {
		findings__add(d->findings, AREA, "capabilities", FINDING_UNKNOWN,
			      "/proc/self/status tells none");
		findings__cost(d->findings,
			       "without them no events of others, and no BPF programs");
		doctor__fix_permissions(d);
	} else if (!names.len) {
		findings__add(d->findings, AREA, "capabilities", FINDING_OK,
			      "all that are needed are there");
	} else {
		findings__add(d->findings, AREA, "capabilities",
			      doctor__may_bpf(d) ? FINDING_LIMITED : FINDING_MISSING, "lacks %s%s",
			      names.data,
			      d->facts.user_namespace
				      ? " (those of a user namespace do not count here)"
				      : "");
		findings__cost(d->findings, "%s", costs.data);
		doctor__fix_permissions(d);
	}
	buf__free(&names);
	buf__free(&costs);
}

/* Nothing is wrong with it: for those who want to know what a file of a stranger's could misuse. */
static void tell_kept(const struct doctor *d)
{
	const long level = d->facts.paranoid;
	const uint64_t has = d->facts.caps;
	struct buf run = {}, top = {};
	uint64_t kept = privileges__of(has, privileges__with_level(PRIVILEGES_MEASURE, level));
	int err;

	if (!d->facts.caps_known)
		return;
	err = privileges__name(&run, kept);
	kept = privileges__of(has, privileges__with_level(PRIVILEGES_TOP, level));
	if (!err)
		err = privileges__name(&top, kept);
	if (err)
		d->findings->err = err;
	else if (!run.len)
		findings__add(d->findings, AREA, "kept-capabilities", FINDING_OK,
			      "none are kept while measuring");
	else
		findings__add(d->findings, AREA, "kept-capabilities", FINDING_OK,
			      "while measuring no more than %s; top: %s", run.data, top.data);
	buf__free(&run);
	buf__free(&top);
}

/* Debian's and Ubuntu's levels above 2 mean the same: nobody without CAP_SYS_ADMIN. */
static const char *level_means(int64_t level)
{
	if (level < 0)
		return "everybody may measure everything";
	if (level == 0)
		return "raw tracepoints need CAP_PERFMON";
	if (level == 1)
		return "whole CPUs and others' processes need CAP_PERFMON";
	if (level == 2)
		return "whole CPUs, others' processes and the kernel's part need CAP_PERFMON";
	return "everything needs CAP_SYS_ADMIN (Debian, Ubuntu)";
}

static void check_paranoid(const struct doctor *d)
{
	int64_t level = d->facts.paranoid;
	bool strict = level > 2;

	if (level == PARANOID_NOT_KNOWN &&
	    (d->facts.paranoid_err != -ENOENT || !d->tries->perf_own)) {
		findings__add(d->findings, AREA, "perf-event-paranoid", FINDING_UNKNOWN,
			      "kernel.perf_event_paranoid cannot be read: %s",
			      strerror(-d->facts.paranoid_err));
		findings__cost(d->findings, "from 2 on, events of others and of the kernel are "
					    "refused to those without CAP_PERFMON");
		doctor__fix_unread(d, d->facts.paranoid_err,
				   "/proc/sys/kernel/perf_event_paranoid");
		return;
	}
	if (level == PARANOID_NOT_KNOWN) {
		findings__add(
			d->findings, AREA, "perf-event-paranoid", FINDING_MISSING,
			"there is no kernel.perf_event_paranoid: a kernel without perf events, "
			"or a sandbox");
		findings__cost(d->findings, "nothing can be measured");
		findings__fix(d->findings, DOCTOR_FIX_PERF);
		return;
	}
	if (level < 0 || (strict ? doctor__has(d, CAP_SYS_ADMIN) : doctor__may_perf(d))) {
		findings__add(d->findings, AREA, "perf-event-paranoid", FINDING_OK,
			      "%" PRId64 ": %s%s", level, level_means(level),
			      level < 0 ? "" : ", which is here");
		return;
	}
	findings__add(d->findings, AREA, "perf-event-paranoid",
		      strict ? FINDING_MISSING : FINDING_LIMITED, "%" PRId64 ": %s", level,
		      level_means(level));
	findings__cost(d->findings, "%s",
		       strict ? "perf events are refused"
			      : "events of other users, of CPUs and of the kernel are refused");
	findings__fix(d->findings, "sudo sysctl kernel.perf_event_paranoid=%d",
		      doctor__may_perf(d) ? 2 : -1);
}

static void check_unprivileged_bpf(const struct doctor *d)
{
	int64_t off;
	int err = doctor__read_number(d, "/proc/sys/kernel/unprivileged_bpf_disabled", &off);

	if (doctor__may_bpf(d)) {
		findings__add(d->findings, AREA, "unprivileged-bpf", FINDING_OK,
			      "of no importance: CAP_BPF and CAP_PERFMON are here");
		return;
	}
	if (err)
		findings__add(d->findings, AREA, "unprivileged-bpf", FINDING_MISSING,
			      "kernel.unprivileged_bpf_disabled: %s; even 0 would not let programs "
			      "of this kind in",
			      strerror(-err));
	else
		findings__add(d->findings, AREA, "unprivileged-bpf", FINDING_MISSING,
			      "kernel.unprivileged_bpf_disabled is %" PRId64 ", and even 0 would "
			      "not let programs of this kind in",
			      off);
	findings__cost(d->findings, "BPF programs need CAP_BPF and CAP_PERFMON");
	doctor__fix_permissions(d);
}

/* kallsyms_show_value(), kernel/ksyms_common.c. */
static void check_kptr_restrict(const struct doctor *d)
{
	bool syslog = doctor__has(d, CAP_SYSLOG), shown;
	int64_t restrict_level;
	int err = doctor__read_number(d, "/proc/sys/kernel/kptr_restrict", &restrict_level);

	if (err) {
		findings__add(d->findings, AREA, "kptr-restrict", FINDING_UNKNOWN,
			      "kernel.kptr_restrict: %s", strerror(-err));
		findings__cost(d->findings, "if it is 2, kernel functions have no names");
		doctor__fix_unread(d, err, "/proc/sys/kernel/kptr_restrict");
		return;
	}
	if (restrict_level <= 0 && !syslog && d->facts.paranoid == PARANOID_NOT_KNOWN) {
		findings__add(d->findings, AREA, "kptr-restrict", FINDING_UNKNOWN,
			      "%" PRId64 ": kernel.perf_event_paranoid decides, and cannot be read",
			      restrict_level);
		findings__cost(d->findings, "if it is more than 1, kernel functions have no names");
		doctor__fix_unread(d, d->facts.paranoid_err,
				   "/proc/sys/kernel/perf_event_paranoid");
		return;
	}
	shown = restrict_level <= 0 ? syslog || doctor__is_permissive(d, 1)
				    : restrict_level == 1 && syslog;
	findings__add(d->findings, AREA, "kptr-restrict", shown ? FINDING_OK : FINDING_LIMITED,
		      "%" PRId64 ": kernel addresses are %s", restrict_level,
		      shown		   ? "shown"
		      : restrict_level > 1 ? "hidden from everybody"
					   : "hidden from those without CAP_SYSLOG");
	if (shown)
		return;
	findings__cost(d->findings, "kernel functions have no names");
	if (syslog)
		findings__fix(d->findings, "sudo sysctl kernel.kptr_restrict=1");
	else
		findings__fix(d->findings,
			      "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=%d",
			      doctor__is_permissive(d, -1) ? -1 : 1);
}

/* Any address but 0 will do: the first symbols of per-CPU data are at 0 even when shown. */
static bool has_addresses(const char *text)
{
	for (; text && *text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strtoull(text, NULL, 16))
			return true;
	}
	return false;
}

static void check_symbols(const struct doctor *d)
{
	enum { BYTES = 16384 };
	char text[BYTES];
	int n = doctor__read_text(d, "/proc/kallsyms", text, sizeof(text));

	if (n > 0 && has_addresses(text)) {
		findings__add(d->findings, AREA, "kernel-symbols", FINDING_OK,
			      "/proc/kallsyms shows addresses");
		return;
	}
	findings__add(d->findings, AREA, "kernel-symbols",
		      n > 0   ? FINDING_LIMITED
		      : n < 0 ? doctor__state_of(n)
			      : FINDING_MISSING,
		      "/proc/kallsyms %s%s",
		      n > 0    ? "shows no addresses"
		      : n == 0 ? "is empty"
			       : "cannot be read: ",
		      n < 0 ? strerror(-n) : "");
	findings__cost(d->findings, "kernel functions have no names");
	if (n > 0 && doctor__has(d, CAP_SYSLOG))
		findings__fix(d->findings, "sudo sysctl kernel.kptr_restrict=1");
	else if (n > 0)
		doctor__fix_permissions(d);
	else
		doctor__fix_refused(d, n, "boot a kernel built with CONFIG_KALLSYMS=y");
}

void doctor__permissions(const struct doctor *d)
{
	check_capabilities(d);
	tell_kept(d);
	check_paranoid(d);
	check_unprivileged_bpf(d);
	check_kptr_restrict(d);
	check_symbols(d);
}
