// SPDX-License-Identifier: BSD-2-Clause
/* Goes through our own descriptors for those of BPF programs. */
#include "object/run_time.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"

enum { FDINFO_BYTES = 4096 };

int run_time__measure(int *fd, struct buf *why)
{
	*fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (*fd >= 0)
		return 0;
	return why__refuse(why, *fd,
			   "the kernel does not measure BPF programs for us: %s (CAP_SYS_ADMIN, "
			   "Linux 5.8)",
			   strerror(-*fd));
}

static bool is_program(const char *number)
{
	char path[300], to[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%s", number);
	len = readlink(path, to, sizeof(to) - 1);
	to[len < 0 ? 0 : len] = '\0';
	return !strcmp(to, "anon_inode:bpf-prog");
}

static uint64_t of_program(const char *number)
{
	struct buf text = {};
	char path[300];
	const char *at;
	uint64_t ns = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", number);
	if (!buf__read_file(&text, path, FDINFO_BYTES) && text.len) {
		at = strstr(text.data, "\nrun_time_ns:");
		if (!at || sscanf(at, "\nrun_time_ns: %" SCNu64, &ns) != 1)
			ns = 0;
	}
	buf__free(&text);
	return ns;
}

int run_time__ns(uint64_t *ns)
{
	DIR *dir = opendir("/proc/self/fd");

	*ns = 0;
	if (!dir)
		return -errno;
	for (const struct dirent *e; (e = readdir(dir));)
		if (*e->d_name != '.' && is_program(e->d_name))
			*ns += of_program(e->d_name);
	closedir(dir);
	return 0;
}
