/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/courier_run.h - the courier's own life (serve/courier.h), and what it is told.
 *
 * Its first message says whether it can do anything: a text says why not. Then each request, which
 * comes with a file, has one answer.
 */
#ifndef PMUTRACE_SERVE_COURIER_RUN_H
#define PMUTRACE_SERVE_COURIER_RUN_H

#include "serve/courier.h"

struct courier_request {
	char auth[COURIER_AUTH];
};

_Noreturn void courier__run(int sock, const struct courier_opts *opts);

#endif
