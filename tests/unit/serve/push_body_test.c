// SPDX-License-Identifier: BSD-2-Clause
/* Bodies of requests, as somebody else's reader has them (tests/pushed.pl). */
#include "profiles.h"

#include <errno.h>
#include <unistd.h>

#include "pushing.h"
#include "serve/push_split.h"

static const struct push_label labels[] = {
	{ "service_name", "web" },
	{ "container", "docker:1a2b" },
	{ "k8s.pod", "a\xff"
		     "b\n" },
};

static const struct push_profile pushed = {
	.pprof = { .command = "profile", .weights = true },
	.begin_ns = 1795779000000000123,
	.duration_ns = 10000000000,
	.labels = labels,
	.nr_labels = ARRAY_SIZE(labels),
	.whose = "web",
};

static const struct push_limits wide = { .max_rows = SIZE_MAX, .max_bytes = SIZE_MAX };

/* Where bodies are for tests/pushed.pl. */
static const char DIR[] = "/tmp/push_body_test";

static int make_dir(void **state)
{
	(void)state;
	return system("rm -rf /tmp/push_body_test && mkdir -m 700 /tmp/push_body_test");
}

static int remove_dir(void **state)
{
	(void)state;
	return system("rm -rf /tmp/push_body_test");
}

static void write_part(const struct push_parts *parts, size_t i)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%zu", DIR, i);
	write_to(path, parts->items[i].body.bytes.data, parts->items[i].body.bytes.len);
}

/* The number of parts. */
static size_t make(enum push_kind kind, const struct profile *p, const struct push_profile *how,
		   const struct push_limits *limits)
{
	struct push_profile one = *how;
	struct push_parts parts = {};
	size_t nr;

	one.profile = p;
	assert_int_equal(push_parts__make(&parts, kind, &one, limits), 0);
	nr = parts.nr;
	for (size_t i = 0; i < nr; i++)
		write_part(&parts, i);
	push_parts__free(&parts);
	return nr;
}

static struct profile *cpu_profile(void)
{
	const struct profile_event e = { .name = "cpu-clock", .unit = "ns", .hz = 100 };
	struct profile *p = new_profile();
	uint32_t id;

	assert_int_equal(profile__event(p, &e, &id), 0);
	add_row(p, id, 7, add_stack(p, "csh", "umain", "uwork", NULL), 3);
	add_row(p, id, 7, add_stack(p, "csh", "umain", "iinner", NULL), 2);
	add_row(p, id, 8, add_stack(p, "cawk", "umain", "ksys_read", NULL), 1);
	return p;
}

static void a_series_of_pyroscope_has_labels_and_a_profile(void **state)
{
	struct profile *p = cpu_profile();

	(void)state;
	assert_int_equal(make(PUSH_PYROSCOPE, p, &pushed, &wide), 1);
	assert_output("tests/pushed.pl pyroscope /tmp/push_body_test/0 labels",
		      "__name__=process_cpu\ncontainer=docker:1a2b\nk8s_pod=a\xef\xbf\xbd"
		      "b\n\n"
		      "service_name=web\n");
	assert_output(
		"tests/pushed.pl pyroscope /tmp/push_body_test/0 pprof "
		">/tmp/push_body_test/p && tests/pprof.pl folded cpu /tmp/push_body_test/p | sort",
		"awk;main;sys_read 1000\nsh;main;inner 2000\nsh;main;work 3000\n");
	assert_output("tests/pprof.pl head /tmp/push_body_test/p",
		      "cpu nanoseconds 10000000 1795779000000000123 10000000000\n");
	assert_output("tests/pprof.pl types /tmp/push_body_test/p",
		      "samples count\ncpu nanoseconds *\n");
	profile__free(p);
}

static void parca_gets_the_same_in_json(void **state)
{
	struct profile *p = cpu_profile();

	(void)state;
	assert_int_equal(make(PUSH_PARCA, p, &pushed, &wide), 1);
	assert_output("tests/pushed.pl parca /tmp/push_body_test/0 labels",
		      "__name__=process_cpu\ncontainer=docker:1a2b\nk8s_pod=a\xef\xbf\xbd"
		      "b\n\n"
		      "service_name=web\n");
	assert_output(
		"tests/pushed.pl parca /tmp/push_body_test/0 pprof "
		">/tmp/push_body_test/p && tests/pprof.pl folded cpu /tmp/push_body_test/p | sort",
		"awk;main;sys_read 1000\nsh;main;inner 2000\nsh;main;work 3000\n");
	profile__free(p);
}

static void otlp_has_a_profile_of_cpu_time(void **state)
{
	struct profile *p = cpu_profile();

	(void)state;
	assert_int_equal(make(PUSH_OTLP, p, &pushed, &wide), 1);
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 folded cpu",
		      "awk;main;sys_read 1000\nsh;main;inner 2000\nsh;main;work 3000\n");
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 types",
		      "cpu nanoseconds cpu nanoseconds 10000000 3\n");
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 times",
		      "1795779000000000123 10000000000\n");
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 labels",
		      "container=docker:1a2b\nk8s.pod=a\xef\xbf\xbd"
		      "b\n\nservice.name=web\n");
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 attributes",
		      "process.pid=7 5000\nprocess.pid=8 1000\n"
		      "thread.name=awk 1000\nthread.name=sh 5000\n");
	profile__free(p);
}

/* cycles and faults of profiles.h: the second one is a profile of the same dictionary. */
static void events_are_profiles_of_one_dictionary(void **state)
{
	struct push_profile of_faults = pushed;
	struct profile *p = small_profile();

	(void)state;
	of_faults.pprof.event = 1;
	assert_int_equal(make(PUSH_OTLP, p, &of_faults, &wide), 1);
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 types",
		      "faults count faults count 1000 2\ncycles count cycles count 1000 4\n");
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 folded faults",
		      "node;run 1000\nsh;main;sys_read 4000\n");
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 folded cycles",
		      "sh;main;sys_read 2000\nsh;main;work 3000\nsh;main;work;work;leaf 5000\n");
	assert_int_equal(make(PUSH_PYROSCOPE, p, &of_faults, &wide), 1);
	assert_output("tests/pushed.pl pyroscope /tmp/push_body_test/0 labels | head -1",
		      "__name__=faults\n");
	profile__free(p);
}

static void without_a_service_there_is_one(void **state)
{
	const struct push_label none[] = { { "service_name", "" }, { "a", "" } };
	struct push_profile nameless = pushed;
	struct profile *p = cpu_profile();

	(void)state;
	nameless.labels = none;
	nameless.nr_labels = 2;
	assert_int_equal(make(PUSH_PYROSCOPE, p, &nameless, &wide), 1);
	assert_output("tests/pushed.pl pyroscope /tmp/push_body_test/0 labels",
		      "__name__=process_cpu\nservice_name=pmutrace\n");
	assert_int_equal(make(PUSH_OTLP, p, &nameless, &wide), 1);
	assert_output("tests/pushed.pl otlp /tmp/push_body_test/0 labels",
		      "service.name=pmutrace\n");
	profile__free(p);
}

/* 40 labels, of which 28 have room; the same name twice; names and values that are too long. */
static void labels_are_as_many_and_as_long_as_backends_take(void **state)
{
	static char names[42][1200], value[5000];
	struct push_label many[42];
	struct push_profile labelled = pushed;
	struct profile *p = cpu_profile();

	(void)state;
	for (size_t i = 0; i < sizeof(value) - 2; i += 2)
		memcpy(value + i, "\xc3\xa9", 3);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		snprintf(names[i], sizeof(names[i]), "l%02zu", i < 2 ? 0 : i);
		many[i] = (struct push_label){ names[i], i == 3 ? value : i == 1 ? "second" : "v" };
	}
	memset(names[4], 'n', sizeof(names[4]) - 1);
	strcpy(names[5], "9 a-b");
	labelled.labels = many;
	labelled.nr_labels = ARRAY_SIZE(many);
	assert_int_equal(make(PUSH_PYROSCOPE, p, &labelled, &wide), 1);
	assert_output("tests/pushed.pl pyroscope /tmp/push_body_test/0 labels | wc -l | tr -d ' '",
		      "30\n");
	assert_output("tests/pushed.pl pyroscope /tmp/push_body_test/0 labels | grep -c "
		      "'^l00=v$\\|^_9_a_b=v$'",
		      "2\n");
	profile__free(p);
}

static void add_many_rows(struct profile *p, unsigned nr, const char *name, uint64_t *weight)
{
	struct row_key key = {};
	char text[600];

	for (unsigned i = 0; i < nr; i++) {
		snprintf(text, sizeof(text), "u%s%u", name, i / 2);
		key.pid = i % 2;
		key.stack = add_stack(p, "csh", "umain", text, NULL);
		assert_int_equal(profile__add(p, &key, 1 + i % 3, (1 + i % 3) * 10, NULL), 0);
		*weight += (1 + i % 3) * 10;
		p->losses.seen += 1 + i % 3;
		p->losses.kept += 1 + i % 3;
	}
}

/* All parts, as a reader sees them: the sum of a type, and of samples of lost ones. */
static void assert_parts(enum push_kind kind, size_t nr, const char *type, uint64_t sum,
			 uint64_t lost)
{
	uint64_t is = 0, is_lost = 0;

	for (size_t i = 0; i < nr; i++) {
		char command[512], *out;
		unsigned long long kept, of_lost;

		snprintf(command, sizeof(command),
			 kind == PUSH_OTLP ? "tests/pushed.pl otlp %1$s/%2$zu folded %3$s >%1$s/f"
					   : "tests/pushed.pl %4$s %1$s/%2$zu pprof >%1$s/p && "
					     "tests/pprof.pl folded %3$s %1$s/p >%1$s/f",
			 DIR, i, type, push_format(kind)->ending);
		strcat(command, " && awk '/lost:/ { l += $NF; next } { n += $NF } "
				"END { printf \"%d %d\", n, l }' /tmp/push_body_test/f");
		out = output_of(command);
		assert_int_equal(sscanf(out, "%llu %llu", &kept, &of_lost), 2);
		is += kept;
		is_lost += of_lost;
		if (i)
			assert_int_equal(of_lost, 0);
		free(out);
	}
	assert_int_equal(is, sum);
	assert_int_equal(is_lost, lost);
}

/* 33,000 rows are 3 parts at least; 5 samples of 66,005 were lost. */
static void what_has_too_many_samples_goes_in_parts(void **state)
{
	const struct loss loss = { .name = "table_full", .text = "x", .n = 5 };
	struct profile *p = new_profile();
	uint64_t weight = 0;
	size_t nr;

	(void)state;
	add_event(p, "cycles:u");
	add_many_rows(p, 33000, "f", &weight);
	losses__add(&p->losses, &loss);
	p->losses.seen += 5;
	assert_int_equal(weight, 660000);
	nr = make(PUSH_PYROSCOPE, p, &pushed, push_limits__default());
	assert_in_range(nr, 3, 4);
	/* 10 for each. */
	assert_parts(PUSH_PYROSCOPE, nr, "cycles_u_event", weight, 50);
	nr = make(PUSH_OTLP, p, &pushed, push_limits__default());
	assert_in_range(nr, 3, 4);
	assert_parts(PUSH_OTLP, nr, "cycles_u", weight, 50);
	profile__free(p);
}

/* 15,000 rows are few enough; 7,500 names of 580 bytes are 4.35 MB. */
static void what_has_too_many_bytes_goes_in_parts(void **state)
{
	struct profile *p = new_profile();
	uint64_t weight = 0;
	char name[581];
	size_t nr;

	(void)state;
	memset(name, 'n', 580);
	name[580] = '\0';
	add_event(p, "cycles");
	add_many_rows(p, 15000, name, &weight);
	nr = make(PUSH_PARCA, p, &pushed, push_limits__default());
	assert_int_equal(nr, 2);
	assert_parts(PUSH_PARCA, nr, "cycles_event", weight, 0);
	profile__free(p);
}

/* Of one series and one moment a backend keeps one. */
static void parts_begin_at_moments_of_their_own(void **state)
{
	const struct push_limits one_row = { .max_rows = 1, .max_bytes = SIZE_MAX };
	struct push_profile one = pushed;
	struct push_parts parts = {};
	struct profile *p = cpu_profile();

	(void)state;
	one.profile = p;
	assert_int_equal(push_parts__make(&parts, PUSH_PYROSCOPE, &one, &one_row), 0);
	assert_int_equal(parts.nr, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(parts.items[i].begin_ns, pushed.begin_ns + i * 1000000);
	write_part(&parts, 2);
	assert_output(
		"tests/pushed.pl pyroscope /tmp/push_body_test/2 pprof >/tmp/push_body_test/p "
		"&& tests/pprof.pl head /tmp/push_body_test/p",
		"cpu nanoseconds 10000000 1795779000002000123 10000000000\n");
	push_parts__free(&parts);
	profile__free(p);
}

static void of_nothing_there_is_no_part(void **state)
{
	struct push_profile one = pushed;
	struct push_parts parts = {};
	struct profile *p = new_profile();

	(void)state;
	one.profile = p;
	assert_int_equal(push_parts__make(&parts, PUSH_OTLP, &one, &wide), 0);
	assert_int_equal(parts.nr, 0);
	add_row(p, add_event(p, "cycles"), 1, add_stack(p, "csh", NULL), 1);
	one.pprof.event = 1;
	assert_int_equal(push_parts__make(&parts, PUSH_OTLP, &one, &wide), -EINVAL);
	push_parts__free(&parts);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_series_of_pyroscope_has_labels_and_a_profile),
		cmocka_unit_test(parca_gets_the_same_in_json),
		cmocka_unit_test(otlp_has_a_profile_of_cpu_time),
		cmocka_unit_test(events_are_profiles_of_one_dictionary),
		cmocka_unit_test(without_a_service_there_is_one),
		cmocka_unit_test(labels_are_as_many_and_as_long_as_backends_take),
		cmocka_unit_test(what_has_too_many_samples_goes_in_parts),
		cmocka_unit_test(what_has_too_many_bytes_goes_in_parts),
		cmocka_unit_test(parts_begin_at_moments_of_their_own),
		cmocka_unit_test(of_nothing_there_is_no_part),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
