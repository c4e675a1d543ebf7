/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_verdict.h - what an answer, or none, means for the profile that was sent.
 *
 *	2xx			it has arrived
 *	401, 403, 404, 407,	it is sent again later: a token may be renewed, a proxy may be there
 *	408, 429, 3xx, 5xx	before its backend; so it is if nobody has answered
 *	other 4xx		it is dropped: sent again it would be refused again
 *
 * 503, 429 and what is about permission are of the backend: the same profile is the next one again.
 * A backend that fails otherwise, or does not answer, may do so for this profile alone, so the next
 * one is tried first.
 */
#ifndef PMUTRACE_SERVE_PUSH_VERDICT_H
#define PMUTRACE_SERVE_PUSH_VERDICT_H

#include <stdbool.h>

enum push_verdict {
	PUSH_ARRIVED,
	PUSH_DROP,
	PUSH_LATER,
	PUSH_LATER_OTHERS, /* after the others */
};

/* @status: of HTTP; 0: there was no answer. */
enum push_verdict push_verdict(unsigned status);

/* Why a profile did not arrive, and does not any more. */
enum push_loss {
	PUSH_LOST_FULL,	    /* the spool was: the oldest made room */
	PUSH_LOST_DISK,	    /* it could not be written */
	PUSH_LOST_OLD,	    /* older than the backend takes */
	PUSH_LOST_REFUSED,  /* by a status */
	PUSH_LOST_REJECTED, /* the backend took the request, and none or not all of it */
	PUSH_LOST_DAMAGED,  /* the spool's file is empty, or cannot be read */
	PUSH_LOSSES,
};

/* For people, behind a number: "profiles refused by the backend". */
const char *push_loss__text(enum push_loss loss);

/* For programs: "refused". */
const char *push_loss__name(enum push_loss loss);

#endif
