// SPDX-License-Identifier: BSD-2-Clause
/* Writes each event's tree as the stacks and weights of speedscope's sampled profiles. */
#include "print/speedscope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "model/tree.h"
#include "print/event_line.h"
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
			json__u64(j, NULL, weights ? tree->self_weights[i] : n->self);
	}
	json__close_array(j);
}

static uint64_t weight_of(const struct tree *tree)
{
	uint64_t sum = 0;

	for (size_t i = 0; tree->self_weights && i < tree->nr; i++)
		sum += tree->self_weights[i];
	return sum;
}

static int put_profile(struct json *j, const struct profile *p, uint32_t event,
		       const struct speedscope_opts *o)
{
	const struct profile_event *e = &p->events[event];
	const struct tree_opts opts = { .event = event, .weights = o->weights };
	struct buf name = {};
	struct tree *tree;
	uint64_t weight;
	int err = tree__new(&tree, p, &opts);

	if (err)
		return err;
	weight = weight_of(tree);
	err = print__event_line(&name, p, event, noun_of(o));
	if (err)
		goto out_free;
	json__line(j);
	json__open(j, NULL);
	json__string(j, "type", "sampled");
	json__string(j, "name", name.data);
	json__string(j, "unit", weight && !strcmp(e->unit, "ns") ? "nanoseconds" : "none");
	json__u64(j, "startValue", 0);
	json__u64(j, "endValue", weight ? weight : tree->nodes[0].total);
	err = put_samples(j, tree);
	put_weights(j, tree, weight);
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
	uint32_t active = 0;
	struct json j;

	if (o->event >= p->nr_events)
		return -EINVAL;
	json__begin_foreign(&j, f, true);
	json__string(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json__string(&j, "exporter", "pmutrace " PMUTRACE_VERSION);
	put_name(&j, p, o);
	for (uint32_t i = 0; i < o->event; i++)
		active += !p->events[i].is_member;
	json__u64(&j, "activeProfileIndex", active);
	put_frames(&j, p);
	json__line(&j);
	json__open_array(&j, "profiles");
	for (uint32_t i = 0; i < p->nr_events && !j.w.err; i++)
		if (!p->events[i].is_member)
			json__fail(&j, put_profile(&j, p, i, o));
	json__close_array(&j);
	return json__end(&j);
}
