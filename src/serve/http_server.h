/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/http_server.h - answers HTTP requests, one after the other, in the thread that polls it.
 *
 * By libmicrohttpd. Whoever asks is a stranger: GET and HEAD alone; at most HTTP_CONNECTIONS at a
 * time, of which each may take 16 KB, and none is silent for longer than HTTP_IDLE_S seconds. An
 * answer is made whole before it is sent: a slow reader keeps nobody waiting; answers that are not
 * read take 64 MB at most. Bodies are packed for who takes gzip. Where only this machine can ask,
 * it must ask for this machine: by an address of it, or as localhost.
 */
#ifndef PMUTRACE_SERVE_HTTP_SERVER_H
#define PMUTRACE_SERVE_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum { HTTP_CONNECTIONS = 512, HTTP_IDLE_S = 5 };

struct http_server;

struct http_request {
	const char *path;   /* "/metrics"; without what is behind '?' */
	const char *accept; /* NULL: it has no such header */
	bool is_head;	    /* the answer's head alone is sent */
	uint64_t number;    /* no other request has it */
	void *connection;   /* private */
};

/* "5" of "?seconds=5", decoded; NULL: it is not there, or has no value. */
const char *http_request__query(const struct http_request *request, const char *name);

struct http_answer {
	unsigned status;  /* 200 */
	const char *type; /* of the body; a literal */
	bool is_packed;	  /* the body is a file that is packed: it is sent as it is */
	struct buf body;
};

/*
 * Fills the answer in. 0; HTTP_LATER: http_server__answer() does; or -errno: the server's own
 * fault, which is told as such (500).
 */
enum { HTTP_LATER = 1 };
typedef int http_handler(void *arg, const struct http_request *request, struct http_answer *answer);

/* Whether that is where one can listen, of whatever machine. 0 or -EINVAL, with @why. */
int http_server__check(const char *where, struct buf *why) must_check;

/**
 * http_server__open() - listen
 * @where: "127.0.0.1:9870", "[::1]:9870", "localhost:9870", ":9870" (all addresses); port 0: any
 * @beside: one that is about to be closed, and may have the same port; NULL: none
 *
 * Return: 0; -EINVAL: that is no address; -ENOSYS: pmutrace was built without libmicrohttpd;
 * another -errno: all with @why.
 */
int http_server__open(struct http_server **out, const char *where, struct http_server *beside,
		      http_handler *handler, void *arg, struct buf *why) must_check;
void http_server__close(struct http_server *s);

/*
 * The answer to a request that was put off, which is taken. If whoever asked is gone, it is
 * dropped.
 */
void http_server__answer(struct http_server *s, uint64_t number, struct http_answer *answer);

/* Where it listens: "127.0.0.1:9870". */
const char *http_server__address(const struct http_server *s);

/* Only programs of this machine can reach it. */
bool http_server__is_local(const struct http_server *s);

/* Readable: http_server__run() has something to do. */
int http_server__fd(const struct http_server *s);

/* Milliseconds until that is to be called anyway; -1: not before something comes. */
int http_server__patience_ms(const struct http_server *s);

/* Takes, reads and answers what there is; does not wait. 0 or -EIO. */
int http_server__run(struct http_server *s) must_check;

#endif
