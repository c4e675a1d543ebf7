// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perf/mapring.h"
#include "perf/open.h"
#include "perf/record.h"

/* A ring in memory: one page for the kernel's numbers, then so many bytes. */
enum { PAGE = 4096, DATA = 256 };

struct fake {
	struct perf_event_mmap_page *page;
	char *data;
};

static struct fake new_fake(void)
{
	struct fake f = { .page = calloc(1, PAGE + DATA) };

	assert_non_null(f.page);
	f.data = (char *)f.page + PAGE;
	f.page->data_offset = PAGE;
	f.page->data_size = DATA;
	return f;
}

static void write_bytes(struct fake *f, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		f->data[f->page->data_head++ % DATA] = ((const char *)bytes)[i];
}

/* A record of @size bytes, filled with numbers that follow from @seed. */
static void write_record(struct fake *f, uint32_t type, uint16_t size, unsigned char seed)
{
	const struct perf_event_header h = { .type = type, .size = size };

	write_bytes(f, &h, sizeof(h));
	for (size_t i = sizeof(h); i < size; i++)
		write_bytes(f, &(char){ (char)(seed + i) }, 1);
}

static void assert_record(struct mapring *r, uint32_t type, uint16_t size, unsigned char seed)
{
	struct perf_event_header h;
	const void *bytes;
	size_t len;

	assert_int_equal(mapring__read(r, 0, &bytes, &len), 0);
	assert_int_equal((uintptr_t)bytes % 8, 0);
	assert_int_equal(len, size);
	memcpy(&h, bytes, sizeof(h));
	assert_int_equal(h.type, type);
	for (size_t i = sizeof(h); i < size; i++)
		assert_int_equal(((const unsigned char *)bytes)[i], (unsigned char)(seed + i));
}

/* Also where a header itself wraps, and near the end of what 64 bits can count. */
static void records_wrap_at_every_offset(void **state)
{
	for (uint64_t start = 0; start < 2 * DATA; start++) {
		struct fake f = new_fake();
		struct mapring *r;
		const void *bytes;
		size_t len;

		f.page->data_head = f.page->data_tail = start < DATA ? start : -start;
		assert_int_equal(mapring__over(&r, f.page, PAGE + DATA), 0);
		assert_false(mapring__has_record(r));
		assert_int_equal(mapring__read(r, 0, &bytes, &len), -ETIMEDOUT);
		write_record(&f, 9, 104, 1);
		write_record(&f, 3, 8, 2);
		write_record(&f, 9, 144, 3); /* full */
		assert_true(mapring__has_record(r));
		assert_record(r, 9, 104, 1);
		assert_record(r, 3, 8, 2);
		assert_true(mapring__has_record(r));
		assert_record(r, 9, 144, 3);
		assert_false(mapring__has_record(r));
		assert_int_equal(mapring__read(r, 0, &bytes, &len), -ETIMEDOUT);
		assert_true(f.page->data_tail == f.page->data_head);
		mapring__close(r);
		free(f.page);
	}
}

/* go-perf gave the room of a record back while its user still read it. */
static void a_record_stays_until_the_next_call(void **state)
{
	struct fake f = new_fake();
	struct mapring *r;

	assert_int_equal(mapring__over(&r, f.page, PAGE + DATA), 0);
	write_record(&f, 9, 128, 1);
	write_record(&f, 9, 64, 2);
	write_record(&f, 9, 64, 3);
	assert_record(r, 9, 128, 1);
	mapring__update(r);
	mapring__release(r);
	assert_int_equal(f.page->data_tail, 0);
	assert_record(r, 9, 64, 2); /* a quarter of the ring was read: time to say so */
	assert_int_equal(f.page->data_tail, 128);
	mapring__release(r);
	assert_int_equal(f.page->data_tail, 128);
	assert_record(r, 9, 64, 3);
	mapring__release(r);
	assert_int_equal(f.page->data_tail, 192);
	mapring__close(r);
	free(f.page);
}

/* Each must be refused, and what comes later must be read. */
static void a_corrupt_ring_is_skipped(void **state)
{
	static const uint16_t sizes[] = { 0, 1, 7, 24, 248, 65535 }; /* 16 bytes are there */

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct fake f = new_fake();
		struct mapring *r;
		const void *bytes;
		size_t len;

		assert_int_equal(mapring__over(&r, f.page, PAGE + DATA), 0);
		write_record(&f, 9, 16, 1);
		write_record(&f, 9, 16, 2);
		memcpy(f.data + 16 + 6, &sizes[i], 2);
		assert_record(r, 9, 16, 1);
		assert_int_equal(mapring__read(r, 0, &bytes, &len), -EBADMSG);
		assert_null(bytes);
		assert_int_equal(f.page->data_tail, 32);
		write_record(&f, 9, 16, 3);
		assert_record(r, 9, 16, 3);

		/* A head that is further away than the ring is long; and half a header. */
		write_record(&f, 9, 16, 3);
		f.page->data_head += DATA;
		assert_int_equal(mapring__read(r, 0, &bytes, &len), -EBADMSG);
		write_record(&f, 9, 16, 4);
		assert_record(r, 9, 16, 4);
		f.page->data_head += 4;
		assert_int_equal(mapring__read(r, 0, &bytes, &len), -EBADMSG);
		assert_int_equal(mapring__read(r, 0, &bytes, &len), -ETIMEDOUT);
		mapring__close(r);
		free(f.page);
	}
}

/* Kernels before 4.1 leave offset and size 0: the data is all behind the first page. */
static void old_kernels_do_not_say_where_the_data_is(void **state)
{
	struct fake f = new_fake();
	struct mapring *r;

	f.page->data_offset = f.page->data_size = 0;
	assert_int_equal(mapring__over(&r, f.page, PAGE + DATA), 0);
	write_record(&f, 9, 200, 1);
	assert_record(r, 9, 200, 1);
	write_record(&f, 9, 104, 2); /* wraps */
	assert_record(r, 9, 104, 2);
	mapring__close(r);
	free(f.page);
}

static void what_is_no_ring_is_refused(void **state)
{
	static const uint64_t bad[][2] = {
		{ PAGE, 2 * DATA },	   { PAGE, DATA - 8 },	 { PAGE + 8, DATA },
		{ UINT64_MAX - 7, DATA },  { PAGE, UINT64_MAX }, { 8, DATA },
		{ PAGE, 1ull << 63 },	   { PAGE, 4 },		 { PAGE, 0 },
		{ PAGE + DATA, DATA / 2 },
	};
	struct fake f = new_fake();
	struct mapring *r;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		f.page->data_offset = bad[i][0];
		f.page->data_size = bad[i][1];
		assert_int_equal(mapring__over(&r, f.page, PAGE + DATA), -EBADMSG);
		assert_null(r);
	}
	assert_int_equal(mapring__over(&r, f.page, 64), -EBADMSG);
	assert_int_equal(mapring__open(&r, -1, 3 * PAGE), -EINVAL);
	assert_int_equal(mapring__open(&r, -1, 0), -EINVAL);
	assert_int_equal(mapring__open(&r, -1, PAGE), -EBADF);
	mapring__close(NULL);
	free(f.page);
}

static void losses_are_added_up(void **state)
{
	struct fake f = new_fake();
	const uint64_t lost[] = { 5, 17 }, lost_samples[] = { 3 };
	const struct perf_event_header h1 = { .type = PERF_RECORD_LOST, .size = 24 };
	const struct perf_event_header h2 = { .type = PERF_RECORD_LOST_SAMPLES, .size = 16 };
	struct mapring *r;
	const void *bytes;
	size_t len;

	assert_int_equal(mapring__over(&r, f.page, PAGE + DATA), 0);
	write_bytes(&f, &h1, sizeof(h1));
	write_bytes(&f, lost, sizeof(lost));
	write_bytes(&f, &h2, sizeof(h2));
	write_bytes(&f, lost_samples, sizeof(lost_samples));
	write_record(&f, PERF_RECORD_LOST, 16, 9); /* too short to tell */
	for (int i = 0; i < 3; i++)
		assert_int_equal(mapring__read(r, 0, &bytes, &len), 0);
	assert_int_equal(mapring__nr_lost(r), 20);
	mapring__close(r);
	free(f.page);
}

/* Another thread, once this one sleeps or just before. */
static void *cancel(void *r)
{
	const struct timespec a_moment = { .tv_nsec = 20000000 };

	nanosleep(&a_moment, NULL);
	mapring__cancel(r);
	return NULL;
}

static void waiting_can_be_cancelled(void **state)
{
	struct fake f = new_fake();
	struct mapring *r;
	const void *bytes;
	pthread_t other;
	size_t len;

	assert_int_equal(mapring__over(&r, f.page, PAGE + DATA), 0);
	assert_int_equal(pthread_create(&other, NULL, cancel, r), 0);
	assert_int_equal(mapring__read(r, -1, &bytes, &len), -ECANCELED);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_int_equal(mapring__wait(r, 1), -ETIMEDOUT);

	mapring__cancel(r);
	mapring__cancel(r);
	write_record(&f, 9, 16, 1);
	assert_record(r, 9, 16, 1); /* records that are there come first */
	assert_int_equal(mapring__wait(r, -1), -ECANCELED);
	assert_int_equal(mapring__wait(r, 0), -ETIMEDOUT);
	mapring__close(r);
	free(f.page);
}

static void skip_without_events(int err)
{
	if (err != -EACCES && err != -EPERM && err != -ENOSYS)
		return;
	print_message("paranoid: no perf events for this user\n");
	skip();
}

/* One record for each page fault of this thread in user mode. */
static int open_faults(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.disabled = 1,
		.exclude_kernel = 1,
		.wakeup_events = 1,
	};
	int fd = perf_open(&attr, 0, -1, -1);

	skip_without_events(fd);
	assert_true(fd >= 0);
	return fd;
}

static const struct perf_record_layout faults = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
};

enum { FRESH = 600 };

static char *fresh_pages(void)
{
	char *pages = mmap(NULL, FRESH * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	madvise(pages, FRESH * PAGE, MADV_NOHUGEPAGE);
	return pages;
}

static void touch(volatile char *pages, size_t from, size_t nr)
{
	for (size_t i = from; i < from + nr; i++)
		pages[i * PAGE] = 1;
}

/* Samples that wait whose address is within the pages; they must be in order from @from on. */
static size_t read_faults(struct mapring *r, const char *pages, size_t from, size_t *nr_all)
{
	struct perf_record rec;
	const void *bytes;
	uint64_t page;
	size_t len, nr = 0;
	int err;

	while (!(err = mapring__read(r, 0, &bytes, &len))) {
		assert_int_equal(perf_record__decode(bytes, len, &faults, &rec), 0);
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		++*nr_all;
		assert_int_equal(rec.id.pid, getpid());
		page = (rec.sample.addr - (uintptr_t)pages) / PAGE;
		if (page < FRESH)
			assert_int_equal(page, from + nr++);
	}
	assert_int_equal(err, -ETIMEDOUT);
	return nr;
}

static void each_page_fault_is_one_record(void **state)
{
	int fd = open_faults();
	char *pages = fresh_pages();
	struct mapring *r;
	size_t all = 0;

	/* 600 samples of 24 bytes go around it three times and a half. */
	assert_int_equal(mapring__open(&r, fd, PAGE), 0);
	assert_int_equal(mapring__fd(r), fd);
	for (size_t from = 0; from < FRESH; from += 100) {
		assert_int_equal(perf_enable(fd), 0);
		touch(pages, from, 100);
		assert_int_equal(perf_disable(fd), 0);
		assert_true(mapring__has_record(r));
		assert_int_equal(mapring__wait(r, 0), 0);
		assert_int_equal(read_faults(r, pages, from, &all), 100);
	}
	assert_int_equal(mapring__nr_lost(r), 0);
	munmap(pages, FRESH * PAGE);
	mapring__close(r);
	close(fd);
}

/* Samples and losses together are what the event counted. */
static void a_full_ring_says_what_is_missing(void **state)
{
	int fd = open_faults();
	char *pages = fresh_pages();
	struct mapring *r;
	uint64_t count;
	size_t all = 0;

	assert_int_equal(mapring__open(&r, fd, PAGE), 0);
	assert_int_equal(perf_enable(fd), 0);
	touch(pages, 0, FRESH - 1); /* room for 170 */
	assert_int_equal(perf_disable(fd), 0);
	read_faults(r, pages, 0, &all);
	assert_true(all < FRESH - 1);
	assert_int_equal(mapring__nr_lost(r), 0);
	assert_int_equal(perf_enable(fd), 0);
	touch(pages, FRESH - 1, 1); /* behind it the kernel says so */
	assert_int_equal(perf_disable(fd), 0);
	assert_int_equal(read_faults(r, pages, FRESH - 1, &all), 1);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(all + mapring__nr_lost(r), count);
	munmap(pages, FRESH * PAGE);
	mapring__close(r);
	close(fd);
}

static void a_paused_ring_loses(void **state)
{
	int fd = open_faults();
	char *pages = fresh_pages();
	struct mapring *r;
	uint64_t count;
	size_t all = 0;

	assert_int_equal(mapring__open(&r, fd, PAGE), 0);
	assert_int_equal(mapring__pause(r, true), 0);
	assert_int_equal(perf_enable(fd), 0);
	touch(pages, 0, 10);
	assert_int_equal(perf_disable(fd), 0);
	assert_false(mapring__has_record(r));
	assert_int_equal(mapring__pause(r, false), 0);
	assert_int_equal(perf_enable(fd), 0);
	touch(pages, 10, 10);
	assert_int_equal(perf_disable(fd), 0);
	assert_int_equal(read_faults(r, pages, 10, &all), 10);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_true(mapring__nr_lost(r) >= 10);
	assert_int_equal(all + mapring__nr_lost(r), count);
	munmap(pages, FRESH * PAGE);
	mapring__close(r);
	close(fd);
}

enum { NAMES = 50 };

/* Changes its name so many times, then ends; it starts when the pipe closes. */
static pid_t start_child(int go[2])
{
	pid_t child = fork();
	char byte;

	assert_true(child >= 0);
	if (child)
		return child;
	close(go[1]);
	if (read(go[0], &byte, 1))
		_exit(1);
	for (int i = 0; i < NAMES; i++) {
		char name[16] = { 'n', (char)('0' + i / 10), (char)('0' + i % 10) };

		prctl(PR_SET_NAME, name);
	}
	_exit(0);
}

static int open_life(pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.comm = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};

	return perf_open(&attr, pid, -1, -1);
}

/*
 * go-perf saw the end of the target (POLLHUP comes at once) before the last records, and lost
 * them. @ended_first: HUP is there before anything was read.
 */
static void read_a_life(bool ended_first)
{
	const struct perf_record_layout plain = { 0 };
	unsigned nr_names = 0, nr_exits = 0;
	struct perf_record rec;
	struct mapring *r;
	const void *bytes;
	int go[2], fd, err;
	pid_t child;
	size_t len;

	assert_int_equal(pipe(go), 0);
	child = start_child(go);
	fd = open_life(child);
	if (fd >= 0) {
		assert_int_equal(mapring__open(&r, fd, 2 * PAGE), 0);
		assert_int_equal(mapring__wait(r, 0), -ETIMEDOUT);
	}
	close(go[0]);
	close(go[1]);
	if (fd < 0 || ended_first)
		assert_int_equal(waitpid(child, NULL, 0), child);
	skip_without_events(fd);
	assert_true(fd >= 0);
	while (!(err = mapring__read(r, 10000, &bytes, &len))) {
		assert_int_equal(perf_record__decode(bytes, len, &plain, &rec), 0);
		if (rec.type == PERF_RECORD_COMM) {
			assert_int_equal(rec.comm.pid, child);
			assert_int_equal(atoi(rec.comm.name + 1), nr_names);
			nr_names++;
		}
		if (rec.type == PERF_RECORD_EXIT) {
			assert_int_equal(rec.task.pid, child);
			nr_exits++;
		}
	}
	assert_int_equal(err, -ESHUTDOWN);
	assert_int_equal(nr_names, NAMES);
	assert_int_equal(nr_exits, 1);
	assert_int_equal(mapring__read(r, -1, &bytes, &len), -ESHUTDOWN); /* for good */
	if (!ended_first)
		assert_int_equal(waitpid(child, NULL, 0), child);
	mapring__close(r);
	close(fd);
}

static void all_records_come_before_the_end(void **state)
{
	read_a_life(true);
}

static void the_end_is_seen_while_waiting(void **state)
{
	read_a_life(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_wrap_at_every_offset),
		cmocka_unit_test(a_record_stays_until_the_next_call),
		cmocka_unit_test(a_corrupt_ring_is_skipped),
		cmocka_unit_test(old_kernels_do_not_say_where_the_data_is),
		cmocka_unit_test(what_is_no_ring_is_refused),
		cmocka_unit_test(losses_are_added_up),
		cmocka_unit_test(waiting_can_be_cancelled),
		cmocka_unit_test(each_page_fault_is_one_record),
		cmocka_unit_test(a_full_ring_says_what_is_missing),
		cmocka_unit_test(a_paused_ring_loses),
		cmocka_unit_test(all_records_come_before_the_end),
		cmocka_unit_test(the_end_is_seen_while_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
