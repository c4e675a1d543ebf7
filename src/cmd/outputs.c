// SPDX-License-Identifier: BSD-2-Clause
/* Chooses formats, opens where results go, writes them, or a second copy elsewhere. */
#include "cmd/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/rescue.h"
#include "base/sink.h"
#include "base/why.h"
#include "cmd/cmd.h"

static const struct {
	const char *name;
	const char *endings[3];
	unsigned traits; /* enum format_trait */
} formats[FORMAT_NR] = {
	[FORMAT_TABLE] = { "table", { ".txt" } },
	[FORMAT_FOLDED] = { "folded",
			    { ".folded", ".collapsed" },
			    FORMAT_OF_STACKS | FORMAT_OF_ONE_EVENT },
	[FORMAT_SVG] = { "svg",
			 { ".svg" },
			 FORMAT_OF_STACKS | FORMAT_OF_ONE_EVENT | FORMAT_OF_WHOLE_RUN },
	[FORMAT_JSON] = { "json", { ".json" }, FORMAT_OF_WEIGHTS },
	[FORMAT_CSV] = { "csv", { ".csv" }, FORMAT_OF_WEIGHTS },
	[FORMAT_JSONL] = { "jsonl", { ".jsonl", ".ndjson" }, FORMAT_OF_WEIGHTS },
	[FORMAT_SPEEDSCOPE] = { "speedscope",
				{ ".speedscope.json" },
				FORMAT_OF_STACKS | FORMAT_OF_WEIGHTS | FORMAT_OF_WHOLE_RUN },
	[FORMAT_FIREFOX] = { "firefox",
			     { ".firefox.json" },
			     FORMAT_OF_STACKS | FORMAT_OF_ONE_EVENT | FORMAT_OF_WEIGHTS |
				     FORMAT_OF_WHOLE_RUN | FORMAT_OF_WINDOWS },
	[FORMAT_CHROME] = { "chrome",
			    { ".trace.json" },
			    FORMAT_OF_STACKS | FORMAT_OF_ONE_EVENT | FORMAT_OF_WEIGHTS |
				    FORMAT_OF_WHOLE_RUN | FORMAT_OF_WINDOWS },
	[FORMAT_PPROF] = { "pprof",
			   { ".pb.gz", ".pprof" },
			   FORMAT_OF_WEIGHTS | FORMAT_OF_WHOLE_RUN | FORMAT_OF_PLACES |
				   FORMAT_OF_BYTES },
	[FORMAT_HTML] = { "html",
			  { ".html" },
			  FORMAT_OF_STACKS | FORMAT_OF_WEIGHTS | FORMAT_OF_WHOLE_RUN |
				  FORMAT_OF_WINDOWS },
	[FORMAT_PMUT] = { "pmut",
			  { ".pmut" },
			  FORMAT_OF_WHOLE_RUN | FORMAT_OF_WINDOWS | FORMAT_OF_PLACES |
				  FORMAT_OF_BYTES },
};

const char *format__name(enum format format)
{
	return format < FORMAT_NR ? formats[format].name : NULL;
}

bool format__is(enum format format, enum format_trait trait)
{
	return formats[format].traits & trait;
}

bool outputs__any(const struct outputs *o, enum format_trait trait)
{
	for (size_t i = 0; i < o->nr; i++)
		if (format__is(o->items[i].format, trait))
			return true;
	return false;
}

/* " table folded", or " .svg .folded": what there is. */
static int put_known(struct buf *b, bool endings)
{
	int err = 0;

	for (unsigned i = 0; i < FORMAT_NR && !err; i++)
		err = buf__printf(b, " %s", endings ? formats[i].endings[0] : formats[i].name);
	return err;
}

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
	err = buf__printf(why, "unknown format '%s'%s%s%s; known:", name,
			  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	if (!err)
		err = put_known(why, false);
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

/* The longest one: what ends in ".speedscope.json" ends in ".json", too. NULL: none. */
static const char *ending_of(const char *path, enum format *format)
{
	size_t len = strlen(path), most = 0;

	*format = FORMAT_NR;
	for (unsigned i = 0; i < FORMAT_NR; i++) {
		for (unsigned k = 0; k < 3 && formats[i].endings[k]; k++) {
			size_t n = strlen(formats[i].endings[k]);

			if (n <= most || len <= n || strcmp(path + len - n, formats[i].endings[k]))
				continue;
			most = n;
			*format = i;
		}
	}
	return most ? path + len - most : NULL;
}

enum format format__of(const char *path)
{
	enum format format;

	ending_of(path, &format);
	return format;
}

const char *format__ending(enum format format)
{
	return formats[format].endings[0];
}

const char *path__ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *ending;
	enum format format;

	ending = ending_of(path, &format);
	return ending ? ending : strrchr(slash ? slash : path, '.');
}

/* "flame.sgv": with -f anything goes, without it that is more likely an error than a wish. */
static int unknown_ending(const char *path, struct buf *why)
{
	const char *dot = path__ending(path);
	int err;

	if (!dot)
		return 0;
	err = buf__printf(why, "-o %s: '%s' names no format, add -f; these do:", path, dot);
	if (!err)
		err = put_known(why, true);
	return err ? err : -EINVAL;
}

static int check_format(const struct outputs *o, enum format format, struct buf *why)
{
	const unsigned known = o->formats ? o->formats : ~0u;

	if (known & 1u << format && !(format == FORMAT_PMUT && o->no_captures))
		return 0;
	return why__refuse(why, -EINVAL, "this command does not write %s", formats[format].name);
}

static int check_terminal(const struct output *out, struct buf *why)
{
	if (!format__is(out->format, FORMAT_OF_BYTES) || out->is_stderr || !isatty(STDOUT_FILENO))
		return 0;
	return why__refuse(why, -EINVAL, "%s is not for a terminal: -o FILE%s",
			   formats[out->format].name, formats[out->format].endings[0]);
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
		out->is_stderr = !path && o->otherwise == stderr;
		err = sink__of(&out->sink, !path && o->otherwise ? o->otherwise : stdout);
		if (!err)
			err = check_format(o, out->format, why);
		return err ? err : check_terminal(out, why);
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
	err = sink__open(&out->sink, path, o->in_parts ? SINK_PARTS : SINK_WHOLE);
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

static const char *name_of(const struct output *o)
{
	return o->path ? o->path : o->is_stderr ? "stderr" : "stdout";
}

/* The reader of stdout or stderr left on purpose (| head); a pipe of -o is to get its result. */
static bool reader_has_gone(const struct output *o, int err)
{
	return err == -EPIPE && !o->path;
}

/* Nobody reads any more (EIO: the terminal has gone), so that a run without an end has to end. */
static bool nobody_waits(const struct output *o, int err)
{
	return err == -EPIPE || (err == -EIO && !o->path);
}

static int put(struct output *o, output_fn write, void *arg)
{
	FILE *f;
	int err = sink__begin(o->sink, &f);

	return err ? err : sink__end(o->sink, write(arg, f, o->format));
}

/* The data is still in memory: a second try where there may be room. */
static int put_rescue(struct output *o, output_fn write, void *arg)
{
	FILE *f;
	int err = 0;

	if (!o->rescue)
		err = rescue__open(&o->rescue, formats[o->format].endings[0]);
	if (!err)
		err = rescue__begin(o->rescue, &f);
	return err ? err : rescue__end(o->rescue, write(arg, f, o->format));
}

static void rescue(struct output *o, int why, output_fn write, void *arg)
{
	if (!put_rescue(o, write, arg))
		complain("cannot write %s: %s; the result is in %s", name_of(o), strerror(-why),
			 rescue__path(o->rescue));
	else
		complain("cannot write %s: %s; the result is lost", name_of(o), strerror(-why));
	complain_limit(why);
}

int outputs__write(struct outputs *o, output_fn write, void *arg)
{
	int failed = 0;

	for (size_t i = 0; i < o->nr; i++) {
		int err = put(&o->items[i], write, arg);

		if (!err)
			err = sink__close(o->items[i].sink);
		if (!err)
			continue;
		if (!reader_has_gone(&o->items[i], err))
			rescue(&o->items[i], err, write, arg);
		failed++;
	}
	return failed;
}

static int tell_lost(const char *where, int err, struct buf *why)
{
	return buf__printf(why, "cannot write %s: %s; what was to come is lost", where,
			   strerror(-err))
		       ? -ENOMEM
		       : err;
}

/* A disk that is full: this part and those behind it go elsewhere. */
static int put_elsewhere(struct output *o, int err, output_fn write, void *arg, struct buf *why)
{
	int again;

	if (reader_has_gone(o, err))
		return err;
	if (nobody_waits(o, err))
		return tell_lost(name_of(o), err, why);
	again = put_rescue(o, write, arg);
	if (again)
		return tell_lost(name_of(o), err, why);
	o->has_failed = true;
	complain("cannot write %s: %s; from here on the result is in %s", name_of(o),
		 strerror(-err), rescue__path(o->rescue));
	return 0;
}

static int put_part(struct output *o, output_fn write, void *arg, struct buf *why)
{
	int err = o->has_failed ? put_rescue(o, write, arg) : put(o, write, arg);

	if (!err)
		return 0;
	if (o->has_failed)
		return tell_lost(rescue__path(o->rescue), err, why);
	return put_elsewhere(o, err, write, arg, why);
}

int outputs__part(struct outputs *o, output_fn write, void *arg, struct buf *why)
{
	for (size_t i = 0; i < o->nr; i++) {
		int err = put_part(&o->items[i], write, arg, why);

		if (err)
			return err;
	}
	return 0;
}

int outputs__end(struct outputs *o)
{
	int failed = 0;

	for (size_t i = 0; i < o->nr; i++) {
		int err = sink__close(o->items[i].sink);

		failed += err || o->items[i].has_failed;
		if (err && !o->items[i].has_failed)
			complain_unwritten(name_of(&o->items[i]), err);
	}
	return failed;
}

void outputs__close(struct outputs *o)
{
	for (size_t i = 0; i < o->nr; i++) {
		sink__free(o->items[i].sink);
		rescue__close(o->items[i].rescue);
	}
	free(o->items);
	*o = (struct outputs){};
}
