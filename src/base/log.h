/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/log.h - messages of the lower layers, which never print themselves.
 *
 * The program decides where it goes (log__set_sink); by default nowhere. Notices are for the
 * user ("no PMU: sampling cpu-clock"), debug lines for -v.
 */
#ifndef PMUTRACE_BASE_LOG_H
#define PMUTRACE_BASE_LOG_H

enum log_level { LOG_NOTICE, LOG_DEBUG };

typedef void (*log_sink)(void *arg, enum log_level level, const char *text);

/* NULL: nowhere. @arg: the sink's own, borrowed until another one is set. */
void log__set_sink(log_sink sink, void *arg);

/* The same for messages of the calling thread alone; NULL: they go to the program's sink. */
void log__set_thread_sink(log_sink sink, void *arg);

void log__notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log__debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
