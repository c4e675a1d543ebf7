// SPDX-License-Identifier: BSD-2-Clause
/* Listens where it is told to, and has libmicrohttpd speak HTTP there. */
#include "serve/http_server.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/why.h"

#ifdef HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <limits.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/packer.h"

enum { CONNECTION_BYTES = 32 * 1024, BACKLOG = 128, SMALL = 512 };

/* A request whose answer is put off. */
struct waiting {
	struct waiting *next;
	uint64_t number;
	struct MHD_Connection *connection;
	struct http_answer answer;
	bool is_answered;
};

struct http_server {
	struct MHD_Daemon *daemon;
	http_handler *handler;
	void *arg;
	struct waiting *waiting;
	uint64_t nr_requests;
	char address[80];
	bool is_local;
};

static bool takes_gzip(struct MHD_Connection *c)
{
	const char *accept =
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	const char *gzip = accept ? strstr(accept, "gzip") : NULL;

	return gzip && strncmp(gzip, "gzip;q=0", 8) && strncmp(gzip, "gzip; q=0", 9);
}

static int pack(const struct buf *body, struct buf *out)
{
	struct packer *p = packer__new(PACK_GZIP);
	char bytes[16 * 1024];
	int err = p ? 0 : -ENOMEM;
	size_t n;

	if (!err)
		packer__feed(p, body->data, body->len, true);
	while (!err && (n = packer__take(p, bytes, sizeof(bytes))))
		err = buf__put(out, bytes, n);
	packer__free(p);
	return err;
}

/* The body is the response's from here on. */
static struct MHD_Response *response_of(struct buf *body, const char *type, bool is_packed)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(body->len, body->data, MHD_RESPMEM_MUST_FREE);

	if (!r)
		return NULL;
	*body = (struct buf){};
	if (MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type) != MHD_YES ||
	    (is_packed &&
	     MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip") != MHD_YES) ||
	    MHD_add_response_header(r, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding") !=
		    MHD_YES ||
	    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff") != MHD_YES) {
		MHD_destroy_response(r);
		return NULL;
	}
	return r;
}

static enum MHD_Result send_answer(struct MHD_Connection *c, struct http_answer *a)
{
	struct buf packed = {};
	bool is_packed =
		!a->is_packed && a->body.len > SMALL && takes_gzip(c) && !pack(&a->body, &packed);
	struct MHD_Response *r = response_of(is_packed ? &packed : &a->body, a->type, is_packed);
	enum MHD_Result result = MHD_NO;

	if (r && a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (r)
		result = MHD_queue_response(c, a->status, r);
	if (r)
		MHD_destroy_response(r);
	buf__free(&packed);
	buf__free(&a->body);
	return result;
}

static int say(struct http_answer *a, unsigned status, const char *text)
{
	buf__clear(&a->body);
	a->status = status;
	a->type = "text/plain; charset=utf-8";
	return buf__puts(&a->body, text);
}

const char *http_request__query(const struct http_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result wait_for_answer(struct http_server *s, struct MHD_Connection *c,
				       uint64_t number, void **state)
{
	struct waiting *w = calloc(1, sizeof(*w));

	if (!w)
		return MHD_NO;
	*w = (struct waiting){ .next = s->waiting, .number = number, .connection = c };
	s->waiting = w;
	*state = w;
	MHD_suspend_connection(c);
	return MHD_YES;
}

void http_server__answer(struct http_server *s, uint64_t number, struct http_answer *answer)
{
	for (struct waiting *w = s->waiting; w; w = w->next)
		if (w->number == number && !w->is_answered) {
			w->answer = *answer;
			w->is_answered = true;
			*answer = (struct http_answer){};
			MHD_resume_connection(w->connection);
			return;
		}
	buf__free(&answer->body);
}

static int has_headers;

/* A request is over, answered or not. */
static void end_request(void *arg, struct MHD_Connection *c, void **state,
			enum MHD_RequestTerminationCode why)
{
	struct http_server *s = arg;
	struct waiting *gone = *state == &has_headers ? NULL : *state;

	for (struct waiting **at = &s->waiting; *at && gone; at = &(*at)->next)
		if (*at == gone) {
			*at = gone->next;
			buf__free(&gone->answer.body);
			free(gone);
			break;
		}
	*state = NULL;
}

/*
 * "127.0.0.1:9870", "localhost", "[::1]:80". A page of the web can have its own name lead to this
 * machine (DNS rebinding), and its script ask here: what it asks for has that name.
 */
static bool is_local_name(const char *host)
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

static bool is_from_web(const struct http_server *s, struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return s->is_local && host && !is_local_name(host);
}

/*
 * Called once when the headers are there, and again when the rest is: GET has no rest. And once
 * more when an answer is there that was put off.
 */
static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct http_server *s = arg;
	const bool is_waiting = *state && *state != &has_headers;
	struct http_answer a = { .status = MHD_HTTP_OK, .type = "text/plain; charset=utf-8" };
	const struct http_request request = {
		.path = url,
		.accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT),
		.is_head = !strcmp(method, MHD_HTTP_METHOD_HEAD),
		.number = s->nr_requests + 1,
		.connection = c,
	};
	int err;

	if (is_waiting)
		return send_answer(c, &((struct waiting *)*state)->answer);

	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		err = say(&a, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
		return err ? MHD_NO : send_answer(c, &a);
	}
	if (!*state) {
		*state = &has_headers;
		return MHD_YES;
	}
	if (is_from_web(s, c)) {
		err = say(&a, MHD_HTTP_FORBIDDEN,
			  "this address is localhost's alone; for others: --listen\n");
		return err ? MHD_NO : send_answer(c, &a);
	}
	s->nr_requests++;
	err = s->handler(s->arg, &request, &a);
	if (err == HTTP_LATER) {
		buf__free(&a.body);
		return wait_for_answer(s, c, request.number, state);
	}
	if (err)
		err = say(&a, MHD_HTTP_INTERNAL_SERVER_ERROR, "the exporter has failed\n");
	if (!err)
		return send_answer(c, &a);
	buf__free(&a.body);
	return MHD_NO;
}

/* Where strangers send what is no HTTP, nothing is told of it. */
static void drop_message(void *arg, const char *format, va_list ap)
{
}

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

static bool is_local(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
	return a->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

static void name_address(struct http_server *s, int fd)
{
	char host[64] = "?", port[8] = "?";
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	if (getsockname(fd, (struct sockaddr *)&a, &len) ||
	    getnameinfo((struct sockaddr *)&a, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	s->is_local = is_local((struct sockaddr *)&a);
	snprintf(s->address, sizeof(s->address), strchr(host, ':') ? "[%s]:%s" : "%s:%s", host,
		 port);
}

/* IPv6 takes IPv4 along where it stands for all addresses. */
static int listen_at(const struct addrinfo *a)
{
	const int on = 1, off = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int listen_on(const char *where, struct buf *why)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	char host[64], port[8];
	int fd = -EINVAL;

	if (split(where, host, sizeof(host), port, sizeof(port)) ||
	    getaddrinfo(*host ? host : "::", port, &hints, &found))
		return why__refuse(why, -EINVAL,
				   "--listen: '%s' is no address: 127.0.0.1:9870, [::1]:9870, or "
				   ":9870 for all",
				   where);
	fd = listen_at(found);
	freeaddrinfo(found);
	found = NULL;
	/* A machine without IPv6. */
	if (fd == -EAFNOSUPPORT && !*host && !getaddrinfo("0.0.0.0", port, &hints, &found))
		fd = listen_at(found);
	if (found)
		freeaddrinfo(found);
	if (fd < 0)
		return why__refuse(why, fd == -EINVAL ? -EIO : fd, "cannot listen on %s: %s", where,
				   strerror(-fd));
	return fd;
}

int http_server__open(struct http_server **out, const char *where, http_handler *handler, void *arg,
		      struct buf *why)
{
	struct http_server *s = calloc(1, sizeof(*s));
	int fd;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->handler = handler;
	s->arg = arg;
	fd = listen_on(where, why);
	if (fd < 0) {
		free(s);
		return fd;
	}
	name_address(s, fd);
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME,
				     0, NULL, NULL, answer, s, MHD_OPTION_EXTERNAL_LOGGER,
				     drop_message, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_S,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
				     MHD_OPTION_NOTIFY_COMPLETED, end_request, s, MHD_OPTION_END);
	if (!s->daemon) {
		close(fd);
		free(s);
		return why__refuse(why, -EIO, "cannot serve HTTP on %s", where);
	}
	*out = s;
	return 0;
}

void http_server__close(struct http_server *s)
{
	if (!s)
		return;
	/* The daemon wants them to go on before it ends. */
	for (struct waiting *w = s->waiting; w; w = w->next)
		if (!w->is_answered)
			MHD_resume_connection(w->connection);
	MHD_stop_daemon(s->daemon);
	free(s);
}

const char *http_server__address(const struct http_server *s)
{
	return s->address;
}

bool http_server__is_local(const struct http_server *s)
{
	return s->is_local;
}

int http_server__fd(const struct http_server *s)
{
	return MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http_server__patience_ms(const struct http_server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(s->daemon, &ms) != MHD_YES)
		return -1;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

int http_server__run(struct http_server *s)
{
	return MHD_run(s->daemon) == MHD_YES ? 0 : -EIO;
}

#else
const char *http_request__query(const struct http_request *request, const char *name)
{
	return NULL;
}

void http_server__answer(struct http_server *s, uint64_t number, struct http_answer *answer)
{
	buf__free(&answer->body);
}

int http_server__open(struct http_server **out, const char *where, http_handler *handler, void *arg,
		      struct buf *why)
{
	*out = NULL;
	return why__refuse(why, -ENOSYS, "this pmutrace was built without libmicrohttpd");
}

void http_server__close(struct http_server *s)
{
}

const char *http_server__address(const struct http_server *s)
{
	return "";
}

bool http_server__is_local(const struct http_server *s)
{
	return true;
}

int http_server__fd(const struct http_server *s)
{
	return -1;
}

int http_server__patience_ms(const struct http_server *s)
{
	return -1;
}

int http_server__run(struct http_server *s)
{
	return -EIO;
}
#endif
