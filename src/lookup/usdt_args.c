// SPDX-License-Identifier: BSD-2-Clause
/* Parses the operands of USDT arguments, of x86_64 and of arm64. */
#include "lookup/usdt_args.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/registers.h"

enum { OPERAND_MAX = 128 }; /* bytes, with its end; real ones have fewer than 32 */

/* Why an operand is not to be had; what follows "it is ". */
#define VARIABLE "a variable at an address of the program"
#define INDEXED	 "an element of an array, found by an index"
#define THREAD	 "a variable of the thread"
#define VECTOR	 "in a register of vectors"
#define UNKNOWN	 "of an unknown form"

/* The number that begins at *@at, decimal or 0x, with a sign or not; *@at moves behind it. */
static bool take_number(const char **at, int64_t *out)
{
	const char *digits = *at + (**at == '-' || **at == '+');
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return false;
	errno = 0;
	v = strtoull(digits, &end, 0);
	if (errno)
		return false;
	*out = (int64_t)(**at == '-' ? -v : v);
	*at = end;
	return true;
}

/* The register whose name begins at *@at. */
static bool take_register(unsigned machine, const char **at, struct cpu_register *out)
{
	size_t len = 0;
	char name[8];

	while (isalnum((unsigned char)(*at)[len]))
		len++;
	if (!len || len >= sizeof(name))
		return false;
	memcpy(name, *at, len);
	name[len] = '\0';
	*at += len;
	return registers__find(machine, name, out);
}

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

/* Bytes above those asked for are cut off; the rest is widened with the sign or zeros. */
static int64_t cut(int64_t v, const struct usdt_arg *a)
{
	unsigned unused = 64 - 8 * a->size;
	uint64_t high = (uint64_t)v << unused;

	return a->is_signed ? (int64_t)high >> unused : (int64_t)(high >> unused);
}

static const char *constant(const char *s, struct usdt_arg *a)
{
	int64_t v;

	if (!take_number(&s, &v) || *s)
		return UNKNOWN;
	a->kind = USDT_CONSTANT;
	a->value = cut(v, a);
	return NULL;
}

/* A part of a register has what it has: %al of an int is 1 byte. */
static const char *in_register(const struct cpu_register *r, struct usdt_arg *a)
{
	a->kind = USDT_REGISTER;
	a->at = r->at;
	if (a->size > r->size)
		a->size = r->size;
	return NULL;
}

static const char *in_memory(const struct cpu_register *base, int64_t offset, struct usdt_arg *a)
{
	if (base->size != 8 || offset != (int32_t)offset)
		return UNKNOWN;
	a->kind = USDT_MEMORY;
	a->at = base->at;
	a->value = offset;
	return NULL;
}

/* "-16(%rbp)" from its '(' on. */
static const char *x86_memory(const char *s, int64_t offset, struct usdt_arg *a)
{
	struct cpu_register base;

	if (strchr(s, ','))
		return INDEXED;
	if (!strcmp(s, "(%rip)"))
		return VARIABLE;
	if (strncmp(s, "(%", 2))
		return UNKNOWN;
	s += 2;
	if (!take_register(EM_X86_64, &s, &base) || strcmp(s, ")"))
		return UNKNOWN;
	return in_memory(&base, offset, a);
}

/* NULL, or what it is that cannot be had. */
static const char *x86_operand(const char *s, struct usdt_arg *a)
{
	struct cpu_register r;
	int64_t offset = 0;

	if (*s == '$')
		return constant(s + 1, a);
	if (*s == '%') {
		s++;
		if (!strncmp(s, "fs:", 3) || !strncmp(s, "gs:", 3))
			return THREAD;
		if (!strncmp(s, "xmm", 3) || !strncmp(s, "ymm", 3))
			return VECTOR;
		return take_register(EM_X86_64, &s, &r) && !*s ? in_register(&r, a) : UNKNOWN;
	}
	if (*s != '(' && !take_number(&s, &offset))
		return isalpha((unsigned char)*s) || *s == '_' || *s == '.' ? VARIABLE : UNKNOWN;
	if (!*s)
		return VARIABLE;
	return *s == '(' ? x86_memory(s, offset, a) : UNKNOWN;
}

/* "sp, 60]": behind the '['. */
static const char *arm64_memory(const char *s, struct usdt_arg *a)
{
	struct cpu_register base;
	int64_t offset = 0;

	skip_blanks(&s);
	if (!take_register(EM_AARCH64, &s, &base))
		return UNKNOWN;
	skip_blanks(&s);
	if (*s == ',') {
		s++;
		skip_blanks(&s);
		if (*s == 'x' || *s == 'w')
			return INDEXED;
		if (*s == ':')
			return VARIABLE;
		s += *s == '#';
		if (!take_number(&s, &offset))
			return UNKNOWN;
		skip_blanks(&s);
	}
	return strcmp(s, "]") ? UNKNOWN : in_memory(&base, offset, a);
}

static const char *arm64_operand(const char *s, struct usdt_arg *a)
{
	struct cpu_register r;

	if (*s == '[')
		return arm64_memory(s + 1, a);
	if (*s == '#')
		return constant(s + 1, a);
	if (!strcmp(s, "xzr") || !strcmp(s, "wzr"))
		return constant("0", a);
	if (strchr("bhsdqv", *s) && isdigit((unsigned char)s[1]))
		return VECTOR;
	if (isalpha((unsigned char)*s) || *s == '_' || *s == '.')
		return take_register(EM_AARCH64, &s, &r) && !*s ? in_register(&r, a) : VARIABLE;
	return constant(s, a);
}

/* Where the argument at @s ends: at a blank that is not inside of brackets, or the text's end. */
static size_t argument_len(const char *s)
{
	size_t len;
	int depth = 0;

	for (len = 0; s[len] && (depth > 0 || !isblank((unsigned char)s[len])); len++) {
		if (s[len] == '(' || s[len] == '[')
			depth++;
		else if (s[len] == ')' || s[len] == ']')
			depth--;
	}
	return len;
}

/* The n-th argument's text; NULL: there are fewer. */
static const char *argument(const char *s, size_t n, size_t *len)
{
	for (;; s += *len, n--) {
		skip_blanks(&s);
		*len = argument_len(s);
		if (!*len)
			return NULL;
		if (!n)
			return s;
	}
}

size_t usdt_args__nr(const char *args)
{
	size_t nr = 0, len;

	for (skip_blanks(&args); *args; nr++) {
		len = argument_len(args);
		args += len;
		skip_blanks(&args);
	}
	return nr;
}

/* "-4@" and what is behind it. */
static const char *parse(unsigned machine, const char *s, struct usdt_arg *out)
{
	int64_t size;

	*out = (struct usdt_arg){ .is_signed = *s == '-' };
	if (!take_number(&s, &size))
		return UNKNOWN;
	if (*s == 'f')
		return "a floating point number";
	if (*s != '@' || size < -8 || size > 8)
		return UNKNOWN;
	out->size = (uint8_t)(out->is_signed ? -size : size);
	if (!out->size || out->size & (out->size - 1))
		return UNKNOWN;
	return machine == EM_X86_64 ? x86_operand(s + 1, out) : arm64_operand(s + 1, out);
}

int usdt_args__find(unsigned machine, const char *args, size_t n, struct usdt_arg *out,
		    struct buf *why)
{
	char text[OPERAND_MAX];
	const char *s, *what = UNKNOWN;
	size_t len;

	s = argument(args, n, &len);
	if (!s)
		return -ENOENT;
	if (len < sizeof(text)) {
		memcpy(text, s, len);
		text[len] = '\0';
		what = parse(machine, text, out);
	}
	if (!what)
		return 0;
	return buf__printf(why,
			   "argument %zu of the probe, '%.*s', cannot be had: it is %s. Constants, "
			   "registers and what they point to can",
			   n, (int)(len < sizeof(text) ? len : sizeof(text)), s, what)
		       ? -ENOMEM
		       : -EINVAL;
}
