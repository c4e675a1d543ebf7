// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "json_path.h"
#include "columns/shade.h"
#include "print/flame/html.h"

static const struct html_opts opts = { .command = "report" };

static char *page_of(const struct profile *p, const struct html_opts *o)
{
	return WRITTEN(print__html(f, p, o));
}

static struct json_object *data_of(const struct profile *p, const struct html_opts *o)
{
	static const char begin[] = "<script type=\"application/json\" id=\"data\">";
	char *page = page_of(p, o), *data = strstr(page, begin), *end;
	struct json_object *doc;

	assert_non_null(data);
	data += strlen(begin);
	end = strstr(data, "</script>");
	assert_non_null(end);
	*end = '\0';
	assert_null(strpbrk(data, "<>&"));
	doc = parse(data);
	free(page);
	return doc;
}

static unsigned digit_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	assert_true(c && at);
	return at - digits;
}

/* "1 -1 300": the numbers of a column, signed ones as they are written. */
static void assert_column(struct json_object *doc, const char *path, bool near,
			  const char *expected)
{
	const char *text = string(doc, path);
	struct capture *c = capture_open();
	uint64_t n = 0, bits = 0;
	unsigned shift = 0, nr_bits = 0, nr = 0;
	char *numbers;

	assert_int_equal(strlen(text) % 4, 0);
	for (; *text && *text != '='; text++) {
		bits = bits << 6 | digit_of(*text);
		nr_bits += 6;
		if (nr_bits < 8)
			continue;
		nr_bits -= 8;
		n |= (bits >> nr_bits & 127) << shift;
		shift += 7;
		if (bits >> nr_bits & 128)
			continue;
		if (near)
			fprintf(c->f, "%s%lld", nr++ ? " " : "",
				(long long)(n & 1 ? ~(n >> 1) : n >> 1));
		else
			fprintf(c->f, "%s%llu", nr++ ? " " : "", (unsigned long long)n);
		n = shift = 0;
	}
	assert_int_equal(shift, 0);
	numbers = capture_close(c);
	assert_string_equal(numbers, expected);
	free(numbers);
}

/* Nodes: sh main work work leaf, sys_read below main, node run. */
static void tables_are_columns_of_numbers(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o = data_of(p, &opts);

	assert_int_equal(number(o, "nodes.nr"), 9);
	assert_column(o, "nodes.parent", false, "0 1 1 1 1 1 4 7 1");
	assert_int_equal(number(o, "frames.nr"), 7);
	assert_string_equal(string(o, "frames.kind"), "0111203");
	assert_int_equal(number(o, "rows.nr"), 6);
	assert_column(o, "rows.event", false, "0 0 0 0 1 1");
	assert_column(o, "rows.pid", true, "1 1 -1 0 0 8");
	assert_column(o, "rows.node", true, "5 0 -2 3 0 2");
	assert_column(o, "rows.samples", false, "3 2 3 2 4 1");
	assert_null(at(o, "rows.tid"));
	assert_null(at(o, "rows.cgroup"));
	assert_null(at(o, "windows"));
	json_object_put(o);
	profile__free(p);
}

/* 2500 cycles in 22 samples are 113 each, on average. */
static void weights_are_told_from_the_usual_one(void **state)
{
	const struct html_opts weighed = { .command = "report", .weights = true };
	struct profile *p = grouped_profile();
	struct json_object *o = data_of(p, &weighed);

	assert_int_equal(number(o, "events.0.each"), 113);
	assert_int_equal(number(o, "events.1.each"), 0); /* it has no samples */
	assert_column(o, "rows.samples", false, "10 0 10 0 1 1");
	assert_column(o, "rows.weight", true, "-130 2000 -130 500 387 -113");
	json_object_put(o);

	/* As it was asked for, though some were longer: what is over is told. */
	p->events[0].period = 100;
	o = data_of(p, &weighed);
	assert_int_equal(number(o, "events.0.each"), 100);
	assert_column(o, "rows.weight", true, "0 2000 0 500 400 -100");
	json_object_put(o);

	o = data_of(p, &opts); /* not known */
	assert_null(at(o, "rows.weight"));
	json_object_put(o);
	for (size_t i = 0; i < p->nr_rows; i++)
		p->rows[i].weight = p->rows[i].samples;
	o = data_of(p, &weighed); /* nothing else than samples */
	assert_null(at(o, "rows.weight"));
	json_object_put(o);
	profile__free(p);
}

static void windows_have_weights(void **state)
{
	const struct html_opts weighed = { .command = "report", .weights = true };
	struct row_key key = { .pid = 1 };
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	key.stack = add_stack(p, "csh", "ua", NULL);
	assert_int_equal(profile__add(p, &key, 3, 290, NULL), 0);
	assert_int_equal(profile__close_window(p, 100), 0);
	assert_int_equal(profile__add(p, &key, 1, 110, NULL), 0);
	assert_int_equal(profile__close_window(p, 200), 0);
	o = data_of(p, &weighed);
	assert_int_equal(number(o, "events.0.each"), 100);
	assert_column(o, "rows.weight", true, "0");
	assert_column(o, "windows.weight", true, "-10 10");
	json_object_put(o);
	profile__free(p);
}

static void a_ratio_is_a_formula_in_postfix_order(void **state)
{
	static const char *const want[][2] = {
		{ "ipc",
		  "{\"title\":\"IPC\",\"events\":[1,0],\"formula\":[\"#0\",\"#1\",\"\\/\"]}" },
		{ "-(cycles + 0.5) * 1e22 - instructions",
		  "{\"title\":\"-(cycles + 0.5) * 1e22 - instructions\",\"events\":[0,1],"
		  "\"formula\":[\"#0\",0.5,\"+\",\"~\",1e+22,\"*\",\"#1\",\"-\"]}" },
	};
	struct profile *p = grouped_profile();
	struct json_object *o = data_of(p, &opts);

	assert_null(at(o, "color"));
	json_object_put(o);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct html_opts colored = { .command = "report", .weights = true };
		struct shade *shade;
		struct buf why = {};

		assert_int_equal(shade__open(&shade, want[i][0], p, &why), 0);
		colored.shade = shade;
		o = data_of(p, &colored);
		assert_string_equal(
			json_object_to_json_string_ext(at(o, "color"), JSON_C_TO_STRING_PLAIN),
			want[i][1]);
		json_object_put(o);
		shade__free(shade);
	}
	profile__free(p);
}

static void large_numbers_are_whole(void **state)
{
	static const uint64_t samples[] = { 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX >> 1 };
	struct profile *p = new_profile();
	struct json_object *o;

	p->by |= BY_TID | BY_CGROUP;
	add_event(p, "cycles");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct row_key key = {
			.pid = i,
			.tid = i % 2 ? UINT32_MAX : 0,
			.stack = add_stack(p, "csh", NULL),
		};

		assert_int_equal(profile__add(p, &key, samples[i], 0, NULL), 0);
	}
	o = data_of(p, &opts);
	assert_column(o, "rows.samples", false,
		      "127 128 16383 16384 4294967295 9223372036854775807");
	assert_column(o, "rows.tid", true,
		      "0 4294967295 -4294967295 4294967295 -4294967295 4294967295");
	assert_column(o, "rows.cgroup", true, "0 0 0 0 0 0");
	json_object_put(o);
	profile__free(p);
}

static void windows_have_their_entries_and_losses(void **state)
{
	struct profile *p = new_profile();
	uint32_t a = add_stack(p, "csh", "ua", NULL), b = add_stack(p, "csh", "ub", NULL);
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, a, 3);
	assert_int_equal(profile__close_window(p, 100), 0);
	losses__add(&p->losses, &(struct loss){ .name = "full", .text = "table full", .n = 2 });
	assert_int_equal(profile__close_window(p, 250), 0);
	add_row(p, 0, 1, b, 4);
	add_row(p, 0, 1, a, 1);
	assert_int_equal(profile__close_window(p, 300), 0);
	o = data_of(p, &opts);
	assert_int_equal(number(o, "windows.nr"), 3);
	assert_int_equal(number(o, "windows.begin"), 0);
	assert_column(o, "windows.end", false, "100 150 50");
	assert_column(o, "windows.lost", false, "0 2 0");
	assert_column(o, "windows.count", false, "1 0 2");
	assert_int_equal(number(o, "windows.entries"), 3);
	assert_column(o, "windows.row", true, "0 0 1");
	assert_column(o, "windows.samples", false, "3 1 4");
	json_object_put(o);
	profile__free(p);
}

static void what_was_asked_for_is_shown_first(void **state)
{
	const struct html_opts other = {
		.command = "count", .noun = "hit", .event = 1, .reverse = true, .icicle = true
	};
	struct profile *p = small_profile();
	struct json_object *o = data_of(p, &opts);

	assert_string_equal(string(o, "view"), "flame");
	assert_string_equal(string(o, "noun"), "sample");
	assert_int_equal(number(o, "event"), 0);
	assert_string_equal(string(o, "title"), "pmutrace report");
	assert_string_equal(string(o, "events.1.name"), "faults");
	assert_int_equal(number(o, "events.1.samples"), 5);
	assert_string_equal(string(o, "events.1.rate"), "99 Hz");
	json_object_put(o);
	o = data_of(p, &other);
	assert_string_equal(string(o, "view"), "callers");
	assert_string_equal(string(o, "losses"), "nothing lost");
	assert_string_equal(string(o, "events.1.line"),
			    "faults (5 hits; of all events nothing lost)");
	assert_int_equal(number(o, "event"), 1);
	json_object_put(o);
	profile__free(p);
}

static void what_was_measured_is_told_without_scripts(void **state)
{
	const struct html_opts titled = { .command = "profile", .title = "a<b>&\"c\"\xff" };
	const struct profile_about about = {
		.host = "<host>", .kernel = "6.1", .machine = "", .cpu = "", .begin_ns = 1000000000
	};
	struct profile *p = small_profile();
	char *page;

	assert_int_equal(profile__set_about(p, &about), 0);
	losses__add(&p->losses, &(struct loss){ .name = "full", .text = "table <full>", .n = 2 });
	p->losses.seen += 2;
	page = page_of(p, &titled);
	assert_non_null(strstr(page, "<h1>a&lt;b&gt;&amp;&quot;c&quot;\xef\xbf\xbd</h1>"));
	assert_non_null(strstr(page, "<p class=\"about\">&lt;host&gt; · Linux 6.1 · 1970-01-01 "
				     "00:00:01 UTC · 2.00 s · 4 CPUs</p>"));
	assert_non_null(strstr(page, "<p class=\"losses lost\">2 of 17 samples lost: 2 table "
				     "&lt;full&gt;</p>"));
	assert_null(strstr(page, "http://"));
	assert_null(strstr(page, "https://"));
	free(page);
	profile__free(p);
}

static bool has_string(struct json_object *o, const char *s)
{
	for (size_t i = 0; i < length(o, "strings"); i++) {
		struct json_object *one = json_object_array_get_idx(at(o, "strings"), i);

		if (!strcmp(json_object_get_string(one), s))
			return true;
	}
	return false;
}

static void no_name_ends_the_data(void **state)
{
	static const char name[] = "</script><script>alert(1)</script><!--<script>";
	struct profile *p = new_profile();
	struct json_object *o;
	char *page;

	add_event(p, name);
	add_row(p, 0, 1,
		add_stack(p, "c</script>", "u</script><script>alert(1)</script><!--<script>", NULL),
		1);
	o = data_of(p, &opts);
	assert_true(has_string(o, name));
	assert_string_equal(string(o, "events.0.name"), name);
	json_object_put(o);
	page = page_of(p, &opts);
	assert_int_equal(count_of(page, "</script"), 2);
	assert_null(strstr(page, "<!--"));
	free(page);
	profile__free(p);
}

static void no_such_event_and_a_full_disk_are_errors(void **state)
{
	const struct html_opts third = { .command = "report", .event = 2 };
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__html(stdout, p, &third), -EINVAL);
	assert_int_equal(print__html(f, p, &opts), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_columns_of_numbers),
		cmocka_unit_test(weights_are_told_from_the_usual_one),
		cmocka_unit_test(windows_have_weights),
		cmocka_unit_test(a_ratio_is_a_formula_in_postfix_order),
		cmocka_unit_test(large_numbers_are_whole),
		cmocka_unit_test(windows_have_their_entries_and_losses),
		cmocka_unit_test(what_was_asked_for_is_shown_first),
		cmocka_unit_test(what_was_measured_is_told_without_scripts),
		cmocka_unit_test(no_name_ends_the_data),
		cmocka_unit_test(no_such_event_and_a_full_disk_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
