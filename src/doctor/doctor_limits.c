// SPDX-License-Identifier: BSD-2-Clause
/* Numbers that the system sets: rates, depths, memory, descriptors. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor_facts.h"
#include "probe/sample.h"

static const char AREA[] = "limits";

/* A setting below /proc/sys/kernel; if it is not there, a finding says so. */
static bool read_setting(const struct doctor *d, const char *name, const char *path,
			 const char *cost, int64_t *out)
{
	int err = doctor__read_number(d, path, out);

	if (!err)
		return true;
	findings__add(d->findings, AREA, name, FINDING_UNKNOWN, "%s: %s", path, strerror(-err));
	findings__cost(d->findings, "%s", cost);
	doctor__fix_unread(d, err, path);
	return false;
}

static void check_rate(const struct doctor *d)
{
	enum { ENOUGH_HZ = 10000, KERNELS_OWN_HZ = 100000 };
	int64_t hz;

	if (!read_setting(d, "max-sample-rate", "/proc/sys/kernel/perf_event_max_sample_rate",
			  "high sampling rates may be lowered", &hz))
		return;
	findings__add(d->findings, AREA, "max-sample-rate",
		      hz < ENOUGH_HZ ? FINDING_LIMITED : FINDING_OK, "%" PRId64 " Hz", hz);
	if (hz >= ENOUGH_HZ)
		return;
	/* The kernel lowers it by itself when a sample takes long (perf_cpu_time_max_percent). */
	findings__cost(d->findings, "higher rates (-F) are lowered to this");
	findings__fix(d->findings, "sudo sysctl kernel.perf_event_max_sample_rate=%d",
		      KERNELS_OWN_HZ);
}

static void check_stack(const struct doctor *d)
{
	enum { OUR_FRAMES = 127 };
	int64_t frames;

	if (!read_setting(d, "max-stack", "/proc/sys/kernel/perf_event_max_stack",
			  "kernel stacks may be cut", &frames))
		return;
	findings__add(d->findings, AREA, "max-stack",
		      frames < OUR_FRAMES ? FINDING_LIMITED : FINDING_OK,
		      "%" PRId64 " kernel frames", frames);
	if (frames >= OUR_FRAMES)
		return;
	findings__cost(d->findings, "deeper kernel stacks are cut");
	findings__fix(d->findings, "sudo sysctl kernel.perf_event_max_stack=%d", OUR_FRAMES);
}

/* perf_mmap(), kernel/events/core.c: rings may lock so many KB per CPU, then RLIMIT_MEMLOCK. */
static void check_mlock(const struct doctor *d)
{
	enum { RING_KB = 512 };
	const int cpu_kb = RING_KB + (int)(sysconf(_SC_PAGESIZE) / 1024);
	uint64_t need_kb = cpu_kb * (uint64_t)d->facts.nr_cpus, soft = 0, hard;
	bool exempt = doctor__has(d, CAP_IPC_LOCK) || doctor__is_permissive(d, -1);
	int64_t kb;
	int err;

	if (!read_setting(d, "mlock", "/proc/sys/kernel/perf_event_mlock_kb",
			  "rings of process events may not fit", &kb))
		return;
	err = doctor__limit(d, "Max locked memory", &soft, &hard);
	if (err)
		soft = 0;
	if (exempt || (uint64_t)(kb > 0 ? kb : 0) * d->facts.nr_cpus + soft / 1024 >= need_kb) {
		findings__add(d->findings, AREA, "mlock", FINDING_OK,
			      "%" PRId64 " KB for each CPU%s", kb,
			      exempt ? ", which does not bind here" : "");
		return;
	}
	findings__add(d->findings, AREA, "mlock", err ? FINDING_UNKNOWN : FINDING_MISSING,
		      "%" PRId64 " KB for each CPU, %d KB are needed%s%s", kb, cpu_kb,
		      err ? " or \"Max locked memory\", which cannot be read: " : "",
		      err ? strerror(-err) : "");
	findings__cost(d->findings, "pmutrace profile cannot follow processes and stops");
	findings__fix(d->findings, "sudo sysctl kernel.perf_event_mlock_kb=%d", cpu_kb);
}

/* Since 5.11 (commit 97306be45fbe and after) the memory of maps counts against the cgroup. */
static void check_memlock(const struct doctor *d)
{
	enum { ENOUGH_BYTES = 256 << 20 };
	bool old = d->facts.kernel_major == 5 && d->facts.kernel_minor < 11;
	uint64_t soft, hard;
	int err = doctor__limit(d, "Max locked memory", &soft, &hard);

	if (!old || doctor__has(d, CAP_SYS_RESOURCE)) {
		findings__add(d->findings, AREA, "locked-memory", FINDING_OK, "%s",
			      old ? "raised as needed" : "this kernel asks the memory cgroup only");
		return;
	}
	if (err)
		findings__add(d->findings, AREA, "locked-memory", FINDING_UNKNOWN,
			      "/proc/self/limits: %s", strerror(-err));
	else
		findings__add(d->findings, AREA, "locked-memory",
			      hard < ENOUGH_BYTES ? FINDING_LIMITED : FINDING_OK, "%" PRIu64 " KB",
			      hard / 1024);
	if (!err && hard >= ENOUGH_BYTES)
		return;
	findings__cost(d->findings, "BPF maps may not fit");
	findings__fix(d->findings, "sudo prlimit --pid $$ --memlock=unlimited:unlimited");
}

static void check_files(const struct doctor *d)
{
	enum { OTHERS = 64, PROPOSED = 65536 };
	/* One for the ring, one for each event, on every CPU; profile raises the soft limit. */
	uint64_t one = 2 * (uint64_t)d->facts.nr_cpus + OTHERS;
	uint64_t all = (SAMPLE_EVENTS + 1) * (uint64_t)d->facts.nr_cpus + OTHERS, soft, hard;
	uint64_t propose = all > PROPOSED ? all : PROPOSED;
	int err = doctor__limit(d, "Max open files", &soft, &hard);

	if (err) {
		findings__add(d->findings, AREA, "open-files", FINDING_UNKNOWN,
			      "/proc/self/limits: %s", strerror(-err));
		findings__cost(d->findings, "%" PRIu64 " descriptors are needed", all);
		doctor__fix_unread(d, err, "/proc/self/limits");
		return;
	}
	findings__add(d->findings, AREA, "open-files",
		      hard < one   ? FINDING_MISSING
		      : hard < all ? FINDING_LIMITED
				   : FINDING_OK,
		      "%" PRIu64 " descriptors, %" PRIu64 " are needed for %d events on %zu CPU%s",
		      hard, all, SAMPLE_EVENTS, d->facts.nr_cpus, d->facts.nr_cpus == 1 ? "" : "s");
	if (hard >= all)
		return;
	findings__cost(d->findings, "%s",
		       hard < one ? "not even one event on every CPU"
				  : "fewer events in one run, or fewer CPUs (-C)");
	findings__fix(d->findings, "sudo prlimit --pid $$ --nofile=%" PRIu64 ":%" PRIu64, propose,
		      propose);
}

void doctor__limits(const struct doctor *d)
{
	check_rate(d);
	check_stack(d);
	check_mlock(d);
	check_memlock(d);
	check_files(d);
}
