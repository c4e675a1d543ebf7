// SPDX-License-Identifier: BSD-2-Clause
/* Reads a kind, a scheme, a host and a path; adds what the kind asks for. */
#include "serve/push_url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/why.h"

static const char HOST[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

static bool skip(const char **text, const char *head)
{
	const size_t len = strlen(head);

	if (strncmp(*text, head, len))
		return false;
	*text += len;
	return true;
}

/* "pyroscope+" */
static bool skip_kind(const char **text, enum push_kind *kind)
{
	for (unsigned i = 0; i < PUSH_KINDS; i++) {
		const char *at = *text;

		if (!skip(&at, push_format(i)->scheme) || !skip(&at, "+"))
			continue;
		*text = at;
		*kind = i;
		return true;
	}
	return false;
}

static bool is_visible(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~' || strchr("\"<>\\^`{|}", *text))
			return false;
	return true;
}

static bool is_loopback(const char *host)
{
	struct in_addr four;
	struct in6_addr six;

	if (!strcmp(host, "localhost"))
		return true;
	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* "10.0.0.7:4040", "[::1]", "x.example"; behind it, or NULL. */
static const char *parse_host(const char *text, char host[PUSH_HOST])
{
	const bool is_six = *text == '[';
	const char *end = is_six ? strchr(text, ']') : text + strspn(text, HOST);
	struct in6_addr six;
	char port[8];
	size_t digits;
	uint64_t n;

	text += is_six;
	if (!end || end == text || end - text >= PUSH_HOST)
		return NULL;
	memcpy(host, text, end - text);
	host[end - text] = '\0';
	if (is_six && inet_pton(AF_INET6, host, &six) != 1)
		return NULL;
	end += is_six;
	if (*end != ':')
		return !*end || *end == '/' ? end : NULL;
	digits = strcspn(++end, "/");
	if (digits >= sizeof(port))
		return NULL;
	memcpy(port, end, digits);
	port[digits] = '\0';
	return parse__u64(port, 1, 65535, &n) ? NULL : end + digits;
}

/* Does the path, of so many bytes, end with that of a kind? */
static bool ends_with(const char *path, size_t len, const char *tail)
{
	const size_t n = strlen(tail);

	return len >= n && !memcmp(path + len - n, tail, n);
}

static bool find_kind(const char *path, size_t len, enum push_kind *kind)
{
	for (unsigned i = 0; i < PUSH_KINDS; i++)
		if (ends_with(path, len, push_format(i)->path)) {
			*kind = i;
			return true;
		}
	return false;
}

static int refuse_kind(const char *text, struct buf *why)
{
	return why__refuse(why, -EINVAL,
			   "which backend is at %s? write pyroscope+%s, parca+%s or otlp+%s", text,
			   text, text, text);
}

int push_url__parse(struct push_url *out, const char *text, struct buf *why)
{
	const char *at = text, *begin, *path;
	char host[PUSH_HOST];
	bool has_kind;
	size_t len;
	int n;

	*out = (struct push_url){};
	has_kind = skip_kind(&at, &out->kind);
	begin = at;
	out->is_tls = skip(&at, "https://");
	if (!is_visible(text) || (!out->is_tls && !skip(&at, "http://")))
		return why__refuse(why, -EINVAL,
				   "%s is no place to push to: write "
				   "pyroscope+https://HOST:PORT, parca+.. or otlp+..",
				   text);
	if (at[strcspn(at, "@?#")])
		return why__refuse(
			why, -EINVAL,
			"%s: no user, password or query can be in it; a password's place "
			"is a file",
			text);
	path = parse_host(at, host);
	if (!path)
		return why__refuse(why, -EINVAL, "%s: this is no host and port", text);
	for (len = strlen(path); len && path[len - 1] == '/';)
		len--;
	if (!has_kind && !find_kind(path, len, &out->kind))
		return refuse_kind(text, why);
	out->is_loopback = is_loopback(host);
	n = snprintf(out->url, sizeof(out->url), "%.*s%s", (int)(path - begin + len), begin,
		     ends_with(path, len, push_format(out->kind)->path)
			     ? ""
			     : push_format(out->kind)->path);
	return n < (int)sizeof(out->url)
		       ? 0
		       : why__refuse(why, -EINVAL, "%s is longer than %d bytes", text, PUSH_URL);
}
