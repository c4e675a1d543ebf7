/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/continuous_opts.h - profile --continuous: how long windows are, and where they go.
 */
#ifndef PMUTRACE_CMD_CONTINUOUS_OPTS_H
#define PMUTRACE_CMD_CONTINUOUS_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/opt.h"

struct continuous;
struct jail;

/* A member of a command's options. */
struct continuous_opts_given {
	bool is_on;
	uint64_t every_ns, spool_bytes, dir_bytes, dir_age_ns;
	const char *push, *token, *ca, *spool, *dir, *metrics;
	struct opt_strs labels, headers;
};

#define CONTINUOUS_AT(type, member, field)                                                         \
	(offsetof(type, member) + offsetof(struct continuous_opts_given, field))

/* clang-format off */
#define CONTINUOUS_OPTIONS(type, member) \
	{ OPT_HEAD, .help = "Window by window, without an end" }, \
	{ OPT_BOOL, 0, "continuous", NULL, CONTINUOUS_AT(type, member, is_on), \
	  "profiles of windows, for a backend or a directory" }, \
	{ OPT_TIME, 0, "every", "TIME", CONTINUOUS_AT(type, member, every_ns), \
	  "so long each (10s)" }, \
	{ OPT_STR, 0, "push", "URL", CONTINUOUS_AT(type, member, push), \
	  "to pyroscope+http://HOST:4040, parca+.., otlp+.." }, \
	{ OPT_STR, 0, "push-token", "FILE", CONTINUOUS_AT(type, member, token), \
	  "that has the bearer token" }, \
	{ OPT_STRS, 0, "push-header", "NAME:VALUE", CONTINUOUS_AT(type, member, headers), \
	  "of each request: 'X-Scope-OrgID: team-a'" }, \
	{ OPT_STR, 0, "push-ca", "FILE", CONTINUOUS_AT(type, member, ca), \
	  "certificates to trust, instead of the system's" }, \
	{ OPT_STR, 0, "spool", "DIR", CONTINUOUS_AT(type, member, spool), \
	  "where they wait (/var/lib/pmutrace/spool)" }, \
	{ OPT_COUNT, 0, "spool-size", "SIZE", CONTINUOUS_AT(type, member, spool_bytes), \
	  "so much at most, the oldest go first (256M)" }, \
	{ OPT_STRS, 0, "label", "NAME=VALUE", CONTINUOUS_AT(type, member, labels), \
	  "of what is pushed: env=prod" }, \
	{ OPT_STR, 0, "out-dir", "DIR", CONTINUOUS_AT(type, member, dir), \
	  "a file of pprof for each window" }, \
	{ OPT_COUNT, 0, "out-size", "SIZE", CONTINUOUS_AT(type, member, dir_bytes), \
	  "so much at most, the oldest go first (1G)" }, \
	{ OPT_TIME, 0, "out-age", "TIME", CONTINUOUS_AT(type, member, dir_age_ns), \
	  "and no longer than this: 48h" }, \
	{ OPT_STR, 0, "metrics", "FILE", CONTINUOUS_AT(type, member, metrics), \
	  "how it goes, for node_exporter, after each window" }
/* clang-format on */

enum { CONTINUOUS_EVERY_S = 10 };

/*
 * Whether they make sense together: with --continuous somewhere to go, without it none of them. 0;
 * -EINVAL with @why; -ENOMEM.
 */
int continuous_opts__check(const struct continuous_opts_given *o, struct buf *why) must_check;

/* What a command knows besides. */
struct continuous_run {
	const char *command; /* the subcommand's name */
	struct jail *jail;   /* as serve/continuous.h has it; until close */
	bool keeps_pids;     /* see serve/continuous.h */
};

/*
 * Opens what they say, with one thread, before privileges are dropped; @spool: zero-initialised, to
 * be kept until close. 0 or -errno with @why.
 */
int continuous_opts__open(struct continuous **out, const struct continuous_opts_given *o,
			  const struct continuous_run *run, struct buf *spool,
			  struct buf *why) must_check;
void continuous_opts__free(struct continuous_opts_given *o);

#endif
