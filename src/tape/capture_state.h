/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/capture_state.h - private to capture_read.c, which reads blocks and windows, and
 * capture_tables.c, which reads what windows are about: strings, frames, stacks, rows.
 *
 * Numbers of the file become ids of the profile; what the profile has no room for is CAPTURE_GONE.
 */
#ifndef PMUTRACE_TAPE_CAPTURE_STATE_H
#define PMUTRACE_TAPE_CAPTURE_STATE_H

#include "base/buf.h"
#include "model/profile.h"
#include "tape/capture.h"
#include "tape/cursor.h"

enum { CAPTURE_GONE = UINT32_MAX }; /* there was no room for it in the profile */

struct capture_node {
	uint32_t id, depth;
};

/* Of a frame, by its number in the file. */
struct capture_place {
	uint64_t frame;
	struct code_place at; /* with strings of the file */
};

struct capture_row {
	struct row_key key; /* with ids of the profile */
	uint32_t id;	    /* its row; CAPTURE_GONE: none yet, or none */
};

/* The window whose entries are read. */
struct capture_window {
	bool is_open, is_wanted;
	uint64_t begin_ns, end_ns, own_ns;
	uint64_t told, kept, full; /* samples: told to be kept; read; without room */
	struct losses losses;
	struct window_times times[CAPTURE_EVENTS_MAX];
};

struct capture_in {
	const struct tape_input *input;
	const struct tape_opts *o;
	struct tape_found *found;
	struct profile *p;
	struct cursor *c; /* the part that is read */
	struct buf text;
	uint64_t nr_blocks;
	bool has_about, has_events, at_end, keeps_windows;
	/*
	 * The profile had nothing before, and all that was told so far is new in it: no stack and
	 * no row need be looked up. Frames have the same numbers in both then.
	 */
	bool is_new;
	uint64_t sum; /* of samples told to be kept or lost: sums of them do not overflow */
	unsigned by;
	uint64_t members, in_tick; /* a bit for each event to come */
	uint32_t events[CAPTURE_EVENTS_MAX], nr_events;
	uint32_t *strings, *frames; /* ids of the profile, or CAPTURE_GONE */
	size_t nr_strings, cap_strings, nr_frames, cap_frames;
	struct capture_place *places; /* of frames that are yet to come, in their order */
	size_t nr_places, cap_places, next_place;
	struct capture_node *nodes;
	size_t nr_nodes, cap_nodes;
	struct capture_row *rows;
	size_t nr_rows, cap_rows;
	struct capture_window w;
};

/*
 * The parts of their kinds, of in->c, in the order in which they may come. 0; -EBADMSG: damaged;
 * -ENOMEM.
 */
int capture_tables__about(struct capture_in *in) must_check;
int capture_tables__members(struct capture_in *in) must_check;
int capture_tables__in_tick(struct capture_in *in) must_check;
int capture_tables__events(struct capture_in *in) must_check;
int capture_tables__strings(struct capture_in *in) must_check;
int capture_tables__places(struct capture_in *in) must_check;
int capture_tables__frames(struct capture_in *in) must_check;
int capture_tables__nodes(struct capture_in *in) must_check;
int capture_tables__rows(struct capture_in *in) must_check;

/* How many items of a list follow, of a byte each at least. */
uint32_t capture_tables__list(struct capture_in *in);

/* A text; *kept: the profile's own, or @otherwise if there is no room. 0 or -ENOMEM. */
int capture_tables__text(struct capture_in *in, const char **kept,
			 const char *otherwise) must_check;

/* -ENOSPC is no failure: *id is CAPTURE_GONE then. */
int capture_tables__or_gone(int err, uint32_t *id) must_check;

#endif
