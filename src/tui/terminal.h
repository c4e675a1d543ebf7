/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/terminal.h - the terminal: pages out, keys and the mouse in. The only file that knows
 * ncurses.
 *
 * While it is open the terminal shows its other screen, and keys are not echoed. It is as it was
 * before after terminal__close(), while the program is stopped (Ctrl-Z), and after it has crashed
 * or was made to dump core (Ctrl-\).
 *
 * Colours as the terminal has them; none where NO_COLOR is set: bold, dim and reverse have to do.
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

/* There can be one, on standard input and output. 0; -ENOTTY with @why, a sentence; -errno. */
int terminal__open(struct terminal **out, struct buf *why) must_check;
void terminal__close(struct terminal *t);

/* A blank page of the terminal's size, of characters that it can show. 0 or -ENOMEM. */
int terminal__begin(const struct terminal *t, struct canvas *c) must_check;
void terminal__show(struct terminal *t, const struct canvas *c);
/* What was shown is not there any more, or has another size: to be drawn again. */
bool terminal__is_stale(const struct terminal *t);

/* What to wait for: fills at most @max, returns how many there are. */
size_t terminal__pollfds(const struct terminal *t, struct pollfd *fds, size_t max);

/*
 * What came, without waiting: 1 and a key; 0: nothing more; -ECANCELED: the terminal is gone. Does
 * what signals ask for: stop, go on, another size.
 */
int terminal__read(struct terminal *t, struct input *in) must_check;

#endif
