// SPDX-License-Identifier: BSD-2-Clause
/*
 * load - loads every BPF object into the running kernel, in several configurations.
 *
 * usage: load [-u]
 *
 * Prints "OBJECT,PROGRAM,INSTRUCTIONS" for each program: the instructions that the verifier went
 * through. For one that it refuses, the end of its log, and the exit status is 1. An object that
 * is new in bpf/ gets a line in `objects`, with a configuration like those of real runs.
 *
 * With -u: "OBJECT,PROGRAM,INSTRUCTIONS,rules": those for unwinding by rules alone, what each
 * program has more than without them; of programs that take stacks.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "count.wire.h"
#include "func.wire.h"
#include "sample.wire.h"
#include "top.wire.h"
#include "within.wire.h"

#include "count.skel.h"
#include "func.skel.h"
#include "orc.wire.h"
#include "sample.skel.h"
#include "top.skel.h"
#include "within.skel.h"

#include "object/bpf.h"

enum {
	LOG_BYTES = 16 << 20,
	LOG_SHOWN = 3000,
	PROGRAMS_MAX = 64, /* of an object */
	LOG_STEPS = 1,	   /* every instruction, and why it is refused */
	LOG_STATS = 4,	   /* the sums alone */
};

/* What a run of one of the sampling objects is configured with. */
struct run {
	struct sample_cfg sample;
	struct stack_cfg stack;
	struct target_cfg target;
};

/* `pmutrace profile -- CMD` without options. */
static const struct run by_default = {
	.sample = { .by = BY_PID | BY_COMM, .nr_events = 1 },
	.stack = {
		.first = SAMPLE_KEY_WORDS,
		.max_frames = 512,
		.kernel_max = 127,
		.user = 1,
		.kernel = 1,
		.unwind = 1,
		.copies = 4,
		.copy_pages = 256,
		.buckets = 768,
		.code_mask = UINT64_MAX,
	},
	.target = { .filter_pid = 1, .command = 1 },
};

enum { COUNTED_FRAMES = 127 };

static int by_fp; /* stacks are taken without rules */

static struct stack_cfg stack_of(const struct stack_cfg *cfg, __u32 first)
{
	struct stack_cfg out = *cfg;

	out.first = first;
	if (by_fp)
		out.unwind = out.copies = out.copy_pages = 0;
	return out;
}

/* What the kernel says of itself. */
static int is_since(int major, int minor)
{
	struct utsname name;
	int has_major = 0, has_minor = 0;

	uname(&name);
	sscanf(name.release, "%d.%d", &has_major, &has_minor);
	return has_major > major || (has_major == major && has_minor >= minor);
}

/* In programs that may be preempted. */
static int has_atomics(void)
{
	return is_since(5, 12);
}

static struct bpf_object *open_sample(const struct run *run)
{
	struct sample_bpf *skel = sample_bpf__open();
	struct bpf_program *prog;
	unsigned event;

	if (!skel)
		return NULL;
	skel->rodata->cfg = run->sample;
	skel->rodata->clock_rescue = 1;
	skel->rodata->tick = (struct tick_cfg){
		.exclude = SAMPLE_NO_KERNEL,
		.kernel_most = 127,
	};
#if defined(__x86_64__)
	skel->rodata->orc.nr = ORC_RULES_MAX - 1;
	skel->rodata->orc.verify = run->stack.verify;
#endif
	skel->rodata->stack = stack_of(&run->stack, run->stack.first);
	skel->rodata->target = run->target;
	skel->rodata->table = (struct table_cfg){
		.slot_bits = 10,
		.chunks = 2,
		.max_keys = 256,
		.max_words = SAMPLE_KEY_WORDS + 2 * run->stack.max_frames,
		.lanes = 1,
		.seed = 0x123456789abcdef0,
	};
	/* --comm 'a*': one that matches nothing would make all the rest dead code. */
	skel->rodata->target_comm.accepts['a'] = 1;
	skel->rodata->target_comm.stars = 2;
	skel->rodata->target_comm.end = 4;
	/* The programs of the other events are the same but for a number. */
	bpf_object__for_each_program (prog, skel->obj)
		if (sscanf(bpf_program__name(prog), "sample_event_%u", &event) == 1 && event > 0)
			bpf_program__set_autoload(prog, false);
	return skel->obj;
}

static struct bpf_object *open_sample_default(void)
{
	return open_sample(&by_default);
}

static struct bpf_object *open_sample_system(void)
{
	struct run run = by_default;

	run.target = (struct target_cfg){ .idle = 1 };
	return open_sample(&run);
}

static struct bpf_object *open_sample_all(void)
{
	struct run run = by_default;

	run.sample.by |= BY_TID | BY_CGROUP;
	run.sample.measures_cost = 1;
	run.stack.max_frames = run.stack.kernel_max = STACK_MAX_FRAMES;
	run.target.filter_uid = run.target.filter_comm = 1;
	run.target.cgroup_levels = 5;
	return open_sample(&run);
}

/* --verify-unwind */
static struct bpf_object *open_sample_verify(void)
{
	struct run run = by_default;

	run.stack.verify = 1;
	run.stack.copies = 64;
	run.stack.copy_pages = 1024;
	return open_sample(&run);
}

/* Inside of a function alone. */
static struct bpf_object *open_sample_within(void)
{
	struct run run = by_default;

	run.target.within = 1;
	return open_sample(&run);
}

/* Fields of every kind, a filter, a sum and both stacks. */
static const struct fetch fields[COUNT_FIELDS] = {
	{ .source = FETCH_CPU, .words = 1 },
	{ .source = FETCH_UID, .words = 1 },
	{ .source = FETCH_CONTEXT, .words = 1, .load = { 16, 4, 1 } },
	{ .source = FETCH_CONTEXT, .words = 1, .load = { 8, 4, 1, 3, 5 } },
	{ .source = FETCH_CONTEXT,
	  .words = FETCH_STRING_WORDS,
	  .form = FETCH_CHARS,
	  .load = { 8, 4 } },
	{ .source = FETCH_CONTEXT,
	  .words = FETCH_STRING_WORDS,
	  .form = FETCH_DATA_LOC,
	  .load = { 8, 4 } },
	{ .source = FETCH_CONTEXT,
	  .words = FETCH_STRING_WORDS,
	  .form = FETCH_USER_STRING,
	  .load = { 0, 8 },
	  .nr_steps = 2,
	  .is_user = 1,
	  .steps = { { 8, 8 }, { 16, 8 } } },
	{ .source = FETCH_CONTEXT, .words = 1, .load = { 0, 8 } },
};

/* As `count` and `func` have them without options. */
static struct stack_cfg counted_stack(__u32 first)
{
	struct stack_cfg out = stack_of(&by_default.stack, first);

	out.max_frames = COUNTED_FRAMES;
	return out;
}

static struct table_cfg table_of(__u32 words, __u32 lanes, __u32 nr_values)
{
	return (struct table_cfg){
		.slot_bits = 10,
		.chunks = 2,
		.max_keys = 256,
		.max_words = words + 2 * COUNTED_FRAMES,
		.lanes = lanes,
		.nr_values = nr_values,
		.seed = 0x123456789abcdef0,
	};
}

static void fill_filter(struct filter_cfg *f)
{
	f->nr = 2;
	f->truth[0] = 8; /* both */
	f->terms[0] = (struct filter_term){ .left = fields[2], .compare = FILTER_GREATER };
	f->terms[1] = (struct filter_term){ .left = fields[5], .compare = FILTER_GLOB };
	f->globs[0].accepts['a'] = 1;
	f->globs[0].stars = 2;
	f->globs[0].end = 4;
}

/* Programs of probes that some kernels do not have, or attach in other ways, load all the same. */
static struct bpf_object *open_count(void)
{
	struct count_bpf *skel = count_bpf__open();
	struct count_cfg cfg = {
		.task.by = BY_PID | BY_TID | BY_COMM | BY_CGROUP,
		.nr_by = COUNT_FIELDS,
		.measure = fields[2],
		.measure_signed = 1,
		.values = 1,
	};
	__u32 at = SAMPLE_KEY_WORDS;

	if (!skel)
		return NULL;
	for (__u32 i = 0; i < COUNT_FIELDS; i++) {
		cfg.by[i] = fields[i];
		cfg.by[i].at = at;
		at += fields[i].words;
	}
	skel->rodata->cfg = cfg;
	fill_filter((struct filter_cfg *)&skel->rodata->filter);
	skel->rodata->stack = counted_stack(at);
	skel->rodata->target = by_default.target;
	skel->rodata->table = table_of(at, 3, 1);
	/* Atomic operations: from 5.12 on, sites__preempts_users(). */
	if (!has_atomics())
		bpf_program__set_autoload(skel->progs.count_user, false);
	return skel->obj;
}

/* Three counters, fields of entry and return, the caller's stack. */
static struct func_bpf *open_calls(void)
{
	struct func_bpf *skel = func_bpf__open();
	__u32 at = SAMPLE_KEY_WORDS;

	if (!skel)
		return NULL;
	skel->rodata->cfg = (struct func_cfg){
		.task.by = BY_PID | BY_COMM,
		.by = { fields[2], fields[7] },
		.nr_by = 2,
		.by_ret = 2,
		.nr_events = 4,
		.counters = { FUNC_COUNTER_PERF, FUNC_COUNTER_PERF, FUNC_COUNTER_PERF,
			      FUNC_COUNTER_SWITCHES },
		.buckets = BUCKETS_LOG2,
		.bucket_at = SAMPLE_KEY_WORDS + 2,
	};
	skel->rodata->cfg.by[0].at = at++;
	skel->rodata->cfg.by[1].at = at++;
	at++;
	fill_filter((struct filter_cfg *)&skel->rodata->filter);
	skel->rodata->stack = counted_stack(at);
	skel->rodata->target = by_default.target;
	skel->rodata->table = table_of(at, 3, FUNC_VALUES + 4 * FUNC_EVENT_VALUES);
	return skel;
}

/* BPF_TRACE_KPROBE_SESSION, BPF_TRACE_UPROBE_SESSION */
static void choose_session(struct bpf_program *prog, int type, int has_it)
{
	bpf_program__set_autoload(prog, has_it);
	bpf_program__set_expected_attach_type(prog, (enum bpf_attach_type)type);
}

static int is_of(const struct bpf_program *prog, const char *prefix)
{
	return !strncmp(bpf_program__name(prog), prefix, strlen(prefix));
}

static void leave_out_others(struct func_bpf *skel)
{
	struct bpf_program *prog;

	bpf_object__for_each_program (prog, skel->obj)
		if (is_of(prog, "match_") || is_of(prog, "deep_"))
			bpf_program__set_autoload(prog, false);
}

/* Functions of programs, and tracepoints. */
static struct bpf_object *open_func(void)
{
	struct func_bpf *skel = open_calls();

	if (!skel)
		return NULL;
	skel->rodata->cfg.is_user = 1;
	leave_out_others(skel);
	if (!has_atomics())
		bpf_program__set_autoload(skel->progs.func_return_usr, false);
	choose_session(skel->progs.func_session_usr, 57, is_since(6, 13));
	bpf_program__set_autoload(skel->progs.func_session, false);
	bpf_program__set_autoload(skel->progs.func_fentry, false);
	bpf_program__set_autoload(skel->progs.func_fexit, false);
	return skel->obj;
}

/* Functions of the kernel. */
static struct bpf_object *open_func_kernel(void)
{
	struct func_bpf *skel = open_calls();
	struct bpf_program *prog;

	if (!skel)
		return NULL;
	skel->rodata->cfg.is_kernel = 1;
	bpf_object__for_each_program (prog, skel->obj)
		if (prog != skel->progs.func_entry && prog != skel->progs.func_return)
			bpf_program__set_autoload(prog, false);
	choose_session(skel->progs.func_session, 56, is_since(6, 10));
	if (is_since(5, 17)) {
		bpf_program__set_autoload(skel->progs.func_fentry, true);
		bpf_program__set_autoload(skel->progs.func_fexit, true);
		bpf_program__set_attach_target(skel->progs.func_fentry, 0, "vfs_read");
		bpf_program__set_attach_target(skel->progs.func_fexit, 0, "vfs_read");
	}
	return skel->obj;
}

/* Calls of goroutines, which are followed to their threads. */
static struct bpf_object *open_func_deep(void)
{
	struct func_bpf *skel = open_calls();
	struct bpf_program *prog;

	if (!skel)
		return NULL;
	skel->rodata->cfg.is_user = 1;
	skel->rodata->cfg.decoded = 1;
	skel->rodata->cfg.has_account = 1;
	skel->rodata->cfg.place = FUNC_PLACE_GO;
	bpf_object__for_each_program (prog, skel->obj)
		if (!is_of(prog, "deep_") && !is_of(prog, "func_switch") &&
		    strcmp(bpf_program__name(prog), "func_exec") &&
		    strcmp(bpf_program__name(prog), "func_exit"))
			bpf_program__set_autoload(prog, false);
	if (!has_atomics())
		bpf_program__set_autoload(skel->progs.deep_return_usr, false);
	return skel->obj;
}

/* Two probes and a field that is the same in both. */
static struct bpf_object *open_func_match(void)
{
	struct func_bpf *skel = open_calls();
	struct bpf_program *prog;

	if (!skel)
		return NULL;
	skel->rodata->cfg.nr_events = 0;
	skel->rodata->cfg.match_entry = fields[2];
	skel->rodata->cfg.match_return = fields[2];
	skel->rodata->table.nr_values = FUNC_TIME + 1;
	bpf_object__for_each_program (prog, skel->obj)
		if (!is_of(prog, "match_"))
			bpf_program__set_autoload(prog, false);
	if (!has_atomics())
		bpf_program__set_autoload(skel->progs.match_end_usr, false);
	return skel->obj;
}

/* --exemplars: a hit of each key is kept beside what is measured. */
static void keep_exemplars(const volatile struct table_cfg *table)
{
	struct table_cfg *cfg = (struct table_cfg *)table;

	cfg->exemplars = 1;
	cfg->nr_values += TABLE_EXEMPLAR_VALUES;
}

static struct bpf_object *open_count_exemplars(void)
{
	struct bpf_object *obj = open_count();

	if (obj)
		keep_exemplars(bpf__variable(obj, "table"));
	return obj;
}

static struct bpf_object *open_func_exemplars(void)
{
	struct bpf_object *obj = open_func();

	if (obj)
		keep_exemplars(bpf__variable(obj, "table"));
	return obj;
}

static struct bpf_object *open_match_exemplars(void)
{
	struct bpf_object *obj = open_func_match();

	if (obj)
		keep_exemplars(bpf__variable(obj, "table"));
	return obj;
}

static struct bpf_object *open_within(__u32 is_user)
{
	struct within_bpf *skel = within_bpf__open();

	if (!skel)
		return NULL;
	skel->rodata->cfg.is_user = is_user;
	return skel->obj;
}

static struct bpf_object *open_within_user(void)
{
	return open_within(1);
}

static struct bpf_object *open_within_kernel(void)
{
	return open_within(0);
}

/* As many events as there may be, one of them counted without reading anything. */
static struct bpf_object *open_top(__u32 by_tid)
{
	struct top_bpf *skel = top_bpf__open();

	if (!skel)
		return NULL;
	skel->rodata->cfg = (struct top_cfg){
		.task.by = BY_PID | BY_CGROUP | (by_tid ? BY_TID | BY_COMM : 0),
		.nr_events = TOP_EVENTS,
		.counters = { TOP_COUNTER_SWITCHES },
	};
	for (int i = 1; i < TOP_EVENTS; i++)
		skel->rodata->cfg.counters[i] = TOP_COUNTER_PERF;
	skel->rodata->table = table_of(SAMPLE_KEY_WORDS, 1, TOP_VALUES_MAX);
	skel->rodata->table.max_words = SAMPLE_KEY_WORDS;
	return skel->obj;
}

static struct bpf_object *open_top_threads(void)
{
	return open_top(1);
}

static struct bpf_object *open_top_processes(void)
{
	return open_top(0);
}

static const struct {
	const char *name;
	struct bpf_object *(*open)(void);
} objects[] = {
	{ "sample", open_sample_default },
	{ "sample-a", open_sample_system },
	{ "sample-all", open_sample_all },
	{ "sample-within", open_sample_within },
	{ "sample-verify", open_sample_verify },
	{ "count", open_count },
	{ "func", open_func },
	{ "func-kernel", open_func_kernel },
	{ "func-deep", open_func_deep },
	{ "func-match", open_func_match },
	{ "count-exemplars", open_count_exemplars },
	{ "func-exemplars", open_func_exemplars },
	{ "match-exemplars", open_match_exemplars },
	{ "top-threads", open_top_threads },
	{ "top-processes", open_top_processes },
	{ "within-user", open_within_user },
	{ "within-kernel", open_within_kernel },
};

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static long cost_of(const char *log)
{
	const char *sum = strstr(log, "processed ");

	return sum ? strtol(sum + 10, NULL, 10) : -1;
}

static void print_cost(const char *object, const struct bpf_program *prog, const char *log)
{
	if (cost_of(log) >= 0)
		printf("%s,%s,%ld\n", object, bpf_program__name(prog), cost_of(log));
}

/* Programs of one object come in the same order each time. */
static long costs_by_fp[PROGRAMS_MAX];
static int nr_costs;

static void note_cost(const char *object, const struct bpf_program *prog, const char *log)
{
	(void)object;
	(void)prog;
	if (nr_costs < PROGRAMS_MAX)
		costs_by_fp[nr_costs++] = cost_of(log);
}

static void print_more(const char *object, const struct bpf_program *prog, const char *log)
{
	const long more = nr_costs < PROGRAMS_MAX ? cost_of(log) - costs_by_fp[nr_costs++] : 0;

	if (more)
		printf("%s,%s,%ld,rules\n", object, bpf_program__name(prog), more);
}

static void print_refusal(const char *object, const struct bpf_program *prog, const char *log)
{
	size_t len = strlen(log);

	/* What was verified before it has its sums at the end of the log, too. */
	if (!len || bpf_program__fd(prog) >= 0)
		return;
	printf("# %s: %s is refused; the verifier's log ends:\n%s\n", object,
	       bpf_program__name(prog), log + (len > LOG_SHOWN ? len - LOG_SHOWN : 0));
}

/* One log for each program: libbpf would show those of failures alone. */
static int load(const char *name, struct bpf_object *obj, int log_level,
		void (*print)(const char *, const struct bpf_program *, const char *))
{
	struct bpf_program *prog;
	int err = 0;

	bpf_object__for_each_program (prog, obj) {
		char *log;

		if (!bpf_program__autoload(prog))
			continue;
		log = calloc(1, LOG_BYTES);
		if (!log || bpf_program__set_log_buf(prog, log, LOG_BYTES))
			return -ENOMEM;
		bpf_program__set_log_level(prog, log_level);
	}
	err = bpf_object__load(obj);
	bpf_object__for_each_program (prog, obj)
		if (bpf_program__autoload(prog))
			print(name, prog, bpf_program__log_buf(prog, &(size_t){ 0 }));
	return err;
}

static int load_twice(void)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		for (by_fp = 1; by_fp >= 0; by_fp--) {
			struct bpf_object *obj = objects[i].open();

			nr_costs = 0;
			failed |= !obj || load(objects[i].name, obj, LOG_STATS,
					       by_fp ? note_cost : print_more);
			bpf_object__close(obj);
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	libbpf_set_print(print_nothing);
	if (argc > 1)
		return strcmp(argv[1], "-u") ? 2 : load_twice();
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		struct bpf_object *obj = objects[i].open();
		int err = obj ? load(objects[i].name, obj, LOG_STATS, print_cost) : -errno;

		if (!err)
			continue;
		failed = 1;
		printf("# %s: %s\n", objects[i].name, strerror(-err));
		obj = objects[i].open();
		if (obj)
			load(objects[i].name, obj, LOG_STEPS | LOG_STATS, print_refusal);
	}
	return failed;
}
