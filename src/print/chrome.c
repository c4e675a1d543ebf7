// SPDX-License-Identifier: BSD-2-Clause
/* Writes counters, and each thread's samples as a CPU profile of V8. */
#include "print/chrome.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "print/chrome_events.h"
#include "print/event_line.h"
#include "print/frame_text.h"
#include "print/lossline.h"

enum { CHUNK_SAMPLES = 4096 };

struct drawn {
	uint32_t node;
	uint64_t us; /* since the begin of the profile */
};

/* What samples are made of. */
struct stacks {
	struct chrome *c;
	struct by_thread threads;
	uint64_t each;	    /* one is drawn of so many */
	uint64_t nr_seen;   /* samples up to here, drawn or not */
	uint64_t length_ns; /* of a run without windows */
	size_t thread;	    /* which one it is at */
	uint32_t *told;	    /* of each node: 1 + the last thread that has it */
	struct drawn *drawn;
	size_t nr, cap;
	uint32_t *path;
	size_t cap_path;
	struct buf text;
};

/* A CPU profile is of a thread. */
static void begin_profile(struct stacks *s, const char *name, uint64_t us)
{
	const struct thread_samples *t = &s->threads.threads[s->thread];
	struct chrome *c = s->c;

	buf__clear(&s->text);
	json__fail(&c->j, buf__printf(&s->text, "0x%zx", s->thread + 1));
	chrome__begin(c, &(struct chrome_event){ 'P', name, by_thread__process(c->p, t),
						 by_thread__id(c->p, t), us, s->text.data });
	json__open(&c->j, "data");
}

static void end_profile(struct stacks *s)
{
	json__close(&s->c->j);
	chrome__end(s->c);
}

/* How many of @nr samples that come next are drawn. */
static uint64_t nr_drawn(const struct stacks *s, uint64_t seen, uint64_t nr)
{
	return (seen + nr) / s->each - seen / s->each;
}

/* The @i-th of @nr in a window: the middle of its part of it. */
static uint64_t time_us(const struct stacks *s, uint32_t window, uint64_t i, uint64_t nr)
{
	const struct windows *w = &s->c->p->windows;
	const uint64_t begin = w->nr ? w->items[window].begin_ns : 0;
	const uint64_t length = w->nr ? w->items[window].end_ns - begin : s->length_ns;

	return (begin + (uint64_t)((unsigned __int128)length * (2 * i + 1) / (2 * nr))) / 1000;
}

static int draw(struct stacks *s, uint32_t node, uint64_t us)
{
	int err = array__grow(&s->drawn, &s->cap, s->nr + 1);

	if (!err)
		s->drawn[s->nr++] = (struct drawn){ node, us };
	return err;
}

static int draw_window(struct stacks *s, const struct thread_window *w)
{
	const uint64_t all = nr_drawn(s, s->nr_seen, w->samples);
	uint64_t at = 0;
	int err = 0;

	for (size_t i = w->first; i < w->first + w->nr && !err; i++) {
		const struct thread_stack *of = &s->threads.stacks[i];

		for (uint64_t n = nr_drawn(s, s->nr_seen, of->samples); n && !err; n--)
			err = draw(s, of->node, time_us(s, w->window, at++, all));
		s->nr_seen += of->samples;
	}
	return err;
}

static int draw_thread(struct stacks *s)
{
	const struct thread_samples *t = &s->threads.threads[s->thread];
	struct thread_window w = {};
	int err = 0;

	s->nr = 0;
	while (!err && by_thread__next(&s->threads, t, &w))
		err = draw_window(s, &w);
	return err;
}

/* Ids begin with 1. */
static uint64_t id_of(uint32_t node)
{
	return (uint64_t)node + 1;
}

/* The root of all of a thread's stacks is node 0; what stands at others is lost to DevTools. */
static void put_node(struct stacks *s, uint32_t node)
{
	const struct profile *p = s->c->p;
	const struct stack_node *n = &p->nodes[node];
	struct json *j = &s->c->j;

	buf__clear(&s->text);
	json__fail(j,
		   node ? frame_text__put(&s->text, p, n->frame) : buf__puts(&s->text, "(root)"));
	json__open(j, NULL);
	json__u64(j, "id", id_of(node));
	if (node)
		json__u64(j, "parent", id_of(n->parent));
	json__open(j, "callFrame");
	json__string(j, "functionName", s->text.data);
	json__string(j, "url", node ? strtab__get(p->strings, p->frames[n->frame].module) : "");
	json__close(j);
	json__close(j);
}

/* Those of a stack that the thread has not told before, callers first. */
static int put_path(struct stacks *s, uint32_t node)
{
	size_t nr = 0;
	int err = 0;

	for (; node && s->told[node] != s->thread + 1 && !err; node = s->c->p->nodes[node].parent) {
		err = array__grow(&s->path, &s->cap_path, nr + 1);
		if (!err)
			s->path[nr++] = node;
		s->told[node] = s->thread + 1;
	}
	while (nr-- && !err)
		put_node(s, s->path[nr]);
	return err;
}

/* Samples @first to @end, and the stacks that come with them. */
static void put_chunk(struct stacks *s, size_t first, size_t end)
{
	uint64_t before = first ? s->drawn[first - 1].us : 0;
	struct json *j = &s->c->j;

	begin_profile(s, "ProfileChunk", s->drawn[first].us);
	json__open(j, "cpuProfile");
	json__open_array(j, "nodes");
	if (!first)
		put_node(s, 0);
	for (size_t i = first; i < end; i++)
		json__fail(j, put_path(s, s->drawn[i].node));
	json__close_array(j);
	json__open_array(j, "samples");
	for (size_t i = first; i < end; i++)
		json__u64(j, NULL, id_of(s->drawn[i].node));
	json__close_array(j);
	json__close(j);
	json__open_array(j, "timeDeltas");
	for (size_t i = first; i < end; before = s->drawn[i++].us)
		json__u64(j, NULL, s->drawn[i].us - before);
	json__close_array(j);
	end_profile(s);
}

static int put_thread(struct stacks *s)
{
	const struct thread_samples *t = &s->threads.threads[s->thread];
	struct chrome *c = s->c;
	int err = draw_thread(s);

	if (err || !s->nr)
		return err;
	chrome__begin(c, &(struct chrome_event){ 'M', "thread_name", by_thread__process(c->p, t),
						 by_thread__id(c->p, t), 0, NULL });
	json__string(&c->j, "name", by_thread__name(c->p, t));
	chrome__end(c);
	begin_profile(s, "Profile", 0);
	json__u64(&c->j, "startTime", 0);
	end_profile(s);
	for (size_t i = 0; i < s->nr; i += CHUNK_SAMPLES)
		put_chunk(s, i, s->nr - i < CHUNK_SAMPLES ? s->nr : i + CHUNK_SAMPLES);
	return 0;
}

/* A run whose length is not known has 1 ms for each sample of its longest thread. */
static uint64_t length_of(const struct stacks *s)
{
	const struct by_thread *t = &s->threads;

	if (s->c->p->duration_ns || !t->nr)
		return s->c->p->duration_ns;
	return t->threads[0].samples < UINT64_MAX / 1000000 ? t->threads[0].samples * 1000000
							    : UINT64_MAX;
}

static int put_stacks(struct stacks *s)
{
	const struct profile *p = s->c->p;
	int err = by_thread__group(&s->threads, p, s->c->o->event, true);

	s->told = calloc(p->nr_nodes + 1, sizeof(*s->told));
	if (!err && !s->told)
		err = -ENOMEM;
	if (!err)
		s->length_ns = length_of(s);
	for (s->thread = 0; s->thread < s->threads.nr && !err && !s->c->j.w.err; s->thread++)
		err = put_thread(s);
	by_thread__free(&s->threads);
	free(s->told);
	free(s->drawn);
	free(s->path);
	return err;
}

static void put_rest(struct stacks *s)
{
	const char *noun = s->c->o->noun ? s->c->o->noun : "sample";
	struct json *j = &s->c->j;
	struct buf *b = &s->text;
	int err;

	json__line(j);
	json__open(j, "otherData");
	buf__clear(b);
	if (s->c->o->title)
		err = buf__puts(b, s->c->o->title);
	else
		err = buf__printf(b, "pmutrace %s", s->c->o->command);
	if (!err)
		err = buf__puts(b, ": ");
	if (!err)
		err = print__event_line(b, s->c->p, s->c->o->event, noun);
	json__string(j, "product", b->data);
	json__string(j, "exporter", "pmutrace " PMUTRACE_VERSION);
	buf__clear(b);
	if (!err)
		err = print__losses_of(b, noun, &s->c->p->losses);
	json__string(j, "losses", b->data);
	json__string(j, "times",
		     s->c->p->windows.nr > 1
			     ? "those of a window are spread evenly over it"
			     : "none: stacks stand one behind the other, over the whole run");
	json__u64(j, "samplesEach", s->each);
	json__fail(j, err);
	json__close(j);
}

int print__chrome(FILE *f, const struct profile *p, const struct chrome_opts *o)
{
	struct chrome c = { .p = p, .o = o };
	struct stacks s = { .c = &c };
	uint64_t samples;
	int err;

	if (o->event >= p->nr_events)
		return -EINVAL;
	samples = p->events[o->event].samples;
	s.each = samples / CHROME_SAMPLES_MOST + !!(samples % CHROME_SAMPLES_MOST);
	s.each = s.each ? s.each : 1;
	json__begin_foreign(&c.j, f, true);
	json__open_array(&c.j, "traceEvents");
	json__fail(&c.j, chrome__put_counters(&c));
	json__fail(&c.j, put_stacks(&s));
	json__close_array(&c.j);
	put_rest(&s);
	err = json__end(&c.j);
	buf__free(&s.text);
	return err;
}
