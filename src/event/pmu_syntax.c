// SPDX-License-Identifier: BSD-2-Clause
/* Parses fields ("config:0-7,32-35"), spreads values over their bits, splits lists of terms. */
#include "event/pmu_syntax.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

int pmu_field__parse(struct pmu_field *f, const char *text)
{
	const char *colon = strchr(text, ':');
	uint32_t *bits;
	size_t nr;
	int err;

	*f = (struct pmu_field){};
	if (!colon || strncmp(text, "config", 6))
		return -EINVAL;
	if (colon - text == 7 && text[6] >= '1' && text[6] <= '9')
		f->word = text[6] - '0';
	else if (colon - text != 6)
		return -EINVAL;
	err = parse__list(colon + 1, 63, &bits, &nr);
	if (err)
		return err == -ENOMEM ? err : -EINVAL;
	while (nr)
		f->bits |= 1ull << bits[--nr];
	free(bits);
	return f->word < PMU_CONFIGS ? 0 : -EOPNOTSUPP;
}

unsigned pmu_field__width(const struct pmu_field *f)
{
	return __builtin_popcountll(f->bits);
}

int pmu_field__set(const struct pmu_field *f, uint64_t value, uint64_t words[PMU_CONFIGS])
{
	uint64_t left, spread = 0;

	for (left = f->bits; left; left &= left - 1, value >>= 1)
		if (value & 1)
			spread |= left & -left;
	if (value)
		return -ERANGE;
	words[f->word] = (words[f->word] & ~f->bits) | spread;
	return 0;
}

int pmu_term__next(char **text, struct pmu_term *t)
{
	char *s = *text, *end = s + strcspn(s, ",="), *quote;

	*t = (struct pmu_term){ .name = s };
	if (end == s)
		return -EINVAL;
	if (*end == '=') {
		*end++ = '\0';
		t->value = end;
		if (*end == '\'' || *end == '"') {
			quote = strchr(end + 1, *end);
			if (!quote || (quote[1] && quote[1] != ','))
				return -EINVAL;
			*quote = '\0';
			t->value++;
			end = quote + 1;
		} else {
			end += strcspn(end, ",");
		}
	}
	*text = *end ? end + 1 : NULL;
	*end = '\0';
	return 0;
}
