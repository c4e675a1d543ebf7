/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/keyed.h - tables whose keys begin with struct sample_key: shown as stacks.
 *
 * A key is that struct, any number of words of the session's own, and frames.
 */
#ifndef PMUTRACE_PROBE_KEYED_H
#define PMUTRACE_PROBE_KEYED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "probe/sample.h"
#include "probe/tables.h"

struct keyed {
	struct tables tables;
	uint32_t first; /* words of a key before its frames */
	unsigned old;	/* generation of the last flip */
};

/*
 * A key of the tables as a stack; @first: words before its frames. Bounds are checked though only
 * our programs write there. False: it is none.
 */
bool sample_stack__view(struct sample_stack *out, const struct tables_key *k,
			uint32_t first) must_check;

/* Like tables__poll(), tables__flip(), and tables__drain() of the flipped generation. */
int keyed__poll(struct keyed *k, bool stopped, const struct sampler_fns *fns) must_check;
void keyed__flip(struct keyed *k);
int keyed__drain(struct keyed *k, const struct sampler_fns *fns) must_check;

#endif
