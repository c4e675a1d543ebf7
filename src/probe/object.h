/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/object.h - a BPF object of a session: its tables, its switch, what was kept from it.
 *
 * Its keys begin with struct sample_key; behind that are any number of words of the session's own,
 * and frames. They are shown as struct sample_stack.
 */
#ifndef PMUTRACE_PROBE_OBJECT_H
#define PMUTRACE_PROBE_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "probe/rows.h"
#include "object/tables.h"

struct object {
	struct tables tables;
	uint32_t first;	  /* words of a key before its frames */
	unsigned old;	  /* generation of the last flip */
	bool has_no_keys; /* its tables are not used */
	uint32_t *on;	  /* the programs count while it is 1; NULL: there is no such switch */
	uint64_t missed,
		missed_before; /* hits kept from its programs: from start to stop; before */
};

/*
 * A key of the tables as a stack; @first: words before its frames. Bounds are checked though only
 * our programs write there. False: it is none.
 */
bool sample_stack__view(struct sample_stack *out, const struct tables_key *k,
			uint32_t first) must_check;

/* Like tables__poll(), tables__flip(), and tables__drain() of the flipped generation. */
int object__poll(struct object *o, bool stopped, const struct rows_reader *reader) must_check;
void object__flip(struct object *o);
int object__drain(struct object *o, const struct rows_reader *reader) must_check;

#endif
