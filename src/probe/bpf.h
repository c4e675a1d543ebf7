/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/bpf.h - what every BPF session needs: libbpf's messages in our log, errors explained.
 */
#ifndef PMUTRACE_PROBE_BPF_H
#define PMUTRACE_PROBE_BPF_H

#include "base/array.h"
#include "base/buf.h"

/* libbpf's own messages become debug lines. Call once before opening a session. */
void bpf__log_debug(void);

/* Why loading failed and what to do about it, one sentence. Appended to @why; 0 or -ENOMEM. */
int bpf__explain_load(struct buf *why, int err) must_check;

#endif
