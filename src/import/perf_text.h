/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/perf_text.h - one line of what `perf script` prints -> its parts.
 *
 * A sample's first line, and one of its frames:
 *
 *	python3 30297/30298 [001] 73307.670903:    1003009 cpu-clock:uH:
 *		    7f3edcad03e0 foo(int, char)+0x21 (/usr/lib/libfoo.so.1)
 *
 * Which parts there are follows from `perf script -F`. Names have blanks, colons and parentheses
 * in them, and nothing is quoted: a line is read from what can only be one thing. Source:
 * tools/perf/builtin-script.c, perf_sample__fprintf_start() and process_event(); and
 * tools/perf/util/evsel_fprintf.c. Texts are borrowed from the line.
 */
#ifndef PMUTRACE_IMPORT_PERF_TEXT_H
#define PMUTRACE_IMPORT_PERF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct perf_part {
	const char *s;
	size_t len;
};

/* What a first line tells of a sample. */
struct perf_head {
	struct perf_part comm;
	struct perf_part event; /* without its last colon; NULL: not told */
	struct perf_part rest;	/* behind that: data of the event, or the only frame */
	bool has_pid, has_tid, has_cpu, has_time;
	uint32_t pid, tid, cpu;
	uint64_t period; /* 0: not told */
};

enum perf_line {
	PERF_OTHER,  /* nothing that is known */
	PERF_HEAD,   /* a sample begins */
	PERF_RECORD, /* of another thing than a sample: --show-mmap-events and the like */
};

/* The thread's number or the time is needed to tell a first line from anything else. */
enum perf_line perf_text__head(const char *line, size_t len, struct perf_head *h);

/*
 * The address at the beginning of a frame, behind blanks. *is_high: it is in the kernel's half.
 * *behind: the rest of the line. False: it has none.
 */
bool perf_text__address(const char *line, size_t len, bool *is_high, struct perf_part *behind);

/* The same for the only frame of a sample, in a column for it: not a word of an event's data. */
bool perf_text__only_address(const struct perf_part *rest, bool *is_high, struct perf_part *behind);

struct perf_frame {
	struct perf_part name;	 /* empty: unknown */
	struct perf_part module; /* as in profiles of our own; empty: unknown */
	enum frame_kind kind;
};

/* What is behind the address. */
void perf_text__frame(const struct perf_part *behind, bool is_high, struct perf_frame *f);

#endif
