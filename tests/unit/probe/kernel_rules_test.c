// SPDX-License-Identifier: BSD-2-Clause
/* The kernel's unwind rules by /proc/kallsyms, as Debian's 5.10 and 6.12 print it. */
#include <stdlib.h>

#include "probe/kernel_rules.h"
#include "tracefs_fixture.h"

static void find(const char *text, struct orc_cfg *out)
{
	struct fixture f;
	char *path;

	fixture__open(&f);
	fixture__put(&f, "kallsyms", text);
	assert_true(asprintf(&path, "%s/kallsyms", f.dir) > 0);
	assert_int_equal(kernel_rules__find(path, out), 0);
	free(path);
	fixture__close(&f);
}

#define TEXT                                                                                       \
	"ffffffff81000000 T _stext\n"                                                              \
	"ffffffff81c02530 T _etext\n"
#define IPS                                                                                        \
	"ffffffff82300000 r __start_orc_unwind_ip\n"                                               \
	"ffffffff82300190 r __stop_orc_unwind_ip\n"
#define RULES                                                                                      \
	"ffffffff82300190 r __start_orc_unwind\n"                                                  \
	"ffffffff823003e8 r __stop_orc_unwind\n"

static void finds_tables_and_text(void **state)
{
	struct orc_cfg c;

	(void)state;
	find(TEXT IPS RULES "ffffffff81067890 t kretprobe_trampoline\n", &c);
	assert_int_equal(c.nr, 100);
	assert_int_equal(c.ips, 0xffffffff82300000);
	assert_int_equal(c.rules, 0xffffffff82300190);
	assert_int_equal(c.text, 0xffffffff81000000);
	assert_int_equal(c.text_end, 0xffffffff81c02530);
	assert_int_equal(c.verify, 0);
}

/* Each of those that there are is known; that of a module is another's. */
static void finds_trampolines(void **state)
{
	static const struct {
		const char *name;
		size_t i;
	} each[] = {
		{ "return_to_handler", 0 },
		{ "arch_rethook_trampoline", 1 },
		{ "__kretprobe_trampoline", 2 },
		{ "kretprobe_trampoline", 3 },
	};
	struct orc_cfg c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(each); i++) {
		char *text;

		assert_true(asprintf(&text,
				     TEXT IPS RULES "ffffffffc0067891 t %s\t[module]\n"
						    "ffffffff81067890 t %s\n",
				     each[i].name, each[i].name) > 0);
		find(text, &c);
		free(text);
		for (size_t t = 0; t < ORC_TRAMPOLINES; t++)
			assert_int_equal(c.trampolines[t], t == each[i].i ? 0xffffffff81067890 : 0);
	}
}

/* Frame pointers, hidden addresses, tables that do not belong together, none at all. */
static void without_rules_there_are_none(void **state)
{
	static const char *const texts[] = {
		TEXT,
		TEXT IPS,
		TEXT RULES,
		IPS RULES,
		"",
		"0000000000000000 T _stext\n0000000000000000 T _etext\n"
		"0000000000000000 r __start_orc_unwind_ip\n0000000000000000 r "
		"__stop_orc_unwind_ip\n"
		"0000000000000000 r __start_orc_unwind\n0000000000000000 r __stop_orc_unwind\n",
		TEXT RULES "ffffffff82300000 r __start_orc_unwind_ip\n"
			   "ffffffff82300194 r __stop_orc_unwind_ip\n",
		TEXT RULES "ffffffff82300190 r __start_orc_unwind_ip\n"
			   "ffffffff82300000 r __stop_orc_unwind_ip\n",
		/* More than can be searched for: 8 million. */
		TEXT "ffffffff82000000 r __start_orc_unwind_ip\n"
		     "ffffffff84000000 r __stop_orc_unwind_ip\n"
		     "ffffffff84000000 r __start_orc_unwind\n"
		     "ffffffff87000000 r __stop_orc_unwind\n",
	};
	struct orc_cfg c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		find(texts[i], &c);
		assert_int_equal(c.nr, 0);
	}
	assert_int_equal(kernel_rules__find("/nowhere", &c), 0);
	assert_int_equal(c.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_tables_and_text),
		cmocka_unit_test(finds_trampolines),
		cmocka_unit_test(without_rules_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
