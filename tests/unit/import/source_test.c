// SPDX-License-Identifier: BSD-2-Clause
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "import/source.h"

static char dir[] = "/tmp/source_test.XXXXXX";
static char path[sizeof(dir) + 8];

static void put(const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static struct source *opened(void)
{
	struct buf why = {};
	struct source *s;

	assert_int_equal(source__open(&s, path, &why), 0);
	buf__free(&why);
	return s;
}

static void next_is(struct source *s, const char *want)
{
	char *line;
	size_t len;

	assert_int_equal(source__line(s, &line, &len), 1);
	assert_int_equal(len, strlen(want));
	assert_string_equal(line, want);
}

static int next_fails(struct source *s)
{
	char *line;
	size_t len;

	return source__line(s, &line, &len);
}

static void lines_come_without_their_ends(void **state)
{
	struct source *s;

	put("one\n\ntwo\r\n\r\nthree", 17);
	s = opened();
	next_is(s, "one");
	next_is(s, "");
	next_is(s, "two");
	next_is(s, "");
	next_is(s, "three");
	assert_int_equal(next_fails(s), 0);
	assert_int_equal(next_fails(s), 0);
	source__close(s);
}

static void an_empty_file_has_no_line(void **state)
{
	struct source *s;

	put("", 0);
	s = opened();
	assert_int_equal(next_fails(s), 0);
	source__close(s);
}

static char *letters(size_t len, char c)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	memset(text, c, len);
	text[len] = '\0';
	return text;
}

/* Longer than what is read at once, and up to the most that there is room for. */
static void lines_may_be_long(void **state)
{
	char *a = letters(SOURCE_LINE_BYTES - 1, 'a'), *b = letters(300000, 'b');
	struct source *s;
	FILE *f = fopen(path, "w");

	fprintf(f, "%s\n%s\nend\n", a, b);
	assert_int_equal(fclose(f), 0);
	s = opened();
	next_is(s, a);
	next_is(s, b);
	next_is(s, "end");
	assert_int_equal(next_fails(s), 0);
	source__close(s);
	free(a);
	free(b);
}

static void a_line_that_is_too_long_is_left_out(void **state)
{
	char *a = letters(3 * SOURCE_LINE_BYTES, 'a');
	struct source *s;
	FILE *f = fopen(path, "w");

	fprintf(f, "begin\n%s\nend\n%s", a, a);
	assert_int_equal(fclose(f), 0);
	s = opened();
	next_is(s, "begin");
	assert_int_equal(next_fails(s), -EMSGSIZE);
	next_is(s, "end");
	assert_int_equal(next_fails(s), -EMSGSIZE);
	assert_int_equal(next_fails(s), 0);
	source__close(s);
	free(a);
}

static size_t packed(const char *text, void *out, size_t room)
{
	z_stream z = { .next_in = (void *)text,
		       .avail_in = strlen(text),
		       .next_out = out,
		       .avail_out = room };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static void what_gzip_has_packed_is_unpacked(void **state)
{
	struct source *s;
	char bytes[256];
	size_t len = packed("one\ntwo\n", bytes, sizeof(bytes));

	len += packed("three\n", bytes + len, sizeof(bytes) - len); /* as cat a.gz b.gz */
	put(bytes, len);
	s = opened();
	next_is(s, "one");
	next_is(s, "two");
	next_is(s, "three");
	assert_int_equal(next_fails(s), 0);
	source__close(s);
}

static void begins(struct source *s, const char *want, size_t want_len)
{
	const char *text;
	size_t len;

	assert_int_equal(source__peek(s, &text, &len), 0);
	assert_int_equal(len, want_len);
	assert_memory_equal(text, want, want_len);
}

static void what_it_begins_with_is_not_taken(void **state)
{
	struct source *s;

	put("one\ntwo\nthree", 13);
	s = opened();
	begins(s, "one\ntwo\nthree", 13);
	begins(s, "one\ntwo\nthree", 13);
	next_is(s, "one");
	begins(s, "two\nthree", 9);
	next_is(s, "two");
	next_is(s, "three");
	begins(s, "", 0);
	assert_int_equal(next_fails(s), 0);
	source__close(s);
	put("", 0);
	s = opened();
	begins(s, "", 0);
	assert_int_equal(next_fails(s), 0);
	source__close(s);
}

static void of_a_large_file_a_part_is_enough(void **state)
{
	char *a = letters(3 * SOURCE_PEEK_BYTES, 'a');
	struct source *s;

	put(a, 3 * SOURCE_PEEK_BYTES);
	s = opened();
	begins(s, a, SOURCE_PEEK_BYTES);
	next_is(s, a);
	assert_int_equal(next_fails(s), 0);
	source__close(s);
	free(a);
}

/* The last line may be a part of one. @peek: the cut is in what was looked at before. */
static void cut_is_told(bool peek)
{
	struct source *s;
	struct buf text = {};
	char bytes[8192], *line;
	const char *first;
	size_t len, nr = 0, n;
	int err;

	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(buf__printf(&text, "line %u\n", i), 0);
	len = packed(text.data, bytes, sizeof(bytes));
	put(bytes, len / 2);
	s = opened();
	if (peek)
		assert_int_equal(source__peek(s, &first, &n), 0);
	while ((err = source__line(s, &line, &n)) == 1) {
		char want[16];

		snprintf(want, sizeof(want), "line %zu", nr++);
		assert_string_equal(line, want);
	}
	assert_int_equal(err, -ENODATA);
	assert_true(nr > 10 && nr < 990);
	assert_int_equal(next_fails(s), 0);
	source__close(s);
	buf__free(&text);
}

static void a_cut_is_told(void **state)
{
	cut_is_told(false);
}

static void a_cut_is_told_in_its_place(void **state)
{
	cut_is_told(true);
}

static void damage_is_told(void **state)
{
	struct source *s;
	char bytes[256];
	size_t len = packed("one\ntwo\n", bytes, sizeof(bytes));
	int err;

	bytes[len - 6] ^= 1; /* the checksum */
	put(bytes, len);
	s = opened();
	do {
		err = next_fails(s);
	} while (err == 1);
	assert_int_equal(err, -EBADMSG);
	assert_int_equal(next_fails(s), 0);
	source__close(s);
}

static void refused(const char *what, const char *says)
{
	struct buf why = {};
	struct source *s = (void *)1;

	assert_true(source__open(&s, what, &why) < 0);
	assert_null(s);
	assert_non_null(strstr(why.data, says));
	buf__free(&why);
}

static void what_is_no_file_is_refused(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	refused(dir, "not a regular file");
	refused("/dev/zero", "not a regular file");
	refused("/nosuch", "No such file");
	unlink(path);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	refused(path, "not a regular file");
	close(fd);
	unlink(path);
}

static void a_pipe_may_be_named(void **state)
{
	struct source *s;
	pid_t pid;
	int status;

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		FILE *f = fopen(path, "w");

		if (f)
			fputs("one\n", f);
		_exit(!f || fclose(f));
	}
	s = opened();
	next_is(s, "one");
	assert_int_equal(next_fails(s), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	source__close(s);
	unlink(path);
}

static int make_dir(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int remove_dir(void **state)
{
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_without_their_ends),
		cmocka_unit_test(an_empty_file_has_no_line),
		cmocka_unit_test(lines_may_be_long),
		cmocka_unit_test(a_line_that_is_too_long_is_left_out),
		cmocka_unit_test(what_gzip_has_packed_is_unpacked),
		cmocka_unit_test(what_it_begins_with_is_not_taken),
		cmocka_unit_test(of_a_large_file_a_part_is_enough),
		cmocka_unit_test(a_cut_is_told),
		cmocka_unit_test(a_cut_is_told_in_its_place),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(a_pipe_may_be_named),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
