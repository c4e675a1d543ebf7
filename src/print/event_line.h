/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/event_line.h - how an event was measured, for formats that have room for nothing but names.
 *
 *	cycles:u (1029 samples, counted 50.0 % of the time; of all events 12 lost, some incomplete)
 *
 * Losses are known of the whole run; print/lossline.h has the reasons.
 */
#ifndef PMUTRACE_PRINT_EVENT_LINE_H
#define PMUTRACE_PRINT_EVENT_LINE_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct profile;

/* Appends it. @event: index into the profile's events. @noun: "sample". 0 or -ENOMEM. */
int print__event_line(struct buf *b, const struct profile *p, uint32_t event,
		      const char *noun) must_check;

#endif
