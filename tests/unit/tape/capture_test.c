// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"
#include "tape_bytes.h"

#include <errno.h>
#include <zlib.h>

#include "base/buf.h"
#include "print/folded.h"
#include "print/profile_json.h"
#include "tape/block.h"
#include "tape/capture.h"

#define PLENTY (1ull << 40)

struct got {
	struct profile *p;
	struct tape_found found;
	int err;
};

static struct got read_into(struct profile *p, const void *bytes, size_t len,
			    const struct tape_opts *o)
{
	struct tape_bytes b = { .at = bytes, .left = len };
	const struct tape_input in = { tape_bytes__read, &b };
	struct got g = { .p = p };

	assert_non_null(p);
	g.err = capture__read(p, &in, o, &g.found);
	return g;
}

static struct got read_bytes(const void *bytes, size_t len)
{
	const struct tape_opts o = { .max_bytes = PLENTY };

	return read_into(profile__new(), bytes, len, &o);
}

struct text {
	char *data;
	size_t len;
};

static struct text written(const struct profile *p)
{
	struct text t;
	FILE *f = open_memstream(&t.data, &t.len);

	assert_non_null(f);
	assert_int_equal(capture__write(f, p), 0);
	assert_int_equal(fclose(f), 0);
	return t;
}

static struct profile *some_profile(void)
{
	const struct profile_about about = { "host", "6.1.0", "x86_64", "a CPU", 5000000000 };
	const struct loss cut = { "stack_cut", "stacks cut", "--max-stack", true, 2 };
	const struct loss full = { "stacks_full", "no room", NULL, false, 4 };
	struct profile *p = profile__new();
	struct row_key key = {};

	assert_non_null(p);
	add_event(p, "cycles:u");
	add_event(p, "faults");
	p->by = BY_PID | BY_TID | BY_CPU | BY_CGROUP | BY_COMM | BY_USTACK | BY_KSTACK;
	p->duration_ns = 3000;
	p->own_ns = 77;
	p->nr_cpus = 2;
	assert_int_equal(profile__set_about(p, &about), 0);
	key = (struct row_key){ .event = 0, .pid = 10, .tid = 4000000, .cpu = 1 };
	key.stack = add_stack(p, "csh", "umain", "iinlined", "kread", NULL);
	assert_int_equal(profile__string(p, "/a/b", 4, &key.cgroup), 0);
	assert_int_equal(profile__add(p, &key, 7, 1ull << 40, NULL), 0);
	add_row(p, 1, 10, add_stack(p, "csh", "umain", NULL), 3);
	add_row(p, 0, 12, add_stack(p, "cjava", "jhot;\n", "n[truncated]", NULL), 1);
	p->losses.kept = 11;
	p->losses.seen = 15;
	losses__add(&p->losses, &cut);
	losses__add(&p->losses, &full);
	p->events[0].enabled_ns = 100;
	p->events[0].running_ns = 90;
	p->events[1].passed_over = 6;
	return p;
}

static char *as_json(const struct profile *p)
{
	const struct json_opts o = { .command = "profile", .weights = true };

	return WRITTEN(print__json(f, p, &o));
}

static void is_same(const struct profile *a, const struct profile *b)
{
	char *one = as_json(a), *two = as_json(b);

	assert_string_equal(one, two);
	free(one);
	free(two);
}

static void all_is_there_again(void **state)
{
	struct profile *p = some_profile();
	struct text t = written(p);
	struct got g = read_bytes(t.data, t.len);

	assert_int_equal(g.err, 0);
	assert_false(g.found.is_cut);
	assert_int_equal(g.found.nr_windows, 1);
	is_same(g.p, p);
	assert_string_equal(g.p->about.host, "host");
	assert_string_equal(g.p->about.kernel, "6.1.0");
	assert_string_equal(g.p->about.machine, "x86_64");
	assert_string_equal(g.p->about.cpu, "a CPU");
	assert_int_equal(g.p->about.begin_ns, 5000000000);
	assert_int_equal(g.p->by, p->by);
	assert_int_equal(g.p->nr_cpus, 2);
	assert_int_equal(g.p->own_ns, 77);
	assert_int_equal(g.p->rows[0].key.tid, 4000000);
	assert_int_equal(g.p->rows[0].key.cpu, 1);
	assert_string_equal(strtab__get(g.p->strings, g.p->rows[0].key.cgroup), "/a/b");
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

static void the_head_is_as_described(void **state)
{
	struct profile *p = some_profile();
	struct text t = written(p);
	static const uint8_t head[] = { 'p', 'm', 'u', 't', 'c', 'a', 'p', '\n', 1, 0, 0, 0 };
	uint32_t crc;

	assert_memory_equal(t.data, head, sizeof(head));
	memcpy(&crc, t.data + 12, 4);
	assert_int_equal(crc, crc32(0, head, sizeof(head)));
	assert_memory_equal(t.data + 16, "blck", 4);
	assert_true(capture__is_it(t.data, t.len));
	assert_false(capture__is_it("pmulive\n", 8));
	assert_false(capture__is_it(t.data, 7));
	profile__free(p);
	free(t.data);
}

/* Of each length there is a profile, and what is missing is a loss. */
static void a_capture_can_be_cut_anywhere(void **state)
{
	struct profile *p = some_profile();
	struct text t = written(p);

	for (size_t len = 0; len < t.len; len++) {
		struct got g = read_bytes(t.data, len);

		assert_int_equal(g.err, len < CAPTURE_HEAD_BYTES ? -EPROTO : 0);
		if (!g.err) {
			assert_true(g.found.is_cut);
			assert_int_equal(g.p->losses.seen, 0); /* it is one block */
		}
		profile__free(g.p);
	}
	profile__free(p);
	free(t.data);
}

static struct profile *large_profile(unsigned nr)
{
	struct profile *p = profile__new();
	char name[32];

	assert_non_null(p);
	add_event(p, "cycles");
	p->by = BY_PID | BY_COMM | BY_USTACK;
	for (unsigned i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "ufunction_%u", i);
		add_row(p, 0, i % 7, add_stack(p, "csh", "umain", name, NULL), 1 + i % 3);
	}
	return p;
}

/* Small ones, too: their blocks are. */
static void assert_half_is_read(unsigned nr)
{
	struct profile *p = large_profile(nr);
	struct text t = written(p);
	struct got g = read_bytes(t.data, t.len / 2);

	assert_int_equal(g.err, 0);
	assert_true(g.found.is_cut);
	assert_true(g.p->losses.kept > 0 && g.p->losses.kept < p->losses.kept);
	assert_int_equal(g.p->losses.seen, p->losses.seen);
	assert_int_equal(g.p->losses.nr, 1);
	assert_string_equal(g.p->losses.by[0].name, "capture_cut");
	assert_int_equal(g.p->losses.by[0].n, p->losses.seen - g.p->losses.kept);
	assert_int_equal(g.p->events[0].samples, g.p->losses.kept);
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

static void what_a_cut_took_is_a_loss(void **state)
{
	assert_half_is_read(50000);
	assert_half_is_read(1000);
}

static void many_blocks_are_one_profile(void **state)
{
	struct profile *p = large_profile(50000);
	struct text t = written(p);
	struct got g = read_bytes(t.data, t.len);

	assert_int_equal(g.err, 0);
	assert_false(g.found.is_cut);
	is_same(g.p, p);
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

/* The last but one: of a window in which all rows grew again, so that it has nothing but that. */
static void a_block_that_is_missing_is_missed(void **state)
{
	struct profile *p = large_profile(50000);
	size_t at = CAPTURE_HEAD_BYTES, before = 0, last = 0;
	struct text t;
	struct got g;

	assert_int_equal(profile__close_window(p, 10), 0);
	for (uint32_t i = 0; i < p->nr_rows; i++)
		profile__grow(p, i, 1 + i % 5, 0);
	p->losses.kept = p->losses.seen = p->events[0].samples;
	assert_int_equal(profile__close_window(p, 20), 0);
	t = written(p);
	for (struct block b; at < t.len; at += BLOCK_HEAD_BYTES + b.stream_bytes) {
		assert_int_equal(block__head(t.data + at, CAPTURE_BLOCK, &b), 0);
		before = last;
		last = at;
	}
	memmove(t.data + before, t.data + last, t.len - last);
	g = read_bytes(t.data, t.len - (last - before));
	assert_int_equal(g.err, -EBADMSG);
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

/* Any byte: the checks find it, and what was read before stays. */
static void damage_is_found(void **state)
{
	struct profile *p = some_profile();
	struct text t = written(p);

	for (size_t i = 0; i < t.len; i++) {
		struct got g;

		t.data[i] ^= 0x10;
		g = read_bytes(t.data, t.len);
		assert_int_equal(g.err, i < 8 ? -EPROTO : -EBADMSG);
		profile__free(g.p);
		t.data[i] ^= 0x10;
	}
	profile__free(p);
	free(t.data);
}

static void a_newer_version_is_told(void **state)
{
	struct profile *p = some_profile();
	struct text t = written(p);
	uint32_t crc;
	struct got g;

	t.data[8] = 2;
	crc = crc32(0, (const Bytef *)t.data, 12);
	memcpy(t.data + 12, &crc, 4);
	g = read_bytes(t.data, t.len);
	assert_int_equal(g.err, -EPROTONOSUPPORT);
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

/* 3 samples, then 10, then 100: of a row each, and the first one's again. */
static struct profile *windowed(void)
{
	struct profile *p = profile__new();
	uint32_t a, b;

	assert_non_null(p);
	add_event(p, "cycles");
	p->by = BY_PID | BY_COMM | BY_USTACK;
	p->about.begin_ns = 1000000;
	a = add_stack(p, "csh", "ua", NULL);
	b = add_stack(p, "csh", "ub", NULL);
	add_row(p, 0, 1, a, 3);
	p->events[0].enabled_ns = 100;
	assert_int_equal(profile__close_window(p, 1000), 0);
	add_row(p, 0, 1, b, 10);
	p->events[0].enabled_ns = 300;
	assert_int_equal(profile__close_window(p, 2000), 0);
	add_row(p, 0, 1, a, 100);
	p->events[0].enabled_ns = 600;
	p->duration_ns = 3500;
	assert_int_equal(profile__close_window(p, 3500), 0);
	return p;
}

static struct got range(const struct text *t, uint64_t from, uint64_t to)
{
	const struct tape_opts o = { .max_bytes = PLENTY, .from_ns = from, .to_ns = to };

	return read_into(profile__new(), t->data, t->len, &o);
}

static void folds_to(struct got *g, const char *folded)
{
	char *text = WRITTEN(print__folded(f, g->p, 0));

	assert_int_equal(g->err, 0);
	assert_string_equal(text, folded);
	free(text);
}

static void windows_are_there_again(void **state)
{
	struct profile *p = windowed();
	struct text t = written(p);
	struct got g = read_bytes(t.data, t.len);
	const struct windows *w = &g.p->windows;

	assert_int_equal(g.found.nr_windows, 3);
	assert_int_equal(g.found.nr_used, 3);
	is_same(g.p, p);
	assert_int_equal(w->nr, 3);
	assert_int_equal(w->nr_entries, 3);
	assert_int_equal(w->items[2].begin_ns, 2000);
	assert_int_equal(w->items[2].end_ns, 3500);
	assert_int_equal(w->times[2].enabled_ns, 300);
	assert_int_equal(w->entries[2].samples, 100);
	assert_int_equal(w->entries[2].weight, 100000);
	assert_int_equal(w->entries[2].row, w->entries[0].row);
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

static void a_range_is_its_windows(void **state)
{
	struct profile *p = windowed();
	struct text t = written(p);
	struct got g = range(&t, 1000, 2000);

	folds_to(&g, "sh;b 10\n");
	assert_int_equal(g.p->losses.kept, 10);
	assert_int_equal(g.p->losses.seen, 10);
	assert_int_equal(g.p->duration_ns, 1000);
	assert_int_equal(g.p->events[0].enabled_ns, 200);
	assert_int_equal(g.p->about.begin_ns, 1001000);
	assert_int_equal(g.found.nr_windows, 3);
	assert_int_equal(g.found.nr_used, 1);
	assert_int_equal(g.found.used_from_ns, 1000);
	assert_int_equal(g.found.used_to_ns, 2000);
	profile__free(g.p);

	g = range(&t, 1, UINT64_MAX);
	folds_to(&g, "sh;a 100\nsh;b 10\n");
	assert_int_equal(g.found.nr_used, 2);
	assert_int_equal(g.p->windows.nr, 2);
	assert_int_equal(g.p->windows.items[0].begin_ns, 0);
	assert_int_equal(g.p->windows.items[1].end_ns, 2500);
	profile__free(g.p);

	g = range(&t, 4000, 5000);
	assert_int_equal(g.err, 0);
	assert_int_equal(g.found.nr_used, 0);
	assert_int_equal(g.p->losses.seen, 0);
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

static void two_captures_add_up(void **state)
{
	const struct tape_opts o = { .max_bytes = PLENTY };
	struct profile *p = windowed(), *q = some_profile();
	struct text one = written(p), two = written(q);
	struct got g = read_bytes(one.data, one.len);

	g = read_into(g.p, one.data, one.len, &o);
	folds_to(&g, "sh;a 206\nsh;b 20\n");
	assert_int_equal(g.p->duration_ns, 7000);
	assert_int_equal(g.p->nr_events, 1);
	assert_int_equal(g.p->windows.nr, 0);
	g = read_into(g.p, two.data, two.len, &o);
	assert_int_equal(g.err, 0);
	assert_int_equal(g.p->nr_events, 3);
	assert_string_equal(g.p->about.host, "");
	assert_int_equal(g.p->nr_cpus, 0); /* one of them has not told */
	assert_int_equal(g.p->losses.kept, 226 + 11);
	profile__free(g.p);
	profile__free(p);
	profile__free(q);
	free(one.data);
	free(two.data);
}

static void what_has_no_room_is_a_loss(void **state)
{
	const struct tape_opts o = { .max_bytes = 3 << 20 };
	struct profile *p = large_profile(50000);
	struct text t = written(p);
	struct got g = read_into(profile__new(), t.data, t.len, &o);
	const struct losses *l = &g.p->losses;

	assert_int_equal(g.err, 0);
	assert_int_equal(l->seen, p->losses.seen);
	assert_int_equal(l->nr, 1);
	assert_string_equal(l->by[0].name, "memory_full");
	assert_int_equal(l->kept + l->by[0].n, l->seen);
	assert_true(l->kept && l->by[0].n);
	assert_true(profile__bytes(g.p, 0) < 6 << 20);
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

/* A block of @data behind a head. */
static struct text block_of(const void *data, size_t len)
{
	struct profile *p = some_profile();
	struct text head = written(p), t;
	struct block_packer packer = {};

	assert_int_equal(block__pack(&packer, CAPTURE_BLOCK, data, len), 0);
	t.len = CAPTURE_HEAD_BYTES + BLOCK_HEAD_BYTES + packer.b.stream_bytes;
	t.data = malloc(t.len);
	assert_non_null(t.data);
	memcpy(t.data, head.data, CAPTURE_HEAD_BYTES);
	memcpy(t.data + CAPTURE_HEAD_BYTES, packer.head, BLOCK_HEAD_BYTES);
	memcpy(t.data + CAPTURE_HEAD_BYTES + BLOCK_HEAD_BYTES, packer.stream,
	       packer.b.stream_bytes);
	block_packer__free(&packer);
	profile__free(p);
	free(head.data);
	return t;
}

#define ABOUT  1, 0, 0, 0, 10, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0
#define EVENTS 2, 0, 0, 0, 6, 0, 0, 0, 1, 1, 'e', 0, 9, 0
#define TEXTS  3, 0, 0, 0, 5, 0, 0, 0, 2, 1, 'a', 1, 'b'

static int error_of(const uint8_t *data, size_t len)
{
	struct text t = block_of(data, len);
	struct got g = read_bytes(t.data, t.len);

	profile__free(g.p);
	free(t.data);
	return g.err;
}

#define MEMBERS(event) 11, 0, 0, 0, 2, 0, 0, 0, 1, event
#define EVENTS_2       2, 0, 0, 0, 11, 0, 0, 0, 2, 1, 'e', 0, 9, 0, 1, 'f', 0, 0, 0

/* Counted at the samples of another event: by bytes, and there and back. */
static void members_are_there_again(void **state)
{
	static const uint8_t bytes[] = { ABOUT, MEMBERS(1), EVENTS_2 };
	struct profile *p = grouped_profile();
	struct text t = written(p);
	struct got g = read_bytes(t.data, t.len);

	assert_int_equal(g.err, 0);
	assert_false(g.p->events[0].is_member);
	assert_true(g.p->events[1].is_member);
	assert_int_equal(g.p->events[1].samples, 0);
	assert_int_equal(g.p->events[1].weight, 2500);
	assert_int_equal(g.p->losses.kept, 22);
	is_same(p, g.p);
	profile__free(g.p);
	free(t.data);
	profile__free(p);

	t = block_of(bytes, sizeof(bytes));
	g = read_bytes(t.data, t.len);
	assert_true(!g.p->events[0].is_member && g.p->events[1].is_member);
	profile__free(g.p);
	free(t.data);
}

#define IN_TICK(event) 12, 0, 0, 0, 2, 0, 0, 0, 1, event

/* Sampled in the scheduler's tick: by bytes, and there and back. */
static void events_in_the_tick_are_so_again(void **state)
{
	static const uint8_t bytes[] = { ABOUT, IN_TICK(0), EVENTS_2 };
	struct text t = block_of(bytes, sizeof(bytes));
	struct got g = read_bytes(t.data, t.len), again;

	assert_true(g.p->events[0].in_tick && !g.p->events[1].in_tick);
	free(t.data);
	t = written(g.p);
	again = read_bytes(t.data, t.len);
	assert_int_equal(again.err, 0);
	assert_true(again.p->events[0].in_tick && !again.p->events[1].in_tick);
	profile__free(again.p);
	profile__free(g.p);
	free(t.data);
}

/* Bytes by hand, from docs/format.md; each is wrong in one place. */
static void lies_are_refused(void **state)
{
#define REFUSED(...)                                                                               \
	do {                                                                                       \
		static const uint8_t bytes[] = { __VA_ARGS__ };                                    \
                                                                                                   \
		assert_int_equal(error_of(bytes, sizeof(bytes)), -EBADMSG);                        \
	} while (0)
	static const uint8_t good[] = { ABOUT, EVENTS, TEXTS, 77, 0, 0, 0, 1, 0, 0, 0, 9 };

	assert_int_equal(error_of(good, sizeof(good)), 0); /* part 77 is of the future */
	REFUSED(EVENTS);				   /* before what they are of */
	REFUSED(ABOUT, EVENTS_2, MEMBERS(1));		   /* behind the events */
	REFUSED(ABOUT, MEMBERS(64), EVENTS_2);		   /* more than there can be */
	REFUSED(ABOUT, MEMBERS(0), EVENTS_2);		   /* of its own samples */
	REFUSED(ABOUT, EVENTS_2, IN_TICK(1));		   /* behind the events */
	REFUSED(ABOUT, IN_TICK(64), EVENTS_2);		   /* more than there can be */
	/* A row of a member, in a window: its entry has a weight, and no samples. */
#define MEMBERS_ROW(samples)                                                                       \
	ABOUT, MEMBERS(1), EVENTS_2, TEXTS, 4, 0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 0, 5, 0, 0, 0, 3, 0,  \
		0, 0, 1, 1, 0, 6, 0, 0, 0, 3, 0, 0, 0, 1, 1, 2, 7, 0, 0, 0, 12, 0, 0, 0, 0, 9, 0,  \
		samples, samples, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 1, 0, samples, 5,   \
		9, 0, 0, 0, 0, 0, 0, 0
	static const uint8_t member[] = { MEMBERS_ROW(0) };

	assert_int_equal(error_of(member, sizeof(member)), 0);
	REFUSED(MEMBERS_ROW(1));
	REFUSED(ABOUT, ABOUT);
	REFUSED(ABOUT, EVENTS, 3, 0, 0, 0, 2, 0, 0, 0, 9, 0);		   /* 9 strings in a byte */
	REFUSED(ABOUT, EVENTS, TEXTS, 4, 0, 0, 0, 4, 0, 0, 0, 1, 3, 0, 1); /* no string 3 */
	REFUSED(ABOUT, EVENTS, TEXTS, 4, 0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 6); /* no kind 6 */
	REFUSED(ABOUT, EVENTS, 5, 0, 0, 0, 3, 0, 0, 0, 1, 1, 0);	   /* a node of no frame */
	REFUSED(ABOUT, EVENTS, TEXTS, 4, 0, 0, 0, 4, 0, 0, 0, 1, 1, 0, 1,  /* a function */
		5, 0, 0, 0, 3, 0, 0, 0, 1, 1, 0);			   /* below the root */
	REFUSED(ABOUT, EVENTS, 6, 0, 0, 0, 3, 0, 0, 0, 1, 0, 2);	   /* a row of no node */
	REFUSED(ABOUT, EVENTS, 8, 0, 0, 0, 4, 0, 0, 0, 1, 0, 1, 1);	   /* before a window */
	REFUSED(ABOUT, EVENTS, 7, 0, 0, 0, 9, 0, 0, 0, 5, 4, 0, 0, 0, 0, 0, 0, 0); /* 5 to 4 */
	REFUSED(ABOUT, EVENTS, 7, 0, 0, 0, 200, 0, 0, 0, 0); /* longer than it is */
#undef REFUSED
}

/* Numbers of strings take memory here, too: as many as 64 MiB can be are too many. */
static void a_small_file_cannot_ask_for_much_memory(void **state)
{
	const struct tape_opts o = { .max_bytes = 16 << 20 };
	enum { NR = 30 << 20 };
	static const uint8_t front[] = { ABOUT, EVENTS };
	uint8_t *data = calloc(1, sizeof(front) + 12 + NR);
	const uint32_t kind = 3, bytes = 4 + NR;
	struct text t;
	struct got g;

	assert_non_null(data);
	memcpy(data, front, sizeof(front));
	memcpy(data + sizeof(front), &kind, 4);
	memcpy(data + sizeof(front) + 4, &bytes, 4);
	memcpy(data + sizeof(front) + 8, "\x80\x80\x80\x0f", 4); /* 30 << 20 */
	t = block_of(data, sizeof(front) + 12 + NR);
	assert_true(t.len < 200000);
	g = read_into(profile__new(), t.data, t.len, &o);
	assert_int_equal(g.err, -EFBIG);
	profile__free(g.p);
	free(t.data);
	free(data);
}

static uint32_t string(struct profile *p, const char *s)
{
	uint32_t id;

	assert_int_equal(profile__string(p, s, strlen(s), &id), 0);
	return id;
}

/* "work" at two addresses, and once nobody knows where. */
static struct profile *placed_profile(void)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	for (uint64_t i = 0; i < 3; i++) {
		struct frame f = { .name = string(p, "work"), .kind = FRAME_USER };
		const struct code_place at = { .path = string(p, "/bin/prog"),
					       .build_id = string(p, "00ff"),
					       .addr = 0xffffffffff600000 - i * 0x401000,
					       .offset = 0x1000 + i,
					       .source = string(p, "a.c"),
					       .line = 10 + i,
					       .start_line = 9 };
		uint32_t frame, node = add_stack(p, "csh", "umain", NULL);

		if (i < 2)
			assert_int_equal(profile__place(p, &at, &f.place), 0);
		assert_int_equal(profile__frame(p, &f, &frame), 0);
		assert_int_equal(profile__child(p, node, frame, &node), 0);
		add_row(p, 0, 1, node, 1 + i);
	}
	return p;
}

static void places_are_there_again(void **state)
{
	const struct tape_opts with = { .max_bytes = PLENTY, .places = true };
	struct profile *p = placed_profile();
	struct text t = written(p);
	struct got g = read_into(profile__new(), t.data, t.len, &with);
	struct code_place at;

	assert_int_equal(g.err, 0);
	assert_int_equal(g.p->nr_rows, 3);
	for (uint64_t i = 0; i < 3; i++) {
		const uint32_t frame = g.p->nodes[g.p->rows[i].key.stack].frame;

		assert_int_equal(g.p->rows[i].samples, 1 + i);
		assert_int_equal(profile__place_of(g.p, frame, &at), i < 2);
		if (i == 2)
			break;
		assert_true(at.addr == 0xffffffffff600000 - i * 0x401000);
		assert_true(at.offset == 0x1000 + i && at.line == 10 + i && at.start_line == 9);
		assert_string_equal(strtab__get(g.p->strings, at.path), "/bin/prog");
		assert_string_equal(strtab__get(g.p->strings, at.build_id), "00ff");
		assert_string_equal(strtab__get(g.p->strings, at.source), "a.c");
	}
	profile__free(g.p);

	g = read_bytes(t.data, t.len); /* without: equal frames are one */
	assert_int_equal(g.err, 0);
	assert_false(profile__has_places(g.p));
	assert_int_equal(g.p->nr_rows, 1);
	folds_to(&g, "sh;main;work 6\n");
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

/* Places in more than one part of frames. */
static void many_places(void **state)
{
	enum { NR = 20000 };
	const struct tape_opts with = { .max_bytes = PLENTY, .places = true };
	struct profile *p = new_profile();
	struct text t;
	struct got g;

	add_event(p, "cycles");
	for (uint32_t i = 0; i < NR; i++) {
		struct frame f = { .name = string(p, "work"), .kind = FRAME_USER };
		const struct code_place at = { .addr = i * 3, .line = i };
		uint32_t frame, node = add_stack(p, "csh", NULL);

		if (i % 3) /* not all of them */
			assert_int_equal(profile__place(p, &at, &f.place), 0);
		else
			f.module = string(p, i % 2 ? "a" : "b");
		assert_int_equal(profile__frame(p, &f, &frame), 0);
		assert_int_equal(profile__child(p, node, frame, &node), 0);
		add_row(p, 0, 1, node, 1);
	}
	t = written(p);
	g = read_into(profile__new(), t.data, t.len, &with);
	assert_int_equal(g.err, 0);
	assert_int_equal(g.p->places.nr, p->places.nr);
	assert_int_equal(g.p->nr_rows, p->nr_rows);
	for (size_t i = 0; i < p->nr_rows; i++) {
		const uint32_t frame = g.p->nodes[g.p->rows[i].key.stack].frame;
		struct code_place at, before;

		if (profile__place_of(p, p->nodes[p->rows[i].key.stack].frame, &before)) {
			assert_true(profile__place_of(g.p, frame, &at));
			assert_true(at.addr == before.addr && at.line == before.line);
		} else {
			assert_int_equal(g.p->frames[frame].place, 0);
		}
	}
	profile__free(g.p);
	profile__free(p);
	free(t.data);
}

#define PLACES(...) 10, 0, 0, 0, sizeof((uint8_t[]){ __VA_ARGS__ }), 0, 0, 0, __VA_ARGS__

static int placed_error(const uint8_t *data, size_t len)
{
	const struct tape_opts with = { .max_bytes = PLENTY, .places = true };
	struct text t = block_of(data, len);
	struct got g = read_into(profile__new(), t.data, t.len, &with);

	profile__free(g.p);
	free(t.data);
	return g.err;
}

/* Of a place: frame, path, build-id, address, bias, source, line, start. */
static void lies_about_places_are_refused(void **state)
{
	static const uint8_t good[] = { ABOUT, EVENTS, TEXTS,
					PLACES(2, 0, 1, 2, 4, 0, 0, 7, 1, 3, 1, 2, 4, 0, 0, 7, 1) };
	static const uint8_t order[] = {
		ABOUT, EVENTS, TEXTS, PLACES(2, 3, 1, 2, 4, 0, 0, 7, 1, 3, 1, 2, 4, 0, 0, 7, 1)
	};
	static const uint8_t before[] = { ABOUT, EVENTS, TEXTS, 4,
					  0,	 0,	 0,	4,
					  0,	 0,	 0,	1,
					  1,	 0,	 1,	PLACES(1, 0, 1, 2, 4, 0, 0, 7, 1) };
	static const uint8_t text[] = { ABOUT, EVENTS, TEXTS, PLACES(1, 0, 3, 2, 4, 0, 0, 7, 1) };
	static const uint8_t source[] = { ABOUT, EVENTS, TEXTS, PLACES(1, 0, 1, 2, 4, 0, 3, 7, 1) };
	static const uint8_t few[] = { ABOUT, EVENTS, TEXTS, PLACES(2, 0, 1, 2, 4, 0, 0, 7, 1) };

	assert_int_equal(placed_error(good, sizeof(good)), 0);
	assert_int_equal(placed_error(order, sizeof(order)), -EBADMSG);
	assert_int_equal(placed_error(before, sizeof(before)), -EBADMSG);
	assert_int_equal(placed_error(text, sizeof(text)), -EBADMSG);
	assert_int_equal(placed_error(source, sizeof(source)), -EBADMSG);
	assert_int_equal(placed_error(few, sizeof(few)), -EBADMSG);
}

static void what_has_fields_is_no_capture(void **state)
{
	struct profile *p = profile__new();
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(p);
	assert_non_null(f);
	assert_int_equal(profile__field(p, "arg0", FIELD_HEX), 0);
	assert_int_equal(capture__write(f, p), -EINVAL);
	fclose(f);
	free(text);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_there_again),
		cmocka_unit_test(the_head_is_as_described),
		cmocka_unit_test(a_capture_can_be_cut_anywhere),
		cmocka_unit_test(what_a_cut_took_is_a_loss),
		cmocka_unit_test(many_blocks_are_one_profile),
		cmocka_unit_test(a_block_that_is_missing_is_missed),
		cmocka_unit_test(damage_is_found),
		cmocka_unit_test(a_newer_version_is_told),
		cmocka_unit_test(windows_are_there_again),
		cmocka_unit_test(a_range_is_its_windows),
		cmocka_unit_test(two_captures_add_up),
		cmocka_unit_test(what_has_no_room_is_a_loss),
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(a_small_file_cannot_ask_for_much_memory),
		cmocka_unit_test(members_are_there_again),
		cmocka_unit_test(events_in_the_tick_are_so_again),
		cmocka_unit_test(places_are_there_again),
		cmocka_unit_test(many_places),
		cmocka_unit_test(lies_about_places_are_refused),
		cmocka_unit_test(what_has_fields_is_no_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
