// SPDX-License-Identifier: BSD-2-Clause
/* Reads a tracepoint's id and format from its folder in tracefs, and explains errors. */
#include "event/tracepoint.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "base/why.h"

static int explain(int err, const char *tracefs, const char *category, const char *name,
		   struct buf *why)
{
	int failed;

	if (err == -ENOENT)
		return tracepoint__explain_unknown(tracefs, category, name, why);
	if (err == -EACCES || err == -EPERM)
		failed = buf__printf(why,
				     "tracepoint '%s:%s' is not readable by this user: run as "
				     "root, or let a group read it: `mount -o "
				     "remount,gid=GROUP,mode=750 %s`",
				     category, name, tracefs);
	else
		failed = buf__printf(why, "cannot read tracepoint '%s:%s': %s", category, name,
				     strerror(-err));
	if (failed)
		return failed;
	return err == -EPERM ? -EACCES : err;
}

static bool is_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

/* A file of a tracepoint, appended to @text. */
static int read_file(const char *tracefs, const char *category, const char *name, const char *file,
		     struct buf *text, struct buf *why)
{
	struct buf path = {};
	int err;

	if (!is_name(category) || !is_name(name)) {
		return why__refuse(why, -EINVAL, "'%s:%s' is no tracepoint: write CATEGORY:NAME",
				   category, name);
	}
	err = buf__printf(&path, "%s/events/%s/%s/%s", tracefs, category, name, file);
	if (!err)
		err = buf__read_file(text, path.data, TRACEPOINT_TEXT_MAX);
	buf__free(&path);
	return err ? explain(err, tracefs, category, name, why) : 0;
}

int tracepoint__id(const char *tracefs, const char *category, const char *name, uint32_t *id,
		   struct buf *why)
{
	struct buf text = {};
	int err = read_file(tracefs, category, name, "id", &text, why);
	uint64_t v;

	if (!err) {
		text.data[strcspn(text.data, "\n")] = '\0';
		err = parse__u64(text.data, 1, UINT32_MAX, &v);
		if (err)
			err = explain(-EBADMSG, tracefs, category, name, why);
		else
			*id = v;
	}
	buf__free(&text);
	return err;
}

int tracepoint__format(const char *tracefs, const char *category, const char *name,
		       struct tracepoint_format *out, struct buf *why)
{
	struct buf text = {};
	int err = read_file(tracefs, category, name, "format", &text, why);

	*out = (struct tracepoint_format){};
	if (!err) {
		err = tracepoint_format__parse(text.data, text.len, out);
		if (err)
			err = explain(err == -EINVAL ? -EBADMSG : err, tracefs, category, name,
				      why);
	}
	buf__free(&text);
	return err;
}
