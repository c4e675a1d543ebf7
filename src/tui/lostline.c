// SPDX-License-Identifier: BSD-2-Clause
/* Draws how many timeslices, switches, samples and parts of stacks were lost. */
#include "tui/lostline.h"

#include <inttypes.h>

enum { MATTERS = 1000 }; /* a loss of one in so many, or more, has a colour */

enum lost { LOST_TIMESLICES, LOST_SWITCHES, LOST_SAMPLES, LOST_STACKS, LOST_NR };

static const struct {
	const char *word, *help;
	enum style style; /* of a loss of 1 / MATTERS or more */
	bool has_whole;	  /* shown as "3 of 100", not as "3" */
} words[LOST_NR] = {
	[LOST_TIMESLICES] = { "timeslices",
			      "runs from one switch to the next, of tasks without a row",
			      STYLE_ALERT, true },
	[LOST_SWITCHES] = { "switches missed", "no sched_switch: who ran at the end has their time",
			    STYLE_ALERT },
	[LOST_SAMPLES] = { "samples", "taken, and in no function", STYLE_ALERT, true },
	[LOST_STACKS] = { "stacks incomplete", "samples without callers, or without a part of them",
			  STYLE_HALF },
};

const char *lostline__word(size_t i, const char **help)
{
	if (i >= LOST_NR)
		return NULL;
	*help = words[i].help;
	return words[i].word;
}

/* A list of losses that is put on a line, one after the other. */
struct list {
	struct canvas *c;
	int x, y;
	bool is_begun;
};

static void put(struct list *list, enum lost what, uint64_t n, uint64_t of)
{
	struct canvas *c = list->c;
	bool matters = n * MATTERS >= of;
	enum style style = matters ? words[what].style : STYLE_PLAIN;

	if (!n)
		return;
	list->x += canvas__printf(c, list->x, list->y, c->width - list->x, style, "%s%" PRIu64,
				  list->is_begun ? ", " : "", n);
	if (words[what].has_whole)
		list->x += canvas__printf(c, list->x, list->y, c->width - list->x, style,
					  " of %" PRIu64, of);
	list->x += canvas__printf(c, list->x, list->y, c->width - list->x, style, " %s",
				  words[what].word);
	list->is_begun = true;
}

/* Samples that were kept with a part of their stack missing (flaws, which are no losses). */
static uint64_t nr_incomplete(const struct losses *l)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < l->nr; i++)
		n += l->by[i].flaw ? l->by[i].n : 0;
	return n;
}

static struct list begin(struct canvas *c, int y)
{
	return (struct list){
		.c = c,
		.x = canvas__put(c, 0, y, c->width, STYLE_LABEL, "Lost "),
		.y = y,
	};
}

static void put_samples(struct list *list, const struct losses *samples)
{
	put(list, LOST_SAMPLES, samples->seen - samples->kept, samples->seen);
	put(list, LOST_STACKS, nr_incomplete(samples), samples->kept);
}

static int end(struct list *list, const char *otherwise)
{
	struct canvas *c = list->c;

	if (!list->is_begun)
		list->x += canvas__put(c, list->x, list->y, c->width - list->x, STYLE_PLAIN,
				       otherwise);
	return list->x + 2;
}

int lostline__draw(const struct view_data *d, struct canvas *c, int y)
{
	const struct live_about *about = live__interval(d->live);
	struct list list = begin(c, y);

	put(&list, LOST_TIMESLICES, about->seen - about->kept, about->seen);
	put(&list, LOST_SWITCHES, about->untold, about->seen);
	if (d->profile)
		put_samples(&list, &d->profile->losses);
	return end(&list, "nothing");
}

int lostline__draw_samples(const struct losses *samples, struct canvas *c, int y)
{
	struct list list = begin(c, y);

	put_samples(&list, samples);
	return end(&list, samples->untold ? "- (not told by who measured)" : "nothing");
}
