// SPDX-License-Identifier: BSD-2-Clause
/* Takes bytes and time out of an allowance, and gives some back as time passes. */
#include "base/allowance.h"

#include <unistd.h>

#include "base/clock.h"

/*
 * The user of readers in a jail, and what the kernel says of owners that a user namespace does not
 * know: its files are nobody's own.
 */
enum { NOBODY = 65534 };

enum { REGAIN = 100 }; /* a hundredth of the time that passes is given back */

void allowance__init(struct allowance *a, uint64_t bytes, uint64_t ns)
{
	*a = (struct allowance){ .max_bytes = bytes ? bytes : ALLOWANCE_BYTES,
				 .max_ns = ns ? ns : ALLOWANCE_NS };
	a->bytes = a->max_bytes;
	a->ns = a->max_ns;
	a->seen_ns = clock__now_ns();
}

bool allowance__is_for(const struct stat *st)
{
	const bool ours = !st->st_uid || (st->st_uid == geteuid() && st->st_uid != NOBODY);

	return !ours || st->st_mode & S_IWOTH;
}

/* @left + @more, but at most @max. */
static uint64_t add(uint64_t left, double more, uint64_t max)
{
	return more < (double)(max - left) ? left + (uint64_t)more : max;
}

static void regain(struct allowance *a, uint64_t now_ns)
{
	double ns = (double)(now_ns - a->seen_ns) / REGAIN;

	a->ns = add(a->ns, ns, a->max_ns);
	a->bytes = add(a->bytes, ns * (double)a->max_bytes / (double)a->max_ns, a->max_bytes);
	a->seen_ns = now_ns;
}

static void take_time(struct allowance *a, uint64_t now_ns)
{
	uint64_t ns = now_ns - a->seen_ns;

	a->ns -= ns < a->ns ? ns : a->ns;
	a->seen_ns = now_ns;
}

void allowance__begin(struct allowance *a)
{
	if (!a || a->depth++)
		return;
	a->refused = false;
	regain(a, clock__now_ns());
}

void allowance__pause(struct allowance *a)
{
	if (a && !--a->depth)
		take_time(a, clock__now_ns());
}

void allowance__end(struct allowance *a)
{
	allowance__pause(a);
	if (a && !a->depth)
		a->nr_files_cut += a->refused;
}

bool allowance__spend(struct allowance *a, uint64_t bytes)
{
	if (!a)
		return true;
	if (a->depth)
		take_time(a, clock__now_ns());
	if (a->refused || !a->ns || bytes > a->bytes) {
		a->refused = true;
		return false;
	}
	a->bytes -= bytes;
	return true;
}

bool allowance__has_refused(const struct allowance *a)
{
	return a && a->refused;
}
