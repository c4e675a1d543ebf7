// SPDX-License-Identifier: BSD-2-Clause
/* Tells kinds of files apart, has each read by its reader, and tells what was found. */
#include "cmd/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/why.h"
#include "import/folded.h"
#include "import/perf_script.h"
#include "import/source.h"

/* What every reader tells of a file. */
struct found {
	uint64_t nr_stacks;
	uint64_t nr_bad, first_bad;
};

struct kind {
	const char *what; /* that a file should be */
	bool (*is_it)(const char *text, size_t len);
	int (*read)(struct profile *p, struct source *s, const struct report_files_opts *o,
		    struct found *found);
};

/* "x.folded" of "/tmp/x.folded.gz" is what stacks without a command are of. */
static void name_of(const char *path, char comm[64])
{
	const char *slash = strrchr(path, '/');

	snprintf(comm, 64, "%s", slash ? slash + 1 : path);
}

static void tell_counts(const char *name, const struct folded_found *found)
{
	if (found->nr_rounded)
		log__notice("%s: %llu counts have decimals, and are rounded", name,
			    (unsigned long long)found->nr_rounded);
	if (found->nr_stacks > 1 && found->nr_two == found->nr_stacks)
		log__notice(
			"%s: all lines have two counts: the last one was taken, the first is in "
			"names",
			name);
}

/* A file in which lines that are no stacks are the half or more is none of its kind. */
static bool is_refused(const struct found *found)
{
	return found->nr_stacks <= found->nr_bad;
}

static void tell_bad_lines(const char *name, const struct found *found)
{
	if (found->nr_bad && !is_refused(found))
		log__notice("%s: %llu lines are no stacks, and left out; the first is line %llu",
			    name, (unsigned long long)found->nr_bad,
			    (unsigned long long)found->first_bad);
}

static int read_folded(struct profile *p, struct source *s, const struct report_files_opts *o,
		       struct found *found)
{
	const char *name = source__name(s);
	char comm[64];
	const struct folded_opts opts = {
		.comm = o->no_comm ? comm : NULL,
		.max_bytes = o->max_bytes,
	};
	struct folded_found f;
	int err;

	name_of(name, comm);
	err = import__folded(p, s, &opts, &f);
	*found = (struct found){ f.nr_stacks, f.nr_bad, f.first_bad };
	tell_bad_lines(name, found);
	if (!is_refused(found))
		tell_counts(name, &f);
	return err;
}

static int read_perf_script(struct profile *p, struct source *s, const struct report_files_opts *o,
			    struct found *found)
{
	const struct perf_script_opts opts = { .max_bytes = o->max_bytes };
	struct perf_script_found f;
	int err = import__perf_script(p, s, &opts, &f);

	*found = (struct found){ f.nr_samples, f.nr_bad, f.first_bad };
	tell_bad_lines(source__name(s), found);
	return err;
}

/* The last one is what a file is of that looks like nothing else. */
static const struct kind kinds[] = {
	{ "text of perf script: samples with a line for each frame", perf_script__is_it,
	  read_perf_script },
	{ "file of folded stacks: lines such as 'sh;main;work 12'", NULL, read_folded },
};

static int kind_of(struct source *s, const struct kind **kind)
{
	const char *text;
	size_t len;
	int err = source__peek(s, &text, &len);

	*kind = kinds;
	while (!err && (*kind)->is_it && !(*kind)->is_it(text, len))
		++*kind;
	return err;
}

int report_files__read(struct profile *p, struct source *s, const struct report_files_opts *o,
		       bool *lost, struct buf *why)
{
	const char *name = source__name(s);
	const struct kind *kind;
	struct found found = {};
	int err = kind_of(s, &kind);

	if (!err)
		err = kind->read(p, s, o, &found);
	*lost |= err || found.nr_bad;
	if ((err == -ENODATA || err == -EBADMSG) && found.nr_stacks) {
		log__notice("%s: %s behind %llu stacks", name, source__strerror(err),
			    (unsigned long long)found.nr_stacks);
		return 0;
	}
	if (err == -ENOMEM)
		return err;
	if (err)
		return why__refuse(why, err == -EINVAL ? -EIO : err, "cannot read '%s': %s", name,
				   source__strerror(err));
	if (is_refused(&found))
		return why__refuse(why, -EPROTO, "%s is no %s", name, kind->what);
	return 0;
}
