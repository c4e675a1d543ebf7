// SPDX-License-Identifier: BSD-2-Clause
/* Readers answer, crash, hang, and try what they may not do; those who ask are told, and go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "jail/cage.h"
#include "jail/jail.h"
#include "jail/message.h"

enum { ECHO, CRASHER, GREEDY, SILENT, EATER, BREAKER, WRITER, FILLER, GIVER, WORKER, NR_READERS };

/* Sends back the text in capital letters, and the descriptor's first bytes. */
static void echo(int sock, int file)
{
	char text[64];
	int n, fd;

	(void)file;
	while ((n = message__receive(sock, text, sizeof(text), &fd)) > 0) {
		if (fd >= 0)
			n = (int)pread(fd, text, sizeof(text), 0);
		if (fd >= 0)
			close(fd);
		if (n <= 0 || message__send(sock, text, n, -1))
			break;
	}
}

static void crash(int sock, int file)
{
	char c;
	int fd;

	(void)file;
	if (message__receive(sock, &c, sizeof(c), &fd) > 0)
		raise(SIGSEGV);
	_exit(7); /* raise(3) did not */
}

static void compute(int sock, int file)
{
	char c;
	int fd;

	(void)file;
	while (message__receive(sock, &c, sizeof(c), &fd) > 0)
		for (volatile unsigned i = 1; i; i += 2)
			;
}

static void keep_silent(int sock, int file)
{
	char c;
	int fd;

	(void)file;
	while (message__receive(sock, &c, sizeof(c), &fd) > 0)
		;
}

/* Answers how much memory it got. */
static void eat(int sock, int file)
{
	enum { PIECE = 1 << 20, MOST = 4096 };
	uint32_t nr;
	char c;
	int fd;

	(void)file;
	while (message__receive(sock, &c, sizeof(c), &fd) > 0) {
		for (nr = 0; nr < MOST; nr++) {
			char *piece = malloc(PIECE);

			if (!piece)
				break;
			memset(piece, 1, PIECE);
		}
		if (message__send(sock, &nr, sizeof(nr), -1))
			break;
	}
}

/* What it tries, and what comes of it: 0 or an errno. */
enum {
	TRY_OPEN,
	TRY_MAKE,
	TRY_SOCKET,
	TRY_EXEC,
	TRY_FORK,
	TRY_KILL,
	TRY_TGKILL,
	TRY_TRACE,
	TRY_CODE,
	TRY_CODE2,
	TRY_UNLINK,
	TRY_CHDIR,
	TRY_SETUID,
	TRY_LIMIT,
	TRY_MEMFD,
	NR_TRIES
};

static int errno_of(long result)
{
	return result < 0 ? errno : 0;
}

/* @other: a process of the same user. */
static void try_all(int *errs, pid_t other)
{
	static const char *const argv[] = { "/bin/true", NULL };
	const struct rlimit more = { RLIM_INFINITY, RLIM_INFINITY };
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errs[TRY_CODE] = code == MAP_FAILED ? errno : 0;
	errs[TRY_CODE2] = errno_of(mprotect(page, 4096, PROT_READ | PROT_EXEC));
	errs[TRY_OPEN] = errno_of(open("/etc/passwd", O_RDONLY));
	errs[TRY_MAKE] = errno_of(open("/tmp/pmutrace-jail-test", O_CREAT | O_WRONLY, 0600));
	errs[TRY_SOCKET] = errno_of(socket(AF_UNIX, SOCK_STREAM, 0));
	errs[TRY_EXEC] = errno_of(execve(argv[0], (char **)argv, NULL));
	errs[TRY_FORK] = errno_of(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	errs[TRY_KILL] = errno_of(kill(other, 0));
	errs[TRY_TGKILL] = errno_of(syscall(SYS_tgkill, other, other, 0));
	errs[TRY_TRACE] = errno_of(ptrace(PTRACE_TRACEME, 0, 0, 0));
	errs[TRY_UNLINK] = errno_of(unlink("/tmp/pmutrace-jail-test"));
	errs[TRY_CHDIR] = errno_of(chdir("/tmp"));
	errs[TRY_SETUID] = errno_of(setuid(0));
	errs[TRY_MEMFD] = errno_of(memfd_create("mine", 0));
	errs[TRY_LIMIT] = errno_of(setrlimit(RLIMIT_AS, &more));
}

static void break_out(int sock, int file)
{
	int errs[NR_TRIES], fd;
	pid_t other;

	(void)file;
	while (message__receive(sock, &other, sizeof(other), &fd) > 0) {
		try_all(errs, other);
		if (message__send(sock, errs, sizeof(errs), -1))
			break;
	}
}

/* Puts its answer into the file. */
static void write_it(int sock, int file)
{
	char c;
	int fd;

	while (message__receive(sock, &c, sizeof(c), &fd) > 0)
		if (pwrite(file, "long", 4, 0) != 4 || message__send(sock, &c, sizeof(c), -1))
			break;
}

/* Fills the file: how many pieces fit? */
static void fill_it(int sock, int file)
{
	enum { PIECE = 1 << 20, MOST = 4096 };
	static char piece[PIECE];
	uint32_t nr = 0;
	char c;
	int fd;

	while (message__receive(sock, &c, sizeof(c), &fd) > 0) {
		while (nr < MOST && pwrite(file, piece, PIECE, (off_t)nr * PIECE) == PIECE)
			nr++;
		if (message__send(sock, &nr, sizeof(nr), -1))
			break;
	}
}

/* Answers with two descriptors, which nobody has asked for. */
static void give(int sock, int file)
{
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = {};
	char c = 'x';
	struct iovec part = { .iov_base = &c, .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	const int two[] = { file, sock };
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);
	int fd;

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(two));
	memcpy(CMSG_DATA(head), two, sizeof(two));
	while (message__receive(sock, &c, sizeof(c), &fd) > 0)
		if (sendmsg(sock, &m, 0) != 1)
			break;
}

/* Computes for 250 ms before each answer. */
static void work(int sock, int file)
{
	struct timespec t;
	int64_t until_ms;
	char c;
	int fd;

	(void)file;
	while (message__receive(sock, &c, sizeof(c), &fd) > 0) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		until_ms = t.tv_sec * 1000 + t.tv_nsec / 1000000 + 250;
		while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < until_ms)
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		if (message__send(sock, &c, sizeof(c), -1))
			break;
	}
}

static const struct jail_reader kinds[NR_READERS] = {
	[ECHO] = { .name = "test-echo", .run = echo },
	[CRASHER] = { .name = "test-crash", .run = crash },
	[GREEDY] = { .name = "test-greedy", .run = compute, .max_cpu_ns = 100000000 },
	[SILENT] = { .name = "test-silent", .run = keep_silent, .max_wall_ns = 200000000 },
	[EATER] = { .name = "test-eater", .run = eat },
	[BREAKER] = { .name = "test-breaker", .run = break_out },
	[WRITER] = { .name = "test-writer", .run = write_it },
	[FILLER] = { .name = "test-filler", .run = fill_it },
	[GIVER] = { .name = "test-giver", .run = give },
	[WORKER] = { .name = "test-worker", .run = work, .max_cpu_ns = 1000000000 },
};

static const struct jail_reader *const readers[NR_READERS] = {
	&kinds[ECHO],	 &kinds[CRASHER], &kinds[GREEDY], &kinds[SILENT], &kinds[EATER],
	&kinds[BREAKER], &kinds[WRITER],  &kinds[FILLER], &kinds[GIVER],  &kinds[WORKER],
};

/* Has root this group, so that there is one to be given up. */
enum { OUR_GROUP = 54321 };
#define OUR_GROUP_TEXT "54321"

static int open_jail(void **state)
{
	const gid_t group = OUR_GROUP;
	struct jail *j;

	if (!geteuid() && setgroups(1, &group))
		return -1;

	if (jail__open(&j, readers, NR_READERS))
		return -1;
	*state = j;
	return 0;
}

static int close_jail(void **state)
{
	jail__close(*state);
	return 0;
}

static struct jailed *start(void **state, unsigned reader)
{
	struct jailed *r;

	assert_int_equal(jailed__open(&r, *state, &kinds[reader]), 0);
	return r;
}

static int ask(struct jailed *r, const char *text, int fd, void *answer, size_t size)
{
	const int err = jailed__send(r, text, strlen(text), fd);

	return err ? err : jailed__receive(r, answer, size);
}

static void assert_answers(struct jailed *r)
{
	char answer[64];

	assert_int_equal(ask(r, "hello", -1, answer, sizeof(answer)), 5);
	assert_memory_equal(answer, "hello", 5);
}

static void assert_why(struct jailed *r, const char *text)
{
	struct buf why = {};

	assert_int_equal(jailed__why(r, &why), 0);
	assert_string_equal(why.data, text);
	buf__free(&why);
	jailed__close(r);
}

static void a_reader_answers(void **state)
{
	struct jailed *r = start(state, ECHO);

	assert_answers(r);
	assert_answers(r);
	assert_true(jailed__cpu_ns(r) > 0);
	jailed__close(r);
}

static void it_reads_the_descriptor_that_it_is_given(void **state)
{
	struct jailed *r = start(state, ECHO);
	const int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	char comm[64] = "", answer[64];
	const int len = (int)pread(fd, comm, sizeof(comm), 0);

	assert_true(len > 0);
	assert_int_equal(ask(r, "x", fd, answer, sizeof(answer)), len);
	assert_memory_equal(answer, comm, len);
	close(fd);
	jailed__close(r);
}

/* Beside another one, which is not concerned. */
static void one_that_crashes_is_told(void **state)
{
	struct jailed *other = start(state, ECHO), *r = start(state, CRASHER);
	char answer[64];

	assert_int_equal(ask(r, "x", -1, answer, sizeof(answer)), -EPIPE);
#if defined(__SANITIZE_ADDRESS__)
	jailed__close(r); /* the sanitizer makes an exit status of it */
#else
	assert_why(r, "its reader crashed (Segmentation fault)");
#endif
	assert_answers(other);
	jailed__close(other);
}

static void one_that_computes_for_ever_is_ended(void **state)
{
	struct jailed *r = start(state, GREEDY);
	char answer[64];

	assert_int_equal(ask(r, "x", -1, answer, sizeof(answer)), -ETIME);
	assert_int_equal(jailed__pid(r), 0);
	assert_why(r, "it took more than 0.1 s of CPU time");
}

static void one_that_waits_for_ever_is_ended(void **state)
{
	struct jailed *r = start(state, SILENT);
	char answer[64];

	assert_int_equal(ask(r, "x", -1, answer, sizeof(answer)), -ETIME);
	assert_why(r, "it took more than 0.2 s");
}

static void memory_has_a_limit(void **state)
{
#if defined(__SANITIZE_ADDRESS__)
	(void)state; /* it reserves what a limit would be of */
#else
	struct jailed *r = start(state, EATER);
	uint32_t nr;

	assert_int_equal(ask(r, "x", -1, &nr, sizeof(nr)), sizeof(nr));
	assert_in_range(nr, 200, CAGE_BYTES >> 20);
	jailed__close(r);
#endif
}

static void it_can_open_connect_and_start_nothing(void **state)
{
	struct jailed *r = start(state, BREAKER), *other = start(state, ECHO);
	const pid_t pid = jailed__pid(other);
	int errs[NR_TRIES];

	assert_answers(other);
	assert_int_equal(jailed__send(r, &pid, sizeof(pid), -1), 0);
	assert_int_equal(jailed__receive(r, errs, sizeof(errs)), sizeof(errs));
	for (int i = 0; i < NR_TRIES; i++) {
		if (errs[i] != EPERM)
			print_error("try %d: errno %d\n", i, errs[i]);
		assert_int_equal(errs[i], EPERM);
	}
	jailed__close(other);
	jailed__close(r);
}

/* The value of a line of /proc/PID/status. */
static void status_of(pid_t pid, const char *line, char value[64])
{
	struct buf text = {};
	char path[64], *at;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	assert_int_equal(buf__read_file(&text, path, 65536), 0);
	at = strstr(text.data, line);
	assert_non_null(at);
	assert_int_equal(sscanf(at + strlen(line), "%63[^\n]", value), 1);
	buf__free(&text);
}

static void it_is_nobody_without_capabilities(void **state)
{
	struct jailed *r = start(state, ECHO);
	char value[64];

	assert_answers(r);
	status_of(jailed__pid(r), "Name:\t", value);
	assert_string_equal(value, "test-echo");
	for (int i = 0; i < 3; i++) {
		static const char *const sets[] = { "\nCapPrm:\t", "\nCapEff:\t", "\nCapInh:\t" };

		status_of(jailed__pid(r), sets[i], value);
		assert_string_equal(value, "0000000000000000");
	}
	status_of(jailed__pid(r), "\nNoNewPrivs:\t", value);
	assert_string_equal(value, "1");
	status_of(jailed__pid(r), "\nSeccomp:\t", value);
	assert_string_equal(value, "2");
	status_of(jailed__pid(r), "\nUid:\t", value);
	if (!geteuid())
		assert_string_equal(value, "65534\t65534\t65534\t65534");
	status_of(jailed__pid(r), "\nGroups:\t", value);
	if (!geteuid())
		assert_null(strstr(value, OUR_GROUP_TEXT));
	jailed__close(r);
}

static void it_has_no_descriptor_of_ours(void **state)
{
	const int ours = open("/", O_RDONLY | O_CLOEXEC);
	struct jailed *r = start(state, ECHO);
	char path[64], link[128];
	struct dirent *e;
	size_t nr = 0;
	DIR *dir;

	assert_answers(r);
	snprintf(path, sizeof(path), "/proc/%d/fd", jailed__pid(r));
	dir = opendir(path);
	if (!dir && geteuid()) { /* only root may look there */
		close(ours);
		jailed__close(r);
		return;
	}
	assert_non_null(dir);
	while ((e = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);

		if (len < 0) /* . and .. */
			continue;
		link[len] = '\0';
		if (!strcmp(e->d_name, "3"))
			assert_non_null(strstr(link, "socket:"));
		else if (!strcmp(e->d_name, "4"))
			assert_non_null(strstr(link, "memfd:answer"));
		else
			assert_true(atoi(e->d_name) < 3);
		nr++;
	}
	assert_int_equal(nr, 5);
	closedir(dir);
	close(ours);
	jailed__close(r);
}

static void a_long_answer_is_in_a_file(void **state)
{
	struct jailed *r = start(state, WRITER);
	char c, text[5] = "";

	assert_int_equal(ask(r, "x", -1, &c, 1), 1);
	assert_int_equal(pread(jailed__file(r), text, 4, 0), 4);
	assert_string_equal(text, "long");
	jailed__close(r);
}

static void a_file_has_a_limit(void **state)
{
	struct jailed *r = start(state, FILLER);
	uint32_t nr;

	assert_int_equal(ask(r, "x", -1, &nr, sizeof(nr)), sizeof(nr));
	assert_int_equal(nr, CAGE_FILE_BYTES >> 20);
	jailed__close(r);
}

static void an_answer_longer_than_expected_is_refused(void **state)
{
	struct jailed *r = start(state, ECHO);
	char answer[4];

	assert_int_equal(ask(r, "hello", -1, answer, sizeof(answer)), -EBADMSG);
	jailed__close(r);
}

static size_t nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

/* They would be what it likes: a file that fills, a terminal. */
static void descriptors_are_refused_and_closed(void **state)
{
	struct jailed *r = start(state, GIVER);
	const size_t nr = nr_descriptors();
	char c;

	for (int i = 0; i < 3; i++)
		assert_int_equal(ask(r, "x", -1, &c, 1), -EBADMSG);
	assert_int_equal(nr_descriptors(), nr);
	jailed__close(r);
}

/* A second for each question, not for all of them. */
static void each_question_has_its_time(void **state)
{
	struct jailed *r = start(state, WORKER);
	uint64_t before_ns;
	char c;

	for (int i = 0; i < 6; i++) {
		before_ns = jailed__cpu_ns(r);
		assert_int_equal(ask(r, "x", -1, &c, 1), 1);
		assert_true(jailed__cpu_ns(r) > before_ns);
	}
	assert_true(jailed__cpu_ns(r) > 1000000000);
	jailed__close(r);
}

/* As many as are needed one after the other; sixteen at once. */
static void a_place_becomes_free(void **state)
{
	for (int i = 0; i < 40; i++) {
		struct jailed *r = start(state, ECHO);

		assert_answers(r);
		jailed__close(r);
	}
}

/* However our process ends: here it is killed while a reader computes. */
static void readers_end_with_us(void **state)
{
	struct jail *j;
	struct jailed *r;
	int told[2], status;
	pid_t us, pid = 0;

	(void)state;
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	us = fork();
	if (!us) {
		if (jail__open(&j, readers, NR_READERS) || jailed__open(&r, j, &kinds[GREEDY]) ||
		    jailed__send(r, "x", 1, -1))
			_exit(1);
		pid = jailed__pid(r);
		if (write(told[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	close(told[1]);
	assert_int_equal(read(told[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(waitpid(us, &status, 0), us);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	for (int i = 0; i < 500 && !kill(pid, 0); i++)
		usleep(10000);
	assert_int_equal(kill(pid, 0), -1);
	close(told[0]);
}

/* Nobody is there any more who would end it. */
static void readers_end_with_their_warden(void **state)
{
	struct jailed *r;
	struct jail *j;
	char parent[64];
	pid_t pid;

	(void)state;
	assert_int_equal(jail__open(&j, readers, NR_READERS), 0);
	assert_int_equal(jailed__open(&r, j, &kinds[GREEDY]), 0);
	pid = jailed__pid(r);
	/* It is at work: so it is caged. */
	assert_int_equal(jailed__send(r, "x", 1, -1), 0);
	for (int i = 0; i < 500 && jailed__cpu_ns(r) < 20000000; i++)
		usleep(10000);
	status_of(pid, "\nPPid:\t", parent);
	assert_int_equal(kill(atoi(parent), SIGKILL), 0);
	for (int i = 0; i < 500 && !kill(pid, 0); i++)
		usleep(10000);
	assert_int_equal(kill(pid, 0), -1);
	jailed__close(r);
	jail__close(j);
}

/* A thread that is left behind when all is over may still try to start readers. */
static void who_holds_a_jail_may_ask_when_it_is_closed(void **state)
{
	struct jail *j, *held;
	struct jailed *r, *none;

	(void)state;
	assert_int_equal(jail__open(&j, readers, NR_READERS), 0);
	held = jail__hold(j);
	assert_int_equal(jailed__open(&r, held, &kinds[GREEDY]), 0);
	jail__close(j);
	jailed__close(r);
	assert_int_equal(jailed__open(&none, held, &kinds[GREEDY]), -ESHUTDOWN);
	assert_null(none);
	jail__leave(held);
	assert_null(jail__hold(NULL));
	jail__leave(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_answers),
		cmocka_unit_test(it_reads_the_descriptor_that_it_is_given),
		cmocka_unit_test(one_that_crashes_is_told),
		cmocka_unit_test(one_that_computes_for_ever_is_ended),
		cmocka_unit_test(one_that_waits_for_ever_is_ended),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(it_can_open_connect_and_start_nothing),
		cmocka_unit_test(it_is_nobody_without_capabilities),
		cmocka_unit_test(it_has_no_descriptor_of_ours),
		cmocka_unit_test(a_long_answer_is_in_a_file),
		cmocka_unit_test(a_file_has_a_limit),
		cmocka_unit_test(an_answer_longer_than_expected_is_refused),
		cmocka_unit_test(descriptors_are_refused_and_closed),
		cmocka_unit_test(each_question_has_its_time),
		cmocka_unit_test(a_place_becomes_free),
		cmocka_unit_test(readers_end_with_us),
		cmocka_unit_test(readers_end_with_their_warden),
		cmocka_unit_test(who_holds_a_jail_may_ask_when_it_is_closed),
	};

	return cmocka_run_group_tests(tests, open_jail, close_jail);
}
