// SPDX-License-Identifier: BSD-2-Clause
/* Opens the terminal, and passes its keys on until the user leaves. */
#include "cmd/viewing.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/privileges.h"
#include "base/why.h"
#include "cmd/screen_file.h"
#include "run/interrupt.h"
#include "tui/terminal.h"
#include "tui/viewer.h"

static const char *const instead = "there is a table without --tui";

struct viewing {
	const struct profile_output *out;
	struct terminal *terminal;
	struct viewer *viewer;
	struct interrupt interrupt;
	struct canvas page;
};

int viewing__check(const struct outputs *o, struct buf *why)
{
	if (!isatty(STDOUT_FILENO))
		return why__refuse(why, -EINVAL, "--tui: the output is no terminal");
	for (size_t i = 0; i < o->nr; i++)
		if (!o->items[i].path && o->items[i].format != FORMAT_TABLE)
			return why__refuse(why, -EINVAL,
					   "--tui shows a table first: other formats with -o FILE");
	return terminal__check(instead, why);
}

void viewing__offer(const struct outputs *o)
{
	if (o->nr == 1 && !o->items[0].path && !o->items[0].is_stderr &&
	    o->items[0].format == FORMAT_TABLE && isatty(STDOUT_FILENO))
		log__notice("to look at the stacks of a run: --tui; to keep it: -o x.pmut");
}

/* What was read came from a pipe: keys come from the terminal that the process has. */
static int take_keyboard(struct buf *why)
{
	int fd, err = 0;

	if (isatty(STDIN_FILENO))
		return 0;
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		err = why__refuse(why, -errno, "--tui: no terminal to read keys from: %s",
				  strerror(errno));
	if (fd > STDIN_FILENO)
		close(fd);
	return err;
}

static int write_format(void *out, FILE *f, enum format format)
{
	return profile_output__write(out, f, format);
}

static int write_page(void *arg, const char *path, const struct buf *text, uint32_t event,
		      struct buf *why)
{
	const struct viewing *v = arg;
	struct profile_output out = *v->out;
	enum format format;
	int err = screen_file__format(path, (1u << FORMAT_NR) - 1, "stacks", &format, why);

	out.svg.event = event;
	if (event) /* colours are of the first one */
		out.color = NULL;
	return err ? err : screen_file__write(path, format, text, write_format, &out, why);
}

static int draw(struct viewing *v)
{
	int err = terminal__begin(v->terminal, &v->page);

	if (!err)
		err = viewer__draw(v->viewer, &v->page);
	if (!err)
		terminal__show(v->terminal, &v->page);
	return err;
}

static int take_keys(struct viewing *v, bool *stale)
{
	struct input in;
	int got;

	while ((got = terminal__read(v->terminal, &in)) > 0) {
		*stale = true;
		got = viewer__input(v->viewer, &in);
		if (got)
			return got;
	}
	return got;
}

static int watch(struct viewing *v)
{
	int err = draw(v);

	while (!err) {
		enum { FDS = 4 };
		struct pollfd fds[FDS] = { { v->interrupt.fd, POLLIN, 0 } };
		size_t nr = terminal__pollfds(v->terminal, fds + 1, FDS - 1);
		bool stale = false;

		if (poll(fds, 1 + nr, -1) < 0 && errno != EINTR)
			return -errno;
		interrupt__take(&v->interrupt, NULL);
		if (v->interrupt.nr)
			return 0;
		err = take_keys(v, &stale);
		if (!err && (stale || terminal__is_stale(v->terminal)))
			err = draw(v);
	}
	return err == -ECANCELED ? 0 : err;
}

static int show(struct viewing *v, const struct profile *shown, const char *name, struct buf *why)
{
	const struct viewer_opts opts = {
		.profile = shown,
		.name = name,
		.event = v->out->svg.event,
		.write = write_page,
		.arg = v,
	};
	int err = viewer__new(&v->viewer, &opts);

	if (!err)
		err = take_keyboard(why);
	if (!err)
		err = interrupt__open(&v->interrupt);
	if (err)
		return err;
	err = terminal__open(&v->terminal, instead, why);
	if (!err)
		err = watch(v);
	terminal__close(v->terminal);
	interrupt__close(&v->interrupt);
	return err;
}

int viewing__show(const struct profile_output *out, const char *name, struct buf *why)
{
	struct viewing v = { .out = out };
	const struct profile *shown;
	struct profile *copy;
	int err = profile_output__shown(out->profile, FORMAT_TABLE, &shown, &copy);

	privileges__keep(PRIVILEGES_WRITE);
	if (!err)
		err = show(&v, shown, name, why);
	viewer__free(v.viewer);
	canvas__free(&v.page);
	profile__free(copy);
	return err;
}
