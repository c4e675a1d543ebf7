// SPDX-License-Identifier: BSD-2-Clause
/* Loads a program's instructions again, with the map of its read-only data replaced. */
#include "object/clone.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS_MAX = 8 }; /* subprograms of a program, with itself */

/* Frozen, so that the verifier takes it for constants: bpf_map_is_rdonly(), kernel/bpf/verifier.c
 */
static int make_rodata(const struct bpf_map *like, const void *config, int *fd)
{
	const struct bpf_map_create_opts opts = {
		.sz = sizeof(opts),
		.map_flags = BPF_F_RDONLY_PROG,
	};
	uint32_t zero = 0;
	int err;

	*fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "clone_rodata", sizeof(zero),
			     bpf_map__value_size(like), 1, &opts);
	if (*fd < 0)
		return *fd;
	err = bpf_map_update_elem(*fd, &zero, config, BPF_ANY);
	return err ? err : bpf_map_freeze(*fd);
}

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* The first of two instructions that put a map's address, or a place in its value, into a register.
 */
static bool is_map(const struct bpf_insn *insn, int fd)
{
	return is_wide(insn) && insn->imm == fd &&
	       (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE);
}

static void replace_map(struct bpf_insn *insns, size_t nr, int from, int to)
{
	for (size_t i = 0; i < nr; i++) {
		if (is_map(&insns[i], from))
			insns[i].imm = to;
		i += is_wide(&insns[i]);
	}
}

/* Instructions at which (sub)programs begin, sorted: the program's own is first. 0: too many. */
static uint32_t find_functions(const struct bpf_insn *insns, size_t nr, uint32_t *starts)
{
	uint32_t n = 1, k;

	starts[0] = 0;
	for (size_t i = 0; i < nr; i++) {
		uint32_t start = i + 1 + insns[i].imm;

		if (insns[i].code != (BPF_JMP | BPF_CALL) || insns[i].src_reg != BPF_PSEUDO_CALL) {
			i += is_wide(&insns[i]);
			continue;
		}
		for (k = n; k && starts[k - 1] > start;)
			k--;
		if (starts[k - 1] == start)
			continue;
		if (n == FUNCTIONS_MAX)
			return 0;
		memmove(&starts[k + 1], &starts[k], (n - k) * sizeof(*starts));
		starts[k] = start;
		n++;
	}
	return n;
}

/*
 * BTF types of the functions tell the verifier which are global: verified once, not at each call.
 * They are read from the loaded program, in order. Where the kernel has removed functions that are
 * never called the numbers differ: then the clone does without types.
 */
static uint32_t find_types(const struct bpf_program *program, const struct bpf_insn *insns,
			   size_t nr_insns, struct bpf_func_info *out)
{
	struct bpf_prog_info info = { .func_info = (uintptr_t)out,
				      .nr_func_info = FUNCTIONS_MAX,
				      .func_info_rec_size = sizeof(*out) };
	uint32_t len = sizeof(info), starts[FUNCTIONS_MAX];
	uint32_t nr = find_functions(insns, nr_insns, starts);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &len) ||
	    info.nr_func_info != nr)
		return 0;
	for (uint32_t i = 0; i < nr; i++)
		out[i].insn_off = starts[i];
	return nr;
}

static int load(const struct bpf_object *object, const struct bpf_program *program,
		const struct bpf_insn *insns, size_t nr)
{
	struct bpf_func_info types[FUNCTIONS_MAX] = {};
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = bpf_program__expected_attach_type(program),
	};

	opts.func_info_cnt = find_types(program, insns, nr, types);
	if (opts.func_info_cnt && bpf_object__btf_fd(object) >= 0) {
		opts.prog_btf_fd = bpf_object__btf_fd(object);
		opts.func_info = types;
		opts.func_info_rec_size = sizeof(types[0]);
	} else {
		opts.func_info_cnt = 0;
	}
	return bpf_prog_load(bpf_program__type(program), bpf_program__name(program), "Dual BSD/GPL",
			     insns, nr, &opts);
}

int clone__load(int *fd, const struct bpf_object *object, const struct bpf_program *program,
		const struct bpf_map *rodata, const void *config)
{
	size_t nr = bpf_program__insn_cnt(program), bytes = nr * sizeof(struct bpf_insn);
	struct bpf_insn *insns = malloc(bytes);
	int map = -1, err;

	*fd = -1;
	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(program), bytes);
	err = make_rodata(rodata, config, &map);
	if (err)
		goto out_close;
	replace_map(insns, nr, bpf_map__fd(rodata), map);
	*fd = load(object, program, insns, nr);
	if (*fd < 0) {
		err = *fd;
		*fd = -1;
	}
out_close:
	if (map >= 0)
		close(map); /* the program holds it */
	free(insns);
	return err;
}
