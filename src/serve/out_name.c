// SPDX-License-Identifier: BSD-2-Clause
/* Names of files: made of a time, a number and a label, and told from other names. */
#include "serve/out_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DIGITS	"0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char SAFE[] = LETTERS DIGITS "._-";

enum {
	STAMP = 16, /* "20261127T113000Z" */
	NUMBER = 6, /* digits at least */
	NUMBER_MAX = 10,
	YEAR_10000 = 10000 - 1900,
};

static bool is_ending(const char *ending)
{
	const size_t len = strlen(ending);

	return len && len <= OUT_NAME_ENDING && *ending != '.' && strspn(ending, SAFE) == len;
}

static bool put_stamp(char out[STAMP + 1], uint64_t begin_s)
{
	const time_t t = (time_t)begin_s;
	struct tm tm;

	return t >= 0 && gmtime_r(&t, &tm) && tm.tm_year < YEAR_10000 &&
	       strftime(out, STAMP + 1, "%Y%m%dT%H%M%SZ", &tm) == STAMP;
}

static void make_safe(char out[OUT_NAME_WHOSE + 1], const char *whose)
{
	size_t len = strnlen(whose, OUT_NAME_WHOSE);

	for (size_t i = 0; i < len; i++)
		out[i] = strchr(SAFE, whose[i]) ? whose[i] : '_';
	if (!len)
		out[len++] = '_';
	out[len] = '\0';
}

int out_name__make(char out[OUT_NAME], const struct out_name *name)
{
	char stamp[STAMP + 1], whose[OUT_NAME_WHOSE + 1];

	if (!is_ending(name->ending) || !put_stamp(stamp, name->begin_s))
		return -EINVAL;
	make_safe(whose, name->whose);
	snprintf(out, OUT_NAME, "%s-%0*u-%s.%s", stamp, NUMBER, name->number, whose, name->ending);
	return 0;
}

/* A time that its text is told back from is one that there is. */
static bool parse_stamp(const char *text, uint64_t *begin_s)
{
	char again[STAMP + 1];
	struct tm tm = {};
	time_t t;

	for (size_t i = 0; i < STAMP; i++)
		if (i == 8 ? text[i] != 'T' : i == 15 ? text[i] != 'Z' : !strchr(DIGITS, text[i]))
			return false;
	if (sscanf(text, "%4d%2d%2dT%2d%2d%2dZ", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
		   &tm.tm_min, &tm.tm_sec) != 6)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	t = timegm(&tm);
	*begin_s = (uint64_t)t;
	return t >= 0 && put_stamp(again, *begin_s) && !memcmp(again, text, STAMP);
}

static bool parse_number(const char *text, size_t digits, uint32_t *number)
{
	unsigned long long n;

	if (digits < NUMBER || digits > NUMBER_MAX || (digits > NUMBER && *text == '0') ||
	    sscanf(text, "%10llu", &n) != 1 || n > UINT32_MAX)
		return false;
	*number = (uint32_t)n;
	return true;
}

bool out_name__parse(const char *text, const char *ending, struct out_name *out)
{
	const size_t len = strlen(text), tail = strlen(ending) + 1;
	size_t digits, whose;

	*out = (struct out_name){};
	if (len >= OUT_NAME || len < STAMP + 1 + NUMBER + 1 + 1 + tail ||
	    !parse_stamp(text, &out->begin_s) || text[STAMP] != '-')
		return false;
	text += STAMP + 1;
	digits = strspn(text, DIGITS);
	if (!parse_number(text, digits, &out->number) || text[digits] != '-')
		return false;
	text += digits + 1;
	whose = strlen(text);
	if (whose <= tail || whose - tail > OUT_NAME_WHOSE || strspn(text, SAFE) != whose)
		return false;
	return text[whose - tail] == '.' && !strcmp(text + whose - tail + 1, ending);
}
