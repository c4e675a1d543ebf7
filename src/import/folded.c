// SPDX-License-Identifier: BSD-2-Clause
/* Reads lines of folded stacks; what a line has in common with the one before is found once. */
#include "import/folded.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "import/intake.h"
#include "import/source.h"
#include "model/folded_head.h"

/* A frame of the line before: the text up to its end, and its node. */
struct step {
	size_t end;
	uint32_t node;
};

struct reader {
	struct intake in;
	const struct folded_opts *o;
	struct folded_found *found;
	uint32_t *events; /* whose counts a line has: one, unless a head tells several */
	uint64_t *counts; /* of the line */
	size_t nr_events, cap_events, cap_counts;
	bool has_head;
	uint32_t root;	   /* that stacks begin at */
	struct buf before; /* the stack of the line before, and its frames */
	struct step *steps;
	size_t nr_steps, cap_steps;
	uint64_t nr_line;
};

static bool is_note(const char *name, size_t len)
{
	static const char *const notes[] = { "[truncated]", "[callers missing]" };

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (strlen(notes[i]) == len && !memcmp(notes[i], name, len))
			return true;
	return false;
}

/* What the ending of a name says, which is left out then. */
static enum frame_kind kind_of(const char *name, size_t *len)
{
	enum { ENDING = 4 }; /* "_[k]" */
	const char *ending = name + *len - ENDING;
	enum frame_kind kind;

	if (is_note(name, *len))
		return FRAME_NOTE;
	if (*len <= ENDING || ending[0] != '_' || ending[1] != '[' || ending[3] != ']')
		return FRAME_USER;
	switch (ending[2]) {
	case 'k':
		kind = FRAME_KERNEL;
		break;
	case 'j':
		kind = FRAME_JIT;
		break;
	case 'i':
		kind = FRAME_INLINED;
		break;
	default:
		return FRAME_USER;
	}
	*len -= ENDING;
	return kind;
}

/* A stack's first frame is its command, unless that is known. */
static int add_named(struct reader *r, uint32_t parent, const char *name, size_t len,
		     uint32_t *node)
{
	enum frame_kind kind = FRAME_COMM;

	if (r->nr_steps || r->o->comm)
		kind = kind_of(name, &len);
	if (!len)
		return intake__child(&r->in, parent, "[unknown]", sizeof("[unknown]") - 1, kind,
				     node);
	return intake__child(&r->in, parent, name, len, kind, node);
}

/* Leaves the frames that this stack begins with, too. */
static void keep_common(struct reader *r, const char *stack, size_t len)
{
	const size_t least = len < r->before.len ? len : r->before.len;
	size_t common = 0, nr = 0;
	uint64_t one, two;

	for (; common + sizeof(one) <= least; common += sizeof(one)) {
		memcpy(&one, stack + common, sizeof(one));
		memcpy(&two, r->before.data + common, sizeof(two));
		if (one != two)
			break;
	}
	while (common < least && stack[common] == r->before.data[common])
		common++;
	while (nr < r->nr_steps && r->steps[nr].end <= common &&
	       (r->steps[nr].end == len || stack[r->steps[nr].end] == ';'))
		nr++;
	r->nr_steps = nr;
}

/* *node: the stack's. 0; -ENOSPC: no room; -ENOMEM. */
static int find_node(struct reader *r, const char *stack, size_t len, uint32_t *node, bool *is_deep)
{
	size_t begin = 0;
	int err;

	keep_common(r, stack, len);
	*node = r->root;
	if (r->nr_steps) {
		*node = r->steps[r->nr_steps - 1].node;
		begin = r->steps[r->nr_steps - 1].end + 1;
	}
	while (begin <= len) {
		const char *end = memchr(stack + begin, ';', len - begin);
		const size_t nr = end ? (size_t)(end - stack) - begin : len - begin;

		*is_deep = r->nr_steps == INTAKE_FRAMES;
		if (*is_deep)
			return intake__truncated(&r->in, *node, node);
		err = array__grow(&r->steps, &r->cap_steps, r->nr_steps + 1);
		if (!err)
			err = add_named(r, *node, stack + begin, nr, node);
		if (err)
			return err;
		begin += nr;
		r->steps[r->nr_steps++] = (struct step){ begin, *node };
		begin++;
	}
	return 0;
}

static int add_stack(struct reader *r, const char *stack, size_t len)
{
	struct row_key key = {};
	bool is_deep = false;
	int err = find_node(r, stack, len, &key.stack, &is_deep), failed = 0;

	buf__clear(&r->before);
	if (err)
		r->nr_steps = 0;
	else
		err = buf__put(&r->before, stack, len);
	for (size_t i = 0; i < r->nr_events && !failed; i++) {
		key.event = r->events[i];
		failed = intake__add(&r->in, &key, r->counts[i], 0, is_deep, err);
	}
	return failed;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * The count behind the last blank, rounded; *len: without it and the blanks before. False: there is
 * none, or it is too large.
 */
static bool take_count(struct reader *r, const char *line, size_t *len, uint64_t *count)
{
	size_t end = *len, at;
	bool rounded = false;

	while (end && line[end - 1] == ' ')
		end--;
	at = end;
	while (at && line[at - 1] != ' ')
		at--;
	if (at < 2 || at == end)
		return false;
	*len = at - 1;
	for (*count = 0; at < end && is_digit(line[at]); at++) {
		*count = *count * 10 + (line[at] - '0');
		if (*count > INTAKE_MAX)
			return false;
	}
	if (at < end) {
		if (line[at++] != '.' || at == end || !is_digit(line[at - 2]))
			return false;
		*count += is_digit(line[at]) && line[at] >= '5';
		while (at < end && is_digit(line[at]))
			at++;
		rounded = true;
	}
	if (at < end || *count > INTAKE_MAX - r->in.sum)
		return false;
	while (*len && line[*len - 1] == ' ')
		--*len;
	r->found->nr_rounded += rounded && *len;
	return *len;
}

/* "main 12" of "main 12 15": what difffolded.pl writes, or a name that ends so. */
static bool ends_in_number(const char *stack, size_t len)
{
	size_t at = len;

	while (at && is_digit(stack[at - 1]))
		at--;
	return at < len && at && stack[at - 1] == ' ';
}

static int add_event(struct reader *r, const char *name, size_t len)
{
	int err = array__grow(&r->events, &r->cap_events, r->nr_events + 1);

	if (!err)
		err = array__grow(&r->counts, &r->cap_counts, r->nr_events + 1);
	if (err)
		return err;
	err = intake__event(&r->in, name, len, "", &r->events[r->nr_events++]);
	return err == -ENOSPC ? 0 : err;
}

/* The names between tabs. 1: it is no head. */
static int read_head(struct reader *r, const char *line, size_t len)
{
	const size_t begin = sizeof(FOLDED_HEAD_BEGIN) - 1, behind = sizeof(FOLDED_HEAD_END) - 1;
	const char *at = line + begin, *end = line + len - behind;
	size_t nr = 0;
	int err = 0;

	if (len <= begin + behind || memcmp(line, FOLDED_HEAD_BEGIN, begin) ||
	    memcmp(end, FOLDED_HEAD_END, behind))
		return 1;
	for (const char *tab = at; (tab = memchr(tab, '\t', end - tab)); tab++)
		if (++nr == INTAKE_EVENTS)
			return 1;
	r->nr_events = 0;
	r->has_head = true;
	while (at <= end && !err) {
		const char *tab = memchr(at, '\t', end - at);
		const char *stop = tab ? tab : end;

		err = add_event(r, at, stop - at);
		at = stop + 1;
	}
	return err;
}

/* All counts that a line has to have, the last one first; *len: without them. */
static bool take_counts(struct reader *r, const char *line, size_t *len)
{
	uint64_t sum = r->in.sum;

	for (size_t i = r->nr_events; i-- > 0;) {
		if (!take_count(r, line, len, &r->counts[i]) || r->counts[i] > INTAKE_MAX - sum)
			return false;
		sum += r->counts[i];
	}
	return true;
}

static int read_line(struct reader *r, char *line, size_t len)
{
	size_t stack = len;
	int err = 0;

	if (!len)
		return 0;
	for (char *at = line; (at = memchr(at, '\0', line + len - at)); at++)
		*at = '?';
	if (*line == '#') {
		intake__look_at_room(&r->in, len);
		err = read_head(r, line, len);
		if (err != 1)
			return err;
		err = 0;
	}
	if (!r->nr_events)
		err = add_event(r, "samples", sizeof("samples") - 1);
	if (err)
		return err;
	if (!take_counts(r, line, &stack)) {
		if (!r->found->nr_bad++)
			r->found->first_bad = r->nr_line;
		return 0;
	}
	r->found->nr_stacks++;
	r->found->nr_two += !r->has_head && ends_in_number(line, stack);
	intake__look_at_room(&r->in, len);
	return add_stack(r, line, stack);
}

static int begin(struct reader *r)
{
	const char *comm = r->o->comm;
	int err = 0;

	if (comm)
		err = intake__child(&r->in, 0, comm, strlen(comm), FRAME_COMM, &r->root);
	return err == -ENOSPC ? 0 : err;
}

int import__folded(struct profile *p, struct source *s, const struct folded_opts *o,
		   struct folded_found *found)
{
	struct reader r = { .o = o, .found = found };
	size_t len;
	char *line;
	int err, n = 0;

	*found = (struct folded_found){};
	intake__begin(&r.in, p, o->max_bytes);
	err = begin(&r);
	while (!err && (n = source__line(s, &line, &len))) {
		r.nr_line++;
		if (n == 1)
			err = read_line(&r, line, len);
		else if (n != -EMSGSIZE)
			err = n;
		else if (!found->nr_bad++)
			found->first_bad = r.nr_line;
	}
	intake__end(&r.in);
	free(r.steps);
	free(r.events);
	free(r.counts);
	buf__free(&r.before);
	return err;
}
