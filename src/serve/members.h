/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/members.h - of many that use something, such as cgroups, those that are counted each for
 * itself; the rest is one, the others.
 *
 * However many there are, and whoever makes them: at one time there are no more than so many
 * series. Who is the same is called the same, and has the same number: a service that is started
 * again goes on with its sums. What an interval has used goes to one of them, to a member or to the
 * others, and stays there: no sum goes back, and all together are exact.
 *
 * Who comes is a member while there is room. Without room it takes the place of the member that
 * uses least, if it has used more than twice as much as that for the last MEMBERS_DECIDE_S, and if
 * that has been one for MEMBERS_STAY_S. Members that have ended leave MEMBERS_LINGER_S after
 * their last sums were read. Nobody leaves before the sums were read: members__are_read(). Who ends
 * in the interval in which it began, and who has no name, is none.
 */
#ifndef PMUTRACE_SERVE_MEMBERS_H
#define PMUTRACE_SERVE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"
#include "serve/exemplars.h"

enum { MEMBERS_STAY_S = 300, MEMBERS_LINGER_S = 60, MEMBERS_DECIDE_S = 10 };

struct metric_member {
	char *name, *detail; /* of metric_use */
	uint64_t number;
	uint64_t *values;	    /* since it is one */
	uint64_t since_ns, used_ns; /* when it began to be one, and used something last */
	uint64_t ended_ns;	    /* 0: it has not */
	uint64_t read_ns;	    /* when that was read for the first time since; 0: it was not */
	struct exemplars exemplars; /* since it is one; by the numbers that its owner gives them */
	double use;		    /* of values[0], in a nanosecond, in the mean of some minutes */
	uint64_t key;		    /* private */
};

/* What one has used in an interval. */
struct metric_use {
	const char *name;   /* by which it is known; NULL: it is not */
	const char *detail; /* what else there is to say, as of now; not NULL */
	uint64_t number;    /* another one of the same name has another one: a process */
	bool has_ended;	    /* in this interval */
	const uint64_t
		*values; /* values[0]: how much, by which members are chosen: CPU time, hits */
	const struct exemplar *exemplars; /* of the interval; go where the values go */
	size_t nr_exemplars;
};

/* Zero-initialise but for the first ones. */
struct members {
	size_t max;
	size_t nr_values;

	struct metric_member *items;
	size_t nr, cap;
	uint64_t *others; /* values; NULL before the first interval */
	struct exemplars other_exemplars;
	size_t nr_others;     /* that have used something in the last interval */
	uint64_t nr_replaced; /* members that had to make room */

	/* Private. */
	struct idmap places; /* key -> index; also of some that are none any more */
	bool is_read;	     /* since the last interval */
	uint64_t read_ns, decided_ns;
	struct idmap waiting; /* key -> index: who was none since it was decided */
	uint64_t *waited;     /* how much each has used */
	size_t nr_waiting, cap_waiting;
};

void members__free(struct members *m);

/*
 * Adds an interval of @interval_ns that ends at @now_ns; sorts @uses. 0 or -ENOMEM: then the
 * interval is lost.
 */
int members__add(struct members *m, struct metric_use *uses, size_t nr, uint64_t now_ns,
		 uint64_t interval_ns) must_check;

/* Member @i is not there any more. When it uses something again, it is. */
void members__end(struct members *m, size_t i, uint64_t now_ns);

/* Sums were read, as they are now. */
void members__are_read(struct members *m, uint64_t now_ns);

/* Index of a member, or MEMBERS_NOBODY; until an interval is added. */
#define MEMBERS_NOBODY SIZE_MAX
size_t members__find(const struct members *m, const char *name, uint64_t number);

#endif
