/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/members.h - of many that use something, such as cgroups, those that are counted each for
 * itself; the rest is one, the others.
 *
 * However many there are, and whoever makes them: there are no more than so many series. What an
 * interval has used goes to one of them, to a member or to the others, and stays there: no sum goes
 * back, and all together are exact.
 *
 * Who comes is a member while there is room. Without room it takes the place of the member that
 * uses least, if it uses more than twice the CPU time of that, and if that has been one for
 * MEMBERS_STAY_S; use is a mean over some minutes. One that has ended leaves when its last sums
 * were read, at once where its place is wanted, else after MEMBERS_LINGER_S. Who ends in the
 * interval in which it began is none.
 */
#ifndef PMUTRACE_SERVE_MEMBERS_H
#define PMUTRACE_SERVE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"
#include "model/live.h"

enum { MEMBERS_STAY_S = 300, MEMBERS_LINGER_S = 60 };

struct metric_member {
	uint64_t id;
	char *name, *detail;	      /* members__name(); NULL: not yet */
	uint64_t values[LIVE_VALUES]; /* since it is one */
	uint64_t since_ns, used_ns;   /* when it began to be one, and used something last */
	uint64_t ended_ns;	      /* 0: it has not */
	double use;		      /* CPUs, in the mean */
	bool is_read;		      /* as it is since it has ended */
};

/* Zero-initialise but for the first ones. */
struct members {
	size_t max;
	bool names_differ; /* two of one name are one thing that came again, such as a service */
	size_t nr_values;

	struct metric_member *items;
	size_t nr, cap;
	uint64_t others[LIVE_VALUES];
	size_t nr_others;     /* that have used something in the last interval */
	uint64_t nr_replaced; /* members that had to make room */
	struct idmap places;  /* id -> index; also of some that are none any more */
};

void members__free(struct members *m);

/*
 * Adds an interval of @interval_ns that ends at @now_ns: @rows, which it sorts. 0 or -ENOMEM, then
 * the interval is lost.
 */
int members__add(struct members *m, struct live_rows *rows, uint64_t now_ns,
		 uint64_t interval_ns) must_check;

#define MEMBERS_NOBODY SIZE_MAX

/* Index of the member, or MEMBERS_NOBODY. Good until an interval is added, or one is named. */
size_t members__find(const struct members *m, uint64_t id);

/*
 * What a member is called from now on; copied. Where names differ, and another one is called that:
 * the two are one, and *i is its index. 0 or -ENOMEM.
 */
int members__name(struct members *m, size_t *i, const char *name, const char *detail) must_check;

/* Member @i is not there any more. */
void members__end(struct members *m, size_t i, uint64_t now_ns);

/* Sums were read: those that have ended may leave. */
void members__are_read(struct members *m);

#endif
