// SPDX-License-Identifier: BSD-2-Clause
/* Filters, sorts and draws the functions of a profile; keeps the one that is selected. */
#include "tui/funcs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "model/treepath.h"

enum { SHARE_WIDTH = 7, SAMPLES_WIDTH = 9, MODULE_WIDTH = 18, WIDE = 70 };

void funcs__free(struct funcs *f)
{
	functions__free(f->all);
	free(f->lines);
	*f = (struct funcs){};
}

static const char *name_of(const struct funcs *f, const struct function *fn)
{
	const char *name = strtab__get(f->profile->strings, f->profile->frames[fn->frame].name);

	return *name ? name : "[unknown]";
}

static const char *module_of(const struct funcs *f, const struct function *fn)
{
	return strtab__get(f->profile->strings, f->profile->frames[fn->frame].module);
}

static bool has_word(const struct funcs *f, const struct function *fn, const char *word)
{
	return strcasestr(name_of(f, fn), word) || strcasestr(module_of(f, fn), word);
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct function *x = *(const struct function *const *)a;
	const struct function *y = *(const struct function *const *)b;
	const struct funcs *f = arg;
	uint64_t m = f->sort == FUNCS_TOTAL ? x->total : x->self;
	uint64_t n = f->sort == FUNCS_TOTAL ? y->total : y->self;
	int order = (m < n) - (m > n);

	/* Ties stay in the order of functions__new(): by self, total and name. */
	return order ? f->invert ? -order : order : (x > y) - (x < y);
}

/* Commands are the outermost frames: shown only if they have samples without a stack. */
static bool is_wanted(const struct funcs *f, const struct function *fn)
{
	if (f->profile->frames[fn->frame].kind == FRAME_COMM && !fn->self)
		return false;
	return !f->filter[0] || has_word(f, fn, f->filter);
}

static uint64_t key_of(const struct funcs *f, size_t line)
{
	return treepath__frame_key(f->profile, f->lines[line]->frame);
}

static void find_selection(struct funcs *f)
{
	for (size_t i = 0; f->has_selected && i < f->nr; i++)
		if (key_of(f, i) == f->selected) {
			f->at = i;
			return;
		}
	if (f->at >= f->nr)
		f->at = f->nr ? f->nr - 1 : 0;
}

int funcs__fill(struct funcs *f, const struct profile *p, const struct scope *scope)
{
	int err = 0;

	functions__free(f->all);
	f->all = NULL;
	f->nr = 0;
	f->profile = p;
	if (!p || !p->nr_events)
		return 0;
	err = functions__new(&f->all, p, f->event, scope);
	if (!err)
		err = array__grow(&f->lines, &f->cap, f->all->nr + 1);
	if (err)
		return err;
	for (size_t i = 0; i < f->all->nr; i++)
		if (is_wanted(f, &f->all->by[i]))
			f->lines[f->nr++] = &f->all->by[i];
	if (f->nr > 1)
		qsort_r(f->lines, f->nr, sizeof(*f->lines), compare, f);
	find_selection(f);
	return 0;
}

const struct function *funcs__selected(const struct funcs *f)
{
	if (!f->nr || (f->has_selected && key_of(f, f->at) != f->selected))
		return NULL;
	return f->lines[f->at];
}

void funcs__select(struct funcs *f, size_t line)
{
	if (!f->nr)
		return;
	f->at = line < f->nr ? line : f->nr - 1;
	f->selected = key_of(f, f->at);
	f->has_selected = true;
}

void funcs__let_go(struct funcs *f)
{
	if (f->nr && !funcs__selected(f))
		f->has_selected = false;
}

void funcs__move(struct funcs *f, long lines)
{
	funcs__select(f, lines < 0 && (size_t)-lines > f->at ? 0 : f->at + lines);
}

bool funcs__search(struct funcs *f, const char *word, size_t from)
{
	for (size_t i = 0; i < f->nr; i++) {
		size_t line = (from + i) % f->nr;

		if (!has_word(f, f->lines[line], word))
			continue;
		funcs__select(f, line);
		return true;
	}
	return false;
}

size_t funcs__page(const struct funcs *f)
{
	return f->height > 2 ? f->height - 1 : 1;
}

static void draw_titles(const struct funcs *f, struct canvas *c)
{
	static const char *const titles[FUNCS_SORTS] = { "SELF%", "TOTAL%" };
	const char *mark = c->is_ascii ? f->invert ? "^" : "v" : f->invert ? "▲" : "▼";
	int x = 1;

	canvas__paint(c, 0, f->y, c->width, STYLE_TITLE);
	for (int i = 0; i < FUNCS_SORTS; i++, x += SHARE_WIDTH + 1) {
		enum style style = i == (int)f->sort ? STYLE_SORTED : STYLE_TITLE;
		char text[16];

		snprintf(text, sizeof(text), "%s%s", i == (int)f->sort ? mark : "", titles[i]);
		canvas__put_right(c, x, f->y, SHARE_WIDTH, style, text);
	}
	canvas__put_right(c, x, f->y, SAMPLES_WIDTH, STYLE_TITLE, "SAMPLES");
	x += SAMPLES_WIDTH + 2;
	if (c->width >= WIDE) {
		canvas__put(c, x, f->y, MODULE_WIDTH, STYLE_TITLE, "MODULE");
		x += MODULE_WIDTH + 1;
	}
	canvas__put(c, x, f->y, c->width - x, STYLE_TITLE, "FUNCTION");
}

static void draw_row(const struct funcs *f, const struct function *fn, struct canvas *c, int y)
{
	const uint64_t shares[FUNCS_SORTS] = { fn->self, fn->total };
	char text[24];
	int x = 1;

	for (int i = 0; i < FUNCS_SORTS; i++, x += SHARE_WIDTH + 1) {
		snprintf(text, sizeof(text), "%.1f", 100.0 * shares[i] / f->all->samples);
		canvas__put_right(c, x, y, SHARE_WIDTH, STYLE_PLAIN, text);
	}
	snprintf(text, sizeof(text), "%" PRIu64, shares[f->sort]);
	canvas__put_right(c, x, y, SAMPLES_WIDTH, STYLE_PLAIN, text);
	x += SAMPLES_WIDTH + 2;
	if (c->width >= WIDE) {
		canvas__put(c, x, y, MODULE_WIDTH, STYLE_DIM, module_of(f, fn));
		x += MODULE_WIDTH + 1;
	}
	x += canvas__put(c, x, y, c->width - x, STYLE_PLAIN, name_of(f, fn));
	if (f->profile->frames[fn->frame].kind == FRAME_INLINED)
		canvas__put(c, x, y, c->width - x, STYLE_DIM, " [i]");
}

void funcs__draw(struct funcs *f, struct canvas *c, int y, int height)
{
	f->y = y;
	f->height = height;
	f->first = canvas__scroll(f->first, f->at, funcs__page(f), f->nr);
	draw_titles(f, c);
	for (size_t i = f->first; i < f->nr && i < f->first + funcs__page(f); i++)
		draw_row(f, f->lines[i], c, y + 1 + (int)(i - f->first));
	if (!f->nr) {
		canvas__put(c, 1, y + 1, c->width, STYLE_DIM, f->profile ? f->empty : f->missing);
		return;
	}
	if (!funcs__selected(f))
		return;
	c->cursor_x = 0;
	c->cursor_y = y + 1 + (int)(f->at - f->first);
	canvas__paint(c, 0, c->cursor_y, c->width, STYLE_SELECTED);
}

bool funcs__hit(const struct funcs *f, int x, int y, enum funcs_sort *sort, size_t *line)
{
	*sort = FUNCS_SORTS;
	if (y == f->y && x >= 1 && x < 1 + FUNCS_SORTS * (SHARE_WIDTH + 1)) {
		*sort = (x - 1) / (SHARE_WIDTH + 1);
		return true;
	}
	*line = f->first + (y - f->y - 1);
	return y > f->y && y < f->y + f->height && *line < f->nr;
}
