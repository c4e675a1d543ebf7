// SPDX-License-Identifier: BSD-2-Clause
/* Runs a loop with the capabilities that measuring goes on using. */
#include "cmd/measuring.h"

#include "base/privileges.h"
#include "perf/open.h"

int measure_within(struct runloop *loop, uint64_t privileges, const struct runloop_work *work)
{
	runloop__keep(loop,
		      privileges__with_level(privileges, perf_sysctl("perf_event_paranoid", -1)));
	return runloop__run(loop, work);
}
