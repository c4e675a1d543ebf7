/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/bpf.h - what every BPF session needs: libbpf's messages in our log, errors explained.
 */
#ifndef PMUTRACE_OBJECT_BPF_H
#define PMUTRACE_OBJECT_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "stack.wire.h"

struct bpf_link;
struct bpf_object;
struct bpf_program;
struct btf;

/* libbpf's own messages become debug lines. Call once before opening a session. */
void bpf__log_debug(void);

/*
 * Why loading failed and what to do about it, one sentence. @room: the option that says how much
 * the maps have room for; NULL: there is none. Appended to @why. Returns the error to hand on: what
 * was short, or @err, and never -EINVAL, for it was not the user.
 */
int bpf__explain_load(struct buf *why, int err, const char *room) must_check;

/*
 * How stacks are taken. @first: words of a key before its frames; @max_stack: of each half; @by:
 * enum by.
 */
struct stack_cfg bpf__stack_cfg(uint32_t first, uint32_t max_stack, unsigned by);

/*
 * How often the kernel did not run a program because one was running on that CPU, since it was
 * loaded: 5.12, commit 9ed9e9ba2337; of perf events' programs 6.7. 0 where it does not tell.
 */
uint64_t bpf__missed(int prog_fd);

/*
 * Attaches a program to the raw tracepoint that its section names, unless it is not to be loaded.
 * *link: the caller's. 0 or -errno with @why.
 */
int bpf__follow(struct bpf_link **link, struct bpf_program *program, struct buf *why) must_check;

/*
 * A variable of the object's programs: to be set before loading where it is constant for them.
 * Stays where it is when the object is loaded. NULL: there is none of that name.
 */
void *bpf__variable(const struct bpf_object *obj, const char *name);

/* Where a variable is in a section that BTF describes, bytes; -ENOENT: there is none. */
int64_t bpf__offset_in(const struct btf *btf, const char *section, const char *name) must_check;

#endif
