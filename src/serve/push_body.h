/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_body.h - a profile as the body of a request that a backend takes.
 *
 *	PUSH_PYROSCOPE	push.v1.PusherService/Push, the Connect protocol: a message with a file of
 *			pprof in it
 *	PUSH_PARCA	/api/profiles/writeraw, the gateway of its gRPC service: JSON with a file of
 *			pprof in it, in base64
 *	PUSH_OTLP	/v1development/profiles, OTLP over HTTP: a message, packed by gzip
 */
#ifndef PMUTRACE_SERVE_PUSH_BODY_H
#define PMUTRACE_SERVE_PUSH_BODY_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "serve/push_labels.h"
#include "serve/push_profile.h"

enum push_kind { PUSH_PYROSCOPE, PUSH_PARCA, PUSH_OTLP, PUSH_KINDS };

/* How a kind is asked. */
struct push_format {
	const char *name;	    /* "Pyroscope" */
	const char *scheme;	    /* before a URL: "pyroscope" */
	const char *path;	    /* behind it */
	const char *ending;	    /* of files with such bodies: "pyroscope" */
	const char *const *headers; /* up to NULL */
};

const struct push_format *push_format(enum push_kind kind);

/* Zero-initialise it. */
struct push_body {
	struct buf bytes;
	size_t unpacked; /* bytes of the profile before it was packed */
};

/*
 * All of the profile, however large it is. 0; -EINVAL: it has no such event, or has fields or
 * metrics; -ENOMEM; another -errno. The buffer is the caller's in any case.
 */
int push_body__make(struct push_body *out, enum push_kind kind,
		    const struct push_profile *p) must_check;

/* A random id (UUID of version 4): 16 bytes. 0 or -errno. */
int push_body__id(uint8_t id[16]) must_check;

/* Appends it as text. 0 or -ENOMEM. */
int push_body__id_text(struct buf *out, const uint8_t id[16]) must_check;

/* For each kind: what push_body__make() does. */
int push_pyroscope__make(struct push_body *out, const struct push_profile *p,
			 const struct push_labels *labels) must_check;
int push_parca__make(struct push_body *out, const struct push_profile *p,
		     const struct push_labels *labels) must_check;
int push_otlp__make(struct push_body *out, const struct push_profile *p,
		    const struct push_labels *labels) must_check;

/* Appends a file of pprof, with the profile's time; *unpacked: its size before. 0 or -errno. */
int push_body__pprof(struct buf *out, const struct push_profile *p, size_t *unpacked) must_check;

#endif
