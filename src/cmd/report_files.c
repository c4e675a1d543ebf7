// SPDX-License-Identifier: BSD-2-Clause
/* Tells kinds of files apart, has each read by its reader, and tells what was found. */
#include "cmd/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/why.h"
#include "cmd/read_progress.h"
#include "import/folded.h"
#include "import/perf_script.h"
#include "import/pprof.h"
#include "import/source.h"
#include "model/profile.h"
#include "tape/capture.h"
#include "tape/recorded.h"

/* What every reader tells of a file. */
struct found {
	uint64_t nr_stacks;
	uint64_t nr_bad, first_bad;
	bool is_cut;
};

struct kind {
	const char *what; /* that a file should be */
	bool has_times;	  /* --from, --to choose from it */
	bool (*is_it)(const char *bytes, size_t len);
	int (*read)(struct profile *p, struct source *s, const struct report_files_opts *o,
		    struct found *found, struct buf *why);
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
		       struct found *found, struct buf *why)
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
	*found = (struct found){ f.nr_stacks, f.nr_bad, f.first_bad, false };
	tell_bad_lines(name, found);
	if (!is_refused(found))
		tell_counts(name, &f);
	return err;
}

static int read_perf_script(struct profile *p, struct source *s, const struct report_files_opts *o,
			    struct found *found, struct buf *why)
{
	const struct perf_script_opts opts = { .max_bytes = o->max_bytes };
	struct perf_script_found f;
	int err = import__perf_script(p, s, &opts, &f);

	*found = (struct found){ f.nr_samples, f.nr_bad, f.first_bad, false };
	tell_bad_lines(source__name(s), found);
	return err;
}

static int read_source(void *arg, void *out, size_t *len)
{
	return source__bytes(arg, out, len);
}

/* "x.pmut: 10.2 s of web1 (Linux 6.12.1, x86_64), 2026-11-26 12:00:01" */
static void tell_about(const char *name, const struct tape_found *f)
{
	const struct profile_about *about = &f->about;
	const time_t begin = about->begin_ns / 1000000000;
	char when[32] = "";
	struct tm tm;

	if (begin && localtime_r(&begin, &tm))
		strftime(when, sizeof(when), ", %Y-%m-%d %H:%M:%S", &tm);
	if (*about->host)
		log__notice("%s: %.3g s of %s (Linux %s, %s)%s", name, f->end_ns / 1e9, about->host,
			    about->kernel, about->machine, when);
}

static void tell_range(const char *name, const struct tape_found *f)
{
	log__notice("%s: from %.3f to %.3f s of %.3f s: %llu of %llu windows", name,
		    f->used_from_ns / 1e9, f->used_to_ns / 1e9, f->end_ns / 1e9,
		    (unsigned long long)f->nr_used, (unsigned long long)f->nr_windows);
}

/* Some of it must be in the range, and the range must be a choice. */
static int check_range(const char *name, const struct report_files_opts *o,
		       const struct tape_found *f, struct buf *why)
{
	if (!o->from_ns && !o->to_ns)
		return 0;
	if (f->nr_windows == 1)
		return why__refuse(why, -EPROTO,
				   "%s is of one piece: --from and --to choose windows, which are "
				   "there after profile --windows 100ms",
				   name);
	if (!f->nr_used)
		return why__refuse(why, -EPROTO, "%s has nothing in this range: it is %.3f s long",
				   name, f->end_ns / 1e9);
	tell_range(name, f);
	return 0;
}

static int refuse_tape(const char *name, int err, struct buf *why)
{
	switch (err) {
	case -EPROTONOSUPPORT:
		return why__refuse(why, err, "%s is from a newer pmutrace than this", name);
	case -EFBIG:
		return why__refuse(why, err, "%s takes more memory to read: --max-memory SIZE",
				   name);
	case -EBADMSG:
		return why__refuse(why, err, "%s is damaged", name);
	default:
		return err;
	}
}

/* Damaged further on: what was there before is shown, as of a file that is cut off. */
static int read_tape(struct profile *p, struct source *s, const struct report_files_opts *o,
		     struct found *found, struct buf *why,
		     int (*read)(struct profile *p, const struct tape_input *in,
				 const struct tape_opts *o, struct tape_found *found))
{
	const struct tape_input in = { read_source, s };
	const struct tape_opts opts = {
		.max_bytes = o->max_bytes,
		.places = o->places,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
	};
	const uint64_t before = p->losses.kept;
	const char *name = source__name(s);
	struct tape_found f;
	size_t len = 1;
	char more;
	int err = read(p, &in, &opts, &f);

	if ((err == -EBADMSG || err == -EFBIG) && f.nr_windows) {
		log__notice("%s: %s behind %llu samples", name,
			    err == -EBADMSG ? "damaged" : "takes more memory (--max-memory SIZE)",
			    (unsigned long long)(p->losses.kept - before));
		found->is_cut = true;
		err = 0;
	} else if (f.is_cut && f.nr_windows) {
		log__notice("%s: cut off behind %llu samples", name,
			    (unsigned long long)(p->losses.kept - before));
		found->is_cut = true;
	}
	if (err)
		return refuse_tape(name, err, why);
	if (!f.nr_windows)
		return why__refuse(why, -EPROTO, "%s was cut off before its first samples", name);
	found->nr_stacks = f.nr_windows;
	found->nr_bad = 0;
	if (f.nr_windows && f.nr_windows == f.nr_without)
		return why__refuse(why, -EPROTO,
				   "%s: no interval has samples: functions were not looked at",
				   name);
	tell_about(name, &f);
	if (!found->is_cut && !source__bytes(s, &more, &len) && len) {
		log__notice("%s: what is behind its end is left out", name);
		found->is_cut = true;
	}
	return check_range(name, o, &f, why);
}

static int read_capture(struct profile *p, struct source *s, const struct report_files_opts *o,
			struct found *found, struct buf *why)
{
	return read_tape(p, s, o, found, why, capture__read);
}

static int read_recorded(struct profile *p, struct source *s, const struct report_files_opts *o,
			 struct found *found, struct buf *why)
{
	return read_tape(p, s, o, found, why, recorded__read);
}

static int read_pprof(struct profile *p, struct source *s, const struct report_files_opts *o,
		      struct found *found, struct buf *why)
{
	const char *name = source__name(s);
	char comm[64];
	const struct pprof_in_opts opts = {
		.comm = comm,
		.places = o->places,
		.max_bytes = o->max_bytes,
	};
	struct pprof_found f;
	int err;

	name_of(name, comm);
	err = import__pprof(p, s, &opts, &f);
	*found = (struct found){ f.nr_samples, f.nr_bad, 0, false };
	if (f.nr_bad && !err)
		log__notice("%s: %llu samples have values below zero, or refer to what is not "
			    "there: they are left out",
			    name, (unsigned long long)f.nr_bad);
	if (err == -EPROTO)
		return why__refuse(why, err, "%s is no profile of pprof, or damaged", name);
	return err == -EFBIG ? refuse_tape(name, err, why) : err;
}

/* The last one is what a file is of that looks like nothing else. */
static const struct kind kinds[] = {
	{ "capture of pmutrace profile", true, capture__is_it, read_capture },
	{ "recording of pmutrace top", true, recorded__is_it, read_recorded },
	{ "profile of pprof", false, pprof__is_it, read_pprof },
	{ "text of perf script: samples with a line for each frame", false, perf_script__is_it,
	  read_perf_script },
	{ "file of folded stacks: lines such as 'sh;main;work 12'", false, NULL, read_folded },
};

static int kind_of(struct source *s, const struct kind **kind, bool *is_empty)
{
	const char *text;
	size_t len;
	int err = source__peek(s, &text, &len);

	*is_empty = !err && !len;
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
	struct read_progress progress;
	struct found found = {};
	bool is_empty;
	int err = kind_of(s, &kind, &is_empty);

	if (!err && !kind->has_times && (o->from_ns || o->to_ns))
		return why__refuse(
			why, -EPROTO,
			"%s has no times: --from and --to are of captures and recordings", name);
	/* Windows are of one run; of several files' samples they would be a part. */
	windows__free(&p->windows);
	if (o->tells)
		read_progress__begin(&progress, s);
	if (!err)
		err = kind->read(p, s, o, &found, why);
	if (o->tells)
		read_progress__end(&progress);
	*lost |= err || found.nr_bad || found.is_cut;
	if ((err == -ENODATA || err == -EBADMSG) && found.nr_stacks) {
		log__notice("%s: %s behind %llu stacks", name, source__strerror(err),
			    (unsigned long long)found.nr_stacks);
		return 0;
	}
	if (err == -ENOMEM || why->len)
		return err;
	if (err)
		return why__refuse(why, err == -EINVAL ? -EIO : err, "cannot read '%s': %s", name,
				   source__strerror(err));
	if (is_refused(&found) && is_empty)
		return why__refuse(why, -EPROTO, "%s is empty", name);
	if (is_refused(&found))
		return why__refuse(why, -EPROTO, "%s is no %s", name, kind->what);
	return 0;
}
