// SPDX-License-Identifier: BSD-2-Clause
/* Bodies of requests: what all kinds have in common. */
#include "serve/push_body.h"

#include <errno.h>

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
