/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/maps.h - the text of /proc/PID/maps. Source: proc_pid_maps(5), fs/proc/task_mmu.c.
 */
#ifndef PMUTRACE_SYM_MAPS_H
#define PMUTRACE_SYM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
