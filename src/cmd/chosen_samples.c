// SPDX-License-Identifier: BSD-2-Clause
/* Reads files and takes of their samples those that options choose. */
#include "cmd/chosen_samples.h"

#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "base/why.h"
#include "cmd/report_files.h"
#include "collect/collector.h"
#include "model/profile.h"

int chosen_samples__open(struct selection **selection, const struct chosen_samples_opts *o,
			 struct buf *why)
{
	*selection = NULL;
	if (o->to_ns && o->to_ns <= o->from_ns)
		return why__refuse(why, -EINVAL, "--to is not behind --from");
	return selection__open(selection, &o->selection, why);
}

/* 0: all is wanted. */
static uint64_t range_end(const struct chosen_samples_opts *o)
{
	return o->from_ns && !o->to_ns ? UINT64_MAX : o->to_ns;
}

int chosen_samples__read(struct profile *p, struct source *s, const struct chosen_samples_opts *o,
			 const struct chosen_samples_way *way, bool *lost, struct buf *why)
{
	const struct report_files_opts opts = {
		.no_comm = o->no_comm,
		.places = way->places,
		.tells = !way->quiet && isatty(STDERR_FILENO),
		.from_ns = o->from_ns,
		.to_ns = range_end(o),
		.max_bytes = o->max_memory ? o->max_memory : collector__default_bytes(),
	};

	return report_files__read(p, s, &opts, lost, why);
}

int chosen_samples__select(struct profile **some, struct selection *selection,
			   const struct profile *all, const char *name, struct buf *why)
{
	const char *unknown = selection__unknown(selection, all);
	int err;

	*some = NULL;
	if (!selection__selects(selection))
		return 0;
	if (unknown)
		return why__refuse(why, -EPROTO,
				   "%s: the files do not tell: a capture of profile --by comm,%s "
				   "does",
				   unknown, unknown + 2);
	err = selection__look(selection, all);
	if (err)
		return err;
	*some = profile__like(all);
	if (!*some)
		return -ENOMEM;
	err = profile__merge_some(*some, all, selection__wants, selection);
	if (!err)
		log__notice("%s%s%llu of %llu samples are selected", name ? name : "",
			    name ? ": " : "", (unsigned long long)(*some)->losses.kept,
			    (unsigned long long)all->losses.kept);
	return err;
}
