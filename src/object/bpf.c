// SPDX-License-Identifier: BSD-2-Clause
/* libbpf's log, explanations of load errors, and small helpers that all sessions share. */
#include "object/bpf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "by.wire.h"
#include "perf/open.h"

static int __attribute__((format(printf, 2, 0)))
to_debug(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[16384];
	size_t len;

	if (level > LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	log__debug("%s", text);
	return 0;
}

void bpf__log_debug(void)
{
	libbpf_set_print(to_debug);
}

static int explain_memory(struct buf *why, const char *room)
{
	int err = buf__puts(why, "not enough memory for the BPF maps");

	return err || !room ? err : buf__printf(why, ": try a smaller %s", room);
}

/*
 * libbpf turns shortages into other errors: -ESRCH without memory for the kernel's BTF, -EINVAL
 * without a descriptor for the program's. An object has fewer maps and programs than are tried.
 */
static int explain_shortage(struct buf *why, int *err)
{
	enum { FILES = 64, BYTES = 48 << 20 };
	const bool is_refused = *err == -EPERM || (*err == -EACCES && geteuid());
	const int shortage = is_refused ? 0 : limits__shortage(FILES, BYTES);

	if (!shortage)
		return 0;
	*err = shortage;
	return limits__explain(why, shortage);
}

static int explain_load(struct buf *why, int err, const char *room)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return buf__puts(why, "this kernel has no BTF (/sys/kernel/btf/vmlinux): it needs "
				      "CONFIG_DEBUG_INFO_BTF=y");
	/* EPERM: the capability is missing; EACCES and EINVAL are the verifier's. */
	if ((err == -EPERM || err == -EACCES) && geteuid())
		return buf__puts(why, "BPF needs root, or CAP_BPF and CAP_PERFMON: try sudo");
	switch (-err) {
	case EPERM:
		return buf__puts(why,
				 "the kernel refuses BPF programs: a container without CAP_BPF "
				 "and CAP_PERFMON, or lockdown=confidentiality "
				 "(/sys/kernel/security/lockdown)");
	case EACCES:
	case EINVAL:
		return buf__puts(why, "this kernel's verifier refuses the programs (-v shows why): "
				      "please report it with the output of uname -r");
	case ENOMEM:
		return explain_memory(why, room);
	default:
		return buf__printf(why, "cannot load the BPF programs: %s (-v shows more)",
				   strerror(-err));
	}
}

int bpf__explain_load(struct buf *why, int err, const char *room)
{
	const size_t before = why->len;
	int failed = explain_shortage(why, &err);

	if (!failed && why->len == before)
		failed = explain_load(why, err, room);
	if (failed)
		return failed;
	return err == -EINVAL ? -EOPNOTSUPP : err;
}

static uint64_t user_code_mask(void)
{
#if defined(__aarch64__)
	return (1ull << 48) - 1; /* the rest may be a pointer authentication code */
#else
	return UINT64_MAX;
#endif
}

struct stack_cfg bpf__stack_cfg(uint32_t first, uint32_t max_stack, unsigned by)
{
	long kernel_max = perf_sysctl("perf_event_max_stack", 127);

	return (struct stack_cfg){
		.first = first,
		.max_frames = max_stack,
		/* One frame more than wanted, if sysctl allows it: shows that a stack was cut. */
		.kernel_max = max_stack + 1 < kernel_max ? max_stack + 1 : kernel_max,
		.user = !!(by & BY_USTACK),
		.kernel = !!(by & BY_KSTACK),
		.code_mask = user_code_mask(),
	};
}

uint64_t bpf__missed(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &len) ? 0 : info.recursion_misses;
}

int bpf__follow(struct bpf_link **link, struct bpf_program *program, struct buf *why)
{
	int err;

	if (!bpf_program__autoload(program))
		return 0;
	*link = bpf_program__attach(program);
	if (*link)
		return 0;
	err = -errno;
	return buf__printf(why, "cannot attach to the kernel's tracepoints: %s", strerror(-err))
		       ? -ENOMEM
		       : err;
}

/* Where a section's memory begins; NULL: the object has no such section. */
static char *section(const struct bpf_object *obj, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	size_t size;

	return map ? (char *)bpf_map__initial_value(map, &size) : NULL;
}

int64_t bpf__offset_in(const struct btf *btf, const char *section, const char *name)
{
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);
	const struct btf_var_secinfo *var = type ? btf_var_secinfos(type) : NULL;

	for (unsigned i = 0; type && i < btf_vlen(type); i++, var++) {
		const struct btf_type *t = btf__type_by_id(btf, var->type);

		if (!strcmp(btf__name_by_offset(btf, t->name_off), name))
			return var->offset;
	}
	return -ENOENT;
}

void *bpf__variable(const struct bpf_object *obj, const char *name)
{
	static const char *const sections[] = { ".rodata", ".bss", ".data" };
	const struct btf *btf = bpf_object__btf(obj);

	for (size_t i = 0; btf && i < ARRAY_SIZE(sections); i++) {
		int64_t offset = bpf__offset_in(btf, sections[i], name);
		char *memory = offset < 0 ? NULL : section(obj, sections[i]);

		if (memory)
			return memory + offset;
	}
	return NULL;
}
