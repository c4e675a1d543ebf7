// SPDX-License-Identifier: BSD-2-Clause
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

#include "base/utf8.h"
#include "model/findings.h"
#include "print/findings.h"

static struct findings small(void)
{
	struct findings f = { .ready = true };

	findings__add(&f, "kernel", "btf", FINDING_OK, "/sys/kernel/btf/vmlinux");
	findings__cost(&f, "never shown");
	findings__add(&f, "tracing", "tracefs", FINDING_MISSING, "not mounted");
	findings__cost(&f, "no tracepoints");
	findings__fix(&f, "sudo mount %s", "-t tracefs tracefs /sys/kernel/tracing");
	findings__add(&f, "unwinding", "frame-pointers", FINDING_LIMITED, "%d of %d", 1, 20);
	findings__subject(&f, "/lib/a.so");
	findings__cost(&f, "callers are lost");
	findings__add(&f, "unwinding", "frame-pointers", FINDING_LIMITED, "2 of 20");
	findings__subject(&f, "/lib/b.so");
	findings__cost(&f, "callers are lost");
	findings__add(&f, "unwinding", "frame-pointers", FINDING_UNKNOWN, "no table");
	findings__subject(&f, "/lib/c.so");
	assert_int_equal(findings__error(&f), 0);
	return f;
}

/* What a writer wrote; the caller frees it. */
static char *table(const struct findings *f, struct findings_table_opts o)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(print__findings_table(out, f, &o), 0);
	fclose(out);
	return text;
}

static char *json(const struct findings *f)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(print__findings_json(out, f, "doctor"), 0);
	fclose(out);
	return text;
}

static void states_have_the_names_of_the_interface(void **state)
{
	assert_string_equal(finding_state__name(FINDING_OK), "ok");
	assert_string_equal(finding_state__name(FINDING_LIMITED), "limited");
	assert_string_equal(finding_state__name(FINDING_MISSING), "missing");
	assert_string_equal(finding_state__name(FINDING_UNKNOWN), "unknown");
}

static void the_table_shows_costs_and_fixes_of_what_is_not_ok(void **state)
{
	struct findings f = small();
	char *text = table(&f, (struct findings_table_opts){});

	assert_string_equal(text,
			    "kernel\n"
			    "  ok       btf             /sys/kernel/btf/vmlinux\n"
			    "\n"
			    "tracing\n"
			    "  missing  tracefs         not mounted\n"
			    "           cost            no tracepoints\n"
			    "           fix             sudo mount -t tracefs tracefs "
			    "/sys/kernel/tracing\n"
			    "\n"
			    "unwinding\n"
			    "  limited  frame-pointers  /lib/a.so: 1 of 20\n"
			    "  limited  frame-pointers  /lib/b.so: 2 of 20\n"
			    "           cost            callers are lost\n"
			    "  unknown  frame-pointers  /lib/c.so: no table\n"
			    "\n"
			    "1 ok, 2 limited, 1 missing, 1 unknown: pmutrace profile can run\n");
	free(text);
	findings__free(&f);
}

static void a_brief_table_leaves_out_what_is_ok(void **state)
{
	struct findings f = small();
	char *text;

	f.ready = false;
	text = table(&f, (struct findings_table_opts){ .brief = true });
	assert_null(strstr(text, "btf"));
	assert_ptr_equal(strstr(text, "tracing\n"), text);
	assert_non_null(strstr(text, "1 ok, 2 limited, 1 missing, 1 unknown: pmutrace profile "
				     "cannot run\n"));
	free(text);
	findings__free(&f);
}

static void a_fix_is_written_once(void **state)
{
	struct findings f = {};
	char *text;

	findings__add(&f, "a", "one", FINDING_MISSING, "x");
	findings__fix(&f, "sudo long words");
	findings__add(&f, "a", "two", FINDING_MISSING, "x");
	findings__fix(&f, "sudo long words");
	text = table(&f, (struct findings_table_opts){});
	assert_non_null(strstr(text, "fix   sudo long words\n"));
	assert_non_null(strstr(text, "fix   as for one, above\n"));
	free(text);
	findings__free(&f);
}

static void words_wrap_and_fixes_do_not(void **state)
{
	struct findings f = {};
	char *text, *rest, *line;
	unsigned nr_wide = 0;

	findings__add(&f, "a", "some-name", FINDING_LIMITED, "%s",
		      "word after word after word after word after word after word after word "
		      "and 関数関数関数 関数関数関数 関数関数関数 関数関数関数");
	findings__cost(&f, "%s", "this and that and this and that and this and that and this");
	findings__fix(&f, "sudo command --with --many --options --and --words --that --take "
			  "--more --than --a --line");
	for (unsigned width = 70; width < 120; width += 7) {
		size_t used;

		text = rest = table(&f, (struct findings_table_opts){ .width = width });
		while ((line = strsep(&rest, "\n"))) {
			utf8__fit(line, strlen(line), SIZE_MAX, &used);
			if (used <= width)
				continue;
			assert_non_null(strstr(line, "fix"));
			assert_non_null(strstr(line, "--line"));
			nr_wide++;
		}
		free(text);
	}
	assert_true(nr_wide > 0);
	findings__free(&f);
}

static void texts_cannot_drive_the_terminal(void **state)
{
	struct findings f = {};
	char *text;

	findings__add(&f, "a", "b", FINDING_LIMITED, "\033[31mred\n");
	findings__subject(&f, "/tmp/\033]0;x\a");
	findings__fix(&f, "sudo \033[2J");
	text = table(&f, (struct findings_table_opts){ .width = 80 });
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\a'));
	free(text);
	text = table(&f, (struct findings_table_opts){ .color = true });
	assert_non_null(strstr(text, "\033[0m"));
	free(text);
	findings__free(&f);
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("no key %s", key);
	return value;
}

static void json_has_the_envelope_and_a_row_for_each(void **state)
{
	struct findings f = small();
	char *text = json(&f);
	struct json_object *o = json_tokener_parse(text), *rows, *row;

	assert_non_null(o);
	assert_int_equal(json_object_get_int(get(o, "schema")), 1);
	assert_string_equal(json_object_get_string(get(o, "command")), "doctor");
	assert_string_equal(json_object_get_string(get(o, "version")), PMUTRACE_VERSION);
	assert_true(json_object_get_boolean(get(o, "ready")));
	rows = get(o, "rows");
	assert_int_equal(json_object_array_length(rows), 5);
	row = json_object_array_get_idx(rows, 1);
	assert_string_equal(json_object_get_string(get(get(row, "key"), "name")), "tracefs");
	assert_string_equal(json_object_get_string(get(get(row, "key"), "area")), "tracing");
	assert_int_equal(json_object_object_length(get(row, "key")), 2);
	assert_string_equal(json_object_get_string(get(row, "state")), "missing");
	assert_string_equal(json_object_get_string(get(row, "found")), "not mounted");
	assert_string_equal(json_object_get_string(get(row, "cost")), "no tracepoints");
	assert_string_equal(json_object_get_string(get(row, "fix")),
			    "sudo mount -t tracefs tracefs /sys/kernel/tracing");
	row = json_object_array_get_idx(rows, 2);
	assert_string_equal(json_object_get_string(get(get(row, "key"), "subject")), "/lib/a.so");
	assert_null(get(row, "fix")); /* null, not "" */
	json_object_put(o);
	free(text);
	findings__free(&f);
}

static void json_is_valid_whatever_the_file_names(void **state)
{
	struct findings f = {};
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;
	char *text;

	findings__add(&f, "a", "b", FINDING_UNKNOWN, "\"\\\n\033\xff");
	findings__subject(&f, "/tmp/\xff\"");
	text = json(&f);
	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, text, strlen(text) + 1);
	assert_int_equal(json_tokener_get_error(t), json_tokener_success);
	assert_false(json_object_get_boolean(get(o, "ready")));
	json_object_put(o);
	json_tokener_free(t);
	free(text);
	findings__free(&f);
}

static void a_full_disk_is_an_error(void **state)
{
	struct findings f = small();
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	assert_int_equal(print__findings_table(full, &f, &(struct findings_table_opts){}), -ENOSPC);
	assert_int_equal(print__findings_json(full, &f, "doctor"), -ENOSPC);
	fclose(full);
	findings__free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_have_the_names_of_the_interface),
		cmocka_unit_test(the_table_shows_costs_and_fixes_of_what_is_not_ok),
		cmocka_unit_test(a_brief_table_leaves_out_what_is_ok),
		cmocka_unit_test(a_fix_is_written_once),
		cmocka_unit_test(words_wrap_and_fixes_do_not),
		cmocka_unit_test(texts_cannot_drive_the_terminal),
		cmocka_unit_test(json_has_the_envelope_and_a_row_for_each),
		cmocka_unit_test(json_is_valid_whatever_the_file_names),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
