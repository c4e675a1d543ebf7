// SPDX-License-Identifier: BSD-2-Clause
/* Writes the loss line: seen, kept, lost by reason, incomplete by reason. */
#include "print/lossline.h"

#include <inttypes.h>
#include <string.h>

#include "model/loss.h"

/* "10 table full (use --stacks N), 2 no memory", reasons in the order they were added. */
static int put_reasons(struct buf *b, const struct losses *l, bool flaws)
{
	const char *sep = "";
	int err = 0;

	for (unsigned i = 0; i < l->nr && !err; i++) {
		const struct loss *x = &l->by[i];

		if (x->flaw != flaws || !x->n)
			continue;
		err = buf__printf(b, "%s%" PRIu64 " %s", sep, x->n, x->text);
		if (!err && x->cure)
			err = buf__printf(b, " (%s)", x->cure);
		sep = ", ";
	}
	return err;
}

int print__losses(struct buf *b, const struct losses *l)
{
	uint64_t lost = losses__sum(l), known = l->kept + lost;
	int err = 0;

	if (lost) {
		err = buf__printf(b, "%" PRIu64 " lost: ", lost);
		if (!err)
			err = put_reasons(b, l, false);
	} else if (!l->untold) {
		err = buf__puts(b, known < l->seen ? "no loss reported" : "nothing lost");
	}
	if (!err && l->untold)
		err = buf__printf(b, "%swhat was lost before is not told", lost ? ", " : "");
	/* Never hide a sum that does not add up. */
	if (!err && known < l->seen)
		err = buf__printf(b, ", %" PRIu64 " unaccounted for", l->seen - known);
	return err;
}

int print__flaws(struct buf *b, const struct losses *l)
{
	return put_reasons(b, l, true);
}

int print__loss_line(struct buf *b, const char *what, const struct losses *l)
{
	int err = buf__printf(b, "%s: ", what);
	size_t before;

	if (!err && !l->untold)
		err = buf__printf(b, "%" PRIu64 " seen, ", l->seen);
	if (!err)
		err = buf__printf(b, "%" PRIu64 " kept, ", l->kept);
	if (!err)
		err = print__losses(b, l);
	if (!err)
		err = buf__puts(b, "\nincomplete: ");
	if (err)
		return err;
	before = b->len;
	err = print__flaws(b, l);
	if (!err && b->len == before) {
		b->len = before - sizeof("\nincomplete: ") + 1;
		b->data[b->len] = '\0';
	}
	return err;
}

int print__losses_of(struct buf *b, const char *noun, const struct losses *l)
{
	uint64_t lost = losses__sum(l);
	struct buf text = {};
	int err = print__losses(&text, l);

	if (!err && lost)
		err = buf__printf(b, "%" PRIu64 " of %" PRIu64 " %ss lost%s", lost, l->seen, noun,
				  strchr(text.data, ':'));
	else if (!err)
		err = buf__puts(b, text.data);
	buf__clear(&text);
	if (!err)
		err = print__flaws(&text, l);
	if (!err && text.len)
		err = buf__printf(b, " · incomplete: %s", text.data);
	buf__free(&text);
	return err;
}
