// SPDX-License-Identifier: BSD-2-Clause
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 20 };

static const struct timespec BETWEEN = { .tv_nsec = 50000000 };

/* fifo(7): a writer that will not wait is told ENXIO while there is no reader. */
static int open_at_once(const char *path, int flags)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags, 0666);

	return fd < 0 ? -errno : fd;
}

static bool is_pipe(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

int sink__open(const char *path, int flags)
{
	int fd = open_at_once(path, flags), had;

	for (int i = 0; i < TRIES && fd == -ENXIO && is_pipe(path); i++) {
		nanosleep(&BETWEEN, NULL);
		fd = open_at_once(path, flags);
	}
	if (fd < 0)
		return fd;
	had = fcntl(fd, F_GETFL);
	if (had < 0 || fcntl(fd, F_SETFL, had & ~O_NONBLOCK)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

const char *sink__strerror(int err)
{
	return err == -ENXIO ? "nobody reads from this pipe" : strerror(-err);
}
