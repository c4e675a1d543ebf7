// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "serve/config.h"

#ifdef HAVE_YAML
static int parse(struct config *c, const char *text, struct buf *why)
{
	struct buf bytes = {};
	int err;

	*c = (struct config){};
	buf__clear(why);
	assert_int_equal(buf__puts(&bytes, text), 0);
	err = config__parse(c, &bytes, "x.yaml", why);
	buf__free(&bytes);
	return err;
}

static void settings_and_lines(void **state)
{
	struct buf why = {};
	struct config c;

	assert_int_equal(parse(&c,
			       "# where\n"
			       "listen: :9870\n"
			       "by: [cgroup, process]\n"
			       "events:\n"
			       "  - cycles\n"
			       "  - cpu/event=0x3c,umask=0x0/\n"
			       "empty: []\n"
			       "metrics:\n"
			       "  switches: count sched:sched_switch --by prev_comm # who\n"
			       "  slow_reads: >\n"
			       "    func vfs_read --hist time\n"
			       "    --filter 'ret < 0'\n"
			       "profiles: true\n",
			       &why),
			 0);
	assert_int_equal(c.nr_settings, 5);
	assert_string_equal(c.settings[0].name, "listen");
	assert_string_equal(c.settings[0].values[0], ":9870");
	assert_int_equal(c.settings[0].line, 2);
	assert_int_equal(c.settings[1].nr_values, 2);
	assert_string_equal(c.settings[1].values[1], "process");
	assert_string_equal(c.settings[2].values[1], "cpu/event=0x3c,umask=0x0/");
	assert_int_equal(c.settings[3].nr_values, 0);
	assert_string_equal(c.settings[4].values[0], "true");
	assert_int_equal(c.settings[4].line, 13);
	assert_int_equal(c.nr_lines, 2);
	assert_string_equal(c.lines[0].name, "switches");
	assert_string_equal(c.lines[0].text, "count sched:sched_switch --by prev_comm");
	assert_int_equal(c.lines[0].nr_words, 4);
	assert_string_equal(c.lines[0].words[3], "prev_comm");
	assert_null(c.lines[0].words[4]);
	assert_int_equal(c.lines[1].nr_words, 6);
	assert_string_equal(c.lines[1].words[5], "ret < 0");
	assert_int_equal(c.lines[1].line, 10);
	config__free(&c);
	buf__free(&why);
}

static void nothing_is_a_configuration(void **state)
{
	struct buf why = {};
	struct config c;

	assert_int_equal(parse(&c, "", &why), 0);
	assert_int_equal(c.nr_settings + c.nr_lines, 0);
	assert_int_equal(parse(&c, "# nothing\n", &why), 0);
	assert_int_equal(parse(&c, "metrics:\n", &why), 0);
	assert_int_equal(c.nr_settings + c.nr_lines, 0);
	config__free(&c);
	buf__free(&why);
}

static void refused(const char *text, const char *because)
{
	struct buf why = {};
	struct config c;

	assert_int_equal(parse(&c, text, &why), -EINVAL);
	assert_non_null(why.data);
	if (!strstr(why.data, because))
		fail_msg("%s: not '%s'", why.data, because);
	config__free(&c);
	buf__free(&why);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
	refused("listen\n", "x.yaml:1: `NAME: VALUE` is expected");
	refused("- a\n", "x.yaml:1: `NAME: VALUE` is expected");
	refused("by: cgroup\nlisten: a\nby: process\n", "x.yaml:3: by stands in line 1 already");
	refused("by:\n  a: b\n", "x.yaml:2: by is one word or line here");
	refused("by: [[a]]\n", "x.yaml:1: by is one word or line here");
	refused("by: &x cgroup\n", "no anchors");
	refused("by: !!str cgroup\n", "no anchors (&) and tags (!)");
	refused("a: &x b\nc: *x\n", "x.yaml:1:");
	refused("by: *x\n", "x.yaml:1:");
	refused("by: 'a\n", "x.yaml:");
	refused("a: \"x\\0y\"\n", "x.yaml:1: a NUL in a");
	refused("a: b\n---\nc: d\n", "one document in a file");
	refused("\tby: x\n", "x.yaml:1:");
	refused("metrics: count x\n", "x.yaml:1: metrics have names");
	refused("metrics: [count x]\n", "metrics have names");
	refused("metrics:\n  a-b: count x\n", "x.yaml:2: a metric's name is letters, digits and _");
	refused("metrics:\n  1a: count x\n", "not '1a'");
	refused("metrics:\n  a: count x\n  a: count y\n", "x.yaml:3: a stands in line 2 already");
	refused("metrics:\n  a: count x\nmetrics:\n  b: count y\n",
		"x.yaml:3: metrics stand above");
	refused("metrics:\n  a: top\n", "x.yaml:2: a: a line begins with count or func");
	refused("metrics:\n  a:\n", "a: a line begins with count or func");
	refused("metrics:\n  a: pmutrace count x\n", "a line begins with count or func");
	refused("metrics:\n  a: count x -- rm -r /\n", "no command behind --");
	refused("metrics:\n  a: count x '--' rm\n", "no command behind --");
	refused("metrics:\n  a: count x --filter 'y\n",
		"x.yaml:2: a: a quote or a \\ does not end");
}

static void there_is_a_limit_of_metrics(void **state)
{
	struct buf text = {}, why = {};
	struct config c;

	assert_int_equal(buf__puts(&text, "metrics:\n"), 0);
	for (int i = 0; i < CONFIG_LINES; i++)
		assert_int_equal(buf__printf(&text, "  m%d: count x\n", i), 0);
	assert_int_equal(parse(&c, text.data, &why), 0);
	assert_int_equal(c.nr_lines, CONFIG_LINES);
	config__free(&c);
	assert_int_equal(buf__puts(&text, "  more: count x\n"), 0);
	refused(text.data, "at most 64 metrics");
	buf__free(&text);
	buf__free(&why);
}
#else
static void it_says_what_is_missing(void **state)
{
	struct buf bytes = {}, why = {};
	struct config c = {};

	assert_int_equal(config__parse(&c, &bytes, "x.yaml", &why), -ENOSYS);
	assert_string_equal(why.data, "x.yaml: this pmutrace was built without libyaml");
	buf__free(&why);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_YAML
		cmocka_unit_test(settings_and_lines),
		cmocka_unit_test(nothing_is_a_configuration),
		cmocka_unit_test(what_is_wrong_is_said_with_its_line),
		cmocka_unit_test(there_is_a_limit_of_metrics),
#else
		cmocka_unit_test(it_says_what_is_missing),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
