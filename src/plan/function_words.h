/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/function_words.h - a function as people write it -> the probes at its entry and return.
 *
 *	PATH:FUNCTION, uprobe:PATH:FUNCTION	of a program or library, by path or name ("libc")
 *	FUNCTION, kprobe:FUNCTION		of the kernel
 *
 * FUNCTION may be a pattern; whether such functions exist is not looked at. u: and k: are short for
 * uprobe: and kprobe:.
 */
#ifndef PMUTRACE_PLAN_FUNCTION_WORDS_H
#define PMUTRACE_PLAN_FUNCTION_WORDS_H

#include "base/array.h"
#include "base/buf.h"

/**
 * function_word__probes() - the two probes of a function
 * @entry, @leave: get the texts for perf_events__parse(): "kprobe:X" and "kretprobe:X", or
 *		   "uprobe:X" and "uretprobe:X"
 * @why:	   on -EINVAL a sentence
 *
 * Return: 0; -EINVAL: it is no function, or another probe; -ENOMEM.
 */
int function_word__probes(const char *word, struct buf *entry, struct buf *leave,
			  struct buf *why) must_check;

#endif
