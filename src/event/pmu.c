// SPDX-License-Identifier: BSD-2-Clause
/* Reads type, CPUs and precision of each PMU from sysfs; matches PMU names against patterns. */
#include "event/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/log.h"
#include "base/parse.h"
#include "event/pmu_sysfs.h"

enum {
	CPUS_MAX = 1 << 16,
	PATTERN_MAX = 128,
	NAMES_SHOWN = 24,
	ADDRESS_DIGITS_MIN = 4, /* "armv8_cortex_a53" and "cpum_cf" end in no address */
};

/* A list of CPUs; empty when none is online. -ENOENT: there is no such file. */
static int read_cpus(const char *root, struct pmu *p, const char *file, struct buf *text)
{
	int err = pmu_sysfs__read(root, p->name, NULL, file, text);

	if (err || !text->len)
		return err;
	return parse__list(text->data, CPUS_MAX, &p->cpus, &p->nr_cpus);
}

/* @p has its name; half-built on error. */
static int read_pmu(const char *root, struct pmu *p, struct buf *text)
{
	uint64_t v;
	int err = pmu_sysfs__read(root, p->name, NULL, "type", text);

	if (!err)
		err = parse__u64(text->data, 0, UINT32_MAX, &v);
	if (err)
		return err;
	p->type = v;
	err = read_cpus(root, p, "cpus", text);
	/* "cpum_cf" is s390's; see is_pmu_core() of tools/perf/util/pmu.c. */
	p->core = !err || !strcmp(p->name, "cpu") || !strcmp(p->name, "cpum_cf");
	if (err == -ENOENT)
		err = read_cpus(root, p, "cpumask", text);
	p->any_cpu = err == -ENOENT;
	if (err && !p->any_cpu)
		return err;
	p->max_precise = PMU_PRECISE_UNKNOWN;
	err = pmu_sysfs__read(root, p->name, "caps", "max_precise", text);
	if (!err && !parse__u64(text->data, 0, 3, &v))
		p->max_precise = v;
	return err == -ENOMEM ? err : 0;
}

static void free_pmu(struct pmu *p)
{
	free(p->name);
	free(p->cpus);
}

int pmus__read(const char *root, struct pmu **out, size_t *nr)
{
	struct buf text = {};
	size_t nr_names, i;
	char **names;
	int err;

	*nr = 0;
	*out = NULL;
	err = pmu_sysfs__list(root, NULL, NULL, &names, &nr_names);
	if (err)
		return err;
	*out = calloc(nr_names + 1, sizeof(**out));
	if (!*out)
		err = -ENOMEM;
	for (i = 0; !err && i < nr_names; i++) {
		struct pmu *p = &(*out)[*nr];

		*p = (struct pmu){ .name = names[i] };
		names[i] = NULL;
		err = read_pmu(root, p, &text);
		if (!err) {
			++*nr;
			continue;
		}
		log__debug("PMU %s is left out: %s", p->name, strerror(-err));
		free_pmu(p);
		if (err != -ENOMEM)
			err = 0;
	}
	pmu_sysfs__free(names, nr_names);
	buf__free(&text);
	if (err) {
		pmus__free(*out, *nr);
		*out = NULL;
		*nr = 0;
	}
	return err;
}

void pmus__free(struct pmu *pmus, size_t nr)
{
	while (nr)
		free_pmu(&pmus[--nr]);
	free(pmus);
}

/* What distinguishes PMUs of one kind: "0", "_0", "_2b442". */
static bool is_number(const char *s, bool needs_dash)
{
	bool dash = *s == '_';

	s += dash;
	if (!*s || (needs_dash && !dash))
		return false;
	if (!s[strspn(s, "0123456789")])
		return true;
	return dash && strlen(s) >= ADDRESS_DIGITS_MIN && !s[strspn(s, "0123456789abcdef")];
}

static bool matches(const char *pmu, const char *pattern)
{
	size_t len = strlen(pattern);
	struct glob glob;

	if (strpbrk(pattern, "*?"))
		return !glob__compile(&glob, pattern) && glob__matches(&glob, pmu);
	if (!len || strncmp(pmu, pattern, len))
		return false;
	return !pmu[len] || is_number(pmu + len, isdigit((unsigned char)pattern[len - 1]));
}

bool pmu__matches(const char *pmu, const char *pattern, size_t len)
{
	static const char uncore[] = "uncore_";
	size_t skip = sizeof(uncore) - 1;
	char copy[PATTERN_MAX];

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, pattern, len);
	copy[len] = '\0';
	if (matches(pmu, copy))
		return true;
	return !strncmp(pmu, uncore, skip) && strncmp(copy, uncore, skip) &&
	       matches(pmu + skip, copy);
}

int pmu__put_names(struct buf *out, const char *const *items, size_t nr, size_t stride)
{
	size_t shown = nr <= NAMES_SHOWN ? nr : NAMES_SHOWN;
	int err = 0;

	for (size_t i = 0; !err && i < shown; i++)
		err = buf__printf(out, "%s%s", i ? ", " : "",
				  *(const char *const *)((const char *)items + i * stride));
	if (!err && shown < nr)
		err = buf__printf(out, ", .. (%zu more)", nr - shown);
	return err;
}

int pmus__explain_unknown(const char *root, const char *pattern, size_t len, struct buf *why)
{
	char *word = strndup(pattern, len);
	struct pmu *pmus = NULL;
	const char *near;
	size_t nr = 0;
	int err;

	if (!word)
		return -ENOMEM;
	err = pmus__read(root, &pmus, &nr);
	if (err == -ENOMEM)
		goto out_free;
	near = nr ? nearest(word, (const char *const *)&pmus->name, nr, sizeof(*pmus)) : NULL;
	err = buf__printf(why, "no PMU named '%s'", word);
	if (!err && near)
		err = buf__printf(why, "; did you mean %s? This kernel has ", near);
	else if (!err)
		err = buf__printf(why, "; this kernel has %s", nr ? "" : "none");
	if (!err && nr)
		err = pmu__put_names(why, (const char *const *)&pmus->name, nr, sizeof(*pmus));
out_free:
	pmus__free(pmus, nr);
	free(word);
	return err;
}
