// SPDX-License-Identifier: BSD-2-Clause
/* Files that are written: whose, when they are there, and what stays when something fails. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/destination.h"
#include "base/sink.h"

enum { STRANGER = 12345 };

/* A file system without O_TMPFILE, and one that tells at close(2) that a disk is full. */
static bool lacks_anonymous, fails_at_close;
static bool lacks_random; /* getrandom(2) before there is enough */
static mode_t made_mode;  /* of the last that was made with a name */

ssize_t __wrap_getrandom(void *bytes, size_t nr, unsigned flags);
ssize_t __real_getrandom(void *bytes, size_t nr, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t nr, unsigned flags)
{
	if (!lacks_random)
		return __real_getrandom(bytes, nr, flags);
	errno = EAGAIN;
	return -1;
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if ((flags & O_TMPFILE) == O_TMPFILE && lacks_anonymous) {
		errno = EOPNOTSUPP;
		return -1;
	}
	va_start(ap, flags);
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if (flags & O_CREAT)
		made_mode = mode;
	return __real_openat(dir, path, flags, mode);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
	int ret = __real_close(fd);

	if (!fails_at_close || !writes)
		return ret;
	errno = ENOSPC;
	return -1;
}

__attribute__((format(printf, 1, 2))) static void sh(const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	assert_int_equal(system(cmd), 0);
}

static int make_dir(void **state)
{
	char *dir = strdup("/tmp/sink_test.XXXXXX");

	*state = dir;
	umask(022);
	lacks_anonymous = lacks_random = false;
	return !mkdtemp(dir) || chmod(dir, 0755) || chdir(dir) ? -1 : 0;
}

static int make_dir_without(void **state)
{
	int err = make_dir(state);

	lacks_anonymous = true;
	return err;
}

static int remove_dir(void **state)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", (char *)*state);
	free(*state);
	return chdir("/") || system(cmd) ? -1 : 0;
}

/* Of where we are; "b a" would be a test's error: one file, or none. */
static const char *names_here(void)
{
	static char names[512];
	DIR *d = opendir(".");
	struct dirent *e;

	names[0] = '\0';
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		strcat(names, names[0] ? " " : "");
		strcat(names, e->d_name);
	}
	closedir(d);
	return names;
}

static const char *text_of(const char *path)
{
	static char text[512];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return "(no file)";
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void put(struct sink *s, const char *text)
{
	FILE *f;

	assert_int_equal(sink__begin(s, &f), 0);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(sink__end(s, 0), 0);
}

static int refusal(const char *path, enum sink_use use)
{
	struct sink *s;
	int err = sink__open(&s, path, use);

	assert_true(err ? !s : !!s);
	sink__free(s);
	return err;
}

static struct sink *open_sink(const char *path, enum sink_use use)
{
	struct sink *s;

	assert_int_equal(sink__open(&s, path, use), 0);
	return s;
}

/* 0 or -errno of the last step. */
static int write_whole(const char *path, const char *text)
{
	struct sink *s = open_sink(path, SINK_WHOLE);
	int err;

	put(s, text);
	err = sink__close(s);
	sink__free(s);
	return err;
}

static void is_there_when_it_is_complete(void **state)
{
	struct sink *s = open_sink("x", SINK_WHOLE);
	struct stat st;

	assert_string_equal(names_here(), "");
	put(s, "all");
	if (!lacks_anonymous)
		assert_string_equal(names_here(), "");
	assert_string_equal(text_of("x"), "(no file)");
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
	assert_string_equal(names_here(), "x");
	assert_string_equal(text_of("x"), "all");
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_nlink, 1);
}

static void replaces_in_one_step(void **state)
{
	bool root = !geteuid();
	struct stat before, st;
	struct sink *s;
	int old;

	sh("echo old >x && chmod 640 x");
	if (root)
		assert_int_equal(chown("x", STRANGER, STRANGER), 0);
	old = open("x", O_RDONLY);
	assert_int_equal(fstat(old, &before), 0);
	s = open_sink("x", SINK_WHOLE);
	put(s, "new");
	assert_string_equal(text_of("x"), "old\n");
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
	assert_string_equal(names_here(), "x");
	assert_string_equal(text_of("x"), "new");
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_uid, before.st_uid);
	assert_int_equal(st.st_gid, before.st_gid);
	assert_int_equal(fstat(old, &st), 0);
	assert_int_equal(st.st_size, 4);
	close(old);
}

/* Who opens it before it has its mode reads all that comes. */
static void nobody_reads_it_before(void **state)
{
	struct sink *s;
	FILE *f;

	sh("echo old >x && chmod 600 x");
	s = open_sink("x", SINK_WHOLE);
	assert_int_equal(sink__begin(s, &f), 0);
	assert_int_equal(made_mode & 077, 0);
	sink__free(s);
}

/* Each try has another name, by chance or not. */
static void names_that_are_taken_are_passed_by(void **state)
{
	char name[64];

	snprintf(name, sizeof(name), ".pmutrace-%012llx", (unsigned long long)getpid() << 16);
	lacks_random = true;
	sh("echo old >x && echo theirs >%s", name);
	assert_int_equal(write_whole("x", "new"), 0);
	assert_string_equal(text_of("x"), "new");
	assert_string_equal(text_of(name), "theirs\n");
}

static void leaves_nothing_without_a_close(void **state)
{
	struct sink *s;

	sink__free(open_sink("x", SINK_WHOLE));
	sink__free(open_sink("x", SINK_PARTS));
	sink__free(open_sink("x", SINK_NEW));
	s = open_sink("x", SINK_WHOLE);
	put(s, "some");
	sink__free(s);
	s = open_sink("x", SINK_NEW);
	put(s, "some");
	sink__free(s);
	assert_string_equal(names_here(), "");
	sh("echo old >x");
	s = open_sink("x", SINK_WHOLE);
	put(s, "some");
	sink__free(s);
	sink__free(open_sink("x", SINK_PARTS));
	assert_string_equal(names_here(), "x");
	assert_string_equal(text_of("x"), "old\n");
}

static void a_new_one_replaces_nothing(void **state)
{
	struct sink *s = open_sink("x", SINK_NEW);
	FILE *f;

	put(s, "mine");
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
	assert_string_equal(text_of("x"), "mine");
	assert_int_equal(refusal("x", SINK_NEW), -EEXIST);

	/* Somebody else was faster. */
	s = open_sink("y", SINK_NEW);
	if (lacks_anonymous) {
		sh("echo theirs >y");
		assert_int_equal(sink__begin(s, &f), -EEXIST);
	} else {
		put(s, "mine");
		sh("echo theirs >y");
		assert_int_equal(sink__close(s), -EEXIST);
	}
	sink__free(s);
	assert_string_equal(text_of("y"), "theirs\n");
	sh("rm x y && ln -s nowhere link");
	assert_int_equal(refusal("link", SINK_NEW), -EEXIST);
	assert_string_equal(names_here(), "link");
}

static void another_may_come_in_between(void **state)
{
	struct sink *s = open_sink("x", SINK_WHOLE);

	put(s, "mine");
	sh("echo theirs >x");
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
	assert_string_equal(names_here(), "x");
	assert_string_equal(text_of("x"), "mine");

	s = open_sink("x", SINK_WHOLE);
	put(s, "mine");
	sh("rm x && mkdir x");
	assert_int_equal(sink__close(s), -EISDIR);
	sink__free(s);
	assert_string_equal(names_here(), "x");
}

static void parts_are_seen_at_once(void **state)
{
	struct sink *s = open_sink("x", SINK_PARTS);
	struct stat before, st;

	assert_string_equal(names_here(), "");
	put(s, "one\n");
	assert_string_equal(text_of("x"), "one\n");
	put(s, "two\n");
	assert_string_equal(text_of("x"), "one\ntwo\n");
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
	assert_string_equal(names_here(), "x");

	/* What is there is written to, not replaced: somebody may follow it. */
	assert_int_equal(stat("x", &before), 0);
	s = open_sink("x", SINK_PARTS);
	assert_string_equal(text_of("x"), "one\ntwo\n");
	put(s, "three\n");
	assert_string_equal(text_of("x"), "three\n");
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_ino, before.st_ino);
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
}

static void a_private_one_is_new_and_for_nobody_else(void **state)
{
	struct sink *s = open_sink("x", SINK_PRIVATE);
	struct stat st;

	assert_string_equal(names_here(), "");
	put(s, "one\n");
	put(s, "two\n");
	assert_string_equal(text_of("x"), "one\ntwo\n");
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(refusal("x", SINK_PRIVATE), -EEXIST);
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
	sh("rm x && ln -s nowhere x");
	assert_int_equal(refusal("x", SINK_PRIVATE), -EEXIST);
	assert_string_equal(names_here(), "x");
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Of ten bytes four fit. */
static void put_too_much(struct sink *s)
{
	FILE *f;

	limit_files(12);
	assert_int_equal(sink__begin(s, &f), 0);
	fputs("three four\n", f);
	assert_int_equal(sink__end(s, 0), -EFBIG);
	limit_files(RLIM_INFINITY);
}

static void ends_with_the_last_whole_part(void **state)
{
	struct sink *s = open_sink("x", SINK_PARTS);

	put(s, "one\n");
	put(s, "two\n");
	put_too_much(s);
	assert_string_equal(text_of("x"), "one\ntwo\n");
	put(s, "five\n");
	assert_string_equal(text_of("x"), "one\ntwo\nfive\n");
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
	assert_string_equal(text_of("x"), "one\ntwo\nfive\n");
}

static void so_does_stdout(void **state)
{
	FILE *f = fopen("x", "w");
	struct sink *s;

	fputs("before\n", f);
	fflush(f);
	assert_int_equal(sink__of(&s, f), 0);
	put_too_much(s);
	assert_string_equal(text_of("x"), "before\n");
	put(s, "5\n");
	sink__free(s);
	fclose(f);
	assert_string_equal(text_of("x"), "before\n5\n");
}

/* Many may write to the end of a log: nothing of it is surely ours. */
static void a_log_is_not_cut(void **state)
{
	struct sink *s;
	FILE *f;

	sh("echo others >x");
	f = fopen("x", "a");
	assert_int_equal(sink__of(&s, f), 0);
	put_too_much(s);
	sink__free(s);
	fclose(f);
	assert_string_equal(text_of("x"), "others\nthree");
}

static bool is_blocked(int signo)
{
	sigset_t blocked;

	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &blocked), 0);
	return sigismember(&blocked, signo);
}

static void what_close_tells_counts(void **state)
{
	struct sink *s = open_sink("x", SINK_PARTS);
	FILE *f;

	put(s, "one\n");
	assert_int_equal(sink__begin(s, &f), 0);
	fputs("two\n", f);
	fails_at_close = true;
	assert_int_equal(sink__end(s, 0), -ENOSPC);
	fails_at_close = false;
	assert_string_equal(text_of("x"), "one\n");
	assert_int_equal(sink__close(s), 0);
	sink__free(s);

	s = open_sink("x", SINK_WHOLE);
	assert_int_equal(sink__begin(s, &f), 0);
	fputs("two\n", f);
	fails_at_close = true;
	assert_int_equal(sink__end(s, 0), -ENOSPC);
	fails_at_close = false;
	assert_string_equal(names_here(), "x");
	assert_false(is_blocked(SIGTERM));
	sink__free(s);
	assert_string_equal(text_of("x"), "one\n");
}

static void the_error_of_writing_stays(void **state)
{
	struct sink *s = open_sink("/dev/full", SINK_PARTS);
	FILE *f;

	assert_int_equal(sink__begin(s, &f), 0);
	fputs("x", f);
	assert_int_equal(sink__end(s, -ENOMEM), -ENOMEM);
	assert_int_equal(sink__begin(s, &f), 0);
	fputs("x", f);
	assert_int_equal(sink__end(s, 0), -ENOSPC);
	assert_int_equal(sink__close(s), 0);
	sink__free(s);
}

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

static void links_are_followed(void **state)
{
	sh("mkdir d e && ln -s d results && ln -s ../e/real d/x && ln -s x d/y && ln -s $PWD/e/abs "
	   "abs && ln -s e/../results/./y z");
	assert_int_equal(write_whole("results/y", "by two"), 0);
	assert_string_equal(text_of("e/real"), "by two");
	assert_int_equal(write_whole("z", "again"), 0);
	assert_string_equal(text_of("e/real"), "again");
	assert_true(is_link("z") && is_link("d/x") && is_link("d/y") && is_link("results"));
	assert_int_equal(write_whole("abs", "absolute"), 0);
	assert_string_equal(text_of("e/abs"), "absolute");
	assert_int_equal(write_whole("results//new", "new"), 0);
	assert_string_equal(text_of("d/new"), "new");
	/* Parts: no other rule. */
	sink__free(open_sink("z", SINK_PARTS));
	assert_string_equal(text_of("e/real"), "again");
}

static void dead_ends_are_told(void **state)
{
	sh("mkdir d && ln -s b a && ln -s a b && ln -s none/x dangling && ln -s d to-dir && ln -s "
	   ". "
	   "self && echo >file");
	assert_int_equal(refusal("a", SINK_WHOLE), -ELOOP);
	assert_int_equal(refusal("a/x", SINK_WHOLE), -ELOOP);
	assert_int_equal(refusal("dangling", SINK_WHOLE), -ENOENT);
	assert_int_equal(refusal("none/x", SINK_PARTS), -ENOENT);
	assert_int_equal(refusal("file/x", SINK_PARTS), -ENOTDIR);
	assert_int_equal(refusal("file/", SINK_PARTS), -ENOTDIR);
	assert_int_equal(refusal("", SINK_WHOLE), -ENOENT);
	for (enum sink_use use = SINK_WHOLE; use <= SINK_PARTS; use++) {
		const char *dirs[] = { "d", "d/", "to-dir", "to-dir/", ".", "..", "/", "new/" };

		for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
			assert_int_equal(refusal(dirs[i], use), -EISDIR);
	}
	assert_int_equal(refusal("self/self/self/x", SINK_WHOLE), 0);
}

static void chown_to(const char *path, uid_t uid)
{
	assert_int_equal(lchown(path, uid, uid), 0);
}

static void what_strangers_put_there_is_refused(void **state)
{
	const char *const paths[] = { "tmp/file", "tmp/link", "tmp/dangling", "tmp/fifo",
				      "tmp/results/x" };

	if (geteuid()) /* only root makes files of others */
		return skip();
	sh("mkdir -m 1777 tmp && mkdir -m 777 d && echo old >tmp/file && echo old >target && "
	   "ln -s ../target tmp/link && ln -s ../new tmp/dangling && ln -s ../d tmp/results && "
	   "mkfifo tmp/fifo && ln -s tmp/link by-two");
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char name[64];

		/* "tmp/results", of the last. */
		snprintf(name, sizeof(name), "%.*s", i == 4 ? 11 : 32, paths[i]);
		chown_to(name, STRANGER);
		assert_int_equal(refusal(paths[i], SINK_WHOLE), -DESTINATION_STRANGERS);
		assert_int_equal(refusal(paths[i], SINK_PARTS), -DESTINATION_STRANGERS);
		/* Of whom the directory belongs to. */
		chown_to("tmp", STRANGER);
		assert_int_equal(refusal(paths[i], SINK_WHOLE), i == 3 ? -ENXIO : 0);
		chown_to("tmp", 0);
	}
	assert_int_equal(refusal("by-two", SINK_WHOLE), -DESTINATION_STRANGERS);
	assert_string_equal(text_of("target"), "old\n");
	assert_string_equal(text_of("new"), "(no file)");
	/* Where not everybody may put something, or its owner alone may replace it. */
	sh("chmod 1775 tmp");
	assert_int_equal(refusal("tmp/link", SINK_WHOLE), 0);
	sh("chmod 0777 tmp");
	assert_int_equal(refusal("tmp/link", SINK_WHOLE), 0);
	/* Our own. */
	sh("chmod 1777 tmp");
	chown_to("tmp/link", 0);
	assert_int_equal(write_whole("tmp/link", "ours"), 0);
	assert_string_equal(text_of("target"), "ours");
	/* Somebody may have linked what is ours, but not there. */
	sh("ln -f target tmp/file");
	assert_int_equal(refusal("tmp/file", SINK_WHOLE), -DESTINATION_STRANGERS);
	assert_int_equal(refusal("tmp/file", SINK_PARTS), -DESTINATION_STRANGERS);
	assert_int_equal(refusal("target", SINK_PARTS), 0);
	/* Whoever has no number in a user namespace is 65534, the directory's owner too. */
	chown_to("tmp", 65534);
	chown_to("tmp/link", 65534);
	assert_int_equal(refusal("tmp/link", SINK_WHOLE), -DESTINATION_STRANGERS);
}

static void own_descriptors_are_written_from_where_they_are(void **state)
{
	int fd = open("x", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	char path[64];

	assert_int_equal(write(fd, "before\n", 7), 7);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sh("ln -s %s link", path);
	assert_int_equal(write_whole(path, "whole\n"), 0);
	assert_int_equal(write_whole("link", "by a link\n"), 0);
	assert_int_equal(write(fd, "behind\n", 7), 7);
	close(fd);
	assert_string_equal(text_of("x"), "before\nwhole\nby a link\nbehind\n");
	assert_true(is_link("link"));
	assert_int_equal(refusal("/proc/self/fd/4000", SINK_WHOLE), -ENOENT);
	/* That is for reading alone. */
	fd = open("x", O_RDONLY);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(refusal(path, SINK_WHOLE), -EBADF);
	close(fd);
}

static void pipes_devices_and_sockets(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int socket_fd = socket(AF_UNIX, SOCK_STREAM, 0), fd;
	char text[8] = "";

	assert_int_equal(write_whole("/dev/null", "all"), 0);
	assert_int_equal(refusal("/dev/full", SINK_WHOLE), 0);
	assert_int_equal(bind(socket_fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(refusal("socket", SINK_WHOLE), -EOPNOTSUPP);
	close(socket_fd);
	sh("mkfifo pipe && ln -s pipe link");
	assert_int_equal(refusal("pipe", SINK_WHOLE), -ENXIO);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_int_equal(write_whole("link", "all"), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "all");
	close(fd);
}

static void go_on_without_a_reader(void)
{
	int fd = open("pipe", O_RDONLY | O_NONBLOCK);
	struct sink *s;
	FILE *f;

	signal(SIGPIPE, SIG_DFL);
	if (fd < 0 || sink__open(&s, "pipe", SINK_PARTS) || sink__begin(s, &f))
		_exit(2);
	close(fd);
	if (fputs("all", f) < 0 || sink__end(s, 0) != -EPIPE)
		_exit(3);
	sink__free(s);
	if (is_blocked(SIGPIPE))
		_exit(4);
}

static void a_reader_that_goes_is_an_error(void **state)
{
	int status;
	pid_t pid;

	sh("mkfifo pipe");
	pid = fork();
	if (!pid) {
		go_on_without_a_reader();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void long_names_are_no_longer(void **state)
{
	char name[257];

	memset(name, 'n', 256);
	name[256] = '\0';
	assert_int_equal(refusal(name, SINK_WHOLE), -ENAMETOOLONG);
	name[255] = '\0';
	assert_int_equal(write_whole(name, "one"), 0);
	assert_int_equal(write_whole(name, "two"), 0);
	assert_string_equal(text_of(name), "two");
	assert_string_equal(names_here(), name);
}

static void the_directory_may_go_away(void **state)
{
	struct sink *s;

	sh("mkdir d");
	s = open_sink("d/x", SINK_WHOLE);
	sh("rmdir d && mkdir d");
	if (!lacks_anonymous) {
		put(s, "all");
		assert_int_equal(sink__close(s), -ENOENT);
	} else {
		FILE *f;

		assert_int_equal(sink__begin(s, &f), -ENOENT);
	}
	sink__free(s);
	assert_int_equal(rmdir("d"), 0);
}

/* In a child: not as root, who may do all. Its exit status is 0 when @body returned. */
static void as_stranger(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(STRANGER) || setuid(STRANGER))
			_exit(1);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void in_a_directory_of_others(void)
{
	struct sink *s;

	if (sink__open(&s, "new", SINK_WHOLE) != -EACCES)
		_exit(2);
	if (sink__open(&s, "secret", SINK_WHOLE) != -EACCES)
		_exit(3);
	if (write_whole("open", "mine"))
		_exit(4);
}

static void a_file_in_a_directory_that_takes_none(void **state)
{
	struct stat before, st;

	if (geteuid()) /* only root becomes another */
		return skip();
	sh("echo old >open && chmod 666 open && echo old >secret && chmod 644 secret");
	assert_int_equal(stat("open", &before), 0);
	as_stranger(in_a_directory_of_others);
	assert_int_equal(stat("open", &st), 0);
	assert_int_equal(st.st_ino, before.st_ino);
	assert_string_equal(text_of("open"), "mine");
	assert_string_equal(text_of("secret"), "old\n");
}

static void replace_x(void)
{
	if (write_whole("x", "mine"))
		_exit(2);
}

/* A group that the file may not be given to is not one that could read it. */
static void nobody_new_may_read(void **state)
{
	struct stat st;

	if (geteuid())
		return skip();
	sh("chmod 777 . && echo old >x && chmod 662 x");
	assert_int_equal(chown("x", STRANGER, -1), 0);
	as_stranger(replace_x);
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_uid, STRANGER);
	assert_int_equal(st.st_mode & 0777, 0622);
	assert_string_equal(text_of("x"), "mine");
}

/* Only its owner or root can make another with that owner. */
static void a_file_of_another_user_stays_theirs(void **state)
{
	struct stat before, st;

	if (geteuid())
		return skip();
	sh("chmod 777 . && echo old >x && chmod 666 x");
	assert_int_equal(stat("x", &before), 0);
	as_stranger(replace_x);
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_ino, before.st_ino);
	assert_int_equal(st.st_uid, 0);
	assert_string_equal(text_of("x"), "mine");
}

/* acl(5), as include/uapi/linux/posix_acl_xattr.h has it. */
static const struct {
	uint32_t version;
	struct {
		uint16_t tag, perm;
		uint32_t id;
	} entries[5];
} one_reader = {
	2, /* the owner may write, STRANGER read, the group nothing; the mask is "r" */
	{ { 0x01, 6, -1 },
	  { 0x02, 4, STRANGER },
	  { 0x04, 0, -1 },
	  { 0x10, 4, -1 },
	  { 0x20, 0, -1 } },
};

static void an_access_list_is_kept(void **state)
{
	static const char name[] = "system.posix_acl_access";
	char acl[sizeof(one_reader) + 1];
	struct stat st;

	sh("echo old >x");
	if (setxattr("x", name, &one_reader, sizeof(one_reader), 0))
		return skip(); /* not on this file system */
	assert_int_equal(write_whole("x", "new"), 0);
	assert_string_equal(text_of("x"), "new");
	assert_int_equal(getxattr("x", name, acl, sizeof(acl)), sizeof(one_reader));
	assert_memory_equal(acl, &one_reader, sizeof(one_reader));
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

/* One that the directory gives to new files would let others read what the old one kept. */
static void a_default_access_list_is_not_taken(void **state)
{
	char acl[sizeof(one_reader) + 1];
	struct stat st;

	sh("echo old >x && chmod 640 x");
	if (setxattr(".", "system.posix_acl_default", &one_reader, sizeof(one_reader), 0))
		return skip(); /* not on this file system */
	assert_int_equal(write_whole("x", "new"), 0);
	assert_int_equal(getxattr("x", "system.posix_acl_access", acl, sizeof(acl)), -1);
	assert_int_equal(errno, ENODATA);
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	/* A new one has it. */
	assert_int_equal(write_whole("y", "new"), 0);
	assert_true(getxattr("y", "system.posix_acl_access", acl, sizeof(acl)) > 0);
}

/* At each moment of a life, by a signal whose way is that of most. */
static int end_by(int signo, unsigned moment)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct sink *s;
		FILE *f;

		signal(signo, SIG_DFL);
		if (moment == 0)
			raise(signo);
		if (sink__open(&s, "x", SINK_WHOLE))
			_exit(1);
		if (moment == 1)
			raise(signo);
		if (sink__begin(s, &f))
			_exit(1);
		if (moment == 2)
			raise(signo);
		fputs("all", f);
		if (sink__end(s, 0))
			_exit(1);
		if (moment == 3)
			raise(signo);
		if (sink__close(s))
			_exit(1);
		raise(signo);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void any_end_leaves_nothing(void **state)
{
	const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGKILL };
	struct rlimit no_core = {};

	setrlimit(RLIMIT_CORE, &no_core);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		for (unsigned moment = 0; moment <= 4; moment++) {
			bool is_held = lacks_anonymous && moment >= 2;

			/* There, without O_TMPFILE, nothing helps. */
			if (signals[i] == SIGKILL && is_held && moment < 4)
				continue;
			assert_int_equal(WTERMSIG(end_by(signals[i], moment)), signals[i]);
			assert_string_equal(names_here(), is_held || moment == 4 ? "x" : "");
			unlink("x");
		}
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
#define TEST_WITHOUT(f)                                                                            \
	{                                                                                          \
#f ", without O_TMPFILE", f, make_dir_without, remove_dir, NULL                    \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(is_there_when_it_is_complete),
		TEST_WITHOUT(is_there_when_it_is_complete),
		TEST(replaces_in_one_step),
		TEST_WITHOUT(replaces_in_one_step),
		TEST_WITHOUT(nobody_reads_it_before),
		TEST(names_that_are_taken_are_passed_by),
		TEST_WITHOUT(names_that_are_taken_are_passed_by),
		TEST(leaves_nothing_without_a_close),
		TEST_WITHOUT(leaves_nothing_without_a_close),
		TEST(a_new_one_replaces_nothing),
		TEST_WITHOUT(a_new_one_replaces_nothing),
		TEST(another_may_come_in_between),
		TEST_WITHOUT(another_may_come_in_between),
		TEST(parts_are_seen_at_once),
		TEST_WITHOUT(parts_are_seen_at_once),
		TEST(a_private_one_is_new_and_for_nobody_else),
		TEST_WITHOUT(a_private_one_is_new_and_for_nobody_else),
		TEST(ends_with_the_last_whole_part),
		TEST_WITHOUT(ends_with_the_last_whole_part),
		TEST(so_does_stdout),
		TEST(a_log_is_not_cut),
		TEST(what_close_tells_counts),
		TEST_WITHOUT(what_close_tells_counts),
		TEST(the_error_of_writing_stays),
		TEST(links_are_followed),
		TEST(dead_ends_are_told),
		TEST(what_strangers_put_there_is_refused),
		TEST(own_descriptors_are_written_from_where_they_are),
		TEST(pipes_devices_and_sockets),
		TEST(a_reader_that_goes_is_an_error),
		TEST(long_names_are_no_longer),
		TEST_WITHOUT(long_names_are_no_longer),
		TEST(the_directory_may_go_away),
		TEST_WITHOUT(the_directory_may_go_away),
		TEST(a_file_in_a_directory_that_takes_none),
		TEST(nobody_new_may_read),
		TEST_WITHOUT(nobody_new_may_read),
		TEST(a_file_of_another_user_stays_theirs),
		TEST(an_access_list_is_kept),
		TEST_WITHOUT(an_access_list_is_kept),
		TEST(a_default_access_list_is_not_taken),
		TEST_WITHOUT(a_default_access_list_is_not_taken),
		TEST(any_end_leaves_nothing),
		TEST_WITHOUT(any_end_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
