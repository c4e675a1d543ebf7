// SPDX-License-Identifier: BSD-2-Clause
/* Waits for an RCU grace period: by membarrier(2), or by replacing a map in a map. */
#include "object/grace.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Replacing the value of a map in a map makes the kernel wait for running programs
 * (kernel/bpf/syscall.c: maybe_wait_bpf_programs).
 */
static int wait_by_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	int inner, outer = -1, err = 0;
	uint32_t zero = 0;

	inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "grace_inner", 4, 4, 1, NULL);
	if (inner < 0)
		return inner;
	opts.inner_map_fd = inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "grace_outer", 4, 4, 1, &opts);
	if (outer < 0)
		err = outer;
	if (!err)
		err = bpf_map_update_elem(outer, &zero, &inner, BPF_ANY);
	if (outer >= 0)
		close(outer);
	close(inner);
	return err;
}

int grace__wait(void)
{
	/* kernel/sched/membarrier.c: this command is synchronize_rcu(); refused with nohz_full. */
	if (!syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return 0;
	return wait_by_map();
}
