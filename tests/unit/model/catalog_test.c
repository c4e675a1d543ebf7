// SPDX-License-Identifier: BSD-2-Clause
/* What can be measured: which names a pattern means, PMUs as sysfs has them, and how it is shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_fill.h"
#include "catalog/explain.h"
#include "model/catalog.h"
#include "print/catalog.h"
#include "print/explained.h"
#include "tracefs_fixture.h"

#define DEVICES "sys/bus/event_source/devices/"

static bool means(const char *pattern, const char *name)
{
	struct catalog_pattern p;

	assert_int_equal(catalog_pattern__compile(&p, pattern), 0);
	return catalog_pattern__matches(&p, name);
}

static void a_word_is_a_part_of_the_name_case_aside(void **state)
{
	assert_true(means("cycles", "cpu-cycles"));
	assert_true(means("l1-DCACHE", "L1-dcache-loads"));
	assert_true(means("sched:sched_sw", "sched:sched_switch"));
	assert_false(means("cycles", "cycle"));
	assert_false(means("", "cycles"));
	assert_true(means(NULL, "cycles"));
}

static void a_glob_is_the_whole_name_or_what_is_behind_a_colon(void **state)
{
	assert_true(means("sched_*", "sched:sched_switch"));
	assert_true(means("sched:*", "sched:sched_switch"));
	assert_true(means("SCHED:*", "sched:sched_switch"));
	assert_false(means("switch*", "sched:sched_switch"));
	assert_false(means("sched", "shed:x"));
	assert_true(means("INST_*", "skl::INST_RETIRED:ANY_P"));
	assert_true(means("any_?", "skl::INST_RETIRED:ANY_P"));
	assert_false(means("INST_*D", "skl::INST_RETIRED:ANY_P"));
}

static void a_glob_may_be_the_event_of_a_pmu_alone(void **state)
{
	assert_true(means("mem-*", "cpu/mem-loads/"));
	assert_true(means("cpu/*", "cpu/mem-loads/"));
	assert_false(means("loads*", "cpu/mem-loads/"));
	assert_false(means("m*", "/"));
	assert_false(means("m*", "/x"));
}

static void too_long_a_glob_is_refused(void **state)
{
	struct catalog_pattern p;
	char text[80];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(catalog_pattern__compile(&p, text), 0);
	text[0] = '*';
	assert_int_equal(catalog_pattern__compile(&p, text), -E2BIG);
}

static void kinds_are_known_by_the_words_of_perf_list(void **state)
{
	enum catalog_kind kind;

	assert_true(catalog_kind__parse("hw", 2, &kind));
	assert_int_equal(kind, CATALOG_HARDWARE);
	assert_true(catalog_kind__parse("sw,hw", 2, &kind));
	assert_int_equal(kind, CATALOG_SOFTWARE);
	assert_true(catalog_kind__parse("tracepoint", 10, &kind));
	assert_int_equal(kind, CATALOG_TRACEPOINT);
	assert_false(catalog_kind__parse("tracepoint", 5, &kind));
	assert_false(catalog_kind__parse("", 0, &kind));
	for (unsigned i = 0; i < CATALOG_NR; i++) {
		const char *name = catalog_kind__name(i);

		assert_true(catalog_kind__parse(name, strlen(name), &kind));
		assert_int_equal(kind, i);
	}
}

static struct catalog new_catalog(const char *pattern)
{
	struct catalog_pattern p;
	struct catalog c;

	assert_int_equal(catalog_pattern__compile(&p, pattern), 0);
	assert_int_equal(catalog__init(&c, &p), 0);
	return c;
}

static const struct catalog_entry *find(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->items[i].name, name))
			return &c->items[i];
	return NULL;
}

static void an_alias_matches_as_well(void **state)
{
	const struct catalog_entry cs = { .name = "context-switches", .alias = "cs" };
	const struct catalog_entry faults = { .name = "page-faults", .alias = "faults" };
	struct catalog c = new_catalog("c?");

	assert_int_equal(catalog__add(&c, &cs), 0);
	assert_int_equal(catalog__add(&c, &faults), 0);
	assert_int_equal(c.nr, 1);
	assert_string_equal(c.items[0].name, "context-switches");
	assert_string_equal(c.items[0].unit, "");
	assert_null(c.items[0].text);
	catalog__free(&c);
}

static void sorted_by_kind_then_by_name(void **state)
{
	const struct catalog_entry in[] = {
		{ .kind = CATALOG_TRACEPOINT, .name = "a:a" },
		{ .kind = CATALOG_SOFTWARE, .name = "z" },
		{ .kind = CATALOG_HARDWARE, .name = "y" },
		{ .kind = CATALOG_SOFTWARE, .name = "b" },
	};
	const char *const sorted[] = { "y", "b", "z", "a:a" };
	struct catalog c = new_catalog(NULL);

	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		assert_int_equal(catalog__add(&c, &in[i]), 0);
	catalog__sort(&c);
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		assert_string_equal(c.items[i].name, sorted[i]);
	catalog__free(&c);
}

/*
 * perf_event.h: cache | op << 8 | result << 16; 7 caches with 3 ops and 2 results each, but without
 * stores into caches of instructions and into the branch predictor, and prefetches into the latter
 * and the instruction TLB.
 */
static void generic_events_have_the_numbers_of_the_kernel(void **state)
{
	const struct catalog_fill_opts o = { .root = "" };
	struct catalog c = new_catalog(NULL);
	size_t caches = 0;

	assert_int_equal(catalog_fill__generic(&c, &o, ~0u), 0);
	assert_string_equal(find(&c, "cycles")->encoding, "type=0 config=0x0");
	assert_string_equal(find(&c, "cycles")->alias, "cpu-cycles");
	assert_string_equal(find(&c, "page-faults")->encoding, "type=1 config=0x2");
	assert_string_equal(find(&c, "task-clock")->unit, "ns");
	assert_string_equal(find(&c, "LLC-load-misses")->encoding, "type=3 config=0x10002");
	assert_string_equal(find(&c, "LLC-load-misses")->text,
			    "reads that missed the last level cache");
	assert_string_equal(find(&c, "dTLB-stores")->encoding, "type=3 config=0x103");
	assert_int_equal(find(&c, "cycles")->state, CATALOG_UNKNOWN);
	for (size_t i = 0; i < c.nr; i++)
		caches += c.items[i].kind == CATALOG_CACHE;
	assert_int_equal(caches, (7 * 3 - 3 - 2) * 2);
	catalog__free(&c);

	c = new_catalog(NULL);
	assert_int_equal(catalog_fill__generic(&c, &o, 1u << CATALOG_SOFTWARE), 0);
	assert_null(find(&c, "cycles"));
	assert_non_null(find(&c, "page-faults"));
	catalog__free(&c);
}

/* Of an Intel machine. */
static void put_pmus(const struct fixture *f)
{
	fixture__put(f, DEVICES "cpu/type", "4\n");
	fixture__put(f, DEVICES "cpu/format/event", "config:0-7\n");
	fixture__put(f, DEVICES "cpu/format/umask", "config:8-15\n");
	fixture__put(f, DEVICES "cpu/format/edge", "config:18\n");
	fixture__put(f, DEVICES "cpu/format/ldlat", "config1:0-15\n");
	fixture__put(f, DEVICES "cpu/format/offcore_rsp", "config1:0-63\n");
	fixture__put(f, DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	fixture__put(f, DEVICES "power/type", "9\n");
	fixture__put(f, DEVICES "power/cpumask", "0\n");
	fixture__put(f, DEVICES "power/format/event", "config:0-7\n");
	fixture__put(f, DEVICES "power/events/energy-pkg", "event=0x02\n");
	fixture__put(f, DEVICES "power/events/energy-pkg.unit", "Joules\n");
	fixture__put(f, DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	fixture__put(f, DEVICES "odd/type", "12\n");
	fixture__put(f, DEVICES "odd/format/event", "config:0-7,32-35\n");
}

static void events_of_pmus_have_their_terms_and_units(void **state)
{
	struct fixture f;
	struct catalog c = new_catalog(NULL);

	fixture__open(&f);
	put_pmus(&f);
	assert_int_equal(catalog_fill__pmus(&c, &(struct catalog_fill_opts){ .root = f.dir }), 0);
	assert_int_equal(c.nr, 2);
	assert_string_equal(find(&c, "cpu/mem-loads/")->encoding,
			    "cpu/event=0xcd,umask=0x1,ldlat=3/");
	assert_string_equal(find(&c, "cpu/mem-loads/")->alias, "mem-loads");
	assert_string_equal(find(&c, "power/energy-pkg/")->unit, "Joules");
	assert_string_equal(find(&c, "power/energy-pkg/")->group, "power");
	assert_null(find(&c, "power/energy-pkg/")->alias);
	assert_int_equal(catalog_fill__syntax(&c, &(struct catalog_fill_opts){ .root = f.dir }), 0);
	assert_non_null(strstr(find(&c, "cpu/TERMS/")->text, "umask (config:8-15)"));
	catalog__free(&c);
	fixture__close(&f);
}

static void without_sysfs_there_are_no_pmus(void **state)
{
	struct fixture f;
	struct catalog c = new_catalog(NULL);

	fixture__open(&f);
	assert_int_equal(catalog_fill__pmus(&c, &(struct catalog_fill_opts){ .root = f.dir }), 0);
	assert_int_equal(c.nr, 0);
	catalog__free(&c);
	fixture__close(&f);
}

static void put_tracefs(const struct fixture *f)
{
	fixture__put(f, "proc/mounts", "tracefs /t tracefs rw 0 0\n");
	fixture__put(f, "t/events/shop/sale/id", "77\n");
	fixture__put(f, "t/events/shop/sale/format",
		     "name: sale\nID: 77\nformat:\n"
		     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		     "\tfield:char who[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		     "\tfield:__data_loc char[] what;\toffset:24;\tsize:4;\tsigned:1;\n"
		     "\tfield:const void * at;\toffset:32;\tsize:8;\tsigned:0;\n\n"
		     "print fmt: \"\"\n");
	fixture__put(f, "t/events/shop/open/id", "78\n");
	fixture__put(f, "t/events/ftrace/print/format", "name: print\nID: 5\nformat:\n\n");
}

static void tracepoints_come_with_their_fields_if_asked(void **state)
{
	struct catalog c = new_catalog("shop");
	const struct catalog_field *fields;
	struct buf why = {};
	struct fixture f;

	fixture__open(&f);
	put_tracefs(&f);
	assert_int_equal(catalog_fill__tracepoints(&c, f.dir, false, &why), 0);
	assert_int_equal(c.nr, 2); /* that of ftrace has no id */
	assert_int_equal(c.nr_fields, 0);
	catalog__free(&c);

	c = new_catalog("*sale");
	assert_int_equal(catalog_fill__tracepoints(&c, f.dir, true, &why), 0);
	assert_int_equal(c.nr, 1);
	assert_string_equal(c.items[0].group, "shop");
	assert_int_equal(c.items[0].nr_fields, 4);
	fields = c.fields + c.items[0].first_field;
	assert_true(fields[0].common);
	assert_string_equal(fields[1].name, "who");
	assert_string_equal(fields[1].type, "char[]");
	assert_int_equal(fields[1].offset, 8);
	assert_int_equal(fields[1].size, 16);
	assert_true(fields[1].is_signed);
	assert_false(fields[1].common);
	assert_string_equal(fields[2].type, "__data_loc char[]");
	assert_string_equal(fields[3].type, "const void *");
	catalog__free(&c);
	buf__free(&why);
	fixture__close(&f);
}

static void without_tracefs_a_sentence_says_so(void **state)
{
	struct catalog c = new_catalog(NULL);
	struct buf why = {};
	struct fixture f;

	fixture__open(&f);
	fixture__put(&f, "proc/mounts", "proc /proc proc rw 0 0\n");
	assert_int_equal(catalog_fill__tracepoints(&c, f.dir, false, &why), -ENOENT);
	assert_true(why.len > 0);
	buf__free(&why);
	catalog__free(&c);
	fixture__close(&f);
}

/* What a writer wrote; the caller frees it. */
static char *table(const struct catalog *c, struct catalog_table_opts o)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(print__catalog_table(out, c, &o), 0);
	fclose(out);
	return text;
}

static struct catalog small(void)
{
	static const struct catalog_entry in[] = {
		{ .kind = CATALOG_HARDWARE,
		  .name = "cycles",
		  .alias = "cpu-cycles",
		  .text = "clock cycles",
		  .encoding = "type=0 config=0x0",
		  .state = CATALOG_NOT_SUPPORTED },
		{ .kind = CATALOG_SOFTWARE,
		  .name = "cpu-clock",
		  .text = "time",
		  .unit = "ns",
		  .state = CATALOG_OPENS },
		{ .kind = CATALOG_TRACEPOINT, .name = "shop:sale\033", .group = "shop" },
	};
	static const struct catalog_field fields[] = {
		{ .name = "who", .type = "char[]", .offset = 8, .size = 16 },
	};
	struct catalog c = new_catalog(NULL);

	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		assert_int_equal(catalog__add(&c, &in[i]), 0);
	assert_int_equal(catalog__add_field(&c, &fields[0]), 0);
	c.nr_omitted[CATALOG_KPROBE] = 5;
	return c;
}

static void in_a_pipe_each_line_is_whole(void **state)
{
	struct catalog c = small();
	char *text = table(&c, (struct catalog_table_opts){});

	assert_string_equal(text,
			    "cycles                    hardware    not-supported  clock cycles "
			    "(also cpu-cycles)\n"
			    "cpu-clock                 software    opens          time, in ns\n"
			    "shop:sale?                tracepoint\n");
	free(text);
	text = table(&c, (struct catalog_table_opts){ .fields = true });
	assert_non_null(strstr(text, "\nshop:sale?                who                       "
				     "offset 8    size 16    char[]\n"));
	free(text);
	catalog__free(&c);
}

static void on_a_terminal_kinds_are_headlines(void **state)
{
	struct catalog c = small();
	char *text = table(&c, (struct catalog_table_opts){ .headlines = true });

	assert_string_equal(text,
			    "Hardware events (1, of which 0 open here)\n"
			    "  cycles                    clock cycles (also cpu-cycles) - not "
			    "supported here\n"
			    "\nSoftware events (1)\n"
			    "  cpu-clock                 time, in ns\n"
			    "\nTracepoints (1)\n"
			    "  shop:sale\xef\xbf\xbd\n");
	free(text);
	text = table(&c, (struct catalog_table_opts){ .headlines = true, .color = true });
	assert_non_null(strstr(text, "\033[1mTracepoints\033[0m (1)\n"));
	assert_non_null(strstr(text, "  \033[2mcycles\033[0m  "));
	free(text);
	catalog__free(&c);
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(o, key, &value));
	return value;
}

static const char *text_of(struct json_object *o, const char *key)
{
	return json_object_get_string(member(o, key));
}

static void json_has_everything(void **state)
{
	struct catalog c = small();
	struct json_object *doc, *row, *field;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(print__catalog_json(out, &c, true), 0);
	fclose(out);
	doc = json_tokener_parse(text);
	assert_non_null(doc);
	assert_int_equal(json_object_get_int(member(doc, "schema")), 1);
	assert_string_equal(text_of(doc, "command"), "list");
	assert_int_equal(json_object_array_length(member(doc, "rows")), 3);
	assert_int_equal(json_object_get_int(member(member(doc, "omitted"), "kprobe")), 5);
	row = json_object_array_get_idx(member(doc, "rows"), 0);
	assert_string_equal(text_of(member(row, "key"), "name"), "cycles");
	assert_string_equal(text_of(member(row, "key"), "kind"), "hardware");
	assert_string_equal(text_of(row, "alias"), "cpu-cycles");
	assert_string_equal(text_of(row, "encoding"), "type=0 config=0x0");
	assert_string_equal(text_of(row, "state"), "not-supported");
	assert_null(member(row, "group"));
	row = json_object_array_get_idx(member(doc, "rows"), 2);
	assert_null(member(row, "state"));
	field = json_object_array_get_idx(member(row, "fields"), 0);
	assert_string_equal(text_of(field, "type"), "char[]");
	assert_int_equal(json_object_get_int(member(field, "offset")), 8);
	json_object_put(doc);
	free(text);
	catalog__free(&c);
}

static void expect_terms(const char *root, struct perf_event_attr attr, const char *expected)
{
	struct buf out = {};

	assert_int_equal(explain__terms(root, &attr, &out), 0);
	assert_string_equal(out.len ? out.data : "", expected);
	buf__free(&out);
}

static void an_attr_is_written_as_terms_of_its_pmu(void **state)
{
	struct fixture f;

	fixture__open(&f);
	put_pmus(&f);
	expect_terms(f.dir, (struct perf_event_attr){ .type = 4, .config = 0x1cd, .config1 = 3 },
		     "cpu/event=0xcd,umask=0x1,ldlat=0x3/");
	/* Of two fields that overlap the wider has to say the rest, with all of its bits. */
	expect_terms(f.dir, (struct perf_event_attr){ .type = 4, .config = 1, .config1 = 0x10003 },
		     "cpu/event=0x1,ldlat=0x3,offcore_rsp=0x10003/");
	/* Bit 23 belongs to no field. */
	expect_terms(f.dir, (struct perf_event_attr){ .type = 4, .config = 0x8001cd },
		     "cpu/config=0x8001cd/");
	expect_terms(f.dir, (struct perf_event_attr){ .type = 9, .config = 0 },
		     "power/config=0x0/");
	/* 0xf00000043: low byte 0x43, and 0xf from bit 32 on. */
	expect_terms(f.dir, (struct perf_event_attr){ .type = 12, .config = 0xf00000043 },
		     "odd/event=0xf43/");
	expect_terms(f.dir, (struct perf_event_attr){ .type = 99, .config = 1 }, "");
	fixture__close(&f);
}

static void explain(struct explanations *l, const char *text)
{
	struct perf_events events = {};
	struct buf why = {};

	assert_int_equal(perf_events__parse(&events, NULL, text, &why), 0);
	assert_int_equal(explanations__init(l), 0);
	assert_int_equal(explain__events(l, &events, &why), 0);
	perf_events__free(&events);
	buf__free(&why);
}

static const struct explained_field *field_of(const struct explained *x, const char *name)
{
	for (size_t i = 0; i < x->nr_fields; i++)
		if (!strcmp(x->fields[i].name, name))
			return &x->fields[i];
	return NULL;
}

static void an_explanation_has_what_is_not_0(void **state)
{
	struct explanations l;
	const struct explained *x;

	explain(&l, "page-faults:u@100,{L1-dcache-load-misses,r1b0:p},mem:0x1000/2:w");
	assert_int_equal(l.nr, 4);
	x = &l.items[0];
	assert_string_equal(x->name, "page-faults:u");
	assert_int_equal(field_of(x, "type")->value, 1);
	assert_int_equal(field_of(x, "config")->value, 2);
	assert_string_equal(field_of(x, "config")->words, "page-faults");
	assert_int_equal(field_of(x, "exclude_kernel")->value, 1);
	assert_null(field_of(x, "exclude_user"));
	assert_int_equal(x->period, 100);
	assert_int_equal(x->group, EXPLAINED_NO_GROUP);
	assert_non_null(strstr(x->origin, "generic software event"));
	x = &l.items[1];
	assert_int_equal(field_of(x, "config")->value, 0x10000);
	assert_string_equal(field_of(x, "config")->words, "L1-dcache-load-misses");
	assert_int_equal(x->group, 0);
	x = &l.items[2];
	assert_int_equal(field_of(x, "type")->value, 4);
	assert_int_equal(field_of(x, "precise_ip")->value, 1);
	assert_non_null(strstr(x->origin, "raw code"));
	x = &l.items[3];
	assert_int_equal(field_of(x, "bp_addr")->value, 0x1000);
	assert_int_equal(field_of(x, "bp_len")->value, 2);
	assert_string_equal(field_of(x, "bp_type")->words, "writes");
	assert_string_equal(x->origin, "a breakpoint");
	explanations__free(&l);
}

static void an_explanation_is_shown_and_parses_as_json(void **state)
{
	struct explanations l;
	struct json_object *doc, *row;
	char *text = NULL;
	size_t len;
	FILE *out;

	explain(&l, "dummy:u");
	out = open_memstream(&text, &len);
	assert_int_equal(print__explained_table(out, &l, false), 0);
	fclose(out);
	assert_non_null(strstr(text, "dummy:u\n  from            a generic software event"));
	assert_non_null(strstr(text, "\n  type            1 (software event)\n"));
	assert_non_null(strstr(text, "\n  config          0x9 (dummy)\n"));
	free(text);
	out = open_memstream(&text, &len);
	assert_int_equal(print__explained_json(out, &l), 0);
	fclose(out);
	doc = json_tokener_parse(text);
	assert_non_null(doc);
	row = json_object_array_get_idx(member(doc, "rows"), 0);
	assert_int_equal(json_object_get_int(member(member(row, "attr"), "config")), 9);
	assert_string_equal(text_of(member(row, "words"), "config"), "dummy");
	assert_null(member(row, "cpus"));
	json_object_put(doc);
	free(text);
	explanations__free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_a_part_of_the_name_case_aside),
		cmocka_unit_test(a_glob_is_the_whole_name_or_what_is_behind_a_colon),
		cmocka_unit_test(a_glob_may_be_the_event_of_a_pmu_alone),
		cmocka_unit_test(too_long_a_glob_is_refused),
		cmocka_unit_test(kinds_are_known_by_the_words_of_perf_list),
		cmocka_unit_test(an_alias_matches_as_well),
		cmocka_unit_test(sorted_by_kind_then_by_name),
		cmocka_unit_test(generic_events_have_the_numbers_of_the_kernel),
		cmocka_unit_test(events_of_pmus_have_their_terms_and_units),
		cmocka_unit_test(without_sysfs_there_are_no_pmus),
		cmocka_unit_test(tracepoints_come_with_their_fields_if_asked),
		cmocka_unit_test(without_tracefs_a_sentence_says_so),
		cmocka_unit_test(in_a_pipe_each_line_is_whole),
		cmocka_unit_test(on_a_terminal_kinds_are_headlines),
		cmocka_unit_test(json_has_everything),
		cmocka_unit_test(an_attr_is_written_as_terms_of_its_pmu),
		cmocka_unit_test(an_explanation_has_what_is_not_0),
		cmocka_unit_test(an_explanation_is_shown_and_parses_as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
