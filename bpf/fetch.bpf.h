/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fetch.bpf.h - fetches the fields of a hit, by their struct fetch (fetch.wire.h).
 *
 * A struct fetch is part of the read-only configuration: the verifier knows all of it and keeps
 * only the loads that it asks for.
 */
#ifndef PMUTRACE_FETCH_BPF_H
#define PMUTRACE_FETCH_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "fetch.wire.h"
#include "target.wire.h"

/* Cuts a bit field out, or puts sign or zeros above the bytes that were loaded. */
static __always_inline __u64 fetch_widen(__u64 v, const volatile struct fetch_load *l)
{
	__u32 bits = l->bits ? l->bits : 8 * l->size, unused = (64 - bits) & 63;

	v = v >> (l->shift & 63) << unused;
	return l->is_signed ? (__u64)((__s64)v >> unused) : v >> unused;
}

static __always_inline long fetch_load(__u64 *v, const volatile struct fetch_load *l,
				       const void *from, int is_user)
{
	__u64 raw = 0;
	__u32 size = l->size & 15;
	long err = is_user ? bpf_probe_read_user(&raw, size, from + l->offset)
			   : bpf_probe_read_kernel(&raw, size, from + l->offset);

	*v = err ? 0 : fetch_widen(raw, l);
	return err;
}

/* The field's source: its first load, before pointers are followed. */
static __always_inline long fetch_first(void *ctx, const volatile struct fetch *f, __u32 probe,
					__u64 *v)
{
	*v = 0;
	switch (f->source) {
	case FETCH_CONSTANT:
		*v = f->constant;
		return 0;
	case FETCH_PROBE:
		*v = probe;
		return 0;
	case FETCH_CPU:
		*v = bpf_get_smp_processor_id();
		return 0;
	case FETCH_UID:
		*v = (__u32)bpf_get_current_uid_gid();
		return 0;
	case FETCH_PID:
		*v = bpf_get_current_pid_tgid() >> 32;
		return 0;
	case FETCH_TID:
		*v = (__u32)bpf_get_current_pid_tgid();
		return 0;
	case FETCH_CONTEXT:
		/* By the helper: direct loads have a fixed offset; this differs from run to run. */
		return fetch_load(v, &f->load, ctx, 0);
	}
	return 0;
}

/* A number. 0; <0: its memory was not there, *v is 0. */
static __always_inline long fetch_number(void *ctx, const volatile struct fetch *f, __u32 probe,
					 __u64 *v)
{
	long err = fetch_first(ctx, f, probe, v);

	for (__u32 i = 0; i < FETCH_STEPS && i < f->nr_steps && !err; i++) {
		const volatile struct fetch_load *l = &f->steps[i];

		if (l->size)
			err = fetch_load(v, l, (const void *)*v, f->is_user);
		else
			*v += l->offset;
	}
	return err;
}

/* A string into @to, which has @room bytes, all 0 before; a constant. <0: it was not there. */
static __always_inline long fetch_string(void *ctx, const volatile struct fetch *f, __u32 probe,
					 void *to, __u32 room)
{
	__u64 v = 0;
	long err;

	if (f->source == FETCH_COMM)
		return bpf_get_current_comm(to, TARGET_COMM_LEN);
	if (f->form == FETCH_CHARS)
		return bpf_probe_read_kernel_str(to, room, ctx + f->load.offset);
	err = fetch_number(ctx, f, probe, &v);
	if (err)
		return err;
	switch (f->form) {
	case FETCH_DATA_LOC:
		return bpf_probe_read_kernel_str(to, room, ctx + (v & 0xffff));
	case FETCH_REL_LOC:
		return bpf_probe_read_kernel_str(to, room, ctx + f->load.offset + 4 + (v & 0xffff));
	case FETCH_STRING:
		return bpf_probe_read_kernel_str(to, room, (const void *)v);
	case FETCH_USER_STRING:
		return bpf_probe_read_user_str(to, room, (const void *)v);
	}
	return 0;
}

#endif
