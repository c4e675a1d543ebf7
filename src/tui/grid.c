// SPDX-License-Identifier: BSD-2-Clause
/* Draws rows as a table: which columns have room, titles, cells, branches of a tree. */
#include "tui/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	ID_WIDTH = 7, /* of the largest pid, 4194304 */
	USER_WIDTH = 8,
	NAME_WIDTH = 10,    /* at least */
	NARROW_WIDTH = 60,  /* a narrower page has no users */
	COLUMN_WIDTH = 6,   /* at least */
	COMMAND_INDENT = 2, /* in front of the name */
	LEVEL_WIDTH = 3,    /* indentation of a tree's level, at most */
	HIDDEN_WIDTH = 4,   /* of the number of columns that do not fit */
};

struct painter {
	struct grid *g;
	const struct view *v;
	const struct view_data *d;
	struct canvas *c;
};

size_t grid__page(const struct grid *g)
{
	return g->height > 2 ? g->height - 1 : 1;
}

static bool has_users(const struct painter *p)
{
	return p->d->processes && p->c->width >= NARROW_WIDTH &&
	       (p->v->by == LIVE_PROCESSES || p->v->by == LIVE_THREADS);
}

static bool has_processes(const struct painter *p)
{
	return p->v->by == LIVE_THREADS && !p->v->only_tgid && p->c->width >= NARROW_WIDTH;
}

static bool has_ids(const struct painter *p)
{
	return p->v->by != LIVE_CGROUPS;
}

/* The width of ids and users, and of the mark for tags in column 0. */
static int lead_width(const struct painter *p)
{
	return 1 + (has_ids(p) ? ID_WIDTH : 0) + (has_processes(p) ? 1 + ID_WIDTH : 0) +
	       (has_users(p) ? 1 + USER_WIDTH : 0);
}

static int column_width(const struct column *column)
{
	int width = text__width(column->title) + 1; /* the mark of the one that is sorted by */

	if (column->form == COLUMN_TIME && width < COLUMN_WIDTH + 1)
		width = COLUMN_WIDTH + 1;
	return width > COLUMN_WIDTH ? width : COLUMN_WIDTH;
}

static void place_columns(const struct painter *p)
{
	struct grid *g = p->g;
	const struct columns *all = p->d->columns;
	int x = lead_width(p), room = p->c->width - (p->v->by == LIVE_CPUS ? 0 : NAME_WIDTH);

	if (g->first_column >= all->nr)
		g->first_column = all->nr ? all->nr - 1 : 0;
	g->nr_places = 0;
	for (size_t i = g->first_column; i < all->nr && g->nr_places < GRID_COLUMNS; i++) {
		int width = column_width(&all->items[i]);

		/* At least one column is shown, even if it does not fit. */
		if (g->nr_places && x + 1 + width > room)
			break;
		g->places[g->nr_places++] = (struct grid_place){ x + 1, width, i };
		x += 1 + width;
	}
	g->nr_hidden = all->nr - g->nr_places;
}

static int names_x(const struct painter *p)
{
	const struct grid *g = p->g;
	const struct grid_place *last = g->nr_places ? &g->places[g->nr_places - 1] : NULL;

	return (last ? last->x + last->width : lead_width(p)) + COMMAND_INDENT;
}

static void draw_title(const struct painter *p, const struct grid_place *place)
{
	const struct column *column = &p->d->columns->items[place->column];
	bool is_sorted = view__is_sorted_by(p->v, column->name);
	const char *down = p->c->is_ascii ? "v" : "▼", *up = p->c->is_ascii ? "^" : "▲";
	char text[128];

	snprintf(text, sizeof(text), "%s%s", is_sorted ? p->v->invert ? up : down : "",
		 column->title);
	canvas__put_right(p->c, place->x, p->g->y, place->width,
			  column->why ? STYLE_DIM
			  : is_sorted ? STYLE_SORTED
				      : STYLE_TITLE,
			  text);
}

static void draw_titles(const struct painter *p)
{
	static const char *const ids[] = { "PID", "TID", "", "CPU" };
	static const char *const names[] = { "COMMAND", "COMMAND", "CGROUP", "" };
	struct canvas *c = p->c;
	int x = 1, y = p->g->y, end = c->width;

	canvas__paint(c, 0, y, c->width, STYLE_TITLE);
	if (has_ids(p)) {
		canvas__put_right(c, x, y, ID_WIDTH, STYLE_TITLE, ids[p->v->by]);
		x += ID_WIDTH + 1;
	}
	if (has_processes(p)) {
		canvas__put_right(c, x, y, ID_WIDTH, STYLE_TITLE, "PID");
		x += ID_WIDTH + 1;
	}
	if (has_users(p))
		canvas__put(c, x, y, USER_WIDTH, STYLE_TITLE, "USER");
	for (size_t i = 0; i < p->g->nr_places; i++)
		draw_title(p, &p->g->places[i]);
	x = names_x(p);
	if (p->g->nr_hidden) {
		end -= HIDDEN_WIDTH;
		canvas__printf(c, end--, y, HIDDEN_WIDTH, STYLE_TITLE, "%s%zu",
			       c->is_ascii ? "+" : "…", p->g->nr_hidden);
	}
	canvas__put(c, x, y, end - x, STYLE_TITLE, names[p->v->by]);
}

/* The indentation of each level but the last: less in deep trees, so that names fit. */
static int level_width(const struct painter *p)
{
	int room = p->c->width - names_x(p) - NAME_WIDTH - LEVEL_WIDTH, width = LEVEL_WIDTH;

	while (width > 1 && ((int)p->v->deepest - 1) * width > room)
		width--;
	return width;
}

/* Draws the lines that lead to a row of a tree. Returns the columns that they take. */
static int draw_branch(const struct painter *p, const struct view_line *line, int x, int y)
{
	struct canvas *c = p->c;
	const char *text, *rail = c->is_ascii ? "|" : "│";
	const int start = x, width = level_width(p);

	if (!line->depth)
		return 0;
	for (uint32_t d = 1; d < line->depth; d++, x += width)
		if (line->rails & 1u << d)
			canvas__put(c, x, y, c->width - x, STYLE_DIM, rail);
	text = c->is_ascii ? line->is_last ? "`- " : "|- " : line->is_last ? "└─ " : "├─ ";
	return x + canvas__put(c, x, y, c->width - x, STYLE_DIM, text) - start;
}

static void draw_name(const struct painter *p, const struct view_line *line,
		      const struct live_row *row, enum style style, int y)
{
	struct canvas *c = p->c;
	const char *name = view__name(p->v, p->d, row);
	int x = names_x(p);

	x += draw_branch(p, line, x, y);
	if (line->is_folded)
		x += canvas__put(c, x, y, c->width - x, STYLE_STRONG, "+ ");
	if (*name)
		x += canvas__put(c, x, y, c->width - x, style, name);
	else if (p->v->by == LIVE_CGROUPS)
		x += canvas__printf(c, x, y, c->width - x, style, "cgroup %" PRIu64, row->id);
	if (row->exited && row->id)
		x += canvas__put(c, x, y, c->width - x, STYLE_DIM, " (exited)");
	if (line->is_folded)
		canvas__printf(c, x, y, c->width - x, STYLE_DIM, " (%" PRIu32 " below)",
			       line->nr_below);
}

static int draw_number(struct canvas *c, int x, int y, enum style style, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	canvas__put_right(c, x, y, ID_WIDTH, style, text);
	return ID_WIDTH + 1;
}

static void draw_user(const struct painter *p, const struct live_row *row, int x, int y,
		      enum style style)
{
	const struct process *process = view__process(p->v, p->d, row);
	const bool is_known = process && process->uid != PROCESS_NO_USER;
	const char *name = is_known ? processes__user(p->d->processes, process->uid) : "-";

	if (name)
		canvas__put(p->c, x, y, USER_WIDTH, style, name);
	else
		canvas__printf(p->c, x, y, USER_WIDTH, style, "%" PRIu32, process->uid);
}

static enum style style_of(const struct painter *p, const struct view_line *line)
{
	const struct live_row *row = &p->v->rows.items[line->row];

	if (view__is_tagged(p->v, row->id))
		return STYLE_TAGGED;
	if (line->is_folded)
		return view__used(p->v, line)->is_waiting ? STYLE_DIM : STYLE_PLAIN;
	return row->exited || row->is_waiting ? STYLE_DIM : STYLE_PLAIN;
}

/*
 * A parent that has not run has counted 0; but if timeslices were lost they may have been its own,
 * so its value is not known.
 */
static double value_of(const struct column *column, const struct live_about *about,
		       const struct live_row *row)
{
	return row->is_waiting && about->kept < about->seen ? NAN
							    : column__value(column, about, row);
}

static void draw_row(const struct painter *p, const struct view_line *line, int y)
{
	const struct live_row *row = &p->v->rows.items[line->row];
	const struct live_about *about = live__interval(p->d->live);
	enum style style = style_of(p, line);
	int x = 1;

	if (view__is_tagged(p->v, row->id))
		canvas__put(p->c, 0, y, 1, style, "*");
	if (has_ids(p))
		x += draw_number(p->c, x, y, style, row->id);
	if (has_processes(p))
		x += draw_number(p->c, x, y, style, row->tgid);
	if (has_users(p))
		draw_user(p, row, x, y, style);
	for (size_t i = 0; i < p->g->nr_places; i++) {
		const struct grid_place *place = &p->g->places[i];
		const struct column *column = &p->d->columns->items[place->column];
		char text[READABLE_CHARS];

		column__text(column, value_of(column, about, view__used(p->v, line)), text);
		canvas__put_right(p->c, place->x, y, place->width, column->why ? STYLE_DIM : style,
				  text);
	}
	draw_name(p, line, row, style, y);
}

int grid__draw_absent(const struct view_data *d, struct canvas *c, int y)
{
	const struct columns *all = d->columns;
	const char *why = NULL;
	int x = 0;

	for (size_t i = 0; i < all->nr; i++) {
		const struct column *column = &all->items[i];

		if (!column->why || (why && strcmp(column->why, why)))
			continue;
		x += canvas__put(c, x, y, c->width - x, STYLE_LABEL, why ? ", " : "Not known ");
		x += canvas__put(c, x, y, c->width - x, STYLE_DIM, column->title);
		why = column->why;
	}
	if (why)
		canvas__printf(c, x, y, c->width - x, STYLE_DIM, ": %s", why);
	return why != NULL;
}

void grid__draw(struct grid *g, const struct view *v, const struct view_data *d, struct canvas *c,
		int y, int height)
{
	const struct painter p = { g, v, d, c };

	g->y = y;
	g->height = height;
	place_columns(&p);
	g->first = canvas__scroll(g->first, v->at, grid__page(g), v->nr);
	draw_titles(&p);
	for (size_t i = g->first; i < v->nr && i < g->first + grid__page(g); i++)
		draw_row(&p, &v->lines[i], y + 1 + (int)(i - g->first));
	if (!view__selected(v))
		return;
	c->cursor_x = 0;
	c->cursor_y = y + 1 + (int)(v->at - g->first);
	canvas__paint(c, 0, c->cursor_y, c->width, STYLE_SELECTED);
}

enum grid_hit grid__hit(const struct grid *g, const struct view *v, int x, int y, size_t *index)
{
	if (y > g->y && y < g->y + g->height && g->first + (y - g->y - 1) < v->nr) {
		*index = g->first + (y - g->y - 1);
		return GRID_ROW;
	}
	for (size_t i = 0; y == g->y && i < g->nr_places; i++)
		if (x >= g->places[i].x && x < g->places[i].x + g->places[i].width) {
			*index = g->places[i].column;
			return GRID_TITLE;
		}
	return GRID_NOTHING;
}
