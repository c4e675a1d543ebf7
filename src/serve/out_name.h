/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/out_name.h - what files of a directory of profiles are called: their names sort by time,
 * and say what is in them.
 *
 *	20261127T113000Z-000017-docker_1a2b3c4d5e6f.pb.gz
 *
 * When the profile begins (UTC), a number that tells it from others of that second, whose it is,
 * and an ending. Whose it is may be anything: what is not a letter, a digit or one of "._-" is '_'
 * there, and no more than OUT_NAME_WHOSE bytes are kept.
 *
 * A name that out_name__parse() takes is one that out_name__make() could have made, and nothing
 * else: files with other names are somebody else's.
 */
#ifndef PMUTRACE_SERVE_OUT_NAME_H
#define PMUTRACE_SERVE_OUT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum { OUT_NAME_WHOSE = 100, OUT_NAME_ENDING = 24, OUT_NAME = 160 };

struct out_name {
	uint64_t begin_s; /* since 1970, before the year 10000 */
	uint32_t number;
	const char *whose;  /* any bytes; "" is "_" */
	const char *ending; /* without its dot: "pb.gz"; at most OUT_NAME_ENDING bytes */
};

/* 0; -EINVAL: the ending, or the time, is none. */
int out_name__make(char out[OUT_NAME], const struct out_name *name) must_check;

/* Whether it is one with this ending; what it says: begin_s and number, the rest is NULL. */
bool out_name__parse(const char *text, const char *ending, struct out_name *out);

#endif
