/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/profile_output.h - a profile in the format that was asked for, the same for all commands.
 */
#ifndef PMUTRACE_CMD_PROFILE_OUTPUT_H
#define PMUTRACE_CMD_PROFILE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "cmd/outputs.h"
#include "print/flame/svg.h"

struct buf;
struct profile;

struct profile_output {
	const struct profile *profile;
	const char *command; /* the subcommand's name */
	bool weights;	     /* samples stand for periods: JSON and CSV tell those */
	bool all_events;     /* folded has a count of each */
	bool one_event;	     /* the table has none but svg.event */
	bool is_later;	     /* of an interval that is not the first */
	uint64_t at_ns;	     /* end of the interval, since the start; 0: there are none */
	const uint64_t *net; /* print/profile_json.h */
	bool own_cost;	     /* the same */
	unsigned rows;	     /* of the table; 0: its default */
	bool pprof_cpu;	     /* print/pprof.h */
	const char *color;   /* --color, of svg and html; NULL: by kind and name */
	struct svg_opts svg; /* event, title and noun are those of other formats, too */
};

/* --pprof: "all", or "cpu". NULL: all. 0; -EINVAL with @why; -ENOMEM. */
int profile_output__pprof_kind(const char *kind, bool *cpu, struct buf *why) must_check;

/*
 * What a format shows of @p: *out is @p, or *copy: one without places, for profile__free(), which
 * else is NULL. 0 or -ENOMEM.
 */
int profile_output__shown(const struct profile *p, enum format format, const struct profile **out,
			  struct profile **copy) must_check;

/* Is --all-events of one of the outputs? 0; -EINVAL with @why; -ENOMEM. */
int profile_output__check(const struct outputs *o, bool all_events, struct buf *why) must_check;

/*
 * --color: whether one of the outputs has colours, and shows the event that they are of.
 * @event: the one that is shown. 0; -EINVAL with @why; -ENOMEM.
 */
int profile_output__check_color(const char *color, const struct outputs *o, uint32_t event,
				struct buf *why) must_check;

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int profile_output__write(const struct profile_output *o, FILE *f, enum format format) must_check;

#endif
