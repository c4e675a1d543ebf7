/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/visible.h - which characters of a stranger's text are shown as they are.
 *
 * Names of tasks, functions, files and cgroups are whatever their owners wrote. Not shown is
 *
 *	what terminals obey	C0, DEL, C1 (ECMA-48; xterm takes U+009B for ESC [)
 *	what ends a line	U+2028, U+2029
 *	what moves other text	U+061C, U+200E, U+200F, U+202A..U+202E, U+2066..U+2069 (UAX #9)
 *	what nobody can see	Default_Ignorable_Code_Point of the Unicode database (soft hyphens,
 *				zero-width spaces, fillers), U+FFF9..U+FFFB
 *	what is no character	bytes that are not UTF-8, U+FFFE and U+FFFF of each plane
 *
 * Joiners, variation selectors and the tags of flags are a part of the letter or picture before
 * them, and stay behind one that is not ASCII: in "ma<U+200D>in" nobody could see it. All other
 * text stays as it is.
 * What stands in place of the others is the writer's choice.
 */
#ifndef PMUTRACE_BASE_VISIBLE_H
#define PMUTRACE_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

/* A character by itself; @behind: the one before it, 0: there is none. */
bool visible__is(uint32_t character, uint32_t behind);

/*
 * How many bytes at the beginning of @s are shown as they are; *hidden: of the character or byte
 * behind them, which is not shown; 0: @s ends there.
 */
size_t visible__span(const char *s, size_t len, size_t *hidden);

/* Appends @s with @mark in place of each character that is not shown. 0 or -ENOMEM. */
int visible__put(struct buf *out, const char *s, size_t len, const char *mark) must_check;

/*
 * The same for messages: lines and tabs stay, the mark is U+FFFD. Further lines are indented, so
 * that no name with a line break in it looks like a message of its own.
 */
int visible__put_message(struct buf *out, const char *s, size_t len) must_check;

#endif
