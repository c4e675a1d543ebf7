// SPDX-License-Identifier: BSD-2-Clause
/* What the screen tells, and which filter is the one of what is shown. */
#include "tui/screen_state.h"

#include <stdarg.h>
#include <stdio.h>

void screen__tell(struct screen *s, bool is_alert, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->message, sizeof(s->message), fmt, args);
	va_end(args);
	s->is_alert = is_alert;
}

bool screen__has_samples(enum screen_what what)
{
	return what == SCREEN_FUNCTIONS || what == SCREEN_STACKS;
}

char *screen__filter(struct screen *s)
{
	_Static_assert((int)VIEW_WORD == (int)FUNCS_WORD, "one for both");
	return s->what == SCREEN_FUNCTIONS ? s->funcs.filter : s->view.filter;
}
