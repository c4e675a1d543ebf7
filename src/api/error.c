// SPDX-License-Identifier: BSD-2-Clause
/* The text and errno of an error that the library hands out. */
#include "api/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

/* Sentences may have names of others, which may drive a terminal: callers print what they get. */
static void set_text(struct pmutrace_error *why, const char *text)
{
	struct buf shown = {};
	size_t len;

	if (visible__put_message(&shown, text, strlen(text)))
		len = snprintf(why->text, sizeof(why->text), "%s", strerror(ENOMEM));
	else
		len = snprintf(why->text, sizeof(why->text), "%s", shown.data);
	/* Cut between characters. */
	if (len >= sizeof(why->text))
		for (len = sizeof(why->text) - 1; len && (shown.data[len] & 0xc0) == 0x80;)
			why->text[--len] = '\0';
	buf__free(&shown);
}

int error__set(struct pmutrace_error *why, int code, struct buf *text)
{
	if (why) {
		why->code = code;
		set_text(why, text->len ? text->data : strerror(-code));
	}
	buf__free(text);
	return code;
}

int error__say(struct pmutrace_error *why, int code, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	if (!why)
		return code;
	why->code = code;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	set_text(why, text ? text : strerror(ENOMEM));
	free(text);
	return code;
}

int error__none(struct pmutrace_error *why)
{
	if (why) {
		why->code = 0;
		why->text[0] = '\0';
	}
	return 0;
}

int given__check(const char *what, const void *bytes, size_t len, struct buf *why)
{
	for (size_t i = 0; i < len; i++) {
		if (!((const char *)bytes)[i])
			continue;
		if (buf__printf(why,
				"%s sets members that version %s of the library does not know: it "
				"is older than the header",
				what, PMUTRACE_VERSION))
			return -ENOMEM;
		return -E2BIG;
	}
	return 0;
}
