// SPDX-License-Identifier: BSD-2-Clause
/* Filters as people type them, of the fields in filter_fields.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/plan/filter_fields.h"
#include "plan/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_term(const struct filter_cfg *cfg, const struct filter_term *t)
{
	const char *text = (const char *)t->text;

	if (t->compare > FILTER_GLOB || !t->left.source)
		abort();
	if (t->compare == FILTER_GLOB && (t->glob >= FILTER_GLOBS || !cfg->globs[t->glob].end))
		abort();
	/* Strings that fill all but the end may have been cut, and are equal to none. */
	if (text[FETCH_STRING_BYTES - 2] || text[FETCH_STRING_BYTES - 1])
		abort();
}

static void check(const struct filter_cfg *cfg)
{
	unsigned nr_passing = 0;

	if (!cfg->nr || cfg->nr > FILTER_TERMS)
		abort();
	for (unsigned i = 0; i < cfg->nr; i++) {
		check_term(cfg, &cfg->terms[i]);
		for (unsigned k = 0; k < i; k++)
			if (!memcmp(&cfg->terms[i], &cfg->terms[k], sizeof(cfg->terms[i])))
				abort();
	}
	for (unsigned i = 0; i < 1u << FILTER_TERMS; i++) {
		bool passes = cfg->truth[i / 64] >> i % 64 & 1;

		if (passes && i >> cfg->nr)
			abort();
		nr_passing += passes;
	}
	if (!nr_passing)
		abort();
}

/* The opposite lets pass what this does not, unless this lets all pass. */
static void check_opposite(const struct filter_cfg *cfg, const char *text)
{
	uint64_t all = cfg->nr < 6 ? (1ull << (1u << cfg->nr)) - 1 : UINT64_MAX;
	size_t nr_words = cfg->nr < 6 ? 1 : 1u << (cfg->nr - 6);
	struct filter_cfg other;
	struct buf opposite = {}, why = {};
	int err;

	if (buf__printf(&opposite, "!(%s)", text))
		abort();
	err = filter__compile(&other, opposite.data, NULL, NULL, &why);
	for (size_t i = 0; !err && i < nr_words; i++)
		if (other.truth[i] != (cfg->truth[i] ^ all))
			abort();
	if (err && !why.len)
		abort();
	buf__free(&opposite);
	buf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct filter_cfg cfg;
	struct buf why = {};

	if (!text)
		abort();
	if (!filter__compile(&cfg, text, NULL, NULL, &why)) {
		check(&cfg);
		check_opposite(&cfg, text);
	} else if (strncmp(why.data ? why.data : "", "in '", 4)) {
		abort(); /* failing is fine, failing without a place is not */
	}
	buf__free(&why);
	free(text);
	return 0;
}
