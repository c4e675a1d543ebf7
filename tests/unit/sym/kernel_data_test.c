// SPDX-License-Identifier: BSD-2-Clause
/* Variables of the kernel in /proc/kallsyms, as Debian's 5.10 and 6.1 print it. */
#include <errno.h>
#include <stdlib.h>

#include "sym/kernel_data.h"
#include "tracefs_fixture.h"

static const char *const names[] = { "hrtimer_bases", "__irq_regs" };

static int find(const char *text, uint64_t *values)
{
	struct fixture f;
	char *path;
	int err;

	fixture__open(&f);
	fixture__put(&f, "kallsyms", text);
	assert_true(asprintf(&path, "%s/kallsyms", f.dir) > 0);
	err = kernel_data__find(path, names, values, 2);
	free(path);
	fixture__close(&f);
	return err;
}

static void finds_offsets_and_addresses(void **state)
{
	uint64_t values[2];

	(void)state;
	assert_int_equal(find("0000000000000000 A fixed_percpu_data\n"
			      "0000000000019840 A hrtimer_bases\n"
			      "ffffffff81000000 T _stext\n"
			      "000000000001e1c8 A __irq_regs\n",
			      values),
			 0);
	assert_int_equal(values[0], 0x19840);
	assert_int_equal(values[1], 0x1e1c8);
	assert_int_equal(find("ffff800011b5c1c8 d __irq_regs\n"
			      "ffff800011b57840 d hrtimer_bases\n",
			      values),
			 0);
	assert_int_equal(values[1] - values[0], 0x4988);
}

static void others_names_are_not_taken_for_them(void **state)
{
	uint64_t values[2];

	(void)state;
	assert_int_equal(find("0000000000019840 A hrtimer_bases\n"
			      "0000000000019999 A __irq_regs2\n"
			      "ffffffffc0001234 d __irq_regs\t[module]\n",
			      values),
			 -ENOENT);
}

static void hidden_addresses_are_none(void **state)
{
	uint64_t values[2];

	(void)state;
	assert_int_equal(
		find("0000000000000000 A hrtimer_bases\n0000000000000000 A __irq_regs\n", values),
		-EACCES);
	assert_int_equal(kernel_data__find("/nowhere", names, values, 2), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_offsets_and_addresses),
		cmocka_unit_test(others_names_are_not_taken_for_them),
		cmocka_unit_test(hidden_addresses_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
