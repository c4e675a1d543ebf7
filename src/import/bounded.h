/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/bounded.h - memory for what a library unpacks of a stranger's file, up to so many bytes.
 *
 * Of a type that protobuf-c's allocators have. Bytes that are freed may be taken again.
 */
#ifndef PMUTRACE_IMPORT_BOUNDED_H
#define PMUTRACE_IMPORT_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bounded {
	uint64_t left;	  /* bytes that may be taken */
	bool has_refused; /* there were not enough, of these or of the machine's */
};

/* @arg: a struct bounded. NULL: there is not as much. */
void *bounded__alloc(void *arg, size_t bytes);
void bounded__free(void *arg, void *piece);

#endif
