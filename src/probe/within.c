// SPDX-License-Identifier: BSD-2-Clause
/* Loads the programs of --within and attaches them to a function's entry and return. */
#include "probe/within.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "object/bpf.h"
#include "object/sites.h"
#include "within.wire.h"

#include "within.skel.h" /* needs the types of the above */

struct within {
	struct within_bpf *skel;
	struct bpf_link *followers[3];
	struct sites entry, leave;
};

/* Loads the programs for one way of sites.h. */
static int load(struct within *w, const struct within_opts *opts, enum sites_way way,
		struct buf *why)
{
	const struct perf_site *site = &opts->entry->site;
	enum bpf_attach_type type = (enum bpf_attach_type)site__multi_type(site, way);
	int err;

	w->skel = within_bpf__open();
	if (!w->skel)
		return -errno;
	w->skel->rodata->cfg.is_user = site__is_user(site);
	w->skel->rodata->cfg.decoded = opts->nr_exits > 0;
	err = bpf_map__set_max_entries(w->skel->maps.within, WITHIN_TASKS);
	/* No call of a kernel function returns in a forked child: fork need not be followed. */
	if (!err && !site__is_user(site))
		err = bpf_program__set_autoload(w->skel->progs.within_fork, false);
	if (!err && way == SITES_MULTI)
		err = bpf_program__set_expected_attach_type(w->skel->progs.within_entry, type);
	if (!err && way == SITES_MULTI)
		err = bpf_program__set_expected_attach_type(w->skel->progs.within_return, type);
	if (!err)
		err = within_bpf__load(w->skel);
	return err ? bpf__explain_load(why, err, NULL) : 0;
}

static int follow(struct within *w, struct buf *why)
{
	struct bpf_program *programs[] = { w->skel->progs.within_fork, w->skel->progs.within_exec,
					   w->skel->progs.within_free };
	int err = 0;

	_Static_assert(ARRAY_SIZE(programs) == ARRAY_SIZE(w->followers), "one for each");
	for (size_t i = 0; i < ARRAY_SIZE(programs) && !err; i++)
		err = bpf__follow(&w->followers[i], programs[i], why);
	return err;
}

/* Attaches the return first, so that a call whose entry is seen has its return seen. */
static int attach(struct within *w, const struct within_opts *opts, enum sites_way way,
		  struct buf *why)
{
	const struct sites_opts sites = { .env = opts->env, .target = opts->target };
	size_t nr = opts->nr_exits ? opts->nr_exits : 1;
	struct sites_probe *leaves = calloc(nr, sizeof(*leaves));
	const struct sites_probe entry = { .event = opts->entry };
	int err = leaves ? follow(w, why) : -ENOMEM;

	for (size_t i = 0; leaves && i < nr; i++)
		leaves[i].event = opts->nr_exits ? opts->exits[i].event : opts->leave;
	if (!err)
		err = sites__attach(&w->leave, way, bpf_program__fd(w->skel->progs.within_return),
				    false, leaves, nr, &sites, why);
	free(leaves);
	if (!err)
		err = sites__attach(&w->entry, way, bpf_program__fd(w->skel->progs.within_entry),
				    false, &entry, 1, &sites, why);
	return err;
}

static int open_way(struct within **out, const struct within_opts *opts, enum sites_way way,
		    struct buf *why)
{
	struct within *w = calloc(1, sizeof(*w));
	int err = w ? load(w, opts, way, why) : -ENOMEM;

	if (!err)
		err = attach(w, opts, way, why);
	if (err) {
		within__close(w);
		return err;
	}
	*out = w;
	return 0;
}

/* Opens the session in the first way that works; if none does, @why is from the last. */
int within__open(struct within **out, const struct within_opts *opts, struct buf *why)
{
	int err = -EINVAL;

	*out = NULL;
	for (enum sites_way way = SITES_MULTI; way < SITES_WAYS; way++) {
		if (!site__has_way(&opts->entry->site, way) ||
		    !site__has_way(&opts->leave->site, way))
			continue;
		buf__clear(why);
		err = open_way(out, opts, way, why);
		if (!err || err == -ENOMEM || err == -EPERM || err == -EACCES)
			break;
	}
	return err;
}

void within__close(struct within *w)
{
	if (!w)
		return;
	sites__detach(&w->entry);
	sites__detach(&w->leave);
	for (size_t i = 0; i < ARRAY_SIZE(w->followers); i++)
		bpf_link__destroy(w->followers[i]);
	within_bpf__destroy(w->skel);
	free(w);
}

int within__fd(const struct within *w)
{
	return bpf_map__fd(w->skel->maps.within);
}

void within__stats(const struct within *w, struct within_stats *out)
{
	const volatile struct within_control *control = &w->skel->bss->control;

	*out = (struct within_stats){
		.left = control->left,
		.dropped = control->dropped,
		.missed = bpf__missed(bpf_program__fd(w->skel->progs.within_entry)) +
			  bpf__missed(bpf_program__fd(w->skel->progs.within_return)) +
			  sites__missed(&w->entry) + sites__missed(&w->leave),
	};
}
