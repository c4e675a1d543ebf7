/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_otlp.h - what a receiver of OTLP answers: some of what it took may be rejected.
 */
#ifndef PMUTRACE_SERVE_PUSH_OTLP_H
#define PMUTRACE_SERVE_PUSH_OTLP_H

#include <stddef.h>
#include <stdint.h>

#include "serve/courier.h"

/*
 * *rejected: profiles that were not taken, 0 of nonsense, too; @text: the receiver's reason, one
 * line, if there are any.
 */
void push_otlp__read_answer(const void *bytes, size_t len, uint32_t *rejected,
			    char text[COURIER_TEXT + 1]);

#endif
