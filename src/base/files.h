/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/files.h - how many files this process may have open (RLIMIT_NOFILE): an event for each CPU,
 * or an object for each function, are soon more than the 1024 that shells hand down.
 */
#ifndef PMUTRACE_BASE_FILES_H
#define PMUTRACE_BASE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* Raises the soft limit to the hard one, unless it has room for @need files beside the usual. */
void files__raise_limit(size_t need);

/*
 * The soft limit, and setting it back to that before a further command is started: it would inherit
 * a raised one, and select(2) takes no descriptors beyond FD_SETSIZE. 0: not known; nothing is set.
 */
uint64_t files__limit(void);
void files__set_limit(uint64_t limit);

/* Whether @nr further files can be opened now: 0, -EMFILE, -ENFILE or -ENOMEM. */
int files__check_room(size_t nr) must_check;

#endif
