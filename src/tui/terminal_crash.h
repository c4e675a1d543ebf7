/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/terminal_crash.h - restores the terminal even if the program dies of SIGSEGV, SIGABRT or the
 * like, or of SIGQUIT, which Ctrl-\ sends. A signal handler cannot ask terminfo for the bytes to
 * write, so they are prepared beforehand.
 */
#ifndef PMUTRACE_TUI_TERMINAL_CRASH_H
#define PMUTRACE_TUI_TERMINAL_CRASH_H

/* Installs the handlers: after setupterm(3), before the terminal is changed. */
void terminal_crash__prepare(void);
/* Takes the handlers away: the terminal has been restored. */
void terminal_crash__forget(void);

#endif
