// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>

#include "base/utf8.h"
#include "print/flame/svg.h"

static char *svg(const struct profile *p, struct svg_opts o)
{
	return WRITTEN(print__svg(f, p, &o));
}

/* Skips "name" or "name="value"" parts of a tag up to its end. */
static const char *skip_tag(const char *s)
{
	while (*s && *s != '>') {
		assert_int_not_equal(*s, '<');
		if (*s++ != '"')
			continue;
		for (; *s && *s != '"'; s++)
			assert_int_not_equal(*s, '<');
		assert_int_equal(*s++, '"');
	}
	assert_int_equal(*s, '>');
	return s;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]))
		n++;
	assert_true(n > 0);
	return n;
}

static const char *skip_entity(const char *s)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(s, known[i], strlen(known[i])))
			return s + strlen(known[i]) - 1;
	fail_msg("a bare & at: %.40s", s);
	return s;
}

/* Not a validating parser: elements nest, entities are known, characters are XML 1.0's. */
static void assert_well_formed(const char *s)
{
	const char *open[64], *end;
	size_t depth = 0, len = strlen(s), i, n;

	for (i = 0; i < len; i += n) {
		n = utf8__sequence(s + i, len - i);
		assert_true(n > 0);
		assert_true((unsigned char)s[i] >= 0x20 || s[i] == '\n' || s[i] == '\t');
	}
	for (s = strstr(s, "?>\n") + 3; *s; s++) {
		if (*s == '&')
			s = skip_entity(s);
		if (*s != '<')
			continue;
		if (!strncmp(s, "<![CDATA[", 9)) {
			s = strstr(s, "]]>");
			assert_non_null(s);
			s += 2;
		} else if (s[1] == '/') {
			assert_true(depth > 0);
			n = name_length(s + 2);
			assert_int_equal(name_length(open[--depth]), n);
			assert_memory_equal(open[depth], s + 2, n);
			s = skip_tag(s + 1);
		} else {
			assert_true(depth < ARRAY_SIZE(open));
			end = skip_tag(s + 1);
			open[depth] = s + 1;
			depth += end[-1] != '/';
			s = end;
		}
	}
	assert_int_equal(depth, 0);
}

static struct json_object *data_of(const char *text)
{
	const char *from = strstr(text, "class=\"data\"><![CDATA["), *to;
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;

	assert_non_null(from);
	from = strchr(from, '{');
	to = strstr(from, "]]>");
	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, from, to - from);
	assert_int_equal(json_tokener_get_error(t), json_tokener_success);
	json_tokener_free(t);
	return o;
}

static const char *member(struct json_object *o, const char *key)
{
	struct json_object *value;

	assert_true(json_object_object_get_ex(o, key, &value));
	return json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
							     JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* All samples in the embedded tree: the numbers behind the colons. */
static uint64_t samples_in(struct json_object *data)
{
	const char *s = member(data, "tree");
	uint64_t sum = 0;

	for (s = strchr(s, ':'); s; s = strchr(s + 1, ':'))
		sum += strtoull(s + 1, NULL, 10);
	return sum;
}

static void embeds_the_whole_tree(void **state)
{
	struct profile *p = small_profile();
	char *text = svg(p, (struct svg_opts){ .event = 0 });
	struct json_object *data = data_of(text);

	assert_string_equal(member(data, "tree"), "\"0(1(2(3:2,4:3(4(5:5)))))\"");
	assert_string_equal(member(data, "names"),
			    "[\"all\",\"sh\",\"main\",\"sys_read\",\"work\",\"leaf\"]");
	assert_string_equal(member(data, "modules"), "[\"\",\"prog\"]");
	assert_string_equal(member(data, "module"), "[0,0,1,0,1,1]");
	assert_string_equal(member(data, "title"), "\"Flame graph of cycles\"");
	assert_string_equal(member(data, "icicle"), "false");
	assert_int_equal(strlen(member(data, "classes")), 2 + 6 * 2);
	assert_int_equal(samples_in(data), 10);
	json_object_put(data);
	free(text);
	profile__free(p);
}

/* 1200 px wide, 10 px margins: a sample is 118 px. Rows from the bottom: 5 * 16 + 78 = 158. */
static void draws_boxes_without_a_script(void **state)
{
	struct profile *p = small_profile();
	char *text = svg(p, (struct svg_opts){ .event = 0 });

	assert_well_formed(text);
	assert_int_equal(count_of(text, "<g class=\"u"), 4);
	assert_non_null(strstr(text, "<title>all\n10 samples, 100% of all</title>"
				     "<rect x=\"10\" y=\"158\" width=\"1179.5\" height=\"15\"/>"));
	assert_non_null(strstr(text, "<title>sys_read\n2 samples, 20% of all, 20% of parent</title>"
				     "<rect x=\"10\" y=\"110\" width=\"235.5\" height=\"15\"/>"
				     "<text x=\"13\" y=\"121\">sys_read</text>"));
	assert_non_null(strstr(text,
			       "<title>leaf [prog]\n5 samples, 50% of all, 100% of parent</title>"
			       "<rect x=\"246\" y=\"78\" width=\"589.5\" height=\"15\"/>"));
	assert_non_null(strstr(text, ">cycles · 10 samples · 2.00 s · 99 Hz · 4 CPUs<"));
	assert_non_null(strstr(text, "class=\"kept\" x=\"10\" y=\"62\">nothing lost<"));
	/* Kinds that do not occur are not in the legend. */
	assert_non_null(strstr(text, ">kernel</text>"));
	assert_null(strstr(text, ">JIT</text>"));
	free(text);
	profile__free(p);
}

static void inlined_functions_have_a_colour_and_a_legend(void **state)
{
	struct profile *p = new_profile();
	char *text;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uf", "ig", NULL), 3);
	text = svg(p, (struct svg_opts){ .event = 0 });
	assert_well_formed(text);
	assert_non_null(strstr(text, ">inlined</text>"));
	assert_non_null(strstr(text, "class=\"i3\""));
	free(text);
	profile__free(p);
}

static void an_icicle_has_the_root_on_top(void **state)
{
	struct profile *p = small_profile();
	char *text = svg(p, (struct svg_opts){ .event = 0, .icicle = true });

	assert_well_formed(text);
	assert_non_null(strstr(text, "<title>all\n10 samples, 100% of all</title>"
				     "<rect x=\"10\" y=\"78\" "));
	assert_non_null(strstr(text, "\"icicle\":true"));
	free(text);
	profile__free(p);
}

static void reversed_it_starts_at_the_leaves(void **state)
{
	struct profile *p = small_profile();
	char *text = svg(p, (struct svg_opts){ .event = 0, .reverse = true });
	struct json_object *data = data_of(text);

	assert_well_formed(text);
	assert_string_equal(member(data, "tree"), "\"0(1(2(2(3(4:5)))),5(3(4:2)),2(3(4:3)))\"");
	assert_non_null(strstr(text, "innermost frame first"));
	json_object_put(data);
	free(text);
	profile__free(p);
}

static void hostile_names_do_not_break_it(void **state)
{
	struct profile *p = hostile_profile();
	char *text = svg(p, (struct svg_opts){ .title = HOSTILE });
	struct json_object *data = data_of(text);

	assert_well_formed(text);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, ">a;b&quot;c'd&lt;e&gt;f&amp;g\\h"
				     "\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd]]&gt;"));
	/* Only the ends of sections: styles, data, script. */
	assert_int_equal(count_of(text, "]]>"), 3);
	assert_int_equal(count_of(text, "</script>"), 2);
	assert_int_equal(samples_in(data), 3);
	json_object_put(data);
	free(text);
	profile__free(p);
}

static void says_what_was_lost(void **state)
{
	struct profile *p = small_profile();
	char *text;

	p->losses.seen += 12;
	losses__add(&p->losses, &(struct loss){ "full", "table full", "use -x", false, 10 });
	losses__add(&p->losses, &(struct loss){ "nomem", "no memory", NULL, false, 2 });
	losses__add(&p->losses, &(struct loss){ "cut", "stacks cut", NULL, true, 3 });
	text = svg(p, (struct svg_opts){ .event = 0 });
	assert_non_null(strstr(text, "class=\"lost\" x=\"10\" y=\"62\">12 of 27 samples lost: "
				     "10 table full (use -x), 2 no memory · "
				     "incomplete: 3 stacks cut<"));
	free(text);
	profile__free(p);
}

/* 1 of 20001 samples is 0.06 px of 1180: only in the data. */
static void what_is_too_narrow_is_still_in_the_data(void **state)
{
	struct profile *p = new_profile();
	struct json_object *data;
	char *text;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uwide", NULL), 20000);
	add_row(p, 0, 1, add_stack(p, "csh", "uhair", NULL), 1);
	text = svg(p, (struct svg_opts){ .event = 0 });
	data = data_of(text);
	assert_null(strstr(text, "<title>hair"));
	assert_string_equal(member(data, "names"), "[\"all\",\"sh\",\"hair\",\"wide\"]");
	assert_int_equal(samples_in(data), 20001);
	json_object_put(data);
	free(text);
	profile__free(p);
}

/* 300 stacks of 101 boxes, 3.9 px each: too many for a viewer, so the deep end is cut. */
static void too_many_boxes_are_cut_by_depth_and_it_says_so(void **state)
{
	struct profile *p = new_profile();
	uint32_t inner = add_frame(p, "inner", "", FRAME_USER), n;
	struct json_object *data;
	char *text, name[32];

	add_event(p, "cycles");
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "uouter%d", i);
		n = add_stack(p, "csh", name, NULL);
		for (int j = 0; j < 100; j++)
			assert_int_equal(profile__child(p, n, inner, &n), 0);
		add_row(p, 0, 1, n, 1);
	}
	text = svg(p, (struct svg_opts){ .event = 0 });
	data = data_of(text);
	assert_well_formed(text);
	/* all, sh and 33 levels of 300 boxes make 9902; one more would be over 10,000 */
	assert_int_equal(count_of(text, "<g class=\"u"), 33 * 300);
	assert_non_null(strstr(text, ">first 35 of 103 levels</text>"));
	assert_int_equal(samples_in(data), 300);
	json_object_put(data);
	free(text);
	profile__free(p);
}

/* 100 samples in 0.5 px each: two make a sliver of 1 px, and none has its own element. */
static void thin_neighbours_share_an_element(void **state)
{
	struct profile *p = new_profile();
	char *text, name[32];

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uwide", NULL), 2260);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "uthin%02d", i);
		add_row(p, 0, 1, add_stack(p, "csh", name, NULL), 1);
	}
	text = svg(p, (struct svg_opts){ .event = 0 });
	assert_well_formed(text);
	assert_int_equal(count_of(text, "<title>thin"), 0);
	assert_int_equal(count_of(text, "h01.00v15h-01.00z"), 50);
	free(text);
	profile__free(p);
}

/* Seven boxes of 1180 px in all: 24 columns each. A command is no function. */
static void names_in_boxes_lose_their_arguments_first(void **state)
{
	struct profile *p = new_profile();
	char *text;

	add_event(p, "cycles");
	for (int i = 0; i < 7; i++) {
		char comm[] = "c0cmd(of, several, arguments)";

		comm[1] += i;
		add_row(p, 0, 1,
			add_stack(p, comm, "uns::Vec<std::pair<int, int>>::push(int)", NULL), 1);
	}
	text = svg(p, (struct svg_opts){ .event = 0 });
	assert_well_formed(text);
	assert_int_equal(count_of(text, ">ns::Vec&lt;..&gt;::push(..)</text>"), 7);
	assert_int_equal(count_of(text, "cmd(of, several, argum…</text>"), 7);
	free(text);
	profile__free(p);
}

static void a_function_keeps_its_colour(void **state)
{
	struct profile *p = small_profile(), *q = new_profile();
	char *a = svg(p, (struct svg_opts){ .event = 0 }), *b, *in_a, *in_b;

	add_event(q, "other");
	add_row(q, 0, 1, add_stack(q, "cother", "uelse", "uleaf", NULL), 1);
	b = svg(q, (struct svg_opts){ .event = 0 });
	in_a = strstr(a, "\"><title>leaf ");
	in_b = strstr(b, "\"><title>leaf ");
	assert_non_null(in_a);
	assert_non_null(in_b);
	assert_memory_equal(in_a - 2, in_b - 2, 2);
	free(a);
	free(b);
	profile__free(p);
	profile__free(q);
}

static void deep_and_empty_graphs_are_graphs(void **state)
{
	struct profile *p = new_profile(), *empty = new_profile();
	uint32_t f = add_frame(p, "f", "", FRAME_USER), n = add_stack(p, "csh", NULL);
	struct json_object *data;
	char *text;

	add_event(p, "cycles");
	for (int i = 0; i < 2000; i++)
		assert_int_equal(profile__child(p, n, f, &n), 0);
	add_row(p, 0, 1, n, 3);
	text = svg(p, (struct svg_opts){ .width = 1 });
	assert_well_formed(text);
	/* all, sh and 98 of them: more would be a tower. The data has all. */
	assert_int_equal(count_of(text, "<title>f\n"), 98);
	assert_non_null(strstr(text, ">first 100 of 2,002 levels</text>"));
	assert_non_null(strstr(text, "height=\"1688\"")); /* 78 + 100 * 16 + 10 */
	assert_null(strstr(text, "<meta"));		  /* would end it in a page of HTML */
	data = data_of(text);
	assert_int_equal(samples_in(data), 3);
	json_object_put(data);
	free(text);
	profile__free(p);

	p = new_profile();
	n = add_stack(p, "csh", NULL);
	f = add_frame(p, "f", "", FRAME_USER);
	add_event(p, "cycles");
	for (int i = 0; i < 98; i++)
		assert_int_equal(profile__child(p, n, f, &n), 0);
	add_row(p, 0, 1, n, 3);
	text = svg(p, (struct svg_opts){ .event = 0 });
	assert_int_equal(count_of(text, "<title>f\n"), 98);
	assert_null(strstr(text, "levels</text>"));
	free(text);
	profile__free(p);

	add_event(empty, "cycles");
	text = svg(empty, (struct svg_opts){ .event = 0 });
	assert_well_formed(text);
	assert_non_null(strstr(text, "<title>all\n0 samples"));
	free(text);
	assert_int_equal(print__svg(stdout, empty, &(struct svg_opts){ .event = 1 }), -EINVAL);
	profile__free(empty);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__svg(f, p, &(struct svg_opts){ .event = 0 }), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(embeds_the_whole_tree),
		cmocka_unit_test(draws_boxes_without_a_script),
		cmocka_unit_test(inlined_functions_have_a_colour_and_a_legend),
		cmocka_unit_test(an_icicle_has_the_root_on_top),
		cmocka_unit_test(reversed_it_starts_at_the_leaves),
		cmocka_unit_test(hostile_names_do_not_break_it),
		cmocka_unit_test(says_what_was_lost),
		cmocka_unit_test(what_is_too_narrow_is_still_in_the_data),
		cmocka_unit_test(too_many_boxes_are_cut_by_depth_and_it_says_so),
		cmocka_unit_test(thin_neighbours_share_an_element),
		cmocka_unit_test(names_in_boxes_lose_their_arguments_first),
		cmocka_unit_test(a_function_keeps_its_colour),
		cmocka_unit_test(deep_and_empty_graphs_are_graphs),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
