// SPDX-License-Identifier: BSD-2-Clause
/* Numbers strings, functions, mappings and locations, and writes each when it gets its number. */
#include "print/pprof_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/leb128.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "print/frame_text.h"
#include "print/pprof_mappings.h"

/* Keeps the first error. */
static bool failed(struct pprof_tables *t, int err)
{
	if (!t->err)
		t->err = err;
	return t->err;
}

/* Packed as a whole: piece by piece a sample of 20 frames would be 20 pieces. */
void pprof_tables__put(struct pprof_tables *t, const Pprof__Profile *part)
{
	const size_t len = pprof__profile__get_packed_size(part);

	if (t->err || failed(t, array__grow(&t->packed, &t->cap_packed, len)))
		return;
	gzip__put(&t->gz, t->packed, pprof__profile__pack(part, t->packed));
}

/* At most: numbers of 10 bytes, a tag and a length for each list and label. */
static size_t sample_bytes_max(const Pprof__Sample *s)
{
	enum { LIST = 1 + LEB128_BYTES, LABEL = LIST + 4 * (1 + LEB128_BYTES) };

	return 2 * LIST + (s->n_location_id + s->n_value) * LEB128_BYTES + s->n_label * LABEL;
}

/* A message Profile of which nothing but this is said is its tag, its length, and what it is. */
void pprof_tables__put_sample(struct pprof_tables *t, const Pprof__Sample *sample)
{
	enum { TAG = 2 << 3 | 2, HEAD = 1 + LEB128_BYTES };
	uint8_t head[HEAD] = { TAG };
	size_t len, head_len;
	uint8_t *at;

	if (t->err ||
	    failed(t, array__grow(&t->packed, &t->cap_packed, HEAD + sample_bytes_max(sample))))
		return;
	len = pprof__sample__pack(sample, t->packed + HEAD);
	head_len = 1 + leb128__put(head + 1, len);
	at = t->packed + HEAD - head_len;
	memcpy(at, head, head_len);
	gzip__put(&t->gz, at, head_len + len);
}

/* A text that none is equal to. */
static uint32_t new_string(struct pprof_tables *t, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *texts[] = { (char *)text };

	part.n_string_table = 1;
	part.string_table = texts;
	pprof_tables__put(t, &part);
	return ++t->nr_strings;
}

int64_t pprof_tables__string(struct pprof_tables *t, uint32_t string)
{
	if (string && !t->string_of[string])
		t->string_of[string] = new_string(t, strtab__get(t->p->strings, string));
	return t->string_of[string];
}

int64_t pprof_tables__text(struct pprof_tables *t, const char *text)
{
	const size_t len = strlen(text);
	uint32_t id;

	if (strtab__find(t->p->strings, text, len, &id))
		return pprof_tables__string(t, id);
	if (failed(t, strtab__add(t->others, text, len, &id)) ||
	    failed(t, array__grow(&t->other_of, &t->cap_others, id + 1)))
		return 0;
	if (id > t->nr_others) {
		t->nr_others = id;
		t->other_of[id] = new_string(t, text);
	}
	return t->other_of[id];
}

static uint64_t function_of(struct pprof_tables *t, int64_t name, int64_t file, uint32_t start_line)
{
	const uint64_t words[] = { name, file, start_line };
	const size_t nr = t->functions.nr;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *all[] = { &function };
	uint32_t id;

	if (failed(t, tuples__add(&t->functions, words, &id)))
		return 0;
	function.id = (uint64_t)id + 1;
	if (id < nr)
		return function.id;
	function.name = name;
	function.system_name = name;
	function.filename = file;
	function.start_line = start_line;
	part.n_function = 1;
	part.function = all;
	pprof_tables__put(t, &part);
	return function.id;
}

/* A frame as a line of its location, whose address and mapping it tells. */
static void put_line(struct pprof_tables *t, uint32_t frame, Pprof__Location *location,
		     Pprof__Line *line)
{
	struct code_place at = {};
	const uint32_t named = t->p->frames[frame].name;
	const int64_t name = named ? pprof_tables__string(t, named)
				   : pprof_tables__text(t, frame_text__name(t->p, frame));

	if (profile__place_of(t->p, frame, &at))
		location->address = at.addr;
	location->mapping_id = pprof_mappings__of(&t->mappings, frame);
	line->function_id = function_of(t, name, pprof_tables__string(t, at.source), at.start_line);
	line->line = at.line;
}

uint64_t pprof_tables__location(struct pprof_tables *t, const uint32_t *frames, size_t nr)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *all[] = { &location };
	Pprof__Line *lines = calloc(nr, sizeof(*lines));
	Pprof__Line **line = calloc(nr, sizeof(*line));

	if (!lines || !line) {
		(void)failed(t, -ENOMEM);
		goto out_free;
	}
	location.id = ++t->nr_locations;
	for (size_t i = 0; i < nr; i++) {
		pprof__line__init(&lines[i]);
		line[i] = &lines[i];
		put_line(t, frames[i], &location, &lines[i]);
	}
	location.n_line = nr;
	location.line = line;
	part.n_location = 1;
	part.location = all;
	pprof_tables__put(t, &part);
out_free:
	free(lines);
	free(line);
	return location.id;
}

uint64_t pprof_tables__note(struct pprof_tables *t, const char *name)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *all[] = { &location };
	Pprof__Line line = PPROF__LINE__INIT, *lines[] = { &line };

	line.function_id = function_of(t, pprof_tables__text(t, name), 0, 0);
	location.id = ++t->nr_locations;
	location.n_line = 1;
	location.line = lines;
	part.n_location = 1;
	part.location = all;
	pprof_tables__put(t, &part);
	return location.id;
}

static void put_mapping(struct pprof_tables *t, const struct pprof_mapping *m, uint64_t id)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *all[] = { &mapping };

	mapping.id = id;
	mapping.memory_start = m->start;
	mapping.memory_limit = m->limit;
	mapping.file_offset = m->offset;
	mapping.filename = pprof_tables__string(t, m->path);
	mapping.build_id = pprof_tables__string(t, m->build_id);
	mapping.has_functions = m->has_functions;
	mapping.has_filenames = m->has_lines;
	mapping.has_line_numbers = m->has_lines;
	mapping.has_inline_frames = m->has_inlined;
	part.n_mapping = 1;
	part.mapping = all;
	pprof_tables__put(t, &part);
}

/* String 0 is there without being asked for: an empty one is told all the same. */
static void put_first_string(struct pprof_tables *t)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char empty[] = "", *texts[] = { empty };

	part.n_string_table = 1;
	part.string_table = texts;
	pprof_tables__put(t, &part);
}

void pprof_tables__begin(struct pprof_tables *t, FILE *f, const struct profile *p)
{
	gzip__begin(&t->gz, f);
	t->p = p;
	t->functions.width = 3;
	t->others = strtab__new();
	t->string_of = calloc(strtab__nr(p->strings), sizeof(*t->string_of));
	if (failed(t, t->others && t->string_of ? 0 : -ENOMEM) ||
	    failed(t, pprof_mappings__find(&t->mappings, p)))
		return;
	put_first_string(t);
	for (size_t i = 0; i < t->mappings.nr; i++)
		put_mapping(t, &t->mappings.items[i], i + 1);
}

int pprof_tables__end(struct pprof_tables *t)
{
	int err = gzip__end(&t->gz);

	strtab__free(t->others);
	free(t->string_of);
	free(t->other_of);
	tuples__free(&t->functions);
	pprof_mappings__free(&t->mappings);
	free(t->packed);
	return t->err ? t->err : err;
}
