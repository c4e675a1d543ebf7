// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as sections of debug information: an answer may be missing, nothing else may happen.
 *
 * The input: for each section a length of two bytes, then its bytes. The last one takes the rest.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { FRAMES_MAX = 1 << 16 };

struct input {
	const uint8_t *at;
	size_t left;
};

/* Copied, so that reading on behind the end is seen. */
static struct dwarf_section take_section(struct input *in)
{
	size_t len = in->left;
	uint8_t *copy;

	if (len >= 2) {
		len = in->at[0] | in->at[1] << 8;
		in->at += 2;
		in->left -= 2;
	}
	if (len > in->left)
		len = in->left;
	copy = malloc(len);
	if (len && !copy)
		abort();
	if (len)
		memcpy(copy, in->at, len);
	in->at += len;
	in->left -= len;
	return (struct dwarf_section){ .bytes = copy, .len = len };
}

/* The split unit of whichever skeleton: the sections of the program itself. */
static int open_split(void *arg, const char *comp_dir, const char *name, uint64_t id,
		      struct dwarf_split *out)
{
	const struct dwarf_sections *s = arg;

	*out = (struct dwarf_split){ .info = s->alt_info,
				     .abbrev = s->alt_abbrev,
				     .str = s->str,
				     .str_offsets = s->str_offsets,
				     .rnglists = s->rnglists };
	return comp_dir && strlen(comp_dir) + strlen(name) == id ? -ENOENT : 0;
}

static void close_split(void *arg, struct dwarf_split *split)
{
}

static void ask(struct dwarf *d, uint64_t addr, struct dwarf_chain *chain, struct buf *path)
{
	if (dwarf__find(d, addr, chain))
		return;
	if (!chain->nr || chain->nr > FRAMES_MAX || chain->frames[chain->nr - 1].inlined)
		abort();
	for (size_t i = 0; i < chain->nr; i++) {
		const char *name = dwarf__name(d, chain->frames[i].name);

		if (name && !*name)
			abort();
		buf__clear(path);
		if (dwarf__path(d, chain->frames[i].path, path))
			continue;
	}
}

static void read_all(const struct dwarf_sections *s, const struct dwarf_opts *opts)
{
	struct dwarf_chain chain = {};
	struct buf path = {};
	struct dwarf *d;

	if (dwarf__open(&d, s, opts))
		return;
	for (uint64_t addr = 0; addr < 0x10000; addr += 0x3ff)
		ask(d, addr, &chain, &path);
	for (uint64_t addr = 0x401000; addr < 0x402000; addr += 0x1f)
		ask(d, addr, &chain, &path);
	dwarf__close(d);
	free(chain.frames);
	buf__free(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input in = { data, len };
	struct dwarf_sections s;
	struct dwarf_section *const all[] = {
		&s.abbrev,     &s.line,	   &s.str,	    &s.line_str, &s.str_offsets,
		&s.addr,       &s.ranges,  &s.rnglists,	    &s.aranges,	 &s.alt_info,
		&s.alt_abbrev, &s.alt_str, &s.alt_line_str, &s.info,
	};
	struct dwarf_package package = {};
	struct dwarf_opts opts = {
		.text_high = UINT64_MAX - 2,
		.max_bytes = 1 << 20,
		.open_split = open_split,
		.close_split = close_split,
		.arg = &s,
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		*all[i] = take_section(&in);
	read_all(&s, &opts);
	/* Once more with what comes of tight bounds, and with a package. */
	opts.max_bytes = 1;
	opts.text_low = 0x1000;
	package.index = s.alt_str;
	package.sections.info = s.alt_info;
	package.sections.abbrev = s.alt_abbrev;
	package.sections.str = s.str;
	opts.package = &package;
	read_all(&s, &opts);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		free((void *)all[i]->bytes);
	return 0;
}
