/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/filter.h - "--filter" in words -> what bpf/filter.bpf.h evaluates.
 *
 * Syntax is that of the kernel's event filters (Documentation/trace/events.rst, "Event filtering"),
 * with any field of plan/fields.h on the left:
 *	prev_prio > 100 && (next_comm ~ "nginx*" || next_pid == 0) && !(flags & 0x10)
 * Numbers: == != < <= > >= &, decimal, 0x hex, negative. Texts: == != ~, in double or single
 * quotes, or bare when it has letters, digits, '_' and '-' only. && before ||, ! before both.
 */
#ifndef PMUTRACE_PLAN_FILTER_H
#define PMUTRACE_PLAN_FILTER_H

#include "base/array.h"
#include "base/buf.h"
#include "plan/fields.h"
#include "filter.wire.h"

/**
 * filter__compile() - a filter for one probe
 * @out: overwritten
 * @kernel: appended: the same for PERF_EVENT_IOC_SET_FILTER, or nothing where the kernel's filters
 *	cannot say it; NULL: not wanted
 * @why: on -EINVAL a sentence with the column
 *
 * At most FILTER_TERMS comparisons, FILTER_GLOBS with a pattern. Return: 0; -EINVAL; -ENOMEM;
 * another -errno of fields__find() with @why.
 */
int filter__compile(struct filter_cfg *out, const char *text, struct fields *fields,
		    struct buf *kernel, struct buf *why) must_check;

#endif
