// SPDX-License-Identifier: BSD-2-Clause
/*
 * A request for the exporter: what a stranger sends, through the server as it is, over the
 * loopback. Whatever comes is answered with a status of HTTP, or the connection is closed; Host,
 * Accept and the parameters of a profile go through our own parsers.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/exposition.h"
#include "serve/http_server.h"
#include "serve/profiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One line for each sample, whatever is in its label. */
static void check_label(const char *text)
{
	struct buf out = {};
	struct exposition x = { .out = &out };

	exposition__family(&x, "a_total", METRIC_COUNTER, "A");
	exposition__label(&x, "text", text);
	exposition__u64(&x, 1);
	if (exposition__end(&x))
		abort();
	for (size_t i = 0, nr = 0; i < out.len; i++) {
		nr += out.data[i] == '\n';
		if (nr == 3 && i + 1 != out.len)
			abort();
	}
	buf__free(&out);
}

static int handle(void *arg, const struct http_request *request, struct http_answer *a)
{
	const char *event = http_request__query(request, "event");
	struct profile_wish wish;
	struct buf why = {};
	int err = profile_wish__parse(&wish, http_request__query(request, "seconds"),
				      http_request__query(request, "rate"), event,
				      http_request__query(request, "pid"), &why);

	/* Words of a command line are made of it. */
	if (!err && (*wish.event == '-' || strpbrk(wish.event, "/,{}=@ \n")))
		abort();
	if (!err && (wish.seconds < 1 || wish.seconds > PROFILE_SECONDS_MAX || wish.hz < 1 ||
		     wish.hz > PROFILE_HZ_MAX))
		abort();
	(void)exposition__wants_open_metrics(request->accept);
	check_label(request->path);
	if (event)
		check_label(event);
	buf__free(&why);
	if (request->path[0] != '/' && request->path[0] != '*')
		a->status = 404;
	return buf__printf(&a->body, "%s\n", request->path);
}

/* The fuzzer's clock interrupts a connect(), which goes on by itself then. */
static bool is_connected(int fd)
{
	struct pollfd one = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int err, ready;

	if (errno != EINTR)
		return false;
	do
		ready = poll(&one, 1, -1);
	while (ready < 0 && errno == EINTR);
	return ready == 1 && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) && !err;
}

static int connect_to(const char *address)
{
	const struct linger at_once = { .l_onoff = 1 };
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons((uint16_t)atoi(strrchr(address, ':') + 1));
	if (fd < 0 || (connect(fd, (struct sockaddr *)&to, sizeof(to)) && !is_connected(fd)))
		abort();
	/* No port waits for anything afterwards. */
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)))
		abort();
	return fd;
}

static void check_answer(const char *bytes, size_t len)
{
	unsigned status;

	if (len && len < 12)
		abort();
	if (len &&
	    (sscanf(bytes, "HTTP/1.%*1[01] %3u", &status) != 1 || status < 100 || status > 599))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { TURNS = 50 };
	static struct http_server *server;
	char bytes[512] = "";
	struct buf why = {};
	size_t len = 0;
	int fd;

	if (!server && http_server__open(&server, "127.0.0.1:0", NULL, handle, NULL, &why)) {
		buf__free(&why);
		return 0; /* built without */
	}
	if (size > 64 * 1024)
		return 0;
	fd = connect_to(http_server__address(server));
	if (size && send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
		abort();
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < TURNS; i++) {
		ssize_t n;

		if (http_server__run(server))
			abort();
		n = recv(fd, bytes + len, sizeof(bytes) - 1 - len, MSG_DONTWAIT);
		if (n > 0)
			len += n;
		if (!n || len == sizeof(bytes) - 1 || (n < 0 && errno != EAGAIN))
			break;
	}
	close(fd);
	if (http_server__run(server))
		abort();
	check_answer(bytes, len);
	return 0;
}
