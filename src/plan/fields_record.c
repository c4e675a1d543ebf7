// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds fields of a tracepoint's record, by its `format` file.
 *
 * Programs are not handed the members that all tracepoints have: the kernel puts a pointer over
 * them (perf_trace_run_bpf_submit() in kernel/events/core.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "event/tracefs.h"
#include "plan/field_place.h"

enum { LOCATION_BYTES = 4 };

static int read_format(struct fields *f, struct buf *why)
{
	const struct perf_site *site = &f->ev->site;
	struct buf path = {};
	int err = 0;

	if (!f->has_format) {
		err = tracefs__find(f->root, &path, why);
		if (!err)
			err = tracepoint__format(path.data, site->home, site->name, &f->format,
						 why);
		f->has_format = !err;
		buf__free(&path);
	}
	return err;
}

int fields__format(struct fields *f, const struct tracepoint_format **out, struct buf *why)
{
	*out = &f->format;
	return read_format(f, why);
}

/*
 * The arguments of a system call are the task's: 8 bytes of a register each, of which the type
 * may have fewer. Programs get no more than these (perf_call_bpf_enter() in
 * kernel/trace/trace_syscalls.c): what strings there are in the record, they do not have.
 */
static bool is_system_call(const struct fields *f)
{
	return !strcmp(f->ev->site.home, "syscalls");
}

static int narrow(struct fields *f, struct field_place *p)
{
	struct field_type type;
	const struct btf *btf;
	int err;

	if (p->type.shape != SHAPE_NUMBER || p->type.size != 8)
		return 0;
	err = fields__types(f, &btf);
	if (!err && btf && field_type__named(btf, p->text, &type) && type.shape == SHAPE_NUMBER &&
	    type.size && type.size < 8) {
		p->type.size = type.size;
		p->type.is_signed = type.is_signed;
	}
	return err;
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_string_of(const char *type)
{
	return !strcmp(type, "char") || !strcmp(type, "const char");
}

static enum field_shape shape_of(const struct tracepoint_field *m)
{
	size_t len = strlen(m->type);

	if (m->is_array || m->is_dynamic)
		return SHAPE_ARRAY;
	if (len && m->type[len - 1] == '*' && m->size == 8)
		return SHAPE_POINTER;
	if (begins(m->type, "struct ") || begins(m->type, "union ") || m->size > 8)
		return SHAPE_STRUCT;
	if (!strcmp(m->type, "float") || !strcmp(m->type, "double"))
		return SHAPE_FLOAT;
	return SHAPE_NUMBER;
}

static struct field_place place_of(const struct tracepoint_field *m)
{
	struct field_place p = {
		.fetch.source = FETCH_CONTEXT,
		.fetch.load.offset = (int32_t)m->offset,
		.type.shape = shape_of(m),
		.type.size = m->size,
		.type.is_signed = m->is_signed,
		.type.of_chars = is_string_of(m->type),
		.is_dynamic = m->is_dynamic,
		.text = m->type,
	};

	if (m->is_dynamic) {
		p.fetch.load.size = LOCATION_BYTES;
		p.fetch.form = m->is_relative ? FETCH_REL_LOC : FETCH_DATA_LOC;
	}
	return p;
}

static int no_field(const struct fields *f, const char *name, struct buf *why)
{
	const struct tracepoint_format *format = &f->format;
	const char **names = calloc(format->nr + 1, sizeof(*names));
	size_t nr = 0;
	int err = names ? buf__printf(why, "%s has no field '%s'", f->ev->name, name) : -ENOMEM;

	for (size_t i = 0; !err && i < format->nr; i++)
		if (!format->fields[i].common)
			names[nr++] = format->fields[i].name;
	if (!err)
		err = suggest_or_list(why, name, names, nr);
	free(names);
	return err ? err : -EINVAL;
}

int fields__record(struct fields *f, const char *name, struct field_place *out, struct buf *why)
{
	const struct tracepoint_field *m = NULL;
	int err = read_format(f, why);

	if (err)
		return err;
	for (size_t i = 0; !m && i < f->format.nr; i++)
		if (!strcmp(f->format.fields[i].name, name))
			m = &f->format.fields[i];
	if (!m)
		return no_field(f, name, why);
	if (m->common)
		return refuse(
			why,
			"programs in the kernel are not handed '%s'; there are pid, tid, cpu, "
			"uid and comm of the task",
			name);
	*out = place_of(m);
	if (!is_system_call(f))
		return 0;
	if (m->is_dynamic)
		return refuse(why,
			      "programs in the kernel are not handed '%s' of a system call; take "
			      "what the argument points to, as filename:ustr",
			      name);
	out->fetch.is_user = 1;
	return narrow(f, out);
}
