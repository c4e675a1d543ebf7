/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jail/warden.h - the process that forks readers, as its messages have it.
 */
#ifndef PMUTRACE_JAIL_WARDEN_H
#define PMUTRACE_JAIL_WARDEN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "jail/jail.h"

struct warden_request {
	enum { WARDEN_START, WARDEN_END } what;
	uint32_t reader; /* WARDEN_START: which; with its end of a socket */
	pid_t pid;	 /* WARDEN_END: a reader that was started */
};

struct warden_answer {
	int err; /* 0 or -errno */
	pid_t pid;
	int status; /* WARDEN_END: how it had ended, as wait(2) has it; if it was killed: SIGKILL */
};

/* Serves requests until the other end of @sock is closed. Never returns. */
_Noreturn void warden__run(int sock, const struct jail_reader *const *readers, size_t nr);

#endif
