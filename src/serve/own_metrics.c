// SPDX-License-Identifier: BSD-2-Clause
/* Asks the kernel what this process has used. */
#include "serve/own_metrics.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "serve/exposition.h"

void own_metrics__begin(struct own_metrics *m)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	m->start_time_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void put_memory(struct exposition *x)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	struct buf text = {};
	char *rest;
	uint64_t all, resident;

	if (!buf__read_file(&text, "/proc/self/statm", 4096) && text.len) {
		all = strtoull(text.data, &rest, 10);
		resident = strtoull(rest, NULL, 10);
		exposition__gauge(x, "process_virtual_memory_bytes", "Virtual memory size in bytes",
				  all * page);
		exposition__gauge(x, "process_resident_memory_bytes",
				  "Resident memory size in bytes", resident * page);
	}
	buf__free(&text);
}

static void put_files(struct exposition *x)
{
	DIR *dir = opendir("/proc/self/fd");
	struct rlimit limit;
	uint64_t nr = 0;

	for (const struct dirent *e; dir && (e = readdir(dir));)
		nr += *e->d_name != '.';
	if (dir) {
		closedir(dir);
		/* But for that of the directory. */
		exposition__gauge(x, "process_open_fds", "Number of open file descriptors", nr - 1);
	}
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		exposition__gauge(x, "process_max_fds", "Maximum number of open file descriptors",
				  limit.rlim_cur);
}

void own_metrics__put(const struct own_metrics *m, struct exposition *x)
{
	struct rusage usage;

	exposition__family(x, "pmutrace_build_info", METRIC_GAUGE, "The version of pmutrace");
	exposition__label(x, "version", PMUTRACE_VERSION);
	exposition__u64(x, 1);
	exposition__family(x, "pmutrace_scrapes_total", METRIC_COUNTER,
			   "Requests for metrics that were answered before this one");
	exposition__u64(x, m->nr_scrapes);
	exposition__family(x, "pmutrace_scrape_seconds_total", METRIC_COUNTER,
			   "Time that it took to answer these");
	exposition__double(x, (double)m->scrape_ns / 1e9);
	if (!getrusage(RUSAGE_SELF, &usage)) {
		exposition__family(x, "process_cpu_seconds_total", METRIC_COUNTER,
				   "Total user and system CPU time spent in seconds");
		exposition__double(x, seconds(usage.ru_utime) + seconds(usage.ru_stime));
	}
	exposition__family(x, "process_start_time_seconds", METRIC_GAUGE,
			   "Start time of the process since unix epoch in seconds");
	exposition__double(x, m->start_time_s);
	put_memory(x);
	put_files(x);
}
