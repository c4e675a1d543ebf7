// SPDX-License-Identifier: BSD-2-Clause
/*
 * What programs that were built against the library have in them: sizes of structs they allocate,
 * and where the members are. A change here is another soname.
 */
#include "pmutrace_fixture.h"

#include "base/array.h"

#define SIZE(type, bytes)                                                                          \
	{                                                                                          \
#type, sizeof(struct type), bytes                                                  \
	}
#define AT(type, member, at)                                                                       \
	{                                                                                          \
#type "." #member, offsetof(struct type, member), at                               \
	}

struct place_of {
	const char *name;
	size_t is, was;
};

static void check(const struct place_of *p, size_t nr)
{
	if (sizeof(void *) != 8)
		skip_because("bits: the numbers are those of 64 bits");
	for (size_t i = 0; i < nr; i++)
		if (p[i].is != p[i].was)
			fail_msg("%s is %zu, and was %zu", p[i].name, p[i].is, p[i].was);
}

static void structs_of_callers_keep_their_sizes(void **state)
{
	const struct place_of sizes[] = {
		SIZE(pmutrace_error, 512),	SIZE(pmutrace_target, 64),
		SIZE(pmutrace_place, 32),	SIZE(pmutrace_count, 128),
		SIZE(pmutrace_branch, 64),	SIZE(pmutrace_reading_value, 64),
		SIZE(pmutrace_data_source, 32), SIZE(pmutrace_limits, 128),
		SIZE(pmutrace_record, 640),
	};

	check(sizes, ARRAY_SIZE(sizes));
}

static void members_stay_where_they_are(void **state)
{
	const struct place_of members[] = {
		AT(pmutrace_error, text, 4),	     AT(pmutrace_target, kind, 0),
		AT(pmutrace_target, pid, 4),	     AT(pmutrace_target, cpus, 8),
		AT(pmutrace_target, cgroup, 16),     AT(pmutrace_options, size, 0),
		AT(pmutrace_options, inherit, 8),    AT(pmutrace_options, all, 11),
		AT(pmutrace_options, force, 12),     AT(pmutrace_options, attr, 16),
		AT(pmutrace_place, cpu, 4),	     AT(pmutrace_count, label, 0),
		AT(pmutrace_count, value, 8),	     AT(pmutrace_count, raw, 16),
		AT(pmutrace_count, enabled_ns, 24),  AT(pmutrace_count, running_ns, 32),
		AT(pmutrace_count, overhead, 40),    AT(pmutrace_count, lost, 48),
		AT(pmutrace_count, state, 56),	     AT(pmutrace_record, type, 0),
		AT(pmutrace_record, event, 8),	     AT(pmutrace_record, bytes, 16),
		AT(pmutrace_record, has, 32),	     AT(pmutrace_record, pid, 40),
		AT(pmutrace_record, time_ns, 56),    AT(pmutrace_record, sample, 128),
		AT(pmutrace_record, mmap, 128),	     AT(pmutrace_sample, ip, 16),
		AT(pmutrace_sample, read, 40),	     AT(pmutrace_sample, ips, 104),
		AT(pmutrace_sample, raw, 120),	     AT(pmutrace_sample, branches, 136),
		AT(pmutrace_sample, user_regs, 200), AT(pmutrace_sample, stack, 264),
		AT(pmutrace_limits, paranoid, 0),    AT(pmutrace_limits, open_files, 40),
	};

	check(members, ARRAY_SIZE(members));
}

/* A program for a later version, in which target has more members. */
static void a_target_of_a_later_version_is_refused(void **state)
{
	struct pmutrace_target target = { .kind = PMUTRACE_SELF };
	struct pmutrace_error why;
	struct pmutrace_events *e;

	for (size_t i = 0; i < ARRAY_SIZE(target.reserved); i++) {
		target.reserved[i] = 1;
		assert_int_equal(pmutrace_open(&e, "dummy:u", &target, NULL, &why), -E2BIG);
		assert_null(e);
		assert_non_null(strstr(why.text, "target sets members that version"));
		target.reserved[i] = 0;
	}
	pmutrace_close(open_with("dummy:u", &target, NULL));
}

/* What a later version writes there, this one says nothing about. */
static void what_is_handed_out_has_zeros_in_its_room(void **state)
{
	struct pmutrace_events *e = open_self("dummy:u");
	struct pmutrace_reading reading = { .nr = 1, .values = (uint64_t[]){ 7 } };
	struct pmutrace_reading_value value;
	struct pmutrace_record record;
	struct pmutrace_place place;
	struct pmutrace_count count;
	struct perf_event_header header = { .type = 999, .size = sizeof(header) };
	const char *bytes = (const char *)&record;

	memset(&place, 0xff, sizeof(place));
	assert_int_equal(pmutrace_place(e, 0, &place), 0);
	for (size_t i = 0; i < ARRAY_SIZE(place.reserved); i++)
		assert_int_equal(place.reserved[i], 0);
	memset(&count, 0xff, sizeof(count));
	assert_int_equal(pmutrace_read(e, &count), 0);
	for (size_t i = 0; i < ARRAY_SIZE(count.reserved); i++)
		assert_int_equal(count.reserved[i], 0);
	memset(&value, 0xff, sizeof(value));
	assert_int_equal(pmutrace_reading_get(&reading, 0, &value), 0);
	assert_int_equal(value.value, 7);
	for (size_t i = 0; i < ARRAY_SIZE(value.reserved); i++)
		assert_int_equal(value.reserved[i], 0);
	memset(&record, 0xff, sizeof(record));
	assert_int_equal(pmutrace_decode(pmutrace_attr(e, 0), &header, sizeof(header), &record), 0);
	for (size_t i = offsetof(struct pmutrace_record, reserved); i < sizeof(record); i++)
		assert_int_equal(bytes[i], 0);
	pmutrace_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structs_of_callers_keep_their_sizes),
		cmocka_unit_test(members_stay_where_they_are),
		cmocka_unit_test(a_target_of_a_later_version_is_refused),
		cmocka_unit_test(what_is_handed_out_has_zeros_in_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
