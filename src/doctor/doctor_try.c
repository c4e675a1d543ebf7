// SPDX-License-Identifier: BSD-2-Clause
/* Opens events, loads and attaches programs, to see what works; all is disabled, then closed. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/log.h"
#include "collect/collector.h"
#include "doctor/doctor_facts.h"
#include "doctor/doctor_probes.h"
#include "event/event.h"
#include "event/pmu.h"
#include "machine/cpus.h"
#include "machine/target.h"
#include "perf/open.h"

enum { GROUP_MAX = 64 };

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static struct perf_event_attr clock_event(bool kernel)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(struct perf_event_attr),
		.disabled = 1,
		.freq = 1,
		.sample_freq = 99,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};
}

static int try_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = perf_open(attr, pid, cpu, -1);

	close_fd(fd);
	return fd < 0 ? fd : 0;
}

/* 0; -ENOEXEC: it is interpreted; another -errno. */
static int is_compiled(int prog)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog, &info, &len))
		return -errno;
	return info.jited_prog_len ? 0 : -ENOEXEC;
}

/* Lockdown takes the helper away: bpf_tracing_func_proto(), kernel/trace/bpf_trace.c. */
static int try_kernel_memory(void)
{
	static const struct bpf_insn reads_nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "doctor", "Dual BSD/GPL", reads_nothing,
			       ARRAY_SIZE(reads_nothing), NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void try_sampling(struct doctor_tries *t, int cpu)
{
	struct perf_event_attr own = clock_event(false), all = clock_event(true);
	int prog;

	t->perf_own = try_open(&own, 0, -1);
	t->perf_cpu = try_open(&all, -1, cpu);
	prog = doctor__load(BPF_PROG_TYPE_PERF_EVENT, 0, 0);
	t->bpf_load = prog < 0 ? prog : 0;
	if (prog >= 0) {
		t->jit = is_compiled(prog);
		t->kernel_memory = try_kernel_memory();
		close(prog);
	}
	if (!t->bpf_load && !t->perf_cpu)
		t->bpf_attach = doctor__try_program(&all, -1, cpu, BPF_PROG_TYPE_PERF_EVENT);
	else if (!t->bpf_load && !t->perf_own)
		t->bpf_attach = doctor__try_program(&own, 0, -1, BPF_PROG_TYPE_PERF_EVENT);
}

static struct perf_event_attr cycles_event(bool all)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(struct perf_event_attr),
		.disabled = 1,
		.exclude_kernel = !all,
		.exclude_hv = 1,
	};
}

/*
 * Adds members to a group until the kernel refuses one, because the PMU could not count them at
 * once. The group is never enabled, so that it takes counters from nobody.
 */
static void count_group(const struct doctor_tries *t, const struct pmu *pmu, bool several,
			struct doctor_budget *out)
{
	struct perf_event_attr attr = cycles_event(!t->perf_cpu);
	int cpu = pmu->nr_cpus ? (int)pmu->cpus[0] : doctor__first_cpu(), fds[GROUP_MAX];
	unsigned nr = 0;

	snprintf(out->pmu, sizeof(out->pmu), "%s", pmu->name);
	/* Which of several PMUs is meant: PERF_PMU_TYPE_SHIFT, kernels from 5.13. */
	if (several)
		attr.config |= (uint64_t)pmu->type << 32;
	attr.pinned = 1;
	for (; nr < GROUP_MAX; nr++) {
		fds[nr] = perf_open(&attr, t->perf_cpu ? 0 : -1, t->perf_cpu ? -1 : cpu,
				    nr ? fds[0] : -1);
		if (fds[nr] < 0) {
			out->err = fds[nr];
			break;
		}
		attr.pinned = attr.disabled = 0; /* members follow their leader in both */
	}
	for (unsigned i = nr; i > 0; i--)
		close(fds[i - 1]);
	out->nr = nr;
}

static void try_pmu(struct doctor_tries *t, int cpu)
{
	struct perf_event_attr attr = cycles_event(!t->perf_cpu);
	struct pmu *pmus = NULL;
	size_t nr = 0, nr_core = 0;

	t->cycles = t->perf_cpu ? try_open(&attr, 0, -1) : try_open(&attr, -1, cpu);
	if (t->cycles || pmus__read("", &pmus, &nr))
		return;
	for (size_t i = 0; i < nr; i++)
		nr_core += pmus[i].core;
	for (size_t i = 0; i < nr && t->nr_budgets < DOCTOR_PMUS; i++)
		if (pmus[i].core)
			count_group(t, &pmus[i], nr_core > 1, &t->budgets[t->nr_budgets++]);
	pmus__free(pmus, nr);
}

/* The whole session that `pmutrace profile -e cpu-clock` would start. */
static int try_profile(struct buf *why)
{
	struct perf_events events = {};
	struct target target = { .inherit = true };
	struct sampler_opts sampler = { .target = &target, .max_stack = 127 };
	const struct collector_opts opts = {
		.sampler = &sampler,
		.by = BY_COMM | BY_PID | BY_KSTACK | BY_USTACK,
	};
	struct collector *c = NULL;
	int err = perf_events__parse(&events, NULL, "cpu-clock@99hz", why);

	sampler.events = events.items;
	sampler.nr_events = events.nr;
	if (!err)
		err = target__finish(&target, why);
	if (!err)
		err = collector__open(&c, &opts, why);
	collector__close(c);
	target__free(&target);
	perf_events__free(&events);
	return err;
}

/* Each waits for the kernel (RCU) for up to 0.1 s when it is detached: all at once, not in a row.
 */
struct attempt {
	int (*try)(void);
	int *result;
	pthread_t thread;
	bool started;
};

static void *run_job(void *arg)
{
	struct attempt *job = arg;

	*job->result = job->try();
	return NULL;
}

static void start_jobs(struct attempt *jobs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		jobs[i].started = !pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]);
		if (!jobs[i].started)
			run_job(&jobs[i]);
	}
}

static void end_jobs(struct attempt *jobs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (jobs[i].started)
			pthread_join(jobs[i].thread, NULL);
}

void doctor__try(struct doctor_tries *out, const struct doctor_try_opts *opts)
{
	static const int limits[] = { RLIMIT_NOFILE, RLIMIT_MEMLOCK };
	struct rlimit before[ARRAY_SIZE(limits)];
	struct attempt jobs[] = {
		{ .try = doctor__try_tracepoint, .result = &out->tracepoint },
		{ .try = doctor__try_raw_tracepoint, .result = &out->raw_tracepoint },
		{ .try = doctor__try_kprobe, .result = &out->kprobe },
		{ .try = doctor__try_uprobe, .result = &out->uprobe },
		{ .try = doctor__try_kprobe_multi, .result = &out->kprobe_multi },
		{ .try = doctor__try_fentry, .result = &out->fentry },
	};
	bool known[ARRAY_SIZE(limits)];
	int cpu = doctor__first_cpu();

	*out = (struct doctor_tries){
		.bpf_attach = DOCTOR_NOT_TRIED,
		.jit = DOCTOR_NOT_TRIED,
		.kernel_memory = DOCTOR_NOT_TRIED,
		.stacks.err = DOCTOR_NOT_TRIED,
	};
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		*jobs[i].result = DOCTOR_NOT_TRIED;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		known[i] = !getrlimit(limits[i], &before[i]);
	files__raise_limit(SIZE_MAX); /* all tries together need some 50 descriptors */
	try_sampling(out, cpu);
	if (!out->bpf_load)
		start_jobs(jobs, ARRAY_SIZE(jobs));
	try_pmu(out, cpu);
	out->profile = try_profile(&out->profile_why);
	if (!out->bpf_load)
		end_jobs(jobs, ARRAY_SIZE(jobs));
	if (!out->profile)
		doctor__try_stacks(opts, &out->stacks);
	/* Raised on the way by libbpf and by us; what limits there are is a finding. */
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (known[i] && setrlimit(limits[i], &before[i]))
			log__debug("a resource limit stays raised");
}

void doctor_tries__free(struct doctor_tries *t)
{
	buf__free(&t->profile_why);
}
