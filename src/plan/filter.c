// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parses the expression of a filter: &&, || and ! of comparisons.
 *
 * Each part becomes a truth table at once: a bit for each combination of the comparisons' results.
 * &&, || and ! are then operations on bits.
 */
#include "plan/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/place.h"
#include "plan/filter_term.h"

enum { DEPTH_MAX = 32 }; /* nested parentheses */

struct truth {
	uint64_t words[FILTER_TRUTH_WORDS];
};

static bool skip(struct filter_parser *p, const char *word)
{
	filter__skip_blanks(p);
	if (strncmp(p->at, word, strlen(word)))
		return false;
	p->at += strlen(word);
	return true;
}

/* The truth table of a comparison alone: combinations whose bit @term is 1. */
static struct truth truth_of(unsigned term)
{
	struct truth t = {};

	for (unsigned i = 0; i < 1u << FILTER_TERMS; i++)
		t.words[i / 64] |= (uint64_t)(i >> term & 1) << (i % 64);
	return t;
}

static void negate(struct truth *t)
{
	for (size_t i = 0; i < FILTER_TRUTH_WORDS; i++)
		t->words[i] = ~t->words[i];
}

static int parse_any(struct filter_parser *p, struct truth *out);

/* Refuses text behind a comparison that does not go on with && or ||. */
static int refuse_rest(struct filter_parser *p)
{
	if (*p->at == ')')
		return filter__refuse(p, p->at, "a ')' without its '('");
	if (*p->at == '&' || !strncmp(p->at, "and ", 4))
		return filter__refuse(p, p->at, "write '&&' for: both have to hold");
	if (*p->at == '|' || !strncmp(p->at, "or ", 3))
		return filter__refuse(p, p->at, "write '||' for: one of them has to hold");
	return filter__refuse(p, p->at, "'&&' or '||' is missing in front of this");
}

static int parse_parentheses(struct filter_parser *p, struct truth *out)
{
	const char *open = p->at++;
	int err;

	if (p->depth == DEPTH_MAX)
		return filter__refuse(p, open,
				      "more than %d '(' in each other: leave some of them out",
				      DEPTH_MAX);
	err = buf__puts(p->kernel, "(");
	if (err)
		return err;
	p->depth++;
	err = parse_any(p, out);
	p->depth--;
	if (!err && skip(p, ")"))
		return buf__puts(p->kernel, ")");
	if (err)
		return err;
	return *p->at ? refuse_rest(p) : filter__refuse(p, open, "a '(' without its ')'");
}

static int parse_one(struct filter_parser *p, struct truth *out)
{
	bool no = false, negated;
	unsigned term;
	int err;

	while (skip(p, "!"))
		no = !no;
	err = no ? buf__puts(p->kernel, "!") : 0;
	if (err)
		return err;
	if (*p->at == '(') {
		err = parse_parentheses(p, out);
		if (err)
			return err;
	} else {
		err = filter__comparison(p, &term, &negated);
		if (err)
			return err;
		*out = truth_of(term);
		no ^= negated;
	}
	if (no)
		negate(out);
	return 0;
}

static int parse_all(struct filter_parser *p, struct truth *out)
{
	struct truth next;
	int err = parse_one(p, out);

	while (!err && skip(p, "&&")) {
		err = buf__puts(p->kernel, " && ");
		if (!err)
			err = parse_one(p, &next);
		for (size_t i = 0; !err && i < FILTER_TRUTH_WORDS; i++)
			out->words[i] &= next.words[i];
	}
	return err;
}

static int parse_any(struct filter_parser *p, struct truth *out)
{
	struct truth next;
	int err = parse_all(p, out);

	while (!err && skip(p, "||")) {
		err = buf__puts(p->kernel, " || ");
		if (!err)
			err = parse_all(p, &next);
		for (size_t i = 0; !err && i < FILTER_TRUTH_WORDS; i++)
			out->words[i] |= next.words[i];
	}
	return err;
}

/* Stores the table, for as many comparisons as there are. */
static int take_truth(struct filter_parser *p, const struct truth *t)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < 1u << p->out->nr; i++)
		p->out->truth[i / 64] |= t->words[i / 64] & 1ull << (i % 64);
	for (size_t i = 0; i < FILTER_TRUTH_WORDS; i++)
		any |= p->out->truth[i];
	if (any)
		return 0;
	return filter__refuse(p, p->text, "the filter contradicts itself: nothing can pass it");
}

static int parse(struct filter_parser *p)
{
	struct truth truth;
	int err;

	filter__skip_blanks(p);
	if (!*p->at)
		return filter__refuse(p, p->at, "the filter is empty; write FIELD == VALUE");
	err = parse_any(p, &truth);
	if (!err && *p->at)
		err = refuse_rest(p);
	return err ? err : take_truth(p, &truth);
}

int filter__compile(struct filter_cfg *out, const char *text, struct fields *fields,
		    struct buf *kernel, struct buf *why)
{
	struct buf sentence = {}, words = {};
	struct filter_parser p = {
		.out = out,
		.fields = fields,
		.kernel = &words,
		.sentence = &sentence,
		.text = text,
		.at = text,
	};
	int err, full = 0;

	*out = (struct filter_cfg){};
	err = parse(&p);
	if (!err && kernel && !p.beyond_kernel)
		err = buf__puts(kernel, words.data);
	if (p.bad && err != -ENOMEM)
		full = place__put(why, text, p.bad);
	if (!full && err != -ENOMEM && sentence.len)
		full = buf__puts(why, sentence.data);
	buf__free(&sentence);
	buf__free(&words);
	return full ? full : err;
}
