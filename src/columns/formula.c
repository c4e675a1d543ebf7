// SPDX-License-Identifier: BSD-2-Clause
/* Parses formulas by recursive descent into postfix order, and computes them with a stack. */
#include "columns/formula.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/place.h"

enum { DIGITS_MAX = 15, EXPONENT_MAX = 22 }; /* 10^22 is the last that a double has exactly */

struct scan {
	struct formula *f;
	const char *text, *at;
	const struct formula_names *names;
	unsigned depth;
	struct buf *why;
};

/* Not those of <ctype.h>: a screen sets the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("_.:@", c));
}

static bool is_name_start(char c)
{
	return c == '_' || (is_name(c) && !is_digit(c) && !strchr(".:@", c));
}

size_t formula__name(const char *s)
{
	size_t len = 0;

	if (!is_name_start(s[0]))
		return 0;
	while (is_name(s[len]) || (s[len] == '-' && is_name(s[len + 1])))
		len++;
	return len;
}

static void skip_blanks(struct scan *s)
{
	s->at += strspn(s->at, " \t");
}

static int wrong(struct scan *s, const char *at, const char *what)
{
	int err = place__put(s->why, s->text, at);

	if (!err)
		err = buf__puts(s->why, what);
	return err ? err : -EINVAL;
}

static int put(struct formula *f, struct formula_op op, struct buf *why)
{
	const bool is_operand = op.type == FORMULA_NUMBER || op.type == FORMULA_VALUE;
	int err;

	if (f->nr == FORMULA_OPS || (is_operand && f->height == FORMULA_HEIGHT))
		return buf__puts(why, "the formula is too long") ? -ENOMEM : -EINVAL;
	err = array__grow(&f->ops, &f->cap, f->nr + 1);
	if (err)
		return err;
	f->ops[f->nr++] = op;
	if (is_operand)
		f->height++;
	else if (op.type != FORMULA_NEGATE)
		f->height--;
	return 0;
}

int formula__put_value(struct formula *f, uint32_t value, struct buf *why)
{
	return put(f, (struct formula_op){ .type = FORMULA_VALUE, .value = value }, why);
}

static int put_operator(struct scan *s, enum formula_type type)
{
	return put(s->f, (struct formula_op){ .type = type }, s->why);
}

/* Digits behind what *digits and *nr have already; false: more than a number may have. */
static bool take_digits(struct scan *s, uint64_t *digits, unsigned *nr)
{
	for (; is_digit(*s->at); s->at++) {
		*digits = *digits * 10 + (*s->at - '0');
		*nr += *digits > 0;
		if (*nr > DIGITS_MAX)
			return false;
	}
	return true;
}

/* -EINVAL: not of that form. */
static int take_exponent(struct scan *s, int *exponent)
{
	bool negative = s->at[1] == '-';
	uint64_t digits = 0;
	unsigned nr = 0;

	s->at += 1 + (negative || s->at[1] == '+');
	if (!is_digit(*s->at) || !take_digits(s, &digits, &nr) || digits > EXPONENT_MAX)
		return -EINVAL;
	*exponent += negative ? -(int)digits : (int)digits;
	return 0;
}

static int parse_number(struct scan *s)
{
	const char *start = s->at, *point;
	uint64_t digits = 0;
	unsigned nr = 0;
	int exponent = 0;
	double power = 1;
	bool fits = take_digits(s, &digits, &nr);

	if (fits && *s->at == '.') {
		point = ++s->at;
		fits = is_digit(*point) && take_digits(s, &digits, &nr);
		exponent = -(int)(s->at - point);
	}
	if (fits && (*s->at | 32) == 'e' && take_exponent(s, &exponent))
		fits = false;
	if (!fits || is_name(*s->at) || abs(exponent) > EXPONENT_MAX)
		return wrong(s, start, "not a number such as 1000, 0.5 or 1e6");
	for (int i = abs(exponent); i; i--)
		power *= 10;
	return put(s->f,
		   (struct formula_op){
			   .type = FORMULA_NUMBER,
			   .number = exponent < 0 ? (double)digits / power : (double)digits * power,
		   },
		   s->why);
}

static int put_name(struct scan *s, const char *at, const char *start, size_t len, bool quoted)
{
	struct buf said = {};
	char name[FORMULA_NAME];
	int err;

	if (!len || len >= sizeof(name))
		return wrong(s, at, len ? "the name is too long" : "a name is missing in ''");
	memcpy(name, start, len);
	name[len] = '\0';
	err = s->names->put(s->names->arg, s->f, name, quoted, &said);
	if (err == -EINVAL)
		err = wrong(s, at, said.data ? said.data : "not a name that is known");
	buf__free(&said);
	return err;
}

static int parse_name(struct scan *s)
{
	const char *start = s->at, *end;
	size_t len = formula__name(start);

	if (len) {
		s->at += len;
		return put_name(s, start, start, len, false);
	}
	if (*start != '\'')
		return wrong(s, start,
			     *start ? "a number, a name or ( is expected"
				    : "a number, a name or ( is missing");
	end = strchr(start + 1, '\'');
	if (!end)
		return wrong(s, start, "the quote has no end");
	s->at = end + 1;
	return put_name(s, start, start + 1, end - start - 1, true);
}

static int parse_sum(struct scan *s);

static int parse_parentheses(struct scan *s)
{
	const char *start = s->at++;
	int err;

	if (++s->depth > FORMULA_DEPTH)
		return wrong(s, start, "too many parentheses in each other");
	err = parse_sum(s);
	if (err)
		return err;
	s->depth--;
	if (*s->at != ')')
		return wrong(s, s->at, *s->at ? "an operator or ) is expected" : ") is missing");
	s->at++;
	return 0;
}

static int parse_factor(struct scan *s)
{
	bool negative = false;
	int err;

	for (skip_blanks(s); *s->at == '-'; skip_blanks(s)) {
		negative = !negative;
		s->at++;
	}
	if (*s->at == '(')
		err = parse_parentheses(s);
	else
		err = is_digit(*s->at) ? parse_number(s) : parse_name(s);
	if (!err && negative)
		err = put_operator(s, FORMULA_NEGATE);
	skip_blanks(s);
	return err;
}

static int parse_product(struct scan *s)
{
	int err = parse_factor(s);

	while (!err && (*s->at == '*' || *s->at == '/')) {
		bool divides = *s->at++ == '/';

		err = parse_factor(s);
		if (!err)
			err = put_operator(s, divides ? FORMULA_DIVIDE : FORMULA_MULTIPLY);
	}
	return err;
}

static int parse_sum(struct scan *s)
{
	int err = parse_product(s);

	while (!err && (*s->at == '+' || *s->at == '-')) {
		bool subtracts = *s->at++ == '-';

		err = parse_product(s);
		if (!err)
			err = put_operator(s, subtracts ? FORMULA_SUBTRACT : FORMULA_ADD);
	}
	return err;
}

int formula__parse(struct formula *f, const char *text, const struct formula_names *names,
		   struct buf *why)
{
	struct scan s = { .f = f, .text = text, .at = text, .names = names, .why = why };
	int err = parse_sum(&s);

	if (!err && *s.at)
		err = wrong(&s, s.at,
			    *s.at == ')' ? "there is no ( for this )"
					 : "an operator is expected: + - * /");
	return err;
}

static double apply(enum formula_type type, double a, double b)
{
	switch (type) {
	case FORMULA_ADD:
		return a + b;
	case FORMULA_SUBTRACT:
		return a - b;
	case FORMULA_MULTIPLY:
		return a * b;
	default:
		return b == 0 ? NAN : a / b;
	}
}

/* Operators have their operands: formula__parse() puts those first. */
double formula__compute(const struct formula *f, double (*value)(void *arg, uint32_t which),
			void *arg)
{
	double waiting[FORMULA_HEIGHT] = {}, last = NAN;
	size_t nr = 0; /* below the last */

	for (size_t i = 0; i < f->nr; i++) {
		const struct formula_op *op = &f->ops[i];

		if (op->type == FORMULA_NUMBER || op->type == FORMULA_VALUE) {
			waiting[nr++] = last;
			last = op->type == FORMULA_NUMBER ? op->number : value(arg, op->value);
		} else if (op->type == FORMULA_NEGATE) {
			last = -last;
		} else {
			last = apply(op->type, waiting[--nr], last);
		}
	}
	return isfinite(last) ? last : NAN;
}

void formula__free(struct formula *f)
{
	free(f->ops);
	*f = (struct formula){};
}
