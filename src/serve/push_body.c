// SPDX-License-Identifier: BSD-2-Clause
/* Bodies of requests: what all kinds have in common. */
#include "serve/push_body.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "model/profile.h"

static const char *const pyroscope_headers[] = { "Content-Type: application/proto",
						 "Connect-Protocol-Version: 1", NULL };
static const char *const parca_headers[] = { "Content-Type: application/json", NULL };
static const char *const otlp_headers[] = { "Content-Type: application/x-protobuf",
					    "Content-Encoding: gzip", NULL };

static const struct push_format formats[PUSH_KINDS] = {
	[PUSH_PYROSCOPE] = { "Pyroscope", "pyroscope", "/push.v1.PusherService/Push", "pyroscope",
			     pyroscope_headers },
	[PUSH_PARCA] = { "Parca", "parca", "/api/profiles/writeraw", "parca", parca_headers },
	[PUSH_OTLP] = { "OTLP", "otlp", "/v1development/profiles", "otlp", otlp_headers },
};

const struct push_format *push_format(enum push_kind kind)
{
	return &formats[kind];
}

int push_body__id(uint8_t id[16])
{
	if (getrandom(id, 16, 0) != 16)
		return -EIO;
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
	return 0;
}

int push_body__id_text(struct buf *out, const uint8_t id[16])
{
	int err = 0;

	for (unsigned i = 0; i < 16 && !err; i++)
		err = buf__printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				  id[i]);
	return err;
}

/* A gzip file ends with the size of what is in it (RFC 1952, ISIZE). */
static size_t size_unpacked(const char *bytes, size_t len)
{
	const unsigned char *end = (const unsigned char *)bytes + len;

	return len < 4 ? 0
		       : end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 |
				 (size_t)end[-1] << 24;
}

int push_body__pprof(struct buf *out, const struct push_profile *p, size_t *unpacked)
{
	struct profile timed = *p->profile; /* but for its time the same */
	struct pprof_opts opts = p->pprof;
	char *bytes = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&bytes, &len);
	int err;

	if (!f)
		return -ENOMEM;
	timed.about.begin_ns = p->begin_ns;
	timed.duration_ns = p->duration_ns;
	opts.series = true;
	err = print__pprof(f, &timed, &opts);
	if (fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		err = buf__put(out, bytes, len);
	if (!err)
		*unpacked = size_unpacked(bytes, len);
	free(bytes);
	return err;
}

int push_body__make(struct push_body *out, enum push_kind kind, const struct push_profile *p)
{
	struct push_labels labels = {};
	int err;

	if (p->pprof.event >= p->profile->nr_events || p->profile->nr_fields ||
	    p->profile->nr_metrics)
		return -EINVAL;
	err = push_labels__make(&labels, p);
	if (!err)
		err = kind == PUSH_PYROSCOPE ? push_pyroscope__make(out, p, &labels)
		      : kind == PUSH_PARCA   ? push_parca__make(out, p, &labels)
					     : push_otlp__make(out, p, &labels);
	push_labels__free(&labels);
	return err;
}
