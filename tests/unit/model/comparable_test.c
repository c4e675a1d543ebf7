// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "base/buf.h"
#include "base/log.h"
#include "model/comparable.h"

static char told[1024];

static void tell(void *arg, enum log_level level, const char *text)
{
	strncat(told, text, sizeof(told) - strlen(told) - 1);
	strncat(told, "\n", sizeof(told) - strlen(told) - 1);
}

static struct profile *run_on(const char *host, const char *event, uint64_t hz)
{
	const struct profile_event e = { .name = event, .unit = "", .hz = hz };
	const struct profile_about about = { host, "6.12", "x86_64", "CPU", 0 };
	struct profile *p = new_profile();
	uint32_t id;

	assert_int_equal(profile__event(p, &e, &id), 0);
	assert_int_equal(profile__set_about(p, &about), 0);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", NULL), 1);
	p->nr_cpus = 2;
	return p;
}

/* What two files have to say to each other; 0 or the error of the second one. */
static int held_against(struct profile *a, struct profile *b, bool absolute, struct buf *why)
{
	struct comparable c = {};
	uint32_t event;
	int err;

	told[0] = '\0';
	log__set_sink(tell, NULL);
	assert_int_equal(comparable__event(&c, a, "a", NULL, &event, why), 0);
	assert_int_equal(comparable__look(&c, a, "a", event, absolute, why), 0);
	err = comparable__event(&c, b, "b", NULL, &event, why);
	/* Twice: it is told once. */
	for (int i = 0; i < 2 && !err; i++)
		err = comparable__look(&c, b, "b", event, absolute, why);
	log__set_sink(NULL, NULL);
	profile__free(a);
	profile__free(b);
	return err;
}

static void the_same_has_nothing_to_tell(void **state)
{
	struct buf why = {};

	assert_int_equal(
		held_against(run_on("web", "cycles", 99), run_on("web", "cycles", 99), true, &why),
		0);
	assert_string_equal(told, "");
}

static void another_machine_is_told_once(void **state)
{
	struct profile *b = run_on("db", "cycles", 99);
	struct buf why = {};

	b->nr_cpus = 8;
	assert_int_equal(held_against(run_on("web", "cycles", 99), b, false, &why), 0);
	assert_string_equal(told, "b is of another machine than a: db, not web\n"
				  "b was sampled on 8 CPUs, a on 2\n");
}

static void what_is_not_known_is_no_difference(void **state)
{
	struct buf why = {};

	assert_int_equal(
		held_against(run_on("web", "cycles", 99), run_on("", "cycles", 0), true, &why), 0);
	assert_string_equal(told, "");
}

static void another_rate_is_told(void **state)
{
	struct buf why = {};

	assert_int_equal(
		held_against(run_on("web", "cycles", 99), run_on("web", "cycles", 997), true, &why),
		0);
	assert_string_equal(told, "b was sampled at 997 Hz, a at 99 Hz\n");
}

/* Numbers of samples per second are those of the rate then. */
static void without_weights_another_rate_has_no_rates(void **state)
{
	struct profile *b = run_on("web", "cycles", 997);
	struct buf why = {};

	b->events[0].weight = 0;
	assert_int_equal(held_against(run_on("web", "cycles", 99), b, true, &why), -EPROTO);
	assert_string_equal(why.data,
			    "b was sampled at 997 Hz, a at 99 Hz: --absolute needs the same rate");
	buf__free(&why);
}

static void another_event_is_refused(void **state)
{
	struct buf why = {};

	assert_int_equal(
		held_against(run_on("web", "cycles", 99), run_on("web", "faults", 99), false, &why),
		-EPROTO);
	assert_non_null(strstr(why.data, "b has no event cycles, but faults"));
	buf__free(&why);
}

static void folded_stacks_go_with_any_event(void **state)
{
	struct buf why = {};

	assert_int_equal(
		held_against(run_on("web", "cycles", 99), run_on("", "samples", 0), false, &why),
		0);
	assert_non_null(strstr(told, "b does not tell its event"));
}

static void an_event_is_chosen_by_name(void **state)
{
	struct profile *p = run_on("web", "cycles", 99);
	struct comparable c = {};
	struct buf why = {};
	uint32_t event;

	add_event(p, "faults");
	assert_int_equal(comparable__event(&c, p, "a", "faults", &event, &why), 0);
	assert_int_equal(event, 1);
	assert_int_equal(comparable__event(&c, p, "a", "nosuch", &event, &why), -EPROTO);
	assert_non_null(strstr(why.data, "a has no event nosuch, but cycles, faults"));
	buf__free(&why);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_has_nothing_to_tell),
		cmocka_unit_test(another_machine_is_told_once),
		cmocka_unit_test(what_is_not_known_is_no_difference),
		cmocka_unit_test(another_rate_is_told),
		cmocka_unit_test(without_weights_another_rate_has_no_rates),
		cmocka_unit_test(another_event_is_refused),
		cmocka_unit_test(folded_stacks_go_with_any_event),
		cmocka_unit_test(an_event_is_chosen_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
