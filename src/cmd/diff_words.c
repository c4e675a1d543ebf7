// SPDX-License-Identifier: BSD-2-Clause
/* Parses what is typed behind diff. */
#include "cmd/diff_words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "cmd/cmd.h"
#include "print/diff.h"

int diff_words__sides(const struct cmd_words *words, struct diff_files sides[2], struct buf *why)
{
	size_t nr = 0;

	while (words->command && words->command[nr])
		nr++;
	if (words->command) {
		sides[0] = (struct diff_files){ words->word, (size_t)words->nr };
		sides[1] = (struct diff_files){ words->command, nr };
	} else if (words->nr == 2) {
		sides[0] = (struct diff_files){ words->word, 1 };
		sides[1] = (struct diff_files){ words->word + 1, 1 };
	} else {
		return why__refuse(why, -EINVAL,
				   "diff compares two files: A B; or several of each side: A.. -- "
				   "B..");
	}
	if (!sides[0].nr || !sides[1].nr)
		return why__refuse(why, -EINVAL, "diff: there is no file %s --",
				   sides[0].nr ? "behind" : "before");
	for (size_t i = 0; i < sides[1].nr; i++)
		if (sides[1].items[i][0] == '-' && sides[1].items[i][1])
			return why__refuse(
				why, -EINVAL,
				"%s: behind -- there are files of B; options come before "
				"it",
				sides[1].items[i]);
	return 0;
}

int diff_words__unit(const char *text, enum tally_unit *unit, struct buf *why)
{
	*unit = TALLY_AUTO;
	if (!text)
		return 0;
	for (*unit = TALLY_SAMPLES; *unit <= TALLY_RUNS; ++*unit)
		if (!strcmp(diff__unit_name(*unit), text))
			return 0;
	return why__refuse(why, -EINVAL, "--unit: '%s' is none of runs, windows, threads, samples",
			   text);
}

int diff_words__limit(const char *text, struct difference_limit_opts *limit, struct buf *why)
{
	const size_t digits = strspn(text, "0123456789.");
	char *end = NULL;
	const double percent = strtod(text, &end);

	/* strtod() knows more than numbers: "nan", "0x1p3". */
	if (digits && end == text + digits && isfinite(percent) && percent > 0) {
		*limit = (struct difference_limit_opts){ .limit = percent / 100 };
		end += *end == '%';
		if (!*end)
			return 0;
		limit->function = end + 1;
		if (*end == ':' && end[1])
			return 0;
	}
	return why__refuse(why, -EINVAL, "--fail-above: '%s' is no PERCENT or PERCENT:FUNCTION",
			   text);
}
