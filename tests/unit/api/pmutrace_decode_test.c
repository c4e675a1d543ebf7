// SPDX-License-Identifier: BSD-2-Clause
/* What the public structs say of records put together byte by byte. */
#include "pmutrace_fixture.h"

#include "perf/uapi.h"
#include "record_bytes.h"

static const struct perf_event_attr with_id = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		       PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
	.sample_id_all = 1,
};

/* With the trailer that every record but SAMPLE gets. */
static struct pmutrace_record decoded(struct record *r)
{
	struct pmutrace_record out;

	put_u32(r, 71);
	put_u32(r, 72);
	put_u64(r, 73);
	put_u64(r, 74);
	put_u64(r, 75);
	put_u32(r, 76);
	put_u32(r, 0);
	put_u64(r, 74);
	set_size(r);
	assert_int_equal(pmutrace_decode(&with_id, r->bytes, r->len, &out), 0);
	assert_int_equal(out.has, with_id.sample_type);
	assert_int_equal(out.pid, 71);
	assert_int_equal(out.tid, 72);
	assert_int_equal(out.time_ns, 73);
	assert_int_equal(out.id, 74);
	assert_int_equal(out.stream_id, 75);
	assert_int_equal(out.cpu, 76);
	assert_int_equal(out.event, PMUTRACE_NO_EVENT);
	assert_ptr_equal(out.bytes, r->bytes);
	assert_int_equal(out.len, r->len);
	/* A byte less is no such record. */
	{
		struct pmutrace_record bad;

		assert_int_equal(pmutrace_decode(&with_id, r->bytes, r->len - 8, &bad), -EBADMSG);
	}
	return out;
}

static void mappings(void **state)
{
	struct pmutrace_record out;
	struct record r;

	begin(&r, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA);
	U32S(&r, 1, 2);
	U64S(&r, 0x1000, 0x2000, 0x3000);
	put_name(&r, "/lib/a.so");
	out = decoded(&r);
	assert_int_equal(out.type, PERF_RECORD_MMAP);
	assert_int_equal(out.cpu_mode, PERF_RECORD_MISC_USER);
	assert_int_equal(out.mmap.pid, 1);
	assert_int_equal(out.mmap.tid, 2);
	assert_int_equal(out.mmap.start, 0x1000);
	assert_int_equal(out.mmap.bytes, 0x2000);
	assert_int_equal(out.mmap.offset, 0x3000);
	assert_true(out.mmap.data);
	assert_string_equal(out.mmap.path, "/lib/a.so");

	begin(&r, PERF_RECORD_MMAP2, 0);
	U32S(&r, 1, 2);
	U64S(&r, 0x1000, 0x2000, 0x3000);
	U32S(&r, 8, 9);
	U64S(&r, 10, 11);
	U32S(&r, 5, 2);
	put_name(&r, "/lib/b.so");
	out = decoded(&r);
	assert_int_equal(out.mmap.dev_major, 8);
	assert_int_equal(out.mmap.dev_minor, 9);
	assert_int_equal(out.mmap.inode, 10);
	assert_int_equal(out.mmap.inode_generation, 11);
	assert_int_equal(out.mmap.prot, 5);
	assert_int_equal(out.mmap.flags, 2);
	assert_null(out.mmap.build_id);
	assert_false(out.mmap.data);

	/* The kernel leaves a flag of another listener set: this one did not ask for build-ids. */
	begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	U32S(&r, 1, 2);
	U64S(&r, 0x1000, 0x2000, 0x3000);
	U32S(&r, 0xfe, 9);
	U64S(&r, 10, 11);
	U32S(&r, 5, 2);
	put_name(&r, "/lib/b.so");
	out = decoded(&r);
	assert_null(out.mmap.build_id);
	assert_int_equal(out.mmap.dev_major, 0xfe);
	assert_int_equal(out.mmap.inode, 10);
	assert_string_equal(out.mmap.path, "/lib/b.so");
}

static void mappings_with_build_ids(void **state)
{
	struct perf_event_attr attr = {};
	struct pmutrace_record out;
	struct record r;

	perf_attr__set_build_id(&attr, 1);
	begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	U32S(&r, 1, 2);
	U64S(&r, 0x1000, 0x2000, 0x3000);
	put(&r, "\x14\0\0\0abcdefghijklmnopqrst", 24);
	U32S(&r, 5, 2);
	put_name(&r, "/lib/c.so");
	set_size(&r);
	assert_int_equal(pmutrace_decode(&attr, r.bytes, r.len, &out), 0);
	assert_int_equal(out.mmap.build_id_bytes, 20);
	assert_memory_equal(out.mmap.build_id, "abcdefghijklmnopqrst", 20);
}

static void the_life_of_tasks(void **state)
{
	struct pmutrace_record out;
	struct record r;

	begin(&r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	U32S(&r, 1, 2);
	put_name(&r, "sh");
	out = decoded(&r);
	assert_int_equal(out.comm.pid, 1);
	assert_int_equal(out.comm.tid, 2);
	assert_true(out.comm.exec);
	assert_string_equal(out.comm.name, "sh");

	for (uint32_t type = PERF_RECORD_EXIT; type <= PERF_RECORD_FORK; type++) {
		if (type != PERF_RECORD_EXIT && type != PERF_RECORD_FORK)
			continue;
		begin(&r, type, 0);
		U32S(&r, 1, 2, 3, 4);
		U64S(&r, 5);
		out = decoded(&r);
		assert_int_equal(out.task.pid, 1);
		assert_int_equal(out.task.parent_pid, 2);
		assert_int_equal(out.task.tid, 3);
		assert_int_equal(out.task.parent_tid, 4);
		assert_int_equal(out.task.time_ns, 5);
	}

	begin(&r, PERF_RECORD_SWITCH,
	      PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	out = decoded(&r);
	assert_true(out.cpu_switch.out);
	assert_true(out.cpu_switch.preempted);
	assert_int_equal(out.cpu_switch.next_prev_pid, 0);
	begin(&r, PERF_RECORD_SWITCH_CPU_WIDE, 0);
	U32S(&r, 1, 2);
	out = decoded(&r);
	assert_false(out.cpu_switch.out);
	assert_false(out.cpu_switch.preempted);
	assert_int_equal(out.cpu_switch.next_prev_pid, 1);
	assert_int_equal(out.cpu_switch.next_prev_tid, 2);

	begin(&r, PERF_RECORD_NAMESPACES, 0);
	U32S(&r, 1, 2);
	U64S(&r, 2, 30, 31, 40, 41);
	out = decoded(&r);
	assert_int_equal(out.namespaces.pid, 1);
	assert_int_equal(out.namespaces.tid, 2);
	assert_int_equal(out.namespaces.nr, 2);
	assert_int_equal(out.namespaces.namespaces[1].dev, 40);
	assert_int_equal(out.namespaces.namespaces[1].inode, 41);

	begin(&r, PERF_RECORD_CGROUP, 0);
	U64S(&r, 99);
	put_name(&r, "/a/b");
	out = decoded(&r);
	assert_int_equal(out.cgroup.id, 99);
	assert_string_equal(out.cgroup.path, "/a/b");
}

static void losses_and_throttling(void **state)
{
	struct pmutrace_record out;
	struct record r;

	begin(&r, PERF_RECORD_LOST, 0);
	U64S(&r, 1, 2);
	out = decoded(&r);
	assert_int_equal(out.lost.id, 1);
	assert_int_equal(out.lost.nr, 2);
	begin(&r, PERF_RECORD_LOST_SAMPLES, 0);
	U64S(&r, 3);
	out = decoded(&r);
	assert_int_equal(out.lost.id, 0);
	assert_int_equal(out.lost.nr, 3);
	begin(&r, PERF_RECORD_THROTTLE, 0);
	U64S(&r, 1, 2, 3);
	out = decoded(&r);
	assert_int_equal(out.throttle.time_ns, 1);
	assert_int_equal(out.throttle.id, 2);
	assert_int_equal(out.throttle.stream_id, 3);
	begin(&r, PERF_RECORD_UNTHROTTLE, 0);
	U64S(&r, 4, 5, 6);
	out = decoded(&r);
	assert_int_equal(out.type, PERF_RECORD_UNTHROTTLE);
	assert_int_equal(out.throttle.stream_id, 6);
}

static void what_the_kernel_tells_of_itself(void **state)
{
	struct pmutrace_record out;
	struct record r;

	/* The name ends before the trailer: another library ran into it. */
	begin(&r, PERF_RECORD_KSYMBOL, 0);
	U64S(&r, 0xffffffffc0000000);
	U32S(&r, 64);
	put_u16(&r, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put_u16(&r, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	put_name(&r, "bpf_prog_1");
	out = decoded(&r);
	assert_int_equal(out.ksymbol.start, 0xffffffffc0000000);
	assert_int_equal(out.ksymbol.bytes, 64);
	assert_int_equal(out.ksymbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	assert_int_equal(out.ksymbol.flags, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	assert_string_equal(out.ksymbol.name, "bpf_prog_1");

	begin(&r, PERF_RECORD_BPF_EVENT, 0);
	put_u16(&r, PERF_BPF_EVENT_PROG_UNLOAD);
	put_u16(&r, 3);
	U32S(&r, 123);
	put(&r, "12345678", 8);
	out = decoded(&r);
	assert_int_equal(out.bpf_event.type, PERF_BPF_EVENT_PROG_UNLOAD);
	assert_int_equal(out.bpf_event.flags, 3);
	assert_int_equal(out.bpf_event.prog_id, 123);
	assert_memory_equal(out.bpf_event.tag, "12345678", 8);

	begin(&r, PERF_RECORD_TEXT_POKE, 0);
	U64S(&r, 0xffffffff81000000);
	put_u16(&r, 5);
	put_u16(&r, 4);
	put(&r, "oldtxnew.\0\0\0", 12);
	out = decoded(&r);
	assert_int_equal(out.text_poke.addr, 0xffffffff81000000);
	assert_int_equal(out.text_poke.old_bytes, 5);
	assert_memory_equal(out.text_poke.old_text, "oldtx", 5);
	assert_int_equal(out.text_poke.new_bytes, 4);
	assert_memory_equal(out.text_poke.new_text, "new.", 4);

	begin(&r, PERF_RECORD_AUX, 0);
	U64S(&r, 1, 2, PERF_AUX_FLAG_TRUNCATED);
	out = decoded(&r);
	assert_int_equal(out.aux.offset, 1);
	assert_int_equal(out.aux.bytes, 2);
	assert_int_equal(out.aux.flags, PERF_AUX_FLAG_TRUNCATED);
	begin(&r, PERF_RECORD_ITRACE_START, 0);
	U32S(&r, 1, 2);
	out = decoded(&r);
	assert_int_equal(out.itrace_start.pid, 1);
	assert_int_equal(out.itrace_start.tid, 2);
	begin(&r, PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
	U64S(&r, 777);
	out = decoded(&r);
	assert_int_equal(out.aux_output_hw_id, 777);
	begin(&r, PERF_RECORD_CALLCHAIN_DEFERRED, 0);
	U64S(&r, 9, 2, 0x10, 0x20);
	out = decoded(&r);
	assert_int_equal(out.callchain_deferred.cookie, 9);
	assert_int_equal(out.callchain_deferred.nr_ips, 2);
	assert_int_equal(out.callchain_deferred.ips[1], 0x20);

	/* Of a later kernel: there it is, undecoded. */
	begin(&r, 4000, 0);
	U64S(&r, 1);
	set_size(&r);
	assert_int_equal(pmutrace_decode(&with_id, r.bytes, r.len, &out), 0);
	assert_int_equal(out.type, 4000);
	assert_int_equal(out.len, 16);
}

static void counts_of_tasks_that_ended(void **state)
{
	struct perf_event_attr attr = {
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
			       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct pmutrace_reading_value v;
	struct pmutrace_record out;
	struct record r;

	begin(&r, PERF_RECORD_READ, 0);
	U32S(&r, 1, 2);
	U64S(&r, 2, 1000, 900, 11, 21, 31, 12, 22, 32);
	set_size(&r);
	assert_int_equal(pmutrace_decode(&attr, r.bytes, r.len, &out), 0);
	assert_int_equal(out.read.pid, 1);
	assert_int_equal(out.read.tid, 2);
	assert_int_equal(out.read.values.nr, 2);
	assert_int_equal(out.read.values.enabled_ns, 1000);
	assert_int_equal(out.read.values.running_ns, 900);
	assert_int_equal(pmutrace_reading_get(&out.read.values, 1, &v), 0);
	assert_int_equal(v.value, 12);
	assert_int_equal(v.id, 22);
	assert_int_equal(v.lost, 32);
	assert_int_equal(pmutrace_reading_get(&out.read.values, 2, &v), -ENOENT);
}

static void what_is_not_aligned_or_too_short_is_refused(void **state)
{
	struct pmutrace_record out;
	struct record r;

	begin(&r, PERF_RECORD_LOST, 0);
	assert_int_equal(pmutrace_decode(&with_id, r.bytes, r.len, &out), -EBADMSG);
	assert_int_equal(pmutrace_decode(&with_id, r.bytes + 4, r.len, &out), -EINVAL);
	assert_int_equal(pmutrace_decode(&with_id, r.bytes, 4, &out), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings),
		cmocka_unit_test(mappings_with_build_ids),
		cmocka_unit_test(the_life_of_tasks),
		cmocka_unit_test(losses_and_throttling),
		cmocka_unit_test(what_the_kernel_tells_of_itself),
		cmocka_unit_test(counts_of_tasks_that_ended),
		cmocka_unit_test(what_is_not_aligned_or_too_short_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
