// SPDX-License-Identifier: BSD-2-Clause
#include "sym/suggest.h"

#include "base/parse.h"

enum { MAX_SUGGESTIONS = 3 };

static void forget(const char **names, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (names[i] == name)
			names[i] = NULL;
}

int suggest(struct buf *why, const char *name, const char **names, size_t nr)
{
	const char *found[MAX_SUGGESTIONS];
	size_t i, nr_found;
	int err = 0;

	for (nr_found = 0; nr_found < MAX_SUGGESTIONS; nr_found++) {
		found[nr_found] = nearest(name, names, nr, sizeof(*names));
		if (!found[nr_found])
			break;
		forget(names, nr, found[nr_found]);
	}
	for (i = 0; !err && i < nr_found; i++)
		err = buf__printf(why, "%s%s",
				  !i		      ? "; did you mean "
				  : i + 1 == nr_found ? " or "
						      : ", ",
				  found[i]);
	return err || !nr_found ? err : buf__puts(why, "?");
}
