// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptors.h"
#include "serve/out_dir.h"
#include "serve/out_part.h"

/* 2026-11-27T11:30:00Z, by `date -u -d .. +%s`. */
static const uint64_t NOON_S = 1795779000, SECOND = 1000000000;

struct place {
	char path[64];
	unsigned nr_open;
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->nr_open = nr_open();
	strcpy(p->path, "/tmp/out_dir_test.XXXXXX");
	assert_non_null(mkdtemp(p->path));
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", p->path);
	assert_int_equal(system(command), 0);
	assert_int_equal(nr_open(), p->nr_open);
	free(p);
	return 0;
}

static struct out_dir *open_dir(const char *path, uint64_t max_bytes, uint64_t max_age_s)
{
	const struct out_dir_opts o = { .ending = "pb.gz",
					.max_bytes = max_bytes,
					.max_age_ns = max_age_s * SECOND };
	struct buf why = {};
	struct out_dir *d;

	assert_int_equal(out_dir__open(&d, path, &o, &why), 0);
	buf__free(&why);
	return d;
}

static int put(struct out_dir *d, uint64_t begin_s, const char *whose, size_t len)
{
	const struct out_file file = { begin_s * SECOND, whose };
	static char bytes[4096];

	assert_in_range(len, 0, sizeof(bytes));
	return out_dir__put(d, &file, bytes, len, begin_s * SECOND);
}

static size_t nr_files(struct out_dir *d)
{
	struct out_list list = {};
	size_t nr;

	assert_int_equal(out_dir__list(d, &list), 0);
	nr = list.nr;
	out_list__free(&list);
	return nr;
}

static void path_of(const struct place *p, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", p->path, name);
}

static bool exists(const struct place *p, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	path_of(p, name, path);
	return !lstat(path, &st);
}

static int create(const struct place *p, const char *name)
{
	char path[PATH_MAX];
	int fd;

	path_of(p, name, path);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

static void names_sort_by_time_and_tell_whose_it_is(void **state)
{
	char one[OUT_NAME], two[OUT_NAME];

	(void)state;
	assert_int_equal(
		out_name__make(one, &(struct out_name){ NOON_S, 17, "docker:1a2b", "pb.gz" }), 0);
	assert_string_equal(one, "20261127T113000Z-000017-docker_1a2b.pb.gz");
	assert_int_equal(out_name__make(two, &(struct out_name){ NOON_S, 18, "a", "pb.gz" }), 0);
	assert_true(strcmp(one, two) < 0);
	assert_int_equal(out_name__make(one, &(struct out_name){ NOON_S + 86400, 0, "", "pb.gz" }),
			 0);
	assert_string_equal(one, "20261128T113000Z-000000-_.pb.gz");
	assert_true(strcmp(two, one) < 0);
}

static void any_bytes_of_a_label_are_made_safe(void **state)
{
	char name[OUT_NAME], many[300];
	struct out_name said;

	(void)state;
	assert_int_equal(
		out_name__make(name, &(struct out_name){ 0, 0, "../a b\n\xff/c", "pb.gz" }), 0);
	assert_string_equal(name, "19700101T000000Z-000000-.._a_b___c.pb.gz");
	memset(many, 'x', sizeof(many));
	many[299] = '\0';
	assert_int_equal(out_name__make(name, &(struct out_name){ 0, UINT32_MAX, many, "pb.gz" }),
			 0);
	assert_int_equal(strlen(name), 16 + 1 + 10 + 1 + 100 + 6);
	assert_true(out_name__parse(name, "pb.gz", &said));
	assert_int_equal(said.number, UINT32_MAX);
	assert_int_equal(out_name__make(name, &(struct out_name){ 0, 0, "a", "../x" }), -EINVAL);
	assert_int_equal(out_name__make(name, &(struct out_name){ 1ull << 60, 0, "a", "x" }),
			 -EINVAL);
}

static void only_names_that_could_be_ours_are(void **state)
{
	static const char *const others[] = {
		"",
		"profile.pb.gz",
		"20261127T113000Z-000017-a.pb",
		"20261127T113000Z-000017-.pb.gz",
		"20261127T113000Z-000017a.pb.gz",
		"20261127T113000Z-17-a.pb.gz",
		"20261127T113000Z-0000017-a.pb.gz",
		"20261127T113000Z-4294967296-a.pb.gz",
		"20261327T113000Z-000017-a.pb.gz",
		"20260230T113000Z-000017-a.pb.gz",
		"20261127T113060Z-000017-a.pb.gz",
		"20261127 113000Z-000017-a.pb.gz",
		"-0261127T113000Z-000017-a.pb.gz",
		"20261127T113000Z-000017-a b.pb.gz",
		"20261127T113000Z-000017-a\n.pb.gz",
		"20261127T113000Z-000017-a.pb.gz.bak",
	};
	struct out_name said;

	(void)state;
	assert_true(out_name__parse("20261127T113000Z-000017-a.b-c.pb.gz", "pb.gz", &said));
	assert_int_equal(said.begin_s, NOON_S);
	assert_int_equal(said.number, 17);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (out_name__parse(others[i], "pb.gz", &said))
			fail_msg("%s is taken for ours", others[i]);
}

static void what_is_put_is_there_whole(void **state)
{
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 0, 0);
	char bytes[16] = "";
	int fd;

	assert_int_equal(out_dir__put(d, &(struct out_file){ NOON_S * SECOND + 7, "web" }, "hello",
				      5, NOON_S * SECOND),
			 0);
	fd = out_dir__read(d, "20261127T113000Z-000000-web.pb.gz");
	assert_true(fd >= 0);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 5);
	assert_string_equal(bytes, "hello");
	close(fd);
	assert_int_equal(nr_files(d), 1);
	out_dir__close(d);
}

/* 4 of 1000 bytes fit; each further one takes the place of the oldest. */
static void the_oldest_make_room_and_are_counted(void **state)
{
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 4096, 0);

	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(put(d, NOON_S + i, "h", 1000), 0);
	assert_int_equal(nr_files(d), 4);
	assert_false(exists(p, "20261127T113005Z-000000-h.pb.gz"));
	assert_true(exists(p, "20261127T113006Z-000000-h.pb.gz"));
	assert_int_equal(out_dir__counts(d)->written, 10);
	assert_int_equal(out_dir__counts(d)->removed_full, 6);
	assert_int_equal(put(d, NOON_S + 20, "h", 4096), 0);
	assert_int_equal(nr_files(d), 1);
	out_dir__close(d);
}

static void what_is_larger_than_all_may_be_is_refused_alone(void **state)
{
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 1000, 0);

	assert_int_equal(put(d, NOON_S, "h", 900), 0);
	assert_int_equal(put(d, NOON_S + 1, "h", 1001), -EFBIG);
	assert_int_equal(nr_files(d), 1);
	assert_int_equal(out_dir__counts(d)->failed, 1);
	out_dir__close(d);
}

static void what_is_too_old_is_removed(void **state)
{
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 0, 3600);

	assert_int_equal(put(d, NOON_S, "h", 10), 0);
	assert_int_equal(put(d, NOON_S + 10, "h", 10), 0);
	out_dir__sweep(d, (NOON_S + 3600) * SECOND);
	assert_int_equal(nr_files(d), 2);
	out_dir__sweep(d, (NOON_S + 3601) * SECOND);
	assert_int_equal(nr_files(d), 1);
	assert_int_equal(out_dir__counts(d)->removed_old, 1);
	assert_int_equal(put(d, NOON_S + 4000, "h", 10), 0);
	assert_int_equal(nr_files(d), 1);
	assert_int_equal(out_dir__counts(d)->removed_old, 2);
	out_dir__close(d);
}

/* Another's file, another user's, a directory and a link that have names like ours. */
static void what_it_has_not_named_stays(void **state)
{
	static const char *const links = "20200101T000000Z-000000-link.pb.gz";
	static const char *const dir = "20200101T000000Z-000000-dir.pb.gz";
	static const char *const users = "20200101T000000Z-000000-user.pb.gz";
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 1000, 60);
	char path[PATH_MAX];

	close(create(p, "profile.pb.gz"));
	path_of(p, links, path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	path_of(p, dir, path);
	assert_int_equal(mkdir(path, 0700), 0);
	close(create(p, users));
	path_of(p, users, path);
	assert_true(geteuid() || !chown(path, 65534, 65534));
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(put(d, NOON_S + i * 100, "h", 900), 0);
	assert_int_equal(nr_files(d), geteuid() ? 2 : 1);
	assert_true(exists(p, "profile.pb.gz") && exists(p, links) && exists(p, dir));
	assert_true(geteuid() || exists(p, users));
	out_dir__close(d);
}

static void a_name_that_is_taken_is_not_taken_over(void **state)
{
	static const char name[] = "20261127T113000Z-000000-h.pb.gz";
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 0, 0), *other = open_dir(p->path, 0, 0);
	char path[PATH_MAX], target[PATH_MAX];
	struct stat st;

	path_of(p, "target", target);
	path_of(p, name, path);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(put(d, NOON_S, "h", 1), 0);
	assert_int_equal(put(other, NOON_S, "h", 1), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_false(exists(p, "target"));
	assert_true(exists(p, "20261127T113000Z-000001-h.pb.gz"));
	assert_true(exists(p, "20261127T113000Z-000002-h.pb.gz"));
	out_dir__close(other);
	out_dir__close(d);
}

static void a_directory_that_is_a_link_is_refused(void **state)
{
	const struct out_dir_opts o = { .ending = "pb.gz" };
	struct place *p = *state;
	struct buf why = {};
	struct out_dir *d;
	char path[PATH_MAX];

	path_of(p, "link", path);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_true(out_dir__open(&d, path, &o, &why) < 0);
	assert_non_null(strstr(why.data, "is no directory"));
	buf__free(&why);
}

static void a_private_one_is_nobody_elses(void **state)
{
	const struct out_dir_opts o = { .ending = "pb.gz", .is_private = true };
	struct place *p = *state;
	struct buf why = {};
	struct out_dir *d;
	char path[PATH_MAX];
	struct stat st;

	path_of(p, "spool", path);
	assert_int_equal(out_dir__open(&d, path, &o, &why), 0);
	assert_int_equal(put(d, NOON_S, "h", 1), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	path_of(p, "spool/20261127T113000Z-000000-h.pb.gz", path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	out_dir__close(d);
	path_of(p, "spool", path);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(out_dir__open(&d, path, &o, &why), -EPERM);
	buf__free(&why);
}

/* A child is killed while it has a part; another one is alive. */
static void parts_of_the_dead_are_removed_and_no_others(void **state)
{
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 0, 0);
	struct out_part alive;
	char dead[32] = "";
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		struct out_part part;

		if (out_part__begin(&part, out_dir__fd(d), 0600) ||
		    write(pipes[1], part.name, sizeof(part.name)) != sizeof(part.name))
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipes[0], dead, sizeof(dead)), sizeof(dead));
	assert_int_equal(out_part__begin(&alive, out_dir__fd(d), 0600), 0);
	out_dir__sweep(d, NOON_S * SECOND);
	assert_true(exists(p, dead));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	out_dir__close(d);
	d = open_dir(p->path, 0, 0);
	assert_false(exists(p, dead));
	assert_true(exists(p, alive.name));
	out_part__end(&alive);
	close(pipes[0]);
	close(pipes[1]);
	out_dir__close(d);
}

/* A file may have 100 bytes, as on a disk that is full then. */
static void what_cannot_be_written_is_counted_and_the_next_one_is_tried(void **state)
{
	struct place *p = *state;
	struct out_dir *d = open_dir(p->path, 0, 0);
	struct rlimit was, little;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	little = was;
	little.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	assert_int_equal(put(d, NOON_S, "h", 1000), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(put(d, NOON_S, "h", 1000), 0);
	assert_int_equal(nr_files(d), 1);
	assert_int_equal(out_dir__counts(d)->failed, 1);
	assert_int_equal(out_dir__counts(d)->written, 1);
	out_dir__close(d);
}

#define in_place(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_sort_by_time_and_tell_whose_it_is),
		cmocka_unit_test(any_bytes_of_a_label_are_made_safe),
		cmocka_unit_test(only_names_that_could_be_ours_are),
		in_place(what_is_put_is_there_whole),
		in_place(the_oldest_make_room_and_are_counted),
		in_place(what_is_larger_than_all_may_be_is_refused_alone),
		in_place(what_is_too_old_is_removed),
		in_place(what_it_has_not_named_stays),
		in_place(a_name_that_is_taken_is_not_taken_over),
		in_place(a_directory_that_is_a_link_is_refused),
		in_place(a_private_one_is_nobody_elses),
		in_place(parts_of_the_dead_are_removed_and_no_others),
		in_place(what_cannot_be_written_is_counted_and_the_next_one_is_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
