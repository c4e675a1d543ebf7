// SPDX-License-Identifier: BSD-2-Clause
/* Looks at names and values of headers. */
#include "serve/push_header.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/why.h"

static bool is_token_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

static size_t name_len(const char *header)
{
	size_t len = 0;

	while (is_token_char(header[len]))
		len++;
	return len;
}

static bool is_one_of(const char *const *names, size_t nr, const char *header, size_t len)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(names[i]) == len && !strncasecmp(names[i], header, len))
			return true;
	return false;
}

/* Visible, with blanks between, and not nothing. */
static bool is_value(const char *value)
{
	const size_t len = strlen(value);

	for (size_t i = 0; i < len; i++)
		if ((value[i] < ' ' || value[i] > '~') && value[i] != '\t')
			return false;
	return len && value[len - 1] != ' ' && value[len - 1] != '\t';
}

static int check(const char *header, struct buf *why)
{
	static const char *const ours[] = {
		"Accept",	  "Connection",	       "Content-Encoding",
		"Content-Length", "Content-Type",      "Expect",
		"Host",		  "Keep-Alive",	       "TE",
		"Trailer",	  "Transfer-Encoding", "Upgrade"
	};
	static const char *const secret[] = { "Authorization", "Cookie", "Proxy-Authorization" };
	const size_t len = name_len(header);

	if (!len || header[len] != ':' || strlen(header) > PUSH_HEADER ||
	    !is_value(header + len + 1 + strspn(header + len + 1, " \t")))
		return why__refuse(why, -EINVAL,
				   "--push-header is 'NAME: VALUE', such as 'X-Scope-OrgID: "
				   "team-a', of visible ASCII and %d bytes at most",
				   PUSH_HEADER);
	if (is_one_of(ours, ARRAY_SIZE(ours), header, len))
		return why__refuse(why, -EINVAL, "--push-header: requests have a %.*s of their own",
				   (int)len, header);
	if (is_one_of(secret, ARRAY_SIZE(secret), header, len))
		return why__refuse(why, -EINVAL,
				   "--push-header: everybody can read command lines: put what "
				   "%.*s is to be into a file, and say --push-token FILE",
				   (int)len, header);
	return 0;
}

int push_headers__check(const char *const *headers, size_t nr, struct buf *why)
{
	int err = 0;

	if (nr > PUSH_HEADERS)
		return why__refuse(why, -EINVAL, "--push-header: %d at most", PUSH_HEADERS);
	for (size_t i = 0; i < nr && !err; i++) {
		err = check(headers[i], why);
		for (size_t k = 0; k < i && !err; k++)
			if (name_len(headers[k]) == name_len(headers[i]) &&
			    !strncasecmp(headers[k], headers[i], name_len(headers[i])))
				err = why__refuse(why, -EINVAL, "--push-header: %.*s twice",
						  (int)name_len(headers[i]), headers[i]);
	}
	return err;
}
