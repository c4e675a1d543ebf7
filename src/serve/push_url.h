/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_url.h - where profiles are pushed to, as people write it.
 *
 *	pyroscope+http://10.0.0.7:4040		-> http://10.0.0.7:4040/push.v1.PusherService/Push
 *	parca+https://x.example/prefix		-> https://x.example/prefix/api/profiles/writeraw
 *	otlp+http://[::1]:4318			-> http://[::1]:4318/v1development/profiles
 *	https://x.example/v1development/profiles	the path says which kind it is
 *
 * An address alone does not say which backend is there: it is refused. So are user names and
 * passwords in it, which every user of the machine could read.
 */
#ifndef PMUTRACE_SERVE_PUSH_URL_H
#define PMUTRACE_SERVE_PUSH_URL_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "serve/push_body.h"

enum { PUSH_URL = 1024, PUSH_HOST = 256 };

struct push_url {
	enum push_kind kind;
	bool is_tls;
	bool is_loopback; /* 127.0.0.0/8, ::1, localhost: what is sent does not leave the machine */
	char url[PUSH_URL]; /* with the kind's path */
};

/* 0; -EINVAL with @why. */
int push_url__parse(struct push_url *out, const char *text, struct buf *why) must_check;

#endif
