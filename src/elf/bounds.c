// SPDX-License-Identifier: BSD-2-Clause
/* Collects the addresses of FDEs, sorts them, and finds one by halves. */
#include "elf/bounds.h"

#include <errno.h>
#include <stdlib.h>

#include "elf/eh_frame.h"

static int take_function(const struct eh_function *f, void *arg)
{
	struct bounds *b = arg;

	if (f->end > UINT32_MAX || f->end <= f->start)
		return 0;
	if (array__grow(&b->all, &b->cap, b->nr + 1))
		return -ENOMEM;
	b->unsorted |= b->nr && b->all[b->nr - 1].start > f->start;
	b->all[b->nr++] = (struct bound){ (uint32_t)f->start, (uint32_t)(f->end - f->start) };
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int bounds__read(struct bounds *b, const struct elf_from *from)
{
	struct bound *fit;
	int err = eh_frame__read(from, false, take_function, b);

	if (err)
		return err;
	if (b->unsorted)
		qsort(b->all, b->nr, sizeof(*b->all), by_start);
	fit = b->nr ? realloc(b->all, b->nr * sizeof(*fit)) : NULL;
	if (fit) {
		b->all = fit;
		b->cap = b->nr;
	}
	return 0;
}

void bounds__free(struct bounds *b)
{
	free(b->all);
	*b = (struct bounds){};
}

const struct bound *bounds__find(const struct bounds *b, uint64_t vaddr)
{
	const struct bound *f = b->all;
	size_t n = b->nr, half;

	if (!n || vaddr < f->start)
		return NULL;
	for (; n > 1; n -= half) {
		half = n / 2;
		f = f[half].start <= vaddr ? f + half : f;
	}
	return f;
}
