// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"

#include "base/regular.h"
#include "sym/binaries.h"

static uint32_t nr_files;
static struct file_opener *opener;

static struct binaries *new_binaries(size_t symbol_bytes)
{
	struct file_source source;

	opener = file_opener__new("/proc");
	assert_non_null(opener);
	source = file_opener__source(opener);
	return binaries__new(&source, symbol_bytes);
}

static void free_binaries(struct binaries *t)
{
	binaries__free(t);
	file_opener__free(opener);
}

/* @f: taken. */
static uint32_t add_mapped(struct binaries *t, struct mapped_file *f)
{
	const uint32_t id = nr_files++;

	assert_int_equal(binaries__add(t, id, &f->identity), 0);
	assert_int_equal(file_opener__add(opener, id, f), 0);
	return id;
}

static uint32_t add_file(struct binaries *t, const char *path, uint64_t inode)
{
	struct mapped_file f = {
		.path = strdup(path), .identity.inode = inode, .pid = getpid(), .fd = -1
	};

	return add_mapped(t, &f);
}

/* Copies of this program, each a file of its own, and the place in them of a function. */
static uint64_t copy_program(const char *dir, int i)
{
	char cmd[128];
	Dl_info info;

	snprintf(cmd, sizeof(cmd), "cp /proc/%d/exe %s/%d", getpid(), dir, i);
	assert_int_equal(system(cmd), 0);
	assert_true(dladdr(nr_open, &info));
	return (const char *)nr_open - (const char *)info.dli_fbase;
}

static uint32_t add_copy(struct binaries *t, const char *dir, int i)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d", dir, i);
	assert_int_equal(stat(path, &st), 0);
	return add_file(t, path, st.st_ino);
}

static bool is_named(struct binaries *t, uint32_t id, uint64_t offset)
{
	uint64_t vaddr;
	struct sym sym;

	if (!binary__find(binaries__get(t, id), offset, &sym, &vaddr))
		return false;
	assert_string_equal(sym.name, "nr_open");
	return true;
}

static void remove_copies(const char *dir)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
}

/* Room for two tables and a half. Each keeps a file open, or more: that shows how many there are.
 */
static void symbols_that_were_not_asked_for_longest_are_dropped(void **state)
{
	char dir[] = "/tmp/binaries_test.XXXXXX";
	struct binaries *t = new_binaries(0);
	unsigned before = nr_open(), each;
	struct binary *second;
	uint64_t offset = 0;
	uint32_t ids[3];
	size_t bytes;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 3; i++)
		offset = copy_program(dir, i);
	ids[0] = add_copy(t, dir, 0);
	assert_true(is_named(t, ids[0], offset));
	bytes = binary__symbol_bytes(binaries__get(t, ids[0]));
	assert_true(bytes > 1000);
	each = nr_open() - before;
	assert_true(each > 0);
	free_binaries(t);

	t = new_binaries(bytes * 5 / 2);
	for (int i = 0; i < 3; i++) {
		ids[i] = add_copy(t, dir, i);
		assert_true(is_named(t, ids[i], offset));
	}
	assert_int_equal(nr_open(), before + 3 * each);
	second = binaries__get(t, ids[1]);
	assert_int_equal(nr_open(), before + 2 * each);
	assert_true(is_named(t, ids[0], offset)); /* read again */
	assert_int_equal(nr_open(), before + 3 * each);
	assert_ptr_equal(binaries__get(t, ids[1]), second);
	assert_int_equal(nr_open(), before + 2 * each); /* without that of ids[2] */
	assert_true(is_named(t, ids[1], offset));
	assert_int_equal(nr_open(), before + 2 * each);
	free_binaries(t);
	assert_int_equal(nr_open(), before);
	remove_copies(dir);
}

/* Room for one: two that come in turn would be read without end. */
static void symbols_are_read_again_only_so_often(void **state)
{
	char dir[] = "/tmp/binaries_test.XXXXXX";
	struct binaries *t = new_binaries(1);
	uint64_t offset = 0;
	uint32_t ids[2];

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 2; i++) {
		offset = copy_program(dir, i);
		ids[i] = add_copy(t, dir, i);
	}
	for (int round = 0; round < 12; round++)
		for (int i = 0; i < 2; i++)
			assert_int_equal(is_named(t, ids[i], offset), round < 8);
	free_binaries(t);
	remove_copies(dir);
}

/* Each keeps files open for its names: the oldest are closed, and opened again as often as need be.
 */
static void only_so_many_files_stay_open(void **state)
{
	enum { FILES = 80, MOST = 64 + 4 };
	char dir[] = "/tmp/binaries_test.XXXXXX";
	struct binaries *t = new_binaries(0);
	unsigned before = nr_open(), most = 0;
	uint32_t ids[FILES];
	uint64_t offset = 0;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < FILES; i++) {
		offset = copy_program(dir, i);
		ids[i] = add_copy(t, dir, i);
	}
	for (int round = 0; round < 10; round++)
		for (int i = 0; i < FILES; i++) {
			assert_true(is_named(t, ids[i], offset));
			if (nr_open() - before > most)
				most = nr_open() - before;
		}
	assert_in_range(most, 32, MOST);
	free_binaries(t);
	assert_int_equal(nr_open(), before);
	remove_copies(dir);
}

/* The name leads to another file than was mapped: its symbols would be lies. */
static void another_file_of_the_name_is_not_used(void **state)
{
	struct binaries *t = new_binaries(0);
	uint64_t vaddr;
	struct sym sym;
	uint32_t id = add_file(t, "/proc/self/exe", 1); /* surely not its inode */

	assert_non_null(binaries__get(t, id));
	assert_false(binary__find(binaries__get(t, id), 0x1000, &sym, &vaddr));
	free_binaries(t);
}

/* It has the build-id, which anybody can give it: its owner is to be the one of what was mapped. */
static void a_file_of_another_user_is_not_used(void **state)
{
	static const uint32_t owners[] = { FILE_OWNER_UNKNOWN, 0, 12345, 12346, FILE_OF_ANYBODY };
	char dir[] = "/tmp/binaries_test.XXXXXX", path[64];
	struct binaries *t = new_binaries(0);
	const unsigned char *id;
	struct binary *b;
	uint64_t offset;

	if (geteuid())
		skip();
	assert_non_null(mkdtemp(dir));
	offset = copy_program(dir, 0);
	snprintf(path, sizeof(path), "%s/0", dir);
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(binary__open(&b, open(path, O_RDONLY), &(struct opener){}, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
		struct mapped_file f = { .path = strdup(path), .pid = getpid(), .fd = -1 };

		f.identity.owner = owners[i];
		f.identity.build_id_len = binary__build_id(b, &id);
		assert_in_range(f.identity.build_id_len, 1, BUILD_ID_BYTES);
		memcpy(f.identity.build_id, id, f.identity.build_id_len);
		assert_int_equal(is_named(t, add_mapped(t, &f), offset),
				 owners[i] == 12345 || owners[i] == FILE_OWNER_UNKNOWN);
	}
	binary__close(b);
	free_binaries(t);
	remove_copies(dir);
}

/* Its process and its path are gone by the time that it is asked for. */
static void what_was_held_is_opened_by_it(void **state)
{
	char dir[] = "/tmp/binaries_test.XXXXXX", path[64];
	struct binaries *t = new_binaries(0);
	struct mapped_file f = { .fd = -1 };
	unsigned before = nr_open();
	struct stat st;
	uint64_t offset;
	uint32_t id;

	assert_non_null(mkdtemp(dir));
	offset = copy_program(dir, 0);
	snprintf(path, sizeof(path), "%s/0", dir);
	assert_int_equal(stat(path, &st), 0);
	f.path = strdup(path);
	f.identity.inode = st.st_ino;
	f.fd = open(path, O_PATH | O_CLOEXEC);
	assert_true(f.fd >= 0);
	remove_copies(dir);
	id = add_mapped(t, &f);
	assert_true(is_named(t, id, offset));
	free_binaries(t);
	assert_int_equal(nr_open(), before);
}

static void a_pipe_that_was_held_is_not_opened(void **state)
{
	char path[] = "/tmp/binaries_test.XXXXXX";
	struct binaries *t = new_binaries(0);
	struct mapped_file f = { .fd = -1 };
	uint64_t vaddr;
	struct sym sym;
	int fd = mkstemp(path);
	uint32_t id;

	close(fd);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	f.path = strdup("/nonexistent/pipe");
	f.fd = open(path, O_PATH | O_CLOEXEC);
	assert_true(f.fd >= 0);
	id = add_mapped(t, &f);
	assert_false(binary__find(binaries__get(t, id), 0x1000, &sym, &vaddr));
	free_binaries(t);
	unlink(path);
}

/* Opened for reading, as the kernel tells it: looking at it (O_PATH) is not. */
static bool was_opened(int watch)
{
	char bytes[4096] __attribute__((aligned(8)));

	return read(watch, bytes, sizeof(bytes)) > 0;
}

/* A program in a root of its own had mapped it under that name; here it is something else. */
static void a_pipe_of_the_name_is_not_opened(void **state)
{
	char dir[] = "/tmp/binaries_test.XXXXXX", path[64];
	struct binaries *t = new_binaries(0);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	assert_non_null(binaries__get(t, add_file(t, path, 0)));
	assert_false(was_opened(watch));
	close(watch);
	free_binaries(t);
	remove_copies(dir);
}

/* In DIR/root; it ends when nobody has the other end of @alive any more. */
static pid_t start_in_root(const char *root, int alive[2])
{
	pid_t child;
	char c;

	assert_int_equal(pipe(alive), 0);
	child = fork();
	if (!child) {
		close(alive[1]);
		if (chroot(root) || chdir("/"))
			_exit(1);
		while (read(alive[0], &c, 1) > 0)
			;
		_exit(0);
	}
	return child;
}

/* "app -> DIR/outside" in DIR/root is DIR/root/DIR/outside, and there is none. */
static void a_link_out_of_a_process_s_root_is_not_followed(void **state)
{
	char dir[] = "/tmp/binaries_test.XXXXXX", cmd[256], link[64];
	struct binaries *t = new_binaries(0);
	struct mapped_file f = { .path = strdup("/app/0"), .fd = -1 };
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), alive[2];
	struct stat st;
	uint32_t id;
	pid_t pid;

	if (getuid()) {
		mapped_file__free(&f);
		skip();
	}
	assert_non_null(mkdtemp(dir));
	snprintf(cmd, sizeof(cmd), "cd %s && mkdir root outside && ln -s %s/outside root/app", dir,
		 dir);
	assert_int_equal(system(cmd), 0);
	snprintf(cmd, sizeof(cmd), "%s/outside", dir);
	copy_program(cmd, 0);
	snprintf(link, sizeof(link), "%s/outside/0", dir);
	assert_int_equal(stat(link, &st), 0);
	assert_true(inotify_add_watch(watch, link, IN_OPEN) >= 0);
	snprintf(cmd, sizeof(cmd), "%s/root", dir);
	f.pid = start_in_root(cmd, alive);
	f.identity.inode = st.st_ino;
	snprintf(cmd, sizeof(cmd), "/proc/%d/root/app", f.pid);
	for (int i = 0; i < 1000 && access(cmd, F_OK); i++)
		usleep(10000); /* until it is in there: the link leads somewhere, for us */
	assert_int_equal(access(cmd, F_OK), 0);
	pid = f.pid;
	id = add_mapped(t, &f);
	assert_non_null(binaries__get(t, id));
	assert_false(was_opened(watch));
	close(alive[0]);
	close(alive[1]);
	waitpid(pid, NULL, 0);
	close(watch);
	free_binaries(t);
	remove_copies(dir);
}

/* Two file systems have equal inode numbers all the time. */
static void a_file_of_another_device_is_not_used(void **state)
{
	char dir[] = "/tmp/binaries_test.XXXXXX", path[64];
	struct binaries *t = new_binaries(0);
	struct mapped_file f = { .pid = getpid(), .fd = -1 };
	uint64_t offset, vaddr;
	uint32_t dev_major;
	struct stat st;
	struct sym sym;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/0", dir);
	offset = copy_program(dir, 0);
	assert_int_equal(stat(path, &st), 0);
	f.identity.inode = st.st_ino;
	f.identity.dev_major = dev_major = major(st.st_dev);
	f.identity.dev_minor = minor(st.st_dev);
	for (unsigned i = 0; i < 2; i++, f.identity.dev_minor += 77) {
		struct mapped_file taken = f;

		taken.path = strdup(path);
		(void)add_mapped(t, &taken);
	}
	assert_true(is_named(t, nr_files - 2, offset));
	/* Where the file system has no number of a driver, nothing is known of its device. */
	assert_int_equal(binary__find(binaries__get(t, nr_files - 1), offset, &sym, &vaddr),
			 !dev_major);
	free_binaries(t);
	remove_copies(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_that_were_not_asked_for_longest_are_dropped),
		cmocka_unit_test(symbols_are_read_again_only_so_often),
		cmocka_unit_test(only_so_many_files_stay_open),
		cmocka_unit_test(another_file_of_the_name_is_not_used),
		cmocka_unit_test(a_file_of_another_user_is_not_used),
		cmocka_unit_test(a_pipe_of_the_name_is_not_opened),
		cmocka_unit_test(a_link_out_of_a_process_s_root_is_not_followed),
		cmocka_unit_test(a_file_of_another_device_is_not_used),
		cmocka_unit_test(what_was_held_is_opened_by_it),
		cmocka_unit_test(a_pipe_that_was_held_is_not_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
