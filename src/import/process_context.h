/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/process_context.h - what a process publishes of itself for those who look into its memory:
 * OpenTelemetry's process context, of OTEP 4719.
 *
 * Followed is version 2 of its header, and the payload of opentelemetry-proto's
 * processcontext/v1development. A mapping of the process is called OTEL_CTX, by memfd_create(2), by
 * prctl(2) (PR_SET_VMA_ANON_NAME), or by both, and begins with
 *
 *	0   char[8]  "OTEL_CTX"
 *	8   u32      version: 2
 *	12  u32      bytes of the payload
 *	16  u64      when it was published, in ns of CLOCK_BOOTTIME; 0: it is being changed
 *	24  u64      the payload's address, anywhere in the process
 *
 * in the byte order of the machine. The payload is a message ProcessContext of protobuf
 * (proto/process_context.proto). Who changes it writes 0 as the time, then the rest, then another
 * time: what was read between two equal headers is whole.
 *
 * Not certain: the specification is in development. Drafts had the time since 1970, which is only
 * compared here, and another order of the header's fields or a Resource as the payload, also as
 * version 2: of these nothing is taken, or no attribute found. Drafts that find unnamed mappings by
 * their size are not followed.
 *
 * All of it is a stranger's: sizes lie, text is any bytes.
 */
#ifndef PMUTRACE_IMPORT_PROCESS_CONTEXT_H
#define PMUTRACE_IMPORT_PROCESS_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum {
	CONTEXT_HEADER_BYTES = 32,
	CONTEXT_PAYLOAD_BYTES = 64 << 10, /* one that is longer is not read */
	CONTEXT_VALUE_BYTES = 255,	  /* a longer value is left out: cut off it is another's */
};

/* Attributes of the resource that are taken. */
enum context_part {
	CONTEXT_SERVICE_NAME,
	CONTEXT_SERVICE_NAMESPACE,
	CONTEXT_SERVICE_INSTANCE,
	CONTEXT_SERVICE_VERSION,
	CONTEXT_ENVIRONMENT,
	CONTEXT_PARTS,
};

/* Of well-formed UTF-8 without control characters; "": there is no such one. */
struct process_context {
	char values[CONTEXT_PARTS][CONTEXT_VALUE_BYTES + 1];
};

struct context_header {
	uint64_t published_ns; /* tells one from the next */
	uint64_t payload;      /* address */
	uint32_t payload_bytes;
};

/* "service.name": what semantic conventions call it. */
const char *context_part__name(enum context_part part);

/* Whether a mapping with this name of /proc/PID/maps may be one. */
bool process_context__is_name(const char *name, size_t len);

/*
 * Takes CONTEXT_HEADER_BYTES. 0; -EPROTO: that is none; -EAGAIN: it is being changed; -EFBIG: its
 * payload is empty, or longer than is read.
 */
int process_context__header(struct context_header *out, const void *bytes) must_check;

/* Takes a payload. 0, also of one without attributes; -EPROTO: that is none; -ENOMEM. */
int process_context__payload(struct process_context *out, const void *bytes, size_t len) must_check;

/* Whether it says anything. */
bool process_context__has_any(const struct process_context *c);

/* Whether it is what it has to be: another process may have made it. */
bool process_context__is_sound(const struct process_context *c);

#endif
