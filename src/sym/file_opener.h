/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/file_opener.h - opens the files that names are read from, for readers who can open nothing.
 *
 * Knows: what each mapped file and each process's map is called, and whose root it is in. Whoever
 *   reads (sym/file_names.h) asks by number: "file 7, the second place that it may be at".
 * Does not know: what is in a file. It looks at its type, owner, and first four bytes.
 *
 * A reader may have been taken over by a stranger's file. So it gets descriptors, for reading, of
 * these alone:
 *	mapped		the file that a process maps, through it: /proc/PID/map_files (deleted ones
 *			too), /proc/PID/root/PATH (other mount namespaces), then PATH; if it is an
 *			ELF file. Where that is not here, and may be so
 *			(mapped_file.debug_root), the debug file with its build-id, of this
 *			machine or of servers
 *	other		ELF files that belong to one (elf/debug_places.h): debug files have names
 *			that the stranger's file has chosen, and not every file that root may read
 *			is his
 *	of servers	ELF files that were sent for the build-ids of one (sym/served.h)
 *	map, dump	what a process has written of its code (sym/growing.h), if it is root's or
 *			the process's user's
 */
#ifndef PMUTRACE_SYM_FILE_OPENER_H
#define PMUTRACE_SYM_FILE_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "elf/debug_places.h"
#include "sym/mapped.h"

enum file_request_kind {
	REQUEST_MAPPED, /* file, nr: the nr-th place of it, from 0 on */
	REQUEST_OTHER,	/* file, place, nr: the nr-th place of what belongs to it */
	REQUEST_MAP,	/* pid, life: its perf map; once more after its end, where that was */
	REQUEST_DUMP,	/* life: its jitdump */
	REQUEST_KINDS,
};

/* So many first places of a mapped file lead to nothing but that file. */
enum { FILE_OPENER_SURE = 2 };

struct file_request {
	enum file_request_kind kind;
	uint32_t file, nr, pid, life;
	struct debug_place place;
};

/*
 * Where a reader gets its files. A descriptor, the reader's; -ENODATA: there are no more places;
 * -ESRCH: the process is gone; -EAGAIN, of PLACE_BY_SERVER: it is being fetched; another -errno:
 * nothing there.
 */
struct file_source {
	int (*open)(void *arg, const struct file_request *r);
	void *arg;
};

struct file_opener;
struct served;

/* @proc_root: "/proc" or a fixture; copied. NULL when out of memory. */
struct file_opener *file_opener__new(const char *proc_root);
void file_opener__free(struct file_opener *o);

/* Makes file number @id known, once; *@f is taken, also on error. 0 or -ENOMEM. */
int file_opener__add(struct file_opener *o, uint32_t id, struct mapped_file *f) must_check;

/* How a file is told from others, and where its process sees it; NULL: it is not known. Borrowed.
 */
const struct file_identity *file_opener__identity(const struct file_opener *o, uint32_t id);
const char *file_opener__path(const struct file_opener *o, uint32_t id);

/*
 * A process in this life maps @path. 1: it is its own jitdump, and a new one; 0: it is not;
 * -ENOMEM.
 */
int file_opener__dump(struct file_opener *o, uint32_t pid, uint32_t life,
		      const char *path) must_check;
void file_opener__end_life(struct file_opener *o, uint32_t life);

/* For PLACE_BY_SERVER, which there is none of before. Borrowed until free. */
void file_opener__ask_servers(struct file_opener *o, struct served *servers);

/* Something is being fetched for it. */
bool file_opener__waits(const struct file_opener *o, uint32_t id);

/* Requests are answered here, from now until it is freed. */
struct file_source file_opener__source(struct file_opener *o);

#endif
