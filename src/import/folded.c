// SPDX-License-Identifier: BSD-2-Clause
/* Reads lines of folded stacks; what a line has in common with the one before is found once. */
#include "import/folded.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "import/source.h"
#include "model/profile.h"

static const uint64_t COUNT_MAX = 1000000000000000000; /* of all stacks: sums do not overflow */

/* A frame of the line before: the text up to its end, and its node. */
struct step {
	size_t end;
	uint32_t node;
};

struct reader {
	struct profile *p;
	const struct folded_opts *o;
	struct folded_found *found;
	uint32_t root;	   /* that stacks begin at */
	struct buf before; /* the stack of the line before, and its frames */
	struct step *steps;
	size_t nr_steps, cap_steps;
	uint64_t nr_line, sum;
	size_t nr_unlooked; /* bytes of lines since memory was summed up */
	uint64_t nr_full;   /* samples without room */
	uint64_t nr_deep;   /* samples of stacks that were too deep */
};

static int add_frame(struct reader *r, uint32_t parent, const char *name, size_t len,
		     enum frame_kind kind, uint32_t *node)
{
	struct frame f = { .kind = kind };
	uint32_t frame;
	int err = profile__string(r->p, name, len, &f.name);

	if (!err)
		err = profile__frame(r->p, &f, &frame);
	return err ? err : profile__child(r->p, parent, frame, node);
}

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
		return add_frame(r, parent, "[unknown]", sizeof("[unknown]") - 1, kind, node);
	return add_frame(r, parent, name, len, kind, node);
}

/* Leaves the frames that this stack begins with, too. */
static void keep_common(struct reader *r, const char *stack, size_t len)
{
	const size_t least = len < r->before.len ? len : r->before.len;
	size_t common = 0, nr = 0;

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

		*is_deep = r->nr_steps == FOLDED_FRAMES;
		if (*is_deep)
			return add_frame(r, *node, "[truncated]", sizeof("[truncated]") - 1,
					 FRAME_NOTE, node);
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

/* Memory is summed up after so many bytes: it grows by far less than a quarter for them. */
static void look_at_room(struct reader *r, size_t len)
{
	enum { BYTES = 64 << 10, PERCENT = 25 };

	r->nr_unlooked += len;
	if (r->nr_unlooked < BYTES)
		return;
	r->nr_unlooked = 0;
	if (profile__bytes(r->p, PERCENT) > r->o->max_bytes)
		profile__seal(r->p, PROFILE_NOTHING);
}

static int add_stack(struct reader *r, const char *stack, size_t len, uint64_t count)
{
	struct row_key key = {};
	bool is_deep = false;
	int err = find_node(r, stack, len, &key.stack, &is_deep);

	if (!err && count)
		err = profile__add(r->p, &key, count, 0, NULL);
	buf__clear(&r->before);
	if (!err)
		err = buf__put(&r->before, stack, len);
	else
		r->nr_steps = 0;
	r->sum += count;
	if (err == -ENOSPC) {
		r->nr_full += count;
		return 0;
	}
	if (is_deep)
		r->nr_deep += count;
	return err;
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
		if (*count > COUNT_MAX)
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
	if (at < end || *count > COUNT_MAX - r->sum)
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

static int read_line(struct reader *r, char *line, size_t len)
{
	size_t stack = len;
	uint64_t count;

	if (!len)
		return 0;
	for (char *at = line; (at = memchr(at, '\0', line + len - at)); at++)
		*at = '?';
	if (!take_count(r, line, &stack, &count)) {
		if (!r->found->nr_bad++)
			r->found->first_bad = r->nr_line;
		return 0;
	}
	r->found->nr_stacks++;
	r->found->nr_two += ends_in_number(line, stack);
	look_at_room(r, len);
	return add_stack(r, line, stack, count);
}

static int begin(struct reader *r)
{
	static const struct profile_event samples = { .name = "samples", .unit = "" };
	struct profile *p = r->p;
	uint32_t id;
	int err = p->nr_events ? 0 : profile__event(p, &samples, &id);

	p->by |= BY_COMM | BY_KSTACK | BY_USTACK;
	p->losses.untold = true;
	if (err || !r->o->comm)
		return err;
	err = add_frame(r, 0, r->o->comm, strlen(r->o->comm), FRAME_COMM, &r->root);
	return err == -ENOSPC ? 0 : err;
}

static void end(struct reader *r)
{
	struct losses *l = &r->p->losses;
	struct loss full = { "memory_full", "no memory for new rows and stacks",
			     "--max-memory SIZE", false, r->nr_full };
	struct loss deep = { "stack_too_deep", "stacks cut at 4096 frames", NULL, true,
			     r->nr_deep };

	l->seen += r->sum;
	l->kept += r->sum - r->nr_full;
	if (full.n)
		losses__add(l, &full);
	if (deep.n)
		losses__add(l, &deep);
}

int import__folded(struct profile *p, struct source *s, const struct folded_opts *o,
		   struct folded_found *found)
{
	struct reader r = { .p = p, .o = o, .found = found, .sum = p->losses.seen };
	const uint64_t before = r.sum;
	size_t len;
	char *line;
	int err, n = 0;

	*found = (struct folded_found){};
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
	r.sum -= before;
	end(&r);
	free(r.steps);
	buf__free(&r.before);
	return err;
}
