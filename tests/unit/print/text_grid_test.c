// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "print/cell.h"
#include "print/text_grid.h"

static const struct text_grid_column text, number = { .is_number = true };

/* Two columns: names and numbers. */
static void add_columns(struct text_grid *g)
{
	text_grid__column(g, &text, "NAME");
	text_grid__column(g, &number, "HITS");
}

static void add_line(struct text_grid *g, const char *name, unsigned hits)
{
	text_grid__cell(g, name);
	text_grid__printf(g, "%u", hits);
}

static int put(FILE *f, struct text_grid *g)
{
	struct writer w = { .f = f };
	int err = text_grid__lay_out(g);

	if (!err)
		text_grid__put_headings(g, &w);
	for (size_t i = 0; !err && i < text_grid__nr_lines(g); i++)
		text_grid__put_line(g, &w, i);
	text_grid__free(g);
	return err ? err : writer__end(&w);
}

static void shows(struct text_grid *g, const char *expected)
{
	char *written = WRITTEN(put(f, g));

	assert_string_equal(written, expected);
	free(written);
}

static void texts_stand_to_the_left_and_numbers_to_the_right(void **state)
{
	struct text_grid g = {};

	add_columns(&g);
	add_line(&g, "read", 12345);
	add_line(&g, "epoll_wait", 7);
	shows(&g, "NAME         HITS\n"
		  "read        12345\n"
		  "epoll_wait      7\n");
}

/* Wide characters take two columns, combining ones none: "é" as two. */
static void widths_are_columns_of_a_terminal(void **state)
{
	struct text_grid g = { .indent = 1 };

	add_columns(&g);
	add_line(&g, "関数", 1);
	add_line(&g,
		 "e\xcc\x81"
		 "abc",
		 2);
	shows(&g, " NAME  HITS\n"
		  " 関数     1\n"
		  " e\xcc\x81"
		  "abc     2\n");
}

static void no_line_ends_in_blanks(void **state)
{
	struct text_grid g = {};

	text_grid__column(&g, &text, "A");
	text_grid__column(&g, &text, "B");
	text_grid__column(&g, &text, "C");
	text_grid__cell(&g, "first");
	text_grid__end_line(&g);
	text_grid__cell(&g, "");
	text_grid__cell(&g, "second");
	text_grid__end_line(&g);
	text_grid__cell(&g, "x");
	text_grid__cell(&g, "");
	text_grid__cell(&g, "third");
	text_grid__end_line(&g);
	shows(&g, "A      B       C\n"
		  "first\n"
		  "       second\n"
		  "x              third\n");
}

static void a_column_without_cells_may_be_left_out(void **state)
{
	static const struct text_grid_column optional = { .is_optional = true, .at_least = 9 };

	for (int has = 0; has < 2; has++) {
		struct text_grid g = {};

		text_grid__column(&g, &optional, "UNIT");
		text_grid__column(&g, &optional, "MODULE");
		text_grid__column(&g, &text, "NAME");
		text_grid__cell(&g, "");
		text_grid__cell(&g, has ? "libc" : "");
		text_grid__cell(&g, "read");
		shows(&g, has ? "  MODULE     NAME\n"
				"  libc       read\n"
			      : "  NAME\n"
				"  read\n");
	}
}

/* The widest is narrowed: names to 8, the least; the heading of numbers to 7. 8 + 2 + 7 is 17. */
static void lines_are_cut_to_the_terminal(void **state)
{
	struct text_grid g = { .width = 17, .is_cut = true };

	text_grid__column(&g, &text, "NAME");
	text_grid__column(&g, &number, "HITS OF ALL");
	add_line(&g, "a_function_with_a_long_name", 12345);
	add_line(&g, "read", 1);
	text_grid__cell(&g, "a_function_with_a_long_name");
	text_grid__mark(&g, " [k]");
	text_grid__printf(&g, "2");
	shows(&g, "NAME      HITS…LL\n"
		  "a_fun…me    12345\n"
		  "read            1\n"
		  "a_…e [k]        2\n");
}

/* Numbers stay whole, and 8 columns of texts. */
static void a_narrow_terminal_is_overrun(void **state)
{
	struct text_grid g = { .width = 5, .is_cut = true };

	add_columns(&g);
	add_line(&g, "a_function_with_a_long_name", 12345);
	shows(&g, "NAME       HITS\n"
		  "a_fun…me  12345\n");
}

static void a_module_gets_no_more_than_its_share(void **state)
{
	static const struct text_grid_column module = { .at_most = 6 };
	struct text_grid g = { .width = 80, .is_cut = true };

	text_grid__column(&g, &module, "MODULE");
	text_grid__column(&g, &text, "NAME");
	text_grid__cell(&g, "libpmutrace.so");
	text_grid__cell(&g, "main");
	shows(&g, "MODULE  NAME\n"
		  "libp…o  main\n");
}

/* In a pipe a long text moves its own line only, up to CELL_LONG columns. */
static void a_long_text_widens_its_column_no_further(void **state)
{
	static const struct text_grid_column padded = { .pads_to = 8 };
	char name[2000], *written, *line;
	struct text_grid g = { .is_cut = true };

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	text_grid__column(&g, &padded, "NAME");
	text_grid__column(&g, &number, "HITS");
	add_line(&g, name, 1);
	add_line(&g, "read", 2);
	written = WRITTEN(put(f, &g));
	assert_ptr_equal(strstr(written, "NAME      HITS\nxxx"), written);
	assert_non_null(strstr(written, "\nread         2\n"));
	line = strchr(written, '\n') + 1;
	assert_int_equal(cell__columns(line, strcspn(line, "\n")), CELL_LONG + 6);
	free(written);
}

static void neighbours_share_a_headline(void **state)
{
	static const char time[] = "time", cycles[] = "cycles of the cpu";
	static const struct text_grid_column of_time = { .is_number = true, .group = time };
	static const struct text_grid_column of_cycles = { .is_number = true, .group = cycles };
	struct text_grid g = {};

	text_grid__column(&g, &text, "NAME");
	text_grid__column(&g, &of_time, "SUM");
	text_grid__column(&g, &of_time, "MEAN");
	text_grid__column(&g, &of_time, "MAX");
	text_grid__column(&g, &of_cycles, "SUM");
	text_grid__column(&g, &of_cycles, "MEAN");
	for (int i = 0; i < 6; i++)
		text_grid__cell(&g, i ? "1" : "read");
	shows(&g, "      ---- time ----  cycles of the cpu\n"
		  "NAME  SUM  MEAN  MAX          SUM  MEAN\n"
		  "read    1     1    1            1     1\n");
}

static void what_could_drive_a_terminal_is_replaced(void **state)
{
	struct text_grid g = {};
	static const struct text_grid_column group = { .group = "\033[2J" };

	text_grid__column(&g, &group, "NAME");
	text_grid__cell(&g, "a\033[31mb\n");
	text_grid__printf(&g, "%s", "\r");
	shows(&g, "- \xef\xbf\xbd[2J -\n"
		  "NAME\n"
		  "a\xef\xbf\xbd[31mb\xef\xbf\xbd\n"
		  "\xef\xbf\xbd\n");
}

static void colors_are_around_texts_not_blanks(void **state)
{
	struct text_grid g = { .color = true };

	add_columns(&g);
	text_grid__cell(&g, "x");
	text_grid__color(&g, CELL_DIM);
	text_grid__printf(&g, "1");
	shows(&g, CELL_BOLD "NAME  HITS" CELL_PLAIN "\n" CELL_DIM "x" CELL_PLAIN "        1\n");
}

/* 30 columns from where the text begins; less than 24 are not used. A long word stays whole. */
static void text_is_wrapped_below_its_own_beginning(void **state)
{
	static const char *const lines[] = {
		[0] = "A\ncost  tracepoints cannot be looked\n      up by name\n",
		[1] = "A\ncost  tracepoints cannot be\n      looked up by name\n",
		[2] = "A\ncost  tracepoints cannot be looked up by name\n",
	};
	static const unsigned widths[] = { 36, 10, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct text_grid g = { .width = widths[i] };

		text_grid__column(&g, &text, "A");
		text_grid__column(&g, &text, "");
		text_grid__cell(&g, "cost");
		text_grid__cell(&g, "tracepoints cannot be looked up by name");
		text_grid__wrap(&g);
		shows(&g, lines[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_stand_to_the_left_and_numbers_to_the_right),
		cmocka_unit_test(widths_are_columns_of_a_terminal),
		cmocka_unit_test(no_line_ends_in_blanks),
		cmocka_unit_test(a_column_without_cells_may_be_left_out),
		cmocka_unit_test(lines_are_cut_to_the_terminal),
		cmocka_unit_test(a_narrow_terminal_is_overrun),
		cmocka_unit_test(a_module_gets_no_more_than_its_share),
		cmocka_unit_test(a_long_text_widens_its_column_no_further),
		cmocka_unit_test(neighbours_share_a_headline),
		cmocka_unit_test(what_could_drive_a_terminal_is_replaced),
		cmocka_unit_test(colors_are_around_texts_not_blanks),
		cmocka_unit_test(text_is_wrapped_below_its_own_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
