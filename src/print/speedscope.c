// SPDX-License-Identifier: BSD-2-Clause
/* Writes each event's tree as the stacks and weights of speedscope's sampled profiles. */
#include "print/speedscope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "model/tree.h"
#include "print/frame_text.h"
#include "print/json.h"
#include "print/lossline.h"

static const char *noun_of(const struct speedscope_opts *o)
{
	return o->noun ? o->noun : "sample";
}

static void put_frames(struct json *j, const struct profile *p)
{
	struct buf text = {};

	json__open(j, "shared");
	json__open_array(j, "frames");
	for (size_t i = 0; i < p->nr_frames && !j->w.err; i++) {
		const char *file = strtab__get(p->strings, p->frames[i].module);

		buf__clear(&text);
		json__fail(j, frame_text__put(&text, p, i));
		json__line(j);
		json__open(j, NULL);
		json__string(j, "name", text.data);
		if (*file)
			json__string(j, "file", file);
		json__close(j);
	}
	json__close_array(j);
	json__close(j);
	buf__free(&text);
}

static bool has_flaws(const struct losses *l)
{
	for (unsigned i = 0; i < l->nr; i++)
		if (l->by[i].flaw && l->by[i].n)
			return true;
	return false;
}

static int put_losses(struct buf *b, const struct losses *l)
{
	uint64_t lost = losses__sum(l), known = l->kept + lost;
	int err = 0;

	if (known < l->seen)
		lost += l->seen - known;
	if (lost)
		err = buf__printf(b, "%" PRIu64 " lost", lost);
	else if (!l->untold)
		err = buf__puts(b, "nothing lost");
	if (!err && l->untold)
		err = buf__printf(b, "%swhat was lost before is not told", lost ? ", " : "");
	return err || !has_flaws(l) ? err : buf__puts(b, ", some incomplete");
}

/*
 * "cycles:u (1029 samples, counted 50.0 % of the time; of all events 12 lost, some incomplete)": it
 * has half the width of a window.
 */
static int describe(struct buf *b, const struct profile *p, const struct profile_event *e,
		    uint64_t samples, const char *noun)
{
	int err = buf__printf(b, "%s (%" PRIu64 " %ss", e->name, samples, noun);

	if (!err && e->running_ns < e->enabled_ns)
		err = buf__printf(b, ", counted %.1f %% of the time",
				  100.0 * (double)e->running_ns / (double)e->enabled_ns);
	if (!err)
		err = buf__puts(b, p->nr_events > 1 ? "; of all events " : ", ");
	if (!err)
		err = put_losses(b, &p->losses);
	return err ? err : buf__puts(b, ")");
}

static int put_samples(struct json *j, const struct tree *tree)
{
	uint32_t *path = calloc((size_t)tree->depth + 1, sizeof(*path));

	if (!path)
		return -ENOMEM;
	json__open_array(j, "samples");
	for (size_t i = 1; i < tree->nr; i++) {
		const struct tree_node *n = &tree->nodes[i];

		path[n->depth - 1] = n->frame;
		if (!n->self)
			continue;
		json__line(j);
		json__open_array(j, NULL);
		for (uint32_t k = 0; k < n->depth; k++)
			json__u64(j, NULL, path[k]);
		json__close_array(j);
	}
	json__close_array(j);
	free(path);
	return 0;
}

static void put_weights(struct json *j, const struct tree *tree, bool weights)
{
	json__line(j);
	json__open_array(j, "weights");
	for (size_t i = 1; i < tree->nr; i++) {
		const struct tree_node *n = &tree->nodes[i];

		if (n->self)
			json__u64(j, NULL, weights ? n->self_weight : n->self);
	}
	json__close_array(j);
}

static int put_profile(struct json *j, const struct profile *p, uint32_t event,
		       const struct speedscope_opts *o)
{
	const struct profile_event *e = &p->events[event];
	const struct tree_opts opts = { .event = event };
	struct buf name = {};
	struct tree *tree;
	bool weights;
	int err = tree__new(&tree, p, &opts);

	if (err)
		return err;
	weights = o->weights && tree->nodes[0].total_weight;
	err = describe(&name, p, e, tree->nodes[0].total, noun_of(o));
	if (err)
		goto out_free;
	json__line(j);
	json__open(j, NULL);
	json__string(j, "type", "sampled");
	json__string(j, "name", name.data);
	json__string(j, "unit", weights && !strcmp(e->unit, "ns") ? "nanoseconds" : "none");
	json__u64(j, "startValue", 0);
	json__u64(j, "endValue", weights ? tree->nodes[0].total_weight : tree->nodes[0].total);
	err = put_samples(j, tree);
	put_weights(j, tree, weights);
	json__close(j);
out_free:
	buf__free(&name);
	tree__free(tree);
	return err;
}

/* The window's title. */
static void put_name(struct json *j, const struct profile *p, const struct speedscope_opts *o)
{
	struct buf name = {};
	int err;

	if (o->title)
		err = buf__puts(&name, o->title);
	else
		err = buf__printf(&name, "pmutrace %s", o->command);
	if (!err)
		err = buf__puts(&name, " · ");
	if (!err)
		err = print__losses_of(&name, noun_of(o), &p->losses);
	json__fail(j, err);
	json__string(j, "name", name.data);
	buf__free(&name);
}

int print__speedscope(FILE *f, const struct profile *p, const struct speedscope_opts *o)
{
	struct json j;

	if (o->event >= p->nr_events)
		return -EINVAL;
	json__begin_foreign(&j, f, true);
	json__string(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json__string(&j, "exporter", "pmutrace " PMUTRACE_VERSION);
	put_name(&j, p, o);
	json__u64(&j, "activeProfileIndex", o->event);
	put_frames(&j, p);
	json__line(&j);
	json__open_array(&j, "profiles");
	for (uint32_t i = 0; i < p->nr_events && !j.w.err; i++)
		json__fail(&j, put_profile(&j, p, i, o));
	json__close_array(&j);
	return json__end(&j);
}
