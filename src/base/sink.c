// SPDX-License-Identifier: BSD-2-Clause
/* Opens, writes and closes a result, as what its path leads to requires: file, pipe, device. */
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/destination.h"
#include "base/newfile.h"

enum { TRIES = 20 };

static const struct timespec BETWEEN = { .tv_nsec = 50000000 };

struct sink {
	enum sink_use use;
	struct destination to;
	struct newfile fresh;
	bool is_fresh;	/* `fresh` is written, not `to` itself */
	bool is_shared; /* others write to the same open file: stdout */
	bool has_begun;
	bool holds_sigpipe;
	FILE *file;
	off_t whole_bytes; /* up to the end of the last part that is whole */
};

static bool in_parts(const struct sink *s)
{
	return s->use == SINK_PARTS || s->use == SINK_PRIVATE;
}

/* fifo(7): a writer that will not wait is told ENXIO while there is no reader. */
static int open_special(const struct sink *s)
{
	int fd = destination__open(&s->to, O_NONBLOCK), had;

	for (int i = 0; i < TRIES && fd == -ENXIO && S_ISFIFO(s->to.st.st_mode); i++) {
		nanosleep(&BETWEEN, NULL);
		fd = destination__open(&s->to, O_NONBLOCK);
	}
	if (fd < 0)
		return fd == -ENXIO && S_ISSOCK(s->to.st.st_mode) ? -EOPNOTSUPP : fd;
	had = fcntl(fd, F_GETFL);
	if (had < 0 || fcntl(fd, F_SETFL, had & ~O_NONBLOCK)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static int may_write(const struct destination *d)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", d->file);
	return access(self, W_OK) ? -errno : 0;
}

/* rename(2) cannot replace a mount point: docker run -v FILE:FILE. */
static bool is_mounted(const struct destination *d)
{
	struct statx stx;

	return !statx(d->file, "", AT_EMPTY_PATH, 0, &stx) &&
	       stx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* chown(2): nobody but root gives files away. */
static bool may_keep_owner(const struct destination *d)
{
	return !geteuid() || d->st.st_uid == geteuid();
}

static int open_fresh(struct sink *s, int *fd)
{
	/* Of a file that is replaced nothing is to be read before its mode is known. */
	const mode_t mode = s->use == SINK_PRIVATE || s->to.file >= 0 ? 0600 : 0666;
	int err = newfile__open(&s->fresh, s->to.dir, s->to.name, mode, s->use == SINK_WHOLE, fd);

	s->is_fresh = !err;
	return err;
}

static int open_regular_file(struct sink *s, int *fd)
{
	int err = may_write(&s->to);

	if (err)
		return err;
	if (s->use == SINK_WHOLE && s->to.name && !is_mounted(&s->to) && may_keep_owner(&s->to)) {
		err = open_fresh(s, fd);
		if (err != -EACCES && err != -EPERM)
			return err;
	}
	*fd = destination__open(&s->to, 0);
	return *fd < 0 ? *fd : 0;
}

static int open_own(struct sink *s, int *fd)
{
	const int flags = fcntl(s->to.own_fd, F_GETFL);

	if (flags < 0)
		return -errno;
	if (flags & O_PATH || (flags & O_ACCMODE) == O_RDONLY)
		return -EBADF; /* as write(2) would say */
	*fd = fcntl(s->to.own_fd, F_DUPFD_CLOEXEC, 0);
	s->is_shared = true;
	return *fd < 0 ? -errno : 0;
}

static int open_found(struct sink *s, int *fd)
{
	if (s->to.file < 0)
		return open_fresh(s, fd);
	if (s->to.own_fd >= 0)
		return open_own(s, fd);
	if (S_ISREG(s->to.st.st_mode))
		return open_regular_file(s, fd);
	*fd = open_special(s);
	return *fd < 0 ? *fd : 0;
}

static int take_file(struct sink *s, int fd)
{
	int err;

	s->file = fdopen(fd, "w");
	if (s->file)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

static struct sink *new_sink(void)
{
	struct sink *s = calloc(1, sizeof(*s));

	if (s)
		s->to = (struct destination){ .dir = -1, .file = -1, .own_fd = -1 };
	return s;
}

int sink__open(struct sink **out, const char *path, enum sink_use use)
{
	struct sink *s = new_sink();
	int err, fd = -1;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->use = use;
	err = destination__find(&s->to, path, use == SINK_NEW || use == SINK_PRIVATE);
	if (!err)
		err = open_found(s, &fd);
	if (!err && fd >= 0)
		err = take_file(s, fd);
	if (err) {
		sink__free(s);
		return err;
	}
	*out = s;
	return 0;
}

int sink__of(struct sink **out, FILE *f)
{
	struct sink *s = *out = new_sink();

	if (!s)
		return -ENOMEM;
	s->is_shared = true;
	s->file = f;
	return 0;
}

/* Where the next byte goes; -1: not a regular file, or O_APPEND: others write to the same log. */
static off_t position(const struct sink *s)
{
	int fd = fileno(s->file);
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || fcntl(fd, F_GETFL) & O_APPEND)
		return -1;
	return lseek(fd, 0, SEEK_CUR);
}

/* Creates the file, or empties the one that is written in place. */
static int begin_first(struct sink *s)
{
	int fd, err = 0;

	if (!s->file) {
		fd = newfile__make(&s->fresh);
		err = fd < 0 ? fd : take_file(s, fd);
	}
	if (!err && s->is_fresh && in_parts(s))
		err = newfile__show(&s->fresh, fileno(s->file));
	if (!err && s->is_fresh && s->use == SINK_WHOLE && s->to.file >= 0)
		newfile__take_after(fileno(s->file), s->to.file, &s->to.st);
	if (!err && !s->is_fresh && !s->is_shared && S_ISREG(s->to.st.st_mode) &&
	    ftruncate(fileno(s->file), 0))
		err = -errno;
	s->has_begun = !err;
	return err;
}

static bool is_borrowed(const struct sink *s)
{
	return s->is_shared && s->to.own_fd < 0;
}

/* pipe(7): a named pipe without a reader fails this output alone, SIGPIPE would end all. */
static void hold_sigpipe(struct sink *s)
{
	sigset_t pipe, old;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	s->holds_sigpipe = !is_borrowed(s) && !pthread_sigmask(SIG_BLOCK, &pipe, &old) &&
			   !sigismember(&old, SIGPIPE);
}

/* @has_come: raised by a write of ours (EPIPE), and discarded; one that was sent is not. */
static void release_sigpipe(struct sink *s, bool has_come)
{
	const struct timespec now = {};
	sigset_t pipe;

	if (!s->holds_sigpipe)
		return;
	s->holds_sigpipe = false;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (has_come)
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}

int sink__begin(struct sink *s, FILE **f)
{
	int err = s->has_begun ? 0 : begin_first(s);

	if (err)
		return err;
	/* Others may have written to the same file meanwhile: take_back() must leave that alone. */
	if (s->is_shared)
		s->whole_bytes = position(s);
	hold_sigpipe(s);
	*f = s->file;
	return 0;
}

/* From a shared file only if nobody has written behind us: we are at its end. */
static bool may_take_back(const struct sink *s, off_t at)
{
	struct stat st;

	if (s->whole_bytes < 0 || at <= s->whole_bytes)
		return false;
	return !s->is_shared || (!fstat(fileno(s->file), &st) && st.st_size == at);
}

static void take_back(struct sink *s)
{
	int fd = fileno(s->file);

	__fpurge(s->file);
	clearerr(s->file);
	if (!may_take_back(s, position(s)))
		return;
	if (!ftruncate(fd, s->whole_bytes))
		lseek(fd, s->whole_bytes, SEEK_SET);
}

/* File systems that write later tell what failed when a descriptor is closed: close(2). */
static int look_for_errors(const struct sink *s)
{
	int fd = s->is_shared ? -1 : fcntl(fileno(s->file), F_DUPFD_CLOEXEC, 0);

	return fd >= 0 && close(fd) ? -errno : 0;
}

int sink__end(struct sink *s, int err)
{
	bool is_broken = err == -EPIPE;

	errno = 0;
	if (fflush(s->file) || ferror(s->file)) {
		is_broken |= errno == EPIPE;
		err = err ? err : errno ? -errno : -EIO;
	}
	if (!err)
		err = look_for_errors(s);
	if (err)
		take_back(s);
	else if (!s->is_shared)
		s->whole_bytes = position(s);
	/* That unblocks signals, too: no unfinished file is left to clean up. */
	if (err && s->is_fresh)
		newfile__end(&s->fresh);
	release_sigpipe(s, is_broken);
	return err;
}

int sink__close(struct sink *s)
{
	int err = 0;

	if (s->has_begun && s->is_fresh && !in_parts(s))
		err = newfile__show(&s->fresh, fileno(s->file));
	if (s->file && !is_borrowed(s) && fclose(s->file) && !err)
		err = -errno;
	s->file = NULL;
	return err;
}

void sink__free(struct sink *s)
{
	if (!s)
		return;
	if (s->file && !is_borrowed(s)) {
		__fpurge(s->file);
		fclose(s->file);
	}
	if (s->is_fresh)
		newfile__end(&s->fresh);
	destination__close(&s->to);
	free(s);
}

const char *sink__strerror(int err)
{
	switch (err) {
	case -ENXIO:
		return "nobody reads from this pipe";
	case -DESTINATION_STRANGERS:
		return "what is there, or a link on the way, is another user's, or a file with "
		       "several names, in a directory that everybody may write to";
	default:
		return strerror(-err);
	}
}
