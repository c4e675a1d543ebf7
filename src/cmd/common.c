// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("pmutrace: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int complain_why(int err, const struct buf *why)
{
	complain("%s", why->len ? why->data : strerror(-err));
	return err == -EINVAL ? PMUTRACE_USAGE : PMUTRACE_FAIL;
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

static void print_log(enum log_level level, const char *text)
{
	complain("%s", text);
}

static void print_notices(enum log_level level, const char *text)
{
	if (level == LOG_NOTICE)
		complain("%s", text);
}

void log_to_stderr(bool quiet, bool verbose)
{
	log__set_sink(verbose ? print_log : quiet ? NULL : print_notices);
}
