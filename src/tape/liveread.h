/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/liveread.h - a recording of a live view: bytes -> model/live.h and model/processes.h.
 *
 * A recording (tape/livefile.h writes it) is a head, then intervals, each complete by itself but
 * for names. Numbers are little-endian. A text is u16 bytes, then so many bytes.
 *
 * Head, 24 bytes:
 *	 0  8	"pmulive\n"
 *	 8  u32	version: 1
 *	12  u32	values of each use, 1 to 16: ns on CPUs, switches, then one for each event
 *	16  u32	flags, 1: events were asked for by themselves, and are shown so; 2: nothing was
 *		counted, there are samples alone; 4: the machine had no PMU, which is why software
 *		events are shown if nothing was asked for
 *	20  u32	CRC-32 (zlib's) of the 20 bytes before
 *
 * Interval: a block (tape/block.h) of kind "ival", its frame. Flags, 1: names begin anew, what
 * was known before is void, as they do at least every 64th time; 0: they come to those known.
 * Number: the end of the interval, ns since 1970.
 *
 * Data: parts, each u32 kind, u32 bytes, then so many bytes. Of each kind there is one, or none.
 * Kinds that are not known are left out, and so is what stands in a part behind what is known of
 * it. Names that are known at the end of an interval take up to 64 MiB in memory
 * (processes__bytes()); a reader has room for twice as many, because cgroups do not go.
 *	1 about		u64 end of the interval as in the frame, u64 its ns, u64 ns of CPU time of
 *			the programs, u64 of the process behind the view, u64 seen, u64 kept,
 *			u64 untold, u32 CPUs online, text host, text kernel, u32 CPUs that were
 *			ever seen: 1 and the highest one, up to 65536
 *	2 events	u32 number, up to one for each value behind the first two; each: text name,
 *			text unit ("ns" or empty), u32 0: it was counted, else why not (1: not
 *			supported, 2: no permission, 3: no counter was free), text why, i32 group,
 *			u64 ns enabled, u64 ns running; then of each the bits of a double above 0
 *			that makes its values those of the unit
 *	3 tasks		u32 number; each, 36 bytes: u32 process, u32 thread, u64 cgroup, 16 bytes
 *			name with NULs behind, u32 enum live_end
 *	4 uses		u32 number; each: u32 index of the task (its part comes before), u32 CPU
 *			(below 65536), the values: u64 each
 *	5 gone		u32 number; each: u32 pid of a process that is not known any more
 *	6 processes	u32 number; each: u32 pid, u32 parent, u32 user, u32 1: of the kernel,
 *			16 bytes name with NULs behind, text command
 *	7 users		u32 number; each: u32 user, text name
 *	8 cgroups	u32 number; each: u64 id, text path, text name
 *	9 losses	u32 number, up to 16; each: text name, text for people, text cure, u32 flags
 *			(1: there is a cure, 2: a flaw), u64 n
 *	10 samples	u64 ns of sampling, u32 CPUs, u32 what rows are by (model/profile.h:
 *			process, thread, command, cgroup, both stacks), u64 seen, u64 kept, then
 *			lists, each a u32 number and so many
 *			strings: text; the first one is string 1, string 0 is empty
 *			losses, as in part 9
 *			events, up to 16: text name, text unit, u64 samples per second or 0, u64
 *			events per sample or 0, u64 ns enabled, u64 ns running
 *			frames: u32 name, u32 module (strings), u32 kind (model/profile.h)
 *			nodes: u32 the caller's, u32 frame; the first one is node 1, node 0 is the
 *			root; callers come before, up to 1024 deep; those below the root alone are
 *			of commands
 *			rows: u32 event, u32 process, u32 thread, u32 cgroup (string: its path), u32
 *			node, u64 samples, u64 sum of their periods
 *			An interval without this part was not sampled.
 *
 * Such files may be of strangers: every length is checked, and texts come out as one line of UTF-8
 * without control characters, but for strings of samples, which may be any UTF-8 as in a profile.
 * Equal numbers of groups say that events were on counters together; below 0: counted all the time.
 */
#ifndef PMUTRACE_TAPE_LIVEREAD_H
#define PMUTRACE_TAPE_LIVEREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/live.h"
#include "model/processes.h"
#include "model/profile.h"
#include "tape/block.h"

#define LIVEREAD_MAGIC "pmulive\n"
#define LIVEREAD_FRAME "ival"

enum {
	LIVEREAD_VERSION = 1,
	LIVEREAD_HEAD_BYTES = 24,
	LIVEREAD_FRAME_BYTES = BLOCK_HEAD_BYTES,
	LIVEREAD_NAMES_MAX = 2 * BLOCK_BYTES_MAX, /* of all that are known; written: half of it */
	LIVEREAD_ANEW_WITHIN = 64, /* intervals: what a reader has to go back for names, at most */
	LIVEREAD_CPUS_MAX = 65536,
	LIVEREAD_TASK_BYTES = 36,
	LIVEREAD_SAMPLES_MAX = 4 << 20, /* strings, frames, nodes or rows */
	LIVEREAD_EVENTS_SAMPLED_MAX = 16,
	LIVEREAD_DEPTH_MAX = 1024,
	LIVEREAD_BY = BY_PID | BY_TID | BY_COMM | BY_CGROUP | BY_KSTACK | BY_USTACK,
};

enum liveread_flag {
	LIVEREAD_ASKED = 1, /* of the head */
	LIVEREAD_SAMPLES_ONLY = 2,
	LIVEREAD_NO_PMU = 4,
	LIVEREAD_ANEW = 1, /* of a frame */
	LIVEREAD_CURE = 1, /* of a loss */
	LIVEREAD_FLAW = 2,
};

/* Why an event was not counted; other numbers are read as not supported. */
enum liveread_why {
	LIVEREAD_COUNTED,
	LIVEREAD_NOT_SUPPORTED,
	LIVEREAD_NO_PERMISSION,
	LIVEREAD_NOT_COUNTED,
};

enum liveread_part {
	LIVEREAD_ABOUT = 1,
	LIVEREAD_EVENTS,
	LIVEREAD_TASKS,
	LIVEREAD_USES,
	LIVEREAD_GONE,
	LIVEREAD_PROCESSES,
	LIVEREAD_USERS,
	LIVEREAD_CGROUPS,
	LIVEREAD_LOSSES,
	LIVEREAD_PROFILE,
};

struct liveread_frame {
	struct block block; /* its number: the end of the interval */
	bool anew;
};

struct liveread_head {
	size_t nr_values; /* for live__new() */
	bool asked;	  /* for its events */
	bool samples_only;
	bool no_pmu;
};

/*
 * 0; -EPROTO: it is no recording; -EPROTONOSUPPORT: it is of a newer version; -EBADMSG: damaged.
 */
int liveread__head(const void *bytes, size_t len, struct liveread_head *h) must_check;

/* @bytes: LIVEREAD_FRAME_BYTES of them. 0; -EBADMSG: damaged, or no frame. */
int liveread__frame(const void *bytes, struct liveread_frame *f) must_check;

/**
 * liveread__interval() - the interval behind a frame, into the models
 * @stream: f->block.stream_bytes of them
 * @l: instead of what was there; NULL: only the names are wanted
 * @p: names that are new come to those known, or take their place; NULL: they are not wanted
 * @samples: of the interval, for profile__free(), or NULL: it was not sampled; itself NULL: they
 * are not wanted
 *
 * Return: 0; -EBADMSG: damaged, the models may have a part of it, and there are no samples;
 * -ENOMEM.
 */
int liveread__interval(const struct liveread_frame *f, const void *stream, struct live *l,
		       struct processes *p, struct profile **samples) must_check;

#endif
