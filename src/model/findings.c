// SPDX-License-Identifier: BSD-2-Clause
/* Builds the list of findings from formatted texts; the names of their states. */
#include "model/findings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((format(printf, 3, 0)))
set_text(struct findings *f, char **text, const char *fmt, va_list ap)
{
	char *new;

	if (f->err)
		return;
	if (vasprintf(&new, fmt, ap) < 0) {
		f->err = -ENOMEM;
		return;
	}
	free(*text);
	*text = new;
}

void findings__add(struct findings *f, const char *area, const char *name, enum finding_state state,
		   const char *found, ...)
{
	struct finding *x;
	va_list ap;

	if (!f->err)
		f->err = array__grow(&f->items, &f->cap, f->nr + 1);
	if (f->err)
		return;
	x = &f->items[f->nr++];
	*x = (struct finding){ .area = area, .name = name, .state = state };
	va_start(ap, found);
	set_text(f, &x->found, found, ap);
	va_end(ap);
	if (f->err) /* one without its text is none */
		f->nr--;
}

#define DEFINE_SETTER(member)                                                                      \
	void findings__##member(struct findings *f, const char *fmt, ...)                          \
	{                                                                                          \
		va_list ap;                                                                        \
                                                                                                   \
		if (f->err || !f->nr)                                                              \
			return;                                                                    \
		va_start(ap, fmt);                                                                 \
		set_text(f, &f->items[f->nr - 1].member, fmt, ap);                                 \
		va_end(ap);                                                                        \
	}

DEFINE_SETTER(subject)
DEFINE_SETTER(cost)
DEFINE_SETTER(fix)

int findings__error(const struct findings *f)
{
	return f->err;
}

void findings__free(struct findings *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		free(f->items[i].subject);
		free(f->items[i].found);
		free(f->items[i].cost);
		free(f->items[i].fix);
	}
	free(f->items);
	memset(f, 0, sizeof(*f));
}

const char *finding_state__name(enum finding_state state)
{
	static const char *const names[FINDING_NR] = { "ok", "limited", "missing", "unknown" };

	return state < FINDING_NR ? names[state] : "unknown";
}
