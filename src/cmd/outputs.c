// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/sink.h"
#include "cmd/cmd.h"

static const struct {
	const char *name;
	const char *endings[3];
} formats[FORMAT_NR] = {
	[FORMAT_TABLE] = { "table", { ".txt" } },
	[FORMAT_FOLDED] = { "folded", { ".folded", ".collapsed" } },
	[FORMAT_SVG] = { "svg", { ".svg" } },
	[FORMAT_JSON] = { "json", { ".json" } },
	[FORMAT_CSV] = { "csv", { ".csv" } },
};

int format__parse(const char *name, enum format *out, struct buf *why)
{
	const char *near;
	int err;

	for (unsigned i = 0; i < FORMAT_NR; i++) {
		if (strcmp(formats[i].name, name))
			continue;
		*out = i;
		return 0;
	}
	near = nearest(name, &formats[0].name, FORMAT_NR, sizeof(formats[0]));
	err = buf__printf(why, "unknown format '%s'%s%s%s; known: table folded svg json csv", name,
			  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return err ? err : -EINVAL;
}

/* "--json", "-f svg" */
static int put_wish(struct buf *b, const struct format_wish *w)
{
	bool has_value = !strcmp(w->option, "-f");

	return buf__printf(b, "%s%s%s", w->option, has_value ? " " : "",
			   has_value ? w->format : "");
}

int format__agree(const struct format_wish *wishes, size_t nr, const char **format, struct buf *why)
{
	const struct format_wish *first = NULL, *w;
	int err;

	for (w = wishes; w < wishes + nr; w++) {
		if (!w->format)
			continue;
		if (first && strcmp(first->format, w->format))
			break;
		first = w;
	}
	*format = first ? first->format : NULL;
	if (!first || w == wishes + nr)
		return 0;
	err = put_wish(why, first);
	if (!err)
		err = buf__puts(why, " and ");
	if (!err)
		err = put_wish(why, w);
	if (!err)
		err = buf__puts(why, " exclude each other; -o with several files writes several "
				     "formats");
	return err ? err : -EINVAL;
}

enum format format__of(const char *path)
{
	size_t len = strlen(path);

	for (unsigned i = 0; i < FORMAT_NR; i++) {
		for (unsigned k = 0; k < 3 && formats[i].endings[k]; k++) {
			size_t n = strlen(formats[i].endings[k]);

			if (len > n && !strcmp(path + len - n, formats[i].endings[k]))
				return i;
		}
	}
	return FORMAT_NR;
}

const char *format__ending(enum format format)
{
	return formats[format].endings[0];
}

const char *path__ending(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strrchr(slash ? slash : path, '.');
}

/* "flame.sgv": with -f anything goes, without it that is more likely an error than a wish. */
static int unknown_ending(const char *path, struct buf *why)
{
	const char *dot = path__ending(path);
	int err;

	if (!dot)
		return 0;
	err = buf__printf(why, "-o %s: '%s' tells no format (.svg .folded .json .csv .txt); add -f",
			  path, dot);
	return err ? err : -EINVAL;
}

/* A file beside @path, so that renaming it there is one step. */
static int open_temporary(struct output *o)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(&o->temporary, "%s.XXXXXX", o->path) < 0) {
		o->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(o->temporary, O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		free(o->temporary);
		o->temporary = NULL;
		return fd;
	}
	if (fchmod(fd, 0666 & ~mask)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/*
 * Who may read the file that is replaced may read what replaces it, and nobody else. Not so where
 * everybody may put files, and this one is another user's: it may have been made for us to fill.
 */
static void keep_owner(const struct output *o, const struct stat *st)
{
	char *path = strdup(o->path);
	struct stat dir;
	bool is_trap = !path || stat(dirname(path), &dir) ||
		       (dir.st_mode & S_ISVTX && dir.st_mode & S_IWOTH && st->st_uid != geteuid() &&
			st->st_uid != dir.st_uid);

	free(path);
	if (is_trap)
		return;
	if (fchown(fileno(o->file), st->st_uid, st->st_gid))
		log__debug("%s gets our user and group: %s", o->path, strerror(errno));
	if (fchmod(fileno(o->file), st->st_mode & 0777))
		log__debug("%s: its mode stays as it is: %s", o->path, strerror(errno));
}

static int open_file(struct output *o, bool in_place)
{
	struct stat st = {};
	int fd;

	if (in_place) {
		fd = sink__open(o->path, O_CREAT | O_TRUNC);
	} else if (stat(o->path, &st)) {
		if (errno != ENOENT)
			return -errno;
		fd = open_temporary(o);
	} else if (S_ISREG(st.st_mode)) {
		if (access(o->path, W_OK))
			return -errno;
		fd = open_temporary(o);
	} else {
		fd = sink__open(o->path, 0);
	}
	if (fd < 0)
		return fd;
	o->file = fdopen(fd, "w");
	if (!o->file) {
		close(fd);
		return -ENOMEM;
	}
	if (o->temporary && S_ISREG(st.st_mode))
		keep_owner(o, &st);
	return 0;
}

static int check_format(const struct outputs *o, enum format format, struct buf *why)
{
	int err;

	if (!o->formats || o->formats & 1u << format)
		return 0;
	err = buf__printf(why, "this command does not write %s", formats[format].name);
	return err ? err : -EINVAL;
}

/* @path: NULL: where results go without -o. @otherwise: the format of -f; FORMAT_NR without. */
static int add(struct outputs *o, const char *path, enum format otherwise, struct buf *why)
{
	struct output *out;
	int err = array__grow(&o->items, &o->cap, o->nr + 1);

	if (err)
		return err;
	out = &o->items[o->nr++];
	*out = (struct output){ .format = otherwise == FORMAT_NR ? FORMAT_TABLE : otherwise };
	if (!path || !strcmp(path, "-")) {
		out->file = !path && o->otherwise ? o->otherwise : stdout;
		return check_format(o, out->format, why);
	}
	out->path = path;
	if (format__of(path) != FORMAT_NR) {
		out->format = format__of(path);
	} else if (otherwise == FORMAT_NR) {
		err = unknown_ending(path, why);
		if (err)
			return err;
	}
	err = check_format(o, out->format, why);
	if (err)
		return err;
	err = open_file(out, o->in_place);
	if (err && buf__printf(why, "cannot write '%s': %s", path, sink__strerror(err)))
		return -ENOMEM;
	return err == -EINVAL ? -EIO : err;
}

int outputs__open(struct outputs *o, const struct opt_strs *files, const char *format,
		  struct buf *why)
{
	enum format otherwise = FORMAT_NR;
	int err = format ? format__parse(format, &otherwise, why) : 0;

	if (err)
		return err;
	for (size_t i = 0; i < files->nr && !err; i++)
		err = add(o, files->items[i], otherwise, why);
	if (!err && !files->nr)
		err = add(o, NULL, otherwise, why);
	return err;
}

/* Flushes and puts the file in its place. 0 or -errno. */
static int complete(struct output *o)
{
	int err = fflush(o->file) ? -errno : ferror(o->file) ? -EIO : 0;

	if (!o->path)
		return err;
	if (fclose(o->file) && !err)
		err = -errno;
	o->file = NULL;
	if (!err && o->temporary && rename(o->temporary, o->path))
		err = -errno;
	if (!err) {
		free(o->temporary);
		o->temporary = NULL;
	}
	return err;
}

static const char *name_of(const struct output *o)
{
	return o->path ? o->path : o->file == stderr ? "stderr" : "stdout";
}

/* Who reads what we print went away on purpose; a pipe that was named is to get its result. */
static bool reader_has_gone(const struct output *o, int err)
{
	return err == -EPIPE && !o->path;
}

/* The data is still in memory: a second try where there may be room. */
static void rescue(const struct output *o, int why,
		   int (*write)(void *arg, FILE *f, enum format format), void *arg)
{
	const char *dir = getenv("TMPDIR"), *path = name_of(o);
	char copy[PATH_MAX];
	FILE *f;
	int fd, err;

	snprintf(copy, sizeof(copy), "%s/pmutrace-XXXXXX%s", dir && dir[0] ? dir : "/tmp",
		 formats[o->format].endings[0]);
	fd = mkostemps(copy, strlen(formats[o->format].endings[0]), O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	err = f ? write(arg, f, o->format) : -EIO;
	if (f && fclose(f) && !err)
		err = -errno;
	if (!err) {
		complain("cannot write %s: %s; the result is in %s", path, strerror(-why), copy);
		return;
	}
	if (fd >= 0)
		unlink(copy);
	complain("cannot write %s: %s; the result is lost", path, strerror(-why));
}

int outputs__write(struct outputs *o, int (*write)(void *arg, FILE *f, enum format format),
		   void *arg)
{
	int failed = 0;

	for (size_t i = 0; i < o->nr; i++) {
		int err = write(arg, o->items[i].file, o->items[i].format);
		int end = complete(&o->items[i]);

		if (!err)
			err = end;
		if (!err)
			continue;
		if (!reader_has_gone(&o->items[i], err))
			rescue(&o->items[i], err, write, arg);
		failed++;
	}
	return failed;
}

int outputs__part(struct outputs *o, int (*write)(void *arg, FILE *f, enum format format),
		  void *arg, struct buf *why)
{
	for (size_t i = 0; i < o->nr; i++) {
		int err = write(arg, o->items[i].file, o->items[i].format);

		if (!err && fflush(o->items[i].file))
			err = -errno;
		if (!err)
			continue;
		if (!reader_has_gone(&o->items[i], err) &&
		    buf__printf(why, "cannot write %s: %s", name_of(&o->items[i]), strerror(-err)))
			return -ENOMEM;
		return err;
	}
	return 0;
}

int outputs__end(struct outputs *o)
{
	int failed = 0;

	for (size_t i = 0; i < o->nr; i++) {
		const char *name = name_of(&o->items[i]);
		int err = complete(&o->items[i]);

		if (!err)
			continue;
		complain_unwritten(name, err);
		failed++;
	}
	return failed;
}

void outputs__close(struct outputs *o)
{
	for (size_t i = 0; i < o->nr; i++) {
		if (o->items[i].path && o->items[i].file)
			fclose(o->items[i].file);
		if (o->items[i].temporary)
			unlink(o->items[i].temporary);
		free(o->items[i].temporary);
	}
	free(o->items);
	*o = (struct outputs){};
}
