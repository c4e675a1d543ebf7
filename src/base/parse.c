// SPDX-License-Identifier: BSD-2-Clause
/* Parses numbers, counts, times and lists, and finds the name nearest to a misspelt one. */
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Digits of base @base up to the first other character; -EINVAL without any. */
static int digits(const char **s, unsigned base, uint64_t *out)
{
	const char *p = *s;
	uint64_t v = 0;

	for (; isxdigit((unsigned char)*p); p++) {
		unsigned d = isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10;

		if (d >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return -ERANGE;
	}
	if (p == *s)
		return -EINVAL;
	*s = p;
	*out = v;
	return 0;
}

static int in_range(uint64_t v, uint64_t min, uint64_t max, uint64_t *out)
{
	if (v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

int parse__u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	bool hex = s[0] == '0' && (s[1] | 32) == 'x';
	uint64_t v;
	int err;

	s += hex ? 2 : 0;
	err = digits(&s, hex ? 16 : 10, &v);
	if (err)
		return err;
	return *s ? -EINVAL : in_range(v, min, max, out);
}

int parse__count(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t v, exponent = 0;
	int err = digits(&s, 10, &v);

	if (err)
		return err;
	switch (*s) {
	case 'k':
		exponent = 3;
		s++;
		break;
	case 'M':
		exponent = 6;
		s++;
		break;
	case 'G':
		exponent = 9;
		s++;
		break;
	case 'e':
		s++;
		err = digits(&s, 10, &exponent);
		if (err)
			return err;
		break;
	}
	if (*s)
		return -EINVAL;
	for (; exponent; exponent--)
		if (__builtin_mul_overflow(v, 10, &v))
			return v ? -ERANGE : in_range(0, min, max, out);
	return in_range(v, min, max, out);
}

static const struct {
	const char *suffix;
	uint64_t ns;
} time_units[] = {
	{ "ns", 1 },	     { "us", 1000 },	      { "ms", 1000000 },
	{ "s", 1000000000 }, { "m", 60000000000ull }, { "h", 3600000000000ull },
};

int parse__time(const char *s, uint64_t unit_ns, uint64_t *out_ns)
{
	uint64_t whole = 0, ns = unit_ns, tenth, v;
	const char *decimals = NULL;
	size_t nr_decimals = 0, i;
	int err = digits(&s, 10, &whole);

	if (err)
		return err;
	if (*s == '.') {
		decimals = ++s;
		nr_decimals = strspn(s, "0123456789");
		if (!nr_decimals)
			return -EINVAL;
		s += nr_decimals;
	}
	if (*s) {
		for (i = 0; i < ARRAY_SIZE(time_units); i++)
			if (!strcmp(s, time_units[i].suffix))
				break;
		if (i == ARRAY_SIZE(time_units))
			return -EINVAL;
		ns = time_units[i].ns;
	}
	if (__builtin_mul_overflow(whole, ns, &v))
		return -ERANGE;
	for (i = 0, tenth = ns / 10; i < nr_decimals; i++, tenth /= 10)
		if (__builtin_add_overflow(v, (decimals[i] - '0') * tenth, &v))
			return -ERANGE;
	*out_ns = v;
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* One element of a list: "7", "2-5" or "0-14:2". */
static int list_element(const char **s, uint32_t max, uint32_t **out, size_t *nr, size_t *cap)
{
	uint64_t first, last, step = 1;
	int err = digits(s, 10, &first);

	last = first;
	if (!err && **s == '-') {
		++*s;
		err = digits(s, 10, &last);
		if (!err && **s == ':') {
			++*s;
			err = digits(s, 10, &step);
		}
	}
	if (err)
		return err;
	if (first > last || !step)
		return -EINVAL;
	if (last > max)
		return -ERANGE;
	for (; first <= last; first += step) {
		err = array__grow(out, cap, *nr + 1);
		if (err)
			return err;
		(*out)[(*nr)++] = first;
		if (step > max)
			break;
	}
	return 0;
}

int parse__list(const char *s, uint32_t max, uint32_t **out, size_t *nr)
{
	size_t cap = 0, kept = 0;
	int err;

	*out = NULL;
	*nr = 0;
	for (;;) {
		err = list_element(&s, max, out, nr, &cap);
		if (err)
			goto out_free;
		if (!*s)
			break;
		err = -EINVAL;
		if (*s++ != ',')
			goto out_free;
	}
	qsort(*out, *nr, sizeof(**out), compare_u32);
	for (size_t i = 0; i < *nr; i++)
		if (!kept || (*out)[i] != (*out)[kept - 1])
			(*out)[kept++] = (*out)[i];
	*nr = kept;
	return 0;

out_free:
	free(*out);
	*out = NULL;
	*nr = 0;
	return err;
}

enum { NEAREST_MAX = 64 };

/* Levenshtein's distance, case aside; one row of the matrix at a time. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NEAREST_MAX + 1], la = strlen(a), lb = strlen(b), diagonal, i, j;

	if (la > NEAREST_MAX || lb > NEAREST_MAX)
		return NEAREST_MAX;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			size_t same = (a[i - 1] | 32) == (b[j - 1] | 32);
			size_t best = diagonal + !same;

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *nearest(const char *s, const char *const *items, size_t nr, size_t stride)
{
	size_t best = strlen(s) / 3 + 1, d;
	const char *found = NULL;

	for (size_t i = 0; i < nr; i++) {
		const char *item = *(const char *const *)((const char *)items + i * stride);

		if (!item)
			continue;
		d = distance(s, item);
		/* "cach" is far from "cache-misses" by letters, but not by intention. */
		if (strlen(s) >= 3 && !strncasecmp(s, item, strlen(s)))
			d = 1;
		if (d < best || (d == best && !found)) {
			best = d;
			found = item;
		}
	}
	return found;
}
