// SPDX-License-Identifier: BSD-2-Clause
/* The kernel itself: version, BTF, the BPF compiler, lockdown. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor_facts.h"

static const char AREA[] = "kernel";

enum { OLDEST_MAJOR = 5, OLDEST_MINOR = 10 };

static void check_version(const struct doctor *d)
{
	const struct doctor_facts *k = &d->facts;

	if (!k->kernel_major) {
		findings__add(d->findings, AREA, "kernel-version", FINDING_UNKNOWN,
			      "/proc/sys/kernel/osrelease tells none");
		findings__cost(d->findings,
			       "before 5.10 pmutrace's BPF programs do not load; profile above has "
			       "tried them");
		findings__fix(d->findings, "uname -r has to say 5.10 or more");
		return;
	}
	if (k->kernel_major > OLDEST_MAJOR ||
	    (k->kernel_major == OLDEST_MAJOR && k->kernel_minor >= OLDEST_MINOR)) {
		findings__add(d->findings, AREA, "kernel-version", FINDING_OK, "Linux %s",
			      k->release);
		return;
	}
	findings__add(d->findings, AREA, "kernel-version", FINDING_MISSING,
		      "Linux %s: too old, 5.10 is needed", k->release);
	findings__cost(d->findings, "pmutrace's BPF programs do not load");
	findings__fix(d->findings, "install a kernel of 5.10 or newer and reboot");
}

static void check_btf(const struct doctor *d)
{
	int err = doctor__access(d, "/sys/kernel/btf/vmlinux", R_OK);

	if (!err) {
		findings__add(d->findings, AREA, "btf", FINDING_OK, "/sys/kernel/btf/vmlinux");
		return;
	}
	findings__add(d->findings, AREA, "btf", FINDING_MISSING, "/sys/kernel/btf/vmlinux: %s",
		      strerror(-err));
	findings__cost(d->findings, "pmutrace's BPF programs cannot be fitted to this kernel");
	doctor__fix_refused(d, err, DOCTOR_FIX_BTF);
}

static void check_jit(const struct doctor *d)
{
	int64_t jit;
	int err = doctor__read_number(d, "/proc/sys/net/core/bpf_jit_enable", &jit);

	/* The file is there only in the first network namespace; a program tells as well. */
	if (err && d->tries->jit != 0 && d->tries->jit != -ENOEXEC) {
		findings__add(d->findings, AREA, "bpf-jit", FINDING_UNKNOWN,
			      "net.core.bpf_jit_enable cannot be read here: %s", strerror(-err));
		findings__cost(d->findings, "if it is 0, each sample costs several times as much");
		findings__fix(d->findings, "sudo sysctl net.core.bpf_jit_enable=1 (on the host)");
		return;
	}
	if (err)
		jit = !d->tries->jit;
	if (jit == 1) {
		findings__add(d->findings, AREA, "bpf-jit", FINDING_OK, "on");
		return;
	}
	findings__add(d->findings, AREA, "bpf-jit", FINDING_LIMITED, "%s",
		      jit ? "on, and prints all code to the kernel's log" : "off");
	findings__cost(d->findings, "%s",
		       jit ? "loading is slow and fills the log"
			   : "BPF programs are interpreted: a sample costs several times as much");
	findings__fix(d->findings, "sudo sysctl net.core.bpf_jit_enable=1%s",
		      err ? " (on the host)" : "");
}

static void report_confidentiality(const struct doctor *d, const char *found)
{
	findings__add(d->findings, AREA, "lockdown", FINDING_MISSING, "%s", found);
	findings__cost(d->findings, "BPF programs may not read the kernel's memory: nothing can be "
				    "sampled or traced");
	findings__fix(d->findings,
		      "take lockdown=confidentiality off the kernel's command line (with "
		      "Secure Boot: turn that off) and reboot");
}

/*
 * Whether BPF programs may read memory is all that matters here, and has been tried. @err: of
 * reading the file.
 */
static void report_unread_lockdown(const struct doctor *d, int err)
{
	const char *why = err == -ENOENT    ? "securityfs is not mounted"
			  : err == -EBADMSG ? "/sys/kernel/security/lockdown is not understood"
					    : strerror(-err);
	int tried = d->tries->kernel_memory;

	if (!tried) {
		findings__add(d->findings, AREA, "lockdown", FINDING_OK,
			      "not that of confidentiality: BPF programs may read the kernel's "
			      "memory (%s)",
			      why);
	} else if (tried == -EINVAL || tried == -EPERM || tried == -EACCES) {
		report_confidentiality(d, "BPF programs may not read the kernel's memory, as in "
					  "the mode confidentiality");
	} else {
		findings__add(d->findings, AREA, "lockdown", FINDING_UNKNOWN, "%s", why);
		findings__cost(d->findings, "in the mode confidentiality nothing can be traced");
		if (err == -ENOENT)
			findings__fix(d->findings,
				      "sudo mount -t securityfs securityfs /sys/kernel/security");
		else
			doctor__fix_unread(d, err, "/sys/kernel/security/lockdown");
	}
}

/* "none [integrity] confidentiality" */
static void report_lockdown(const struct doctor *d, const char *text)
{
	const char *mode = strchr(text, '[');
	size_t len = mode ? strcspn(++mode, "]") : 0;

	if (!len) {
		report_unread_lockdown(d, -EBADMSG);
	} else if (strncmp(mode, "confidentiality", len)) {
		findings__add(d->findings, AREA, "lockdown", FINDING_OK, "%.*s%s", (int)len, mode,
			      strncmp(mode, "none", len) ? ": keeps pmutrace from nothing" : "");
	} else {
		report_confidentiality(d, "confidentiality");
	}
}

static void check_lockdown(const struct doctor *d)
{
	char text[128];
	int n = doctor__read_text(d, "/sys/kernel/security/lockdown", text, sizeof(text));

	if (n >= 0) {
		report_lockdown(d, text);
		return;
	}
	/* That file is there whenever securityfs is. */
	if (n == -ENOENT && !doctor__access(d, "/sys/kernel/security/lsm", F_OK)) {
		findings__add(d->findings, AREA, "lockdown", FINDING_OK, "this kernel has none");
		return;
	}
	report_unread_lockdown(d, n);
}

void doctor__kernel(const struct doctor *d)
{
	check_version(d);
	check_btf(d);
	check_jit(d);
	check_lockdown(d);
}
