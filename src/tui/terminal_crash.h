/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/terminal_crash.h - the terminal as it was, even if the program dies of SIGSEGV, SIGABRT or
 * the like, or of SIGQUIT, which Ctrl-\ sends and nobody waits for: what it takes is made ready
 * beforehand, since nothing can be asked for then.
 */
#ifndef PMUTRACE_TUI_TERMINAL_CRASH_H
#define PMUTRACE_TUI_TERMINAL_CRASH_H

/* Behind setupterm(3), before anything is changed. */
void terminal_crash__prepare(void);
/* The terminal is as it was. */
void terminal_crash__forget(void);

#endif
