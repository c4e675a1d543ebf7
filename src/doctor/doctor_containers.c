// SPDX-License-Identifier: BSD-2-Clause
/* Containers: namespaces and seccomp. */
#include <errno.h>
#include <string.h>

#include "doctor/doctor_facts.h"

static const char AREA[] = "containers";

static bool report_unread_namespace(const struct doctor *d, const char *name, const char *path,
				    int err, const char *cost)
{
	if (!err)
		return false;
	findings__add(d->findings, AREA, name, FINDING_UNKNOWN, "%s: %s", path, strerror(-err));
	findings__cost(d->findings, "%s", cost);
	doctor__fix_unread(d, err, path);
	return true;
}

static void check_pid_namespace(const struct doctor *d)
{
	const char *c = d->facts.container;

	if (report_unread_namespace(d, "pid-namespace", "/proc/self/ns/pid",
				    d->facts.pid_namespace_err,
				    "if it is not the host's, programs' functions have no names"))
		return;
	if (!d->facts.pid_namespace) {
		findings__add(d->findings, AREA, "pid-namespace", FINDING_OK, "the host's");
		return;
	}
	findings__add(d->findings, AREA, "pid-namespace", FINDING_LIMITED, "not the host's");
	findings__cost(d->findings,
		       "-p, -t and -- CMD are refused, and programs' functions have no "
		       "names");
	if (c && (!strcmp(c, "docker") || !strcmp(c, "podman")))
		findings__fix(d->findings, "%s run --pid=host ...", c);
	else if (c && !strcmp(c, "kubernetes"))
		findings__fix(d->findings, "in the pod's specification: hostPID: true");
	else
		findings__fix(d->findings,
			      "run pmutrace in the host's PID namespace: sudo nsenter "
			      "-t 1 -p -m %s (on the host)",
			      d->program);
}

static void check_user_namespace(const struct doctor *d)
{
	if (report_unread_namespace(d, "user-namespace", "/proc/self/ns/user",
				    d->facts.user_namespace_err,
				    "if it is not the host's, root is nobody to the kernel"))
		return;
	if (!d->facts.user_namespace) {
		findings__add(d->findings, AREA, "user-namespace", FINDING_OK, "the host's");
		return;
	}
	findings__add(d->findings, AREA, "user-namespace", FINDING_MISSING,
		      "not the host's (rootless?): root here is nobody to the kernel");
	findings__cost(d->findings, "no perf events of others, no BPF programs");
	doctor__fix_permissions(d);
}

static void check_seccomp(const struct doctor *d)
{
	const struct doctor_tries *t = d->tries;

	if (doctor__seccomp_blocks(d)) {
		findings__add(d->findings, AREA, "seccomp", FINDING_MISSING, "a filter refuses %s",
			      t->perf_own && t->perf_own != DOCTOR_NOT_TRIED ? "perf_event_open"
									     : "bpf");
		findings__cost(d->findings, "nothing can be measured");
		doctor__fix_permissions(d);
	} else if (d->facts.seccomp < 0) {
		findings__add(d->findings, AREA, "seccomp", FINDING_UNKNOWN,
			      "/proc/self/status does not tell");
		findings__cost(d->findings, "a filter could refuse perf_event_open and bpf");
		doctor__fix_unread(d, -ENOENT, "/proc/self/status");
	} else {
		findings__add(d->findings, AREA, "seccomp", FINDING_OK, "%s",
			      d->facts.seccomp ? "a filter, which is not in the way" : "no filter");
	}
}

void doctor__containers(const struct doctor *d)
{
	findings__add(d->findings, AREA, "container", FINDING_OK, "%s",
		      d->facts.container ? d->facts.container : "none seen");
	check_pid_namespace(d);
	check_user_namespace(d);
	check_seccomp(d);
}
