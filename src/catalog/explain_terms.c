// SPDX-License-Identifier: BSD-2-Clause
/* Writes an attr as the terms of its PMU, which sysfs describes. */
#include <errno.h>
#include <string.h>

#include "catalog/explain.h"
#include "event/pmu.h"
#include "event/pmu_terms.h"

static void get_words(const struct perf_event_attr *attr, uint64_t words[PMU_CONFIGS])
{
	words[0] = attr->config;
	words[1] = attr->config1;
	words[2] = attr->config2;
	words[3] = 0;
#ifdef PERF_ATTR_SIZE_VER8 /* Linux 6.3 */
	words[3] = attr->config3;
#endif
}

/* The bits of a field, lowest first: what pmu_field__set() puts there. */
static uint64_t get_field(const struct pmu_field *f, const uint64_t words[PMU_CONFIGS])
{
	uint64_t value = 0;
	unsigned at = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(f->bits >> bit & 1))
			continue;
		value |= (words[f->word] >> bit & 1) << at++;
	}
	return value;
}

/* Appends NAME=VALUE, unless its bits are 0 or in fields before; takes them out of @left. */
static int put_field(struct buf *out, const char *name, const struct pmu_field *f,
		     const uint64_t words[PMU_CONFIGS], uint64_t left[PMU_CONFIGS])
{
	int err = 0;

	if (!(left[f->word] & f->bits))
		return 0;
	left[f->word] &= ~f->bits;
	if (out->len)
		err = buf__puts(out, ",");
	return err ? err
		   : buf__printf(out, "%s=0x%llx", name, (unsigned long long)get_field(f, words));
}

/*
 * @out: the terms; empty if the fields do not cover all bits that are set. event=.. comes first,
 * then the others in the order of their config words: as people write it.
 */
static int put_fields(struct buf *out, const struct pmu_words *w, const uint64_t words[PMU_CONFIGS])
{
	uint64_t left[PMU_CONFIGS];
	struct pmu_field f;
	int err = 0;

	memcpy(left, words, sizeof(left));
	for (size_t i = 0; i < w->nr_formats && !err; i++)
		if (!strcmp(w->formats[i].name, "event") &&
		    !pmu_field__parse(&f, w->formats[i].bits))
			err = put_field(out, w->formats[i].name, &f, words, left);
	for (unsigned word = 0; word < PMU_CONFIGS; word++)
		for (size_t i = 0; i < w->nr_formats && !err; i++)
			if (!pmu_field__parse(&f, w->formats[i].bits) && f.word == word)
				err = put_field(out, w->formats[i].name, &f, words, left);
	if (left[0] | left[1] | left[2] | left[3])
		buf__clear(out);
	return err;
}

/* Fields may overlap: only what reads back as the same is taken. */
static bool is_same(const struct buf *terms, const struct pmu_words *w,
		    const uint64_t words[PMU_CONFIGS])
{
	struct pmu_terms back;
	struct buf why = {};
	int err = terms->len ? pmu_terms__parse(&back, w, terms->data, terms->len, &why) : -EINVAL;

	buf__free(&why);
	return !err && !memcmp(back.config, words, sizeof(back.config));
}

static int put_words(struct buf *out, const uint64_t words[PMU_CONFIGS])
{
	static const char *const names[PMU_CONFIGS] = { "config", "config1", "config2", "config3" };
	int err = 0;

	buf__clear(out);
	for (size_t i = 0; i < PMU_CONFIGS && !err; i++)
		if (words[i] || !i)
			err = buf__printf(out, "%s%s=0x%llx", out->len ? "," : "", names[i],
					  (unsigned long long)words[i]);
	return err;
}

static int put_terms(struct buf *out, const char *root, const char *pmu,
		     const struct perf_event_attr *attr)
{
	uint64_t words[PMU_CONFIGS];
	struct buf terms = {};
	struct pmu_words w;
	int err = pmu_words__read(&w, root, pmu);

	if (err)
		return err;
	get_words(attr, words);
	err = put_fields(&terms, &w, words);
	if (!err && !is_same(&terms, &w, words))
		err = put_words(&terms, words);
	if (!err)
		err = buf__printf(out, "%s/%s/", pmu, terms.data);
	pmu_words__free(&w);
	buf__free(&terms);
	return err;
}

int explain__terms(const char *root, const struct perf_event_attr *attr, struct buf *out)
{
	struct pmu *pmus;
	size_t nr, i;
	int err = pmus__read(root, &pmus, &nr);

	if (err)
		return err == -ENOENT ? 0 : err;
	for (i = 0; i < nr && pmus[i].type != attr->type; i++)
		;
	if (i < nr)
		err = put_terms(out, root, pmus[i].name, attr);
	pmus__free(pmus, nr);
	return err == -ENOENT ? 0 : err; /* it has gone meanwhile */
}
