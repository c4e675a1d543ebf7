// SPDX-License-Identifier: BSD-2-Clause
/* Fields of tracepoints: what the raw bytes of a sample mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "event/tracefs.h"
#include "event/tracepoint.h"

struct pmutrace_tracepoint {
	struct tracepoint_format format;
	struct pmutrace_field *fields; /* of all that the format has; strings are the format's */
};

static int take_fields(struct pmutrace_tracepoint *t)
{
	t->fields = calloc(t->format.nr + 1, sizeof(*t->fields));
	if (!t->fields)
		return -ENOMEM;
	for (size_t i = 0; i < t->format.nr; i++) {
		const struct tracepoint_field *f = &t->format.fields[i];

		t->fields[i] = (struct pmutrace_field){
			.name = f->name,
			.type = f->type,
			.offset = f->offset,
			.bytes = f->size,
			.is_signed = f->is_signed,
			.is_array = f->is_array,
			.is_dynamic = f->is_dynamic,
			.is_relative = f->is_relative,
			.common = f->common,
		};
	}
	return 0;
}

int pmutrace_tracepoint_open(struct pmutrace_tracepoint **out, const char *category,
			     const char *name, struct pmutrace_error *why)
{
	struct pmutrace_tracepoint *t = calloc(1, sizeof(*t));
	struct buf path = {}, text = {};
	int err = t ? tracefs__find("", &path, &text) : -ENOMEM;

	*out = NULL;
	if (!err)
		err = tracepoint__format(path.data, category, name, &t->format, &text);
	if (!err)
		err = take_fields(t);
	buf__free(&path);
	if (err) {
		pmutrace_tracepoint_close(t);
		return error__set(why, err, &text);
	}
	buf__free(&text);
	*out = t;
	return error__none(why);
}

/* For an event by attr, which has an id alone: looks for it among all tracepoints. */
static int open_by_id(struct pmutrace_tracepoint **out, uint64_t wanted, struct pmutrace_error *why)
{
	struct tracepoint_name *names = NULL;
	struct buf path = {}, text = {};
	size_t nr = 0;
	uint32_t id;
	int err = tracefs__find("", &path, &text), found = -ENOENT;

	if (!err)
		err = tracepoints__list(path.data, NULL, &names, &nr);
	if (err)
		found = error__set(why, err, &text);
	for (size_t i = 0; i < nr && found == -ENOENT; i++) {
		/* One may have gone since the list was made. */
		if (!tracepoint__id(path.data, names[i].category, names[i].name, &id, &text) &&
		    id == wanted)
			found = pmutrace_tracepoint_open(out, names[i].category, names[i].name,
							 why);
		buf__clear(&text);
	}
	if (!err && found == -ENOENT)
		error__say(why, found, "there is no tracepoint with the id %llu",
			   (unsigned long long)wanted);
	tracepoint_names__free(names, nr);
	buf__free(&path);
	buf__free(&text);
	return found;
}

int pmutrace_tracepoint_of(struct pmutrace_tracepoint **out, const struct pmutrace_events *e,
			   size_t event, struct pmutrace_error *why)
{
	const struct perf_event_spec *spec;

	*out = NULL;
	if (event >= e->nr_columns)
		return error__say(why, -ERANGE, "there is no event %zu", event);
	spec = &e->list.items[e->columns[event].first];
	if (spec->attr.type != PERF_TYPE_TRACEPOINT)
		return error__say(why, -EINVAL, "'%s' is no tracepoint", e->columns[event].label);
	if (spec->site.kind == SITE_TRACEPOINT && spec->site.home && spec->site.name)
		return pmutrace_tracepoint_open(out, spec->site.home, spec->site.name, why);
	return open_by_id(out, spec->attr.config, why);
}

void pmutrace_tracepoint_close(struct pmutrace_tracepoint *t)
{
	if (!t)
		return;
	tracepoint_format__free(&t->format);
	free(t->fields);
	free(t);
}

size_t pmutrace_tracepoint_nr_fields(const struct pmutrace_tracepoint *t)
{
	return t->format.nr;
}

const struct pmutrace_field *pmutrace_tracepoint_field(const struct pmutrace_tracepoint *t,
						       size_t i)
{
	return i < t->format.nr ? &t->fields[i] : NULL;
}

const struct pmutrace_field *pmutrace_tracepoint_find(const struct pmutrace_tracepoint *t,
						      const char *name)
{
	for (size_t i = 0; i < t->format.nr; i++)
		if (!strcmp(t->fields[i].name, name))
			return &t->fields[i];
	return NULL;
}

const char *pmutrace_tracepoint_print(const struct pmutrace_tracepoint *t)
{
	return t->format.print;
}

/* Nothing beyond the record, whatever the numbers in it say. */
static int inside(const struct pmutrace_sample *s, uint64_t offset, uint64_t bytes, const void **at,
		  size_t *len)
{
	if (offset > s->raw_bytes || bytes > s->raw_bytes - offset)
		return -ENODATA;
	*at = (const char *)s->raw + offset;
	*len = bytes;
	return 0;
}

int pmutrace_field_bytes(const struct pmutrace_field *f, const struct pmutrace_sample *s,
			 const void **bytes, size_t *len)
{
	uint64_t size, begin;
	uint32_t where;
	int err;

	*bytes = NULL;
	*len = 0;
	if (!f)
		return -ENOENT;
	if (!(s->has & PERF_SAMPLE_RAW) || f->offset > s->raw_bytes)
		return -ENODATA;
	size = f->bytes ? f->bytes : s->raw_bytes - f->offset;
	err = inside(s, f->offset, f->is_dynamic ? sizeof(where) : size, bytes, len);
	if (err || !f->is_dynamic)
		return err;
	/* Raw bytes are aligned to 4 only, and a field of an old kernel not even that. */
	memcpy(&where, *bytes, sizeof(where));
	begin = where & 0xffff;
	if (f->is_relative)
		begin += f->offset + sizeof(where);
	*bytes = NULL;
	*len = 0;
	return inside(s, begin, where >> 16, bytes, len);
}

int pmutrace_field_number(const struct pmutrace_field *f, const struct pmutrace_sample *s,
			  uint64_t *value)
{
	const void *bytes;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} v = { 0 };
	size_t len;
	int err;

	*value = 0;
	if (!f)
		return -ENOENT;
	if (f->is_array || f->is_dynamic)
		return -EINVAL;
	err = pmutrace_field_bytes(f, s, &bytes, &len);
	if (err)
		return err;
	if (len != 1 && len != 2 && len != 4 && len != 8)
		return -EINVAL;
	memcpy(&v, bytes, len);
	if (len == 1)
		*value = f->is_signed ? (uint64_t)(int8_t)v.u8 : v.u8;
	else if (len == 2)
		*value = f->is_signed ? (uint64_t)(int16_t)v.u16 : v.u16;
	else if (len == 4)
		*value = f->is_signed ? (uint64_t)(int32_t)v.u32 : v.u32;
	else
		*value = v.u64;
	return 0;
}

int pmutrace_field_text(const struct pmutrace_field *f, const struct pmutrace_sample *s, char *text,
			size_t size)
{
	const void *bytes;
	size_t len, fits;
	int err;

	if (size)
		*text = '\0';
	if (!f)
		return -ENOENT;
	if (!f->is_array || strcmp(f->type, "char"))
		return -EINVAL;
	err = pmutrace_field_bytes(f, s, &bytes, &len);
	if (err)
		return err;
	len = strnlen(bytes, len);
	fits = len < size ? len : size ? size - 1 : 0;
	if (size) {
		memcpy(text, bytes, fits);
		text[fits] = '\0';
	}
	return fits < len ? -ERANGE : 0;
}
