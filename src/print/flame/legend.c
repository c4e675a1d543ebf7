// SPDX-License-Identifier: BSD-2-Clause
/* What colours stand for: kinds of frames, a ratio with the numbers of its scale, changes. */
#include <string.h>

#include "print/flame/drawing.h"

enum {
	CHIP = 17, /* px, with the gap before its name */
	GAP = 16,
	STEP = 16,	  /* of a scale */
	STEP_GAP = 6,	  /* to the texts at its ends */
	NUMBER_ROOM = 44, /* for a number behind it, "more in B" */
	MORE_ROOM = 66,
	NAME_ROOM = 180, /* of a ratio */
};

/* Right-aligned; the script moves the group with the window. */
static void begin(struct drawing *d)
{
	writer__printf(&d->w, "<g class=\"legend\" transform=\"translate(%u)\">",
		       d->width - DRAW_PAD);
}

/* Begins the text that ends in front of a scale of so many steps, with @room behind it. */
static void begin_low(struct drawing *d, unsigned steps, unsigned room)
{
	writer__printf(&d->w, "<text x=\"-%u\" y=\"%u\" text-anchor=\"end\">",
		       room + steps * STEP + STEP_GAP, DRAW_TITLE_Y);
}

/* Ends that, and begins the text behind the scale; its steps are of the classes "r0", "r1".. */
static void put_steps(struct drawing *d, char class, unsigned steps, unsigned room)
{
	writer__puts(&d->w, "</text>");
	for (unsigned i = 0; i < steps; i++)
		writer__printf(&d->w,
			       "<rect class=\"%c%u\" x=\"-%u\" y=\"%u\" width=\"%u\" "
			       "height=\"12\"/>",
			       class, i, room + (steps - i) * STEP, DRAW_TITLE_Y - 10, STEP);
	writer__printf(&d->w, "<text x=\"-%u\" y=\"%u\">", room - STEP_GAP, DRAW_TITLE_Y);
}

/* "IPC 0.52 [][][][][][][] 2.31" */
static void put_ratio(struct drawing *d)
{
	const struct coloring *c = d->coloring;
	const char *name = shade__title(c->shade);

	begin_low(d, COLORING_STEPS, NUMBER_ROOM);
	drawing__put_cut(d, name, strlen(name), NAME_ROOM, DRAW_SMALL_CELL);
	writer__putc(&d->w, ' ');
	coloring__put_ratio(&d->w, c->low);
	put_steps(d, 'r', COLORING_STEPS, NUMBER_ROOM);
	coloring__put_ratio(&d->w, c->high);
	writer__puts(&d->w, "</text>");
}

static void put_changes(struct drawing *d)
{
	begin_low(d, SIDES_STEPS, MORE_ROOM);
	writer__puts(&d->w, "less in B");
	put_steps(d, 'd', SIDES_STEPS, MORE_ROOM);
	writer__puts(&d->w, "more in B</text>");
}

/* Those that occur. */
static void put_kinds(struct drawing *d)
{
	static const struct {
		enum frame_kind kind;
		const char *class, *name;
		unsigned px; /* width of the name, measured */
	} kinds[] = {
		{ FRAME_NOTE, "n0", "note", 27 },	{ FRAME_COMM, "c0", "command", 61 },
		{ FRAME_JIT, "j1", "JIT", 19 },		{ FRAME_KERNEL, "k3", "kernel", 38 },
		{ FRAME_INLINED, "i3", "inlined", 44 }, { FRAME_USER, "u3", "user", 28 },
	};
	unsigned present = 0, right = 0;
	size_t i;

	for (i = 1; i < d->tree->nr; i++)
		present |= 1u << d->p->frames[d->tree->nodes[i].frame].kind;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!(present & 1u << kinds[i].kind))
			continue;
		right += kinds[i].px;
		writer__printf(&d->w,
			       "<rect class=\"%s\" x=\"-%u\" y=\"%u\" width=\"12\" height=\"12\"/>"
			       "<text x=\"-%u\" y=\"%u\">%s</text>",
			       kinds[i].class, right + CHIP, DRAW_TITLE_Y - 10, right, DRAW_TITLE_Y,
			       kinds[i].name);
		right += CHIP + GAP;
	}
}

void drawing__put_legend(struct drawing *d)
{
	begin(d);
	if (d->coloring)
		put_ratio(d);
	else if (d->counts)
		put_changes(d);
	else
		put_kinds(d);
	writer__puts(&d->w, "</g>\n");
}
