/* SPDX-License-Identifier: BSD-2-Clause */
/* tests/unit/tui/tui_page.h - what a screen shows, as text. */
#ifndef PMUTRACE_TESTS_UNIT_TUI_TUI_PAGE_H
#define PMUTRACE_TESTS_UNIT_TUI_TUI_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "tui/canvas.h"

static struct canvas page;
static struct buf text; /* of the page */

static inline bool shows(const char *what)
{
	return strstr(text.data, what);
}

static inline const char *line(int y)
{
	static char copy[512];
	const char *at = text.data;
	size_t len;

	while (y--)
		at = strchr(at, '\n') + 1;
	len = strcspn(at, "\n");
	memcpy(copy, at, len);
	copy[len] = '\0';
	return copy;
}

/* The line that is selected; NULL: none is. */
static inline const char *selected(void)
{
	for (int y = 0; y < page.height; y++)
		if (page.cells[(size_t)y * page.width].style == STYLE_SELECTED)
			return line(y);
	return NULL;
}

#endif
