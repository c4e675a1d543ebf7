/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup/pattern.h - a glob, or a plain name of any length. */
#ifndef PMUTRACE_LOOKUP_PATTERN_H
#define PMUTRACE_LOOKUP_PATTERN_H

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/glob.h"

struct pattern {
	const char *plain; /* borrowed; NULL: it is a glob */
	struct glob glob;
};

/* 0; -EINVAL and a sentence; -ENOMEM. */
static inline must_check int pattern__compile(struct pattern *p, const char *text, struct buf *why)
{
	int err;

	p->plain = *text && !strpbrk(text, "*?") ? text : NULL;
	err = p->plain ? 0 : glob__compile(&p->glob, text);
	if (!err)
		return 0;
	err = buf__printf(
		why, err == -E2BIG ? "the pattern '%s' is too long" : "the pattern '%s' is empty",
		text);
	return err ? err : -EINVAL;
}

static inline bool pattern__matches(const struct pattern *p, const char *s)
{
	return p->plain ? !strcmp(p->plain, s) : glob__matches(&p->glob, s);
}

#endif
