// SPDX-License-Identifier: BSD-2-Clause
/*
 * draw - folded stacks on stdin, our flame graph on stdout: what `profile` does after naming.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"
#include "print/flame/svg.h"

static int add_line(struct profile *p, char *line)
{
	char *count = strrchr(line, ' '), *name, *rest = line;
	struct row_key key = {};
	int err = 0;

	if (!count)
		return 0;
	*count++ = '\0';
	while (!err && (name = strsep(&rest, ";"))) {
		struct frame f = { .kind = key.stack ? FRAME_USER : FRAME_COMM };
		char *kernel = strstr(name, "_[k]");
		uint32_t frame;

		if (kernel) {
			*kernel = '\0';
			f.kind = FRAME_KERNEL;
		}
		err = profile__string(p, name, strlen(name), &f.name);
		if (!err)
			err = profile__frame(p, &f, &frame);
		if (!err)
			err = profile__child(p, key.stack, frame, &key.stack);
	}
	return err ? err : profile__add(p, &key, strtoull(count, NULL, 10), 0, NULL);
}

int main(void)
{
	const struct profile_event ev = { .name = "cpu-clock", .unit = "ns", .hz = 9999 };
	const struct svg_opts opts = {};
	struct profile *p = profile__new();
	size_t cap = 0;
	char *line = NULL;
	uint32_t id;
	int err = p ? profile__event(p, &ev, &id) : -1;

	while (!err && getline(&line, &cap, stdin) > 0)
		err = add_line(p, line);
	if (!err)
		err = print__svg(stdout, p, &opts);
	free(line);
	profile__free(p);
	return err || fflush(stdout) ? 1 : 0;
}
