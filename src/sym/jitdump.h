/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/jitdump.h - names of code made at run time: jit-PID.dump.
 *
 * Format: tools/perf/Documentation/jitdump-specification.txt: a header, then records with their
 * sizes. A JIT writes one for each function that it loads (JIT_CODE_LOAD: address, size, name, and
 * the code itself) or moves (JIT_CODE_MOVE). Code, lines (JIT_CODE_DEBUG_INFO) and unwind tables
 * are stepped over. Records come in the order of their times: of code that has the address of
 * older code, the latest wins, as in sym/perfmap.h; times of samples are not compared with those of
 * records, since names are remembered by address (sym/namer.h).
 *
 * Programs map a page of the file as code, so that who looks at their mappings finds it. It is a
 * stranger's file, and grows: sym/growing.h. Programs write it through a buffer (node: of 2 MiB)
 * whose last part comes at their end: so it stays open, and is read once more when they are gone.
 *
 * Only the byte order of this machine is understood, and version 1.
 */
#ifndef PMUTRACE_SYM_JITDUMP_H
#define PMUTRACE_SYM_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/allowance.h"
#include "base/array.h"
#include "elf/symtab.h"
#include "sym/growing.h"
#include "sym/spans.h"

/* Of all dumps together. Zero-initialise it, but for room. */
struct jitdumps {
	struct spans_room *room; /* that of perf maps. Borrowed */
	struct allowance *run;	 /* for strangers' dumps; NULL: without a bound. Borrowed */
	uint64_t nr_cut;	 /* dumps not read to their end for want of room or allowance */
	unsigned nr_open;
};

/* Descriptors that dumps may keep; what exceeds them is opened for each look. */
enum { JITDUMPS_OPEN = 16 };

struct jitdump;

/* An empty dump. @all: borrowed until free. NULL when out of memory. */
struct jitdump *jitdump__new(struct jitdumps *all);
void jitdump__free(struct jitdump *d);

/* Is this the path of process @pid's dump: "/DIR/jit-PID.dump"? The pid as the process sees it. */
bool jitdump__is_path(const char *path, uint32_t pid);

/* The same, of any process. */
bool jitdump__is_any(const char *path);

/* Does it keep its file open? Then that can be read when the process, and its root, are gone. */
bool jitdump__is_open(const struct jitdump *d);

/*
 * Reads what is new, a slice of it. @fd: the file, taken; -1: jitdump__is_open(). enum
 * growing_state; -ENOMEM; once for each file: what jitdump__strerror() tells; another -errno.
 */
int jitdump__read(struct jitdump *d, int fd) must_check;

/*
 * Adds records (for tests and fuzzing): @bytes from the header on, or from where *used of the last
 * call was. Errors of jitdump__read(), and -ENOSPC: there is no room.
 */
int jitdump__parse(struct jitdump *d, const struct growing_part *part, uint64_t *used) must_check;

/* strerror(), and -ENOEXEC: it is no dump; -EPROTO: one of another byte order or version; -EBADMSG:
 * a record that cannot be. */
const char *jitdump__strerror(int err);

/* The name: until the next read. */
bool jitdump__find(const struct jitdump *d, uint64_t addr, struct sym *out);

#endif
