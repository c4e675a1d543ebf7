/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/lookup_wire.h - messages between lookup_reader.c, which asks, and lookup_reading.c, which
 * reads files in a jail.
 *
 *						answers: LOOKUP_READY, once
 *	asks: struct lookup_asked, with the file		 LOOKUP_REQUEST, if a debug file is
 *	      if it is another one than before			 wanted
 *	      struct lookup_grant, and a descriptor		 LOOKUP_ANSWER: the rest is in the
 *								 file for long answers
 *
 * What is there: the answer's records, each followed by its texts; of an error, its sentence. It is
 * the same where a file is read by who asks: there is one way to take an answer.
 */
#ifndef PMUTRACE_LOOKUP_LOOKUP_WIRE_H
#define PMUTRACE_LOOKUP_LOOKUP_WIRE_H

#include <stdint.h>

#include "elf/debug_places.h"

enum lookup_kind {
	LOOKUP_FUNCTION,    /* text: its name -> one record */
	LOOKUP_FUNCTIONS,   /* text: a pattern -> a record for each */
	LOOKUP_NO_FUNCTION, /* text: a pattern -> an error: none matches */
	LOOKUP_USDT,	 /* a record for each place; with a text: of the probe of that name alone */
	LOOKUP_PLACE,	 /* offset: may a probe be there? -> nothing, or an error */
	LOOKUP_HAZARDS,	 /* one record */
	LOOKUP_EXITS,	 /* offset: of a function -> a record for its entry, one for each exit */
	LOOKUP_GO_ENTRY, /* text: a function of Go -> one record; none: it has no symbol */
	LOOKUP_PROLOGUES, /* one record: of how many functions, and how many keep frame pointers */
	LOOKUP_KINDS,
};

/* Followed by the file's path, the text and the provider, each without a NUL. */
struct lookup_asked {
	uint32_t kind; /* enum lookup_kind */
	uint32_t path_bytes, text_bytes, provider_bytes;
	uint8_t has_text, has_provider, unused[6];
	uint64_t offset;
};

/* LOOKUP_READY: it is caged; the rest is 0. */
enum lookup_reply_kind { LOOKUP_ANSWER, LOOKUP_REQUEST, LOOKUP_READY };

struct lookup_reply {
	uint32_t kind; /* enum lookup_reply_kind */
	/* LOOKUP_ANSWER */
	int32_t err; /* 0 or -errno */
	uint32_t nr; /* records; 0 on an error */
	uint32_t unused;
	uint64_t bytes; /* of the records, or of the sentence */
};

enum lookup_text { LOOKUP_NAME, LOOKUP_PROVIDER, LOOKUP_ARGS, LOOKUP_TEXTS };

enum lookup_flag {
	LOOKUP_IS_ALIAS = 1 << 0, /* LOOKUP_FUNCTIONS: struct lookup_function.is_alias */
	/* LOOKUP_EXITS, the first record: struct exits. */
	LOOKUP_CALLS = 1 << 0,
	LOOKUP_CHECKS_STACK = 1 << 1,
	/* LOOKUP_EXITS, the others: struct exit_place. */
	LOOKUP_UNSURE = 1 << 0,
	LOOKUP_JUMP = 1 << 1,
};

/* Followed by its texts, each with its NUL. */
struct lookup_record {
	uint64_t offset;
	uint64_t size; /* LOOKUP_PROLOGUES: functions looked at */
	/*
	 * Functions: skip; USDT: the semaphore; LOOKUP_HAZARDS: is it recent Go? LOOKUP_PROLOGUES:
	 * functions that keep frame pointers.
	 */
	uint64_t more;
	uint32_t flags; /* enum lookup_flag; LOOKUP_HAZARDS: enum hazard */
	int32_t condition;
	uint32_t text_bytes[LOOKUP_TEXTS]; /* with the NUL; 0: none */
	uint32_t unused;
};

/* A debug file; followed by its name, without a NUL. */
struct lookup_request {
	struct lookup_reply head;
	uint32_t place; /* PLACE_BY_ID, PLACE_BY_LINK */
	uint32_t nr;	/* the nr-th place */
	uint32_t name_bytes;
	uint8_t id_len, unused[3];
	uint8_t id[PLACE_ID_BYTES];
};

struct lookup_grant {
	int32_t err; /* 0: with a descriptor; or -errno */
};

/* Sentences are cut there. */
enum { LOOKUP_WHY_BYTES = 16 * 1024 };

_Static_assert(sizeof(struct lookup_asked) == 32 && sizeof(struct lookup_reply) == 24 &&
		       sizeof(struct lookup_record) == 48 && sizeof(struct lookup_request) == 104,
	       "without gaps");

#endif
