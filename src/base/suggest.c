// SPDX-License-Identifier: BSD-2-Clause
/* Appends similar names, or a list of all, to an error message. */
#include "base/suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

enum { MAX_SUGGESTIONS = 3, LISTED_MAX = 16 };

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

/* "; there is a, b, c", cut after some. */
static int list(struct buf *why, const char **names, size_t nr)
{
	size_t listed = nr < LISTED_MAX ? nr : LISTED_MAX, i;
	int err = 0;

	for (i = 0; !err && i < listed; i++)
		err = buf__printf(why, "%s%s", i ? ", " : "; there is ", names[i]);
	if (!err && listed < nr)
		err = buf__printf(why, " and %zu more", nr - listed);
	return err;
}

int suggest_or_list(struct buf *why, const char *name, const char **names, size_t nr)
{
	size_t len = why->len;
	int err = suggest(why, name, names, nr);

	return err || why->len > len ? err : list(why, names, nr);
}

/* "tcp_*_send?" -> "tcp__send" */
static char *without_wild_cards(const char *name)
{
	char *plain = strdup(name), *to = plain;

	for (; plain && *name; name++)
		if (!strchr("*?", *name))
			*to++ = *name;
	if (plain)
		*to = '\0';
	return plain;
}

int suggest_of(struct buf *why, const char *name, const struct strtab *table)
{
	size_t nr = strtab__nr(table), i;
	const char **names = calloc(nr, sizeof(*names)); /* 0 is the empty string */
	char *plain = without_wild_cards(name);
	int err = -ENOMEM;

	for (i = 1; names && i < nr; i++)
		names[i] = strtab__get(table, i);
	if (names && plain)
		err = suggest(why, plain, names, nr);
	free(names);
	free(plain);
	return err;
}
