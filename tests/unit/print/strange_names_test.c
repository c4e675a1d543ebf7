// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every writer with the same names, which are of strangers: what drives a terminal, moves other
 * text or cannot be seen reaches no output, JSON has it all the same, and ordinary names stay as
 * they are. A writer belongs into the table `writers` below.
 */
#include "countings.h"
#include "hits.h"

#include <json-c/json.h>

#include "base/utf8.h"
#include "columns/column_defs.h"
#include "columns/columns.h"
#include "model/catalog.h"
#include "model/explained.h"
#include "model/findings.h"
#include "print/catalog.h"
#include "print/chrome.h"
#include "print/count_table.h"
#include "print/csv.h"
#include "print/explained.h"
#include "print/findings.h"
#include "print/firefox.h"
#include "print/flame/html.h"
#include "print/flame/svg.h"
#include "print/folded.h"
#include "print/func_table.h"
#include "print/profile_json.h"
#include "print/speedscope.h"
#include "print/stat_csv.h"
#include "print/stat_json.h"
#include "print/stat_separated.h"
#include "print/stat_table.h"
#include "print/table.h"
#include "print/top_csv.h"
#include "print/top_json.h"
#include "print/top_table.h"
#include "tui/canvas.h"

/* 15 bytes at most: a task's name has no more. All begin with "ab" and end with "yz". */
static const char *const strange[] = {
	"ab\x9b"
	"31myz", /* CSI, as one byte: no UTF-8 */
	"ab\xc2\x9b"
	"31myz",	/* U+009B */
	"ab\xc2\x80yz", /* U+0080 */
	"ab\xc2\x9d"
	"0;yz",		   /* U+009D: OSC */
	"ab\033]0;\007yz", /* the same in seven bits */
	"ab\x7fyz",	   /* DEL */
	"ab\nyz",	   /* another line */
	"ab\r\tyz",
	"ab\xd8\x9cyz",		/* U+061C */
	"ab\xe2\x80\x8eyz",	/* U+200E */
	"ab\xe2\x80\x8fyz",	/* U+200F */
	"ab\xe2\x80\xaayz",	/* U+202A */
	"ab\xe2\x80\xaeyz",	/* U+202E: all that follows is read from the right */
	"ab\xe2\x81\xa6yz",	/* U+2066 */
	"ab\xe2\x81\xa9yz",	/* U+2069 */
	"ab\xe2\x80\xa8yz",	/* U+2028: another line */
	"ab\xe2\x80\xa9yz",	/* U+2029 */
	"ab\xe2\x80\x8byz",	/* U+200B: nothing to be seen */
	"ab\xe2\x80\x8dyz",	/* U+200D, between letters */
	"ab\xe2\x81\xa0yz",	/* U+2060 */
	"ab\xc2\xadyz",		/* U+00AD */
	"ab\xef\xbb\xbfyz",	/* U+FEFF */
	"ab\xf3\xa0\x81\xa1yz", /* U+E0061, behind a letter */
	"ab\xed\xa0\x80yz",	/* a surrogate */
	"ab\xf0\x9f\xbf\xbfyz", /* U+1FFFF */
};

/* They may stand in every output, as they are. */
static const char *const ordinary[] = {
	"abGrößeyz",
	"ab\xd8\xa7\xd9\x84yz", /* Arabic letters */
	"ab関数yz",
	"ab\xd9\x85\xe2\x80\x8c\xd8\xa7yz", /* Persian, with U+200C where it belongs */
	"ab👩\xe2\x80\x8d🔧yz",		    /* one picture of two, by U+200D */
	"ab\xe2\x9d\xa4\xef\xb8\x8fyz",	    /* a heart and U+FE0F */
	"ab|'~yz",
};

static bool is_strange(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0x200b ||
	       c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x2069) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

/* What no output may have; colours are off: no ESC comes from us. 0: it has none of it. */
static uint32_t first_harm(const char *text)
{
	size_t left = strlen(text), n;
	uint32_t before = 0, c;

	for (; left; text += n, left -= n, before = c) {
		c = utf8__decode(text, left, &n);
		if (!utf8__sequence(text, left))
			return (unsigned char)*text;
		if (c != '\n' && is_strange(c))
			return c;
		if (before < 0x80 && (c == 0x200d || c == 0xe0061))
			return c;
	}
	return 0;
}

/* A name in each place that a profile has: event, command, functions, objects, fields, cgroup. */
static struct profile *named_profile(const char *name, unsigned by)
{
	struct profile *p = new_hits(by, name);
	const struct profile_metric m = { .name = name, .unit = name };
	struct profile_value v = { .sum = 1, .min = 1, .max = 1 };
	uint32_t node, cgroup;
	struct row_key key = {};
	uint64_t word;

	add_field(p, name, FIELD_TEXT);
	assert_int_equal(profile__metric(p, &m), 0);
	assert_int_equal(profile__child(p, 0, add_frame(p, name, "", FRAME_COMM), &node), 0);
	assert_int_equal(profile__child(p, node, add_frame(p, name, name, FRAME_USER), &node), 0);
	assert_int_equal(profile__child(p, node, add_frame(p, name, name, FRAME_KERNEL), &node), 0);
	word = text_word(p, name);
	cgroup = word;
	key.stack = node;
	key.cgroup = cgroup;
	assert_int_equal(tuples__add(&p->tuples, &word, &key.fields), 0);
	assert_int_equal(profile__add(p, &key, 1, 1, &v), 0);
	p->losses.seen = p->losses.kept = 1;
	return p;
}

enum { ALL_KEYS = BY_COMM | BY_PID | BY_CGROUP | BY_KSTACK | BY_USTACK };

#define OF_PROFILE(function, by, call)                                                             \
	static char *function(const char *name)                                                    \
	{                                                                                          \
		struct profile *p = named_profile(name, by);                                       \
		char *text = WRITTEN(call);                                                        \
                                                                                                   \
		profile__free(p);                                                                  \
		return text;                                                                       \
	}

OF_PROFILE(folded, ALL_KEYS, print__folded(f, p, 0))
OF_PROFILE(csv, ALL_KEYS, print__csv(f, p, &(struct csv_opts){ .weights = true }))
OF_PROFILE(json, ALL_KEYS, print__json(f, p, &(struct json_opts){ .command = "profile" }))
OF_PROFILE(firefox, ALL_KEYS, print__firefox(f, p, &(struct firefox_opts){ .title = name }))
OF_PROFILE(json_lines, ALL_KEYS,
	   print__json_lines(f, p, &(struct json_opts){ .command = "profile" }))
OF_PROFILE(chrome, ALL_KEYS, print__chrome(f, p, &(struct chrome_opts){ .title = name }))
OF_PROFILE(speedscope, ALL_KEYS,
	   print__speedscope(f, p, &(struct speedscope_opts){ .title = name }))
OF_PROFILE(count_table, ALL_KEYS,
	   print__count_table(f, p, &(struct count_table_opts){ .shown = MEASURE_SUM }))
OF_PROFILE(caller_table, BY_CALLER, print__count_table(f, p, &(struct count_table_opts){}))
OF_PROFILE(func_table, ALL_KEYS, print__func_table(f, p, &(struct func_table_opts){}))

/* All but the script, which has tabs of its own. */
static char *svg(const char *name)
{
	struct profile *p = named_profile(name, ALL_KEYS);
	char *text = WRITTEN(print__svg(f, p, &(struct svg_opts){ .title = name }));
	char *script = strstr(text, "<script><![CDATA[");

	assert_non_null(script);
	*script = '\0';
	profile__free(p);
	return text;
}

/* All behind the style and before the scripts, which have tabs of their own. */
static char *html(const char *name)
{
	const struct html_opts opts = { .command = "profile", .title = name };
	struct profile *p = named_profile(name, ALL_KEYS);
	char *text = WRITTEN(print__html(f, p, &opts));
	char *body = strstr(text, "<body>"), *script = strstr(text, "<script>\n");

	assert_non_null(body);
	assert_non_null(script);
	*script = '\0';
	memmove(text, body, strlen(body) + 1);
	profile__free(p);
	return text;
}

/* Neither fields nor metrics. */
static char *table(const char *name)
{
	struct profile *p = new_profile();
	char *text;
	uint32_t node;

	add_event(p, name);
	p->events[0].unit = p->events[0].name;
	p->events[0].hz = 0;
	p->events[0].period = 5;
	assert_int_equal(profile__child(p, 0, add_frame(p, name, name, FRAME_USER), &node), 0);
	add_row(p, 0, 1, node, 2);
	text = WRITTEN(print__table(f, p, &(struct table_opts){}));
	profile__free(p);
	return text;
}

static char *histogram(const char *name)
{
	struct profile *p = new_hits(BY_COMM, name);
	char *text;

	add_field(p, name, FIELD_BUCKET);
	add_field(p, name, FIELD_TEXT);
	p->buckets = (struct buckets){ .metric = name, .unit = name };
	add_hits(p, (struct hit){ .stack = add_stack(p, "cab", NULL),
				  .n = 1,
				  .words = { 1, text_word(p, name) } });
	text = WRITTEN(print__count_table(f, p, &(struct count_table_opts){}));
	profile__free(p);
	return text;
}

static struct counts *named_counts(const char *name, enum counts_by by)
{
	struct counts *c = new_counts(by);
	const struct counts_event events[] = {
		{ .name = name, .unit = name, .scale = 2, .group = COUNTS_NO_GROUP },
		{ .name = name, .unit = "", .scale = 1, .group = COUNTS_NO_GROUP, .why = name },
	};

	assert_int_equal(counts__event(c, &events[0]), 0);
	assert_int_equal(counts__event(c, &events[1]), 0);
	assert_int_equal(counts__set_target(c, name), 0);
	ADD_VALUES(c, ((struct counts_key){ .comm = name, .cgroup = name, .pid = 1, .tid = 1 }),
		   counted(1), absent(COUNT_NOT_SUPPORTED));
	return c;
}

#define OF_COUNTS(function, by, call)                                                              \
	static char *function(const char *name)                                                    \
	{                                                                                          \
		struct counts *c = named_counts(name, by);                                         \
		char *text = WRITTEN(call);                                                        \
                                                                                                   \
		counts__free(c);                                                                   \
		return text;                                                                       \
	}

OF_COUNTS(stat_table, COUNTS_BY_THREAD, print__stat_table(f, c, true))
OF_COUNTS(stat_total, COUNTS_BY_NOTHING, print__stat_table(f, c, true))
OF_COUNTS(stat_cgroup, COUNTS_BY_CGROUP, print__stat_table(f, c, true))
OF_COUNTS(stat_csv, COUNTS_BY_THREAD, print__stat_csv(f, c, true))
OF_COUNTS(stat_json, COUNTS_BY_CGROUP, print__stat_json(f, c))
OF_COUNTS(stat_separated, COUNTS_BY_THREAD,
	  print__stat_separated(f, c, &(struct stat_separated_opts){ ",", name }))

static struct catalog named_catalog(const char *name)
{
	const struct catalog_entry e = { .kind = CATALOG_TRACEPOINT,
					 .name = name,
					 .alias = name,
					 .group = name,
					 .text = name,
					 .encoding = name,
					 .unit = name };
	const struct catalog_field member = { .name = name, .type = name };
	struct catalog_pattern all;
	struct catalog c;

	assert_int_equal(catalog_pattern__compile(&all, NULL), 0);
	assert_int_equal(catalog__init(&c, &all), 0);
	assert_int_equal(catalog__add(&c, &e), 0);
	assert_int_equal(catalog__add_field(&c, &member), 0);
	return c;
}

#define OF_CATALOG(function, call)                                                                 \
	static char *function(const char *name)                                                    \
	{                                                                                          \
		struct catalog c = named_catalog(name);                                            \
		char *text = WRITTEN(call);                                                        \
                                                                                                   \
		catalog__free(&c);                                                                 \
		return text;                                                                       \
	}

OF_CATALOG(list, print__catalog_table(f, &c, &(struct catalog_table_opts){}))
OF_CATALOG(list_grouped,
	   print__catalog_table(f, &c, &(struct catalog_table_opts){ .headlines = true }))
OF_CATALOG(list_fields, print__catalog_table(f, &c, &(struct catalog_table_opts){ .fields = true }))
OF_CATALOG(list_json, print__catalog_json(f, &c, true))

static struct findings named_findings(const char *name)
{
	struct findings found = {};

	findings__add(&found, "kernel", "btf", FINDING_MISSING, "%s", name);
	findings__subject(&found, "%s", name);
	findings__cost(&found, "%s", name);
	findings__fix(&found, "%s", name);
	assert_int_equal(findings__error(&found), 0);
	return found;
}

static char *doctor(const char *name)
{
	struct findings found = named_findings(name);
	char *text = WRITTEN(print__findings_table(f, &found, &(struct findings_table_opts){}));

	findings__free(&found);
	return text;
}

static char *doctor_json(const char *name)
{
	struct findings found = named_findings(name);
	char *text = WRITTEN(print__findings_json(f, &found, "doctor"));

	findings__free(&found);
	return text;
}

static struct explanations named_explanations(const char *name)
{
	struct explanations l;
	struct explained *x;

	assert_int_equal(explanations__init(&l), 0);
	assert_int_equal(explanations__add(&l, &x), 0);
	x->unit = "";
	x->scale = 1;
	if (explanations__set(&l, &x->name, name) || explanations__set(&l, &x->origin, name) ||
	    explanations__set(&l, &x->text, name) || explanations__set(&l, &x->form, name) ||
	    explanations__set(&l, &x->unit, name) || explanations__set(&l, &x->adds_to, name) ||
	    explanations__set(&l, &x->process.why, name) ||
	    explanations__add_field(&l, x, "config", 1, true, name))
		fail();
	return l;
}

static char *explained(const char *name)
{
	struct explanations l = named_explanations(name);
	char *text = WRITTEN(print__explained_table(f, &l, false));

	explanations__free(&l);
	return text;
}

static char *explained_json(const char *name)
{
	struct explanations l = named_explanations(name);
	char *text = WRITTEN(print__explained_json(f, &l));

	explanations__free(&l);
	return text;
}

/* By process or cgroup, with a name in each place that the live view has. */
static char *top(const char *name, enum live_by by, int (*write)(FILE *f, const struct top_page *p))
{
	const struct live_event events[] = {
		{ .name = name, .group = 0, .enabled_ns = 4000, .running_ns = 1000 },
		{ .name = name, .why = name, .state = COUNT_NOT_SUPPORTED, .group = 1 },
		{ .name = name, .group = 2, .enabled_ns = 4000 },
	};
	const struct process one = { 11, 1, 33, false, "", name };
	const uint64_t values[] = { 1000, 1, 1, 1, 1 };
	struct live_task t = { .tgid = 11, .tid = 11, .cgroup = 1 };
	struct processes *processes = processes__new();
	struct column_defs *defs = column_defs__new();
	struct live *live = live__new(ARRAY_SIZE(values));
	struct columns columns = {};
	struct live_rows rows = {};
	struct live_about *a = live__about(live);
	struct buf why = {};
	struct top_page page;
	char *text;

	a->interval_ns = 1000000;
	a->nr_cpus = 1;
	strncpy(t.comm, name, sizeof(t.comm) - 1);
	strncpy(a->host, name, sizeof(a->host) - 1);
	strncpy(a->kernel, name, sizeof(a->kernel) - 1);
	assert_int_equal(live__add(live, &t, 0, values), 0);
	assert_int_equal(live__set_events(live, events, ARRAY_SIZE(events)), 0);
	if (processes__set(processes, &one) || processes__set_user(processes, 33, name) ||
	    processes__set_cgroup(processes, 1, name, name))
		fail();
	if (columns__choose(&columns, defs, "cpu", a->events, a->nr_events, false, &why))
		fail_msg("%s", why.data);
	assert_int_equal(columns__explain(&columns, a), 0);
	assert_int_equal(live__rows(live, by, &rows), 0);
	page = (struct top_page){ .live = live,
				  .columns = &columns,
				  .rows = &rows,
				  .by = by,
				  .max_rows = SIZE_MAX,
				  .full = true,
				  .processes = processes };
	text = WRITTEN(write(f, &page));
	columns__free(&columns);
	live_rows__free(&rows);
	live__free(live);
	column_defs__free(defs);
	processes__free(processes);
	return text;
}

static int csv_page(FILE *f, const struct top_page *p)
{
	return print__top_csv(f, p, true);
}

static char *top_table(const char *name)
{
	return top(name, LIVE_PROCESSES, print__top_table);
}

static char *top_cgroups(const char *name)
{
	return top(name, LIVE_CGROUPS, print__top_table);
}

static char *top_csv(const char *name)
{
	return top(name, LIVE_THREADS, csv_page);
}

static char *top_json(const char *name)
{
	return top(name, LIVE_PROCESSES, print__top_json);
}

static char *screen(const char *name)
{
	struct canvas page = {};
	struct buf out = {};

	assert_int_equal(canvas__begin(&page, 40, 2), 0);
	canvas__put(&page, 0, 0, 40, STYLE_PLAIN, name);
	canvas__put_right(&page, 0, 1, 40, STYLE_PLAIN, name);
	assert_int_equal(canvas__text(&page, &out), 0);
	canvas__free(&page);
	return out.data;
}

static const struct writer_case {
	const char *who;
	char *(*write)(const char *name);
	enum { TEXT, JSON, SCREEN } kind;
} writers[] = {
	{ "profile table", table, TEXT },
	{ "profile folded", folded, TEXT },
	{ "profile svg", svg, TEXT },
	{ "profile html", html, TEXT },
	{ "profile csv", csv, TEXT },
	{ "profile json", json, JSON },
	{ "profile speedscope", speedscope, JSON },
	{ "profile firefox", firefox, JSON },
	{ "profile chrome", chrome, JSON },
	{ "count table", count_table, TEXT },
	{ "count by caller", caller_table, TEXT },
	{ "count histogram", histogram, TEXT },
	{ "func table", func_table, TEXT },
	{ "stat table", stat_table, TEXT },
	{ "stat total", stat_total, TEXT },
	{ "stat by cgroup", stat_cgroup, TEXT },
	{ "stat csv", stat_csv, TEXT },
	{ "stat -x", stat_separated, TEXT },
	{ "stat json", stat_json, JSON },
	{ "list", list, TEXT },
	{ "list grouped", list_grouped, TEXT },
	{ "list --fields", list_fields, TEXT },
	{ "list json", list_json, JSON },
	{ "list --explain", explained, TEXT },
	{ "list --explain json", explained_json, JSON },
	{ "doctor", doctor, TEXT },
	{ "doctor json", doctor_json, JSON },
	{ "top table", top_table, TEXT },
	{ "top by cgroup", top_cgroups, TEXT },
	{ "top csv", top_csv, TEXT },
	{ "top json", top_json, JSON },
	{ "top screen", screen, SCREEN },
};

static void strange_names_do_no_harm(void **state)
{
	size_t bad = 0;

	for (size_t i = 0; i < ARRAY_SIZE(writers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(strange); k++) {
			char *text = writers[i].write(strange[k]);
			uint32_t harm = first_harm(text);

			if (harm || !strstr(text, "ab") || !strstr(text, "yz")) {
				print_error("%s, name %zu: U+%04X\n", writers[i].who, k, harm);
				bad++;
			}
			free(text);
		}
	assert_int_equal(bad, 0);
}

/* Nothing but what the name has, and U+FFFD for bytes that are no character. */
static bool has_string(struct json_object *o, const char *name)
{
	if (json_object_is_type(o, json_type_string))
		return !strcmp(json_object_get_string(o), name);
	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			if (has_string(json_object_array_get_idx(o, i), name))
				return true;
	} else if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, value)
		{
			if (!strcmp(key, name) || has_string(value, name))
				return true;
		}
	}
	return false;
}

static void assert_json_has(const char *who, const char *text, const char *name)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;
	struct buf valid = {};

	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, text, strlen(text) + 1);
	if (json_tokener_get_error(t) != json_tokener_success)
		fail_msg("%s: no JSON: %s", who, text);
	assert_int_equal(utf8__put_valid(&valid, name, strlen(name)), 0);
	if (!has_string(o, valid.data))
		fail_msg("%s: lost a part of the name: %s", who, text);
	buf__free(&valid);
	json_object_put(o);
	json_tokener_free(t);
}

static void json_loses_nothing_of_them(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(strange) && writers[i].kind == JSON; k++) {
			char *text = writers[i].write(strange[k]);

			assert_json_has(writers[i].who, text, strange[k]);
			free(text);
		}
}

static void ordinary_names_stay_as_they_are(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(ordinary); k++) {
			char *text = writers[i].write(ordinary[k]);

			/* The screen has a cell for each: nothing is joined there. */
			if (writers[i].kind != SCREEN && !strstr(text, ordinary[k]))
				fail_msg("%s: %s is not in %s", writers[i].who, ordinary[k], text);
			free(text);
		}
}

/* What programs read has names whole, however long. */
static void files_have_long_names_whole(void **state)
{
	static char *(*const of[])(const char *name) = { folded,     csv,     json,
							 json_lines, svg,     html,
							 speedscope, firefox, chrome };
	char name[10001];

	memset(name, 'x', sizeof(name));
	memcpy(name, "ab", 2);
	memcpy(name + sizeof(name) - 3, "yz", 3);
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		char *text = of[i](name);

		assert_non_null(strstr(text, name));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strange_names_do_no_harm),
		cmocka_unit_test(json_loses_nothing_of_them),
		cmocka_unit_test(ordinary_names_stay_as_they_are),
		cmocka_unit_test(files_have_long_names_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
