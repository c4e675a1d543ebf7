// SPDX-License-Identifier: BSD-2-Clause
/* Has instructions of a program's functions looked at. */
#include "lookup/lookup_code.h"

#include "lookup/lookup_reader.h"

/* A question that has one record for an answer, or none. */
static int ask_one(struct lookup_reader *reader, const char *path, const struct lookup_question *q,
		   struct lookup_record *out, bool *is_there, struct buf *why)
{
	const char *texts[LOOKUP_TEXTS];
	struct lookup_answer a;
	size_t at = 0;
	int err = lookup_reader__ask(reader, path, q, &a, why);

	*out = (struct lookup_record){};
	*is_there = false;
	if (err)
		return err;
	*is_there = lookup_answer__next(&a, &at, out, texts);
	lookup_answer__free(&a);
	return 0;
}

int lookup__check_place(struct lookup_reader *reader, const char *path, uint64_t offset,
			struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_PLACE, .offset = offset };
	struct lookup_record r;
	bool is_there;

	return ask_one(reader, path, &q, &r, &is_there, why);
}

int lookup__hazards(struct lookup_reader *reader, const char *path, unsigned *hazards,
		    bool *is_recent_go, struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_HAZARDS };
	struct lookup_record r;
	bool is_there;
	int err = ask_one(reader, path, &q, &r, &is_there, why);

	*hazards = r.flags;
	*is_recent_go = r.more;
	return err;
}

static int take_exits(const struct lookup_answer *a, struct exits *out)
{
	const char *texts[LOOKUP_TEXTS];
	struct lookup_record r;
	size_t at = 0;
	int err = 0;

	if (lookup_answer__next(a, &at, &r, texts)) {
		out->entry = r.offset;
		out->calls = r.flags & LOOKUP_CALLS;
		out->checks_stack = r.flags & LOOKUP_CHECKS_STACK;
	}
	while (!err && lookup_answer__next(a, &at, &r, texts)) {
		err = array__grow(&out->items, &out->cap, out->nr + 1);
		if (!err)
			out->items[out->nr++] = (struct exit_place){
				.offset = r.offset,
				.condition = r.condition,
				.unsure = r.flags & LOOKUP_UNSURE,
				.jump = r.flags & LOOKUP_JUMP,
			};
	}
	return err;
}

int lookup__exits(struct lookup_reader *reader, const char *path, uint64_t offset,
		  struct exits *out, struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_EXITS, .offset = offset };
	struct lookup_answer a;
	int err = lookup_reader__ask(reader, path, &q, &a, why);

	*out = (struct exits){};
	if (err)
		return err;
	err = take_exits(&a, out);
	lookup_answer__free(&a);
	if (err)
		exits__free(out);
	return err;
}

int lookup__go_entry(struct lookup_reader *reader, const char *path, const char *name,
		     uint64_t *offset, bool *is_there, struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_GO_ENTRY, .text = name };
	struct lookup_record r;
	int err = ask_one(reader, path, &q, &r, is_there, why);

	*offset = r.offset;
	return err;
}

int lookup__prologues(struct lookup_reader *reader, int fd, const char *path, struct prologues *out,
		      struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_PROLOGUES };
	const char *texts[LOOKUP_TEXTS];
	struct lookup_answer a;
	struct lookup_record r;
	size_t at = 0;
	int err = lookup_reader__ask_open(reader, fd, path, &q, &a, why);

	*out = (struct prologues){};
	if (err)
		return err;
	if (lookup_answer__next(&a, &at, &r, texts))
		*out = (struct prologues){ .functions = r.size, .kept = r.more };
	lookup_answer__free(&a);
	return 0;
}
