// SPDX-License-Identifier: BSD-2-Clause
/* What all commands print: messages, limits, notices, help; and the length of a run. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/visible.h"

void complain(const char *fmt, ...)
{
	struct buf line = {};
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	/* Messages have names of files, tasks and functions, which may have control characters. */
	if (n < 0 || visible__put_message(&line, text, n))
		fprintf(stderr, "pmutrace: %s\n", strerror(ENOMEM));
	else
		fprintf(stderr, "pmutrace: %s\n", line.data);
	buf__free(&line);
	if (n >= 0)
		free(text);
}

/* The second half of "too many open files: the limit is ..": the first has been said. */
static const char *behind_colon(const char *sentence)
{
	const char *colon = strstr(sentence, ": ");

	return colon ? colon + 2 : sentence;
}

int complain_why(int err, const struct buf *why)
{
	struct buf limit = {};
	const bool is_known = !limits__explain(&limit, err) && limit.len;

	if (is_known && !why->len)
		complain("%s", limit.data);
	else if (is_known && !strstr(why->data, "limit"))
		complain("%s; %s", why->data, behind_colon(limit.data));
	else if (why->len || err != -EPIPE)
		complain("%s", why->len ? why->data : strerror(-err));
	buf__free(&limit);
	return err == -EINVAL ? PMUTRACE_USAGE : PMUTRACE_FAIL;
}

void complain_limit(int err)
{
	struct buf limit = {};

	if (!limits__explain(&limit, err) && limit.len)
		complain("%s", limit.data);
	buf__free(&limit);
}

int complain_unwritten(const char *where, int err)
{
	if (err != -EPIPE)
		complain("cannot write %s: %s", where, strerror(-err));
	complain_limit(err);
	return PMUTRACE_FAIL;
}

int cmd_words__duration(const struct cmd_words *words, uint64_t option_ns, uint64_t *duration_ns,
			struct buf *why)
{
	const char *first = option_ns ? "--duration" : NULL;
	int err;

	*duration_ns = option_ns;
	for (int i = 0; i < words->nr; i++) {
		const char *word = words->word[i];

		if (parse__time(word, 1000000000, duration_ns) || !*duration_ns)
			err = buf__printf(why,
					  "unexpected '%s': the only argument here is a duration; "
					  "a command goes behind --",
					  word);
		else if (first)
			err = buf__printf(why, "%s and %s: one duration is enough", first, word);
		else {
			first = word;
			continue;
		}
		return err ? err : -EINVAL;
	}
	return 0;
}

void print_help(const struct cmd *cmd)
{
	printf("Usage: pmutrace %s %s%s\n\n%s\n", cmd->name, cmd->opts ? "[options] " : "",
	       cmd->args, cmd->summary);
	if (cmd->opts)
		opt__help(cmd->opts, stdout);
	if (cmd->examples)
		printf("\nExamples:\n%s", cmd->examples);
}

static void print_log(void *arg, enum log_level level, const char *text)
{
	complain("%s", text);
}

static void print_notices(void *arg, enum log_level level, const char *text)
{
	if (level == LOG_NOTICE)
		complain("%s", text);
}

void log_to_stderr(bool quiet, bool verbose)
{
	log__set_sink(verbose ? print_log : quiet ? NULL : print_notices, NULL);
}
