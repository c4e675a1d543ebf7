// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "base/buf.h"
#include "model/selection.h"

/* Samples of each row are another power of two: a sum tells which ones it has. */
static struct profile *five_rows(void)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uparse", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uparse", "ksys_read", NULL), 2);
	add_row(p, 0, 2, add_stack(p, "cnginx", "umain", "iparse_int", NULL), 4);
	add_row(p, 0, 3, add_stack(p, "cparse", "umain", NULL), 8);
	add_row(p, 0, 3, add_stack(p, "cnode", "njit parse", NULL), 16);
	return p;
}

static uint64_t selected(const char *comm, const char *focus, const char *ignore)
{
	const struct selection_opts o = { .comm = comm, .focus = focus, .ignore = ignore };
	struct profile *p = five_rows();
	struct selection *s;
	struct buf why = {};
	uint64_t sum = 0;

	assert_int_equal(selection__open(&s, &o, &why), 0);
	assert_int_equal(selection__selects(s), comm || focus || ignore);
	assert_int_equal(selection__look(s, p), 0);
	for (size_t i = 0; i < p->nr_rows; i++)
		if (selection__wants(s, p, &p->rows[i]))
			sum += p->rows[i].samples;
	selection__close(s);
	profile__free(p);
	return sum;
}

/* Of processes 1, 2 and 3, threads 11 and 12, and cgroups. */
static uint64_t selected_by(struct selection_opts o)
{
	struct profile *p = new_profile();
	uint32_t stack = add_stack(p, "csh", "umain", NULL);
	struct selection *s;
	struct buf why = {};
	uint64_t sum = 0;
	static const struct {
		uint32_t pid, tid;
		const char *cgroup;
	} keys[] = { { 1, 11, "/system.slice/a.service" },
		     { 1, 12, "/system.slice" },
		     { 2, 12, "/system.slice2" },
		     { 3, 11, "/user.slice/docker-1/x" },
		     { 3, 13, "" } };

	add_event(p, "cycles");
	p->by |= BY_TID | BY_CGROUP;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct row_key key = { .pid = keys[i].pid, .tid = keys[i].tid, .stack = stack };

		assert_int_equal(
			profile__string(p, keys[i].cgroup, strlen(keys[i].cgroup), &key.cgroup), 0);
		assert_int_equal(profile__add(p, &key, 1u << i, 0, NULL), 0);
	}
	assert_int_equal(selection__open(&s, &o, &why), 0);
	assert_true(selection__selects(s));
	assert_null(selection__unknown(s, p));
	assert_int_equal(selection__look(s, p), 0);
	for (size_t i = 0; i < p->nr_rows; i++)
		if (selection__wants(s, p, &p->rows[i]))
			sum += p->rows[i].samples;
	selection__close(s);
	profile__free(p);
	return sum;
}

static void who_is_chosen_by_numbers(void **state)
{
	assert_int_equal(selected_by((struct selection_opts){ .pids = "1" }), 1 + 2);
	assert_int_equal(selected_by((struct selection_opts){ .pids = "2-3" }), 4 + 8 + 16);
	assert_int_equal(selected_by((struct selection_opts){ .tids = "11,13" }), 1 + 8 + 16);
	assert_int_equal(selected_by((struct selection_opts){ .pids = "1", .tids = "12" }), 2);
	assert_int_equal(selected_by((struct selection_opts){ .pids = "9" }), 0);
}

static void a_cgroup_has_those_below_it(void **state)
{
	assert_int_equal(selected_by((struct selection_opts){ .cgroup = "system.slice" }), 1 + 2);
	assert_int_equal(selected_by((struct selection_opts){ .cgroup = "/system.slice/a*" }), 1);
	assert_int_equal(selected_by((struct selection_opts){ .cgroup = "*/docker-?" }), 8);
	assert_int_equal(selected_by((struct selection_opts){ .cgroup = "*" }), 1 + 2 + 4 + 8);
}

static void what_a_profile_does_not_know_is_told(void **state)
{
	const struct selection_opts o = { .pids = "1", .tids = "2", .cgroup = "a" };
	struct profile *p = new_profile();
	struct selection *s;
	struct buf why = {};

	assert_int_equal(selection__open(&s, &o, &why), 0);
	assert_string_equal(selection__unknown(s, p), "--tid");
	p->by |= BY_TID;
	assert_string_equal(selection__unknown(s, p), "--cgroup");
	p->by = 0;
	assert_string_equal(selection__unknown(s, p), "--pid");
	selection__close(s);
	profile__free(p);
}

static void numbers_are_numbers(void **state)
{
	static const char *const bad[] = { "", "x", "1,", "4-2", "4294967295" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct selection_opts o = { .tids = bad[i] };
		struct selection *s;
		struct buf why = {};

		assert_int_equal(selection__open(&s, &o, &why), -EINVAL);
		assert_non_null(strstr(why.data, "--tid"));
		buf__free(&why);
	}
}

static void everything_without_a_wish(void **state)
{
	assert_int_equal(selected(NULL, NULL, NULL), 31);
}

static void commands_are_chosen_by_a_pattern(void **state)
{
	assert_int_equal(selected("sh", NULL, NULL), 1 + 2);
	assert_int_equal(selected("n*", NULL, NULL), 4 + 16);
	assert_int_equal(selected("s", NULL, NULL), 0);
}

/* Neither commands nor notes are functions; callers are as good as the innermost frame. */
static void focus_wants_a_function(void **state)
{
	assert_int_equal(selected(NULL, "parse", NULL), 1 + 2 + 4);
	assert_int_equal(selected(NULL, "^parse$", NULL), 1 + 2);
	assert_int_equal(selected(NULL, "^(sys_read|parse_int)$", NULL), 2 + 4);
	assert_int_equal(selected(NULL, "nosuch", NULL), 0);
}

static void ignore_wants_no_such_function(void **state)
{
	assert_int_equal(selected(NULL, NULL, "parse"), 8 + 16);
	assert_int_equal(selected(NULL, NULL, "^sys_"), 1 + 4 + 8 + 16);
}

static void wishes_hold_together(void **state)
{
	assert_int_equal(selected("sh", "parse", "sys_"), 1);
	assert_int_equal(selected("n*", "parse", NULL), 4);
}

static void refused(const char *comm, const char *focus, const char *ignore, const char *says)
{
	const struct selection_opts o = { .comm = comm, .focus = focus, .ignore = ignore };
	struct selection *s = (void *)1;
	struct buf why = {};

	assert_int_equal(selection__open(&s, &o, &why), -EINVAL);
	assert_null(s);
	assert_non_null(strstr(why.data, says));
	buf__free(&why);
}

static void what_is_no_pattern_is_refused(void **state)
{
	char many[101];

	memset(many, 'a', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	refused(NULL, "a(", NULL, "--focus 'a('");
	refused(NULL, NULL, "[", "--ignore '['");
	refused("", NULL, NULL, "--comm ''");
	refused(many, NULL, NULL, "62");
}

/* What was looked at before is not remembered. */
static void another_profile_may_be_looked_at(void **state)
{
	const struct selection_opts o = { .focus = "work" };
	struct profile *first = five_rows(), *second = new_profile();
	struct selection *s;
	struct buf why = {};

	add_event(second, "cycles");
	add_row(second, 0, 1, add_stack(second, "csh", "uwork", NULL), 1);
	assert_int_equal(selection__open(&s, &o, &why), 0);
	assert_int_equal(selection__look(s, second), 0);
	assert_true(selection__wants(s, second, &second->rows[0]));
	assert_int_equal(selection__look(s, first), 0);
	for (size_t i = 0; i < first->nr_rows; i++)
		assert_false(selection__wants(s, first, &first->rows[i]));
	selection__close(s);
	profile__free(first);
	profile__free(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_without_a_wish),
		cmocka_unit_test(who_is_chosen_by_numbers),
		cmocka_unit_test(a_cgroup_has_those_below_it),
		cmocka_unit_test(what_a_profile_does_not_know_is_told),
		cmocka_unit_test(numbers_are_numbers),
		cmocka_unit_test(commands_are_chosen_by_a_pattern),
		cmocka_unit_test(focus_wants_a_function),
		cmocka_unit_test(ignore_wants_no_such_function),
		cmocka_unit_test(wishes_hold_together),
		cmocka_unit_test(what_is_no_pattern_is_refused),
		cmocka_unit_test(another_profile_may_be_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
