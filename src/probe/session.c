// SPDX-License-Identifier: BSD-2-Clause
/* What sessions of all kinds tell in the same words. */
#include "probe/session.h"

#include "base/log.h"

void session__add_loss(struct losses *l, struct loss loss, uint64_t n)
{
	loss.n = n;
	if (n)
		losses__add(l, &loss);
}

void session__tell_dropped(uint64_t children)
{
	if (children)
		log__notice("%llu new processes were not followed: more than 16384 at once",
			    (unsigned long long)children);
}

void session__close(struct session *s)
{
	if (s->impl)
		s->fns->close(s->impl);
	*s = (struct session){};
}
