// SPDX-License-Identifier: BSD-2-Clause
/* Looks for a few names in /proc/kallsyms. */
#include "sym/kernel_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"

/* "ffffffff81000000 A name": the name, or NULL where that is one of a module. */
static const char *split(char *line, size_t len, uint64_t *value)
{
	const char *at = line, *end = line + len;

	line[len] = '\0';
	if (!parse_hex(&at, end, value) || end - at < 4 || strchr(at, '['))
		return NULL;
	return at + 3;
}

/* How many there are, or -errno. */
static int look(struct lines *l, const char *const *names, uint64_t *values, size_t nr)
{
	size_t found = 0;
	uint64_t value;
	char *line;
	size_t len;
	int more;

	while (found < nr && (more = lines__next(l, &line, &len)) != 0) {
		const char *name = more > 0 ? split(line, len, &value) : NULL;

		if (more < 0)
			return more;
		for (size_t i = 0; name && i < nr; i++) {
			if (strcmp(name, names[i]))
				continue;
			values[i] = value;
			found++;
		}
	}
	return found;
}

static int find(const char *path, const char *const *names, uint64_t *values, size_t nr)
{
	struct lines *l = calloc(1, sizeof(*l));
	uint64_t any = 0;
	int found;

	if (!l)
		return -ENOMEM;
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	found = l->fd < 0 ? -errno : look(l, names, values, nr);
	if (l->fd >= 0)
		close(l->fd);
	free(l);
	for (size_t i = 0; i < nr && found > 0; i++)
		any |= values[i];
	return found > 0 && !any ? -EACCES : found;
}

int kernel_data__find_some(const char *path, const char *const *names, uint64_t *values, size_t nr)
{
	int found;

	memset(values, 0, nr * sizeof(*values));
	found = find(path, names, values, nr);
	return found < 0 ? found : 0;
}

int kernel_data__find(const char *path, const char *const *names, uint64_t *values, size_t nr)
{
	int found = find(path, names, values, nr);

	return found < 0 ? found : (size_t)found < nr ? -ENOENT : 0;
}
