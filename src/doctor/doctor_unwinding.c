// SPDX-License-Identifier: BSD-2-Clause
/* Frame pointers in the code that most processes run. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/regular.h"
#include "base/why.h"
#include "doctor/doctor_facts.h"
#include "lookup/lookup_code.h"
#include "sym/maps.h"

static const char AREA[] = "unwinding";

enum {
	PROCESSES = 200,
	FILES = 512, /* different ones, of those processes */
	SHOWN = 5,
	MAPS_BYTES = 1 << 20,
	BUDGET_MS = 100,    /* of /proc and of the files together */
	PATIENCE_MS = 3000, /* until one of the files says something */
	MOSTLY_PERCENT = 80,
};

struct used_file {
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	char *path;
	unsigned long pid; /* the last process seen with it */
	unsigned nr_processes;
	bool seen;
};

struct survey {
	const struct doctor *d;
	struct used_file files[FILES];
	size_t nr;
	unsigned nr_processes;
	uint64_t until_ns, give_up_ns;
	int unread; /* the last -errno of reading /proc, or 0 */
	int err;
};

static struct used_file *find_file(struct survey *s, const struct maps_line *m)
{
	struct used_file *f = s->files;

	for (; f < s->files + s->nr; f++)
		if (f->inode == m->inode && f->dev_major == m->dev_major &&
		    f->dev_minor == m->dev_minor)
			return f;
	if (s->nr == FILES)
		return NULL;
	*f = (struct used_file){
		.inode = m->inode,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.path = strndup(m->name, m->name_len),
	};
	if (!f->path) {
		s->err = -ENOMEM;
		return NULL;
	}
	s->nr++;
	return f;
}

/* Only code in files that can be opened again. */
static bool is_wanted(const struct maps_line *m)
{
	static const char deleted[] = " (deleted)";
	const size_t len = sizeof(deleted) - 1;

	return m->executable && m->inode && m->name_len && m->name[0] == '/' &&
	       (m->name_len < len || memcmp(m->name + m->name_len - len, deleted, len) != 0);
}

static void add_process(struct survey *s, unsigned long pid, const struct buf *maps)
{
	const char *text = maps->data;
	size_t len = maps->len;
	struct maps_line m;

	s->nr_processes += len > 0;
	while (!s->err && maps__next(&text, &len, &m)) {
		struct used_file *f = is_wanted(&m) ? find_file(s, &m) : NULL;

		if (!f || f->pid == pid)
			continue;
		f->pid = pid;
		f->nr_processes++;
	}
}

static void read_processes(struct survey *s)
{
	char path[PATH_MAX];
	struct buf maps = {};
	struct dirent *e;
	DIR *dir;
	int err;

	snprintf(path, sizeof(path), "%s/proc", s->d->root);
	dir = opendir(path);
	if (!dir)
		s->unread = -errno;
	while (dir && !s->err && s->nr_processes < PROCESSES && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "%s/proc/%.20s/maps", s->d->root, e->d_name);
		buf__clear(&maps);
		/* Those of other users may not be readable; huge ones tell nothing more. */
		err = buf__read_file(&maps, path, MAPS_BYTES);
		if (!err)
			add_process(s, strtoul(e->d_name, NULL, 10), &maps);
		else
			s->unread = err;
		if (clock__now_ns() >= s->until_ns)
			break;
	}
	if (dir)
		closedir(dir);
	buf__free(&maps);
}

/* @why: a sentence on every error but -ENOMEM. */
static int count_prologues(const struct survey *s, const struct used_file *f, struct prologues *out,
			   struct buf *why)
{
	char root[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(root, sizeof(root), "%s/proc/%lu/root", s->d->root, f->pid);
	fd = open_regular(root, f->path, 0, &st);
	if (fd < 0)
		return why__refuse(why, fd, "%s", regular__strerror(fd));
	return lookup__prologues(s->d->glances, fd, f->path, out, why);
}

/*
 * False: it says nothing, and another is looked at instead: a file with too few functions, one that
 * is not code of this machine, one that has gone with its process.
 */
static bool report_file(const struct survey *s, const struct used_file *f)
{
	struct findings *out = s->d->findings;
	struct prologues p = {};
	struct buf why = {};
	int err = count_prologues(s, f, &p, &why);
	bool keeps = !err && p.kept * 100 > p.functions * MOSTLY_PERCENT;

	if (!err) {
		findings__add(out, AREA, "frame-pointers", keeps ? FINDING_OK : FINDING_LIMITED,
			      "%u of %u functions looked at keep one (in %u process%s)", p.kept,
			      p.functions, f->nr_processes, f->nr_processes == 1 ? "" : "es");
		findings__subject(out, "%s", f->path);
		if (keeps)
			return true;
		findings__cost(
			out,
			"by frame pointers alone (--call-graph fp) stacks through it lose callers");
		findings__fix(out, "use a build with -fno-omit-frame-pointer (as Ubuntu from 24.04 "
				   "and Fedora from 38 have)");
		return true;
	}
	if (err == -ENODATA || err == -ENOEXEC || err == -ENOENT || err == -ESRCH) {
		buf__free(&why);
		return false;
	}
	findings__add(out, AREA, "frame-pointers", FINDING_UNKNOWN, "%s (in %u process%s)",
		      why.len ? why.data : strerror(-err), f->nr_processes,
		      f->nr_processes == 1 ? "" : "es");
	buf__free(&why);
	findings__subject(out, "%s", f->path);
	findings__cost(out, "by frame pointers alone stacks through it may lose callers");
	doctor__fix_refused(s->d, err, "none: it cannot be read");
	return true;
}

static struct used_file *most_mapped(struct survey *s)
{
	struct used_file *best = NULL;

	for (size_t i = 0; i < s->nr; i++)
		if (!s->files[i].seen && (!best || s->files[i].nr_processes > best->nr_processes))
			best = &s->files[i];
	return best;
}

static void report_none(const struct survey *s)
{
	struct findings *out = s->d->findings;
	const char *why = s->nr ? "no file that processes run says anything"
				: "no process's mappings can be read";

	findings__add(out, AREA, "frame-pointers", FINDING_UNKNOWN, "%s%s%s", why,
		      s->unread ? ": " : "", s->unread ? strerror(-s->unread) : "");
	findings__cost(out, "by frame pointers alone stacks may lose callers");
	doctor__fix_refused(s->d, s->unread, "none: it takes programs with functions to look at");
}

static void survey(struct survey *s)
{
	struct used_file *f;
	unsigned nr = 0;

	s->until_ns = clock__now_ns() + (uint64_t)BUDGET_MS * 1000000;
	s->give_up_ns = s->until_ns + (uint64_t)PATIENCE_MS * 1000000;
	read_processes(s);
	while (nr < SHOWN && !s->err && (f = most_mapped(s))) {
		if (clock__now_ns() >= (nr ? s->until_ns : s->give_up_ns))
			break;
		f->seen = true;
		nr += report_file(s, f);
	}
	if (!nr && !s->err)
		report_none(s);
}

void doctor__unwinding(const struct doctor *d)
{
	struct survey *s = calloc(1, sizeof(*s));

	if (!s) {
		d->findings->err = -ENOMEM;
		return;
	}
	s->d = d;
	survey(s);
	if (s->err)
		d->findings->err = s->err;
	for (size_t i = 0; i < s->nr; i++)
		free(s->files[i].path);
	free(s);
}
