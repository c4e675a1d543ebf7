// SPDX-License-Identifier: BSD-2-Clause
/* Takes a process context's header and payload apart, and trusts neither. */
#include "import/process_context.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "import/bounded.h"
#include "proto/process_context.pb-c.h"

enum { VERSION = 2, UNPACKED_BYTES = 2 << 20 };

static const char SIGNATURE[] = "OTEL_CTX";

static const struct {
	const char *name, *before; /* as conventions called it once, or NULL */
} parts[CONTEXT_PARTS] = {
	[CONTEXT_SERVICE_NAME] = { "service.name", NULL },
	[CONTEXT_SERVICE_NAMESPACE] = { "service.namespace", NULL },
	[CONTEXT_SERVICE_INSTANCE] = { "service.instance.id", NULL },
	[CONTEXT_SERVICE_VERSION] = { "service.version", NULL },
	[CONTEXT_ENVIRONMENT] = { "deployment.environment.name", "deployment.environment" },
};

const char *context_part__name(enum context_part part)
{
	return parts[part].name;
}

bool process_context__is_name(const char *name, size_t len)
{
	static const char *const all[] = { "[anon:OTEL_CTX]", "[anon_shmem:OTEL_CTX]",
					   "/memfd:OTEL_CTX", "/memfd:OTEL_CTX (deleted)" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (len == strlen(all[i]) && !memcmp(name, all[i], len))
			return true;
	return false;
}

int process_context__header(struct context_header *out, const void *bytes)
{
	struct {
		char signature[8];
		uint32_t version, payload_bytes;
		uint64_t published_ns, payload;
	} raw;

	_Static_assert(sizeof(raw) == CONTEXT_HEADER_BYTES, "as processes publish it");
	memcpy(&raw, bytes, sizeof(raw));
	*out = (struct context_header){};
	if (memcmp(raw.signature, SIGNATURE, sizeof(raw.signature)) || raw.version != VERSION)
		return -EPROTO;
	if (!raw.published_ns)
		return -EAGAIN;
	if (!raw.payload_bytes || raw.payload_bytes > CONTEXT_PAYLOAD_BYTES)
		return -EFBIG;
	*out = (struct context_header){ raw.published_ns, raw.payload, raw.payload_bytes };
	return 0;
}

/* One line of text; what does not fit is left out. */
static int take_value(char out[CONTEXT_VALUE_BYTES + 1], const char *text)
{
	const size_t len = strlen(text);
	struct buf line = {};
	int err = 0;

	if (!len || len > CONTEXT_VALUE_BYTES)
		return 0;
	err = utf8__put_line(&line, text, len, 4 * CONTEXT_VALUE_BYTES);
	if (!err && line.len && line.len <= CONTEXT_VALUE_BYTES)
		memcpy(out, line.data, line.len + 1);
	buf__free(&line);
	return err;
}

static const char *text_of(const Otlp__KeyValue *kv)
{
	if (!kv->value || kv->value->value_case != OTLP__ANY_VALUE__VALUE_STRING_VALUE)
		return "";
	return kv->value->string_value;
}

/* The first attribute of this name that has a text. */
static int take_named(char out[CONTEXT_VALUE_BYTES + 1], const Otlp__Resource *r, const char *name)
{
	int err = 0;

	for (size_t i = 0; i < r->n_attributes && !err && !*out; i++)
		if (!strcmp(r->attributes[i]->key, name))
			err = take_value(out, text_of(r->attributes[i]));
	return err;
}

static int take(struct process_context *out, const Otlp__Resource *r)
{
	int err = 0;

	for (size_t i = 0; i < CONTEXT_PARTS && !err; i++) {
		err = take_named(out->values[i], r, parts[i].name);
		if (!err && parts[i].before)
			err = take_named(out->values[i], r, parts[i].before);
	}
	return err;
}

int process_context__payload(struct process_context *out, const void *bytes, size_t len)
{
	struct bounded memory = { .left = UNPACKED_BYTES };
	ProtobufCAllocator allocator = { bounded__alloc, bounded__free, &memory };
	Otel__ProcessContext *from;
	int err = 0;

	*out = (struct process_context){};
	if (len > CONTEXT_PAYLOAD_BYTES)
		return -EPROTO;
	from = otel__process_context__unpack(&allocator, len, bytes);
	if (!from)
		return memory.has_refused ? -ENOMEM : -EPROTO;
	if (from->resource)
		err = take(out, from->resource);
	otel__process_context__free_unpacked(from, &allocator);
	return err;
}

bool process_context__has_any(const struct process_context *c)
{
	for (size_t i = 0; i < CONTEXT_PARTS; i++)
		if (*c->values[i])
			return true;
	return false;
}

static bool is_line(const char *text, size_t len)
{
	size_t n;

	for (size_t at = 0; at < len; at += n) {
		n = utf8__sequence(text + at, len - at);
		if (!n || (unsigned char)text[at] < ' ' || text[at] == 0x7f)
			return false;
	}
	return true;
}

bool process_context__is_sound(const struct process_context *c)
{
	for (size_t i = 0; i < CONTEXT_PARTS; i++) {
		const char *end = memchr(c->values[i], 0, sizeof(c->values[i]));

		if (!end || !is_line(c->values[i], end - c->values[i]))
			return false;
	}
	return true;
}
