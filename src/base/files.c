// SPDX-License-Identifier: BSD-2-Clause
/* Reads and sets RLIMIT_NOFILE, and opens descriptors on trial to see how many are left. */
#include "base/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"

enum { OPEN_ALREADY = 64 };

static void set_limit(struct rlimit *limit, rlim_t value)
{
	limit->rlim_cur = value;
	if (setrlimit(RLIMIT_NOFILE, limit))
		log__debug("RLIMIT_NOFILE stays as it is: %s", strerror(errno));
}

void files__raise_limit(size_t need)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max ||
	    (limit.rlim_cur > OPEN_ALREADY && limit.rlim_cur - OPEN_ALREADY >= need))
		return;
	set_limit(&limit, limit.rlim_max);
}

uint64_t files__limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
}

void files__set_limit(uint64_t value)
{
	struct rlimit limit;

	if (value && !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur != value)
		set_limit(&limit, value);
}

int files__check_room(size_t nr)
{
	int *fds = malloc((nr + 1) * sizeof(*fds)), err = 0;
	size_t i;

	if (!fds)
		return -ENOMEM;
	for (i = 0; i < nr && !err; i++) {
		fds[i] = eventfd(0, EFD_CLOEXEC);
		if (fds[i] < 0)
			err = -errno;
	}
	while (i--)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
	return err;
}
