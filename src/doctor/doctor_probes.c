// SPDX-License-Identifier: BSD-2-Clause
/* Attaches a program that does nothing to a probe of each kind, at places nobody reaches. */
#include "doctor/doctor_probes.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "event/tracefs.h"
#include "machine/cpus.h"
#include "perf/open.h"
#include "sym/maps.h"

/* In every kernel, may be probed, and nobody calls it while a machine runs. */
static const char QUIET_FUNCTION[] = "orderly_poweroff";
static const char QUIET_TRACEPOINT[] = "sched_process_exec";

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int doctor__first_cpu(void)
{
	uint32_t *cpus;
	size_t nr;
	int cpu = 0;

	if (cpus__online("", &cpus, &nr))
		return 0;
	if (nr)
		cpu = cpus[0];
	free(cpus);
	return cpu;
}

int doctor__load(enum bpf_prog_type type, enum bpf_attach_type attach, int btf_id)
{
	/* Where a program decides whether an event counts, 1 leaves others' events alone. */
	static const struct bpf_insn keep[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	/* A tracing program may return nothing but 0. */
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = attach,
		.attach_btf_id = btf_id,
	};
	int fd = bpf_prog_load(type, "doctor", "Dual BSD/GPL",
			       type == BPF_PROG_TYPE_TRACING ? nothing : keep, ARRAY_SIZE(keep),
			       &opts);

	return fd < 0 ? -errno : fd;
}

int doctor__try_program(const struct perf_event_attr *attr, pid_t pid, int cpu,
			enum bpf_prog_type type)
{
	int fd = perf_open(attr, pid, cpu, -1), prog, err;

	if (fd < 0)
		return fd;
	prog = doctor__load(type, 0, 0);
	err = prog < 0 ? prog : perf_set_bpf(fd, prog);
	close_fd(prog);
	close(fd);
	return err;
}

static int read_number(const char *path, uint64_t *out)
{
	struct buf text = {};
	int err = buf__read_file(&text, path, 64);

	if (!err && text.len)
		*out = strtoull(text.data, NULL, 10);
	else if (!err)
		err = -EBADMSG;
	buf__free(&text);
	return err;
}

int doctor__try_tracepoint(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	struct buf path = {}, why = {};
	uint64_t id;
	int err = tracefs__find("", &path, &why);

	if (!err)
		err = buf__printf(&path, "/events/sched/%s/id", QUIET_TRACEPOINT);
	if (!err)
		err = read_number(path.data, &id);
	buf__free(&path);
	buf__free(&why);
	if (err)
		return err;
	attr.config = id;
	attr.disabled = 1;
	return doctor__try_program(&attr, -1, doctor__first_cpu(), BPF_PROG_TYPE_TRACEPOINT);
}

int doctor__try_raw_tracepoint(void)
{
	int prog = doctor__load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), link, err;

	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open(QUIET_TRACEPOINT, prog);
	err = link < 0 ? -errno : 0;
	close_fd(link);
	close(prog);
	return err;
}

/* The kprobe and uprobe PMUs: @where is a function or a file. */
static int try_probe_pmu(const char *type_file, const char *where, uint64_t offset)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1 };
	uint64_t type;
	int err = read_number(type_file, &type);

	if (err)
		return err;
	attr.type = type;
	attr.config1 = (uintptr_t)where;
	attr.config2 = offset;
	return doctor__try_program(&attr, 0, -1, BPF_PROG_TYPE_KPROBE);
}

int doctor__try_kprobe(void)
{
	return try_probe_pmu("/sys/bus/event_source/devices/kprobe/type", QUIET_FUNCTION, 0);
}

/* A place in our own code that is never run. */
static void __attribute__((noinline, used)) here_is_nobody(void)
{
	__asm__ volatile("");
}

int doctor__try_uprobe(void)
{
	struct buf maps = {};
	uint64_t here = (uintptr_t)here_is_nobody, offset = 0;
	struct maps_line m;
	const char *text;
	size_t len;
	int err = buf__read_file(&maps, "/proc/self/maps", 1 << 24);

	if (err)
		goto out_free;
	text = maps.data;
	len = maps.len;
	err = -ENOENT;
	while (maps__next(&text, &len, &m)) {
		if (here < m.start || here >= m.end)
			continue;
		offset = here - m.start + m.offset;
		err = try_probe_pmu("/sys/bus/event_source/devices/uprobe/type", "/proc/self/exe",
				    offset);
		break;
	}
out_free:
	buf__free(&maps);
	return err;
}

static int try_link(int prog, enum bpf_attach_type attach, const struct bpf_link_create_opts *opts)
{
	int link, err;

	if (prog < 0)
		return prog;
	link = bpf_link_create(prog, 0, attach, opts);
	err = link < 0 ? -errno : 0;
	close_fd(link);
	close(prog);
	return err;
}

int doctor__try_kprobe_multi(void)
{
	const char *functions[] = { QUIET_FUNCTION };
	struct bpf_link_create_opts opts = {
		.sz = sizeof(opts),
		.kprobe_multi.syms = functions,
		.kprobe_multi.cnt = ARRAY_SIZE(functions),
	};

	return try_link(doctor__load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0),
			BPF_TRACE_KPROBE_MULTI, &opts);
}

int doctor__try_fentry(void)
{
	/* libbpf_find_vmlinux_btf_id() would make ESRCH of every failure. */
	struct btf *btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	int id = btf ? btf__find_by_name_kind(btf, QUIET_FUNCTION, BTF_KIND_FUNC) : -errno;

	btf__free(btf);
	if (id < 0)
		return id;
	return try_link(doctor__load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id), BPF_TRACE_FENTRY,
			NULL);
}
