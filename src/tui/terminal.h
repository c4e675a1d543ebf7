/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/terminal.h - the terminal, by ncurses: shows pages, reads keys and the mouse. With
 * tui/terminal_crash.h the only place that knows ncurses.
 *
 * While it is open the terminal shows its alternate screen, and keys are not echoed. It is restored
 * by terminal__close(), while the program is stopped (Ctrl-Z), and when it crashes or is made to
 * dump core (Ctrl-\).
 *
 * If the terminal has no colours, or NO_COLOR is set, styles are bold, dim and reverse.
 */
#ifndef PMUTRACE_TUI_TERMINAL_H
#define PMUTRACE_TUI_TERMINAL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "tui/canvas.h"
#include "tui/keys.h"

struct terminal;

/*
 * There can be one, on standard input and output. @instead: what does without, "use -b for tables".
 * 0; -ENOTTY with @why, a sentence; -errno.
 */
int terminal__open(struct terminal **out, const char *instead, struct buf *why) must_check;
/* Whether it can show pages, without opening it. The same errors. */
int terminal__check(const char *instead, struct buf *why) must_check;
void terminal__close(struct terminal *t);

/* Makes @c a blank page of the terminal's size and character set. 0 or -ENOMEM. */
int terminal__begin(const struct terminal *t, struct canvas *c) must_check;
void terminal__show(struct terminal *t, const struct canvas *c);
/* The page is gone, or the terminal has another size: it is to be drawn again. */
bool terminal__is_stale(const struct terminal *t);

/* Descriptors to poll(2) for input: fills at most @max, returns how many there are. */
size_t terminal__pollfds(const struct terminal *t, struct pollfd *fds, size_t max);

/*
 * Reads a key, without waiting. 1: there was one; 0: there is none; -ECANCELED: the terminal is
 * gone. Handles the signals that have come, too: stops, goes on, takes the new size.
 */
int terminal__read(struct terminal *t, struct input *in) must_check;

#endif
