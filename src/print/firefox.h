/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/firefox.h - a profile for https://profiler.firefox.com: its "processed" format, version 66.
 *
 *	{ "meta": { "preprocessedProfileVersion": 66, "interval": 1, "categories": [...],
 *	            "product": "pmutrace profile: cpu-clock (2 samples, nothing lost)", ... },
 *	  "libs": [], "pages": [],
 *	  "shared": { "stringArray": ["", "main"], "funcTable": {...}, "frameTable": {...},
 *	              "stackTable": {...}, "resourceTable": {...}, ... },
 *	  "threads": [ { "name": "sh", "pid": "42", "tid": 42, "samples": {...}, ... } ],
 *	  "counters": [ { "name": "cpu-clock", "pid": "42", ... } ] }
 *
 * Tables are objects of columns, with their length. The profile's own are written as they are:
 * strings, frames (as frames and functions), stacks. A kind of frames is a category. Stacks begin
 * with the command, as in every format: a thread may have been several.
 *
 * Stacks are of one event; how much of each there was over time are counters of its processes
 * (print/firefox_processes.h). Threads are as in print/by_thread.h. A stack is one sample of a
 * thread, which weighs milliseconds ("tracing-ms") where the event's weight is a time, or else its
 * samples: other weights than times, samples and bytes the format has none.
 *
 * Where the profile has windows samples are where these are in time, as print/timeline.h has them:
 * then a stack is one sample in each window, and a sample without a stack ends what a thread did;
 * "threadCPUDelta" tells how busy it was, if that is what was sampled. Without windows no sample
 * has a time. They are laid one behind the other, each as long as it weighs, a sample without a
 * time 1 ms: what is drawn over time is the order of stacks.
 *
 * Losses are in "product", which is shown as the profile's name, and by reason in "extra".
 *
 * Source: docs-developer/CHANGELOG-formats.md and src/types/profile.ts of
 * https://github.com/firefox-devtools/profiler; what it reads today it upgrades from any version.
 */
#ifndef PMUTRACE_PRINT_FIREFOX_H
#define PMUTRACE_PRINT_FIREFOX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

struct firefox_opts {
	const char *command; /* the subcommand's name */
	const char *title;   /* NULL: of the command; borrowed; any bytes */
	const char *noun;    /* what was counted: "hit"; NULL: "sample" */
	uint32_t event;	     /* index into the profile's events */
	bool weights;	     /* of an event of time; else stacks weigh their samples */
};

/* 0, -EINVAL (no such event), -ENOMEM, or another -errno (@f did not take it all). */
int print__firefox(FILE *f, const struct profile *p, const struct firefox_opts *o) must_check;

#endif
