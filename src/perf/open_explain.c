// SPDX-License-Identifier: BSD-2-Clause
/* Why the kernel refuses an event: EINVAL has many reasons, and trying finds the one. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "event/event.h"
#include "perf/open.h"

enum { FTRACE_FUNCTION = 1 }; /* the id of ftrace:function: TRACE_FN, kernel/trace/trace.h */

/* What a PMU may not take of an event. */
enum part { PART_MODES, PART_PRECISE, PART_SAMPLES, PART_INHERIT, NR_PARTS };

/* Takes a part out; false: there was none. */
static bool leave_out(struct perf_event_attr *attr, enum part part)
{
	struct perf_event_attr before = *attr;

	switch (part) {
	case PART_MODES:
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 0;
		attr->exclude_idle = attr->exclude_host = attr->exclude_guest = 0;
		break;
	case PART_PRECISE:
		attr->precise_ip = 0;
		break;
	case PART_SAMPLES:
		attr->freq = 0;
		attr->sample_period = 0;
		attr->precise_ip = 0;
		break;
	case PART_INHERIT:
		attr->inherit = 0;
		break;
	case NR_PARTS:
		break;
	}
	return memcmp(&before, attr, sizeof(before)) != 0;
}

enum where { A_TASK, A_CPU };

/*
 * Whether the PMU takes the event. EACCES for a CPU means that it does, if exclude_kernel is set:
 * permission for CPUs is checked after the PMU was asked, that for the kernel's part before
 * (perf_event_open(), kernel/events/core.c).
 */
static bool opens(struct perf_event_attr attr, enum where where)
{
	int fd;

	attr.disabled = 1;
	attr.enable_on_exec = 0;
	fd = perf_open(&attr, where == A_TASK ? 0 : -1, where == A_TASK ? -1 : 0, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (where == A_CPU && attr.exclude_kernel && fd == -EACCES);
}

static int explain_part(struct buf *out, enum part part, const char *event, enum reader reader)
{
	switch (part) {
	case PART_MODES:
		return buf__printf(out,
				   "'%s': this PMU counts everything, user space and the kernel "
				   "together; leave out the modifiers (u, k, h, G, H, I)",
				   event);
	case PART_PRECISE:
		return buf__printf(out,
				   "'%s': this CPU tells no addresses that precise for it; leave "
				   "out the p",
				   event);
	case PART_SAMPLES:
		return buf__printf(out,
				   "'%s' can be counted, but not sampled: its PMU does not "
				   "interrupt; %s",
				   event, advice(ADVICE_ONLY_COUNT, reader));
	case PART_INHERIT:
	case NR_PARTS:
		break;
	}
	return buf__printf(out, "'%s' cannot count with what a task starts: %s", event,
			   advice(ADVICE_NO_INHERIT, reader));
}

/* Lengths, alignment and accesses are the CPU's: hw_breakpoint_arch_parse() of each. */
static int explain_breakpoint(struct buf *out, const struct perf_event_attr *attr,
			      const char *event)
{
	unsigned long long addr = attr->bp_addr, len = attr->bp_len;
	struct perf_event_attr other = *attr;

	/* The kernel's part is another question, and its answer comes first. */
	other.exclude_kernel = other.exclude_hv = 1;
	other.bp_len = HW_BREAKPOINT_LEN_1;
	if (opens(other, A_TASK)) {
		if (len != 1 && len != 2 && len != 4 && len != 8)
			return buf__printf(out,
					   "'%s': a breakpoint is 1, 2, 4 or 8 bytes long, not "
					   "%llu",
					   event, len);
		return buf__printf(out,
				   "'%s': the address of a breakpoint is a multiple of its "
				   "length, and 0x%llx is none of %llu",
				   event, addr, len);
	}
	other.bp_type = HW_BREAKPOINT_RW;
	if (attr->bp_type == HW_BREAKPOINT_R && opens(other, A_TASK))
		return buf__printf(out, "'%s': this CPU cannot watch reads without writes; use :rw",
				   event);
	return buf__printf(out,
			   "the kernel refuses the breakpoint '%s': lengths are 1, 2, 4 and 8, "
			   "addresses multiples of them, accesses w, rw and x",
			   event);
}

/* Nothing that could be left out would help. */
static int explain_config(struct buf *out, const struct perf_event_attr *attr, const char *event,
			  enum reader reader)
{
	struct perf_event_attr bare = *attr;

	if (attr->type == PERF_TYPE_TRACEPOINT)
		return buf__printf(out,
				   "'%s': there is no tracepoint with the id %llu, or it is not "
				   "for perf",
				   event, (unsigned long long)attr->config);
	if (attr->type < PERF_TYPE_MAX && !perf_event__is_hardware(attr))
		return buf__printf(out, "the kernel refuses '%s' in this form", event);
	if (leave_out(&bare, PART_MODES) && !perf_is_privileged())
		return buf__printf(out,
				   "'%s': its PMU has no such event, or it counts everything and "
				   "takes no modifiers (u, k, h)",
				   event);
	return buf__printf(out, "'%s': its PMU has no such event (config is 0x%llx); %s", event,
			   (unsigned long long)attr->config, advice(ADVICE_LIST_PMU, reader));
}

static int explain_invalid(struct buf *out, const struct perf_event_attr *attr, const char *event,
			   enum reader reader)
{
	long max_rate = perf_sysctl("perf_event_max_sample_rate", -1);
	struct perf_event_attr base = *attr, bare, other;

	if (attr->freq && max_rate >= 0 && attr->sample_freq > (unsigned long)max_rate)
		return buf__printf(out,
				   "'%s': %llu samples each second are more than "
				   "kernel.perf_event_max_sample_rate allows (%ld)",
				   event, (unsigned long long)attr->sample_freq, max_rate);
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return explain_breakpoint(out, attr, event);
	/* Leave out the kernel's part where the PMU can: permission is another question. */
	if (attr->type < PERF_TYPE_MAX && !perf_is_privileged())
		base.exclude_kernel = base.exclude_hv = 1;
	for (enum where at = A_TASK; at <= A_CPU; at++) {
		/* Unchanged it opens on a CPU: so what the PMU refuses is to count a task. */
		if (at == A_CPU && opens(base, A_CPU))
			return buf__printf(out, "'%s' counts for CPUs, not for tasks: %s", event,
					   advice(ADVICE_FOR_CPUS, reader));
		for (enum part part = 0; part < NR_PARTS; part++) {
			other = base;
			if (leave_out(&other, part) && opens(other, at))
				return explain_part(out, part, event, reader);
		}
	}
	bare = base;
	for (enum part part = 0; part < NR_PARTS; part++)
		leave_out(&bare, part);
	if (opens(bare, A_TASK) || opens(bare, A_CPU))
		return buf__printf(out,
				   "the kernel takes '%s' only without modifiers and without a "
				   "rate",
				   event);
	return explain_config(out, attr, event, reader);
}

/* User namespaces but the first have another map. True also if that is not to be seen. */
static bool is_first_namespace(void)
{
	unsigned long inside, outside, nr;
	FILE *f = fopen("/proc/self/uid_map", "re");
	int n = f ? fscanf(f, "%lu %lu %lu", &inside, &outside, &nr) : 0;

	if (f)
		fclose(f);
	return n != 3 || (!inside && !outside && nr == 4294967295ul);
}

enum { CAP_SYS_ADMIN = 21, CAP_PERFMON = 38 }; /* linux/capability.h */

static bool has_capability(int cap)
{
	unsigned long long caps = 0;
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "CapEff:", 7))
			caps = strtoull(line + 7, NULL, 16);
	if (f)
		fclose(f);
	return caps >> cap & 1;
}

bool perf_is_privileged(void)
{
	return (has_capability(CAP_SYS_ADMIN) || has_capability(CAP_PERFMON)) &&
	       is_first_namespace();
}

static bool is_locked_down(void)
{
	char text[128] = "";
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strstr(text, "[confidentiality]") != NULL;
}

/* perf_allow_kernel() and its like: paranoid asks for capabilities, then security modules. */
static int explain_refused(struct buf *out, const struct perf_event_attr *attr, const char *event)
{
	const char *outside = is_first_namespace() ? "" : " outside of this container";
	long level = perf_sysctl("perf_event_paranoid", -1);

	/* Above 2: perf_paranoid_any() of Debian and Ubuntu, which takes no CAP_PERFMON. */
	if (level > 2 && (!has_capability(CAP_SYS_ADMIN) || *outside))
		return buf__printf(
			out,
			"no permission for '%s': kernel.perf_event_paranoid is %ld, and "
			"above 2 everything needs CAP_SYS_ADMIN (Debian, Ubuntu); run as "
			"root%s, or set it to 2",
			event, level, outside);
	if (!perf_is_privileged())
		return buf__printf(
			out,
			"no permission for '%s' (kernel.perf_event_paranoid is %ld): run as "
			"root%s, or with CAP_PERFMON",
			event, level, outside);
	if (is_locked_down())
		return buf__printf(out,
				   "the kernel is locked down and refuses '%s' to root too: boot "
				   "without lockdown=confidentiality",
				   event);
	/* Permitted by now: what is left is register_ftrace_function(). */
	if (attr->type == PERF_TYPE_TRACEPOINT && attr->config == FTRACE_FUNCTION)
		return buf__printf(out,
				   "'%s': this kernel lets nobody trace all of its functions "
				   "(ftrace), nor root; name some with kprobe:FUNCTION",
				   event);
	return buf__printf(out,
			   "the kernel refuses '%s' to root too: a security module or the "
			   "container's seccomp profile forbids it",
			   event);
}

static int explain_nofile(struct buf *out, enum reader reader)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	return buf__printf(out, "too many open files: the limit is %llu; %s %llu",
			   (unsigned long long)limit.rlim_cur, advice(ADVICE_OPEN_FILES, reader),
			   limit.rlim_cur < 512 ? 1024 : 2 * (unsigned long long)limit.rlim_cur);
}

static int explain_missing(struct buf *out, int err, const struct perf_event_attr *attr,
			   const char *event, enum reader reader)
{
	struct perf_event_attr other = *attr;

	/* Of all that is asked for the samples may be what is too much. */
	if (err != -ENODEV)
		for (enum part part = PART_PRECISE; part <= PART_SAMPLES; part++)
			if (leave_out(&other, part) && opens(other, A_TASK))
				return explain_part(out, part, event, reader);
	if (perf_event__is_hardware(attr))
		return buf__printf(out,
				   "this machine cannot count '%s': no hardware PMU, or it lacks "
				   "the event; cpu-clock is there on all machines",
				   event);
	return buf__printf(out, "this kernel does not have the event '%s'", event);
}

int perf_open__explain(struct buf *out, int err, const struct perf_event_attr *attr,
		       const char *event, enum reader reader)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return explain_refused(out, attr, event);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return explain_missing(out, err, attr, event, reader);
	case EINVAL:
		return explain_invalid(out, attr, event, reader);
	case EMFILE:
		return explain_nofile(out, reader);
	case ENOSPC:
		return buf__printf(out, "the CPU has no breakpoint left for '%s'", event);
	case EBUSY:
		return buf__printf(out, "'%s' is in use exclusively by somebody else", event);
	case EILSEQ: /* arch_prepare_kprobe(), arch/x86/kernel/kprobes/core.c */
		return buf__printf(
			out,
			"'%s': the kernel finds no instruction that begins there, and "
			"does not break one by a probe in the middle of it; which ones are "
			"near could not be read from /proc/kcore (root, a kernel that has it, no "
			"other probe in front)",
			event);
	case ENOSYS:
		return buf__puts(out, "perf_event_open is not available: the kernel lacks it, or a "
				      "container's seccomp profile forbids it");
	default:
		return buf__printf(out, "cannot open '%s': %s", event, strerror(-err));
	}
}
