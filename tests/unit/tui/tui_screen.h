/* SPDX-License-Identifier: BSD-2-Clause */
/* tests/unit/tui/tui_screen.h - a screen, keys into it, and what it shows as text. */
#ifndef PMUTRACE_TESTS_UNIT_TUI_TUI_SCREEN_H
#define PMUTRACE_TESTS_UNIT_TUI_TUI_SCREEN_H

#include "tui.h"
#include "tui_page.h"

#include "tui/screen.h"

static struct screen *screen;

static inline int screen_tear_down(void **state)
{
	screen__free(screen);
	canvas__free(&page);
	buf__free(&text);
	return tui_tear_down(state);
}

static inline void draw(int width, int height)
{
	buf__clear(&text);
	assert_int_equal(canvas__begin(&page, width, height), 0);
	assert_int_equal(screen__draw(screen, &page), 0);
	assert_int_equal(canvas__text(&page, &text), 0);
}

static inline void key(uint32_t code)
{
	assert_int_equal(screen__input(screen, &(struct input){ .code = code }), 0);
	draw(80, 24);
}

static inline void type(const char *keys)
{
	for (; *keys; keys++)
		key(*keys);
}

static inline void click(int x, int y)
{
	const struct input in = { .code = INPUT_CLICK, .x = x, .y = y };

	assert_int_equal(screen__input(screen, &in), 0);
	draw(80, 24);
}

#endif
