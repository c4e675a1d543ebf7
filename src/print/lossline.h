/* SPDX-License-Identifier: BSD-2-Clause */
/* print/lossline.h - the sentence about losses that ends every output. */
#ifndef PMUTRACE_PRINT_LOSSLINE_H
#define PMUTRACE_PRINT_LOSSLINE_H

#include "base/buf.h"

struct losses;

/**
 * print__loss_line() - append the loss line, without a newline at its end
 * @what: what was seen and kept: "samples", "hits"
 *
 *	samples: 1041 seen, 1041 kept, nothing lost
 *	samples: 1041 seen, 1029 kept, 12 lost: 10 table full (use --stacks N), 2 no memory
 *
 *	samples: 1041 kept, what was lost before is not told
 *
 * With flaws a second line follows: "incomplete: 3 stacks cut at --max-stack (...)".
 *
 * Return: 0 or -ENOMEM.
 */
int print__loss_line(struct buf *b, const char *what, const struct losses *l) must_check;

/* Its parts: "nothing lost" or "12 lost: ..."; the flaws, or nothing where there are none. */
int print__losses(struct buf *b, const struct losses *l) must_check;
int print__flaws(struct buf *b, const struct losses *l) must_check;

/*
 * In one line, for a place that has no more. @noun: "sample".
 *
 *	12 of 1041 samples lost: 10 table full (use --stacks N), 2 no memory · incomplete: 1 cut
 */
int print__losses_of(struct buf *b, const char *noun, const struct losses *l) must_check;

#endif
