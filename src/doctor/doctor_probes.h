/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doctor/doctor_probes.h - the kinds of probes, each really tried. The inside of doctor__try().
 *
 * All return 0, or -errno as the kernel refused it; nothing stays behind. Detaching waits for the
 * kernel, up to 0.1 s each; they may run at once.
 */
#ifndef PMUTRACE_DOCTOR_DOCTOR_PROBES_H
#define PMUTRACE_DOCTOR_DOCTOR_PROBES_H

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/types.h>

#include "base/array.h"

int doctor__try_tracepoint(void) must_check;
int doctor__try_raw_tracepoint(void) must_check;
int doctor__try_kprobe(void) must_check;
int doctor__try_uprobe(void) must_check;
int doctor__try_kprobe_multi(void) must_check;
int doctor__try_fentry(void) must_check;

/* A program that does nothing: its file descriptor, or -errno. @btf_id: of what it is for, or 0. */
int doctor__load(enum bpf_prog_type type, enum bpf_attach_type attach, int btf_id) must_check;

/* Opens an event, puts such a program on it, closes both. */
int doctor__try_program(const struct perf_event_attr *attr, pid_t pid, int cpu,
			enum bpf_prog_type type) must_check;

int doctor__first_cpu(void);

#endif
