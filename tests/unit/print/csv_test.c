// SPDX-License-Identifier: BSD-2-Clause
#include "hits.h"

#include <errno.h>

#include "print/csv.h"

static const struct csv_opts profile_opts = { .weights = true };

static void has_a_column_for_each_part_and_event(void **state)
{
	struct profile *p = small_profile();
	char *text = WRITTEN(print__csv(f, p, &profile_opts));

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
	assert_int_equal(profile__add(p, &key, 5, 6, NULL), 0);
	p->by = BY_TID | BY_CPU | BY_CGROUP;
	text = WRITTEN(print__csv(f, p, &profile_opts));
	assert_string_equal(text, "tid,cpu,cgroup,cycles,weight cycles\n"
				  "7,3,\"/a,b\",5,6\n");
	free(text);
	profile__free(p);
}

static void hostile_names_are_quoted(void **state)
{
	struct profile *p = hostile_profile();
	char *text = WRITTEN(print__csv(f, p, &profile_opts));
#define COMM  "\"a;b\"\"c'd<e>f&g\\h??[31m\xef\xbf\xbd]]>\""
#define FRAME "a:b\"\"c'd<e>f&g\\h??[31m\xef\xbf\xbd]]>"

	assert_non_null(strstr(text, "\n" COMM ",1,\"" FRAME ";" FRAME "\",2,2000\n"));
	assert_non_null(strstr(text, "\n,1,,1,1000\n"));
	assert_int_equal(count_of(text, "\n"), 3);
	free(text);
	profile__free(p);
}

static void fields_and_metrics_have_columns(void **state)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");
	char *text;

	add_event(p, "kprobe:b");
	add_field(p, "sk", FIELD_HEX);
	add_field(p, "n", FIELD_SIGNED);
	add_metric(p, "ret", "", true);
	add_hits(p, (struct hit){ 0, 1, 0, 3, { 0xff, -1 }, { -7, -4, -1 } });
	add_hits(p, (struct hit){ 1, 1, 0, 2, { 0xff, -1 }, { 6, 2, 4 } });
	text = WRITTEN(print__csv(f, p, &(struct csv_opts){}));
	/* -7 / 3 = -2.333 */
	assert_string_equal(text, "pid,sk,n,kprobe:a,kprobe:b,ret_sum,ret_avg,ret_min,ret_max\n"
				  "1,0xff,-1,3,,-7,-2.333,-4,-1\n"
				  "1,0xff,-1,,2,6,3.000,2,4\n");
	free(text);
	profile__free(p);
}

static void a_histogram_has_a_line_for_each_range(void **state)
{
	struct profile *p = latencies("ns");
	char *text = WRITTEN(print__csv(f, p, &(struct csv_opts){}));

	assert_string_equal(text, "pid,fd,op,lat_from,lat_to,kprobe:a\n"
				  "42,3,r,1,1,12\n"
				  "42,3,r,4,7,988\n"
				  "7,4,r,,-1,1\n");
	free(text);
	profile__free(p);
}

static void measures_are_of_their_range(void **state)
{
	struct profile *p = new_hits(0, "kprobe:a");
	char *text;

	add_field(p, "n", FIELD_BUCKET);
	add_metric(p, "n", "", false);
	p->buckets = (struct buckets){ .metric = "n", .unit = "" };
	add_hits(p, (struct hit){ .n = 2, .words = { 3 }, .value = { 9, 4, 5 } });
	add_hits(p, (struct hit){ .n = 1, .words = { 0 }, .value = { 0, 0, 0 } });
	text = WRITTEN(print__csv(f, p, &(struct csv_opts){}));
	assert_string_equal(text, "n_from,n_to,kprobe:a,n_sum,n_avg,n_min,n_max\n"
				  "0,0,1,0,0.000,0,0\n"
				  "4,7,2,9,4.500,4,5\n");
	free(text);
	profile__free(p);
}

static void intervals_have_one_header(void **state)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");
	char *text;

	add_hits(p, (struct hit){ .pid = 1, .n = 3 });
	text = WRITTEN(print__csv(f, p, &(struct csv_opts){ .at_ns = 1000 }));
	assert_string_equal(text, "time_ns,pid,kprobe:a\n1000,1,3\n");
	free(text);
	profile__free(p);
	p = new_hits(BY_PID, "kprobe:a");
	add_hits(p, (struct hit){ .pid = 2, .n = 1 });
	text = WRITTEN(print__csv(f, p, &(struct csv_opts){ .at_ns = 2000, .no_header = true }));
	assert_string_equal(text, "2000,2,1\n");
	free(text);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__csv(f, p, &profile_opts), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_column_for_each_part_and_event),
		cmocka_unit_test(has_only_the_columns_that_were_kept),
		cmocka_unit_test(hostile_names_are_quoted),
		cmocka_unit_test(fields_and_metrics_have_columns),
		cmocka_unit_test(a_histogram_has_a_line_for_each_range),
		cmocka_unit_test(measures_are_of_their_range),
		cmocka_unit_test(intervals_have_one_header),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
