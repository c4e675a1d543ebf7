// SPDX-License-Identifier: BSD-2-Clause
/* A table of frames by name, module and kind. */
#include "sym/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"

/*
 * The frame of this name and kind, and @of: its module, or the frame it is inlined into. Exact
 * below 2^32 strings and 2^30 modules and frames; these are far away.
 */
static int intern(struct frames *f, uint32_t name_id, uint32_t of, const struct sym_frame *frame,
		  uint32_t *id)
{
	const uint64_t key = (uint64_t)of << 34 | (uint64_t)frame->kind << 32 | name_id;
	int err;

	if (idmap__get(&f->by_name, key, id))
		return 0;
	err = array__grow(&f->items, &f->cap, f->nr + 1);
	if (!err)
		err = idmap__set(&f->by_name, key, f->nr);
	if (err)
		return err;
	f->items[f->nr] = *frame;
	f->items[f->nr].name = strtab__get(f->strings, name_id);
	f->items[f->nr].cookie = UINT32_MAX;
	*id = f->nr++;
	return 0;
}

static int add(struct frames *f, const char *name, const char *module, enum sym_kind kind,
	       bool named, uint32_t *id)
{
	struct sym_frame frame = { .kind = kind, .named = named, .around = FRAME_NOT_INLINED };
	uint32_t name_id, module_id;
	int err;

	err = strtab__add(f->strings, name, strlen(name), &name_id);
	if (!err)
		err = strtab__add(f->strings, module, strlen(module), &module_id);
	if (err)
		return err;
	frame.module = strtab__get(f->strings, module_id);
	return intern(f, name_id, module_id, &frame, id);
}

int frames__add_inlined(struct frames *f, const char *name, uint32_t around, uint32_t *id)
{
	const struct sym_frame frame = { .module = f->items[around].module,
					 .kind = SYM_INLINED,
					 .named = true,
					 .around = around };
	uint32_t name_id;
	int err = strtab__add(f->strings, name, strlen(name), &name_id);

	return err ? err : intern(f, name_id, around, &frame, id);
}

int frames__reset(struct frames *f)
{
	frames__free(f);
	f->strings = strtab__new();
	return f->strings ? add(f, "[unknown]", "", SYM_USER, false, &f->unknown) : -ENOMEM;
}

void frames__free(struct frames *f)
{
	strtab__free(f->strings);
	free(f->items);
	free(f->places);
	idmap__free(&f->by_name);
	buf__free(&f->scratch);
	*f = (struct frames){};
}

int frames__add(struct frames *f, const char *name, const char *module, enum sym_kind kind,
		uint32_t *id)
{
	return add(f, name, module, kind, true, id);
}

int frames__add_address(struct frames *f, const char *module, uint64_t offset, enum sym_kind kind,
			uint32_t *id)
{
	int err;

	buf__clear(&f->scratch);
	err = buf__printf(&f->scratch, "[%s+0x%llx]", module, (unsigned long long)offset);
	return err ? err : add(f, f->scratch.data, module, kind, false, id);
}

int frames__add_late(struct frames *f, const char *module, uint64_t offset, uint32_t late,
		     uint32_t *id)
{
	uint32_t alike;
	int err = frames__add_address(f, module, offset, SYM_JIT, &alike);

	if (!err)
		err = array__grow(&f->items, &f->cap, f->nr + 1);
	if (err)
		return err;
	f->items[f->nr] = f->items[alike];
	f->items[f->nr].late = late;
	f->items[f->nr].cookie = UINT32_MAX;
	*id = f->nr++;
	return 0;
}

int frames__add_function(struct frames *f, const char *module, uint64_t start, enum sym_kind kind,
			 uint32_t *id)
{
	int err;

	buf__clear(&f->scratch);
	err = buf__printf(&f->scratch, "[%s fn 0x%llx]", module, (unsigned long long)start);
	return err ? err : add(f, f->scratch.data, module, kind, false, id);
}

int frames__add_place(struct frames *f, const struct sym_place *place, size_t source_len,
		      uint32_t *id)
{
	uint32_t source;
	int err = strtab__add(f->strings, place->source, source_len, &source);

	if (!err)
		err = array__grow(&f->places, &f->cap_places, f->nr_places + 1);
	if (!err)
		err = array__grow(&f->items, &f->cap, f->nr + 1);
	if (err)
		return err;
	f->places[f->nr_places] = *place;
	f->places[f->nr_places++].source = strtab__get(f->strings, source);
	f->items[f->nr] = f->items[*id];
	f->items[f->nr].place = f->nr_places;
	f->items[f->nr].cookie = UINT32_MAX;
	*id = f->nr++;
	return 0;
}

void frames__forget_cookies(struct frames *f)
{
	for (size_t i = 0; i < f->nr; i++)
		f->items[i].cookie = UINT32_MAX;
}

size_t frames__bytes(const struct frames *f)
{
	enum { MORE = 1024 };

	return strtab__bytes(f->strings, 0, MORE) +
	       array__capacity(f->cap, f->nr + MORE) * sizeof(*f->items) +
	       array__capacity(f->cap_places, f->nr_places ? f->nr_places + MORE : 0) *
		       sizeof(*f->places) +
	       idmap__bytes(&f->by_name, f->nr + MORE);
}
