// SPDX-License-Identifier: BSD-2-Clause
/* Samples, and the counts that READ records and read(2) share with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "perf/record.h"
#include "perf/uapi.h"
#include "record_bytes.h"

enum {
	TIMES = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	ALL_FORMATS = TIMES | PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_LOST,
};

static struct perf_sample decode(struct record *r, const struct perf_record_layout *layout)
{
	struct perf_record out;

	set_size(r);
	assert_only_whole(r, layout);
	assert_int_equal(perf_record__decode(r->bytes, r->len, layout, &out), 0);
	assert_int_equal(out.type, PERF_RECORD_SAMPLE);
	return out.sample;
}

/* Two events: ids 71 and 72. */
static void put_group(struct record *r)
{
	put_u64(r, 2);
	put_u64(r, 4000); /* enabled */
	put_u64(r, 1000); /* running */
	put_u64(r, 500);
	put_u64(r, 71);
	put_u64(r, 3); /* lost */
	put_u64(r, 600);
	put_u64(r, 72);
	put_u64(r, 4);
}

static void assert_group(const struct perf_readout *v)
{
	struct perf_readout_value one;

	assert_int_equal(v->nr, 2);
	assert_int_equal(v->enabled_ns, 4000);
	assert_int_equal(v->running_ns, 1000);
	assert_int_equal(perf_readout__get(v, 0, &one), 0);
	assert_int_equal(one.value, 500);
	assert_int_equal(one.id, 71);
	assert_int_equal(one.lost, 3);
	assert_int_equal(perf_readout__find(v, 72, &one), 0);
	assert_int_equal(one.value, 600);
	assert_int_equal(one.lost, 4);
}

static void samples_tell_who_where_and_when(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.sample_id_all = true, /* samples have no trailer all the same */
	};
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP);
	put_u64(&r, 9);
	put_u64(&r, 0xffffffff81000000);
	put_u32(&r, 10);
	put_u32(&r, 11);
	put_u64(&r, 12);
	put_u64(&r, 13);
	put_u64(&r, 9);
	put_u64(&r, 14);
	put_u32(&r, 15);
	put_u32(&r, 0);
	put_u64(&r, 16);
	decode(&r, &layout);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &layout, &out), 0);
	assert_int_equal(out.id.has, PERF_RECORD_ID_FIELDS);
	assert_int_equal(out.id.identifier, 9);
	assert_true(out.sample.ip == 0xffffffff81000000);
	assert_int_equal(out.id.pid, 10);
	assert_int_equal(out.id.tid, 11);
	assert_int_equal(out.id.time_ns, 12);
	assert_int_equal(out.sample.addr, 13);
	assert_int_equal(out.id.id, 9);
	assert_int_equal(out.id.stream_id, 14);
	assert_int_equal(out.id.cpu, 15);
	assert_int_equal(out.sample.period, 16);
	assert_int_equal(perf_record__cpu_mode(&out), PERF_RECORD_MISC_KERNEL);
	assert_true(perf_record__exact_ip(&out));

	put_u64(&r, 0); /* more than the layout knows */
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &layout, &out), -EBADMSG);
}

static void each_read_format_has_its_place(void **state)
{
	for (uint64_t format = 0; format < 32; format++) {
		const struct perf_record_layout layout = {
			.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_PHYS_ADDR,
			.read_format = format,
		};
		uint64_t nr = format & PERF_FORMAT_GROUP ? 3 : 1;
		struct perf_readout_value one;
		struct perf_sample s;
		struct record r;

		begin(&r, PERF_RECORD_SAMPLE, 0);
		if (format & PERF_FORMAT_GROUP)
			put_u64(&r, nr);
		else
			put_u64(&r, 100);
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			put_u64(&r, 20);
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			put_u64(&r, 10);
		for (uint64_t i = 0; i < nr; i++) {
			if (format & PERF_FORMAT_GROUP)
				put_u64(&r, 100 + i);
			if (format & PERF_FORMAT_ID)
				put_u64(&r, 200 + i);
			if (format & PERF_FORMAT_LOST)
				put_u64(&r, 300 + i);
		}
		put_u64(&r, 0xabc);
		s = decode(&r, &layout);
		assert_int_equal(s.phys_addr, 0xabc);
		assert_int_equal(s.read.nr, nr);
		assert_int_equal(s.read.enabled_ns, format & 1 ? 20 : 0);
		assert_int_equal(s.read.running_ns, format & 2 ? 10 : 0);
		for (uint64_t i = 0; i < nr; i++) {
			assert_int_equal(perf_readout__get(&s.read, i, &one), 0);
			assert_int_equal(one.value, 100 + i);
			assert_int_equal(one.id, format & PERF_FORMAT_ID ? 200 + i : 0);
			assert_int_equal(one.lost, format & PERF_FORMAT_LOST ? 300 + i : 0);
		}
		assert_int_equal(perf_readout__get(&s.read, nr, &one), -ENOENT);
	}
}

static void read_records_hold_groups_with_losses(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_TIME,
		.read_format = ALL_FORMATS,
		.sample_id_all = true,
	};
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_READ, 0);
	put_u32(&r, 10);
	put_u32(&r, 11);
	put_group(&r);
	put_u64(&r, 77);
	set_size(&r);
	assert_only_whole(&r, &layout);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &layout, &out), 0);
	assert_int_equal(out.read.pid, 10);
	assert_int_equal(out.read.tid, 11);
	assert_group(&out.read.values);
	assert_int_equal(out.id.time_ns, 77);
}

/* go-perf dereferenced nil for an id that is in no group. */
static void an_unknown_id_is_not_found(void **state)
{
	struct perf_readout_value one;
	struct perf_readout v;
	struct record r;

	r.len = 0;
	put_group(&r);
	assert_int_equal(perf_readout__decode(&v, r.bytes, r.len, ALL_FORMATS), 0);
	assert_group(&v);
	assert_int_equal(perf_readout__find(&v, 73, &one), -ENOENT);
	assert_int_equal(perf_readout__find(&v, 0, &one), -ENOENT);
	assert_int_equal(perf_readout__decode(&v, r.bytes, 8, 0), 0);
	assert_int_equal(perf_readout__find(&v, 0, &one), -ENOENT);

	assert_int_equal(perf_readout__decode(&v, r.bytes, 0, 0), -ENODATA);
	assert_int_equal(perf_readout__decode(&v, r.bytes, r.len, 0), -EBADMSG);
	for (size_t len = 1; len < r.len; len++)
		assert_int_equal(perf_readout__decode(&v, r.bytes, len, ALL_FORMATS), -EBADMSG);
}

static void counts_that_overflow_are_refused(void **state)
{
	/* Items of 8, 24 and 24 bytes: each number times its size is 0 or 8 modulo 2^64. */
	const struct {
		uint64_t type, nr;
	} bad[] = {
		{ PERF_SAMPLE_CALLCHAIN, 1ull << 61 },
		{ PERF_SAMPLE_CALLCHAIN, (1ull << 61) + 1 },
		{ PERF_SAMPLE_BRANCH_STACK, 1ull << 61 },
		{ PERF_SAMPLE_BRANCH_STACK, 0xaaaaaaaaaaaaaaabull },
		{ PERF_SAMPLE_STACK_USER, UINT64_MAX },
		{ PERF_SAMPLE_STACK_USER, UINT64_MAX - 7 },
		{ PERF_SAMPLE_AUX, UINT64_MAX - 7 },
		{ PERF_SAMPLE_RAW, 0xfffffffc },
		{ PERF_SAMPLE_READ, 0xaaaaaaaaaaaaaaabull },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct perf_record_layout layout = {
			.sample_type = bad[i].type,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST,
		};
		struct record r;

		begin(&r, PERF_RECORD_SAMPLE, 0);
		put_u64(&r, bad[i].nr);
		put_u64(&r, 0);
		set_size(&r);
		assert_int_equal(decode_exact(&r, r.len, &layout, 0), -EBADMSG);
	}
}

static void chains_and_raw_data_point_into_the_record(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP,
	};
	struct perf_sample s;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, 3);
	put_u64(&r, PERF_CONTEXT_USER);
	put_u64(&r, 0x401000);
	put_u64(&r, 0x402000);
	put_u32(&r, 12);
	put(&r, "abcdefghijkl", 12);
	put_u64(&r, 42);
	s = decode(&r, &layout);
	assert_int_equal(s.nr_ips, 3);
	assert_true(s.ips[0] == (uint64_t)PERF_CONTEXT_USER);
	assert_int_equal(s.ips[2], 0x402000);
	assert_int_equal(s.raw_bytes, 12);
	assert_memory_equal(s.raw, "abcdefghijkl", 12);
	assert_ptr_equal(s.raw, r.bytes + 8 + 4 * 8 + 4);
	assert_int_equal(s.cgroup, 42);

	/* A size that would leave the rest unaligned. */
	memcpy(r.bytes + 40, &(uint32_t){ 11 }, 4);
	assert_int_equal(decode_exact(&r, r.len, &layout, 0), -EBADMSG);
}

static void put_branch(struct record *r, uint64_t from, uint64_t flags)
{
	put_u64(r, from);
	put_u64(r, from + 1);
	put_u64(r, flags);
}

/* go-perf took the type out of the bits of the cycles. */
static void branches_have_each_bit_in_its_place(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_COUNTERS,
	};
	struct perf_branch b;
	struct perf_sample s;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, 3);
	put_u64(&r, 30); /* hw index */
	/* predicted, abort; 0x1234 cycles; type 5; spec 2; new type 9; priv 4 */
	put_branch(&r, 100, 2 | 8 | 0x1234 << 4 | 5 << 20 | 2 << 24 | 9u << 26 | 4ull << 30);
	put_branch(&r, 200, 1 | 4);
	put_branch(&r, 300, 0xfffffffe00000000); /* reserved bits only */
	put_u64(&r, 11);
	put_u64(&r, 12);
	put_u64(&r, 13);
	put_u64(&r, 0x123456789abcdef0);
	s = decode(&r, &layout);
	assert_int_equal(s.branches.nr, 3);
	assert_true(s.branches.has_hw_index);
	assert_int_equal(s.branches.hw_index, 30);
	assert_int_equal(s.branches.counters[2], 13);
	assert_int_equal(s.weight, 0x123456789abcdef0);
	assert_int_equal(s.weight_var1, 0); /* not of that form */

	assert_int_equal(perf_branches__get(&s.branches, 0, &b), 0);
	assert_int_equal(b.from, 100);
	assert_int_equal(b.to, 101);
	assert_false(b.mispredicted);
	assert_true(b.predicted);
	assert_false(b.in_tx);
	assert_true(b.abort);
	assert_int_equal(b.cycles, 0x1234);
	assert_int_equal(b.type, 5);
	assert_int_equal(b.spec, 2);
	assert_int_equal(b.new_type, 9);
	assert_int_equal(b.priv, 4);
	assert_int_equal(perf_branches__get(&s.branches, 1, &b), 0);
	assert_true(b.mispredicted);
	assert_false(b.predicted);
	assert_true(b.in_tx);
	assert_false(b.abort);
	assert_int_equal(perf_branches__get(&s.branches, 2, &b), 0);
	assert_int_equal(b.from, 300);
	assert_int_equal(b.cycles, 0);
	assert_int_equal(b.priv, 0);
	assert_int_equal(perf_branches__get(&s.branches, 3, &b), -ENOENT);
}

/* The kernel's own bit fields, as an independent opinion: those that headers of 5.10 have. */
static void branches_agree_with_the_header(void **state)
{
	const struct perf_record_layout layout = { .sample_type = PERF_SAMPLE_BRANCH_STACK };
	struct perf_branch_entry e = {
		.from = 1, .to = 2, .mispred = 1, .in_tx = 1, .cycles = 0xbeef, .type = 0xa
	};
	struct perf_branch b;
	struct perf_sample s;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, 1);
	put(&r, &e, sizeof(e));
	s = decode(&r, &layout);
	assert_false(s.branches.has_hw_index);
	assert_null(s.branches.counters);
	assert_int_equal(perf_branches__get(&s.branches, 0, &b), 0);
	assert_true(b.mispredicted && !b.predicted && b.in_tx && !b.abort);
	assert_int_equal(b.cycles, 0xbeef);
	assert_int_equal(b.type, 0xa);
	assert_int_equal(b.spec, 0);
}

/* perf_output_sample() writes nr alone when the hardware gave no branches. */
static void no_branches_may_have_no_hw_index(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_TRANSACTION,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, 0);
	put_u64(&r, 0x55);
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &layout, &out), 0);
	assert_int_equal(out.sample.branches.nr, 0);
	assert_false(out.sample.branches.has_hw_index);
	assert_int_equal(out.sample.transaction, 0x55);

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, 0);
	put_u64(&r, UINT64_MAX);
	put_u64(&r, 0x56);
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &layout, &out), 0);
	assert_true(out.sample.branches.has_hw_index);
	assert_true(out.sample.branches.hw_index == UINT64_MAX);
	assert_int_equal(out.sample.transaction, 0x56);
}

static void registers_follow_their_mask(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR,
		.sample_regs_user = 1ull << 0 | 1ull << 8 | 1ull << 63,
		.sample_regs_intr = 1ull << 7,
	};
	struct perf_sample s;
	struct record r;
	uint64_t v;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, PERF_SAMPLE_REGS_ABI_64);
	put_u64(&r, 100);
	put_u64(&r, 108);
	put_u64(&r, 163);
	put_u64(&r, PERF_SAMPLE_REGS_ABI_32);
	put_u64(&r, 207);
	s = decode(&r, &layout);
	assert_int_equal(s.user_regs.abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(perf_regs__get(&s.user_regs, 0, &v), 0);
	assert_int_equal(v, 100);
	assert_int_equal(perf_regs__get(&s.user_regs, 8, &v), 0);
	assert_int_equal(v, 108);
	assert_int_equal(perf_regs__get(&s.user_regs, 63, &v), 0);
	assert_int_equal(v, 163);
	assert_int_equal(perf_regs__get(&s.user_regs, 7, &v), -ENOENT);
	assert_int_equal(perf_regs__get(&s.user_regs, 64, &v), -ENOENT);
	assert_int_equal(s.intr_regs.abi, PERF_SAMPLE_REGS_ABI_32);
	assert_int_equal(perf_regs__get(&s.intr_regs, 7, &v), 0);
	assert_int_equal(v, 207);
}

/* go-perf read registers that a sample in a kernel thread does not have. */
static void a_kernel_thread_has_no_user_registers_or_stack(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type =
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_PHYS_ADDR,
		.sample_regs_user = 0xff,
	};
	struct perf_sample s;
	struct record r;
	uint64_t v;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, PERF_SAMPLE_REGS_ABI_NONE);
	put_u64(&r, 0); /* stack: no bytes, and no dyn_size */
	put_u64(&r, 0xfeed);
	s = decode(&r, &layout);
	assert_int_equal(s.user_regs.abi, PERF_SAMPLE_REGS_ABI_NONE);
	assert_int_equal(perf_regs__get(&s.user_regs, 0, &v), -ENOENT);
	assert_int_equal(s.stack_bytes, 0);
	assert_int_equal(s.phys_addr, 0xfeed);
}

static void a_stack_tells_how_much_of_it_is_filled(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_DATA_PAGE_SIZE,
	};
	struct perf_sample s;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, 16);
	put(&r, "stackstack\0\0\0\0\0\0", 16);
	put_u64(&r, 10);
	put_u64(&r, 4096);
	s = decode(&r, &layout);
	assert_int_equal(s.stack_bytes, 16);
	assert_int_equal(s.stack_dyn_bytes, 10);
	assert_memory_equal(s.stack, "stackstack", 10);
	assert_int_equal(s.data_page_bytes, 4096);

	memcpy(r.bytes + 32, &(uint64_t){ 17 }, 8); /* more than there is room for */
	assert_int_equal(decode_exact(&r, r.len, &layout, 0), -EBADMSG);
}

static void memory_samples_are_taken_apart(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
			       PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
			       PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
			       PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX,
	};
	struct perf_sample s;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u32(&r, 70000); /* weight: var1, var2, var3 */
	put_u16(&r, 300);
	put_u16(&r, 200);
	put_u64(&r, PERF_MEM_S(OP, LOAD));
	put_u64(&r, PERF_TXN_TRANSACTION | PERF_TXN_CONFLICT | 0xfeedbeefull << 32);
	put_u64(&r, 0x1000);
	put_u64(&r, 42);
	put_u64(&r, 4096);
	put_u64(&r, 2097152);
	put_u64(&r, 8);
	put(&r, "AUXAUXAU", 8);
	s = decode(&r, &layout);
	assert_int_equal(s.weight_var1, 70000);
	assert_int_equal(s.weight_var2, 300);
	assert_int_equal(s.weight_var3, 200);
	assert_int_equal(s.data_src, PERF_MEM_S(OP, LOAD));
	assert_int_equal(s.transaction & PERF_TXN_CONFLICT, PERF_TXN_CONFLICT);
	assert_int_equal(perf_transaction__abort_code(s.transaction), 0xfeedbeef);
	assert_int_equal(s.phys_addr, 0x1000);
	assert_int_equal(s.cgroup, 42);
	assert_int_equal(s.data_page_bytes, 4096);
	assert_int_equal(s.code_page_bytes, 2097152);
	assert_int_equal(s.aux_bytes, 8);
	assert_memory_equal(s.aux, "AUXAUXAU", 8);
}

/* go-perf did not mask: each field also told what its neighbours hold. */
static void a_data_source_is_masked(void **state)
{
	struct perf_data_src d = perf_data_src__of(
		PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, UNC) |
		PERF_MEM_S(SNOOP, HITM) | PERF_MEM_S(LOCK, LOCKED) | PERF_MEM_S(TLB, MISS) |
		PERF_MEM_S(TLB, OS) | PERF_MEM_S(LVLNUM, L3) | PERF_MEM_S(REMOTE, REMOTE) |
		PERF_MEM_S(SNOOPX, FWD) | 0x04ull << 40 | 0x03ull << 43 | 1ull << 46);

	assert_int_equal(d.op, PERF_MEM_OP_LOAD);
	assert_int_equal(d.lvl, PERF_MEM_LVL_HIT | PERF_MEM_LVL_UNC);
	assert_int_equal(d.snoop, PERF_MEM_SNOOP_HITM);
	assert_int_equal(d.lock, PERF_MEM_LOCK_LOCKED);
	assert_int_equal(d.dtlb, PERF_MEM_TLB_MISS | PERF_MEM_TLB_OS);
	assert_int_equal(d.lvl_num, PERF_MEM_LVLNUM_L3);
	assert_int_equal(d.remote, PERF_MEM_REMOTE_REMOTE);
	assert_int_equal(d.snoopx, PERF_MEM_SNOOPX_FWD);
	assert_int_equal(d.blk, 4);
	assert_int_equal(d.hops, 3);
	d = perf_data_src__of(1ull << 46); /* reserved */
	assert_int_equal(d.hops, 0);
	d = perf_data_src__of(0x1full << 19); /* snoop only */
	assert_int_equal(d.lvl, 0);
	assert_int_equal(d.snoop, 0x1f);
	assert_int_equal(d.lock, 0);
}

/* A kernel newer than we are puts its fields last. */
static void fields_of_later_kernels_are_ignored(void **state)
{
	const struct perf_record_layout layout = {
		.sample_type = PERF_SAMPLE_IP | 1u << 25,
	};
	struct perf_record out;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	put_u64(&r, 0x1000);
	put_u64(&r, 0x2000);
	set_size(&r);
	assert_int_equal(perf_record__decode(r.bytes, r.len, &layout, &out), 0);
	assert_int_equal(out.sample.ip, 0x1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_tell_who_where_and_when),
		cmocka_unit_test(each_read_format_has_its_place),
		cmocka_unit_test(read_records_hold_groups_with_losses),
		cmocka_unit_test(an_unknown_id_is_not_found),
		cmocka_unit_test(counts_that_overflow_are_refused),
		cmocka_unit_test(chains_and_raw_data_point_into_the_record),
		cmocka_unit_test(branches_have_each_bit_in_its_place),
		cmocka_unit_test(branches_agree_with_the_header),
		cmocka_unit_test(no_branches_may_have_no_hw_index),
		cmocka_unit_test(registers_follow_their_mask),
		cmocka_unit_test(a_kernel_thread_has_no_user_registers_or_stack),
		cmocka_unit_test(a_stack_tells_how_much_of_it_is_filled),
		cmocka_unit_test(memory_samples_are_taken_apart),
		cmocka_unit_test(a_data_source_is_masked),
		cmocka_unit_test(fields_of_later_kernels_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
