// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
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

/* Fields, separated by blanks: BYTES:NUMBER, b:LETTERS, z:NAME with zeros up to 8 bytes. */
static void put_fields(struct record *r, const char *fields)
{
	char text[256], *rest = NULL;

	strcpy(text, fields);
	for (char *f = strtok_r(text, " ", &rest); f; f = strtok_r(NULL, " ", &rest)) {
		uint64_t value = strtoull(f + 2, NULL, 0);

		if (*f == 'z')
			put_name(r, f + 2);
		else if (*f == 'b')
			put(r, f + 2, strlen(f + 2));
		else
			put(r, &value, (size_t)(*f - '0'));
	}
}

static void put_bytes(struct buf *out, const uint8_t *bytes, size_t nr)
{
	assert_int_equal(buf__puts(out, " "), 0);
	assert_int_equal(buf__put(out, bytes, nr), 0);
}

#define PUT(...) assert_int_equal(buf__printf(out, __VA_ARGS__), 0)

static void put_mmap(struct buf *out, const struct perf_record *r)
{
	const struct perf_record_mmap *m = &r->mmap;

	PUT("%u/%u %#lx+%#lx offset=%#lx %s", m->pid, m->tid, m->start, m->bytes, m->offset,
	    m->path);
	if (r->type == PERF_RECORD_MMAP2)
		PUT(" dev=%u:%u inode=%lu.%lu prot=%u flags=%u", m->dev_major, m->dev_minor,
		    m->inode, m->inode_generation, m->prot, m->flags);
	if (m->build_id)
		put_bytes(out, m->build_id, m->build_id_bytes);
}

static void put_lists(struct buf *out, const struct perf_record *r)
{
	if (r->type == PERF_RECORD_NAMESPACES) {
		PUT("%u/%u", r->namespaces.pid, r->namespaces.tid);
		for (size_t i = 0; i < r->namespaces.nr; i++)
			PUT(" %lu:%#lx", r->namespaces.namespaces[i].dev,
			    r->namespaces.namespaces[i].inode);
	} else {
		PUT("cookie=%#lx", r->callchain_deferred.cookie);
		for (size_t i = 0; i < r->callchain_deferred.nr_ips; i++)
			PUT(" %#lx", r->callchain_deferred.ips[i]);
	}
}

/* All of a record but its trailer, then what its misc says. */
static void put_record(struct buf *out, const struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		put_mmap(out, r);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		PUT("id=%lu nr=%lu", r->lost.id, r->lost.nr);
		break;
	case PERF_RECORD_COMM:
		PUT("%u/%u %s", r->comm.pid, r->comm.tid, r->comm.name);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		PUT("%u/%u of %u/%u at %lu", r->task.pid, r->task.tid, r->task.parent_pid,
		    r->task.parent_tid, r->task.time_ns);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		PUT("at %lu id=%lu stream=%lu", r->throttle.time_ns, r->throttle.id,
		    r->throttle.stream_id);
		break;
	case PERF_RECORD_AUX:
		PUT("%lu+%lu flags=%lu", r->aux.offset, r->aux.bytes, r->aux.flags);
		break;
	case PERF_RECORD_ITRACE_START:
		PUT("%u/%u", r->itrace_start.pid, r->itrace_start.tid);
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		PUT("%#lx", r->aux_output_hw_id.hw_id);
		break;
	case PERF_RECORD_SWITCH:
		PUT("-");
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		PUT("%u/%u", r->cpu_switch.next_prev_pid, r->cpu_switch.next_prev_tid);
		break;
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		put_lists(out, r);
		break;
	case PERF_RECORD_KSYMBOL:
		PUT("%#lx+%u type=%u flags=%u %s", r->ksymbol.start, r->ksymbol.bytes,
		    r->ksymbol.ksym_type, r->ksymbol.flags, r->ksymbol.name);
		break;
	case PERF_RECORD_BPF_EVENT:
		PUT("event=%u flags=%u prog=%u", r->bpf_event.event, r->bpf_event.flags,
		    r->bpf_event.prog_id);
		put_bytes(out, r->bpf_event.tag, 8);
		break;
	case PERF_RECORD_CGROUP:
		PUT("%lu %s", r->cgroup.id, r->cgroup.path);
		break;
	case PERF_RECORD_TEXT_POKE:
		PUT("%#lx", r->text_poke.addr);
		put_bytes(out, r->text_poke.old_text, r->text_poke.old_bytes);
		put_bytes(out, r->text_poke.new_text, r->text_poke.new_bytes);
		break;
	default:
		fail_msg("type %u", r->type);
	}
	if (perf_record__cpu_mode(r))
		PUT(" mode=%u", perf_record__cpu_mode(r));
	PUT("%s%s%s%s%s", perf_record__is_data(r) ? " data" : "",
	    perf_record__is_exec(r) ? " exec" : "", perf_record__switched_out(r) ? " out" : "",
	    perf_record__preempted(r) ? " preempted" : "",
	    perf_record__exact_ip(r) ? " exact" : "");
}

/* A test for each. Bits of misc mean something else in records of another type. */
static const struct row {
	const char *name;
	uint32_t type;
	uint16_t misc;
	const char *fields, *is;
} rows[] = {
	{ "mappings_name_their_file", PERF_RECORD_MMAP,
	  PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA,
	  "4:10 4:11 8:0x7f0000001000 8:0x2000 8:0x3000 z:/lib/libfoo.so",
	  "10/11 0x7f0000001000+0x2000 offset=0x3000 /lib/libfoo.so mode=2 data" },
	{ "mappings_tell_their_inode", PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
	  "4:10 4:11 8:0x7f0000001000 8:0x2000 8:0x3000 4:8 4:1 8:4242 8:77 4:5 4:2 "
	  "z:/lib/libfoo.so.1",
	  "10/11 0x7f0000001000+0x2000 offset=0x3000 /lib/libfoo.so.1 dev=8:1 inode=4242.77 "
	  "prot=5 flags=2 mode=2" },
	{ "mappings_may_tell_a_build_id", PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID,
	  "4:10 4:11 8:0x7f0000001000 8:0x2000 8:0x3000 4:20 b:ABCDEFGHIJKLMNOPQRST 4:5 4:2 "
	  "z:/bin/x",
	  "10/11 0x7f0000001000+0x2000 offset=0x3000 /bin/x dev=0:0 inode=0.0 prot=5 flags=2 "
	  "ABCDEFGHIJKLMNOPQRST" },
	{ "losses_tell_how_many", PERF_RECORD_LOST, 0, "8:5 8:17", "id=5 nr=17" },
	{ "lost_samples_tell_how_many", PERF_RECORD_LOST_SAMPLES, 0, "8:18", "id=0 nr=18" },
	{ "an_exec_is_told_from_a_rename", PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC,
	  "4:10 4:12 z:worker", "10/12 worker exec" },
	{ "a_rename_is_no_exec", PERF_RECORD_COMM, 0, "4:10 4:12 z:worker", "10/12 worker" },
	{ "tasks_come", PERF_RECORD_FORK, 0, "4:21 4:20 4:23 4:22 8:5", "21/23 of 20/22 at 5" },
	{ "and_go", PERF_RECORD_EXIT, 0, "4:21 4:20 4:23 4:22 8:5", "21/23 of 20/22 at 5" },
	{ "throttling_is_told", PERF_RECORD_THROTTLE, 0, "8:1 8:2 8:3", "at 1 id=2 stream=3" },
	{ "and_its_end", PERF_RECORD_UNTHROTTLE, 0, "8:1 8:2 8:3", "at 1 id=2 stream=3" },
	{ "traces_tell_where_data_landed", PERF_RECORD_AUX, 0, "8:4096 8:512 8:5",
	  "4096+512 flags=5" },
	{ "whom_they_are_of", PERF_RECORD_ITRACE_START, 0, "4:30 4:31", "30/31" },
	{ "and_their_hardware_id", PERF_RECORD_AUX_OUTPUT_HW_ID, 0, "8:0x123456789",
	  "0x123456789" },
	{ "switches_tell_their_direction", PERF_RECORD_SWITCH,
	  PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, "",
	  "- out preempted" },
	{ "and_partner", PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT, "4:40 4:41",
	  "40/41 out" },
	{ "namespaces_are_pairs", PERF_RECORD_NAMESPACES, 0,
	  "4:50 4:51 8:2 8:4 8:0xf0000000 8:4 8:0xf0000001", "50/51 4:0xf0000000 4:0xf0000001" },
	/* go-perf took the trailer for a part of the name, and its numbers for the trailer. */
	{ "a_kernel_symbol_ends_before_the_trailer", PERF_RECORD_KSYMBOL, 0,
	  "8:0xffffffffc0001000 4:300 2:1 2:1 z:bpf_prog_6deef7357e7b4530",
	  "0xffffffffc0001000+300 type=1 flags=1 bpf_prog_6deef7357e7b4530" },
	{ "bpf_programs_have_a_tag", PERF_RECORD_BPF_EVENT, 0, "2:2 2:3 4:77 b:12345678",
	  "event=2 flags=3 prog=77 12345678" },
	{ "cgroups_have_a_path", PERF_RECORD_CGROUP, 0, "8:1234 z:/system.slice",
	  "1234 /system.slice" },
	{ "changed_text_is_old_then_new", PERF_RECORD_TEXT_POKE, 0,
	  "8:0x1000 2:5 2:4 b:OOOOOnnnn 3:0", "0x1000 OOOOO nnnn" },
	{ "a_callchain_may_come_later", PERF_RECORD_CALLCHAIN_DEFERRED, 0,
	  "8:0xc00c1e 8:2 8:0x401000 8:0x402000", "cookie=0xc00c1e 0x401000 0x402000" },
};

static void is_decoded(void **state)
{
	const struct row *row = *state;
	struct buf line = {};
	struct perf_record out;
	struct record r;

	begin(&r, row->type, row->misc);
	put_fields(&r, row->fields);
	decode(&r, &out);
	assert_int_equal(out.type, row->type);
	put_record(&line, &out);
	assert_string_equal(line.data, row->is);
	buf__free(&line);
}

static void assert_malformed(uint32_t type, uint16_t misc, const char *fields)
{
	struct perf_record out;
	struct record r;

	begin(&r, type, misc);
	put_fields(&r, fields);
	put_trailer(&r);
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &with_trailer, &out), -EBADMSG);
}

static void what_does_not_fit_is_refused(void **state)
{
	/* A build-id that is longer than its room. */
	assert_malformed(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID,
			 "4:10 4:11 8:0x1000 8:0x2000 8:0x3000 4:21 b:ABCDEFGHIJKLMNOPQRST 4:5 4:2 "
			 "z:/bin/x");
	/* 2^60 + 2 pairs are 32 bytes if one multiplies carelessly. */
	assert_malformed(PERF_RECORD_NAMESPACES, 0,
			 "4:50 4:51 8:0x1000000000000002 8:4 8:0xf0000000 8:4 8:0xf0000001");
	/* Eight letters fill their room: the NUL must not be found in the trailer. */
	assert_malformed(PERF_RECORD_KSYMBOL, 0, "8:1 8:2 b:noendnul");
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
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(unknown_fields_are_skipped),
		cmocka_unit_test(unknown_types_are_told_from_bad_ones),
		cmocka_unit_test(no_type_is_left_out),
		cmocka_unit_test(the_layout_comes_from_the_attr),
		cmocka_unit_test(records_of_a_group_tell_whose_they_are),
	};
	struct CMUnitTest tests[ARRAY_SIZE(rows) + ARRAY_SIZE(others)] = {};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		tests[i] = (struct CMUnitTest){ .name = rows[i].name,
						.test_func = is_decoded,
						.initial_state = (void *)&rows[i] };
	memcpy(tests + ARRAY_SIZE(rows), others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
