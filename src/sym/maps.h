/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/maps.h - /proc/PID/maps: its text, and an open one, read slice by slice.
 *
 * The kernel takes some 100 ms to print a map of 65,000 lines (vm.max_map_count). Whoever has
 * something else to do reads a slice of it, and the next one later. The open file means the address
 * space that the process had when it was opened: it goes on with that, wherever mappings came or
 * went meanwhile (m_start() of fs/proc/task_mmu.c looks for the next address), and after an exec or
 * exit there is nothing more to read.
 *
 * Source: proc_pid_maps(5), fs/proc/task_mmu.c.
 */
#ifndef PMUTRACE_SYM_MAPS_H
#define PMUTRACE_SYM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct maps_line {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	bool executable;
	const char *name; /* rest of the line, not terminated; "" for anonymous memory */
	size_t name_len;
};

/*
 * Takes the next line off *text (at most @len bytes, which shrink with it). False at the end;
 * lines that do not parse are passed over.
 */
bool maps__next(const char **text, size_t *len, struct maps_line *out);

struct maps_file;

/* What a slice has at most: some 1300 lines, 2 ms. */
enum { MAPS_SLICE_BYTES = 64 << 10 };

/* 0; -ENOENT, -EACCES, ...; -ENOMEM. */
int maps_file__open(struct maps_file **out, const char *path) must_check;

/* Of a file that is open: @fd is taken. 0 or -ENOMEM. */
int maps_file__take(struct maps_file **out, int fd) must_check;
void maps_file__close(struct maps_file *f);

/* Reads the next slice. 1: there is more behind it; 0: that was all. */
int maps_file__read(struct maps_file *f) must_check;

/* The next whole line of the slice. Its name: until the next read. False: there is none. */
bool maps_file__next(struct maps_file *f, struct maps_line *out);

/*
 * Is the address space gone? Before the first slice: there is nothing to read. At the end: lines
 * may be missing.
 */
bool maps_file__is_cut(const struct maps_file *f);

#endif
