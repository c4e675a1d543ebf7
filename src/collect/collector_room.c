// SPDX-License-Identifier: BSD-2-Clause
/* What the result of a session may take of memory. */
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "collect/collector_state.h"

enum {
	NEAR_PERCENT = 25, /* what four fifths lack to the whole */
	/* Memory is summed up after so many new entries, or so many stacks and rows taken. */
	ENTRIES = 1024,
	TAKEN = 256,
};

static const uint64_t DEFAULT_BYTES = 1 << 30;
static const size_t WAIT_BYTES = 32 << 20, SYMBOL_BYTES = 512 << 20;

uint64_t collector__default_bytes(void)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	return machine / 4 < DEFAULT_BYTES ? machine / 4 : DEFAULT_BYTES;
}

static size_t lesser(uint64_t a, size_t b)
{
	return a < b ? a : b;
}

size_t collector__wait_bytes(const struct collector *c)
{
	return lesser(c->room.max_bytes / 4, WAIT_BYTES);
}

size_t collector__symbol_bytes(const struct collector *c)
{
	return lesser(c->room.max_bytes / 8 * 3 - collector__wait_bytes(c), SYMBOL_BYTES);
}

size_t collector__late_max(const struct collector *c)
{
	enum { BYTES = 4096, MOST = 1 << 18 }; /* with their names they take 150 bytes each */

	return lesser(c->room.max_bytes / BYTES, MOST);
}

static void tell(const struct collector *c, bool *told, const char *text, const char *more)
{
	if (!*told)
		log__notice("the result %s the half of --max-memory (%llu MB) that is its own%s",
			    text, (unsigned long long)c->room.max_bytes / 1000000, more);
	*told = true;
}

/* Nodes have 26 bits: collect/stacks.h. One stack brings a thousand at most. */
static bool has_many_nodes(const struct profile *p)
{
	enum { MORE_NODES = 1 << 20 };

	return p->nr_nodes + MORE_NODES > STACK_DROPPED;
}

/* Stacks come before their rows: a quarter of the profile's memory is kept for these. */
static bool stacks_fill(const struct collector *c, unsigned percent)
{
	const size_t max = c->room.max_bytes / 2;

	return c->by & (BY_KSTACK | BY_USTACK | BY_CALLER) &&
	       (profile__bytes(c->profile, percent) > max / 4 * 3 || has_many_nodes(c->profile));
}

static bool rows_fill(const struct collector *c, unsigned percent)
{
	return profile__bytes(c->profile, percent) > c->room.max_bytes / 2;
}

static void check_profile(struct collector *c)
{
	struct room *r = &c->room;

	if (!c->profile->sealed && stacks_fill(c, 0))
		profile__seal(c->profile, PROFILE_NO_STACKS);
	if (rows_fill(c, 0))
		profile__seal(c->profile, PROFILE_NOTHING);
	if (c->profile->sealed)
		tell(c, &r->told_full, "fills", ": what is new in it is lost from here on");
	else if (stacks_fill(c, NEAR_PERCENT) || rows_fill(c, NEAR_PERCENT))
		tell(c, &r->told_near, "takes four fifths of", "");
}

/* Forgets names that take more than their share; they are looked up again when needed. */
static int check_names(struct collector *c)
{
	struct namer *namer = tracker__namer(c->tracker);
	const size_t max = c->room.max_bytes / 16;
	const uint64_t nr = namer__nr_changes(namer);

	if (stacks__bytes(c->stacks) > max)
		stacks__forget(c->stacks);
	/* Summing up goes through all binaries and processes: only when there are new names. */
	if (nr - c->room.nr_names < ENTRIES)
		return 0;
	c->room.nr_names = nr;
	return namer__bytes(namer) > max ? namer__forget(namer) : 0;
}

int collector__keep_to_room(struct collector *c)
{
	struct room *r = &c->room;
	size_t nr = profile__nr(c->profile);

	if (nr - r->nr < ENTRIES && r->nr_taken++ < TAKEN)
		return 0;
	r->nr = nr;
	r->nr_taken = 0;
	check_profile(c);
	return check_names(c);
}
