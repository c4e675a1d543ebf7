// SPDX-License-Identifier: BSD-2-Clause
/* Makes a live view of the tasks of a profile, each with values of 0. */
#include "live/top_uncounted.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "base/clock.h"

static void tell(struct live_about *about, const struct profile *samples)
{
	struct utsname name;

	about->at_ns = clock__wall_ns();
	about->interval_ns = samples->duration_ns;
	about->nr_cpus = samples->nr_cpus;
	if (uname(&name))
		return;
	snprintf(about->host, sizeof(about->host), "%.*s", (int)sizeof(about->host) - 1,
		 name.nodename);
	snprintf(about->kernel, sizeof(about->kernel), "%.*s", (int)sizeof(about->kernel) - 1,
		 name.release);
}

int top_uncounted__fill(struct live *live, const struct profile *samples)
{
	const uint64_t nothing[LIVE_VALUES] = {};
	int err = 0;

	live__next(live);
	tell(live__about(live), samples);
	for (size_t i = 0; i < samples->nr_rows && !err; i++) {
		const struct row_key *key = &samples->rows[i].key;
		struct live_task t = { .tgid = key->pid, .tid = key->tid };

		snprintf(t.comm, sizeof(t.comm), "%.*s", (int)sizeof(t.comm) - 1,
			 profile__comm(samples, key->stack));
		err = live__add(live, &t, 0, nothing);
	}
	return err;
}
