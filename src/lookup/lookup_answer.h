/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/lookup_answer.h - a question about a file that is open, and its answer in the records of
 * lookup/lookup_wire.h.
 *
 * lookup_answer__make() runs where the file is read. Who has asked takes what it has written for a
 * stranger's: lookup_answer__check() looks at all of it, before anything of it is used.
 */
#ifndef PMUTRACE_LOOKUP_LOOKUP_ANSWER_H
#define PMUTRACE_LOOKUP_LOOKUP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "lookup/file_lookup.h"
#include "lookup/lookup_wire.h"

struct lookup_question {
	enum lookup_kind kind;
	const char *text;     /* or NULL */
	const char *provider; /* of a USDT probe, or NULL */
	uint64_t offset;
};

/* Bytes on their way to an answer: to a file or, if there is none, all in memory. */
struct lookup_sink {
	int file; /* -1: none */
	struct buf bytes;
	uint64_t written; /* to the file */
	uint32_t nr;	  /* records */
};

int lookup_sink__put(struct lookup_sink *s, const void *bytes, size_t len) must_check;
int lookup_sink__flush(struct lookup_sink *s) must_check;

/**
 * lookup_answer__make() - put an answer's records into a sink
 * @f: borrowed; keeps what it has read for the next question
 *
 * Return: 0; -errno with @why, but for -ENOMEM: then what is in the sink is no answer.
 */
int lookup_answer__make(struct file_lookup *f, const struct lookup_question *q,
			struct lookup_sink *out, struct buf *why) must_check;

/* The records of an answer, checked; zero-initialise it. */
struct lookup_answer {
	char *bytes; /* owned */
	size_t len;
	uint32_t nr;
};

/* Is it an answer to that? Looks at each number and text, and whether there is more. */
bool lookup_answer__check(const struct lookup_answer *a, const struct lookup_question *q);

/*
 * The record at @at, 0 at first; moves *at to the next one. @texts: of the record, in the answer;
 * NULL where there is none. False: that was the last.
 */
bool lookup_answer__next(const struct lookup_answer *a, size_t *at, struct lookup_record *r,
			 const char *texts[LOOKUP_TEXTS]);
void lookup_answer__free(struct lookup_answer *a);

#endif
