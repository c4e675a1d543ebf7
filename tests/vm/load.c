// SPDX-License-Identifier: BSD-2-Clause
/*
 * load - loads every BPF object into the running kernel, in several configurations.
 *
 * usage: load
 *
 * Prints "OBJECT,PROGRAM,INSTRUCTIONS" for each program: the instructions that the verifier went
 * through. For one that it refuses, the end of its log, and the exit status is 1. An object that
 * is new in bpf/ gets a line in `objects`, with a configuration like those of real runs.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.wire.h"

#include "sample.skel.h"

enum {
	LOG_BYTES = 16 << 20,
	LOG_SHOWN = 3000,
	LOG_STEPS = 1, /* every instruction, and why it is refused */
	LOG_STATS = 4, /* the sums alone */
};

/* `pmutrace profile -- CMD` without options. */
static const struct sample_cfg by_default = {
	.slot_bits = 10,
	.chunks = 2,
	.max_stacks = 256,
	.max_stack = 127,
	.kernel_max = 127,
	.user_stack = 1,
	.kernel_stack = 1,
	.by_comm = 1,
	.filter_pid = 1,
	.command = 1,
	.seed = 0x123456789abcdef0,
	.code_mask = UINT64_MAX,
};

static struct bpf_object *open_sample(const struct sample_cfg *cfg)
{
	struct sample_bpf *skel = sample_bpf__open();
	struct bpf_program *prog;
	unsigned event;

	if (!skel)
		return NULL;
	skel->rodata->cfg = *cfg;
	/* --comm 'a*': one that matches nothing would make all the rest dead code. */
	skel->rodata->comm_accepts['a'] = 1;
	skel->rodata->comm_stars = 2;
	skel->rodata->comm_end = 4;
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
	struct sample_cfg cfg = by_default;

	cfg.filter_pid = cfg.command = 0;
	cfg.idle = 1;
	return open_sample(&cfg);
}

static struct bpf_object *open_sample_all(void)
{
	struct sample_cfg cfg = by_default;

	cfg.by_tid = cfg.by_cgroup = cfg.filter_uid = cfg.filter_comm = 1;
	cfg.cgroup_levels = 5;
	cfg.max_stack = cfg.kernel_max = SAMPLE_MAX_STACK;
	return open_sample(&cfg);
}

static const struct {
	const char *name;
	struct bpf_object *(*open)(void);
} objects[] = {
	{ "sample", open_sample_default },
	{ "sample-a", open_sample_system },
	{ "sample-all", open_sample_all },
};

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static void print_cost(const char *object, const struct bpf_program *prog, const char *log)
{
	const char *sum = strstr(log, "processed ");

	if (sum)
		printf("%s,%s,%lu\n", object, bpf_program__name(prog), strtoul(sum + 10, NULL, 10));
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

int main(void)
{
	int failed = 0;

	libbpf_set_print(print_nothing);
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
