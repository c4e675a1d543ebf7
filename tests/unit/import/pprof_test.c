// SPDX-License-Identifier: BSD-2-Clause
/* Profiles of pprof, made byte by byte after its wire format, and what comes of them. */
#include "profiles.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "import/pprof.h"
#include "import/source.h"
#include "print/folded.h"

#define PLENTY (1ull << 30)

/* A message of protobuf. */
struct msg {
	char bytes[64 * 1024];
	size_t len;
};

static void put_varint(struct msg *m, uint64_t n)
{
	do {
		assert_true(m->len < sizeof(m->bytes));
		m->bytes[m->len++] = (n & 0x7f) | (n > 0x7f ? 0x80 : 0);
	} while (n >>= 7);
}

static void put_number(struct msg *m, unsigned field, uint64_t n)
{
	put_varint(m, field << 3);
	put_varint(m, n);
}

static void put_bytes(struct msg *m, unsigned field, const void *bytes, size_t len)
{
	put_varint(m, field << 3 | 2);
	put_varint(m, len);
	assert_true(m->len + len <= sizeof(m->bytes));
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static void put_msg(struct msg *m, unsigned field, const struct msg *inner)
{
	put_bytes(m, field, inner->bytes, inner->len);
}

static void put_string(struct msg *m, const char *s)
{
	put_bytes(m, 6, s, strlen(s));
}

/* Numbers of a message, field 1, 2, ..; 0 is left out. */
static struct msg *numbers(size_t nr, const uint64_t *n)
{
	struct msg *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	for (size_t i = 0; i < nr; i++)
		if (n[i])
			put_number(m, i + 1, n[i]);
	return m;
}

#define NUMBERS(...)                                                                               \
	numbers(sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (const uint64_t[]){ __VA_ARGS__ })

static void put_numbers(struct msg *m, unsigned field, struct msg *inner)
{
	put_msg(m, field, inner);
	free(inner);
}

/* Its lines: pairs of function and line, up to a function of 0. */
static void put_location(struct msg *m, uint64_t id, uint64_t mapping, uint64_t address,
			 const uint64_t *lines)
{
	struct msg *l = NUMBERS(id, mapping, address);

	for (; lines && *lines; lines += 2)
		put_numbers(l, 4, NUMBERS(lines[0], lines[1]));
	put_numbers(m, 4, l);
}

/* Not packed: readers take both. @label: key, str, num; or NULL. */
static void put_sample(struct msg *m, const uint64_t *locations, const int64_t *values,
		       size_t nr_values, const uint64_t *label)
{
	struct msg *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	for (; *locations; locations++)
		put_number(s, 1, *locations);
	for (size_t i = 0; i < nr_values; i++)
		put_number(s, 2, values[i]);
	if (label)
		put_numbers(s, 3, NUMBERS(label[0], label[1], label[2]));
	put_numbers(m, 2, s);
}

struct read {
	struct profile *p;
	struct pprof_found found;
	int err;
};

/* Into that profile, or a new one. */
static struct read read_into(struct profile *p, const void *bytes, size_t len, uint64_t max_bytes)
{
	const struct pprof_in_opts o = { .comm = "file.pb",
					 .places = true,
					 .max_bytes = max_bytes };
	struct read t = { .p = p ? p : profile__new() };
	char path[] = "/tmp/pprof_test.XXXXXX";
	struct buf why = {};
	struct source *s;
	int fd = mkstemp(path);

	assert_true(fd >= 0 && t.p);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
	assert_int_equal(source__open(&s, path, &why), 0);
	unlink(path);
	t.err = import__pprof(t.p, s, &o, &t.found);
	source__close(s);
	return t;
}

static struct read read_bytes(const void *bytes, size_t len, uint64_t max_bytes)
{
	return read_into(NULL, bytes, len, max_bytes);
}

static struct read read_msg(const struct msg *m)
{
	return read_bytes(m->bytes, m->len, PLENTY);
}

static void event_reads_as(const struct profile *p, uint32_t event, const char *folded)
{
	char *text = WRITTEN(print__folded(f, p, event));

	assert_string_equal(text, folded);
	free(text);
}

/* As Go's runtime writes it: strings behind all that refers to them. */
static void put_go_profile(struct msg *m)
{
	put_numbers(m, 1, NUMBERS(1, 2)); /* samples/count */
	put_numbers(m, 1, NUMBERS(3, 4)); /* cpu/nanoseconds */
	put_sample(m, (uint64_t[]){ 1, 2, 0 }, (int64_t[]){ 3, 30000000 }, 2, NULL);
	put_sample(m, (uint64_t[]){ 2, 0 }, (int64_t[]){ 1, 10000000 }, 2, NULL);
	put_sample(m, (uint64_t[]){ 3, 2, 0 }, (int64_t[]){ 0, 0 }, 2, NULL); /* none */
	put_numbers(m, 3, NUMBERS(1, 0x400000, 0x500000, 0x1000, 5, 6));
	put_location(m, 1, 1, 0x400010, (uint64_t[]){ 2, 12, 1, 40, 0 });
	put_location(m, 2, 1, 0x400020, (uint64_t[]){ 3, 7, 0 });
	put_location(m, 3, 1, 0x400030, NULL);
	put_numbers(m, 5, NUMBERS(1, 7, 7, 10, 38));
	put_numbers(m, 5, NUMBERS(2, 8, 8, 10, 11));
	put_numbers(m, 5, NUMBERS(3, 9, 9, 10));
	put_number(m, 9, 1700000000000000000);
	put_number(m, 10, 2000000000);
	for (size_t i = 0; i < 11; i++) {
		static const char *const strings[] = {
			"",	     "samples",	    "count",
			"cpu",	     "nanoseconds", "/usr/bin/server",
			"beef",	     "main.work",   "main.inner",
			"main.main", "/src/main.go"
		};

		put_string(m, strings[i]);
	}
}

static void a_cpu_profile_of_go_is_one_event(void **state)
{
	struct msg m = {};
	struct code_place at;
	struct read t;
	uint32_t node;

	put_go_profile(&m);
	assert_true(pprof__is_it(m.bytes, m.len));
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.found.nr_bad, 0);
	assert_int_equal(t.found.nr_samples, 3);
	assert_int_equal(t.p->nr_events, 1);
	assert_string_equal(t.p->events[0].name, "cpu");
	assert_string_equal(t.p->events[0].unit, "ns");
	assert_int_equal(t.p->events[0].weight, 40000000);
	event_reads_as(t.p, 0,
		       "server;main.main 1\n"
		       "server;main.main;main.work;main.inner_[i] 3\n");
	assert_int_equal(t.p->duration_ns, 2000000000);
	assert_int_equal(t.p->about.begin_ns, 1700000000000000000);
	assert_true(t.p->losses.untold);

	/* main.inner, inlined into main.work: in the file 0x10 behind where its mapping begins. */
	node = t.p->rows[0].key.stack;
	assert_true(profile__place_of(t.p, t.p->nodes[node].frame, &at));
	assert_string_equal(strtab__get(t.p->strings, at.path), "/usr/bin/server");
	assert_string_equal(strtab__get(t.p->strings, at.build_id), "beef");
	assert_string_equal(strtab__get(t.p->strings, at.source), "/src/main.go");
	assert_true(at.offset == 0x1010 && at.line == 12 && at.start_line == 11);
	node = t.p->nodes[node].parent;
	assert_true(profile__place_of(t.p, t.p->nodes[node].frame, &at));
	assert_true(at.line == 40 && at.start_line == 38);
	profile__free(t.p);
}

/* Two types, neither a count of samples. @strings: 1.. */
static void put_types(struct msg *m, const char *const *strings)
{
	put_string(m, "");
	for (; *strings; strings++)
		put_string(m, *strings);
	put_numbers(m, 1, NUMBERS(1, 2));
	put_numbers(m, 1, NUMBERS(3, 4));
}

/* samples/count alone, and further strings, from 3 on. */
static void put_counts(struct msg *m, const char *const *strings)
{
	m->len = 0;
	put_numbers(m, 1, NUMBERS(1, 2));
	put_string(m, "");
	put_string(m, "samples");
	put_string(m, "count");
	for (; *strings; strings++)
		put_string(m, *strings);
}

static void other_types_are_events_of_their_own(void **state)
{
	static const char *const strings[] = { "alloc_objects", "count", "alloc_space",
					       "bytes",		"main",	 NULL };
	struct msg m = {};
	struct read t;

	put_types(&m, strings);
	put_numbers(&m, 5, NUMBERS(1, 5));
	put_location(&m, 1, 0, 0, (uint64_t[]){ 1, 0, 0 });
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 2, 4096 }, 2, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->nr_events, 2);
	assert_string_equal(t.p->events[0].name, "alloc_objects");
	assert_string_equal(t.p->events[1].name, "alloc_space (bytes)");
	event_reads_as(t.p, 0, "file.pb;main 2\n");
	event_reads_as(t.p, 1, "file.pb;main 4096\n");
	profile__free(t.p);
}

static void samples_that_cannot_be_are_left_out_and_told(void **state)
{
	static const char *const strings[] = {
		"x_sample", "count", "x_event", "count", "main", NULL
	};
	struct msg m = {};
	struct read t;

	put_types(&m, strings);
	put_numbers(&m, 5, NUMBERS(7, 5)); /* ids need not begin with 1 */
	put_location(&m, 9, 0, 0, (uint64_t[]){ 7, 0, 0 });
	put_sample(&m, (uint64_t[]){ 9, 0 }, (int64_t[]){ 2, 20 }, 2, NULL);
	put_sample(&m, (uint64_t[]){ 9, 0 }, (int64_t[]){ -2, 20 }, 2, NULL); /* a difference */
	put_sample(&m, (uint64_t[]){ 9, 0 }, (int64_t[]){ 2 }, 1, NULL);      /* a value too few */
	put_sample(&m, (uint64_t[]){ 8, 0 }, (int64_t[]){ 2, 20 }, 2, NULL);  /* of no location */
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.found.nr_samples, 1);
	assert_int_equal(t.found.nr_bad, 3);
	assert_int_equal(t.p->nr_events, 1);
	assert_string_equal(t.p->events[0].name, "x");
	assert_int_equal(t.p->events[0].weight, 20);
	event_reads_as(t.p, 0, "file.pb;main 2\n");
	profile__free(t.p);
}

static void labels_are_keys(void **state)
{
	static const char *const strings[] = { "x_sample", "count", "x_event", "count", "main",
					       "comm",	   "sh",    "pid",     NULL };
	struct msg m = {};
	struct read t;

	put_types(&m, strings);
	put_numbers(&m, 5, NUMBERS(1, 5));
	put_location(&m, 1, 0, 0, (uint64_t[]){ 1, 0, 0 });
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 1, 1 }, 2, (uint64_t[]){ 6, 7, 0 });
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 2, 1 }, 2, (uint64_t[]){ 8, 0, 42 });
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 4, 1 }, 2, (uint64_t[]){ 8, 7, 0 });
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	event_reads_as(t.p, 0, "file.pb;main 6\nsh;main 1\n");
	assert_true(t.p->by & BY_PID);
	assert_int_equal(t.p->rows[1].key.pid, 42);
	assert_int_equal(t.p->rows[2].key.pid, 0); /* a text is no process */
	profile__free(t.p);
}

/* Pseudo frames alone are what a writer has lost; in a stack they are frames. */
static void lost_samples_are_lost(void **state)
{
	static const char *const strings[] = {
		"x_sample",	      "count", "x_event", "count", "main", "[lost: table_full]",
		"pmutrace 1 profile", NULL
	};
	struct msg m = {};
	struct read t;

	put_types(&m, strings);
	put_numbers(&m, 5, NUMBERS(1, 5));
	put_numbers(&m, 5, NUMBERS(2, 6));
	put_location(&m, 1, 0, 0, (uint64_t[]){ 1, 0, 0 });
	put_location(&m, 2, 0, 0, (uint64_t[]){ 2, 0, 0 });
	put_number(&m, 13, 7);
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 10, 1 }, 2, NULL);
	put_sample(&m, (uint64_t[]){ 2, 0 }, (int64_t[]){ 3, 1 }, 2, NULL);
	put_sample(&m, (uint64_t[]){ 2, 1, 0 }, (int64_t[]){ 5, 1 }, 2, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->losses.seen, 18);
	assert_int_equal(t.p->losses.kept, 15);
	assert_int_equal(losses__sum(&t.p->losses), 3);
	assert_string_equal(t.p->losses.by[0].name, "table_full");
	assert_false(t.p->losses.untold); /* it is a file of ours, of one event */
	event_reads_as(t.p, 0, "file.pb;main 10\nfile.pb;main;[lost: table_full] 5\n");
	profile__free(t.p);
}

/* What it says was lost counts to the largest sum that there may be, too. */
static void too_much_that_was_lost_is_refused(void **state)
{
	static const char *const strings[] = { "x_sample",	     "count", "x_event", "count",
					       "[lost: table_full]", NULL };
	struct msg m = {};
	struct read t;

	put_types(&m, strings);
	put_numbers(&m, 5, NUMBERS(1, 5));
	put_location(&m, 1, 0, 0, (uint64_t[]){ 1, 0, 0 });
	put_number(&m, 13, 6); /* a comment: that it is a file of ours */
	put_string(&m, "pmutrace 0.1.0 profile");
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 600000000000000000, 1 }, 2, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_true(losses__sum(&t.p->losses) == 600000000000000000);
	profile__free(t.p);
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 600000000000000000, 1 }, 2, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, -EPROTO);
	profile__free(t.p);
}

/* One location of 1,000 functions, named 100 times; the outermost is another one. */
static void what_is_too_deep_is_cut_and_told(void **state)
{
	static struct msg m;
	uint64_t lines[2 * 1000 + 1] = {}, locations[102];
	struct read t;

	put_counts(&m, (const char *[]){ "deep", "main", NULL });
	for (size_t i = 0; i < 1000; i++)
		lines[2 * i] = lines[2 * i + 1] = 1;
	put_numbers(&m, 5, NUMBERS(1, 3));
	put_numbers(&m, 5, NUMBERS(2, 4));
	put_location(&m, 1, 0, 0x1000, lines);
	put_location(&m, 2, 0, 0x2000, (uint64_t[]){ 2, 1, 0 });
	for (size_t i = 0; i < 100; i++)
		locations[i] = 1;
	locations[100] = 2;
	locations[101] = 0;
	put_sample(&m, locations, (int64_t[]){ 5 }, 1, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->losses.kept, 5);
	assert_string_equal(t.p->losses.by[0].name, "stack_too_deep");
	assert_int_equal(t.p->losses.by[0].n, 5);
	/* The root, the command, main, and as many as there is room for. */
	assert_in_range(t.p->nr_nodes, 4096, 4098);
	assert_string_equal(strtab__get(t.p->strings, t.p->frames[t.p->nodes[2].frame].name),
			    "main");
	profile__free(t.p);
}

/* CPU time is told twice, once by names known everywhere; members of a group have no samples. */
static void what_is_told_twice_is_one_event(void **state)
{
	static const char *const strings[] = { "clock_sample", "count",	      "clock_event",
					       "nanoseconds",  "samples",     "count",
					       "cpu",	       "nanoseconds", "faults_event",
					       "count",	       "f",	      NULL };
	struct msg m = {};
	struct read t;

	put_string(&m, "");
	for (size_t i = 0; strings[i]; i++)
		put_string(&m, strings[i]);
	for (unsigned i = 0; i < 5; i++)
		put_numbers(&m, 1, NUMBERS(2 * i + 1, 2 * i + 2));
	put_numbers(&m, 5, NUMBERS(1, 11));
	put_location(&m, 1, 0, 0x1000, (uint64_t[]){ 1, 1, 0 });
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 3, 30, 3, 30, 7 }, 5, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->nr_events, 2);
	assert_string_equal(t.p->events[0].name, "clock");
	assert_int_equal(t.p->events[0].samples, 3);
	assert_int_equal(t.p->events[0].weight, 30);
	assert_string_equal(t.p->events[1].name, "faults");
	assert_true(t.p->events[1].is_member);
	assert_string_equal(t.p->events[1].leader, "clock");
	assert_int_equal(t.p->events[1].samples, 0);
	assert_int_equal(t.p->events[1].weight, 7);
	assert_int_equal(t.p->losses.kept, 3);
	profile__free(t.p);
}

/* One location of 5,000 functions: more than are looked at, and that is told. */
static void a_location_that_is_too_deep_is_told(void **state)
{
	static uint64_t lines[2 * 5000 + 1];
	static struct msg m;
	struct read t;

	put_counts(&m, (const char *[]){ "deep", NULL });
	for (size_t i = 0; i < 5000; i++)
		lines[2 * i] = lines[2 * i + 1] = 1;
	put_numbers(&m, 5, NUMBERS(1, 3));
	put_location(&m, 1, 0, 0x1000, lines);
	put_location(&m, 2, 0, 0x2000, (uint64_t[]){ 1, 1, 0 });
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 5 }, 1, NULL);
	put_sample(&m, (uint64_t[]){ 2, 0 }, (int64_t[]){ 7 }, 1, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->losses.kept, 12);
	assert_string_equal(t.p->losses.by[0].name, "stack_too_deep");
	assert_int_equal(t.p->losses.by[0].n, 5);
	profile__free(t.p);
}

/* Weights of several files, too: two of these would be more than 2^60. */
static void sums_of_files_do_not_overflow(void **state)
{
	static const char *const strings[] = { "x_sample", "count", "x_event", "count", "f", NULL };
	struct msg m = {};
	struct read t, again;

	put_types(&m, strings);
	put_numbers(&m, 5, NUMBERS(1, 5));
	put_location(&m, 1, 0, 0x1000, (uint64_t[]){ 1, 1, 0 });
	put_sample(&m, (uint64_t[]){ 1, 0 }, (int64_t[]){ 1, 900000000000000000 }, 2, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	assert_true(t.p->events[0].weight == 900000000000000000);
	again = read_into(t.p, m.bytes, m.len, PLENTY);
	assert_int_equal(again.err, -EPROTO);
	assert_true(t.p->events[0].weight == 900000000000000000);
	profile__free(t.p);
}

static void code_without_a_name_is_an_address(void **state)
{
	static const char *const strings[] = { "x_sample", "count",	     "x_event",
					       "count",	   "/lib/libfoo.so", "[kernel.kallsyms]",
					       NULL };
	struct msg m = {};
	struct read t;

	put_types(&m, strings);
	put_numbers(&m, 3, NUMBERS(1, 0x7f0000001000, 0x7f0000002000, 0x3000, 5));
	put_numbers(&m, 3, NUMBERS(2, 0xffffffff81000000, 0xffffffff82000000, 0, 6));
	put_location(&m, 1, 1, 0x7f0000001234, NULL);
	put_location(&m, 2, 2, 0xffffffff81000042, NULL);
	put_location(&m, 3, 0, 0x1234, NULL);
	put_sample(&m, (uint64_t[]){ 2, 1, 3, 0 }, (int64_t[]){ 1, 1 }, 2, NULL);
	t = read_msg(&m);
	assert_int_equal(t.err, 0);
	event_reads_as(
		t.p, 0,
		"libfoo.so;[unknown];[libfoo.so+0x3234];[kernel+0xffffffff81000042]_[k] 1\n");
	profile__free(t.p);
}

static void damage_is_an_error(void **state)
{
	struct msg m = {};
	struct read t;

	put_go_profile(&m);
	for (size_t len = 0; len < m.len; len += 7) {
		t = read_bytes(m.bytes, len, PLENTY);
		assert_true(t.err == 0 || t.err == -EPROTO);
		profile__free(t.p);
	}
	m.len = 0; /* no values at all */
	put_string(&m, "");
	t = read_msg(&m);
	assert_int_equal(t.err, -EPROTO);
	profile__free(t.p);
}

/* A message of two bytes takes a hundred when it is unpacked. */
static void memory_is_bounded(void **state)
{
	static struct msg m;
	struct read t;

	m.len = 0;
	put_go_profile(&m);
	while (m.len < 60000)
		put_bytes(&m, 4, "", 0);
	t = read_bytes(m.bytes, m.len, 1 << 20);
	assert_int_equal(t.err, -EFBIG);
	profile__free(t.p);
	t = read_bytes(m.bytes, m.len, 50000); /* not even the file */
	assert_int_equal(t.err, -EFBIG);
	profile__free(t.p);
	t = read_bytes(m.bytes, m.len, PLENTY);
	assert_int_equal(t.err, 0);
	profile__free(t.p);
}

static void texts_do_not_look_like_it(void **state)
{
	static const char *const texts[] = { "",
					     "sh;main 1\n",
					     "\n\nsh;main 1\n",
					     "\n\tsh 12\n",
					     "{ \"a\": 1 }\n",
					     "sh 1 [000] 12.5: cycles:\n\t12 main (a)\n",
					     "2\n",
					     "*\n",
					     ":x\n",
					     "B;main 5\n" };
	struct msg m = {};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_false(pprof__is_it(texts[i], strlen(texts[i])));
	put_string(&m, ""); /* strings may come first */
	put_string(&m, "samples");
	assert_true(pprof__is_it(m.bytes, m.len));
	put_go_profile(&m);
	assert_true(pprof__is_it(m.bytes, m.len));
	assert_true(pprof__is_it(m.bytes, m.len - 5)); /* all that was looked at */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_profile_of_go_is_one_event),
		cmocka_unit_test(other_types_are_events_of_their_own),
		cmocka_unit_test(samples_that_cannot_be_are_left_out_and_told),
		cmocka_unit_test(labels_are_keys),
		cmocka_unit_test(lost_samples_are_lost),
		cmocka_unit_test(too_much_that_was_lost_is_refused),
		cmocka_unit_test(what_is_too_deep_is_cut_and_told),
		cmocka_unit_test(what_is_told_twice_is_one_event),
		cmocka_unit_test(a_location_that_is_too_deep_is_told),
		cmocka_unit_test(sums_of_files_do_not_overflow),
		cmocka_unit_test(code_without_a_name_is_an_address),
		cmocka_unit_test(damage_is_an_error),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(texts_do_not_look_like_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
