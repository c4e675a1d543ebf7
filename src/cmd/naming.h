/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/naming.h - the end of a run that samples: sampling stops, names are waited for.
 */
#ifndef PMUTRACE_CMD_NAMING_H
#define PMUTRACE_CMD_NAMING_H

#include <stdbool.h>

#include "base/array.h"
#include "collect/collector.h"
#include "run/runloop.h"

/*
 * Ends sampling, waits for names as long as the user does, and completes the profile. @tells: a
 * line of progress on the terminal, for those who wait. 0 or -errno.
 */
int naming__finish(struct collector *c, struct runloop *loop, bool tells) must_check;

#endif
