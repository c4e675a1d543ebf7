// SPDX-License-Identifier: BSD-2-Clause
/* ncurses: opens the terminal, shows pages, takes keys, the mouse and signals. */
#include "tui/terminal.h"

#define NCURSES_WIDECHAR 1
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "tui/terminal_crash.h"

enum { ESC_MS = 25 };

struct terminal {
	SCREEN *screen;
	int signals; /* descriptor */
	sigset_t old_mask;
	struct sigaction old_stop;
	bool is_ascii, is_stale;
	attr_t styles[STYLES];
};

/* Signals for which newterm() installs handlers, which are replaced by the former ones. */
static const int taken[] = { SIGINT, SIGTERM, SIGWINCH };

/*
 * Never called: SIGTSTP is blocked. But one that ncurses finds at SIG_DFL it ignores while it
 * draws, which throws away what is pending; one with a handler it leaves alone.
 */
static void on_stop(int signo)
{
	(void)signo;
}

static int explain(const char *instead, struct buf *why, int found)
{
	const char *name = getenv("TERM");

	if (found == 1)
		return buf__printf(why, "the terminal '%s' cannot place its cursor: %s", name,
				   instead);
	if (!name || !*name)
		return buf__printf(why, "TERM is not set, so nothing is known of the terminal: %s",
				   instead);
	return buf__printf(why, "nothing is known of the terminal '%s' (TERM): %s", name, instead);
}

/* Whether the terminal can show a screen. Asked before ncurses starts, which would exit if not. */
static int check_terminal(const char *instead, struct buf *why)
{
	int found = -1;

	if (setupterm(NULL, STDOUT_FILENO, &found) == OK && cursor_address)
		return 0;
	return explain(instead, why, found) ? -ENOMEM : -ENOTTY;
}

int terminal__check(const char *instead, struct buf *why)
{
	int err = check_terminal(instead, why);

	if (!err)
		del_curterm(cur_term);
	return err;
}

static int open_signals(struct terminal *t)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGTSTP);
	sigaddset(&mask, SIGCONT);
	sigaddset(&mask, SIGWINCH);
	sigaddset(&mask, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &mask, &t->old_mask))
		return -errno;
	t->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (t->signals >= 0)
		return 0;
	t->signals = -errno;
	sigprocmask(SIG_SETMASK, &t->old_mask, NULL);
	return t->signals;
}

static void choose_locale(struct terminal *t)
{
	/* If the environment's locale is not installed, UTF-8 is assumed. */
	const char *name = setlocale(LC_CTYPE, "");

	if (!name)
		setlocale(LC_CTYPE, "C.UTF-8");
	t->is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

static void choose_styles(struct terminal *t)
{
	static const struct {
		attr_t mono, color;
		short front, back;
	} styles[STYLES] = {
		[STYLE_PLAIN] = { A_NORMAL, A_NORMAL, -1, -1 },
		[STYLE_DIM] = { A_DIM, A_DIM, -1, -1 },
		[STYLE_STRONG] = { A_BOLD, A_BOLD, -1, -1 },
		[STYLE_LABEL] = { A_NORMAL, A_NORMAL, COLOR_CYAN, -1 },
		[STYLE_TITLE] = { A_REVERSE, A_NORMAL, COLOR_BLACK, COLOR_GREEN },
		[STYLE_SORTED] = { A_REVERSE | A_BOLD, A_NORMAL, COLOR_BLACK, COLOR_CYAN },
		[STYLE_SELECTED] = { A_REVERSE, A_NORMAL, COLOR_BLACK, COLOR_CYAN },
		[STYLE_TAGGED] = { A_BOLD, A_BOLD, COLOR_YELLOW, -1 },
		[STYLE_KEY] = { A_REVERSE, A_NORMAL, COLOR_BLACK, COLOR_CYAN },
		[STYLE_LOW] = { A_NORMAL, A_NORMAL, COLOR_GREEN, -1 },
		[STYLE_HALF] = { A_NORMAL, A_NORMAL, COLOR_YELLOW, -1 },
		[STYLE_HIGH] = { A_BOLD, A_BOLD, COLOR_RED, -1 },
		[STYLE_ALERT] = { A_BOLD, A_BOLD, COLOR_RED, -1 },
		[STYLE_BOX] = { A_NORMAL, A_NORMAL, COLOR_BLACK, COLOR_WHITE },
		[STYLE_BOX_ODD] = { A_BOLD, A_DIM, COLOR_BLACK, COLOR_WHITE },
		[STYLE_BOX_USER] = { A_NORMAL, A_NORMAL, COLOR_BLACK, COLOR_YELLOW },
		[STYLE_BOX_USER_ODD] = { A_BOLD, A_NORMAL, COLOR_BLACK, COLOR_RED },
		[STYLE_BOX_KERNEL] = { A_NORMAL, A_NORMAL, COLOR_BLACK, COLOR_BLUE },
		[STYLE_BOX_KERNEL_ODD] = { A_BOLD, A_NORMAL, COLOR_BLACK, COLOR_MAGENTA },
	};
	const char *no_color = getenv("NO_COLOR");
	bool colors = !(no_color && *no_color) && has_colors() && start_color() == OK &&
		      use_default_colors() == OK;

	for (int i = 0; i < STYLES; i++) {
		t->styles[i] = colors ? styles[i].color : styles[i].mono;
		if (!colors || (styles[i].front < 0 && styles[i].back < 0))
			continue;
		init_pair(i, styles[i].front, styles[i].back);
		t->styles[i] |= COLOR_PAIR(i);
	}
}

static int start_curses(struct terminal *t)
{
	const struct sigaction stop = { .sa_handler = on_stop };
	struct sigaction old[ARRAY_SIZE(taken)];

	sigaction(SIGTSTP, &stop, &t->old_stop);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaction(taken[i], NULL, &old[i]);
	t->screen = newterm(NULL, stdout, stdin);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaction(taken[i], &old[i], NULL);
	if (!t->screen) {
		sigaction(SIGTSTP, &t->old_stop, NULL);
		return -ENOMEM;
	}
	set_term(t->screen);
	cbreak();
	noecho();
	nonl();
	set_escdelay(ESC_MS);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	choose_styles(t);
	return 0;
}

int terminal__open(struct terminal **out, const char *instead, struct buf *why)
{
	TERMINAL *looked_at;
	struct terminal *t;
	int err = check_terminal(instead, why);

	*out = NULL;
	if (err)
		return err;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->signals = -1;
	choose_locale(t);
	terminal_crash__prepare();
	err = open_signals(t);
	looked_at = cur_term; /* of check_terminal(); newterm() makes another */
	if (!err)
		err = start_curses(t);
	del_curterm(looked_at);
	if (err) {
		terminal__close(t);
		return err;
	}
	*out = t;
	return 0;
}

void terminal__close(struct terminal *t)
{
	if (!t)
		return;
	if (t->screen) {
		endwin();
		delscreen(t->screen);
		sigaction(SIGTSTP, &t->old_stop, NULL);
	}
	terminal_crash__forget();
	if (t->signals >= 0) {
		close(t->signals);
		sigprocmask(SIG_SETMASK, &t->old_mask, NULL);
	}
	free(t);
}

int terminal__begin(const struct terminal *t, struct canvas *c)
{
	c->is_ascii = t->is_ascii;
	return canvas__begin(c, COLS, LINES);
}

/* '?' if libc and base/utf8.h disagree about the width: the rest of the line would be shifted. */
static wchar_t printable(const struct canvas_cell *cell, bool is_wide)
{
	if (cell->character >= ' ' && cell->character < 0x7f)
		return cell->character;
	return wcwidth(cell->character) == (is_wide ? 2 : 1) ? (wchar_t)cell->character : L'?';
}

static void show_line(const struct terminal *t, const struct canvas *c, int y)
{
	const struct canvas_cell *line = &c->cells[(size_t)y * c->width];
	wchar_t run[256];

	for (int x = 0; x < c->width;) {
		int start = x, nr = 0;

		while (x < c->width && nr < (int)ARRAY_SIZE(run) &&
		       line[x].style == line[start].style) {
			bool is_wide = x + 1 < c->width && !line[x + 1].character;

			run[nr++] = printable(&line[x], is_wide);
			x += 1 + is_wide;
		}
		attrset(t->styles[line[start].style]);
		mvaddnwstr(y, start, run, nr);
	}
}

void terminal__show(struct terminal *t, const struct canvas *c)
{
	erase();
	for (int y = 0; y < c->height; y++)
		show_line(t, c, y);
	attrset(A_NORMAL);
	curs_set(c->shows_cursor ? 1 : 0);
	move(c->cursor_y, c->cursor_x);
	refresh();
	t->is_stale = false;
}

bool terminal__is_stale(const struct terminal *t)
{
	return t->is_stale;
}

size_t terminal__pollfds(const struct terminal *t, struct pollfd *fds, size_t max)
{
	if (max > 0)
		fds[0] = (struct pollfd){ STDIN_FILENO, POLLIN, 0 };
	if (max > 1)
		fds[1] = (struct pollfd){ t->signals, POLLIN, 0 };
	return 2;
}

/* Stops the process as Ctrl-Z does, with the terminal restored; returns when it is continued. */
static void stop(void)
{
	const struct sigaction stops = { .sa_handler = SIG_DFL };
	struct sigaction old;
	sigset_t mask;

	endwin();
	sigaction(SIGTSTP, &stops, &old);
	sigemptyset(&mask);
	sigaddset(&mask, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &mask, NULL); /* the process stops in this call */
	sigprocmask(SIG_BLOCK, &mask, NULL);
	sigaction(SIGTSTP, &old, NULL);
	refresh();
}

static void resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

static int take_signals(struct terminal *t)
{
	struct signalfd_siginfo info;

	while (read(t->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			return -ECANCELED;
		/* If it was ignored when we were started, nobody would continue us. */
		if (info.ssi_signo == SIGTSTP && t->old_stop.sa_handler != SIG_IGN)
			stop();
		/* Others may have drawn on the terminal, or resized it, while we were stopped. */
		if (info.ssi_signo == SIGCONT) {
			reset_prog_mode();
			clearok(curscr, TRUE);
		}
		resize();
		t->is_stale = true;
	}
	return 0;
}

static bool take_mouse(struct input *in)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return false;
	*in = (struct input){ .x = event.x, .y = event.y };
	if (event.bstate & BUTTON1_PRESSED)
		in->code = INPUT_CLICK;
	else if (event.bstate & BUTTON4_PRESSED)
		in->code = INPUT_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		in->code = INPUT_WHEEL_DOWN;
	return in->code != INPUT_NONE;
}

static uint32_t name_key(wint_t key)
{
	static const struct {
		wint_t key;
		uint32_t code;
	} names[] = {
		{ KEY_UP, INPUT_UP },	      { KEY_DOWN, INPUT_DOWN },
		{ KEY_LEFT, INPUT_LEFT },     { KEY_RIGHT, INPUT_RIGHT },
		{ KEY_PPAGE, INPUT_PAGE_UP }, { KEY_NPAGE, INPUT_PAGE_DOWN },
		{ KEY_HOME, INPUT_HOME },     { KEY_END, INPUT_END },
		{ KEY_BTAB, INPUT_BACKTAB },  { KEY_BACKSPACE, INPUT_BACKSPACE },
		{ KEY_DC, INPUT_DELETE },     { KEY_ENTER, INPUT_ENTER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].key == key)
			return names[i].code;
	if (key >= KEY_F(1) && key <= KEY_F(12))
		return INPUT_F1 + key - KEY_F(1);
	return INPUT_NONE;
}

/* Whether the terminal has been closed; that does not always come with SIGHUP. */
static bool is_gone(void)
{
	struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };

	return poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int terminal__read(struct terminal *t, struct input *in)
{
	int err = take_signals(t);
	wint_t key;

	if (err || is_gone())
		return -ECANCELED;
	for (;;) {
		int kind = get_wch(&key);

		*in = (struct input){};
		if (kind == ERR)
			return 0;
		if (kind == KEY_CODE_YES && key == KEY_MOUSE) {
			if (take_mouse(in))
				return 1;
			continue;
		}
		in->code = kind == KEY_CODE_YES ? name_key(key) : key == '\r' ? '\n' : key;
		if (in->code != INPUT_NONE)
			return 1;
	}
}
