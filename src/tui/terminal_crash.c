// SPDX-License-Identifier: BSD-2-Clause
/* Handlers of deadly signals: they write the bytes that restore the terminal. */
#include "tui/terminal_crash.h"

#include <curses.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/array.h"

enum { RESTORE_BYTES = 256 };

static const int deadly[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT };

/* Global, since signal handlers get no argument of ours. */
static struct {
	char restore[RESTORE_BYTES];
	size_t len;
	struct termios was;
	bool has_termios;
	struct sigaction old[ARRAY_SIZE(deadly)];
} crash;

/* Calls only what signal-safety(7) allows. */
static void on_crash(int signo, siginfo_t *info, void *context)
{
	ssize_t written = write(STDOUT_FILENO, crash.restore, crash.len);

	(void)written;
	(void)context;
	if (crash.has_termios)
		tcsetattr(STDIN_FILENO, TCSANOW, &crash.was);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (deadly[i] == signo)
			sigaction(signo, &crash.old[i], NULL);
	/* A fault happens again when this returns; a signal of kill(2) or Ctrl-\ does not. */
	if (info->si_code <= 0 || signo == SIGQUIT)
		raise(signo);
}

static int put_byte(int c)
{
	if (crash.len < RESTORE_BYTES)
		crash.restore[crash.len++] = c;
	return c;
}

static void put(const char *capability)
{
	if (capability && capability != (char *)-1)
		tputs(capability, 1, put_byte);
}

void terminal_crash__prepare(void)
{
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO };

	crash.len = 0;
	put(exit_attribute_mode);
	put(orig_pair);
	put(keypad_local);
	if (key_mouse)
		put("\033[?1006;1000l");
	put(cursor_normal);
	put(exit_ca_mode);
	crash.has_termios = !tcgetattr(STDIN_FILENO, &crash.was);
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
		sigaction(deadly[i], &action, &crash.old[i]);
		/* If it was ignored when we were started it stays so, and the screen goes on. */
		if (crash.old[i].sa_handler == SIG_IGN)
			sigaction(deadly[i], &crash.old[i], NULL);
	}
}

void terminal_crash__forget(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		sigaction(deadly[i], &crash.old[i], NULL);
}
