// SPDX-License-Identifier: BSD-2-Clause
/* Makes multi links by bpf(2) itself, with its own copies of the structs, and asks for misses. */
#include "object/multi.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Parts of union bpf_attr as of 6.6; older headers have shorter ones. */
struct link_create {
	__u32 prog_fd;
	__u32 target_fd;
	__u32 attach_type;
	__u32 flags;
	union {
		struct {
			__u32 flags;
			__u32 cnt;
			__u64 syms;
			__u64 addrs;
			__u64 cookies;
		} kernel;
		struct {
			__u64 path;
			__u64 offsets;
			__u64 ref_ctr_offsets;
			__u64 cookies;
			__u32 cnt;
			__u32 flags;
			__u32 pid;
			__u32 unused;
		} user;
	};
};

/* The beginning of struct bpf_link_info, and what it has of a kprobe.multi since 6.7. */
struct link_info {
	__u32 type;
	__u32 id;
	__u32 prog_id;
	__u32 pad;
	__u64 addrs;
	__u32 count;
	__u32 flags;
	__u64 missed;
};

enum { MULTI_RETURN = 1 }; /* BPF_F_KPROBE_MULTI_RETURN, BPF_F_UPROBE_MULTI_RETURN */

/* Members of struct multi_place, as the arrays that the kernel takes. */
struct arrays {
	uint64_t *symbols, *offsets, *counters, *cookies;
	bool has_counters;
};

static void free_arrays(struct arrays *a)
{
	free(a->symbols);
	free(a->offsets);
	free(a->counters);
	free(a->cookies);
}

static int make_arrays(struct arrays *a, const struct multi_place *places, size_t nr)
{
	*a = (struct arrays){
		.symbols = calloc(nr, sizeof(*a->symbols)),
		.offsets = calloc(nr, sizeof(*a->offsets)),
		.counters = calloc(nr, sizeof(*a->counters)),
		.cookies = calloc(nr, sizeof(*a->cookies)),
	};
	if (!a->symbols || !a->offsets || !a->counters || !a->cookies)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		a->symbols[i] = (uintptr_t)places[i].symbol;
		a->offsets[i] = places[i].offset;
		a->counters[i] = places[i].counter_offset;
		a->cookies[i] = places[i].cookie;
		a->has_counters |= places[i].counter_offset != 0;
	}
	return 0;
}

int multi__attach(int prog_fd, enum multi_type type, const char *path, bool returns,
		  const struct multi_place *places, size_t nr, int *fd)
{
	struct link_create attr = { .prog_fd = prog_fd, .attach_type = type };
	struct arrays a;
	int err;

	*fd = -1;
	if (!nr)
		return -EINVAL;
	err = make_arrays(&a, places, nr);
	if (err)
		goto out_free;
	if (path) {
		attr.user.path = (uintptr_t)path;
		attr.user.offsets = (uintptr_t)a.offsets;
		attr.user.ref_ctr_offsets = a.has_counters ? (uintptr_t)a.counters : 0;
		attr.user.cookies = (uintptr_t)a.cookies;
		attr.user.cnt = nr;
		attr.user.flags = returns ? MULTI_RETURN : 0;
	} else {
		attr.kernel.syms = (uintptr_t)a.symbols;
		attr.kernel.cookies = (uintptr_t)a.cookies;
		attr.kernel.cnt = nr;
		attr.kernel.flags = returns ? MULTI_RETURN : 0;
	}
	*fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	if (*fd < 0) {
		err = -errno;
		*fd = -1;
	}
out_free:
	free_arrays(&a);
	return err;
}

int multi__missed(int fd, uint64_t *nr)
{
	enum { TYPE_KPROBE_MULTI = 8 }; /* BPF_LINK_TYPE_KPROBE_MULTI */
	struct link_info info = {};
	struct {
		__u32 bpf_fd;
		__u32 info_len;
		__u64 info;
	} attr = { .bpf_fd = fd, .info_len = sizeof(info), .info = (uintptr_t)&info };

	if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)))
		return -errno;
	if (info.type != TYPE_KPROBE_MULTI || attr.info_len < sizeof(info))
		return -ENOTSUP;
	*nr = info.missed;
	return 0;
}
