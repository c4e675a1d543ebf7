// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"
#include "tape_bytes.h"

#include <errno.h>

#include "print/folded.h"
#include "tape/livefile.h"
#include "tape/liveread.h"
#include "tape/recorded.h"

enum { VALUES = 2 };

#define PLENTY (1ull << 40)
#define SECOND 1000000000ull
#define BEGIN  (1700000000 * SECOND)

struct got {
	struct profile *p;
	struct tape_found found;
	int err;
};

static struct got read_range(const char *data, size_t len, const struct tape_opts *o)
{
	struct tape_bytes b = { data, len };
	const struct tape_input in = { tape_bytes__read, &b };
	struct got g = { .p = profile__new() };

	assert_non_null(g.p);
	g.err = recorded__read(g.p, &in, o, &g.found);
	return g;
}

static struct got read_all(const char *data, size_t len)
{
	const struct tape_opts o = { .max_bytes = PLENTY };

	return read_range(data, len, &o);
}

/* Of so many samples of one function, in so many ns. */
static struct profile *sampled(const char *event, const char *function, uint64_t samples,
			       uint64_t ns)
{
	const struct loss lost = { "stacks_full", "no room", "--stacks", false, 1 };
	struct profile *p = profile__new();

	assert_non_null(p);
	add_event(p, event);
	p->by = BY_PID | BY_COMM | BY_USTACK;
	p->duration_ns = ns;
	p->nr_cpus = 4;
	p->events[0].enabled_ns = ns;
	add_row(p, 0, 1, add_stack(p, "csh", "umain", function, NULL), samples);
	losses__add(&p->losses, &lost);
	p->losses.seen++;
	return p;
}

struct recording {
	char *data;
	size_t len;
	FILE *f;
	struct livefile *file;
	struct live *live;
	struct processes *processes;
};

static void begin(struct recording *r)
{
	r->f = open_memstream(&r->data, &r->len);
	r->live = live__new(VALUES);
	r->processes = processes__new();
	assert_true(r->f && r->live && r->processes);
	assert_int_equal(livefile__open(&r->file, r->f, VALUES, 0), 0);
}

/* An interval that ends at @at_ns; frees its samples. */
static void put(struct recording *r, uint64_t at_ns, struct profile *samples)
{
	live__next(r->live);
	live__about(r->live)->at_ns = BEGIN + at_ns;
	assert_int_equal(livefile__put(r->file, r->live, r->processes, samples), 0);
	profile__free(samples);
}

static void end(struct recording *r)
{
	livefile__close(r->file);
	assert_int_equal(fclose(r->f), 0);
	live__free(r->live);
	processes__free(r->processes);
}

/* Sampled for a second, not sampled for one, sampled for half a second. */
static struct recording three_intervals(void)
{
	struct recording r = {};

	begin(&r);
	put(&r, SECOND, sampled("cycles", "ua", 3, SECOND));
	put(&r, 2 * SECOND, NULL);
	put(&r, 2.5 * SECOND, sampled("cycles", "ub", 10, SECOND / 2));
	end(&r);
	return r;
}

static void folds_to(const struct got *g, const char *folded)
{
	char *text = WRITTEN(print__folded(f, g->p, 0));

	assert_int_equal(g->err, 0);
	assert_string_equal(text, folded);
	free(text);
}

static void intervals_are_added_up(void **state)
{
	struct recording r = three_intervals();
	struct got g = read_all(r.data, r.len);

	folds_to(&g, "sh;main;a 3\nsh;main;b 10\n");
	assert_int_equal(g.found.nr_windows, 3);
	assert_int_equal(g.found.nr_without, 1);
	assert_int_equal(g.found.nr_used, 2);
	assert_int_equal(g.found.end_ns, 2.5 * SECOND);
	assert_false(g.found.is_cut);
	assert_int_equal(g.p->duration_ns, 1.5 * SECOND);
	assert_int_equal(g.p->nr_cpus, 4);
	assert_int_equal(g.p->by, BY_PID | BY_COMM | BY_USTACK);
	assert_int_equal(g.p->nr_events, 1);
	assert_int_equal(g.p->events[0].enabled_ns, 1.5 * SECOND);
	assert_int_equal(g.p->losses.kept, 13);
	assert_int_equal(g.p->losses.seen, 15);
	assert_int_equal(g.p->losses.by[0].n, 2);
	assert_string_equal(g.p->losses.by[0].name, "stacks_full");
	assert_string_equal(g.p->losses.by[0].cure, "--stacks");
	profile__free(g.p);
	free(r.data);
}

static void a_range_has_the_intervals_that_begin_in_it(void **state)
{
	const struct tape_opts o = { .max_bytes = PLENTY, .from_ns = 1, .to_ns = 5 * SECOND };
	struct recording r = three_intervals();
	struct got g = read_range(r.data, r.len, &o);

	folds_to(&g, "sh;main;b 10\n");
	assert_int_equal(g.found.nr_used, 1);
	assert_int_equal(g.found.used_from_ns, 2 * SECOND);
	assert_int_equal(g.found.used_to_ns, 2.5 * SECOND);
	profile__free(g.p);
	free(r.data);
}

/* As when another event was chosen on the screen. */
static void events_may_change(void **state)
{
	struct recording r = {};
	struct got g;

	begin(&r);
	put(&r, SECOND, sampled("cycles", "ua", 3, SECOND));
	put(&r, 2 * SECOND, sampled("faults", "ua", 4, SECOND));
	put(&r, 3 * SECOND, sampled("cycles", "ua", 5, SECOND));
	end(&r);
	g = read_all(r.data, r.len);
	assert_int_equal(g.err, 0);
	assert_int_equal(g.p->nr_events, 2);
	assert_int_equal(g.p->events[0].samples, 8);
	assert_int_equal(g.p->events[0].enabled_ns, 2 * SECOND);
	assert_string_equal(g.p->events[1].name, "faults");
	assert_int_equal(g.p->events[1].samples, 4);
	profile__free(g.p);
	free(r.data);
}

static void what_is_whole_is_read(void **state)
{
	struct recording r = three_intervals();

	for (size_t len = 0; len < r.len; len++) {
		struct got g = read_all(r.data, len);

		assert_int_equal(g.err, len < LIVEREAD_HEAD_BYTES ? -EPROTO : 0);
		assert_true(g.found.nr_windows < 3);
		assert_int_equal(g.p->losses.kept, g.found.nr_windows ? 3 : 0);
		profile__free(g.p);
	}
	r.data[r.len - 1] ^= 1;
	{
		struct got g = read_all(r.data, r.len);

		assert_int_equal(g.err, -EBADMSG);
		assert_int_equal(g.p->losses.kept, 3);
		profile__free(g.p);
	}
	free(r.data);
}

static void what_has_no_room_is_a_loss(void **state)
{
	const struct tape_opts o = { .max_bytes = 1 };
	struct recording r = three_intervals();
	struct got g = read_range(r.data, r.len, &o);

	assert_int_equal(g.err, 0);
	assert_int_equal(g.p->nr_rows, 0);
	assert_int_equal(g.p->losses.seen, 15);
	assert_int_equal(g.p->losses.kept, 0);
	assert_int_equal(losses__sum(&g.p->losses), 15);
	profile__free(g.p);
	free(r.data);
}

/* A stranger's: sums of what it tells would overflow. */
static void more_samples_than_there_can_be_are_refused(void **state)
{
	struct recording r = {};
	struct got g;

	begin(&r);
	put(&r, SECOND, sampled("cycles", "ua", 3ull << 61, SECOND));
	put(&r, 2 * SECOND, sampled("cycles", "ua", 3ull << 61, SECOND));
	end(&r);
	g = read_all(r.data, r.len);
	assert_int_equal(g.err, -EBADMSG);
	assert_int_equal(g.p->losses.seen, (3ull << 61) + 1);
	profile__free(g.p);
	free(r.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_are_added_up),
		cmocka_unit_test(a_range_has_the_intervals_that_begin_in_it),
		cmocka_unit_test(events_may_change),
		cmocka_unit_test(what_is_whole_is_read),
		cmocka_unit_test(what_has_no_room_is_a_loss),
		cmocka_unit_test(more_samples_than_there_can_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
