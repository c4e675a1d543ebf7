/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/name_wire.h - messages between name_reader.c, which asks for names, and name_reading.c, which
 * reads files in a jail.
 *
 *	asks: struct name_setup			answers: NAME_READY
 *	      NAME_BATCH questions at most		 NAME_ANSWERS, up to one for each
 *	      struct name_grant, and a descriptor	 NAME_REQUEST, whenever a file is wanted
 *							 NAME_LOG
 */
#ifndef PMUTRACE_SYM_NAME_WIRE_H
#define PMUTRACE_SYM_NAME_WIRE_H

#include <stdint.h>

#include "sym/file_names.h"

enum {
	NAME_BATCH = 64,
	NAME_LOG_BYTES = 512,
	NAME_LONG_AT = 4096, /* in the file for long answers; before that: which question is read */
	NAME_LONG_BYTES = 2 << 20,
};

/* In place of a question's number. */
#define NAME_NOT_BEGUN UINT32_MAX

struct name_setup {
	uint64_t symbol_bytes, debug_bytes;
	uint8_t demangle, inlines, lines, places, no_symbols, unused[3];
};

struct name_question {
	uint32_t kind; /* enum file_question_kind */
	uint32_t file, pid, life;
	uint64_t at, vaddr;
	uint32_t has_identity; /* the first time */
	uint32_t unused;
	struct file_identity identity;
};

enum name_reply_kind { NAME_READY, NAME_ANSWERS, NAME_REQUEST, NAME_LOG };

struct name_reply {
	uint32_t kind;
	uint32_t nr; /* NAME_ANSWERS: of answers that follow */
	struct file_gaps gaps;
};

/* Followed by the name, by those of inlined functions, and by lines (sym/source_lines.h). */
struct name_answer {
	int32_t err;
	uint32_t what, map, nr_inlined;
	uint32_t name_bytes, inlined_bytes;
	uint8_t named, in_function, has_file;
	uint8_t is_long; /* the only one in its message; its names are in the file for that */
	uint8_t no_debug_room;
	uint8_t unused[3];
	uint64_t vaddr, function;
	uint32_t lines_bytes;
	uint8_t build_id_len, unused_too[7];
	uint8_t build_id[BUILD_ID_BYTES];
};

/* Followed by the place's name and directory, each without a NUL. */
struct name_request {
	uint32_t kind; /* enum file_request_kind */
	uint32_t file, nr, pid, life;
	uint32_t place; /* enum debug_place_kind */
	uint32_t name_bytes, dir_bytes;
	uint8_t has_name, has_dir, id_len, unused;
	uint8_t id[PLACE_ID_BYTES];
};

struct name_grant {
	int32_t err; /* 0: with a descriptor; or -errno */
};

_Static_assert(sizeof(struct name_setup) == 24 && sizeof(struct file_identity) == 48 &&
		       sizeof(struct name_question) == 88 && sizeof(struct name_reply) == 40 &&
		       sizeof(struct name_answer) == 80 && sizeof(struct name_request) == 100,
	       "without gaps, but for the ones in struct file_identity");

#endif
