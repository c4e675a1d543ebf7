// SPDX-License-Identifier: BSD-2-Clause
/*
 * measure - runs a command and prints, in words for a shell's eval, what it took.
 *
 * usage: measure [-t SECONDS [-w SECONDS] [-p] [-s] [-k]] [-o FILE] [-e FILE] COMMAND [ARGS]
 *
 * With -t the command is a profiler: it gets SIGINT so many seconds after its first sample.
 *   first_ms      exec to its first sample
 *   first_cpu_ms  CPU time it had used by then
 *   stop_ms       SIGINT to its end
 *   stop_cpu_ms   CPU time it used after SIGINT
 *   runs, run_ns  runs of its BPF programs on perf events and the time spent in them
 *   maps_kb       memory of its BPF maps
 * -p: it has no BPF program (perf): "first sample" is then its first perf event.
 * -s: its programs are at raw tracepoints (switches), and runs are those of these.
 * -w: runs are counted from so many seconds after the first sample on, when it has settled.
 * -k: it is killed instead of interrupted: only its samples matter.
 * Always: wall_ms, cpu_ms (user and system, its children's too), rss_kb (peak of the largest
 * process), status.
 *
 * A command that goes on for a minute after SIGINT is killed: status is then 137.
 *
 * Only the command's own descriptors are looked at (/proc/PID/fdinfo), so other profilers on the
 * machine do no harm. Statistics of BPF programs are on while this runs.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NS = 1000000, PATIENCE_SECONDS = 60 };

struct state {
	uint64_t runs, run_ns; /* of programs of the type */
	uint64_t map_bytes;
	bool perf_event; /* an event is open */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

/* Adds what one descriptor is: kernel/bpf/syscall.c, bpf_prog_show_fdinfo, bpf_map_show_fdinfo. */
static void add_fd(struct state *s, enum bpf_prog_type type, FILE *f)
{
	uint64_t value, runs = 0, run_ns = 0, bytes = 0;
	bool counts = false, map = false;
	char line[256], key[64];

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63[^:]: %lu", key, &value) != 2)
			continue;
		if (!strcmp(key, "prog_type"))
			counts = value == type;
		else if (!strcmp(key, "map_type"))
			map = true;
		else if (!strcmp(key, "run_cnt"))
			runs = value;
		else if (!strcmp(key, "run_time_ns"))
			run_ns = value;
		else if (!strcmp(key, "memlock"))
			bytes = value;
	}
	if (counts) {
		s->runs += runs;
		s->run_ns += run_ns;
	}
	if (map)
		s->map_bytes += bytes;
}

static void look_at(pid_t pid, enum bpf_prog_type type, struct state *s)
{
	char path[64], link[64];
	struct dirent *e;
	DIR *dir;
	FILE *f;

	memset(s, 0, sizeof(*s));
	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%.10s", pid, e->d_name);
		n = readlink(path, link, sizeof(link) - 1);
		if (n < 0)
			continue;
		link[n] = '\0';
		if (!strcmp(link, "anon_inode:[perf_event]"))
			s->perf_event = true;
		if (strncmp(link, "anon_inode:bpf-", 15))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.10s", pid, e->d_name);
		f = fopen(path, "re");
		if (f) {
			add_fd(s, type, f);
			fclose(f);
		}
	}
	if (dir)
		closedir(dir);
}

/* Of the main thread: none of the profilers has done work elsewhere before it samples. */
static double cpu_ms(pid_t pid)
{
	char path[64];
	uint64_t ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%lu", &ns) != 1)
			ns = 0;
		fclose(f);
	}
	return ns / 1e6;
}

static void send_to(const char *path, int fd)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (file < 0 || dup2(file, fd) < 0) {
		perror(path);
		_exit(127);
	}
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/*
 * Waits for the first sample, lets it run, stops it. Returns when it was stopped and in
 * @used_ms the CPU time used by then.
 */
static uint64_t watch(pid_t pid, enum bpf_prog_type type, int sig, uint64_t run_for_ns,
		      uint64_t settle_ns, uint64_t start, double *used_ms)
{
	struct state first, last;
	uint64_t begin;

	for (;;) {
		look_at(pid, type, &first);
		if (type == BPF_PROG_TYPE_UNSPEC ? first.perf_event : first.runs > 0)
			break;
		if (has_ended(pid))
			return now_ns();
		sleep_ns(POLL_NS);
	}
	begin = now_ns();
	printf("first_ms=%.1f first_cpu_ms=%.1f ", (begin - start) / 1e6, cpu_ms(pid));
	if (settle_ns) {
		sleep_ns(settle_ns);
		look_at(pid, type, &first);
	}
	sleep_ns(run_for_ns);
	look_at(pid, type, &last);
	printf("runs=%lu run_ns=%lu maps_kb=%lu ", last.runs - first.runs,
	       last.run_ns - first.run_ns, last.map_bytes / 1024);
	*used_ms = cpu_ms(pid);
	begin = now_ns();
	kill(pid, sig);
	return begin;
}

/* SIGCHLD is blocked: it wakes this up, or has done so already. */
static void kill_the_deaf(pid_t pid)
{
	struct timespec patience = { PATIENCE_SECONDS, 0 };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (sigtimedwait(&child, NULL, &patience) < 0)
		kill(pid, SIGKILL);
}

int main(int argc, char **argv)
{
	const char *out = NULL, *err = "/dev/null";
	uint64_t start, stop = 0, end;
	double seconds = 0, settle = 0, used_ms = 0, all_ms;
	enum bpf_prog_type type = BPF_PROG_TYPE_PERF_EVENT;
	struct rusage use;
	sigset_t child;
	int c, status, sig = SIGINT;
	pid_t pid;

	while ((c = getopt(argc, argv, "+t:w:psko:e:")) != -1) {
		if (c == 't')
			seconds = atof(optarg);
		else if (c == 'w')
			settle = atof(optarg);
		else if (c == 'p')
			type = BPF_PROG_TYPE_UNSPEC;
		else if (c == 's')
			type = BPF_PROG_TYPE_RAW_TRACEPOINT;
		else if (c == 'k')
			sig = SIGKILL;
		else if (c == 'o')
			out = optarg;
		else if (c == 'e')
			err = optarg;
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	/* Held open until the end. */
	if (seconds && bpf_enable_stats(BPF_STATS_RUN_TIME) < 0) {
		perror("measure: BPF statistics");
		return 1;
	}

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	start = now_ns();
	pid = fork();
	if (pid < 0) {
		perror("measure: fork");
		return 1;
	}
	if (pid == 0) {
		sigprocmask(SIG_UNBLOCK, &child, NULL);
		signal(SIGINT, SIG_DFL); /* ignored in what a shell runs in the background */
		send_to(out ? out : "/dev/null", STDOUT_FILENO);
		send_to(err, STDERR_FILENO);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	if (seconds) {
		stop = watch(pid, type, sig, seconds * 1e9, settle * 1e9, start, &used_ms);
		kill_the_deaf(pid);
	}
	if (wait4(pid, &status, 0, &use) != pid) {
		perror("measure: wait4");
		return 1;
	}
	end = now_ns();
	all_ms = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
		 (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3;
	if (stop)
		printf("stop_ms=%.1f stop_cpu_ms=%.1f ", (end - stop) / 1e6, all_ms - used_ms);
	printf("wall_ms=%.1f cpu_ms=%.1f rss_kb=%ld status=%d\n", (end - start) / 1e6, all_ms,
	       use.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
