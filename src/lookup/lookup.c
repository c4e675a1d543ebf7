// SPDX-License-Identifier: BSD-2-Clause
/* Has functions of a program or library looked up. */
#include "lookup/lookup.h"

#include "lookup/lookup_reader.h"

static struct lookup_function function_of(const struct lookup_record *r,
					  const char *const texts[LOOKUP_TEXTS])
{
	return (struct lookup_function){
		.name = texts[LOOKUP_NAME],
		.offset = r->offset,
		.size = r->size,
		.skip = r->more,
		.is_alias = r->flags & LOOKUP_IS_ALIAS,
	};
}

int lookup__function(struct lookup_reader *reader, const char *path, const char *symbol,
		     struct lookup_function *out, struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_FUNCTION, .text = symbol };
	const char *texts[LOOKUP_TEXTS];
	struct lookup_answer a;
	struct lookup_record r;
	size_t at = 0;
	int err = lookup_reader__ask(reader, path, &q, &a, why);

	*out = (struct lookup_function){};
	if (err)
		return err;
	if (lookup_answer__next(&a, &at, &r, texts))
		*out = function_of(&r, texts);
	lookup_answer__free(&a);
	return 0;
}

int lookup__each_function(struct lookup_reader *reader, const char *path, const char *glob,
			  lookup_function_fn *fn, void *arg, struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_FUNCTIONS, .text = glob };
	const char *texts[LOOKUP_TEXTS];
	struct lookup_function f;
	struct lookup_answer a;
	struct lookup_record r;
	size_t at = 0;
	int err = lookup_reader__ask(reader, path, &q, &a, why);

	if (err)
		return err;
	while (!err && lookup_answer__next(&a, &at, &r, texts)) {
		f = function_of(&r, texts);
		err = fn(&f, arg);
	}
	lookup_answer__free(&a);
	return err;
}

int lookup__explain_no_function(struct lookup_reader *reader, const char *path, const char *glob,
				struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_NO_FUNCTION, .text = glob };
	struct lookup_answer a;
	int err = lookup_reader__ask(reader, path, &q, &a, why);

	if (!err)
		lookup_answer__free(&a);
	return err;
}
