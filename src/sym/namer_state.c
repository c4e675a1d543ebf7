// SPDX-License-Identifier: BSD-2-Clause
/* What all kinds of names have in common: asking for one, and the frame of what was found. */
#include "sym/namer_state.h"

#include "base/clock.h"

void namer__ask(struct namer *n, struct find *f)
{
	n->nr_asked++;
	n->nr_changes++;
	worker__give(n->finder, &f->job);
}

void namer__ask_later(struct namer *n, struct find *f)
{
	if (!n->gather_ns) {
		namer__ask(n, f);
		return;
	}
	n->nr_asked++;
	n->nr_changes++;
	if (!n->later_ns)
		n->later_ns = clock__now_ns();
	worker__give_later(n->finder, &f->job);
}

int namer__add_found(struct namer *n, const struct find *f, const char *module, enum sym_kind kind,
		     uint64_t at, uint32_t *id)
{
	if (!f->answer.named && f->answer.in_function)
		return frames__add_function(&n->frames, module, f->answer.function, kind, id);
	if (!f->answer.named)
		return frames__add_address(&n->frames, module, at, kind, id);
	return frames__add(&n->frames, f->answer.name.data, module, kind, id);
}
