/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/measuring.h - the part of a run in which strangers' files are read: everything is set up, and
 * the capabilities that set-up has used are given up.
 */
#ifndef PMUTRACE_CMD_MEASURING_H
#define PMUTRACE_CMD_MEASURING_H

#include "run/runloop.h"

/*
 * runloop__run(), with no more than @privileges (base/privileges.h) from its beginning on, also
 * after it. A command behind "--" that is prepared before has all that the user has. 0 or -errno.
 */
int measure_within(struct runloop *loop, uint64_t privileges,
		   const struct runloop_work *work) must_check;

#endif
