// SPDX-License-Identifier: BSD-2-Clause
/* Writes the tables of a profile as columns, and each thread's stacks as its samples. */
#include "print/firefox.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "model/profile.h"
#include "print/by_thread.h"
#include "print/event_line.h"
#include "print/firefox_processes.h"
#include "print/firefox_tables.h"
#include "print/json.h"
#include "print/lossline.h"
#include "print/timeline.h"

enum {
	PROCESSED_VERSION = 66, /* its tables are in print/firefox_tables.h */
	GECKO_VERSION = 34,	/* what a browser would have made it of; nobody looks at it */
	VISIBLE_THREADS = 15,	/* as many as it shows at first of its own accord */
};

/* What all parts of the document look at. */
struct firefox {
	struct json j;
	const struct profile *p;
	const struct firefox_opts *o;
	const struct profile_event *event;
	struct by_thread threads;
	struct firefox_processes processes;
	bool is_time;	/* what stacks weigh */
	bool has_times; /* windows tell when */
	struct timeline timeline;
	struct buf text;
};

static const char *noun_of(const struct firefox *x)
{
	return x->o->noun ? x->o->noun : "sample";
}

/* A kind of frames is a category; the first grey one is that of what has none. */
static const struct {
	const char *name, *color;
} categories[] = {
	[FRAME_COMM] = { "Command", "grey" },	 [FRAME_USER] = { "User", "yellow" },
	[FRAME_KERNEL] = { "Kernel", "orange" }, [FRAME_JIT] = { "JIT", "blue" },
	[FRAME_NOTE] = { "Note", "darkgrey" },	 [FRAME_INLINED] = { "Inlined", "green" },
};

_Static_assert(ARRAY_SIZE(categories) == FRAME_KINDS, "a frame's kind is its category's index");

static uint64_t weight_of(const struct firefox *x, uint64_t samples, uint64_t weight)
{
	return x->is_time ? weight : samples;
}

/* In ms, with all digits; what is no time is 1 ms each, so that it can be drawn. */
static void put_weight(struct firefox *x, const char *key, uint64_t n)
{
	if (x->is_time)
		json__double(&x->j, key, (double)n / 1e6, 6);
	else
		json__u64(&x->j, key, n);
}

static void put_categories(struct json *j)
{
	json__line(j);
	json__open_array(j, "categories");
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++) {
		json__open(j, NULL);
		json__string(j, "name", categories[i].name);
		json__string(j, "color", categories[i].color);
		json__open_array(j, "subcategories");
		json__string(j, NULL, "Other");
		json__close_array(j);
		json__close(j);
	}
	json__close_array(j);
}

static void put_info(struct json *j, const char *label, const char *value)
{
	json__open(j, NULL);
	json__string(j, "label", label);
	json__string(j, "format", "string");
	json__string(j, "value", value);
	json__close(j);
}

/* What its panel of information shows at its end. */
static void put_extra(struct firefox *x)
{
	struct json *j = &x->j;

	json__line(j);
	json__open_array(j, "extra");
	json__open(j, NULL);
	json__string(j, "label", "Measured by pmutrace");
	json__open_array(j, "entries");
	put_info(j, "Event", x->event->name);
	buf__clear(&x->text);
	json__fail(j, print__losses_of(&x->text, noun_of(x), &x->p->losses));
	put_info(j, "Losses", x->text.data);
	put_info(j, "Times",
		 x->has_times
			 ? "of windows: stacks of one share it, one behind the other"
			 : "none: stacks stand one behind the other, each as long as it weighs");
	json__close_array(j);
	json__close(j);
	json__close_array(j);
}

static void put_product(struct firefox *x)
{
	struct buf *b = &x->text;
	int err;

	buf__clear(b);
	if (x->o->title)
		err = buf__puts(b, x->o->title);
	else
		err = buf__printf(b, "pmutrace %s", x->o->command);
	if (!err)
		err = buf__puts(b, ": ");
	if (!err)
		err = print__event_line(b, x->p, x->o->event, noun_of(x));
	json__fail(&x->j, err);
	json__string(&x->j, "product", b->data);
}

/* Which threads are shown at first: without this it is told by the number of their samples, which
 * are as many as there are stacks. */
static void put_visible(struct firefox *x)
{
	size_t nr = x->threads.nr < VISIBLE_THREADS ? x->threads.nr : VISIBLE_THREADS;

	json__open_array(&x->j, "initialVisibleThreads");
	for (size_t i = 0; i < (nr ? nr : 1); i++)
		json__u64(&x->j, NULL, i);
	json__close_array(&x->j);
	json__open_array(&x->j, "initialSelectedThreads");
	json__u64(&x->j, NULL, 0);
	json__close_array(&x->j);
	json__bool(&x->j, "keepProfileThreadOrder", true);
}

/* How much of each time was spent on a CPU is known where that is what was sampled. */
static void put_units(struct json *j)
{
	json__open(j, "sampleUnits");
	json__string(j, "time", "ms");
	json__string(j, "eventDelay", "ms");
	json__string(j, "threadCPUDelta", "ns");
	json__close(j);
}

static void put_ms(struct firefox *x, const char *key, uint64_t ns)
{
	json__double(&x->j, key, (double)ns / 1e6, 6);
}

/* All threads begin at 0; one that has nothing takes some time all the same. */
static void put_times(struct firefox *x)
{
	const struct profile_event *e = x->event;
	const struct windows *w = &x->p->windows;
	uint64_t end = 0;

	if (x->has_times) {
		json__double(&x->j, "interval", x->is_time ? e->weight / 1e6 / e->samples : 1, -1);
		json__u64(&x->j, "startTime", x->p->about.begin_ns / 1000000);
		json__u64(&x->j, "profilingStartTime", 0);
		/* Behind the values of the last window, which are at its end. */
		put_ms(x, "profilingEndTime", w->items[w->nr - 1].end_ns + 1);
		if (x->is_time)
			put_units(&x->j);
		return;
	}
	for (size_t i = 0; i < x->threads.nr; i++) {
		const struct thread_samples *t = &x->threads.threads[i];
		uint64_t n = weight_of(x, t->samples, t->weight);

		end = n > end ? n : end;
	}
	json__double(&x->j, "interval", x->is_time ? e->weight / 1e6 / e->samples : 1, -1);
	json__u64(&x->j, "startTime", 0);
	json__u64(&x->j, "profilingStartTime", 0);
	put_weight(x, "profilingEndTime", end ? end : 1);
}

static void put_meta(struct firefox *x)
{
	struct json *j = &x->j;

	json__open(j, "meta");
	json__u64(j, "version", GECKO_VERSION);
	json__u64(j, "preprocessedProfileVersion", PROCESSED_VERSION);
	put_product(x);
	json__string(j, "importedFrom", "pmutrace " PMUTRACE_VERSION);
	put_times(x);
	json__u64(j, "processType", 0);
	json__u64(j, "stackwalk", 1);
	json__bool(j, "debug", false);
	if (x->p->nr_cpus)
		json__u64(j, "logicalCPUs", x->p->nr_cpus);
	json__bool(j, "symbolicated", true);
	json__bool(j, "symbolicationNotSupported", true);
	json__bool(j, "usesOnlyOneStackType", true);
	json__bool(j, "sourceCodeIsNotOnSearchfox", true);
	json__open_array(j, "markerSchema");
	json__close_array(j);
	put_visible(x);
	put_categories(j);
	put_extra(x);
	json__close(j);
}

static void put_stack(struct json *j, uint32_t node)
{
	if (node)
		json__u64(j, NULL, node - 1);
	else
		json__null(j, NULL);
}

/* CPU time since the sample before, as that one is what took it. Nobody looks at the first. */
static void put_cpu_times(struct firefox *x)
{
	const struct timeline *t = &x->timeline;

	json__open_array(&x->j, "threadCPUDelta");
	for (size_t i = 0; i < t->nr; i++)
		json__u64(&x->j, NULL, i ? t->items[i - 1].weight : 0);
	json__close_array(&x->j);
}

static void put_timed_samples(struct firefox *x, const struct thread_samples *of)
{
	struct timeline *t = &x->timeline;
	struct json *j = &x->j;

	t->nr = 0;
	if (of->nr)
		json__fail(j, timeline__place(t, &x->p->windows, &x->threads, of));
	columns__open(j, "samples", t->nr);
	json__open_array(j, "stack");
	for (size_t i = 0; i < t->nr; i++)
		put_stack(j, t->items[i].node);
	json__close_array(j);
	json__open_array(j, "time");
	for (size_t i = 0; i < t->nr; i++)
		put_ms(x, NULL, t->items[i].begin_ns);
	json__close_array(j);
	json__open_array(j, "weight");
	for (size_t i = 0; i < t->nr; i++)
		put_weight(x, NULL, weight_of(x, t->items[i].samples, t->items[i].weight));
	json__close_array(j);
	json__string(j, "weightType", x->is_time ? "tracing-ms" : "samples");
	if (x->is_time)
		put_cpu_times(x);
	json__close(j);
}

static void put_samples(struct firefox *x, const struct thread_samples *t)
{
	const struct thread_stack *stacks = x->threads.stacks + t->first;
	struct json *j = &x->j;
	uint64_t at = 0;

	columns__open(j, "samples", t->nr);
	json__open_array(j, "stack");
	for (size_t i = 0; i < t->nr; i++)
		put_stack(j, stacks[i].node);
	json__close_array(j);
	json__open_array(j, "time");
	for (size_t i = 0; i < t->nr; i++) {
		put_weight(x, NULL, at);
		at += weight_of(x, stacks[i].samples, stacks[i].weight);
	}
	json__close_array(j);
	json__open_array(j, "weight");
	for (size_t i = 0; i < t->nr; i++)
		put_weight(x, NULL, weight_of(x, stacks[i].samples, stacks[i].weight));
	json__close_array(j);
	json__string(j, "weightType", x->is_time ? "tracing-ms" : "samples");
	json__close(j);
}

static const char *name_of(const struct firefox *x, size_t thread)
{
	return by_thread__name(x->p, &x->threads.threads[thread]);
}

static void put_rest(struct firefox *x, const struct thread_samples *t)
{
	static const char *const markers[] = { "data",	  "name",  "startTime",
					       "endTime", "phase", "category" };
	struct json *j = &x->j;

	json__string(j, "processType", "default");
	json__u64(j, "processStartupTime", 0);
	json__null(j, "processShutdownTime");
	json__u64(j, "registerTime", 0);
	json__null(j, "unregisterTime");
	json__open_array(j, "pausedRanges");
	json__close_array(j);
	if (x->has_times)
		put_timed_samples(x, t);
	else
		put_samples(x, t);
	columns__put_empty(j, "markers", markers, ARRAY_SIZE(markers));
}

/* A file without threads would not be read. */
static void put_nothing(struct firefox *x)
{
	const struct thread_samples none = {};
	struct json *j = &x->j;

	json__open(j, NULL);
	json__string(j, "name", "no samples");
	json__string(j, "pid", "none");
	json__string(j, "tid", "none");
	json__bool(j, "isMainThread", true);
	put_rest(x, &none);
	json__close(j);
}

static void put_threads(struct firefox *x)
{
	struct json *j = &x->j;

	json__line(j);
	json__open_array(j, "threads");
	for (size_t i = 0; i < x->threads.nr && !j->w.err; i++) {
		json__line(j);
		json__open(j, NULL);
		json__string(j, "name", name_of(x, i));
		firefox_processes__put(&x->processes, j, i);
		put_rest(x, &x->threads.threads[i]);
		json__close(j);
	}
	if (!x->threads.nr)
		put_nothing(x);
	json__close_array(j);
}

static bool is_time(const struct profile_event *e, const struct firefox_opts *o)
{
	return o->weights && e->samples && e->weight && !strcmp(e->unit, "ns");
}

int print__firefox(FILE *f, const struct profile *p, const struct firefox_opts *o)
{
	struct firefox x = { .p = p, .o = o };
	int err;

	if (o->event >= p->nr_events)
		return -EINVAL;
	x.event = &p->events[o->event];
	x.is_time = is_time(x.event, o);
	x.has_times = p->windows.nr > 1;
	err = by_thread__group(&x.threads, p, o->event, x.has_times);
	if (!err)
		err = firefox_processes__gather(&x.processes, p, o->event, &x.threads, x.has_times);
	if (err)
		goto out_free;
	json__begin_foreign(&x.j, f, true);
	put_meta(&x);
	json__line(&x.j);
	json__open_array(&x.j, "libs");
	json__close_array(&x.j);
	json__open_array(&x.j, "pages");
	json__close_array(&x.j);
	json__fail(&x.j, firefox_tables__put(&x.j, p));
	put_threads(&x);
	firefox_processes__put_counters(&x.processes, &x.j, o->weights);
	err = json__end(&x.j);
out_free:
	firefox_processes__free(&x.processes);
	by_thread__free(&x.threads);
	timeline__free(&x.timeline);
	buf__free(&x.text);
	return err;
}
