// SPDX-License-Identifier: BSD-2-Clause
/*
 * A configuration of the exporter: whatever stands in the file, what is taken from it is within the
 * limits, each name once, and each line is one of a command that measures, without a command to
 * start; what is refused is refused with the file's name and a line.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct config *c, size_t i)
{
	const struct config_line *l = &c->lines[i];

	if (!l->nr_words || l->words[l->nr_words] ||
	    (strcmp(l->words[0], "count") && strcmp(l->words[0], "func")))
		abort();
	for (size_t w = 0; w < l->nr_words; w++)
		if (!strcmp(l->words[w], "--"))
			abort();
	for (const char *at = l->name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			abort();
	if (!*l->name || strlen(l->name) > CONFIG_NAME)
		abort();
	for (size_t other = 0; other < i; other++)
		if (!strcmp(c->lines[other].name, l->name))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf bytes = {}, why = {};
	struct config c = {};
	int err;

	if (buf__puts(&bytes, "") || buf__put(&bytes, data, size))
		abort();
	err = config__parse(&c, &bytes, "file", &why);
	if (err && strncmp(why.len ? why.data : "", "file:", 5))
		abort();
	if (!err) {
		if (c.nr_lines > CONFIG_LINES)
			abort();
		for (size_t i = 0; i < c.nr_lines; i++)
			check_line(&c, i);
		for (size_t i = 0; i < c.nr_settings; i++)
			for (size_t other = 0; other < i; other++)
				if (!strcmp(c.settings[i].name, c.settings[other].name))
					abort();
	}
	config__free(&c);
	buf__free(&bytes);
	buf__free(&why);
	return 0;
}
