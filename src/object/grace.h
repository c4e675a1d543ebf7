/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/grace.h - wait until no BPF program that is running now is running any more.
 */
#ifndef PMUTRACE_OBJECT_GRACE_H
#define PMUTRACE_OBJECT_GRACE_H

#include "base/array.h"

/*
 * An RCU grace period: programs run inside RCU read-side sections, so whoever has read a
 * shared variable before the call has finished when it returns, and whoever starts later
 * sees what was written before. Takes 5 to 40 ms. 0 or -errno.
 */
int grace__wait(void) must_check;

#endif
