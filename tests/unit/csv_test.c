// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "out/csv.h"

static void has_a_column_for_each_part_and_event(void **state)
{
	struct profile *p = small_profile();
	char *text = WRITTEN(out__csv(f, p));

	assert_string_equal(text, "comm,pid,stack,cycles,weight cycles,faults,weight faults\n"
				  "sh,1,main;sys_read,2,2000,4,4000\n"
				  "sh,1,main;work,3,3000,,\n"
				  "sh,1,main;work;work;leaf,3,3000,,\n"
				  "sh,2,main;work;work;leaf,2,2000,,\n"
				  "node,9,run,,,1,1000\n");
	free(text);
	profile__free(p);
}

static void has_only_the_columns_that_were_kept(void **state)
{
	struct profile *p = new_profile();
	struct row_key key = { .tid = 7, .cpu = 3 };
	char *text;

	add_event(p, "cycles");
	key.stack = add_stack(p, "csh", NULL);
	assert_int_equal(profile__string(p, "/a,b", 4, &key.cgroup), 0);
	assert_int_equal(profile__add(p, &key, 5, 6), 0);
	p->by = BY_TID | BY_CPU | BY_CGROUP;
	text = WRITTEN(out__csv(f, p));
	assert_string_equal(text, "tid,cpu,cgroup,cycles,weight cycles\n"
				  "7,3,\"/a,b\",5,6\n");
	free(text);
	profile__free(p);
}

static void hostile_names_are_quoted(void **state)
{
	struct profile *p = hostile_profile();
	char *text = WRITTEN(out__csv(f, p));
#define COMM  "\"a;b\"\"c'd<e>f&g\\h??[31m\xef\xbf\xbd]]>\""
#define FRAME "a:b\"\"c'd<e>f&g\\h??[31m\xef\xbf\xbd]]>"

	assert_non_null(strstr(text, "\n" COMM ",1,\"" FRAME ";" FRAME "\",2,2000\n"));
	assert_non_null(strstr(text, "\n,1,,1,1000\n"));
	assert_int_equal(count_of(text, "\n"), 3);
	free(text);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(out__csv(f, p), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_column_for_each_part_and_event),
		cmocka_unit_test(has_only_the_columns_that_were_kept),
		cmocka_unit_test(hostile_names_are_quoted),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
