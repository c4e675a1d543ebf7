// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "descriptors.h"
#include "machine/cpus.h"
#include "perf/sideband.h"
#include "perf/uapi.h"
#include "record_bytes.h"

/* The sample_id behind every record: pid, tid, time. */
static void end(struct record *r, uint64_t time)
{
	put_u32(r, 7);
	put_u32(r, 8);
	put_u64(r, time);
	set_size(r);
}

static void mappings_tell_file_or_build_id(void **state)
{
	struct sideband_record out;
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
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, SIDEBAND_MMAP);
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
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.build_id_len, 20);
	assert_memory_equal(out.build_id, "ABCDEFGHIJKLMNOPQRST", 20);
}

static void an_exec_is_told_from_a_rename(void **state)
{
	struct sideband_record out;
	struct record r;

	begin(&r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put_u32(&r, 10);
	put_u32(&r, 10);
	put_name(&r, "true");
	end(&r, 1);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, SIDEBAND_EXEC);
	begin(&r, PERF_RECORD_COMM, 0);
	put_u32(&r, 10);
	put_u32(&r, 12);
	put_name(&r, "worker");
	end(&r, 1);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, SIDEBAND_COMM);
	assert_string_equal(out.name, "worker");
}

static void a_fork_names_both(void **state)
{
	struct sideband_record out;
	struct record r;

	begin(&r, PERF_RECORD_FORK, 0);
	put_u32(&r, 21);
	put_u32(&r, 20);
	put_u32(&r, 22);
	put_u32(&r, 20);
	put_u64(&r, 5);
	end(&r, 6);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, SIDEBAND_FORK);
	assert_int_equal(out.pid, 21);
	assert_int_equal(out.parent_pid, 20);
	assert_int_equal(out.tid, 22);
}

static void losses_are_records_too(void **state)
{
	struct sideband_record out;
	struct record r;

	begin(&r, PERF_RECORD_LOST, 0);
	put_u64(&r, 1);
	put_u64(&r, 17);
	end(&r, 6);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, SIDEBAND_LOST);
	assert_int_equal(out.nr_lost, 17);
}

static void malformed_records_are_refused(void **state)
{
	struct sideband_record out;
	struct record r;
	size_t len;

	begin(&r, PERF_RECORD_COMM, 0);
	put_u32(&r, 10);
	put_u32(&r, 12);
	put(&r, "noendnul", 8); /* fills its room without a NUL */
	end(&r, UINT64_MAX);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), -EBADMSG);

	begin(&r, PERF_RECORD_MMAP2, 0);
	put_u64(&r, 1);
	end(&r, 1);
	for (len = 0; len <= r.len; len++)
		assert_int_equal(sideband_record__decode(r.bytes, len, &out), -EBADMSG);

	begin(&r, PERF_RECORD_THROTTLE, 0);
	end(&r, 1);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), -ENOMSG);
}

static void a_name_ends_before_the_trailer(void **state)
{
	struct sideband_record out;
	struct record r;

	begin(&r, PERF_RECORD_KSYMBOL, 0);
	put_u64(&r, 0xffffffffc0000000);
	put_u32(&r, 64);
	put_u16(&r, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put_u16(&r, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	put_name(&r, "bpf_prog_1");
	end(&r, 3);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, SIDEBAND_KSYMBOL);
	assert_int_equal(out.len, 64);
	assert_true(out.unregister);
	assert_string_equal(out.name, "bpf_prog_1");
	assert_int_equal(out.time_ns, 3);
}

/* As the third of three listeners gets it: longer by two trailers, of which nothing was written. */
static void a_symbol_that_others_had_before_has_its_own_time(void **state)
{
	struct sideband_record out;
	struct record r;

	begin(&r, PERF_RECORD_KSYMBOL, 0);
	put_u64(&r, 0xffffffffc0000000);
	put_u32(&r, 64);
	put_u16(&r, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put_u16(&r, 0);
	put_name(&r, "bpf_prog_123456");
	put_u32(&r, 7);
	put_u32(&r, 8);
	put_u64(&r, 12345);
	put(&r, "left by other records behind it.", 32);
	set_size(&r);
	assert_int_equal(sideband_record__decode(r.bytes, r.len, &out), 0);
	assert_int_equal(out.kind, SIDEBAND_KSYMBOL);
	assert_string_equal(out.name, "bpf_prog_123456");
	assert_int_equal(out.time_ns, 12345);
}

enum { CPUS_MAX = 64, CHILDREN = 20 };

struct lives {
	uint32_t children[CHILDREN];
	unsigned nr_forks, nr_exits;
	uint64_t last_ns; /* within one call */
	uint64_t nr_lost;
};

static int take(void *arg, const struct sideband_record *r)
{
	struct lives *l = arg;

	assert_true(r->time_ns >= l->last_ns);
	l->last_ns = r->time_ns;
	if (r->kind == SIDEBAND_LOST)
		l->nr_lost += r->nr_lost;
	for (unsigned i = 0; i < CHILDREN; i++) {
		if (l->children[i] != r->pid)
			continue;
		l->nr_forks += r->kind == SIDEBAND_FORK;
		l->nr_exits += r->kind == SIDEBAND_EXIT;
	}
	return 0;
}

/* Real ones: each child comes and goes once, whichever CPU tells it. */
static void lives_are_told_in_order_of_time(void **state)
{
	struct sideband *rings[CPUS_MAX];
	struct lives lives = { 0 };
	size_t nr_cpus, nr = 0;
	uint32_t *cpus;
	int err = 0;

	assert_int_equal(cpus__online("", &cpus, &nr_cpus), 0);
	for (size_t i = 0; i < nr_cpus && nr < CPUS_MAX && !err; i++) {
		err = sideband__open(&rings[nr], cpus[i], 64 * 4096);
		nr += !err;
	}
	free(cpus);
	for (unsigned i = 0; i < CHILDREN && !err; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		lives.children[i] = child;
		assert_int_equal(waitpid(child, NULL, 0), child);
		if (i % 4)
			continue;
		/* Some are left for the next call. */
		lives.last_ns = 0;
		assert_int_equal(
			sidebands__read(rings, nr, clock__now_ns() - 1000000, take, &lives), 0);
	}
	lives.last_ns = 0;
	if (!err) {
		assert_int_equal(sidebands__read(rings, nr, UINT64_MAX, take, &lives), 0);
		assert_int_equal(lives.nr_lost, 0);
		assert_int_equal(lives.nr_forks, CHILDREN);
		assert_int_equal(lives.nr_exits, CHILDREN);
	}
	while (nr)
		sideband__close(rings[--nr]);
	if (err) {
		print_message("caps: no side-band events here\n");
		skip();
	}
}

/* There is a ring on each CPU, of hundreds. */
static void a_ring_is_one_descriptor(void **state)
{
	const unsigned before = nr_open();
	struct sideband *ring;
	uint32_t *cpus;
	size_t nr;

	(void)state;
	assert_int_equal(cpus__online("", &cpus, &nr), 0);
	if (sideband__open(&ring, cpus[0], 4096)) {
		free(cpus);
		print_message("caps: no side-band events here\n");
		skip();
	}
	free(cpus);
	assert_int_equal(nr_open(), before + 1);
	sideband__close(ring);
	assert_int_equal(nr_open(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_tell_file_or_build_id),
		cmocka_unit_test(an_exec_is_told_from_a_rename),
		cmocka_unit_test(a_fork_names_both),
		cmocka_unit_test(losses_are_records_too),
		cmocka_unit_test(malformed_records_are_refused),
		cmocka_unit_test(a_name_ends_before_the_trailer),
		cmocka_unit_test(a_symbol_that_others_had_before_has_its_own_time),
		cmocka_unit_test(lives_are_told_in_order_of_time),
		cmocka_unit_test(a_ring_is_one_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
