// SPDX-License-Identifier: BSD-2-Clause
/* Listens where it is told to, and has libmicrohttpd speak HTTP there. */
#include "serve/http_server.h"

#include <errno.h>
#include <string.h>

#include "base/why.h"

#ifdef HAVE_MICROHTTPD
#include <limits.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/packer.h"
#include "serve/listening.h"

enum { CONNECTION_BYTES = 16 * 1024, SMALL = 512, UNSENT_BYTES = 64 << 20 };

/* A request, from its headers up to when its answer is sent, or nobody waits for it. */
struct http_call {
	struct http_call *next; /* of those that are put off */
	struct MHD_Connection *connection;
	uint64_t number;
	bool is_put_off, is_answered;
	struct http_answer answer; /* of one that was put off */
	size_t bytes;		   /* that are being sent */
};

struct http_server {
	struct MHD_Daemon *daemon;
	http_handler *handler;
	void *arg;
	struct http_call *put_off;
	uint64_t nr_calls;
	size_t unsent_bytes; /* of answers whose readers are slow */
	char address[LISTENING_NAME];
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

static int say(struct http_answer *a, unsigned status, const char *text)
{
	buf__clear(&a->body);
	a->status = status;
	a->type = "text/plain; charset=utf-8";
	return buf__puts(&a->body, text);
}

/* Whose readers have taken too little so far: no memory for another one. */
static enum MHD_Result send_busy(struct MHD_Connection *c)
{
	static char text[] = "readers are too slow: ask again later\n";
	struct MHD_Response *r =
		MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result =
		r ? MHD_queue_response(c, MHD_HTTP_SERVICE_UNAVAILABLE, r) : MHD_NO;

	if (r)
		MHD_destroy_response(r);
	return result;
}

static enum MHD_Result send_answer(struct http_server *s, struct http_call *call,
				   struct http_answer *a)
{
	struct MHD_Connection *c = call->connection;
	struct buf packed = {};
	bool is_packed =
		!a->is_packed && a->body.len > SMALL && takes_gzip(c) && !pack(&a->body, &packed);
	struct buf *body = is_packed ? &packed : &a->body;
	enum MHD_Result result = MHD_NO;
	struct MHD_Response *r = NULL;

	if (s->unsent_bytes + body->len > UNSENT_BYTES && s->unsent_bytes) {
		result = send_busy(c);
	} else {
		call->bytes = body->len;
		s->unsent_bytes += call->bytes;
		r = response_of(body, a->type, is_packed);
	}
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

const char *http_request__query(const struct http_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

void http_server__answer(struct http_server *s, uint64_t number, struct http_answer *answer)
{
	for (struct http_call *call = s->put_off; call; call = call->next)
		if (call->number == number && !call->is_answered) {
			call->answer = *answer;
			call->is_answered = true;
			*answer = (struct http_answer){};
			MHD_resume_connection(call->connection);
			return;
		}
	buf__free(&answer->body);
}

static struct http_call *begin_call(struct http_server *s, struct MHD_Connection *c)
{
	struct http_call *call = calloc(1, sizeof(*call));

	if (call) {
		call->connection = c;
		call->number = ++s->nr_calls;
	}
	return call;
}

/* The connection is not looked at until there is an answer. */
static void put_off(struct http_server *s, struct http_call *call)
{
	call->is_put_off = true;
	call->next = s->put_off;
	s->put_off = call;
	MHD_suspend_connection(call->connection);
}

/* MHD_RequestCompletedCallback: it is over, answered or not. */
static void end_call(void *arg, struct MHD_Connection *c, void **state,
		     enum MHD_RequestTerminationCode why)
{
	struct http_server *s = arg;
	struct http_call *call = *state, **at = &s->put_off;

	*state = NULL;
	if (!call)
		return;
	while (*at && *at != call)
		at = &(*at)->next;
	if (*at)
		*at = call->next;
	s->unsent_bytes -= call->bytes;
	buf__free(&call->answer.body);
	free(call);
}

/*
 * A script of a page of the web, whose own name leads here; or a page that has this address: its
 * browser says that it is of another site.
 */
static bool is_from_web(const struct http_server *s, struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	const char *site = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site");

	if (site && strcmp(site, "none") && strcmp(site, "same-origin"))
		return true;
	return s->is_local && host && !listening__is_local_name(host);
}

/* Of "http://127.0.0.1:9870/metrics", as a proxy is asked, and servers must answer. */
static const char *path_of(const char *url)
{
	const char *path = strncmp(url, "http://", 7) ? url : strchr(url + 7, '/');

	return path ? path : "/";
}

/* What is to be said to a request: 0, HTTP_LATER, or -errno. */
static int answer_call(struct http_server *s, struct http_call *call, const char *url,
		       const char *method, struct http_answer *a)
{
	struct MHD_Connection *c = call->connection;
	const struct http_request request = {
		.path = path_of(url),
		.accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT),
		.is_head = !strcmp(method, MHD_HTTP_METHOD_HEAD),
		.number = call->number,
		.connection = c,
	};
	int err;

	if (strcmp(method, MHD_HTTP_METHOD_GET) && !request.is_head)
		return say(a, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only\n");
	if (is_from_web(s, c))
		return say(a, MHD_HTTP_FORBIDDEN,
			   "this address is localhost's alone; for others: --listen\n");
	err = s->handler(s->arg, &request, a);
	return err < 0 ? say(a, MHD_HTTP_INTERNAL_SERVER_ERROR, "the exporter has failed\n") : err;
}

/*
 * Called once when the headers are there, and again when the rest is: GET has no rest, and that of
 * others is not waited for. And once more when there is an answer that was put off.
 */
static enum MHD_Result answer(void *arg, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct http_server *s = arg;
	struct http_call *call = *state;
	struct http_answer a = { .status = MHD_HTTP_OK, .type = "text/plain; charset=utf-8" };
	int err;

	if (call && call->is_put_off)
		return call->is_answered ? send_answer(s, call, &call->answer) : MHD_NO;
	if (!call) {
		call = *state = begin_call(s, c);
		if (!call)
			return MHD_NO;
		if (!strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD))
			return MHD_YES;
	}
	/* A body, which says nothing here. */
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	err = answer_call(s, call, url, method, &a);
	if (!err)
		return send_answer(s, call, &a);
	buf__free(&a.body);
	if (err == HTTP_LATER)
		put_off(s, call);
	return err == HTTP_LATER ? MHD_YES : MHD_NO;
}

/* Where strangers send what is no HTTP, nothing is told of it. */
static void drop_message(void *arg, const char *format, va_list ap)
{
}

int http_server__check(const char *where, struct buf *why)
{
	return listening__check(where, why);
}

static int listen_fd(const struct http_server *s)
{
	return MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_LISTEN_FD)->listen_fd;
}

int http_server__open(struct http_server **out, const char *where, struct http_server *beside,
		      http_handler *handler, void *arg, struct buf *why)
{
	struct http_server *s = calloc(1, sizeof(*s));
	int fd;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->handler = handler;
	s->arg = arg;
	fd = listening__open(where, beside ? listen_fd(beside) : -1, why);
	if (fd < 0) {
		free(s);
		return fd;
	}
	listening__name(fd, s->address, sizeof(s->address));
	s->is_local = listening__is_local(fd);
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME,
				     0, NULL, NULL, answer, s, MHD_OPTION_EXTERNAL_LOGGER,
				     drop_message, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_S,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
				     MHD_OPTION_NOTIFY_COMPLETED, end_call, s, MHD_OPTION_END);
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
	for (struct http_call *call = s->put_off; call; call = call->next)
		if (!call->is_answered)
			MHD_resume_connection(call->connection);
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

int http_server__check(const char *where, struct buf *why)
{
	return 0;
}

int http_server__open(struct http_server **out, const char *where, struct http_server *beside,
		      http_handler *handler, void *arg, struct buf *why)
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
