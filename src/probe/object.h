/* SPDX-License-Identifier: BSD-2-Clause */
/* probe/object.h - a BPF object of a session: its tables, its switch, what was kept from it. */
#ifndef PMUTRACE_PROBE_OBJECT_H
#define PMUTRACE_PROBE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "object/tables.h"
#include "object/unwind_maps.h"

struct object {
	struct tables tables;
	struct unwind_maps unwind; /* not mapped: stacks are taken by frame pointer */
	unsigned old;		   /* generation of the last flip */
	bool has_no_keys;	   /* its tables are not used */
	uint32_t *on; /* the programs count while it is 1; NULL: there is no such switch */
	uint64_t missed,
		missed_before; /* hits kept from its programs: from start to stop; before */
};

#endif
