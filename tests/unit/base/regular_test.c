// SPDX-License-Identifier: BSD-2-Clause
/* What a stranger puts in a file's place: nothing is opened but regular files, none outside. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/regular.h"

/*
 * A container's root, beside what it must not reach:
 *	DIR/secret		 "outside"
 *	DIR/root/secret		 "inside"
 *	DIR/root/DIR/secret	 "its own", where an absolute link out of it leads
 */
struct dir {
	char path[64], root[80];
};

__attribute__((format(printf, 2, 3))) static void sh(const struct dir *d, const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;
	int n = snprintf(cmd, sizeof(cmd), "cd %s && ", d->path);

	va_start(ap, fmt);
	vsnprintf(cmd + n, sizeof(cmd) - n, fmt, ap);
	va_end(ap);
	assert_int_equal(system(cmd), 0);
}

static int make_dir(void **state)
{
	struct dir *d = calloc(1, sizeof(*d));

	strcpy(d->path, "/tmp/regular_test.XXXXXX");
	if (!mkdtemp(d->path))
		return -1;
	snprintf(d->root, sizeof(d->root), "%s/root", d->path);
	sh(d,
	   "mkdir -p root%s root/sub && printf outside >secret && printf inside >root/secret && "
	   "printf 'its own' >root%s/secret",
	   d->path, d->path);
	*state = d;
	return 0;
}

static int remove_dir(void **state)
{
	struct dir *d = *state;

	sh(d, "rm -rf %s", d->path);
	free(d);
	return 0;
}

static void assert_opens(const char *root, const char *path, const char *want)
{
	char got[32] = "";
	struct stat st;
	int fd = open_regular(root, path, 0, &st);

	assert_true(fd >= 0);
	assert_true(read(fd, got, sizeof(got) - 1) >= 0);
	assert_string_equal(got, want);
	assert_int_equal(st.st_size, strlen(want));
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

static void assert_refused(const char *root, const char *path, int flags, int err)
{
	struct stat st;

	assert_int_equal(open_regular(root, path, flags, &st), err);
}

static void links_stay_below_the_root(void **state)
{
	const struct dir *d = *state;
	char up[160];

	assert_opens(d->root, "/secret", "inside");
	assert_opens(d->root, "/../secret", "inside");
	assert_opens(d->root, "/sub/../../../secret", "inside");
	sh(d,
	   "ln -s %s/secret root/absolute && ln -s ../../secret root/sub/relative && "
	   "ln -s %s root/way && ln -s /proc/self/root%s/secret root/magic && mkdir root/proc",
	   d->path, d->path, d->path);
	assert_opens(d->root, "/absolute", "its own");
	assert_opens(d->root, "/sub/relative", "inside");
	assert_opens(d->root, "/way/secret", "its own");
	assert_refused(d->root, "/magic", 0, -ENOENT);
	assert_refused(d->root, "/absolute", O_NOFOLLOW, -EPERM);
	/* For us the same links mean what they say. */
	snprintf(up, sizeof(up), "%s/absolute", d->root);
	assert_opens("", up, "outside");
}

/* Links of /proc are jumps to anywhere: a descriptor of a directory outside is the way out. */
static void links_of_proc_lead_nowhere_below_a_root(void **state)
{
	const struct dir *d = *state;
	char path[128];
	int out = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(out >= 0);
	snprintf(path, sizeof(path), "/self/fd/%d/secret", out);
	assert_refused("/proc", path, 0, -EXDEV);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/secret", out);
	assert_opens("", path, "outside");
	close(out);
}

/* How often something in the directory was opened, as the kernel tells it: not with O_PATH. */
static unsigned nr_opened(int watch)
{
	char bytes[4096] __attribute__((aligned(8)));
	ssize_t n = read(watch, bytes, sizeof(bytes));
	unsigned nr = 0;

	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *e = (const void *)(bytes + at);

		nr += !(e->mask & IN_ISDIR);
		at += sizeof(*e) + e->len;
	}
	return nr;
}

static void make_socket(const struct dir *d)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/odd/socket", d->root);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(fd);
}

static void only_regular_files_are_opened(void **state)
{
	static const char *const odd[] = { "pipe", "socket", "folder", "null", "to_null" };
	const struct dir *d = *state;
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char path[128];

	sh(d, "mkdir -p root/odd/folder && mkfifo root/odd/pipe && ln -s null root/odd/to_null && "
	      "printf plain >root/odd/plain");
	make_socket(d);
	snprintf(path, sizeof(path), "%s/odd/null", d->root);
	/* Without the right to make one, it is a link out to one. */
	if (mknod(path, S_IFCHR | 0666, makedev(1, 3)))
		sh(d, "ln -s /dev/null root/odd/null && mkdir root/dev && mkfifo root/dev/null");
	snprintf(path, sizeof(path), "%s/odd", d->root);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		snprintf(path, sizeof(path), "/odd/%s", odd[i]);
		assert_refused(d->root, path, 0, -EPERM);
		snprintf(path, sizeof(path), "%s/odd/%s", d->root, odd[i]);
		assert_refused("", path, 0, -EPERM);
	}
	assert_int_equal(nr_opened(watch), 0);
	assert_opens(d->root, "/odd/plain", "plain");
	assert_int_equal(nr_opened(watch), 1);
	close(watch);
}

static void a_whole_file_is_read_up_to_a_limit(void **state)
{
	const struct dir *d = *state;
	struct buf b = {};
	char path[128];

	snprintf(path, sizeof(path), "%s/secret", d->path);
	assert_int_equal(regular__read(&b, path, 7), 0);
	assert_string_equal(b.data, "outside");
	sh(d, "head -c 100000 /dev/zero >large");
	snprintf(path, sizeof(path), "%s/large", d->path);
	assert_int_equal(regular__read(&b, path, 7), -EFBIG);
	assert_int_equal(regular__read(&b, d->path, 7), -EPERM);
	assert_string_equal(regular__strerror(-EPERM), "not a regular file");
	assert_string_equal(regular__strerror(-ENOENT), strerror(ENOENT));
	buf__free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(links_stay_below_the_root, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(links_of_proc_lead_nowhere_below_a_root, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(only_regular_files_are_opened, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_whole_file_is_read_up_to_a_limit, make_dir,
						remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
