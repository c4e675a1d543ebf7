// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "base/utf8.h"
#include "print/lossline.h"
#include "print/table.h"

static char *table(const struct profile *p, struct table_opts o)
{
	return WRITTEN(print__table(f, p, &o));
}

static void shows_functions_by_self_then_the_losses(void **state)
{
	struct profile *p = small_profile();
	char *text = table(p, (struct table_opts){ .rows = 3 });

	assert_string_equal(text,
			    "cycles: 10 samples, 2.00 s, 99 Hz on 4 CPUs\n"
			    "     SELF  SELF%     TOTAL TOTAL%  FUNCTION                  MODULE\n"
			    "        5  50.00         5  50.00  leaf                      prog\n"
			    "        3  30.00         8  80.00  work                      prog\n"
			    "        2  20.00         2  20.00  sys_read [k]\n"
			    "                                   … and 1 more\n"
			    "\n"
			    "faults: 5 samples, 2.00 s, 99 Hz on 4 CPUs\n"
			    "     SELF  SELF%     TOTAL TOTAL%  FUNCTION                  MODULE\n"
			    "        4  80.00         4  80.00  sys_read [k]\n"
			    "        1  20.00         1  20.00  run [j]\n"
			    "        0   0.00         4  80.00  main                      prog\n"
			    "\n"
			    "samples: 15 seen, 15 kept, nothing lost\n");
	free(text);
	profile__free(p);
}

static void what_is_missing_is_no_row_too_many(void **state)
{
	struct profile *p = new_profile();
	char *text;

	(void)state;
	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "n[callers missing]", "uleaf", NULL), 3);
	add_row(p, 0, 1, add_stack(p, "csh", "n[truncated]", "uother", NULL), 1);
	text = table(p, (struct table_opts){ .rows = 1 });
	assert_non_null(strstr(text,
			       "        3  75.00         3  75.00  leaf                      prog\n"
			       "        0   0.00         3  75.00  [callers missing]\n"
			       "        0   0.00         1  25.00  [truncated]\n"
			       "                                   … and 1 more\n"));
	free(text);
	profile__free(p);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	struct profile *p = new_profile();
	char name[400], *text, *line, *rest;
	size_t used;

	memset(name, 'x', sizeof(name));
	name[0] = 'k';
	name[sizeof(name) - 1] = '\0';
	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "umain", name, NULL), 2);
	add_row(p, 0, 1, add_stack(p, "csh", "u関数関数関数関数関数関数関数関数関数関数", NULL), 1);
	for (unsigned width = 60; width <= 200; width += 7) {
		text = rest = table(p, (struct table_opts){ .width = width });
		while ((line = strsep(&rest, "\n"))) {
			utf8__fit(line, strlen(line), SIZE_MAX, &used);
			assert_true(used <= width);
		}
		free(text);
	}
	text = table(p, (struct table_opts){ .width = 80 });
	assert_non_null(strstr(text, "  xxxx"));
	assert_non_null(strstr(text, "xx…xx"));
	assert_non_null(strstr(text, "xxx [k]\n"));
	free(text);
	profile__free(p);
}

/* Names of templates have thousands of letters: in a pipe only what tells them apart is shown. */
static void a_huge_name_buries_nothing(void **state)
{
	struct profile *p = new_profile();
	char name[10001], *text, *line;

	memset(name, 'x', sizeof(name));
	memcpy(name, "uBEGIN", 6);
	memcpy(name + sizeof(name) - 4, "END", 4);
	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", name, NULL), 3);
	add_row(p, 0, 1, add_stack(p, "csh", "uleaf", NULL), 1);
	text = table(p, (struct table_opts){});
	line = strstr(text, "  BEGINxxx");
	assert_non_null(line);
	/* 256 columns: of 255 beside the ellipsis a third is the end's. */
	assert_int_equal(strcspn(line + 2, "x"), 5);
	assert_ptr_equal(strstr(line, "…"), line + 2 + 170);
	assert_ptr_equal(strstr(line, "END  prog\n"), line + 2 + 170 + 3 + 85 - 3);
	/* 48 columns are for names. */
	assert_non_null(strstr(text, "FUNCTION                                          MODULE\n"));
	assert_non_null(strstr(text, "  leaf                                              prog\n"));
	free(text);
	profile__free(p);
}

static void names_cannot_drive_the_terminal(void **state)
{
	struct profile *p = hostile_profile();
	char *text = table(p, (struct table_opts){ .width = 100 });

	assert_null(strchr(text, '\033'));
	/* event, head, two functions, empty line, losses */
	assert_int_equal(count_of(text, "\n"), 7);
	free(text);
	text = table(p, (struct table_opts){ .width = 100, .color = true });
	assert_non_null(strstr(text, "\033[0m"));
	free(text);
	profile__free(p);
}

static void samples_without_a_stack_are_shown_by_command(void **state)
{
	struct profile *p = new_profile();
	char *text;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 3);
	text = table(p, (struct table_opts){ .rows = 20 });
	assert_non_null(strstr(text, "        3 100.00         3 100.00  sh [command]\n"));
	free(text);
	profile__free(p);
}

static char *loss_line(const struct losses *l)
{
	struct buf b = {};

	assert_int_equal(print__loss_line(&b, "samples", l), 0);
	return b.data;
}

static void the_loss_line_names_reasons_and_cures(void **state)
{
	struct losses l = { .seen = 1041, .kept = 1041 };
	char *text = loss_line(&l);

	assert_string_equal(text, "samples: 1041 seen, 1041 kept, nothing lost");
	free(text);

	l.kept = 1029;
	losses__add(&l, &(struct loss){ "full", "table full", "use --stacks N", false, 10 });
	losses__add(&l, &(struct loss){ "busy", "never happened", NULL, false, 0 });
	losses__add(&l, &(struct loss){ "nomem", "no memory", NULL, false, 2 });
	losses__add(&l, &(struct loss){ "cut", "stacks cut", "use --max-stack N", true, 3 });
	text = loss_line(&l);
	assert_string_equal(text, "samples: 1041 seen, 1029 kept, "
				  "12 lost: 10 table full (use --stacks N), 2 no memory\n"
				  "incomplete: 3 stacks cut (use --max-stack N)");
	free(text);
}

static void the_loss_line_admits_a_sum_that_is_off(void **state)
{
	const struct losses l = { .seen = 10, .kept = 7 };
	char *text = loss_line(&l);

	assert_string_equal(text, "samples: 10 seen, 7 kept, no loss reported, 3 unaccounted for");
	free(text);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__table(f, p, &(struct table_opts){ .rows = 1 }), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_functions_by_self_then_the_losses),
		cmocka_unit_test(what_is_missing_is_no_row_too_many),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(a_huge_name_buries_nothing),
		cmocka_unit_test(names_cannot_drive_the_terminal),
		cmocka_unit_test(samples_without_a_stack_are_shown_by_command),
		cmocka_unit_test(the_loss_line_names_reasons_and_cures),
		cmocka_unit_test(the_loss_line_admits_a_sum_that_is_off),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
