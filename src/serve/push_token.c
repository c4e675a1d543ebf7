// SPDX-License-Identifier: BSD-2-Clause
/* Reads a token out of its file. */
#include "serve/push_token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* Of one line, without blanks around it; nothing that could end a header. */
static int take_line(char out[COURIER_AUTH], const char *text)
{
	size_t len;
	int n;

	text += strspn(text, " \t");
	len = strcspn(text, "\r\n");
	while (len && strchr(" \t", text[len - 1]))
		len--;
	if (!len || len >= COURIER_AUTH)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return -EINVAL;
	n = snprintf(out, COURIER_AUTH, "%s%.*s",
		     !strncmp(text, "Basic ", 6) || !strncmp(text, "Bearer ", 7) ? "" : "Bearer ",
		     (int)len, text);
	return n < COURIER_AUTH ? 0 : -EINVAL;
}

int push_token__read(char out[COURIER_AUTH], const char *path)
{
	struct buf text = {};
	int err = buf__read_file(&text, path, 64 << 10);

	out[0] = '\0';
	if (!err)
		err = take_line(out, text.data);
	if (text.data)
		explicit_bzero(text.data, text.len);
	buf__free(&text);
	return err;
}
