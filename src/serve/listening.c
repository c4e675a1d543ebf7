// SPDX-License-Identifier: BSD-2-Clause
/* Reads an address as people write it, and listens there. */
#include "serve/listening.h"

#ifdef HAVE_MICROHTTPD /* nobody listens without it; and a static program asks for no addresses */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/why.h"

enum { BACKLOG = 1024 };

/* "HOST:PORT" in two; HOST is "" for all, without the brackets of IPv6. */
static int split(const char *where, char *host, size_t size, char *port, size_t port_size)
{
	const char *colon = strrchr(where, ':');
	size_t len = colon ? (size_t)(colon - where) : 0;

	if (!colon || !colon[1] || strlen(colon + 1) >= port_size ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1) || atol(colon + 1) > 65535)
		return -EINVAL;
	if (len > 1 && where[0] == '[' && where[len - 1] == ']') {
		where++;
		len -= 2;
	} else if (memchr(where, ':', len)) {
		return -EINVAL;
	}
	if (len >= size)
		return -EINVAL;
	memcpy(host, where, len);
	host[len] = '\0';
	if (!strcmp(host, "localhost"))
		snprintf(host, size, "127.0.0.1");
	snprintf(port, port_size, "%s", colon + 1);
	return 0;
}

static bool is_loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
	return a->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

void listening__name(int fd, char *out, size_t size)
{
	char host[64] = "?", port[8] = "?";
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	snprintf(out, size, "?");
	if (getsockname(fd, (struct sockaddr *)&a, &len) ||
	    getnameinfo((struct sockaddr *)&a, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	snprintf(out, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

bool listening__is_local(int fd)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	return !getsockname(fd, (struct sockaddr *)&a, &len) && is_loopback((struct sockaddr *)&a);
}

/* Whether both may have the same port: each has to say so (socket(7); both are one user's). */
static void share_port(int fd, int beside, int on)
{
	if (beside < 0)
		return;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
	(void)setsockopt(beside, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
}

/* IPv6 takes IPv4 along where it stands for all addresses. */
static int listen_at(const struct addrinfo *a, int beside)
{
	const int on = 1, off = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	share_port(fd, beside, 1);
	err = bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, BACKLOG) ? -errno : 0;
	share_port(fd, beside, 0);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* @all: what ":9870" stands for. *out: the caller's, by freeaddrinfo(). */
static int resolve(const char *where, const char *all, struct addrinfo **out, struct buf *why)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	char host[64], port[8];

	if (!split(where, host, sizeof(host), port, sizeof(port)) &&
	    !getaddrinfo(*host ? host : all, port, &hints, out))
		return 0;
	return why__refuse(why, -EINVAL,
			   "--listen: '%s' is no address: 127.0.0.1:9870, [::1]:9870, or :9870 for "
			   "all",
			   where);
}

int listening__check(const char *where, struct buf *why)
{
	struct addrinfo *found;
	int err = resolve(where, "0.0.0.0", &found, why);

	if (!err)
		freeaddrinfo(found);
	return err;
}

static int open_at(const char *where, const char *all, int beside, struct buf *why)
{
	struct addrinfo *found;
	int fd = resolve(where, all, &found, why);

	if (fd < 0)
		return fd;
	fd = listen_at(found, beside);
	freeaddrinfo(found);
	if (fd >= 0)
		return fd;
	return why__refuse(why, fd == -EINVAL ? -EIO : fd, "cannot listen on %s: %s", where,
			   strerror(-fd));
}

int listening__open(const char *where, int beside, struct buf *why)
{
	int fd = open_at(where, "::", beside, why);

	/* A machine without IPv6. */
	if (fd != -EAFNOSUPPORT || *where != ':')
		return fd;
	buf__clear(why);
	return open_at(where, "0.0.0.0", beside, why);
}

bool listening__is_local_name(const char *host)
{
	const char *end = *host == '[' ? strchr(host, ']') : NULL;
	const size_t len = end ? (size_t)(end + 1 - host) : strcspn(host, ":");
	struct in_addr four;
	char name[64];

	if (len >= sizeof(name) || (host[len] && host[len] != ':') ||
	    host[len + strspn(host + len, ":0123456789")])
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	if (!strcasecmp(name, "localhost") || !strcmp(name, "[::1]"))
		return true;
	return inet_pton(AF_INET, name, &four) == 1 && ntohl(four.s_addr) >> 24 == 127;
}
#endif
