// SPDX-License-Identifier: BSD-2-Clause
/* Loads libcurl, gives up its privileges, and brings one body after the other. */
#include "serve/courier_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/utf8.h"
#include "jail/cage.h"
#include "jail/message.h"
#include "serve/libcurl.h"
#include "serve/push_otlp.h"

enum { SOCK = 3, MEMORY_BYTES = 256 << 20, CA_BYTES = 4 << 20, BODY_BYTES = 64 << 20 };

static void put_text(char out[COURIER_TEXT + 1], const char *text, size_t len)
{
	struct buf line = {};

	if (!utf8__put_line(&line, text, len, COURIER_TEXT) && line.data)
		snprintf(out, COURIER_TEXT + 1, "%s", line.data);
	buf__free(&line);
}

static void answer(const struct courier_answer *a)
{
	if (message__send(SOCK, a, sizeof(*a), -1))
		_exit(0);
}

static _Noreturn void give_up(const char *text)
{
	struct courier_answer a = {};

	snprintf(a.text, sizeof(a.text), "%s", text);
	answer(&a);
	_exit(1);
}

#ifdef HAVE_CURL

struct courier_run {
	struct libcurl lib;
	CURL *curl;
	const struct push_url *to;
	const char *const *headers; /* the user's */
	size_t nr_headers;
	struct buf body, answer, ca;
	char error[CURL_ERROR_SIZE];
};

/* Of what is more than that, nothing: the transfer ends. */
static size_t take_answer(char *bytes, size_t size, size_t nr, void *arg)
{
	struct courier_run *r = arg;
	const size_t len = size * nr;

	if (r->answer.len + len > COURIER_ANSWER || buf__put(&r->answer, bytes, len))
		return 0;
	return len;
}

static struct curl_slist *add_header(struct courier_run *r, struct curl_slist *list,
				     const char *text)
{
	struct curl_slist *longer = r->lib.slist_append(list, text);

	if (!longer)
		give_up("out of memory");
	return longer;
}

static struct curl_slist *make_headers(struct courier_run *r, const char *auth)
{
	struct curl_slist *list = NULL;
	char text[COURIER_AUTH + 32];

	for (const char *const *h = push_format(r->to->kind)->headers; *h; h++)
		list = add_header(r, list, *h);
	for (size_t i = 0; i < r->nr_headers; i++)
		list = add_header(r, list, r->headers[i]);
	/* Or a second is waited for an answer before a large body is sent. */
	list = add_header(r, list, "Expect:");
	snprintf(text, sizeof(text), "Authorization: %s", auth);
	return *auth ? add_header(r, list, text) : list;
}

#define SET(option, value)                                                                         \
	do {                                                                                       \
		if (r->lib.easy_setopt(r->curl, option, value) != CURLE_OK)                        \
			give_up("libcurl does not know " #option ": it is too old");               \
	} while (0)

/* What all requests have in common. */
static void set_up(struct courier_run *r)
{
	struct curl_blob ca = { r->ca.data, r->ca.len, CURL_BLOB_NOCOPY };

	r->curl = r->lib.easy_init();
	if (!r->curl)
		give_up("libcurl cannot be used");
	SET(CURLOPT_URL, r->to->url);
	SET(CURLOPT_USERAGENT, "pmutrace/" PMUTRACE_VERSION);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_TIMEOUT, (long)COURIER_S);
	SET(CURLOPT_CONNECTTIMEOUT, (long)COURIER_CONNECT_S);
	SET(CURLOPT_ERRORBUFFER, r->error);
	SET(CURLOPT_WRITEFUNCTION, take_answer);
	SET(CURLOPT_WRITEDATA, r);
	if (r->to->is_loopback)
		SET(CURLOPT_PROXY, "");
	if (r->ca.len)
		SET(CURLOPT_CAINFO_BLOB, &ca);
}

/* Why it was not taken: what the backend says, or else libcurl. */
static void explain(struct courier_run *r, CURLcode code, struct courier_answer *a)
{
	char text[COURIER_TEXT + 1] = "";
	const char *error = *r->error ? r->error : r->lib.easy_strerror(code);

	if (!a->status) {
		put_text(a->text, error, strlen(error));
		return;
	}
	if (r->answer.len)
		put_text(text, r->answer.data, r->answer.len);
	snprintf(a->text, sizeof(a->text), "HTTP %u%s%.160s", a->status, *text ? ": " : "", text);
}

static void read_answer(struct courier_run *r, CURLcode code, struct courier_answer *a)
{
	curl_off_t retry_after = 0;
	long status = 0;

	(void)r->lib.easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, &status);
	(void)r->lib.easy_getinfo(r->curl, CURLINFO_RETRY_AFTER, &retry_after);
	/* Who says "200", and ends then, has taken it. */
	a->status = status >= 200 && status < 1000 ? status : 0;
	a->retry_after_s = retry_after > 0 && retry_after < UINT32_MAX ? retry_after : 0;
	if (a->status < 200 || a->status >= 300)
		explain(r, code, a);
	else if (r->to->kind == PUSH_OTLP)
		push_otlp__read_answer(r->answer.data, r->answer.len, &a->rejected, a->text);
}

static void bring(struct courier_run *r, const char *auth, struct courier_answer *a)
{
	struct curl_slist *headers = make_headers(r, auth);

	buf__clear(&r->answer);
	r->error[0] = '\0';
	SET(CURLOPT_HTTPHEADER, headers);
	SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
	SET(CURLOPT_POSTFIELDS, r->body.data);
	read_answer(r, r->lib.easy_perform(r->curl), a);
	r->lib.slist_free_all(headers);
}

static void load(struct courier_run *r)
{
	const int err = libcurl__load(&r->lib);

	if (err == -ENOENT)
		give_up("libcurl is not installed: pushing needs libcurl.so.4");
	if (err)
		give_up("libcurl cannot be used: it is too old");
}

static void read_certificates(struct courier_run *r, const char *path)
{
	char text[COURIER_TEXT];
	int err = path ? buf__read_file(&r->ca, path, CA_BYTES) : 0;

	if (!err && (!path || r->ca.len))
		return;
	snprintf(text, sizeof(text), "%.120s: %s", path,
		 err ? strerror(-err) : "there are no certificates in it");
	give_up(text);
}

_Noreturn void courier__run(int sock, const struct courier_opts *opts)
{
	struct courier_run *r = calloc(1, sizeof(*r));
	struct courier_request request;
	int body, n;

	prctl(PR_SET_NAME, "pmut-courier");
	if (!r || cage__close_files(sock, -1))
		_exit(1);
	r->to = opts->to;
	r->headers = opts->headers;
	r->nr_headers = opts->nr_headers;
	load(r);
	read_certificates(r, opts->ca_file);
	if (cage__be_nobody() || cage__limit_memory(MEMORY_BYTES) || cage__refuse_calls())
		give_up("the process that pushes profiles cannot become nobody's: that takes "
			"CAP_SETUID and CAP_SETGID");
	set_up(r);
	answer(&(struct courier_answer){});
	while ((n = message__receive(SOCK, &request, sizeof(request), &body)) == sizeof(request)) {
		struct courier_answer a = {};

		buf__clear(&r->body);
		request.auth[COURIER_AUTH - 1] = '\0';
		if (body < 0 || lseek(body, 0, SEEK_SET) < 0 ||
		    buf__read_fd(&r->body, body, BODY_BYTES))
			put_text(a.text, "it cannot be read", 17);
		else
			bring(r, request.auth, &a);
		if (body >= 0)
			close(body);
		answer(&a);
	}
	_exit(0);
}

#else

_Noreturn void courier__run(int sock, const struct courier_opts *opts)
{
	(void)opts;
	if (cage__close_files(sock, -1))
		_exit(1);
	give_up("pmutrace was built without libcurl, which pushing needs");
}

#endif
