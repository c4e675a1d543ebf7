// SPDX-License-Identifier: BSD-2-Clause
/* The lines above the table, on a machine with a PMU: meters have an IPC then. */
#include "tui.h"
#include "tui_page.h"

#include "tui/header.h"

static struct header header;
static struct columns ipc;

static int set_up(void **state)
{
	static const struct live_event events[] = { { .name = "page-faults", .group = -1 } };
	struct buf why = {};

	if (tui_set_up(state))
		return -1;
	/* Any ratio will do; this one is 1.25 on each CPU below. */
	if (columns__choose(&ipc, tui.defs, "page-faults / switches", events, 1, false, &why))
		return -1;
	tui.data.ipc = ipc.items;
	return 0;
}

static int tear_down(void **state)
{
	header__free(&header);
	columns__free(&ipc);
	canvas__free(&page);
	buf__free(&text);
	return tui_tear_down(state);
}

/* Each of them half busy, for two intervals. */
static void run_on(uint32_t nr_cpus)
{
	const uint64_t values[VALUES] = { 500 * (uint64_t)MS, 4, 5 };
	const struct live_task task = { .tgid = 10, .tid = 10, .comm = "web" };

	live__about(tui.live)->nr_cpus = nr_cpus;
	for (int i = 0; i < 2; i++) {
		next_interval();
		for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
			assert_int_equal(live__add(tui.live, &task, cpu, values), 0);
		assert_int_equal(header__update(&header, &tui.data), 0);
	}
}

/* Returns how many lines the meters took: all but that of the machine, events, and losses. */
static int draw(int width)
{
	int lines;

	buf__clear(&text);
	assert_int_equal(canvas__begin(&page, width, 24), 0);
	lines = header__draw(&header, &tui.data, &page);
	assert_int_equal(canvas__text(&page, &text), 0);
	return lines - 3;
}

static void two_cpus_have_a_line_each(void **state)
{
	run_on(2);
	assert_int_equal(draw(80), 2);
	assert_string_equal(line(1), "0   [|||||||||||||||||||||                50.0%] "
				     "        ▅▅ IPC 1.25         ██");
	assert_string_equal(line(2), "1   [|||||||||||||||||||||                50.0%] "
				     "        ▅▅ IPC 1.25         ██");
}

static void so_have_four(void **state)
{
	run_on(4);
	assert_int_equal(draw(80), 4);
	assert_string_equal(line(4), "3   [|||||||||||||||||||||                50.0%] "
				     "        ▅▅ IPC 1.25         ██");
}

/* Of what does not fit the end is left out: what IPC was. */
static void eight_share_lines(void **state)
{
	run_on(8);
	assert_int_equal(draw(80), 4);
	assert_string_equal(line(1), "0   [||||||| 50.0%]         ▅▅ IPC 1.25 "
				     "1   [||||||| 50.0%]         ▅▅ IPC 1.25");
	assert_string_equal(line(4), "6   [||||||| 50.0%]         ▅▅ IPC 1.25 "
				     "7   [||||||| 50.0%]         ▅▅ IPC 1.25");
}

static void more_are_in_one_meter(void **state)
{
	run_on(9);
	assert_int_equal(draw(80), 1);
	assert_string_equal(line(1), "CPU [||||||||||||||||||||||                50.0%] "
				     "        ▅▅ IPC 1.25         ██");
}

/* At none of them is a CPU without its IPC. */
static void wide_screens_have_it_all(void **state)
{
	static const struct {
		uint32_t nr_cpus;
		int width, lines;
		bool has_past; /* of IPC */
	} pages[] = {
		{ 2, 250, 1, true },  { 8, 120, 4, true },  { 8, 132, 4, true },
		{ 12, 160, 4, true }, { 20, 250, 4, true }, { 24, 250, 4, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		header__free(&header);
		run_on(pages[i].nr_cpus);
		assert_int_equal(draw(pages[i].width), pages[i].lines);
		assert_non_null(strstr(line(1), "▅▅ IPC 1.25"));
		assert_true(pages[i].has_past == (strstr(line(1), "██") != NULL));
	}
}

/* As far as there is room: the bar keeps its number. */
static void narrow_screens_leave_out_the_end(void **state)
{
	run_on(1);
	assert_int_equal(draw(46), 1);
	assert_string_equal(line(1), "0   [|||50.0%]         ▅▅ IPC 1.25         ██");
	draw(40);
	assert_string_equal(line(1), "0   [||||||| 50.0%]         ▅▅ IPC 1.25");
	draw(30);
	assert_string_equal(line(1), "0   [||||||50.0%]         ▅▅");
	draw(20);
	assert_string_equal(line(1), "0   [||||||| 50.0%]");
}

static void without_a_pmu_there_is_no_ipc(void **state)
{
	tui.data.ipc = NULL;
	run_on(8);
	assert_int_equal(draw(80), 4);
	assert_string_equal(line(1), "0   [|||||||||||     50.0%]         ▅▅  "
				     "1   [|||||||||||     50.0%]         ▅▅");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_cpus_have_a_line_each),
		TEST(so_have_four),
		TEST(eight_share_lines),
		TEST(more_are_in_one_meter),
		TEST(wide_screens_have_it_all),
		TEST(narrow_screens_leave_out_the_end),
		TEST(without_a_pmu_there_is_no_ipc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
