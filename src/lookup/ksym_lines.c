// SPDX-License-Identifier: BSD-2-Clause
/* Parses the lines of /proc/kallsyms one after another. */
#include "lookup/ksym_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"

bool ksym_line__split(char *s, size_t len, const char **name, const char **module)
{
	char *end;

	s[len] = '\0';
	end = s + strcspn(s, " \t");
	if (end == s || memchr(s, '\0', len))
		return false;
	*name = s;
	*module = "";
	if (len - (end - s) > 3 && end[1] == '[' && s[len - 1] == ']') {
		*module = end + 2;
		s[len - 1] = '\0';
	}
	*end = '\0';
	return true;
}

/* "ADDRESS TYPE NAME[\t[MODULE]]" */
static bool parse_line(char *s, size_t len, struct ksym_line *line)
{
	const char *p = s, *end = s + len;

	if (!parse_hex(&p, end, &line->addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	line->type = p[1];
	p += 3;
	return ksym_line__split(s + (p - s), end - p, &line->name, &line->module);
}

int ksym_lines__each(const char *path, ksym_line_fn *fn, void *arg)
{
	struct lines *l = calloc(1, sizeof(*l));
	struct ksym_line line;
	size_t len;
	char *s;
	int err;

	if (!l)
		return -ENOMEM;
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (l->fd < 0) {
		err = -errno;
		goto out_free;
	}
	while ((err = lines__next(l, &s, &len)) > 0) {
		err = parse_line(s, len, &line) ? fn(&line, arg) : 0;
		if (err)
			break;
	}
	close(l->fd);
out_free:
	free(l);
	return err;
}

bool ksym_line__is_code(const struct ksym_line *line)
{
	return strchr("tTwW", line->type) && line->type;
}
