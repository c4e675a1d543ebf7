// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "json_path.h"
#include "print/speedscope.h"

static const struct speedscope_opts samples = { .command = "report" };
static const struct speedscope_opts weights = { .command = "profile", .weights = true };

static struct json_object *written(const struct profile *p, const struct speedscope_opts *o)
{
	char *text = WRITTEN(print__speedscope(f, p, o));
	struct json_object *doc = parse(text);

	free(text);
	return doc;
}

/* "sh;main;work 3|" for each sample of a profile: names by the shared frames. */
static char *stacks_of(struct json_object *doc, unsigned profile)
{
	struct json_object *p = json_object_array_get_idx(at(doc, "profiles"), profile);
	struct json_object *all = at(p, "samples"), *frames = at(doc, "shared.frames");
	struct capture *c = capture_open();

	assert_int_equal(length(p, "samples"), length(p, "weights"));
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		struct json_object *stack = json_object_array_get_idx(all, i);

		for (size_t k = 0; k < json_object_array_length(stack); k++) {
			struct json_object *id = json_object_array_get_idx(stack, k);
			uint64_t frame = json_object_get_uint64(id);

			assert_true(json_object_is_type(id, json_type_int));
			assert_true(frame < json_object_array_length(frames));
			fprintf(c->f, "%s%s", k ? ";" : "",
				string(json_object_array_get_idx(frames, frame), "name"));
		}
		fprintf(c->f, " %s|",
			json_object_get_string(json_object_array_get_idx(at(p, "weights"), i)));
	}
	return capture_close(c);
}

static void assert_stacks(struct json_object *doc, unsigned profile, const char *expected)
{
	char *text = stacks_of(doc, profile);

	assert_string_equal(text, expected);
	free(text);
}

static void has_what_the_schema_requires(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o = written(p, &samples);

	assert_string_equal(string(o, "$schema"),
			    "https://www.speedscope.app/file-format-schema.json");
	assert_string_equal(string(o, "exporter"), "pmutrace " PMUTRACE_VERSION);
	assert_string_equal(string(o, "name"), "pmutrace report · nothing lost");
	assert_int_equal(number(o, "activeProfileIndex"), 0);
	assert_int_equal(length(o, "profiles"), 2);
	assert_string_equal(string(o, "profiles.0.type"), "sampled");
	assert_string_equal(string(o, "profiles.0.unit"), "none");
	assert_int_equal(number(o, "profiles.0.startValue"), 0);
	json_object_put(o);
	profile__free(p);
}

static void each_event_is_a_profile_of_the_same_frames(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o = written(p, &samples);

	assert_stacks(o, 0, "sh;main;sys_read_[k] 2|sh;main;work 3|sh;main;work;work;leaf 5|");
	assert_stacks(o, 1, "node;run_[j] 1|sh;main;sys_read_[k] 4|");
	assert_int_equal(number(o, "profiles.0.endValue"), 10);
	assert_int_equal(number(o, "profiles.1.endValue"), 5);
	/* sh, main, work, leaf, sys_read, node and run, once each. */
	assert_int_equal(length(o, "shared.frames"), 7);
	json_object_put(o);
	profile__free(p);
}

/* A sample of small_profile() weighs 1000. */
static void a_stack_weighs_what_its_samples_stand_for(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o;

	p->events[0].unit = "ns";
	o = written(p, &weights);
	assert_stacks(o, 0,
		      "sh;main;sys_read_[k] 2000|sh;main;work 3000|sh;main;work;work;leaf 5000|");
	assert_string_equal(string(o, "profiles.0.unit"), "nanoseconds");
	assert_int_equal(number(o, "profiles.0.endValue"), 10000);
	assert_string_equal(string(o, "profiles.1.unit"), "none");
	assert_int_equal(number(o, "profiles.1.endValue"), 5000);
	json_object_put(o);
	/* Samples are no time, whatever the event's unit. */
	o = written(p, &samples);
	assert_string_equal(string(o, "profiles.0.unit"), "none");
	json_object_put(o);
	profile__free(p);
}

static void without_weights_a_stack_weighs_its_samples(void **state)
{
	struct profile *p = new_profile();
	struct row_key key = {};
	struct json_object *o;

	add_event(p, "uprobe:a");
	key.stack = add_stack(p, "csh", "uf", NULL);
	assert_int_equal(profile__add(p, &key, 7, 0, NULL), 0);
	o = written(p, &weights);
	assert_stacks(o, 0, "sh;f 7|");
	assert_int_equal(number(o, "profiles.0.endValue"), 7);
	json_object_put(o);
	profile__free(p);
}

static void frames_tell_their_file_and_their_kind(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o, *file;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uf", "ig", "n[truncated]", NULL), 1);
	o = written(p, &samples);
	assert_stacks(o, 0, "sh;f;g_[i];[truncated] 1|");
	assert_string_equal(string(o, "shared.frames.1.file"), "prog");
	assert_false(json_object_object_get_ex(at(o, "shared.frames.0"), "file", &file));
	json_object_put(o);
	profile__free(p);
}

static void a_function_of_two_files_is_two_frames(void **state)
{
	struct profile *p = new_profile();
	uint32_t sh = add_stack(p, "csh", NULL), n;
	struct json_object *o;

	add_event(p, "cycles");
	assert_int_equal(profile__child(p, sh, add_frame(p, "init", "x.so", FRAME_USER), &n), 0);
	add_row(p, 0, 1, n, 1);
	assert_int_equal(profile__child(p, sh, add_frame(p, "init", "y.so", FRAME_USER), &n), 0);
	add_row(p, 0, 1, n, 2);
	o = written(p, &samples);
	assert_int_equal(length(o, "profiles.0.samples"), 2);
	assert_string_equal(string(o, "shared.frames.1.file"), "x.so");
	assert_string_equal(string(o, "shared.frames.2.file"), "y.so");
	json_object_put(o);
	profile__free(p);
}

static void what_was_lost_is_in_the_names(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 3);
	p->losses.seen += 2;
	losses__add(&p->losses, &(struct loss){ .name = "full", .text = "table full", .n = 2 });
	losses__add(&p->losses,
		    &(struct loss){ .name = "cut", .text = "cut", .flaw = true, .n = 1 });
	o = written(p, &samples);
	assert_string_equal(string(o, "profiles.0.name"),
			    "cycles (3 samples, 2 lost, some incomplete)");
	assert_string_equal(string(o, "name"), "pmutrace report · 2 of 5 samples lost: "
					       "2 table full · incomplete: 1 cut");
	json_object_put(o);
	/* Of which event is not known. */
	add_event(p, "faults");
	p->events[1].enabled_ns = 4000;
	p->events[1].running_ns = 1000;
	o = written(p, &samples);
	assert_string_equal(string(o, "profiles.0.name"),
			    "cycles (3 samples; of all events 2 lost, some incomplete)");
	assert_string_equal(string(o, "profiles.1.name"),
			    "faults (0 samples, counted 25.0 % of the time; of all events 2 lost, "
			    "some incomplete)");
	json_object_put(o);
	profile__free(p);
}

static void a_sum_that_does_not_add_up_is_a_loss(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 3);
	p->losses.seen = 10;
	o = written(p, &samples);
	assert_string_equal(string(o, "profiles.0.name"), "cycles (3 samples, 7 lost)");
	json_object_put(o);
	p->losses = (struct losses){ .kept = 3, .untold = true };
	o = written(p, &samples);
	assert_string_equal(string(o, "profiles.0.name"),
			    "cycles (3 samples, what was lost before is not told)");
	json_object_put(o);
	profile__free(p);
}

static void title_event_and_noun_are_those_asked_for(void **state)
{
	const struct speedscope_opts opts = {
		.command = "count", .title = "What \"&\" why\xff", .noun = "hit", .event = 1
	};
	struct profile *p = small_profile();
	struct json_object *o = written(p, &opts);

	assert_string_equal(string(o, "name"), "What \"&\" why\xef\xbf\xbd · nothing lost");
	assert_string_equal(string(o, "profiles.1.name"),
			    "faults (5 hits; of all events nothing lost)");
	assert_int_equal(number(o, "activeProfileIndex"), 1);
	json_object_put(o);
	profile__free(p);
}

static void hostile_names_are_read_as_they_were(void **state)
{
	struct profile *p = hostile_profile();
	struct json_object *o;

	add_row(p, 0, 1, add_stack(p, "c</script>", "u'\"\\", NULL), 1);
	o = written(p, &samples);
#define READ "a;b\"c'd<e>f&g\\h\n\033[31m\xef\xbf\xbd]]>"
	assert_stacks(o, 0,
		      "[unknown];[unknown] 1|</script>;'\"\\ 1|" READ ";" READ ";" READ "_[k] 2|");
	json_object_put(o);
	profile__free(p);
}

static void no_samples_are_an_empty_profile(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	o = written(p, &weights);
	assert_stacks(o, 0, "");
	assert_int_equal(number(o, "profiles.0.endValue"), 0);
	assert_int_equal(length(o, "shared.frames"), 0);
	json_object_put(o);
	assert_int_equal(print__speedscope(stdout, p, &(struct speedscope_opts){ .event = 1 }),
			 -EINVAL);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__speedscope(f, p, &samples), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_what_the_schema_requires),
		cmocka_unit_test(each_event_is_a_profile_of_the_same_frames),
		cmocka_unit_test(a_stack_weighs_what_its_samples_stand_for),
		cmocka_unit_test(without_weights_a_stack_weighs_its_samples),
		cmocka_unit_test(frames_tell_their_file_and_their_kind),
		cmocka_unit_test(a_function_of_two_files_is_two_frames),
		cmocka_unit_test(what_was_lost_is_in_the_names),
		cmocka_unit_test(a_sum_that_does_not_add_up_is_a_loss),
		cmocka_unit_test(title_event_and_noun_are_those_asked_for),
		cmocka_unit_test(hostile_names_are_read_as_they_were),
		cmocka_unit_test(no_samples_are_an_empty_profile),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
