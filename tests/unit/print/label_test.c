// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <stdio.h>
#include <string.h>

#include "print/flame/label.h"

static void is_shown_as(const char *name, size_t columns, const char *want)
{
	struct label l;
	char text[2 * LABEL_BYTES];

	label__fit(&l, name, strlen(name), columns);
	snprintf(text, sizeof(text), "%.*s%s", (int)l.len, l.s, l.is_cut ? "…" : "");
	if (strcmp(text, want) != 0)
		fail_msg("%s in %zu columns: %s, not %s", name, columns, text, want);
}

static void names_lose_what_tells_least(void **state)
{
	FILE *f = fopen("tests/unit/print/labels.tsv", "r");
	char line[512], *name, *columns, *label;
	unsigned nr = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		name = strtok(line, "\t");
		columns = strtok(NULL, "\t");
		label = strtok(NULL, "\n");
		assert_non_null(label);
		is_shown_as(name, strtoul(columns, NULL, 10), label);
		nr++;
	}
	fclose(f);
	assert_true(nr > 70);
}

/* Whatever brackets there are, and in whatever number, the label is no longer than the name. */
static void strange_brackets_are_only_cut(void **state)
{
	static const char from[] = "<>(){}[]:: -.a operator<impl ";
	char name[LABEL_BYTES + 1];
	unsigned seed = 1;
	struct label l;

	for (int round = 0; round < 20000; round++) {
		size_t len = 1 + round % 60;

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1103515245 + 12345;
			name[i] = from[(seed >> 16) % (sizeof(from) - 1)];
		}
		name[len] = '\0';
		for (size_t columns = 0; columns < len; columns += 7) {
			label__fit(&l, name, len, columns);
			assert_true(l.len <= len);
			assert_true(l.len + l.is_cut <= columns || (!columns && !l.len));
		}
	}
	memset(name, '(', LABEL_BYTES);
	name[LABEL_BYTES] = '\0';
	label__fit(&l, name, LABEL_BYTES, 5);
	assert_true(l.is_cut && l.len == 4);
}

/* Longer ones are cut, not taken apart; "f" and as many arguments as fit. */
static void long_names_have_a_limit(void **state)
{
	char name[LABEL_BYTES + 2];
	struct label l;

	for (size_t len = LABEL_BYTES; len <= LABEL_BYTES + 1; len++) {
		memset(name, 'x', len);
		memcpy(name, "ff(", 3);
		name[len - 1] = ')';
		label__fit(&l, name, len, 6);
		assert_int_equal(l.is_cut, len > LABEL_BYTES);
		assert_memory_equal(l.s, l.is_cut ? "ff(xx" : "ff(..)", l.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lose_what_tells_least),
		cmocka_unit_test(strange_brackets_are_only_cut),
		cmocka_unit_test(long_names_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
