// SPDX-License-Identifier: BSD-2-Clause
/* Has USDT probes of a file read. */
#include "lookup/usdt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/lookup_reader.h"

static struct usdt_probe probe_of(const struct lookup_record *r,
				  const char *const texts[LOOKUP_TEXTS])
{
	return (struct usdt_probe){
		.provider = texts[LOOKUP_PROVIDER],
		.name = texts[LOOKUP_NAME],
		.args = texts[LOOKUP_ARGS],
		.offset = r->offset,
		.semaphore = r->more,
	};
}

int usdt__each(struct lookup_reader *reader, const char *path, usdt_fn *fn, void *arg,
	       struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_USDT };
	const char *texts[LOOKUP_TEXTS];
	struct lookup_answer a;
	struct lookup_record r;
	struct usdt_probe p;
	size_t at = 0;
	int err = lookup_reader__ask(reader, path, &q, &a, why);

	if (err)
		return err;
	while (!err && lookup_answer__next(&a, &at, &r, texts)) {
		p = probe_of(&r, texts);
		err = fn(&p, arg);
	}
	lookup_answer__free(&a);
	return err;
}

/* Probes, and behind them their texts. */
static struct usdt_probe *copy(const struct lookup_answer *a)
{
	const size_t bytes = a->nr * sizeof(struct usdt_probe);
	struct usdt_probe *out = malloc(bytes + a->len);
	const char *texts[LOOKUP_TEXTS];
	struct lookup_answer inside = { .len = a->len, .nr = a->nr };
	struct lookup_record r;
	size_t at = 0;

	if (!out)
		return NULL;
	inside.bytes = (char *)out + bytes;
	memcpy(inside.bytes, a->bytes, a->len);
	for (size_t i = 0; lookup_answer__next(&inside, &at, &r, texts); i++)
		out[i] = probe_of(&r, texts);
	return out;
}

int usdt__find(struct lookup_reader *reader, const char *path, const char *provider,
	       const char *name, struct usdt_probe **out, size_t *nr, struct buf *why)
{
	const struct lookup_question q = {
		.kind = LOOKUP_USDT,
		.text = name,
		.provider = provider,
	};
	struct lookup_answer a;
	int err;

	*out = NULL;
	*nr = 0;
	err = lookup_reader__ask(reader, path, &q, &a, why);
	if (err)
		return err;
	*out = copy(&a);
	*nr = *out ? a.nr : 0;
	lookup_answer__free(&a);
	return *out ? 0 : -ENOMEM;
}
