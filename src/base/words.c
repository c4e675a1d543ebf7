// SPDX-License-Identifier: BSD-2-Clause
/* Divides a line into words as sh(1) does it. */
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static const char blanks[] = " \t\r\n";

/* What stands in single quotes, or in double quotes, behind the first of them. */
static int take_quoted(const char **at, char quote, struct buf *word)
{
	int err = 0;

	for (; **at && **at != quote && !err; ++*at) {
		if (quote == '"' && **at == '\\' && (*at)[1] && strchr("\"\\$`", (*at)[1]))
			++*at;
		err = buf__put(word, *at, 1);
	}
	if (err)
		return err;
	if (!**at)
		return -EINVAL;
	++*at;
	return 0;
}

static int take_word(const char **at, struct buf *word)
{
	int err = buf__puts(word, "");

	while (!err && **at && !strchr(blanks, **at)) {
		const char c = *(*at)++;

		if (c == '\'' || c == '"')
			err = take_quoted(at, c, word);
		else if (c != '\\')
			err = buf__put(word, &c, 1);
		else if (**at)
			err = buf__put(word, (*at)++, 1);
		else
			err = -EINVAL;
	}
	return err;
}

void words__free(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}

static int add_word(const char **at, char ***words, size_t *cap, size_t *nr)
{
	struct buf word = {};
	int err = array__grow(words, cap, *nr + 2);

	if (!err)
		err = take_word(at, &word);
	if (err) {
		buf__free(&word);
		return err;
	}
	(*words)[(*nr)++] = word.data;
	(*words)[*nr] = NULL;
	return 0;
}

int words__split(const char *text, char ***words, size_t *nr)
{
	size_t cap = 0;
	int err;

	*words = NULL;
	*nr = 0;
	err = array__grow(words, &cap, 1);
	if (err)
		return err;
	**words = NULL;
	for (text += strspn(text, blanks); *text && !err; text += strspn(text, blanks))
		err = add_word(&text, words, &cap, nr);
	if (err) {
		words__free(*words);
		*words = NULL;
		*nr = 0;
	}
	return err;
}
