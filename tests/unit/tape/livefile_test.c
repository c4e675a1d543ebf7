// SPDX-License-Identifier: BSD-2-Clause
/* Recordings of a live view made by hand: what was put in comes out, and nothing of what is bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "print/profile_json.h"
#include "tape/livefile.h"
#include "tape/liveread.h"
#include "tape/replay.h"
#include "profiles.h"

enum { VALUES = 4, INTERVALS = 200 };

static char path[64]; /* of a file in memory: thousands are written */
static int fd;
static struct live *live;
static struct processes *known;
static struct buf why;

static int set_up(void **state)
{
	(void)state;
	fd = memfd_create("recording", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	live = live__new(VALUES);
	known = processes__new();
	return fd < 0 || !live || !known;
}

static int tear_down(void **state)
{
	(void)state;
	live__free(live);
	processes__free(known);
	buf__free(&why);
	return close(fd);
}

static unsigned ends_102(const void *arg, const struct live_task *t)
{
	(void)arg;
	return t->tid == 102 ? LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED : 0;
}

static bool is_no_visitor(void *arg, uint32_t pid)
{
	(void)arg;
	return pid < 1000;
}

static void set_process(uint32_t pid, const char *command)
{
	const struct process one = { pid, 1, pid % 7, pid == 2, "comm", command };

	assert_int_equal(processes__set(known, &one), 0);
}

static void add(uint32_t tgid, uint32_t tid, uint32_t cpu, uint64_t value)
{
	const struct live_task t = { .tgid = tgid, .tid = tid, .cgroup = 1ull << 33, .comm = "t" };
	const uint64_t values[VALUES] = { value, value << 32, UINT64_MAX - value, 3 * value };

	assert_int_equal(live__add(live, &t, cpu, values), 0);
}

/* Interval n: one process stays, another is there for each interval and then gone. */
static void fill(unsigned n)
{
	static const enum count_state states[] = { COUNT_NOT_COUNTED, COUNT_NOT_SUPPORTED,
						   COUNT_NO_PERMISSION };
	const struct live_event events[] = {
		{ .name = "task-clock",
		  .unit = "ns",
		  .scale = 0.25,
		  .enabled_ns = 1000,
		  .running_ns = 500 },
		{ .name = "cache-misses",
		  .why = "there is no such thing",
		  .state = states[n % ARRAY_SIZE(states)],
		  .group = -1 },
	};
	const struct losses losses = {
		.seen = 100 + n,
		.kept = 99 + n,
		.nr = 1,
		.by = { { "keys_full", "tasks that had no room", n % 2 ? "--max" : NULL, false,
			  1 } },
	};
	struct live_about *about = live__about(live);
	char command[32];

	live__next(live);
	*about = (struct live_about){ .events = about->events, .nr_events = about->nr_events };
	about->at_ns = 1700000000000000000 + n * 1000000000ull;
	about->interval_ns = 1000000000 + n;
	about->nr_cpus = 4;
	about->own_bpf_ns = 5 + n;
	about->own_user_ns = 6;
	about->seen = 100 + n;
	about->kept = 99 + n;
	about->untold = 7;
	strcpy(about->host, "host");
	strcpy(about->kernel, "6.18");
	assert_int_equal(live__set_events(live, events, ARRAY_SIZE(events)), 0);
	assert_int_equal(live__set_losses(live, &losses), 0);
	add(0, 0, 3, 1);
	add(100, 100, 0, n);
	add(100, 101, 1, 10);
	add(100, 100, 2, 20);
	add(100, 102, 2, 30);
	add(1000 + n, 1000 + n, 0, 40);
	live__mark(live, ends_102, NULL);
	processes__keep(known, is_no_visitor, NULL);
	snprintf(command, sizeof(command), "stays since %u", n / 50 * 50);
	if (n % 50 == 0)
		set_process(100, command);
	snprintf(command, sizeof(command), "visitor %u", n);
	set_process(1000 + n, command);
	if (!n) {
		set_process(2, "");
		assert_int_equal(processes__set_user(known, 2, "Grüße"), 0);
		assert_int_equal(processes__set_cgroup(known, 1ull << 33, "/a/b", "docker:b"), 0);
	}
}

static void record(unsigned nr)
{
	struct livefile *file;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(livefile__open(&file, f, VALUES, LIVEREAD_ASKED), 0);
	for (unsigned n = 0; n < nr; n++) {
		fill(n);
		assert_int_equal(livefile__put(file, live, known, NULL), 0);
	}
	livefile__close(file);
	fclose(f);
}

/* All of it as text, so that two can be compared. */
static int put_process(void *arg, const struct process *one)
{
	return buf__printf(arg, "process %u %u %u %d %s %s\n", one->pid, one->parent, one->uid,
			   one->is_kernel, one->comm, one->command);
}

static int put_user(void *arg, const struct process_user *one)
{
	return buf__printf(arg, "user %u %s\n", one->uid, one->name);
}

static int put_cgroup(void *arg, const struct process_cgroup *one)
{
	return buf__printf(arg, "cgroup %" PRIu64 " %s %s\n", one->id, one->path, one->name);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in no order that means anything. */
static int put_names(struct buf *out, const struct processes *p)
{
	const struct process_visitor v = { put_process, put_user, put_cgroup, out };
	char *lines[INTERVALS], *line, *rest, *text;
	size_t start = out->len, nr = 0;
	int err = processes__each(p, 0, &v);

	if (err)
		return err;
	rest = text = strdup(out->data + start);
	while ((line = strsep(&rest, "\n")) && nr < ARRAY_SIZE(lines))
		lines[nr++] = line;
	qsort(lines, nr, sizeof(*lines), compare_lines);
	out->len = start;
	for (size_t i = 0; i < nr && !err; i++)
		err = buf__printf(out, "%s\n", lines[i]);
	free(text);
	return err;
}

static char *describe(const struct live *l, const struct processes *p)
{
	const struct live_about *a = live__interval(l);
	struct buf out = {};
	int err = buf__printf(&out,
			      "%" PRIu64 " %" PRIu64 " %u %" PRIu64 " %" PRIu64 " %" PRIu64
			      " %" PRIu64 " %" PRIu64 " %s %s\n",
			      a->at_ns, a->interval_ns, a->nr_cpus, a->own_bpf_ns, a->own_user_ns,
			      a->seen, a->kept, a->untold, a->host, a->kernel);

	for (size_t i = 0; i < a->nr_events; i++)
		err |= buf__printf(&out, "event %s '%s' %g %s %s %d %" PRIu64 " %" PRIu64 "\n",
				   a->events[i].name, a->events[i].unit ? a->events[i].unit : "",
				   live_event__scale(&a->events[i]),
				   a->events[i].why ? a->events[i].why : "-",
				   count_state__name(a->events[i].state), a->events[i].group,
				   a->events[i].enabled_ns, a->events[i].running_ns);
	err |= buf__printf(&out, "of %" PRIu64 " %" PRIu64 "\n", a->losses.seen, a->losses.kept);
	for (unsigned i = 0; i < a->losses.nr; i++)
		err |= buf__printf(&out, "loss %s %s %s %d %" PRIu64 "\n", a->losses.by[i].name,
				   a->losses.by[i].text,
				   a->losses.by[i].cure ? a->losses.by[i].cure : "-",
				   a->losses.by[i].flaw, a->losses.by[i].n);
	for (enum live_by by = LIVE_PROCESSES; by <= LIVE_CPUS; by++) {
		struct live_rows rows = {};

		err |= live__rows(l, by, &rows);
		for (size_t i = 0; i < rows.nr; i++) {
			const struct live_row *r = &rows.items[i];

			err |= buf__printf(&out,
					   "%d %" PRIu64 " %u %" PRIu64 " %s %u %d %" PRIu64 "\n",
					   by, r->id, r->tgid, r->cgroup, r->comm, r->nr_tasks,
					   r->exited, r->idle_ns);
			for (size_t k = 0; k < VALUES; k++)
				err |= buf__printf(&out, " %" PRIu64, r->values[k]);
		}
		live_rows__free(&rows);
	}
	err |= put_names(&out, p);
	assert_int_equal(err, 0);
	return out.data;
}

static void assert_interval(struct replay *r, unsigned n, char *const *expected)
{
	char *got;

	assert_int_equal(replay__go(r, n, &why), 0);
	got = describe(replay__live(r), replay__processes(r));
	assert_string_equal(got, expected[n]);
	free(got);
}

static void what_was_recorded_comes_back(void **state)
{
	char *expected[INTERVALS];
	struct replay *r;

	(void)state;
	record(INTERVALS);
	processes__clear(known);
	for (unsigned n = 0; n < INTERVALS; n++) {
		fill(n);
		expected[n] = describe(live, known);
	}
	assert_non_null(strstr(expected[60], "process 100 1 2 0 comm stays since 50"));
	assert_non_null(strstr(expected[60], "process 1060 "));
	assert_null(strstr(expected[60], "process 1059 "));
	assert_non_null(strstr(expected[62], "no such thing no-permission"));
	assert_non_null(strstr(expected[62], "event task-clock 'ns' 0.25 - "));
	assert_int_equal(replay__open(&r, path, &why), 0);
	assert_null(replay__flaw(r));
	assert_true(replay__events_asked(r));
	assert_int_equal(replay__nr(r), INTERVALS);
	for (unsigned n = 0; n < INTERVALS; n++)
		assert_interval(r, n, expected);
	/* And in any order. */
	for (unsigned n = INTERVALS; n--;)
		assert_interval(r, n, expected);
	for (unsigned n = 0, at = 0; n < INTERVALS; n++, at = (at + 77) % INTERVALS)
		assert_interval(r, at, expected);
	replay__close(r);
	for (unsigned n = 0; n < INTERVALS; n++)
		free(expected[n]);
}

/* What the columns of a recording are chosen by. */
static void what_the_head_says(void **state)
{
	static const unsigned flags[] = { 0, LIVEREAD_ASKED, LIVEREAD_SAMPLES_ONLY,
					  LIVEREAD_NO_PMU };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct livefile *file;
		struct replay *r;
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_int_equal(livefile__open(&file, f, VALUES, flags[i]), 0);
		fill(0);
		assert_int_equal(livefile__put(file, live, known, NULL), 0);
		livefile__close(file);
		fclose(f);
		assert_int_equal(replay__open(&r, path, &why), 0);
		assert_int_equal(replay__events_asked(r), flags[i] == LIVEREAD_ASKED);
		assert_int_equal(replay__has_samples_only(r), flags[i] == LIVEREAD_SAMPLES_ONLY);
		assert_int_equal(replay__has_no_pmu(r), flags[i] == LIVEREAD_NO_PMU);
		replay__close(r);
	}
}

/* CPU 1 comes online later, then nobody uses it: it has a row from then on, and none before. */
static void cpus_come_when_they_are_seen(void **state)
{
	static const size_t expected[] = { 1, 2, 2 };
	static const unsigned order[] = { 0, 1, 2, 1, 0, 2, 0 };
	struct live_rows rows = {};
	struct livefile *file;
	struct replay *r;
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(livefile__open(&file, f, VALUES, 0), 0);
	for (unsigned n = 0; n < ARRAY_SIZE(expected); n++) {
		live__next(live);
		add(1, 1, 0, 1);
		if (n == 1)
			add(1, 1, 1, 1);
		assert_int_equal(live__rows(live, LIVE_CPUS, &rows), 0);
		assert_int_equal(rows.nr, expected[n]);
		assert_int_equal(livefile__put(file, live, known, NULL), 0);
	}
	livefile__close(file);
	fclose(f);
	assert_int_equal(replay__open(&r, path, &why), 0);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		assert_int_equal(replay__go(r, order[i], &why), 0);
		assert_int_equal(live__rows(replay__live(r), LIVE_CPUS, &rows), 0);
		assert_int_equal(rows.nr, expected[order[i]]);
	}
	replay__close(r);
	live_rows__free(&rows);
}

static struct buf read_recording(void)
{
	struct buf bytes = {};

	assert_int_equal(buf__read_file(&bytes, path, 1 << 20), 0);
	return bytes;
}

static void write_recording(const struct buf *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes->data, 1, len, f), len);
	fclose(f);
}

/* Ends of intervals in the file. */
static size_t end_of(const struct buf *bytes, unsigned n)
{
	size_t at = LIVEREAD_HEAD_BYTES;

	for (; n; n--) {
		struct liveread_frame f;

		assert_int_equal(liveread__frame(bytes->data + at, &f), 0);
		at += LIVEREAD_FRAME_BYTES + f.block.stream_bytes;
	}
	return at;
}

static void of_a_truncated_file_the_whole_intervals_are_read(void **state)
{
	enum { NR = 3 };
	size_t ends[NR + 1];
	struct buf bytes;

	(void)state;
	record(NR);
	bytes = read_recording();
	for (unsigned n = 0; n <= NR; n++)
		ends[n] = end_of(&bytes, n);
	assert_int_equal(ends[NR], bytes.len);
	for (size_t len = 0; len <= bytes.len; len++) {
		struct replay *r;
		unsigned whole = 0;
		int err;

		while (whole < NR && ends[whole + 1] <= len)
			whole++;
		write_recording(&bytes, len);
		buf__clear(&why);
		err = replay__open(&r, path, &why);
		assert_int_equal(err, len < LIVEREAD_HEAD_BYTES ? -EPROTO : whole ? 0 : -ENODATA);
		assert_int_equal(!err, !why.len);
		if (err)
			continue;
		assert_int_equal(replay__nr(r), whole);
		assert_int_equal(!replay__flaw(r), len == ends[whole]);
		for (unsigned n = 0; n < whole; n++)
			assert_int_equal(replay__go(r, n, &why), 0);
		replay__close(r);
	}
	buf__free(&bytes);
}

static void flipped_bits_are_found(void **state)
{
	enum { NR = 2 };
	struct buf bytes;

	(void)state;
	record(NR);
	bytes = read_recording();
	for (size_t bit = 0; bit < bytes.len * 8; bit++) {
		struct replay *r;
		int err;

		bytes.data[bit / 8] ^= 1 << bit % 8;
		write_recording(&bytes, bytes.len);
		bytes.data[bit / 8] ^= 1 << bit % 8;
		buf__clear(&why);
		err = replay__open(&r, path, &why);
		if (!err && !replay__flaw(r)) {
			for (unsigned n = 0; n < NR && !err; n++)
				err = replay__go(r, n, &why);
			assert_int_equal(err, -EBADMSG);
			assert_non_null(strstr(why.data, "damaged"));
		}
		replay__close(r);
	}
	buf__free(&bytes);
}

static void a_damaged_interval_does_not_spoil_the_others(void **state)
{
	struct buf bytes;
	struct replay *r;
	char *expected, *got;

	(void)state;
	record(5);
	expected = describe(live, known);
	/* Of names it is not known who has gone in between. */
	*strstr(expected, "\nprocess") = '\0';
	bytes = read_recording();
	bytes.data[end_of(&bytes, 2) + LIVEREAD_FRAME_BYTES + 20] ^= 1;
	write_recording(&bytes, bytes.len);
	assert_int_equal(replay__open(&r, path, &why), 0);
	assert_int_equal(replay__go(r, 2, &why), -EBADMSG);
	assert_non_null(strstr(why.data, "interval 3 of 5 is damaged"));
	assert_int_equal(replay__go(r, 3, &why), 0);
	assert_int_equal(replay__go(r, 1, &why), 0);
	assert_int_equal(replay__go(r, 4, &why), 0);
	got = describe(replay__live(r), replay__processes(r));
	assert_memory_equal(got, expected, strlen(expected));
	assert_non_null(strstr(got, "process 1004 1 3 0 comm visitor 4"));
	replay__close(r);
	free(expected);
	free(got);
	buf__free(&bytes);
}

static void assert_refused(const char *text, size_t len, int err, const char *said)
{
	struct buf bytes = {};
	struct replay *r;

	assert_int_equal(buf__put(&bytes, text, len), 0);
	write_recording(&bytes, len);
	buf__clear(&why);
	assert_int_equal(replay__open(&r, path, &why), err);
	assert_null(r);
	assert_non_null(strstr(why.data, said));
	assert_non_null(strstr(why.data, path));
	buf__free(&bytes);
}

static void other_files_are_refused(void **state)
{
	static const char text[] = "PERFILE2 is something else, as long as a head has to be";
	struct buf bytes;
	struct replay *r;

	(void)state;
	assert_refused("", 0, -EPROTO, "no recording");
	assert_refused(text, strlen(text), -EPROTO, "no recording");
	record(1);
	bytes = read_recording();
	bytes.data[12] = 17; /* values */
	assert_refused(bytes.data, bytes.len, -EBADMSG, "damaged");
	assert_refused(bytes.data, LIVEREAD_HEAD_BYTES, -EBADMSG, "damaged");
	buf__free(&bytes);
	record(0);
	bytes = read_recording();
	assert_refused(bytes.data, bytes.len, -ENODATA, "no intervals");
	buf__free(&bytes);
	buf__clear(&why);
	assert_int_equal(replay__open(&r, "/nowhere/at/all", &why), -ENOENT);
	assert_string_equal(why.data, "/nowhere/at/all: No such file or directory");
	buf__clear(&why);
	assert_int_equal(replay__open(&r, "/dev/null", &why), -EPROTO);
	assert_int_equal(replay__open(&r, "/tmp", &why), -EPROTO);
}

static void a_full_disk_is_told(void **state)
{
	struct livefile *file;
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(livefile__open(&file, f, VALUES, false), -ENOSPC);
	assert_null(file);
	fclose(f);
}

/* Two intervals, the first one with samples. */
static void record_samples(const struct profile *p)
{
	struct livefile *file;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(livefile__open(&file, f, VALUES, LIVEREAD_SAMPLES_ONLY), 0);
	for (unsigned n = 0; n < 2; n++) {
		fill(n);
		assert_int_equal(livefile__put(file, live, known, n ? NULL : p), 0);
	}
	livefile__close(file);
	fclose(f);
}

static struct profile *sampled(struct profile *p)
{
	const struct loss losses[] = {
		{ "stacks_full", "stacks that had no room", "--stacks", false, 3 },
		{ "cut", "stacks that were cut", NULL, true, 2 },
	};
	struct row_key key = { .pid = 7, .tid = 8, .stack = add_stack(p, "csh", "umain", NULL) };

	p->by |= BY_TID | BY_CGROUP;
	assert_int_equal(profile__string(p, "/a.slice", 8, &key.cgroup), 0);
	assert_int_equal(profile__add(p, &key, 1, UINT64_MAX / 2, NULL), 0);
	p->events[0].enabled_ns = 100;
	p->events[0].running_ns = 50;
	losses__add(&p->losses, &losses[0]);
	losses__add(&p->losses, &losses[1]);
	return p;
}

static char *as_json(const struct profile *p)
{
	const struct json_opts opts = { .command = "top", .weights = true, .at_ns = 5 };

	return WRITTEN(print__json(f, p, &opts));
}

/* By way of the most exact of the writers: names of any bytes, order, losses, times. */
static void samples_come_back(void **state)
{
	struct profile *const profiles[] = { sampled(small_profile()), sampled(hostile_profile()),
					     new_profile() };

	(void)state;
	/* Of events it is one line. */
	profiles[1]->events[0].name = "cycles:u";
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		char *expected = as_json(profiles[i]), *got;
		struct replay *r;

		record_samples(profiles[i]);
		assert_int_equal(replay__open(&r, path, &why), 0);
		assert_true(replay__has_samples_only(r));
		assert_int_equal(replay__go(r, 0, &why), 0);
		assert_non_null(replay__samples(r));
		got = as_json(replay__samples(r));
		assert_string_equal(got, expected);
		free(got);
		assert_int_equal(replay__go(r, 1, &why), 0);
		assert_null(replay__samples(r));
		assert_int_equal(replay__go(r, 0, &why), 0);
		assert_non_null(replay__samples(r));
		replay__close(r);
		free(expected);
		profile__free(profiles[i]);
	}
}

static void assert_not_taken(const struct profile *p, int err)
{
	struct livefile *file;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(livefile__open(&file, f, VALUES, 0), 0);
	fill(0);
	assert_int_equal(livefile__put(file, live, known, p), err);
	livefile__close(file);
	fclose(f);
}

/* What a reader would refuse is not written. */
static void what_has_no_room_is_refused(void **state)
{
	struct profile *p = small_profile(), *deep = new_profile();
	uint32_t node = add_stack(deep, "csh", NULL);
	struct replay *r;

	(void)state;
	assert_int_equal(profile__field(p, "arg0", FIELD_HEX), 0);
	assert_not_taken(p, -EINVAL);
	add_event(deep, "cycles");
	for (unsigned i = 1; i < LIVEREAD_DEPTH_MAX; i++)
		assert_int_equal(
			profile__child(deep, node, add_frame(deep, "f", "", FRAME_USER), &node), 0);
	add_row(deep, 0, 1, node, 1);
	assert_not_taken(deep, 0);
	assert_int_equal(replay__open(&r, path, &why), 0);
	assert_int_equal(replay__go(r, 0, &why), 0);
	assert_int_equal(replay__samples(r)->nr_nodes, LIVEREAD_DEPTH_MAX + 1);
	replay__close(r);
	assert_int_equal(profile__child(deep, node, add_frame(deep, "f", "", FRAME_USER), &node),
			 0);
	add_row(deep, 0, 1, node, 1);
	assert_not_taken(deep, -EFBIG);
	profile__free(p);
	profile__free(deep);
}

/* A reader would not take as many names. */
static void names_without_end_are_refused(void **state)
{
	(void)state;
	/* Users have the shortest ones: there is room for these in the file. */
	for (uint32_t uid = 0; processes__bytes(known) <= LIVEREAD_NAMES_MAX / 2; uid++)
		assert_int_equal(processes__set_user(known, uid, "u"), 0);
	assert_not_taken(NULL, -EFBIG);
	processes__clear(known);
	assert_not_taken(NULL, 0);
}

/* As many events as can be sampled together. */
static void many_events_come_back(void **state)
{
	struct profile *p = new_profile();
	uint32_t node = add_stack(p, "csh", NULL);
	struct replay *r;

	(void)state;
	for (unsigned i = 0; i < LIVEREAD_EVENTS_SAMPLED_MAX; i++)
		add_row(p, add_event(p, "cycles"), i, node, 1 + i);
	assert_not_taken(p, 0);
	assert_int_equal(replay__open(&r, path, &why), 0);
	assert_int_equal(replay__go(r, 0, &why), 0);
	assert_int_equal(replay__samples(r)->nr_events, 16);
	assert_int_equal(replay__samples(r)->events[15].samples, 16);
	replay__close(r);
	add_event(p, "one-more");
	assert_not_taken(p, -EFBIG);
	profile__free(p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_recorded_comes_back),
		TEST(what_the_head_says),
		TEST(cpus_come_when_they_are_seen),
		TEST(of_a_truncated_file_the_whole_intervals_are_read),
		TEST(flipped_bits_are_found),
		TEST(a_damaged_interval_does_not_spoil_the_others),
		TEST(other_files_are_refused),
		TEST(a_full_disk_is_told),
		TEST(samples_come_back),
		TEST(what_has_no_room_is_refused),
		TEST(many_events_come_back),
		TEST(names_without_end_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
