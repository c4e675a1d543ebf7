// SPDX-License-Identifier: BSD-2-Clause
/* Samples as the public structs have them: from bytes written by hand, and from the kernel. */
#include "pmutrace_fixture.h"

#include <asm/perf_regs.h>
#include <sys/mman.h>

#include "perf/uapi.h"
#include "record_bytes.h"

/* The fields of a sample in the kernel's order. */
static void samples_have_every_field(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT_STRUCT |
			       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
			       PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
			       PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE,
		.sample_regs_user = 1 << 3 | 1 << 7,
		.sample_regs_intr = 1 << 0,
	};
	struct pmutrace_branch branch;
	struct pmutrace_record out;
	struct record r;
	uint64_t reg;

	begin(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP);
	U64S(&r, 500, 0x401000); /* identifier, ip */
	U32S(&r, 1, 2);		 /* pid, tid */
	U64S(&r, 3, 4, 5);	 /* time, addr, stream_id */
	U32S(&r, 6, 0);		 /* cpu */
	U64S(&r, 7);		 /* period */
	U64S(&r, 3, PERF_CONTEXT_USER, 0x10, 0x20);
	U32S(&r, 4);
	put(&r, "RAW!", 4);
	/* mispredicted, abort, 77 cycles, type IND_CALL */
	U64S(&r, 1, 0xa, 0xb, 1 | 8 | 77 << 4 | (uint64_t)PERF_BR_IND_CALL << 20);
	U64S(&r, PERF_SAMPLE_REGS_ABI_64, 33, 44);
	U64S(&r, 8);
	put(&r, "STACK...", 8);
	U64S(&r, 5);
	U64S(&r, 0x0003000200000001);
	U64S(&r, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(SNOOP, HITM) |
			 PERF_MEM_S(TLB, MISS) | PERF_MEM_S(LVLNUM, RAM) |
			 PERF_MEM_S(REMOTE, REMOTE));
	U64S(&r, PERF_TXN_ELISION | (uint64_t)0xabc << PERF_TXN_ABORT_SHIFT);
	U64S(&r, PERF_SAMPLE_REGS_ABI_32, 55);
	U64S(&r, 0x9000, 60, 4096, 2097152);
	set_size(&r);

	assert_int_equal(pmutrace_decode(&attr, r.bytes, r.len, &out), 0);
	assert_int_equal(out.cpu_mode, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(out.id, 500);
	assert_int_equal(out.pid, 1);
	assert_int_equal(out.tid, 2);
	assert_int_equal(out.time_ns, 3);
	assert_int_equal(out.cpu, 6);
	assert_int_equal(out.stream_id, 5);
	assert_true(out.sample.exact_ip);
	assert_int_equal(out.sample.has, attr.sample_type);
	assert_int_equal(out.sample.ip, 0x401000);
	assert_int_equal(out.sample.addr, 4);
	assert_int_equal(out.sample.period, 7);
	assert_int_equal(out.sample.nr_ips, 3);
	assert_int_equal(out.sample.ips[2], 0x20);
	assert_int_equal(out.sample.raw_bytes, 4);
	assert_memory_equal(out.sample.raw, "RAW!", 4);
	assert_int_equal(pmutrace_branch_get(&out.sample.branches, 0, &branch), 0);
	assert_int_equal(branch.from, 0xa);
	assert_int_equal(branch.to, 0xb);
	assert_true(branch.mispredicted);
	assert_false(branch.predicted);
	assert_false(branch.in_tx);
	assert_true(branch.abort);
	assert_int_equal(branch.cycles, 77);
	assert_int_equal(branch.type, PERF_BR_IND_CALL); /* not the bits of cycles */
	assert_int_equal(pmutrace_branch_get(&out.sample.branches, 1, &branch), -ENOENT);
	assert_int_equal(pmutrace_reg_get(&out.sample.user_regs, 3, &reg), 0);
	assert_int_equal(reg, 33);
	assert_int_equal(pmutrace_reg_get(&out.sample.user_regs, 7, &reg), 0);
	assert_int_equal(reg, 44);
	assert_int_equal(pmutrace_reg_get(&out.sample.user_regs, 0, &reg), -ENOENT);
	assert_int_equal(pmutrace_reg_get(&out.sample.intr_regs, 0, &reg), 0);
	assert_int_equal(reg, 55);
	assert_int_equal(out.sample.stack_bytes, 8);
	assert_int_equal(out.sample.stack_dyn_bytes, 5);
	assert_memory_equal(out.sample.stack, "STACK", 5);
	assert_int_equal(out.sample.weight, 0x0003000200000001);
	assert_int_equal(out.sample.weight_var1, 1);
	assert_int_equal(out.sample.weight_var2, 2);
	assert_int_equal(out.sample.weight_var3, 3);
	assert_int_equal(out.sample.phys_addr, 0x9000);
	assert_int_equal(out.sample.cgroup, 60);
	assert_int_equal(out.sample.data_page_bytes, 4096);
	assert_int_equal(out.sample.code_page_bytes, 2097152);
	assert_int_equal(pmutrace_abort_code(out.sample.transaction), 0xabc);
	assert_true(out.sample.transaction & PERF_TXN_ELISION);
	{
		struct pmutrace_data_source d = pmutrace_data_source_of(out.sample.data_source);

		assert_int_equal(d.op, PERF_MEM_OP_LOAD);
		assert_int_equal(d.lvl, PERF_MEM_LVL_L1);
		assert_int_equal(d.snoop, PERF_MEM_SNOOP_HITM);
		assert_int_equal(d.dtlb, PERF_MEM_TLB_MISS);
		assert_int_equal(d.lvl_num, PERF_MEM_LVLNUM_RAM);
		assert_int_equal(d.remote, PERF_MEM_REMOTE_REMOTE);
		assert_int_equal(d.lock, 0);
	}
}

/* A sample in a kernel thread: another library read registers that are not there. */
static void no_registers_without_an_abi(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_PHYS_ADDR,
		.sample_regs_user = 0xff,
	};
	struct pmutrace_record out;
	struct record r;
	uint64_t reg;

	begin(&r, PERF_RECORD_SAMPLE, 0);
	U64S(&r, PERF_SAMPLE_REGS_ABI_NONE, 0x1234);
	set_size(&r);
	assert_int_equal(pmutrace_decode(&attr, r.bytes, r.len, &out), 0);
	assert_int_equal(out.sample.user_regs.mask, 0);
	assert_int_equal(out.sample.phys_addr, 0x1234);
	assert_int_equal(pmutrace_reg_get(&out.sample.user_regs, 0, &reg), -ENOENT);
}

/* What excludes a field of the test above, or comes in another form. */
static void samples_have_the_other_forms(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_ID | PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK |
			       PERF_SAMPLE_WEIGHT | PERF_SAMPLE_AUX,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_COUNTERS,
	};
	struct pmutrace_reading_value v;
	struct pmutrace_branch branch;
	struct pmutrace_record out;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	U64S(&r, 81);		      /* id */
	U64S(&r, 500, 90, 45, 81, 6); /* value, enabled, running, id, lost */
	U64S(&r, 2, 30);	      /* branches, hw index */
	/* spec 2, new type 9, priv 4, in_tx, predicted */
	U64S(&r, 0xa, 0xb, 2 | 4 | 2 << 24 | 9u << 26 | 4ull << 30);
	U64S(&r, 0xc, 0xd, 0xfffffffe00000000); /* reserved bits only */
	U64S(&r, 71, 72);			/* counters */
	U64S(&r, 0x123456789abcdef0);		/* weight */
	U64S(&r, 8);
	put(&r, "AUXAUXAU", 8);
	set_size(&r);
	assert_int_equal(pmutrace_decode(&attr, r.bytes, r.len, &out), 0);
	assert_int_equal(out.has, PERF_SAMPLE_ID);
	assert_int_equal(out.id, 81);
	assert_int_equal(out.cpu_mode, PERF_RECORD_MISC_USER);
	assert_false(out.sample.exact_ip);
	assert_int_equal(out.sample.read.nr, 1);
	assert_int_equal(out.sample.read.enabled_ns, 90);
	assert_int_equal(out.sample.read.running_ns, 45);
	assert_int_equal(pmutrace_reading_get(&out.sample.read, 0, &v), 0);
	assert_int_equal(v.value, 500);
	assert_int_equal(v.id, 81);
	assert_int_equal(v.lost, 6);
	assert_int_equal(out.sample.branches.nr, 2);
	assert_true(out.sample.branches.has_hw_index);
	assert_int_equal(out.sample.branches.hw_index, 30);
	assert_int_equal(out.sample.branches.counters[0], 71);
	assert_int_equal(out.sample.branches.counters[1], 72);
	assert_int_equal(pmutrace_branch_get(&out.sample.branches, 0, &branch), 0);
	assert_false(branch.mispredicted);
	assert_true(branch.predicted && branch.in_tx && !branch.abort);
	assert_int_equal(branch.cycles, 0);
	assert_int_equal(branch.type, 0);
	assert_int_equal(branch.spec, 2);
	assert_int_equal(branch.new_type, 9);
	assert_int_equal(branch.priv, 4);
	assert_int_equal(pmutrace_branch_get(&out.sample.branches, 1, &branch), 0);
	assert_int_equal(branch.from, 0xc);
	assert_int_equal(branch.priv, 0);
	assert_true(out.sample.weight == 0x123456789abcdef0);
	assert_int_equal(out.sample.weight_var1, 0); /* not of that form */
	assert_int_equal(out.sample.aux_bytes, 8);
	assert_memory_equal(out.sample.aux, "AUXAUXAU", 8);
	assert_null(out.sample.ips);
	assert_null(out.sample.raw);
	assert_null(out.sample.stack);
}

enum { NR_FIELDS = 10 };

static void take_apart(uint64_t data_source, uint64_t v[NR_FIELDS])
{
	struct pmutrace_data_source d = pmutrace_data_source_of(data_source);
	const uint64_t fields[NR_FIELDS] = { d.op,	d.lvl,	  d.snoop,  d.lock, d.dtlb,
					     d.lvl_num, d.remote, d.snoopx, d.blk,  d.hops };

	memcpy(v, fields, sizeof(fields));
}

/* All bits of one field, and all but these. */
static void each_field_of_a_data_source_is_masked(void **state)
{
	static const unsigned int at[NR_FIELDS][2] = {
		{ PERF_MEM_OP_SHIFT, 5 },
		{ PERF_MEM_LVL_SHIFT, 14 },
		{ PERF_MEM_SNOOP_SHIFT, 5 },
		{ PERF_MEM_LOCK_SHIFT, 2 },
		{ PERF_MEM_TLB_SHIFT, 7 },
		{ PERF_MEM_LVLNUM_SHIFT, 4 },
		{ PERF_MEM_REMOTE_SHIFT, 1 },
		{ PERF_MEM_SNOOPX_SHIFT, 2 },
		{ 40, 3 }, /* PERF_MEM_BLK_SHIFT: 5.12 */
		{ 43, 3 }, /* PERF_MEM_HOPS_SHIFT: 5.16 */
	};
	uint64_t v[NR_FIELDS];

	for (size_t i = 0; i < NR_FIELDS; i++) {
		uint64_t ones = (1ull << at[i][1]) - 1;

		take_apart(ones << at[i][0], v);
		for (size_t k = 0; k < NR_FIELDS; k++)
			assert_int_equal(v[k], k == i ? ones : 0);
		take_apart(~(ones << at[i][0]), v);
		assert_int_equal(v[i], 0);
	}
}

enum { NR_PAGES = 20 };

#define KERNEL_FIELDS                                                                              \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |         \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER |                         \
	 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |                      \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR)

#ifdef __x86_64__
enum { REG_SP = PERF_REG_X86_SP, REG_IP = PERF_REG_X86_IP };
#else
enum { REG_SP = PERF_REG_ARM64_SP, REG_IP = PERF_REG_ARM64_PC };
#endif

static PLAIN void touch_page(volatile char *page)
{
	*page = 1;
}

/* With a word on the stack, to be found in the samples' copies of it. */
static PLAIN void touch_pages(char *pages, size_t page, uint64_t mark)
{
	volatile uint64_t on_stack = mark;

	for (size_t i = 0; i < NR_PAGES; i++)
		touch_page(pages + i * page);
	(void)on_stack;
}

static bool has_word(const void *stack, size_t bytes, uint64_t word)
{
	for (size_t i = 0; i + 8 <= bytes; i += 8)
		if (!memcmp((const char *)stack + i, &word, 8))
			return true;
	return false;
}

static void assert_fault(const struct pmutrace_record *record, uint64_t addr, uint64_t mark)
{
	const struct pmutrace_sample *s = &record->sample;
	struct pmutrace_reading_value v;
	uint64_t sp, ip;

	assert_int_equal(s->has & KERNEL_FIELDS, KERNEL_FIELDS);
	assert_int_equal(record->pid, getpid());
	assert_int_equal(record->tid, gettid());
	assert_int_equal(s->addr, addr);
	assert_int_equal(s->period, 1);
	assert_int_equal(pmutrace_reading_get(&s->read, 0, &v), 0);
	assert_int_equal(v.id, record->id);
	assert_int_equal(pmutrace_reg_get(&s->user_regs, REG_IP, &ip), 0);
	assert_int_equal(ip, s->ip);
	assert_in_range(ip, (uintptr_t)touch_page, (uintptr_t)touch_page + 64);
	assert_int_equal(pmutrace_reg_get(&s->intr_regs, REG_IP, &ip), 0);
	assert_int_equal(ip, s->ip);
	assert_true(s->nr_ips >= 2);
	assert_int_equal(s->ips[0], PERF_CONTEXT_USER);
	assert_int_equal(s->ips[1], s->ip);
	assert_int_equal(pmutrace_reg_get(&s->user_regs, REG_SP, &sp), 0);
	assert_in_range((uintptr_t)&sp, sp - 65536, sp + 65536);
	assert_int_equal(s->stack_bytes, 512);
	assert_in_range(s->stack_dyn_bytes, 8, 512);
	assert_true(has_word(s->stack, s->stack_dyn_bytes, mark));
}

/* One sample for each page that is touched for the first time. */
static void the_kernel_writes_what_was_asked_for(void **state)
{
	struct perf_event_attr attr = {
		.sample_type = KERNEL_FIELDS,
		.read_format = PERF_FORMAT_ID,
		.sample_regs_user = 1ull << REG_SP | 1ull << REG_IP,
		.sample_regs_intr = 1ull << REG_IP,
		.sample_stack_user = 512,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct pmutrace_options options = { .size = sizeof(options), .attr = &attr };
	const uint64_t mark = 0x5a5a1234c3c3feed;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = 0;
	struct pmutrace_events *e = open_with("page-faults@1", NULL, &options);
	struct pmutrace_record record;
	struct pmutrace_error why;
	struct pmutrace_ring *ring;
	char *pages;
	int err;

	if (pmutrace_ring_open(&ring, e, 0, &why))
		fail_msg("%s", why.text);
	pages = mmap(NULL, NR_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	madvise(pages, NR_PAGES * page, MADV_NOHUGEPAGE);
	assert_int_equal(pmutrace_enable(e), 0);
	touch_pages(pages, page, mark);
	assert_int_equal(pmutrace_disable(e), 0);
	while (!(err = pmutrace_ring_read(ring, 0, &record))) {
		uint64_t addr = (uintptr_t)pages + nr * page;

		/* Page faults of the rest of the program are none of ours. */
		if (record.type != PERF_RECORD_SAMPLE || record.sample.addr != addr)
			continue;
		assert_fault(&record, addr, mark);
		nr++;
	}
	assert_int_equal(err, -ETIMEDOUT);
	assert_int_equal(nr, NR_PAGES);
	assert_int_equal(pmutrace_ring_nr_lost(ring), 0);
	munmap(pages, NR_PAGES * page);
	pmutrace_ring_close(ring);
	pmutrace_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_every_field),
		cmocka_unit_test(no_registers_without_an_abi),
		cmocka_unit_test(samples_have_the_other_forms),
		cmocka_unit_test(each_field_of_a_data_source_is_masked),
		cmocka_unit_test(the_kernel_writes_what_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
