// SPDX-License-Identifier: BSD-2-Clause
/* Has the code of a profile named, and tells how much of it was. */
#include "cmd/report_names.h"

#include <errno.h>

#include "base/log.h"
#include "base/why.h"
#include "cmd/readers.h"
#include "collect/resolve.h"
#include "model/profile.h"
#include "sym/debuginfod.h"

bool report_names__wanted(const struct report_names_opts *o)
{
	return o->resolve || o->debuginfod || o->symfs;
}

int report_names__open(struct report_names *n, const struct report_names_opts *o, struct buf *why)
{
	const struct debuginfod_opts servers = debuginfod__environment();

	if (!report_names__wanted(o))
		return 0;
	n->jail = readers__open();
	return o->debuginfod ? debuginfod__open(&n->debuginfod, &servers, why) : 0;
}

void report_names__close(struct report_names *n)
{
	debuginfod__close(n->debuginfod);
	readers__close(n->jail, NULL);
}

static void tell(const struct resolve_found *f)
{
	if (!f->nr_nameless)
		log__notice("all addresses had names before");
	else
		log__notice("%llu of %llu addresses without a name have one now",
			    (unsigned long long)f->nr_named, (unsigned long long)f->nr_nameless);
	if (f->nr_untold)
		log__notice("%llu addresses are in files whose build-id is not known",
			    (unsigned long long)f->nr_untold);
}

int report_names__give(const struct report_names *n, const struct report_names_opts *o,
		       struct profile **p, struct buf *why)
{
	const struct resolve_opts opts = { .jail = n->jail,
					   .debuginfod = n->debuginfod,
					   .symfs = o->symfs,
					   .demangle = !o->no_demangle,
					   .inlines = !o->no_inline };
	struct resolve_found found;
	struct profile *named;
	int err;

	if (!report_names__wanted(o))
		return 0;
	if (!profile__has_places(*p))
		return why__refuse(
			why, -EPROTO,
			"the files do not tell where code is, so that it could be named: "
			"captures (profile -o x.pmut) and profiles of pprof do");
	err = resolve__names(&named, *p, &opts, &found);
	if (err)
		return err;
	profile__free(*p);
	*p = named;
	tell(&found);
	return 0;
}
