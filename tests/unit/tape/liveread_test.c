// SPDX-License-Identifier: BSD-2-Clause
/* Recordings that no pmutrace wrote: put together here, whole to every CRC, to do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "tape/liveread.h"
#include "tape/replay.h"

static char path[64]; /* of a file in memory */
static int fd;
static struct buf data; /* of the interval that is put together */
static struct buf why;
static struct replay *r;

static int set_up(void **state)
{
	(void)state;
	fd = memfd_create("recording", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	replay__close(r);
	r = NULL;
	buf__free(&data);
	buf__free(&why);
	return close(fd);
}

static void put(const void *bytes, size_t len)
{
	assert_int_equal(buf__put(&data, bytes, len), 0);
}

static void put_u32(uint32_t v)
{
	v = htole32(v);
	put(&v, sizeof(v));
}

static void put_u64(uint64_t v)
{
	v = htole64(v);
	put(&v, sizeof(v));
}

static void put_text(const char *s)
{
	uint16_t len = htole16(strlen(s));

	put(&len, sizeof(len));
	put(s, strlen(s));
}

/* Where its length is, for end_part(). */
static size_t begin_part(uint32_t kind)
{
	put_u32(kind);
	put_u32(0);
	return data.len - 4;
}

static void end_part(size_t at)
{
	uint32_t len = htole32(data.len - at - 4);

	memcpy(data.data + at, &len, sizeof(len));
}

static void write_bytes(const void *bytes, size_t len)
{
	assert_int_equal(write(fd, bytes, len), len);
}

static void write_crc(uint32_t crc)
{
	crc = htole32(crc);
	write_bytes(&crc, sizeof(crc));
}

/* The file from its beginning. */
static void write_head(uint32_t nr_values)
{
	buf__clear(&data);
	put(LIVEREAD_MAGIC, 8);
	put_u32(LIVEREAD_VERSION);
	put_u32(nr_values);
	put_u32(0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	write_bytes(data.data, data.len);
	write_crc(crc32(0, (const Bytef *)data.data, data.len));
	buf__clear(&data);
}

/* What is in data as one more interval. */
static void write_interval(bool anew)
{
	uLongf len = compressBound(data.len);
	uint8_t *stream = malloc(len);
	uint32_t data_bytes = data.len;

	assert_non_null(stream);
	assert_int_equal(
		compress2(stream, &len, (const Bytef *)(data.data ? data.data : ""), data.len, 1),
		Z_OK);
	buf__clear(&data);
	put(LIVEREAD_FRAME, 4);
	put_u32(len);
	put_u32(data_bytes);
	put_u32(anew ? LIVEREAD_ANEW : 0);
	put_u64(1);
	put_u32(crc32(0, stream, len));
	write_bytes(data.data, data.len);
	write_crc(crc32(0, (const Bytef *)data.data, data.len));
	write_bytes(stream, len);
	buf__clear(&data);
	free(stream);
}

static void open_recording(void)
{
	replay__close(r);
	assert_int_equal(replay__open(&r, path, &why), 0);
}

static int go(size_t i)
{
	buf__clear(&why);
	return replay__go(r, i, &why);
}

static void put_event(const char *name, const char *not_counted)
{
	put_text(name);
	put_text("");
	put_u32(not_counted ? LIVEREAD_NOT_SUPPORTED : LIVEREAD_COUNTED);
	put_text(not_counted ? not_counted : "");
	put_u32(-1);
	put_u64(1);
	put_u64(1);
}

static void put_events(uint32_t nr)
{
	size_t part = begin_part(LIVEREAD_EVENTS);

	put_u32(nr);
	for (uint32_t i = 0; i < nr; i++)
		put_event("cycles", NULL);
	end_part(part);
}

/* What has no value must not be looked for behind those that are there. */
static void each_event_has_a_value(void **state)
{
	static const struct {
		uint32_t nr_values, nr_events;
		int err;
	} cases[] = {
		{ 1, 0, 0 },	    { 1, 1, -EBADMSG },	  { 2, 0, 0 },
		{ 2, 1, -EBADMSG }, { 2, 256, -EBADMSG }, { 4, 2, 0 },
		{ 4, 3, -EBADMSG }, { 16, 14, 0 },	  { 16, 15, -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		write_head(cases[i].nr_values);
		put_events(cases[i].nr_events);
		write_interval(true);
		open_recording();
		assert_int_equal(go(0), cases[i].err);
	}
}

/* An event is shown in its unit; a number that would spoil every value is none. */
static void scales_are_numbers_above_0(void **state)
{
	static const struct {
		double scale;
		int err;
	} cases[] = { { 2.5, 0 },	{ 1, 0 },	   { 0, -EBADMSG },
		      { -1, -EBADMSG }, { NAN, -EBADMSG }, { INFINITY, -EBADMSG } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t part;

		write_head(3);
		part = begin_part(LIVEREAD_EVENTS);
		put_u32(1);
		put_event("topdown-total-slots", NULL);
		put(&cases[i].scale, sizeof(cases[i].scale));
		end_part(part);
		write_interval(true);
		open_recording();
		assert_int_equal(go(0), cases[i].err);
	}
}

/* So many bytes, told apart by a number. */
static const char *long_text(unsigned n)
{
	static char text[60001];

	memset(text, 'x', sizeof(text) - 1);
	snprintf(text, 9, "%08u", n);
	text[8] = 'x';
	return text;
}

static void put_one_event(const char *not_counted)
{
	size_t part = begin_part(LIVEREAD_EVENTS);

	put_u32(1);
	put_event("cycles", not_counted);
	end_part(part);
}

static void put_one_loss(const char *text)
{
	size_t part = begin_part(LIVEREAD_LOSSES);

	put_u32(1);
	put_text("keys_full");
	put_text(text);
	put_text("");
	put_u32(0);
	put_u64(1);
	end_part(part);
}

/* A small file that has large texts, others in each interval. */
static void texts_of_intervals_before_are_not_kept(void **state)
{
	enum { NR = 500 };
	size_t before;

	(void)state;
	write_head(3);
	for (unsigned n = 0; n < NR; n++) {
		put_one_event(long_text(n));
		put_one_loss(long_text(NR + n));
		write_interval(true);
	}
	open_recording();
	assert_int_equal(go(0), 0);
	assert_int_equal(go(1), 0);
	before = mallinfo2().uordblks;
	for (unsigned n = 0; n < NR; n++) {
		const struct live_about *about;

		assert_int_equal(go(n), 0);
		about = live__interval(replay__live(r));
		assert_string_equal(about->events[0].why, long_text(n));
		assert_string_equal(about->losses.by[0].text, long_text(NR + n));
	}
	assert_true(mallinfo2().uordblks < before + (1 << 20));
}

/* Each kind has one, and so an interval has no more texts than that. */
static void no_part_comes_twice(void **state)
{
	(void)state;
	write_head(3);
	put_one_event("one");
	put_one_event("two");
	write_interval(true);
	put_one_loss("one");
	put_one_loss("two");
	write_interval(true);
	/* But for those that are not known: what they are is not either. */
	for (unsigned i = 0; i < 2; i++)
		end_part(begin_part(4711));
	write_interval(true);
	open_recording();
	assert_int_equal(go(0), -EBADMSG);
	assert_int_equal(go(1), -EBADMSG);
	assert_int_equal(go(2), 0);
}

static void put_processes(uint32_t first, uint32_t nr)
{
	static const char comm[LIVE_COMM] = "comm";
	size_t part = begin_part(LIVEREAD_PROCESSES);

	put_u32(nr);
	for (uint32_t pid = first; pid < first + nr; pid++) {
		put_u32(pid);
		put_u32(1);
		put_u32(0);
		put_u32(0);
		put(comm, sizeof(comm));
		put_text(long_text(pid));
	}
	end_part(part);
}

/* More of them than any machine has: 48 MB a time, each of which is 200 KB of the file. */
static void there_is_an_end_to_names(void **state)
{
	enum { AT_ONCE = 800, NR = 6 };
	size_t nr;

	(void)state;
	write_head(2);
	for (unsigned n = 0; n < NR; n++) {
		put_processes(1 + n * AT_ONCE, AT_ONCE);
		write_interval(!n);
	}
	put_processes(1, 1);
	write_interval(true);
	open_recording();
	assert_int_equal(go(0), 0);
	assert_int_equal(go(1), 0);
	for (unsigned n = 2; n < NR; n++)
		assert_int_equal(go(n), -EBADMSG);
	assert_true(processes__bytes(replay__processes(r)) < LIVEREAD_NAMES_MAX + (1 << 16));
	nr = processes__nr(replay__processes(r));
	assert_in_range(nr, 2 * AT_ONCE, 3 * AT_ONCE);
	/* And a new beginning. */
	assert_int_equal(go(NR), 0);
	assert_int_equal(processes__nr(replay__processes(r)), 1);
}

/* What it is told of. */
static void put_about(uint64_t interval_ns)
{
	size_t part = begin_part(LIVEREAD_ABOUT);

	put_u64(1);
	put_u64(interval_ns);
	for (unsigned i = 0; i < 5; i++)
		put_u64(0);
	put_u32(2);
	put_text("host");
	put_text("kernel");
	put_u32(2);
	end_part(part);
}

static void put_process(uint32_t pid)
{
	static const char comm[LIVE_COMM] = "comm";
	size_t part = begin_part(LIVEREAD_PROCESSES);

	put_u32(1);
	put_u32(pid);
	put_u32(1);
	put_u32(0);
	put_u32(0);
	put(comm, sizeof(comm));
	put_text("command");
	end_part(part);
}

/* A part that is shorter than what it says it has, behind all others: whole to every CRC. */
static void put_damage(void)
{
	size_t part = begin_part(LIVEREAD_LOSSES);

	put_u32(1);
	end_part(part);
}

static uint64_t shown(void)
{
	return live__interval(replay__live(r))->interval_ns;
}

/* Going back for names has an end, or each step back would read the whole file. */
static void names_begin_anew_often_enough(void **state)
{
	enum { MOST = LIVEREAD_ANEW_WITHIN };

	(void)state;
	write_head(2);
	for (unsigned i = 0; i < 2 * MOST; i++)
		write_interval(i % MOST == 0);
	open_recording();
	assert_int_equal(replay__nr(r), 2 * MOST);
	assert_null(replay__flaw(r));
	write_interval(false);
	open_recording();
	assert_int_equal(replay__nr(r), 2 * MOST);
	assert_non_null(strstr(replay__flaw(r), "damaged"));
}

/* Nothing has to be read again for it. */
static void what_was_there_stays_if_the_next_is_damaged(void **state)
{
	const struct live *live;

	(void)state;
	write_head(3);
	put_about(10);
	put_one_event(NULL);
	put_process(1);
	write_interval(true);
	for (unsigned i = 0; i < 3; i++) {
		put_about(20);
		put_damage();
		write_interval(i == 2);
	}
	put_about(30);
	put_process(2);
	write_interval(false);
	open_recording();
	assert_int_equal(go(0), 0);
	live = replay__live(r);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(go(i), -EBADMSG);
		assert_ptr_equal(replay__live(r), live);
		assert_int_equal(shown(), 10);
		assert_string_equal(live__interval(live)->events[0].name, "cycles");
	}
	assert_int_equal(go(4), 0);
	assert_int_equal(shown(), 30);
	assert_int_equal(go(3), -EBADMSG);
	assert_int_equal(go(2), -EBADMSG);
	assert_int_equal(shown(), 30);
	assert_non_null(processes__find(replay__processes(r), 2));
	assert_int_equal(go(0), 0);
	assert_int_equal(shown(), 10);
	assert_non_null(processes__find(replay__processes(r), 1));
	assert_null(processes__find(replay__processes(r), 2));
}

static void flip(off_t at)
{
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

/* It may be as large as intervals get, and each step back comes by. */
static void what_is_damaged_is_read_once(void **state)
{
	off_t stream;

	(void)state;
	write_head(2);
	put_about(10);
	write_interval(true);
	stream = lseek(fd, 0, SEEK_CUR) + LIVEREAD_FRAME_BYTES;
	put_about(20);
	write_interval(false);
	put_about(30);
	write_interval(false);
	open_recording();
	flip(stream);
	assert_int_equal(go(2), 0);
	flip(stream);
	assert_int_equal(go(1), -EBADMSG);
	assert_non_null(strstr(why.data, "interval 2 of 3 is damaged"));
	assert_int_equal(shown(), 30);
	open_recording();
	assert_int_equal(go(1), 0);
	assert_int_equal(shown(), 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_event_has_a_value),
		TEST(scales_are_numbers_above_0),
		TEST(texts_of_intervals_before_are_not_kept),
		TEST(no_part_comes_twice),
		TEST(there_is_an_end_to_names),
		TEST(names_begin_anew_often_enough),
		TEST(what_was_there_stays_if_the_next_is_damaged),
		TEST(what_is_damaged_is_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
