// SPDX-License-Identifier: BSD-2-Clause
/*
 * calls - facts about calls: those that it is told, when it is told.
 *
 * usage: calls STEP..
 *
 * Does the steps in order. `-` among them reads further ones from stdin, a line each, and prints
 * "done" after each. Steps:
 *	work=N,N,..	work(N, "even" or "odd", -N as an int), which returns N; A..B is all from A
 *			to B
 *	text=STRING	text_call(STRING)
 *	null		text_call(NULL)
 *	some		work_one once, work_two twice, work_three three times
 *	threads=T,N	T threads at once call work(I) N times, I = 1 .. T; they are named calls-I
 *	child=N		a child calls work(N) once, and ends
 *	getppid=N	as many of these system calls
 *	hop=N		hop(N), which goes to the other one of two CPUs N times; it begins on the
 *			first one
 *	naps=N		naps(), which N times uses 5 ms of CPU time and sleeps for 1 ms
 *	rest=MS,N	rest(MS) N times, each of which sleeps for so many milliseconds
 *	exit=N		ends with that status
 */
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "prog.h"

KNOWN_FRAME long work(long n, const char *parity, int negative)
{
	__asm__ volatile("" : : "r"(parity), "r"(negative));
	keep_frame();
	return n;
}

KNOWN_FRAME void text_call(const char *text)
{
	__asm__ volatile("" : : "r"(text));
	keep_frame();
}

KNOWN_FRAME void work_one(void)
{
	keep_frame();
}

KNOWN_FRAME void work_two(void)
{
	keep_frame();
}

KNOWN_FRAME void work_three(void)
{
	keep_frame();
}

static void call_work(long n)
{
	work(n, n % 2 ? "odd" : "even", -(int)n);
}

static void some(void)
{
	for (int i = 0; i < 3; i++) {
		if (i < 1)
			work_one();
		if (i < 2)
			work_two();
		work_three();
	}
}

/* Numbers of 64 bits, signed or not. */
static long number(const char *text, char **end)
{
	return *text == '-' ? strtol(text, end, 0) : (long)strtoul(text, end, 0);
}

static void call_list(const char *list)
{
	char *end = (char *)list;

	for (const char *at = list; *at; at = end + (*end == ',')) {
		long n = number(at, &end), last = n;

		if (!strncmp(end, "..", 2))
			last = number(end + 2, &end);
		if (end == at || (*end && *end != ','))
			bad_argument("list", list);
		call_work(n);
		while (n != last)
			call_work(++n);
	}
}

struct thread {
	pthread_t id;
	unsigned i, calls;
};

static void *in_thread(void *arg)
{
	const struct thread *t = arg;
	char name[16];

	snprintf(name, sizeof(name), "calls-%u", t->i);
	prctl(PR_SET_NAME, name);
	for (unsigned n = 0; n < t->calls; n++)
		call_work(t->i);
	return NULL;
}

static void run_threads(const char *arg)
{
	struct thread threads[32];
	unsigned nr, calls;

	if (sscanf(arg, "%u,%u", &nr, &calls) != 2 || nr > 32)
		bad_argument("threads", arg);
	for (unsigned i = 0; i < nr; i++) {
		threads[i] = (struct thread){ .i = i + 1, .calls = calls };
		if (pthread_create(&threads[i].id, NULL, in_thread, &threads[i]))
			die("pthread_create");
	}
	for (unsigned i = 0; i < nr; i++)
		pthread_join(threads[i].id, NULL);
}

static void in_child(const char *arg)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		call_list(arg);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void getppid_often(unsigned n)
{
	while (n--)
		syscall_in_place(SYS_getppid, 0, 0, 0);
}

/* To the nth of those that it was allowed to run on at its start. */
static void go_to(const cpu_set_t *allowed, unsigned nth)
{
	cpu_set_t one;
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, allowed) && !nth--)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
}

KNOWN_FRAME void hop(const cpu_set_t *allowed, unsigned times)
{
	for (unsigned i = 1; i <= times; i++)
		go_to(allowed, i % 2);
	keep_frame();
}

static void hop_often(unsigned times)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		die("sched_getaffinity");
	go_to(&allowed, 0);
	hop(&allowed, times);
	if (sched_setaffinity(0, sizeof(allowed), &allowed))
		die("sched_setaffinity");
}

KNOWN_FRAME void naps(unsigned times)
{
	while (times--) {
		burn_here(5 * NS_PER_MS);
		usleep(1000);
	}
	keep_frame();
}

KNOWN_FRAME void rest(unsigned ms)
{
	usleep(ms * 1000);
	keep_frame();
}

static void rest_often(const char *arg)
{
	char *end;
	const unsigned ms = number(arg, &end);

	if (*end != ',')
		bad_argument("rest", arg);
	for (unsigned n = parse_number(end + 1, 1, 1000000); n; n--)
		rest(ms);
}

static void do_step(const char *step)
{
	const char *arg = strchr(step, '=');
	size_t len = arg ? (size_t)(arg++ - step) : strlen(step);

#define IS(name) (len == strlen(name) && !strncmp(step, name, len))
	if (!arg) {
		if (IS("null"))
			text_call(NULL);
		else if (IS("some"))
			some();
		else
			bad_argument("step", step);
	} else if (IS("work")) {
		call_list(arg);
	} else if (IS("text")) {
		text_call(arg);
	} else if (IS("threads")) {
		run_threads(arg);
	} else if (IS("child")) {
		in_child(arg);
	} else if (IS("getppid")) {
		getppid_often(parse_number(arg, 0, 100000000));
	} else if (IS("hop")) {
		hop_often(parse_number(arg, 0, 1000000));
	} else if (IS("naps")) {
		naps(parse_number(arg, 0, 1000000));
	} else if (IS("rest")) {
		rest_often(arg);
	} else if (IS("exit")) {
		exit(parse_number(arg, 0, 255));
	} else {
		bad_argument("step", step);
	}
#undef IS
}

static void read_steps(void)
{
	char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		do_step(line);
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-"))
			do_step(argv[i]);
		else
			read_steps();
	}
	return 0;
}
