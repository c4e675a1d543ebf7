// SPDX-License-Identifier: BSD-2-Clause
/* What an errno says of the machine, and what helps. */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "doctor/doctor_facts.h"

bool doctor__says_nothing(int err)
{
	switch (-err) {
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case EAGAIN:
	case EBUSY:
	case EINTR:
		return true;
	default:
		return false;
	}
}

enum finding_state doctor__state_of(int err)
{
	return doctor__says_nothing(err) ? FINDING_UNKNOWN : FINDING_MISSING;
}

/* The kernel's own ENOTSUPP, which libc has no words for, reaches us from BPF. */
const char *doctor__reason(int err)
{
	enum { KERNEL_ENOTSUPP = 524 };

	return strerror(err == -KERNEL_ENOTSUPP ? EOPNOTSUPP : -err);
}

/* A limit of this very process, if that is what was short. */
static bool fix_limit(const struct doctor *d, int err)
{
	struct buf limit = {};
	bool is_one = !limits__explain(&limit, err) && limit.len;

	if (is_one)
		findings__fix(d->findings, "%s", limit.data);
	buf__free(&limit);
	return is_one;
}

static void fix_shortage(const struct doctor *d, int err)
{
	if ((err == -ENOMEM || err == -EAGAIN) && fix_limit(d, err))
		return;
	switch (-err) {
	case EMFILE:
		findings__fix(d->findings, "sudo prlimit --pid $$ --nofile=65536:65536");
		break;
	case ENFILE:
		findings__fix(d->findings, "sudo sysctl fs.file-max=1000000");
		break;
	case ENOMEM:
		findings__fix(d->findings,
			      "free memory, or raise the limit of the cgroup, and look again: %s "
			      "doctor",
			      d->program);
		break;
	default:
		findings__fix(d->findings, "look again when nobody else uses it: %s doctor",
			      d->program);
	}
}

void doctor__fix_refused(const struct doctor *d, int err, const char *otherwise)
{
	if (doctor__says_nothing(err))
		fix_shortage(d, err);
	else if (doctor__seccomp_blocks(d))
		doctor__fix_permissions(d);
	else if (err != -EPERM && err != -EACCES)
		findings__fix(d->findings, "%s", otherwise);
	else if (!doctor__may_bpf(d) || (err == -EACCES && !doctor__has(d, CAP_DAC_READ_SEARCH)))
		doctor__fix_permissions(d);
	else if (d->facts.paranoid > 2 && !doctor__has(d, CAP_SYS_ADMIN))
		findings__fix(d->findings, "sudo sysctl kernel.perf_event_paranoid=2");
	else
		findings__fix(d->findings,
			      "none here: lockdown or a security module forbids it, to "
			      "root too (SELinux: sudo ausearch -m avc -ts recent)");
}

void doctor__fix_unread(const struct doctor *d, int err, const char *path)
{
	if (doctor__says_nothing(err))
		fix_shortage(d, err);
	else if (err == -EACCES || err == -EPERM)
		findings__fix(d->findings, "sudo cat %s", path);
	else if (err == -ENOENT && !strncmp(path, "/proc/", 6) &&
		 doctor__access(d, "/proc/self", F_OK))
		findings__fix(d->findings, "sudo mount -t proc proc /proc");
	else
		findings__fix(d->findings, "none: this kernel does not tell in %s", path);
}
