// SPDX-License-Identifier: BSD-2-Clause
/* Ratios of events of one group. */
#include "profiles.h"

#include <errno.h>
#include <math.h>

#include "columns/shade.h"

static struct shade *open_shade(const struct profile *p, const char *formula)
{
	struct buf why = {};
	struct shade *s;
	int err = shade__open(&s, formula, p, &why);

	if (err)
		fail_msg("%s: %s", formula, why.data);
	buf__free(&why);
	return s;
}

#define assert_refused(p, formula, part)                                                           \
	do {                                                                                       \
		struct buf why_ = {};                                                              \
		struct shade *shade_;                                                              \
                                                                                                   \
		assert_int_equal(shade__open(&shade_, formula, p, &why_), -EINVAL);                \
		assert_null(shade_);                                                               \
		if (!strstr(why_.data, part))                                                      \
			fail_msg("%s", why_.data);                                                 \
		buf__free(&why_);                                                                  \
	} while (0)

static void a_column_is_computed_by_its_events(void **state)
{
	struct profile *p = grouped_profile();
	struct shade *s = open_shade(p, "ipc");
	const uint32_t *events;

	assert_string_equal(shade__title(s), "IPC");
	assert_int_equal(shade__events(s, &events), 2);
	assert_int_equal(events[0], 1);
	assert_int_equal(events[1], 0);
	assert_true(shade__value(s, (const uint64_t[]){ 30, 20, 0 }) == 1.5);
	assert_true(isnan(shade__value(s, (const uint64_t[]){ 30, 0, 0 })));
	shade__free(s);
	s = open_shade(p, "(instructions - cycles) / 'cycles'");
	assert_string_equal(shade__title(s), "(instructions - cycles) / 'cycles'");
	assert_true(shade__value(s, (const uint64_t[]){ 30, 20, 0 }) == 0.5);
	shade__free(s);
	profile__free(p);
}

/* Modifiers need not be told, and must be where they differ. */
static void events_are_found_with_their_modifiers(void **state)
{
	const struct profile_event members[] = {
		{ .name = "instructions:k", .unit = "", .is_member = true },
		{ .name = "instructions:u", .unit = "", .is_member = true },
		{ .name = "sched:sched_switch", .unit = "", .is_member = true },
	};
	struct profile *p = new_profile();
	const uint32_t *events;
	struct shade *s;
	uint32_t id;

	add_event(p, "cycles:u");
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		struct profile_event member = members[i];

		member.leader = "cycles:u";
		assert_int_equal(profile__event(p, &member, &id), 0);
	}
	s = open_shade(p, "ipc"); /* with the leader's modifiers, not the first one's */
	shade__events(s, &events);
	assert_int_equal(events[0], 2);
	assert_int_equal(events[1], 0);
	shade__free(s);
	s = open_shade(p, "instructions:k / sched:sched_switch");
	shade__events(s, &events);
	assert_int_equal(events[0], 1);
	assert_int_equal(events[1], 3);
	shade__free(s);
	assert_refused(p, "sched / cycles", "'sched' was not counted at the samples of 'cycles:u'");
	profile__free(p);
}

static void time_is_that_of_a_clock(void **state)
{
	const struct profile_event clock = { .name = "cpu-clock", .unit = "ns", .hz = 99 };
	const struct profile_event faults = {
		.name = "page-faults", .unit = "", .is_member = true, .leader = "cpu-clock"
	};
	struct profile *p = new_profile();
	const uint32_t *events;
	struct shade *s;
	uint32_t id;

	assert_int_equal(profile__event(p, &clock, &id), 0);
	assert_int_equal(profile__event(p, &faults, &id), 0);
	s = open_shade(p, "1e9 * page-faults / time");
	assert_int_equal(shade__events(s, &events), 2);
	assert_int_equal(events[1], 0);
	assert_true(shade__value(s, (const uint64_t[]){ 3, 1000000 }) == 3000);
	shade__free(s);
	assert_refused(p, "page-faults / switches", "tell no other than events");
	profile__free(p);
	p = grouped_profile();
	assert_refused(p, "instructions / time", "'time' is of cpu-clock");
	profile__free(p);
}

/* What was not counted together is no ratio. */
static void what_it_cannot_be_of_is_told(void **state)
{
	struct profile *p = small_profile(), *none = new_profile();

	assert_refused(p, "'faults' / cycles", "'faults' was sampled by itself");
	assert_refused(p, "ipc", "'instructions' was not counted at the samples of 'cycles'");
	assert_refused(p, "cycles,cycles", "one column or formula");
	assert_refused(p, "default", "one column or formula");
	assert_refused(p, "1 +", "is missing");
	assert_refused(p, "", "is missing");
	assert_refused(none, "ipc", "no samples");
	profile__free(p);
	profile__free(none);
}

/* A name alone is the event without modifiers, if that is there, too. */
static void the_exact_name_comes_first(void **state)
{
	const struct profile_event members[] = {
		{ .name = "faults:k", .unit = "", .is_member = true, .leader = "cycles" },
		{ .name = "faults", .unit = "", .is_member = true, .leader = "cycles" },
		{ .name = "cpu/x=1/k", .unit = "", .is_member = true, .leader = "cycles" },
	};
	struct profile *p = new_profile();
	const uint32_t *events;
	struct shade *s;
	uint32_t id;

	add_event(p, "cycles");
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		assert_int_equal(profile__event(p, &members[i], &id), 0);
	s = open_shade(p, "faults:k / 'faults'");
	shade__events(s, &events);
	assert_int_equal(events[0], 1);
	assert_int_equal(events[1], 2);
	shade__free(s);
	s = open_shade(p, "'cpu/x=1/' / cycles");
	shade__events(s, &events);
	assert_int_equal(events[0], 3);
	shade__free(s);
	profile__free(p);
}

/* Of another leader, or of a run that is not all of it: no ratio. */
static void what_was_not_counted_together_is_refused(void **state)
{
	const struct profile_event other = {
		.name = "misses", .unit = "", .is_member = true, .leader = "faults"
	};
	struct profile *p = grouped_profile(), *alone = new_profile();
	struct shade *s;
	uint32_t id;

	assert_int_equal(profile__event(p, &other, &id), 0);
	assert_refused(p, "misses / cycles", "'misses' was sampled by itself");
	s = open_shade(p, "ipc");
	shade__free(s);
	add_event(alone, "cycles");
	add_row(alone, 0, 1, add_stack(alone, "csh", NULL), 3);
	assert_int_equal(profile__join(p, alone), 0);
	assert_refused(p, "ipc", "the files do not all tell");
	profile__free(p);
	/* Twice the same is as good as once. */
	p = grouped_profile();
	profile__free(alone);
	alone = grouped_profile();
	assert_int_equal(profile__join(p, alone), 0);
	s = open_shade(p, "ipc");
	shade__free(s);
	profile__free(p);
	/* The other way round. */
	p = new_profile();
	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 3);
	assert_int_equal(profile__join(p, alone), 0);
	assert_refused(p, "ipc", "the files do not all tell");
	profile__free(p);
	profile__free(alone);
}

static int note(void *arg, const char *event, struct buf *why)
{
	return buf__printf(arg, "%s;", event);
}

static void needs_are_its_events(void **state)
{
	struct buf names = {}, why = {};

	assert_int_equal(shade__needs("mpki", note, &names, &why), 0);
	assert_string_equal(names.data, "cache-misses;instructions;");
	assert_int_equal(shade__needs("a,b", note, &names, &why), -EINVAL);
	buf__free(&names);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_column_is_computed_by_its_events),
		cmocka_unit_test(events_are_found_with_their_modifiers),
		cmocka_unit_test(time_is_that_of_a_clock),
		cmocka_unit_test(what_it_cannot_be_of_is_told),
		cmocka_unit_test(the_exact_name_comes_first),
		cmocka_unit_test(what_was_not_counted_together_is_refused),
		cmocka_unit_test(needs_are_its_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
