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

/* Takes what the hard limit gives, unless @need more than are usual are allowed already. */
void files__raise_limit(size_t need);

/*
 * Its value, and back to that: before a further command is started, which may use select(2) and
 * must not get more than FD_SETSIZE. 0: not known, and left alone.
 */
uint64_t files__limit(void);
void files__set_limit(uint64_t limit);

/* Whether @nr further files can be opened now: 0, -EMFILE, -ENFILE or -ENOMEM. */
int files__check_room(size_t nr) must_check;

#endif
