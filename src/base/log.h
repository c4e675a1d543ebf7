/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/log.h - what lower floors have to tell, without printing it themselves.
 *
 * The program decides where it goes (log__set_sink); by default nowhere. Notices are for the
 * user ("no PMU: sampling cpu-clock"), debug lines for -v.
 */
#ifndef PMUTRACE_BASE_LOG_H
#define PMUTRACE_BASE_LOG_H

enum log_level { LOG_NOTICE, LOG_DEBUG };

typedef void (*log_sink)(enum log_level level, const char *text);

void log__set_sink(log_sink sink);
void log__notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log__debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
