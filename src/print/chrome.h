/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/chrome.h - a profile in the Trace Event Format, for https://ui.perfetto.dev and
 * chrome://tracing: how much when, and sampled stacks.
 *
 *	{ "traceEvents": [
 *	    { "ph": "M", "cat": "__metadata", "name": "process_name", "pid": 42, "tid": 42, "ts": 0,
 *	      "args": { "name": "sh" } },
 *	    { "ph": "C", "cat": "pmutrace", "name": "cpu-clock", "pid": 42, "tid": 42, "ts": 100000,
 *	      "args": { "CPUs": 0.25 } },
 *	    { "ph": "P", "cat": "disabled-by-default-v8.cpu_profiler", "name": "Profile",
 *	      "id": "0x1", "pid": 42, "tid": 42, "ts": 0, "args": { "data": { "startTime": 0 } } },
 *	    { "ph": "P", ..., "name": "ProfileChunk", ..., "args": { "data": {
 *	        "cpuProfile": {
 *	          "nodes": [ { "id": 1, "callFrame": { "functionName": "(root)", "url": "" } },
 *	                     { "id": 2, "parent": 1, "callFrame": { "functionName": "sh", ... } } ],
 *	          "samples": [2, 2] },
 *	        "timeDeltas": [125000, 50000] } } } ],
 *	  "otherData": { "product": "pmutrace report: cpu-clock (2 samples, nothing lost)", ... } }
 *
 * All events have counters ("C"), by process, and over all of them as the process CHROME_ALL, a
 * number that no process can have: a value for each window (model/windows.h), which holds until the
 * next. It is a rate, as windows differ in length: CPUs for an event of time, else what samples
 * stand for, or samples, per second; a multiplexed event is scaled by the times of the window.
 * What was lost by window is a counter, too. Where no length is known there are no counters.
 *
 * Stacks are of one event, as V8's CPU profiles ("P"), which Perfetto puts on the thread's track,
 * as a marker for each sample, and adds up as a flame graph of what is marked there; speedscope and
 * DevTools' performance panel read them, too. They have one root, as V8's have: of a thread that
 * was several commands DevTools would have the first alone. "stackFrames" and "samples", the
 * format's own, Perfetto does not read.
 * A sample's time is known to be in its window; those of a thread are spread over it evenly, in the
 * order of their stacks. Without windows the run is one. Of more than CHROME_SAMPLES_MOST
 * samples one stands for several: "samplesEach".
 *
 * Threads are as in print/by_thread.h; where nothing but commands is known these have numbers
 * instead of process ids. Frames read as in print/frame_text.h, "url" is the binary's name.
 *
 * Source: "Trace Event Format" (Duca, Sinclair); src/trace_processor/importers/json of
 * https://github.com/google/perfetto; src/import/chrome.ts of speedscope;
 * front_end/models/cpu_profile of https://github.com/ChromeDevTools/devtools-frontend.
 */
#ifndef PMUTRACE_PRINT_CHROME_H
#define PMUTRACE_PRINT_CHROME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

enum {
	CHROME_ALL = 1 << 22, /* the kernel's PID_MAX_LIMIT: process ids are less */
	CHROME_SAMPLES_MOST = 1000000,
};

struct chrome_opts {
	const char *command; /* the subcommand's name */
	const char *title;   /* NULL: of the command; borrowed; any bytes */
	const char *noun;    /* what was counted: "hit"; NULL: "sample" */
	uint32_t event;	     /* index into the profile's events: whose stacks are there */
	bool weights;	     /* counters are of what samples stand for, where that is known */
};

/* 0, -EINVAL (no such event), -ENOMEM, or another -errno (@f did not take it all). */
int print__chrome(FILE *f, const struct profile *p, const struct chrome_opts *o) must_check;

#endif
