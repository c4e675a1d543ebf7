// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "event/tracefs.h"
#include "tracefs_fixture.h"

/* What is found below the fixture, or "". */
static int find(const struct fixture *f, struct buf *path, struct buf *why)
{
	buf__clear(why);
	return tracefs__find(f->dir, path, why);
}

static void assert_below(const struct fixture *f, const struct buf *path, const char *place)
{
	size_t len = strlen(f->dir);

	assert_true(path->len > len);
	assert_memory_equal(path->data, f->dir, len);
	assert_string_equal(path->data + len, place);
}

static void the_first_mount_of_the_type_is_found(void **state)
{
	struct buf path = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "proc/mounts",
		     "sysfs /sys sysfs rw 0 0\n"
		     "tracefs /not/this ext4 rw 0 0\n"
		     "debugfs /sys/kernel/debug debugfs rw,nosuid 0 0\n"
		     "none /one tracefs rw 0 0\n"
		     "none /two tracefs rw 0 0\n");
	assert_int_equal(mounts__find(f.dir, "tracefs", &path), 0);
	assert_below(&f, &path, "/one");
	assert_int_equal(tracefs__debugfs(f.dir, &path), 0);
	assert_below(&f, &path, "/sys/kernel/debug");
	assert_int_equal(mounts__find(f.dir, "bpf", &path), -ENOENT);
	assert_int_equal(path.len, 0);
	buf__free(&path);
	fixture__close(&f);
}

static void escapes_in_mount_points_are_decoded(void **state)
{
	struct buf path = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "proc/mounts",
		     "none /a\\040b\\011c\\134040\\043\\303\\240\\777\\04 tracefs rw 0 0\n");
	assert_int_equal(mounts__find(f.dir, "tracefs", &path), 0);
	assert_below(&f, &path, "/a b\tc\\040#\303\240\\777\\04");
	buf__free(&path);
	fixture__close(&f);
}

static void odd_lines_are_passed_over(void **state)
{
	struct buf path = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "proc/mounts",
		     "\n \n\nnone\nnone /x\nnone  tracefs\nnone relative tracefs rw 0 0\n"
		     "none /last tracefs");
	assert_int_equal(mounts__find(f.dir, "tracefs", &path), 0);
	assert_below(&f, &path, "/last");
	fixture__put(&f, "proc/mounts", "");
	assert_int_equal(mounts__find(f.dir, "tracefs", &path), -ENOENT);
	buf__free(&path);
	fixture__close(&f);
}

static void what_is_mounted_comes_before_the_usual_places(void **state)
{
	struct buf path = {}, why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "proc/mounts", "none /mnt/trace\\040fs tracefs rw 0 0\n");
	fixture__put(&f, "mnt/trace fs/events", NULL);
	fixture__put(&f, "sys/kernel/tracing/events", NULL);
	assert_int_equal(find(&f, &path, &why), 0);
	assert_below(&f, &path, "/mnt/trace fs");
	buf__free(&path);
	buf__free(&why);
	fixture__close(&f);
}

static void without_a_mount_line_the_usual_places_are_tried_in_turn(void **state)
{
	struct buf path = {}, why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "sys/kernel/tracing", NULL); /* a mount point with nothing on it */
	fixture__put(&f, "sys/kernel/debug/tracing/events", NULL);
	assert_int_equal(find(&f, &path, &why), 0);
	assert_below(&f, &path, "/sys/kernel/debug/tracing");
	fixture__put(&f, "sys/kernel/tracing/events", NULL);
	assert_int_equal(find(&f, &path, &why), 0);
	assert_below(&f, &path, "/sys/kernel/tracing");
	buf__free(&path);
	buf__free(&why);
	fixture__close(&f);
}

static void no_tracefs_says_how_to_mount_it(void **state)
{
	struct buf path = {}, why = {};
	struct fixture f;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "proc/mounts", "none /gone tracefs rw 0 0\n");
	fixture__put(&f, "sys/kernel/tracing/events", "a file\n");
	assert_int_equal(find(&f, &path, &why), -ENOENT);
	assert_int_equal(path.len, 0);
	assert_non_null(strstr(why.data, "mount -t tracefs tracefs /sys/kernel/tracing"));
	buf__free(&path);
	buf__free(&why);
	fixture__close(&f);
}

static void a_hidden_tracefs_is_no_missing_one(void **state)
{
	struct buf path = {}, why = {};
	char hidden[64];
	struct fixture f;
	int err;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "sys/kernel/tracing/events", NULL);
	chmod(f.dir, 0755);
	snprintf(hidden, sizeof(hidden), "%s/sys/kernel/tracing", f.dir);
	chmod(hidden, 0);
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	err = find(&f, &path, &why);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	chmod(hidden, 0755);
	assert_int_equal(err, -EACCES);
	assert_non_null(strstr(why.data, hidden));
	assert_non_null(strstr(why.data, "run as root"));
	buf__free(&path);
	buf__free(&why);
	fixture__close(&f);
}

static void tracers_are_read_in_the_order_of_the_kernel(void **state)
{
	struct tracers t;
	struct fixture f;

	(void)state;
	fixture__open(&f);
	assert_int_equal(tracefs__tracers(f.dir, &t), -ENOENT);
	fixture__put(&f, "available_tracers", "wakeup  function nop\n");
	assert_int_equal(tracefs__tracers(f.dir, &t), -ENOENT);
	fixture__put(&f, "current_tracer", "function\n");
	assert_int_equal(tracefs__tracers(f.dir, &t), 0);
	assert_int_equal(t.nr, 3);
	assert_string_equal(t.available[0], "wakeup");
	assert_string_equal(t.available[1], "function");
	assert_string_equal(t.available[2], "nop");
	assert_string_equal(t.current, "function");
	tracers__free(&t);
	fixture__put(&f, "available_tracers", "\n");
	fixture__put(&f, "current_tracer", "");
	assert_int_equal(tracefs__tracers(f.dir, &t), 0);
	assert_int_equal(t.nr, 0);
	assert_string_equal(t.current, "");
	tracers__free(&t);
	fixture__close(&f);
}

static void the_running_kernel_has_what_its_files_say(void **state)
{
	const char *tracefs = running_tracefs();
	struct buf path = {}, why = {};
	char text[4096], expected[4096] = "";
	struct tracers t;

	(void)state;
	assert_int_equal(tracefs__find("", &path, &why), 0);
	assert_int_equal(path.data[0], '/');
	assert_int_equal(tracefs__tracers(path.data, &t), 0);
	for (size_t i = 0; i < t.nr; i++) {
		strcat(expected, t.available[i]);
		strcat(expected, " ");
	}
	fixture__text(tracefs, "available_tracers", text);
	text[strcspn(text, "\n")] = '\0';
	/* The kernel's list ends with a blank or not, as its version likes. */
	assert_memory_equal(expected, text, strlen(text));
	assert_true(strlen(expected) - strlen(text) <= 1);
	fixture__text(tracefs, "current_tracer", text);
	assert_memory_equal(t.current, text, strlen(t.current));
	assert_string_equal(text + strlen(t.current), "\n");
	tracers__free(&t);
	buf__free(&path);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_mount_of_the_type_is_found),
		cmocka_unit_test(escapes_in_mount_points_are_decoded),
		cmocka_unit_test(odd_lines_are_passed_over),
		cmocka_unit_test(what_is_mounted_comes_before_the_usual_places),
		cmocka_unit_test(without_a_mount_line_the_usual_places_are_tried_in_turn),
		cmocka_unit_test(no_tracefs_says_how_to_mount_it),
		cmocka_unit_test(a_hidden_tracefs_is_no_missing_one),
		cmocka_unit_test(tracers_are_read_in_the_order_of_the_kernel),
		cmocka_unit_test(the_running_kernel_has_what_its_files_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
