// SPDX-License-Identifier: BSD-2-Clause
/* Reads the lines of /proc/stat that begin with cpuN. */
#include "machine/cputime.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

enum { STAT_BYTES_MAX = 16 << 20 }; /* thousands of CPUs, and an interrupt's count for each */

/* "cpu3 user nice system idle iowait irq softirq steal guest guest_nice", in ticks. */
static void take_line(const char *line, struct cputime *cpus, size_t nr)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, stolen;
	unsigned cpu;

	if (sscanf(line,
		   "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &cpu, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &stolen) != 9 ||
	    cpu >= nr)
		return;
	cpus[cpu] = (struct cputime){
		.idle_ns = (idle + iowait) * CPUTIME_TICK_NS,
		.stolen_ns = stolen * CPUTIME_TICK_NS,
		.busy_ns = (user + nice + system + irq + softirq) * CPUTIME_TICK_NS,
		.task_ns = (user + nice + system) * CPUTIME_TICK_NS,
		.online = true,
	};
}

int cputime__open(const char *root)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int cputime__read(int fd, struct cputime *cpus, size_t nr)
{
	struct buf text = {};
	int err = lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;

	memset(cpus, 0, nr * sizeof(*cpus));
	if (!err)
		err = buf__read_fd(&text, fd, STAT_BYTES_MAX);
	for (const char *line = text.data; !err && line && !strncmp(line, "cpu", 3);) {
		take_line(line, cpus, nr);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	buf__free(&text);
	return err;
}
