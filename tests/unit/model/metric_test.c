// SPDX-License-Identifier: BSD-2-Clause
#include "countings.h"

#include "model/metric.h"

static void check(const struct counts *c, size_t event, double value, const char *text)
{
	struct metric m;

	assert_true(metric__of(c, c->totals, event, &m));
	assert_string_equal(m.text, text);
	assert_near(m.value, value, 1e-9);
}

/* 1.5 s on CPUs in 2 s; 3e9 cycles, 6e9 instructions, ... */
static void a_group_has_the_metrics_of_perf(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	struct metric m;

	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, 0);
	add_counter(c, "instructions", ROLE_INSTRUCTIONS, 0);
	add_counter(c, "branches", ROLE_BRANCHES, 0);
	add_counter(c, "branch-misses", ROLE_BRANCH_MISSES, 0);
	add_counter(c, "stalled-cycles-frontend", ROLE_STALLED_FRONT, 0);
	add_counter(c, "stalled-cycles-backend", ROLE_STALLED_BACK, 0);
	add_counter(c, "page-faults", ROLE_NONE, COUNTS_NO_GROUP);
	SET_VALUES(c, counted(1500000000), counted(3000000000), counted(6000000000),
		   counted(1200000000), counted(12000000), counted(300000000), counted(600000000),
		   counted(30));
	check(c, 0, 0.75, "CPUs utilized");
	check(c, 1, 2.0, "GHz");
	check(c, 2, 2.0, "insn per cycle");
	check(c, 3, 800.0, "M/sec");
	check(c, 4, 1.0, "of all branches");
	check(c, 5, 10.0, "frontend cycles idle");
	check(c, 6, 20.0, "backend cycles idle");
	check(c, 7, 20.0, "/sec");
	assert_true(metric__of(c, c->totals, 4, &m));
	assert_true(m.percent);
	assert_int_equal(m.decimals, 2);
	assert_true(metric__of(c, c->totals, 1, &m));
	assert_false(m.percent);
	assert_int_equal(m.decimals, 3);
	/* 12 million misses in 6 thousand million; 600 million stalled cycles */
	assert_true(metric__second(c, c->totals, 4, &m));
	assert_string_equal(m.text, "MPKI");
	assert_near(m.value, 2.0, 1e-9);
	assert_true(metric__second(c, c->totals, 2, &m));
	assert_string_equal(m.text, "stalled cycles per insn");
	assert_near(m.value, 0.1, 1e-9);
	assert_false(metric__second(c, c->totals, 1, &m));
	counts__free(c);
}

static void misses_are_shares_of_their_own_kind(void **state)
{
	static const struct {
		enum count_role all, misses;
		const char *text;
	} kinds[] = {
		{ ROLE_CACHE_REFS, ROLE_CACHE_MISSES, "of all cache refs" },
		{ ROLE_L1D_LOADS, ROLE_L1D_LOAD_MISSES, "of all L1-dcache accesses" },
		{ ROLE_L1I_LOADS, ROLE_L1I_LOAD_MISSES, "of all L1-icache accesses" },
		{ ROLE_LLC_LOADS, ROLE_LLC_LOAD_MISSES, "of all LL-cache accesses" },
		{ ROLE_DTLB_LOADS, ROLE_DTLB_LOAD_MISSES, "of all dTLB cache accesses" },
		{ ROLE_ITLB_LOADS, ROLE_ITLB_LOAD_MISSES, "of all iTLB cache accesses" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct counts *c = new_counts(COUNTS_BY_NOTHING);

		add_counter(c, "decoy", kinds[(i + 1) % ARRAY_SIZE(kinds)].all, 3);
		add_counter(c, "misses", kinds[i].misses, 3);
		add_counter(c, "all", kinds[i].all, 3);
		SET_VALUES(c, counted(5), counted(10), counted(400));
		check(c, 1, 2.5, kinds[i].text);
		counts__free(c);
	}
}

static struct counts *cycles_and_instructions(const char *cycles, int group_a, const char *insns,
					      int group_b)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, cycles, ROLE_CYCLES, group_a);
	add_counter(c, insns, ROLE_INSTRUCTIONS, group_b);
	return c;
}

static bool has_ipc(struct counts *c, struct event_count cycles, struct event_count insns)
{
	struct metric m;
	bool has;

	SET_VALUES(c, cycles, insns);
	has = metric__of(c, c->totals, 1, &m) && !strcmp(m.text, "insn per cycle");
	counts__free(c);
	return has;
}

static void a_ratio_needs_events_that_were_counted_together(void **state)
{
	const struct event_count n = counted(10);

	assert_true(has_ipc(cycles_and_instructions("cycles", 0, "instructions", 0), n, n));
	assert_false(has_ipc(cycles_and_instructions("cycles", 0, "instructions", 1), n, n));
	assert_false(has_ipc(
		cycles_and_instructions("cycles", COUNTS_NO_GROUP, "instructions", COUNTS_NO_GROUP),
		n, n));
	/* Multiplexed as a group is together; one of them alone is not. */
	assert_true(has_ipc(cycles_and_instructions("c", 0, "i", 0), part(5, 50), part(5, 50)));
	assert_false(has_ipc(cycles_and_instructions("c", 0, "i", 0), n, part(5, 50)));
	assert_false(
		has_ipc(cycles_and_instructions("c", 0, "i", 0), absent(COUNT_NOT_SUPPORTED), n));
	assert_false(
		has_ipc(cycles_and_instructions("c", 0, "i", 0), n, absent(COUNT_NOT_COUNTED)));
	assert_false(has_ipc(cycles_and_instructions("c", 0, "i", 0), counted(0), n));
}

static void a_ratio_needs_the_same_modes(void **state)
{
	const struct event_count n = counted(10);

	assert_false(has_ipc(cycles_and_instructions("cycles:u", 0, "instructions:k", 0), n, n));
	assert_false(has_ipc(cycles_and_instructions("cycles", 0, "instructions:u", 0), n, n));
	assert_true(has_ipc(cycles_and_instructions("cycles:u", 0, "instructions:u", 0), n, n));
	assert_true(has_ipc(cycles_and_instructions("cycles:upp", 0, "instructions:u", 0), n, n));
	assert_true(has_ipc(cycles_and_instructions("cycles:uk", 0, "instructions:ku", 0), n, n));
	assert_true(has_ipc(
		cycles_and_instructions("cpu/event=0x3c,name=a:k/u", 0, "instructions:u", 0), n,
		n));
	assert_false(
		has_ipc(cycles_and_instructions("cpu/cpu-cycles/k", 0, "instructions:u", 0), n, n));
}

/* Both pairs are in one group; each divides by its own. */
static void a_partner_of_the_same_modes_is_found(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "cycles:u", ROLE_CYCLES, 0);
	add_counter(c, "cycles:k", ROLE_CYCLES, 0);
	add_counter(c, "instructions:k", ROLE_INSTRUCTIONS, 0);
	SET_VALUES(c, counted(100), counted(10), counted(5));
	check(c, 2, 0.5, "insn per cycle");
	counts__free(c);
}

static void what_has_no_ratio_has_a_rate(void **state)
{
	struct counts *c = cycles_and_instructions("cycles", 0, "instructions", 1);

	/* for each second elapsed, of which there are two */
	SET_VALUES(c, counted(5000000000), counted(4000));
	check(c, 0, 2.5, "G/sec");
	check(c, 1, 2.0, "K/sec");
	c->duration_ns = 0;
	assert_false(metric__of(c, c->totals, 0, &(struct metric){}));
	counts__free(c);
}

static void rates_have_units_of_1000(void **state)
{
	static const struct {
		uint64_t n;
		double value;
		const char *text;
	} rates[] = {
		{ 0, 0, "/sec" },
		{ 999, 999, "/sec" },
		{ 1000, 1, "K/sec" },
		{ 999999, 999.999, "K/sec" },
		{ 1000000, 1, "M/sec" },
		{ 1000000000, 1, "G/sec" },
		{ 5000000000000, 5000, "G/sec" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		struct counts *c = new_counts(COUNTS_BY_NOTHING);

		add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
		add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
		SET_VALUES(c, counted(1000000000), counted(rates[i].n));
		check(c, 1, rates[i].value, rates[i].text);
		counts__free(c);
	}
}

static void a_clock_without_a_value_gives_no_rate(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	struct metric m;

	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	SET_VALUES(c, absent(COUNT_NOT_COUNTED), counted(5));
	assert_false(metric__of(c, c->totals, 0, &m));
	assert_false(metric__of(c, c->totals, 1, &m));
	counts__clear(c);
	SET_VALUES(c, counted(0), counted(5));
	check(c, 0, 0, "CPUs utilized");
	assert_false(metric__of(c, c->totals, 1, &m));
	counts__free(c);
}

static void task_clock_goes_before_cpu_clock(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "cpu-clock", ROLE_CPU_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, 0);
	SET_VALUES(c, counted(4000000000), counted(1000000000), counted(3000000000));
	check(c, 0, 2, "CPUs utilized");
	check(c, 2, 3, "GHz");
	counts__free(c);
}

static void a_row_has_its_own_metrics(void **state)
{
	struct counts *c = cycles_and_instructions("cycles", 0, "instructions", 0);
	struct metric m;

	c->by = COUNTS_BY_CPU;
	ADD_VALUES(c, of_cpu(0), counted(10), counted(30));
	ADD_VALUES(c, of_cpu(1), counted(10), counted(10));
	counts__finish(c);
	assert_true(metric__of(c, c->rows[0].values, 1, &m));
	assert_near(m.value, 3, 1e-9);
	assert_true(metric__of(c, c->rows[1].values, 1, &m));
	assert_near(m.value, 1, 1e-9);
	check(c, 1, 2, "insn per cycle");
	counts__free(c);
}

/* The last run had 30 in 10, the mean is 20 in 10. */
static void repetitions_are_judged_by_their_means(void **state)
{
	struct counts *c = cycles_and_instructions("cycles", 0, "instructions", 0);

	SET_VALUES(c, counted(10), counted(30));
	counts_runs__add(&c->runs[0], 10);
	counts_runs__add(&c->runs[0], 10);
	counts_runs__add(&c->runs[1], 10);
	counts_runs__add(&c->runs[1], 30);
	check(c, 1, 2, "insn per cycle");
	assert_near(metric__number(c, c->totals, 1), 20, 1e-9);
	assert_near(metric__number(c, c->rows[0].values, 1), 30, 1e-9);
	assert_ptr_equal(metric__runs(c, c->totals, 1), &c->runs[1]);
	assert_null(metric__runs(c, c->rows[0].values, 1));
	counts__free(c);
}

static void numbers_are_in_the_unit_of_the_event(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "power/energy-pkg/", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "never", ROLE_NONE, COUNTS_NO_GROUP);
	c->events[0].scale = 0.25;
	SET_VALUES(c, counted(10), absent(COUNT_NOT_COUNTED));
	assert_near(metric__number(c, c->totals, 0), 2.5, 0);
	assert_true(isnan(metric__number(c, c->totals, 1)));
	counts__free(c);
}

static void the_share_is_of_the_enabled_time(void **state)
{
	assert_near(metric__share(&(struct event_count){ .enabled_ns = 8, .running_ns = 3 }), 0.375,
		    0);
	assert_near(metric__share(&(struct event_count){ .enabled_ns = 8 }), 0, 0);
	assert_near(metric__share(&(struct event_count){}), 0, 0);
	assert_near(metric__share(&(struct event_count){ .enabled_ns = 8, .running_ns = 9 }), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_has_the_metrics_of_perf),
		cmocka_unit_test(misses_are_shares_of_their_own_kind),
		cmocka_unit_test(a_ratio_needs_events_that_were_counted_together),
		cmocka_unit_test(a_ratio_needs_the_same_modes),
		cmocka_unit_test(a_partner_of_the_same_modes_is_found),
		cmocka_unit_test(what_has_no_ratio_has_a_rate),
		cmocka_unit_test(rates_have_units_of_1000),
		cmocka_unit_test(a_clock_without_a_value_gives_no_rate),
		cmocka_unit_test(task_clock_goes_before_cpu_clock),
		cmocka_unit_test(a_row_has_its_own_metrics),
		cmocka_unit_test(repetitions_are_judged_by_their_means),
		cmocka_unit_test(numbers_are_in_the_unit_of_the_event),
		cmocka_unit_test(the_share_is_of_the_enabled_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
