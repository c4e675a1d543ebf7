// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "perf/record.h"
#include "perf/uapi.h"
#include "record_bytes.h"

/* Every field a trailer can have. */
static const struct perf_record_layout with_trailer = {
	.sample_type = PERF_RECORD_ID_FIELDS | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
	.sample_id_all = true,
};
static const struct perf_record_layout without;

static void put_trailer(struct record *r)
{
	put_u32(r, 1001); /* pid, tid */
	put_u32(r, 1002);
	put_u64(r, 1003);  /* time */
	put_u64(r, 1004);  /* id */
	put_u64(r, 1005);  /* stream_id */
	put_u32(r, 1006);  /* cpu */
	put_u32(r, 99999); /* res */
	put_u64(r, 1004);  /* identifier */
}

static void assert_trailer(const struct perf_record_id *id)
{
	assert_int_equal(id->has, PERF_RECORD_ID_FIELDS);
	assert_int_equal(id->pid, 1001);
	assert_int_equal(id->tid, 1002);
	assert_int_equal(id->time_ns, 1003);
	assert_int_equal(id->id, 1004);
	assert_int_equal(id->stream_id, 1005);
	assert_int_equal(id->cpu, 1006);
	assert_int_equal(id->identifier, 1004);
}

/* Without a trailer, then with one, which is left decoded in @out. */
static void decode(struct record *r, struct perf_record *out)
{
	set_size(r);
	assert_only_whole(r, &without);
	assert_int_equal(perf_record__decode(r->bytes, r->len, &without, out), 0);
	assert_int_equal(out->id.has, 0);
	assert_int_equal(out->id.time_ns, 0);
	put_trailer(r);
	set_size(r);
	assert_only_whole(r, &with_trailer);
	assert_int_equal(perf_record__decode(r->bytes, r->len, &with_trailer, out), 0);
	assert_trailer(&out->id);
}

static void put_mmap_head(struct record *r)
{
	put_u32(r, 10);
	put_u32(r, 11);
	put_u64(r, 0x7f0000001000);
	put_u64(r, 0x2000);
	put_u64(r, 0x3000);
}

static void assert_mmap_head(const struct perf_record_mmap *m)
{
	assert_int_equal(m->pid, 10);
	assert_int_equal(m->tid, 11);
	assert_int_equal(m->start, 0x7f0000001000);
	assert_int_equal(m->bytes, 0x2000);
	assert_int_equal(m->offset, 0x3000);
}

static void mappings_name_their_file(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA);
	put_mmap_head(&r);
	put_name(&r, "/lib/libfoo.so");
	decode(&r, &out);
	assert_int_equal(out.type, PERF_RECORD_MMAP);
	assert_mmap_head(&out.mmap);
	assert_string_equal(out.mmap.path, "/lib/libfoo.so");
	assert_null(out.mmap.build_id);
	assert_true(perf_record__is_data(&out));
	assert_int_equal(perf_record__cpu_mode(&out), PERF_RECORD_MISC_USER);

	begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_mmap_head(&r);
	put_u32(&r, 8);
	put_u32(&r, 1);
	put_u64(&r, 4242);
	put_u64(&r, 77);
	put_u32(&r, 5);
	put_u32(&r, 2);
	put_name(&r, "/lib/libfoo.so.1");
	decode(&r, &out);
	assert_mmap_head(&out.mmap);
	assert_int_equal(out.mmap.dev_major, 8);
	assert_int_equal(out.mmap.dev_minor, 1);
	assert_int_equal(out.mmap.inode, 4242);
	assert_int_equal(out.mmap.inode_generation, 77);
	assert_int_equal(out.mmap.prot, 5);
	assert_int_equal(out.mmap.flags, 2);
	assert_null(out.mmap.build_id);
	assert_string_equal(out.mmap.path, "/lib/libfoo.so.1");
	assert_false(perf_record__is_data(&out));
}

static void mappings_may_tell_a_build_id(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put_mmap_head(&r);
	put(&r, "\x14\0\0\0ABCDEFGHIJKLMNOPQRST", 24);
	put_u32(&r, 5);
	put_u32(&r, 2);
	put_name(&r, "/bin/x");
	decode(&r, &out);
	assert_int_equal(out.mmap.build_id_bytes, 20);
	assert_memory_equal(out.mmap.build_id, "ABCDEFGHIJKLMNOPQRST", 20);
	assert_int_equal(out.mmap.inode, 0);
	assert_int_equal(out.mmap.prot, 5);
	assert_string_equal(out.mmap.path, "/bin/x");

	r.bytes[8 + 32] = 21; /* longer than its room */
	assert_int_equal(perf_record__decode(r.bytes, r.len, &with_trailer, &out), -EBADMSG);
}

static void losses_tell_how_many(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_LOST, 0);
	put_u64(&r, 5);
	put_u64(&r, 17);
	decode(&r, &out);
	assert_int_equal(out.lost.id, 5);
	assert_int_equal(out.lost.nr, 17);

	begin(&r, PERF_RECORD_LOST_SAMPLES, 0);
	put_u64(&r, 18);
	decode(&r, &out);
	assert_int_equal(out.lost.id, 0);
	assert_int_equal(out.lost.nr, 18);
}

static void an_exec_is_told_from_a_rename(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put_u32(&r, 10);
	put_u32(&r, 12);
	put_name(&r, "worker");
	decode(&r, &out);
	assert_int_equal(out.comm.pid, 10);
	assert_int_equal(out.comm.tid, 12);
	assert_string_equal(out.comm.name, "worker");
	assert_true(perf_record__is_exec(&out));
	assert_false(perf_record__is_data(&out)); /* the same bit */
	assert_false(perf_record__switched_out(&out));
	out.misc = 0;
	assert_false(perf_record__is_exec(&out));
}

static void tasks_come_and_go(void **state)
{
	const uint32_t types[] = { PERF_RECORD_FORK, PERF_RECORD_EXIT };
	struct perf_record out;
	struct record r;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		begin(&r, types[i], 0);
		put_u32(&r, 21);
		put_u32(&r, 20);
		put_u32(&r, 23);
		put_u32(&r, 22);
		put_u64(&r, 5);
		decode(&r, &out);
		assert_int_equal(out.type, types[i]);
		assert_int_equal(out.task.pid, 21);
		assert_int_equal(out.task.parent_pid, 20);
		assert_int_equal(out.task.tid, 23);
		assert_int_equal(out.task.parent_tid, 22);
		assert_int_equal(out.task.time_ns, 5);
	}
}

static void throttling_is_told(void **state)
{
	const uint32_t types[] = { PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE };
	struct perf_record out;
	struct record r;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		begin(&r, types[i], 0);
		put_u64(&r, 1);
		put_u64(&r, 2);
		put_u64(&r, 3);
		decode(&r, &out);
		assert_int_equal(out.throttle.time_ns, 1);
		assert_int_equal(out.throttle.id, 2);
		assert_int_equal(out.throttle.stream_id, 3);
	}
}

static void traces_tell_where_data_landed(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_AUX, 0);
	put_u64(&r, 4096);
	put_u64(&r, 512);
	put_u64(&r, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);
	decode(&r, &out);
	assert_int_equal(out.aux.offset, 4096);
	assert_int_equal(out.aux.bytes, 512);
	assert_int_equal(out.aux.flags, 5);

	begin(&r, PERF_RECORD_ITRACE_START, 0);
	put_u32(&r, 30);
	put_u32(&r, 31);
	decode(&r, &out);
	assert_int_equal(out.itrace_start.pid, 30);
	assert_int_equal(out.itrace_start.tid, 31);

	begin(&r, PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
	put_u64(&r, 0x123456789);
	decode(&r, &out);
	assert_int_equal(out.aux_output_hw_id.hw_id, 0x123456789);
}

static void switches_tell_direction_and_partner(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_SWITCH,
	      PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	decode(&r, &out);
	assert_true(perf_record__switched_out(&out));
	assert_true(perf_record__preempted(&out));
	assert_false(perf_record__exact_ip(&out)); /* the same bit */

	begin(&r, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT);
	put_u32(&r, 40);
	put_u32(&r, 41);
	decode(&r, &out);
	assert_int_equal(out.cpu_switch.next_prev_pid, 40);
	assert_int_equal(out.cpu_switch.next_prev_tid, 41);
	assert_true(perf_record__switched_out(&out));
	assert_false(perf_record__preempted(&out));
}

static void namespaces_are_pairs(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_NAMESPACES, 0);
	put_u32(&r, 50);
	put_u32(&r, 51);
	put_u64(&r, 2);
	put_u64(&r, 4);
	put_u64(&r, 0xf0000000);
	put_u64(&r, 4);
	put_u64(&r, 0xf0000001);
	decode(&r, &out);
	assert_int_equal(out.namespaces.pid, 50);
	assert_int_equal(out.namespaces.nr, 2);
	assert_int_equal(out.namespaces.namespaces[1].dev, 4);
	assert_int_equal(out.namespaces.namespaces[1].inode, 0xf0000001);

	/* 2^60 + 2 pairs are 32 bytes if one multiplies carelessly. */
	memcpy(r.bytes + 16, &(uint64_t){ (1ull << 60) + 2 }, 8);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &with_trailer, &out), -EBADMSG);
}

/* go-perf took the trailer for a part of the name, and its numbers for the trailer. */
static void a_kernel_symbol_ends_before_the_trailer(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_KSYMBOL, 0);
	put_u64(&r, 0xffffffffc0001000);
	put_u32(&r, 300);
	put_u16(&r, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put_u16(&r, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	put_name(&r, "bpf_prog_6deef7357e7b4530");
	decode(&r, &out);
	assert_true(out.ksymbol.start == 0xffffffffc0001000);
	assert_int_equal(out.ksymbol.bytes, 300);
	assert_int_equal(out.ksymbol.ksym_type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	assert_int_equal(out.ksymbol.flags, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	assert_string_equal(out.ksymbol.name, "bpf_prog_6deef7357e7b4530");

	/* Eight letters fill their room: the NUL must not be found in the trailer. */
	begin(&r, PERF_RECORD_KSYMBOL, 0);
	put_u64(&r, 1);
	put_u64(&r, 2);
	put(&r, "noendnul", 8);
	put_trailer(&r);
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &with_trailer, &out), -EBADMSG);
}

static void bpf_programs_have_a_tag(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_BPF_EVENT, 0);
	put_u16(&r, PERF_BPF_EVENT_PROG_UNLOAD);
	put_u16(&r, 3);
	put_u32(&r, 77);
	put(&r, "\1\2\3\4\5\6\7\10", 8);
	decode(&r, &out);
	assert_int_equal(out.bpf_event.event, PERF_BPF_EVENT_PROG_UNLOAD);
	assert_int_equal(out.bpf_event.flags, 3);
	assert_int_equal(out.bpf_event.prog_id, 77);
	assert_memory_equal(out.bpf_event.tag, "\1\2\3\4\5\6\7\10", 8);
}

static void cgroups_have_a_path(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_CGROUP, 0);
	put_u64(&r, 1234);
	put_name(&r, "/system.slice");
	decode(&r, &out);
	assert_int_equal(out.cgroup.id, 1234);
	assert_string_equal(out.cgroup.path, "/system.slice");
}

static void changed_text_is_old_then_new(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_TEXT_POKE, 0);
	put_u64(&r, 0x1000);
	put_u16(&r, 5);
	put_u16(&r, 4);
	put(&r, "OOOOOnnnn\0\0\0", 12); /* padded to 8 */
	decode(&r, &out);
	assert_int_equal(out.text_poke.addr, 0x1000);
	assert_int_equal(out.text_poke.old_bytes, 5);
	assert_int_equal(out.text_poke.new_bytes, 4);
	assert_memory_equal(out.text_poke.old_text, "OOOOO", 5);
	assert_memory_equal(out.text_poke.new_text, "nnnn", 4);
}

static void a_callchain_may_come_later(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_CALLCHAIN_DEFERRED, 0);
	put_u64(&r, 0xc00c1e);
	put_u64(&r, 2);
	put_u64(&r, 0x401000);
	put_u64(&r, 0x402000);
	decode(&r, &out);
	assert_int_equal(out.callchain_deferred.cookie, 0xc00c1e);
	assert_int_equal(out.callchain_deferred.nr_ips, 2);
	assert_int_equal(out.callchain_deferred.ips[1], 0x402000);
}

/* Records may grow: what is between the fields we know and the trailer is skipped. */
static void unknown_fields_are_skipped(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_LOST, 0);
	put_u64(&r, 5);
	put_u64(&r, 17);
	put_u64(&r, 0xdead);
	put_trailer(&r);
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &with_trailer, &out), 0);
	assert_int_equal(out.lost.nr, 17);
	assert_trailer(&out.id);
}

static void unknown_types_are_told_from_bad_ones(void **state)
{
	struct perf_record out;
	struct record r;

	begin(&r, 23, 7);
	put_trailer(&r);
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &with_trailer, &out), -ENOMSG);
	assert_int_equal(out.type, 23);
	begin(&r, 0, 0);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &without, &out), -ENOMSG);
	r.bytes[6] = 16; /* says it is longer than it is */
	assert_int_equal(perf_record__decode(r.bytes, r.len, &without, &out), -EBADMSG);
	assert_int_equal(perf_record__decode(r.bytes + 4, 8, &without, &out), -EINVAL);
}

/* MMAP is 1, CALLCHAIN_DEFERRED 22; a record of zeros is a record of each. */
static void no_type_is_left_out(void **state)
{
	struct perf_record out;

	for (uint32_t type = PERF_RECORD_MMAP; type <= PERF_RECORD_CALLCHAIN_DEFERRED; type++) {
		struct record r = {};

		begin(&r, type, 0);
		/* A SAMPLE of this layout has nothing behind its header. */
		r.len = type == PERF_RECORD_SAMPLE ? 8 : 128;
		set_size(&r);
		assert_int_equal(perf_record__decode(r.bytes, r.len, &without, &out), 0);
		assert_int_equal(out.type, type);
	}
}

static void the_layout_comes_from_the_attr(void **state)
{
	const struct perf_event_attr attr = {
		.sample_type = 1,
		.read_format = 2,
		.branch_sample_type = 3,
		.sample_regs_user = 4,
		.sample_regs_intr = 5,
		.sample_id_all = 1,
	};
	struct perf_record_layout l = perf_record_layout__of(&attr);

	assert_int_equal(l.sample_type, 1);
	assert_int_equal(l.read_format, 2);
	assert_int_equal(l.branch_sample_type, 3);
	assert_int_equal(l.sample_regs_user, 4);
	assert_int_equal(l.sample_regs_intr, 5);
	assert_true(l.sample_id_all);
}

/* The id of a record of @type that holds 1, 2, 3, .. or -errno. */
static int64_t id_of(uint32_t type, size_t nr, uint64_t sample_type, bool sample_id_all)
{
	const struct perf_record_layout l = {
		.sample_type = sample_type,
		.sample_id_all = sample_id_all,
	};
	struct record r;
	uint64_t id;
	int err;

	begin(&r, type, 0);
	for (size_t i = 1; i <= nr; i++)
		put_u64(&r, i);
	set_size(&r);
	err = perf_record__id(r.bytes, r.len, &l, &id);
	return err ? err : (int64_t)id;
}

static void records_of_a_group_tell_whose_they_are(void **state)
{
	enum { ID = PERF_SAMPLE_ID, FIRST = PERF_SAMPLE_IDENTIFIER };
	enum { BEFORE = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR };
	enum { BEHIND = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU };

	assert_int_equal(id_of(PERF_RECORD_SAMPLE, 8, FIRST | ID | BEFORE, true), 1);
	assert_int_equal(id_of(PERF_RECORD_SAMPLE, 8, ID | BEFORE | BEHIND, false), 5);
	assert_int_equal(id_of(PERF_RECORD_SAMPLE, 8, ID | PERF_SAMPLE_TIME, false), 2);
	assert_int_equal(id_of(PERF_RECORD_SAMPLE, 4, ID | BEFORE, false), -EBADMSG);
	assert_int_equal(id_of(PERF_RECORD_SAMPLE, 8, BEFORE, true), -ENODATA);
	assert_int_equal(id_of(PERF_RECORD_LOST, 8, FIRST | ID | BEHIND, true), 8);
	assert_int_equal(id_of(PERF_RECORD_LOST, 8, ID | BEHIND, true), 6);
	assert_int_equal(id_of(PERF_RECORD_LOST, 8, ID | BEFORE, true), 8);
	assert_int_equal(id_of(PERF_RECORD_LOST, 8, ID, false), -ENODATA);
	assert_int_equal(id_of(PERF_RECORD_LOST, 2, ID | BEHIND, true), -EBADMSG);
	assert_int_equal(id_of(PERF_RECORD_SWITCH, 0, FIRST, true), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_name_their_file),
		cmocka_unit_test(mappings_may_tell_a_build_id),
		cmocka_unit_test(losses_tell_how_many),
		cmocka_unit_test(an_exec_is_told_from_a_rename),
		cmocka_unit_test(tasks_come_and_go),
		cmocka_unit_test(throttling_is_told),
		cmocka_unit_test(traces_tell_where_data_landed),
		cmocka_unit_test(switches_tell_direction_and_partner),
		cmocka_unit_test(namespaces_are_pairs),
		cmocka_unit_test(a_kernel_symbol_ends_before_the_trailer),
		cmocka_unit_test(bpf_programs_have_a_tag),
		cmocka_unit_test(cgroups_have_a_path),
		cmocka_unit_test(changed_text_is_old_then_new),
		cmocka_unit_test(a_callchain_may_come_later),
		cmocka_unit_test(unknown_fields_are_skipped),
		cmocka_unit_test(unknown_types_are_told_from_bad_ones),
		cmocka_unit_test(no_type_is_left_out),
		cmocka_unit_test(the_layout_comes_from_the_attr),
		cmocka_unit_test(records_of_a_group_tell_whose_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
