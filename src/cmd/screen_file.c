// SPDX-License-Identifier: BSD-2-Clause
/* Chooses the format of a file by its ending, and writes all of it or nothing. */
#include "cmd/screen_file.h"

#include <errno.h>
#include <stdio.h>

#include "base/sink.h"

int screen_file__format(const char *path, unsigned formats, const char *of, enum format *format,
			struct buf *why)
{
	int err;

	*format = format__of(path);
	if (*format == FORMAT_NR && !path__ending(path))
		*format = FORMAT_TABLE;
	if (*format != FORMAT_NR && formats & 1u << *format)
		return 0;
	err = buf__printf(why, "'%s' is not for %s, but these are:", path__ending(path), of);
	for (unsigned i = 0; i < FORMAT_NR && !err; i++)
		if (formats & 1u << i)
			err = buf__printf(why, " %s", format__ending(i));
	return err ? err : -EINVAL;
}

static int write_page(FILE *f, enum format format, const struct buf *text, output_fn write,
		      void *arg)
{
	if (format == FORMAT_TABLE)
		return fputs(text->data, f) == EOF ? (errno ? -errno : -EIO) : 0;
	return write(arg, f, format);
}

/* Writes all of it, or leaves no file. */
static int write_new(const char *path, enum format format, const struct buf *text, output_fn write,
		     void *arg)
{
	struct sink *s;
	FILE *f;
	int err = sink__open(&s, path, SINK_NEW);

	if (err)
		return err;
	err = sink__begin(s, &f);
	if (!err)
		err = sink__end(s, write_page(f, format, text, write, arg));
	if (!err)
		err = sink__close(s);
	sink__free(s);
	return err;
}

int screen_file__write(const char *path, enum format format, const struct buf *text,
		       output_fn write, void *arg, struct buf *why)
{
	int err = write_new(path, format, text, write, arg);

	if (err && buf__printf(why, "cannot write %s: %s", path, sink__strerror(err)))
		return -ENOMEM;
	return err;
}
