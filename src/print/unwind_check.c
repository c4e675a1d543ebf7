// SPDX-License-Identifier: BSD-2-Clause
/* Writes "unwinding: 998 of 1000 stacks (99.8 %) are the same as elfutils 0.188 finds them, ..". */
#include "print/unwind_check.h"

#include <inttypes.h>

/* Rounded down: 99.9 % is never said to be 100. */
static int put_share(struct buf *b, uint64_t part, uint64_t whole)
{
	const uint64_t permille = (uint64_t)((unsigned __int128)part * 1000 / whole);

	return buf__printf(b, " (%" PRIu64 ".%" PRIu64 " %%)", permille / 10, permille % 10);
}

static int put_skipped(struct buf *b, const struct unwind_check *c)
{
	const char *sep = "; not compared: ";
	int err = 0;

	for (unsigned i = 0; i < UNWIND_CHECK_SKIPS && !err; i++) {
		if (!c->skipped[i])
			continue;
		err = buf__printf(b, "%s%" PRIu64 " %s", sep, c->skipped[i],
				  unwind_check__skip_text(i));
		sep = ", ";
	}
	return err;
}

static int put_user(struct buf *b, const struct unwind_check *c)
{
	const uint64_t nr = unwind_check__nr_compared(c);
	int err;

	if (!nr) {
		err = buf__printf(b, "unwinding: no user stack was compared with %s", c->reference);
		return err ? err : put_skipped(b, c);
	}
	err = buf__printf(b, "unwinding: %" PRIu64 " of %" PRIu64 " user stacks",
			  c->results[UNWIND_CHECK_SAME], nr);
	if (!err)
		err = put_share(b, c->results[UNWIND_CHECK_SAME], nr);
	if (!err)
		err = buf__printf(b, " are as %s has them", c->reference);
	for (unsigned i = UNWIND_CHECK_SAME + 1; i < UNWIND_CHECK_RESULTS && !err; i++)
		if (c->results[i] || i == UNWIND_CHECK_DIFFERENT)
			err = buf__printf(b, ", %" PRIu64 " %s", c->results[i],
					  unwind_check__text(i));
	return err ? err : put_skipped(b, c);
}

static int put_kernel(struct buf *b, const struct unwind_check_kernel *k)
{
	const uint64_t nr = k->same + k->different;
	int err = 0;

	if (!nr)
		err = buf__puts(b, "no kernel stack was compared with the kernel's own walk");
	else
		err = buf__printf(b, "%" PRIu64 " of %" PRIu64 " kernel stacks", k->same, nr);
	if (!err && nr)
		err = put_share(b, k->same, nr);
	if (!err && nr)
		err = buf__printf(b,
				  " are as the kernel's own walk has them, %" PRIu64 " different",
				  k->different);
	if (!err && k->left)
		err = buf__printf(b, "; left to that walk: %" PRIu64, k->left);
	return err;
}

int print__unwind_check(struct buf *b, const struct unwind_check *c)
{
	int err = c->wanted ? put_user(b, c) : 0;

	if (!err && c->kernel.is_known)
		err = buf__puts(b, c->wanted ? "\n  " : "unwinding: ");
	return err || !c->kernel.is_known ? err : put_kernel(b, &c->kernel);
}
