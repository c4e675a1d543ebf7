// SPDX-License-Identifier: BSD-2-Clause
/* Formats messages and hands them to the thread's sink, or else to the program's. */
#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Where messages go. */
struct reader {
	log_sink sink;
	void *arg;
};

static struct reader current;
static _Thread_local struct reader of_thread;

void log__set_sink(log_sink sink, void *arg)
{
	current.sink = sink;
	current.arg = arg;
}

void log__set_thread_sink(log_sink sink, void *arg)
{
	of_thread.sink = sink;
	of_thread.arg = arg;
}

static void __attribute__((format(printf, 2, 0)))
emit(enum log_level level, const char *fmt, va_list ap)
{
	const struct reader *reader = of_thread.sink ? &of_thread : &current;
	char text[16384];

	if (!reader->sink)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	reader->sink(reader->arg, level, text);
}

void log__notice(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(LOG_NOTICE, fmt, ap);
	va_end(ap);
}

void log__debug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(LOG_DEBUG, fmt, ap);
	va_end(ap);
}
