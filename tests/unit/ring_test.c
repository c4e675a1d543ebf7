// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "perf/ring.h"

/* A record put together byte by byte, as include/uapi/linux/perf_event.h says. */
struct record {
	char bytes[512];
	size_t len;
};

static void put(struct record *r, const void *bytes, size_t len)
{
	memcpy(r->bytes + r->len, bytes, len);
	r->len += len;
}

static void put_u32(struct record *r, uint32_t v)
{
	put(r, &v, 4);
}

static void put_u64(struct record *r, uint64_t v)
{
	put(r, &v, 8);
}

static void put_name(struct record *r, const char *name)
{
	char padded[64] = "";

	strcpy(padded, name);
	put(r, padded, (strlen(name) + 8) & ~7ul);
}

static void begin(struct record *r, uint32_t type, uint16_t misc)
{
	const struct perf_event_header h = { .type = type, .misc = misc };

	r->len = 0;
	put(r, &h, sizeof(h));
}

/* The sample_id behind every record: pid, tid, time. */
static void end(struct record *r, uint64_t time)
{
	struct perf_event_header h;

	put_u32(r, 7);
	put_u32(r, 8);
	put_u64(r, time);
	memcpy(&h, r->bytes, sizeof(h));
	h.size = r->len;
	memcpy(r->bytes, &h, sizeof(h));
}

static void mappings_tell_file_or_build_id(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_u32(&r, 10);
	put_u32(&r, 11);
	put_u64(&r, 0x1000);
	put_u64(&r, 0x2000);
	put_u64(&r, 0x3000);
	put_u32(&r, 8);
	put_u32(&r, 1);
	put_u64(&r, 4242);
	put_u64(&r, 0);
	put_u32(&r, 5);
	put_u32(&r, 2);
	put_name(&r, "/lib/libfoo.so");
	end(&r, 99);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, RECORD_MMAP);
	assert_int_equal(out.pid, 10);
	assert_int_equal(out.addr, 0x1000);
	assert_int_equal(out.len, 0x2000);
	assert_int_equal(out.offset, 0x3000);
	assert_int_equal(out.dev_major, 8);
	assert_int_equal(out.inode, 4242);
	assert_int_equal(out.build_id_len, 0);
	assert_string_equal(out.name, "/lib/libfoo.so");
	assert_int_equal(out.time_ns, 99);

	begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put_u32(&r, 10);
	put_u32(&r, 11);
	put_u64(&r, 0x1000);
	put_u64(&r, 0x2000);
	put_u64(&r, 0);
	put(&r, "\x14\0\0\0ABCDEFGHIJKLMNOPQRST", 24);
	put_u32(&r, 5);
	put_u32(&r, 2);
	put_name(&r, "/bin/x");
	end(&r, 100);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.build_id_len, 20);
	assert_memory_equal(out.build_id, "ABCDEFGHIJKLMNOPQRST", 20);
}

static void an_exec_is_told_from_a_rename(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put_u32(&r, 10);
	put_u32(&r, 10);
	put_name(&r, "true");
	end(&r, 1);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, RECORD_EXEC);
	begin(&r, PERF_RECORD_COMM, 0);
	put_u32(&r, 10);
	put_u32(&r, 12);
	put_name(&r, "worker");
	end(&r, 1);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, RECORD_COMM);
	assert_string_equal(out.name, "worker");
}

static void a_fork_names_both(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_FORK, 0);
	put_u32(&r, 21);
	put_u32(&r, 20);
	put_u32(&r, 22);
	put_u32(&r, 20);
	put_u64(&r, 5);
	end(&r, 6);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, RECORD_FORK);
	assert_int_equal(out.pid, 21);
	assert_int_equal(out.parent_pid, 20);
	assert_int_equal(out.tid, 22);
}

static void losses_are_records_too(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_LOST, 0);
	put_u64(&r, 1);
	put_u64(&r, 17);
	end(&r, 6);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, RECORD_LOST);
	assert_int_equal(out.nr_lost, 17);
}

static void malformed_records_are_refused(void **state)
{
	struct perf_record out;
	struct record r;
	size_t len;

	begin(&r, PERF_RECORD_COMM, 0);
	put_u32(&r, 10);
	put_u32(&r, 12);
	put(&r, "noendnul", 8); /* fills its room without a NUL */
	end(&r, UINT64_MAX);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), -EBADMSG);

	begin(&r, PERF_RECORD_MMAP2, 0);
	put_u64(&r, 1);
	end(&r, 1);
	for (len = 0; len <= r.len; len++)
		assert_int_equal(perf_record__decode(r.bytes, len, &out), -EBADMSG);

	begin(&r, PERF_RECORD_THROTTLE, 0);
	end(&r, 1);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &out), -ENOMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_tell_file_or_build_id),
		cmocka_unit_test(an_exec_is_told_from_a_rename),
		cmocka_unit_test(a_fork_names_both),
		cmocka_unit_test(losses_are_records_too),
		cmocka_unit_test(malformed_records_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
