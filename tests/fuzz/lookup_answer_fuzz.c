// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as the answer of a reader that a file has taken over. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/insns.h"
#include "lookup/lookup_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The kind of question, if it has a text and a provider, and the number of records. */
struct head {
	uint8_t kind, has_text, has_provider, nr;
};

static void look_at(const struct lookup_question *q, const struct lookup_record *r,
		    const char *const texts[LOOKUP_TEXTS], size_t len)
{
	size_t bytes = sizeof(*r);

	for (size_t i = 0; i < LOOKUP_TEXTS; i++)
		bytes += texts[i] ? strlen(texts[i]) + 1 : 0;
	if (bytes > len || r->offset > INT64_MAX || r->condition < INSN_ALWAYS || r->condition > 15)
		abort();
	if (q->kind == LOOKUP_FUNCTIONS && (!texts[LOOKUP_NAME] || !*texts[LOOKUP_NAME]))
		abort();
	if (q->kind == LOOKUP_USDT &&
	    (!texts[LOOKUP_NAME] || !texts[LOOKUP_PROVIDER] || !texts[LOOKUP_ARGS]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct lookup_answer a = {};
	const char *texts[LOOKUP_TEXTS];
	struct lookup_question q = {};
	struct lookup_record r;
	struct head head;
	uint32_t nr = 0;
	size_t at = 0;

	if (len < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	q.kind = head.kind % (LOOKUP_KINDS + 1);
	q.text = head.has_text & 1 ? "name" : NULL;
	q.provider = head.has_provider & 1 ? "shop" : NULL;
	a.nr = head.nr;
	a.len = len - sizeof(head);
	/* Of its own size: a byte too far is found. */
	a.bytes = malloc(a.len ? a.len : 1);
	if (!a.bytes)
		return 0;
	memcpy(a.bytes, data + sizeof(head), a.len);
	if (lookup_answer__check(&a, &q)) {
		while (lookup_answer__next(&a, &at, &r, texts)) {
			look_at(&q, &r, texts, a.len);
			nr++;
		}
		if (nr != a.nr || at != a.len)
			abort();
	}
	lookup_answer__free(&a);
	return 0;
}
