/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/table_reader.h - unwind tables of strangers' files, made by a reader in a jail
 * (jail/jail.h): it is given a file's descriptor, and puts the table and its rules into the file
 * for long answers.
 *
 * What it answers is copied, and then every number in it is looked at: a reader that a file has
 * taken over can make wrong stacks of code in that file, which the file could anyway, and no more.
 */
#ifndef PMUTRACE_UNWIND_TABLE_READER_H
#define PMUTRACE_UNWIND_TABLE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "jail/jail.h"
#include "unwind/rules.h"
#include "unwind/table.h"

/* What it is asked, with the file's descriptor. */
struct table_question {
	uint64_t max_rows;
};

/*
 * What it answers. If there are rows its file has the rules, then the pages (nr_pages + 1), then
 * the rows of struct unwind_table; numbers of rules are those there.
 */
struct table_answer {
	int32_t err; /* 0 or -errno */
	uint32_t nr_rules, nr_segments, nr_rows, nr_pages, unused;
	uint64_t base;
	struct unwind_segment segments[UNWIND_SEGMENTS];
};

/* Its kind, for jail__open(). */
extern const struct jail_reader table_reader;

/**
 * table_reader__build() - as unwind_table__build(), of the file behind @fd
 *
 * Return: 0 (nr_rows 0: no ELF file, or nothing is described); -E2BIG; -ENOMEM; -EPIPE, -ETIME,
 * -EBADMSG: the reader is of no use any more, because of this file: jailed__why().
 */
int table_reader__build(struct jailed *reader, int fd, struct unwind_table *out,
			struct unwind_rules *rules, size_t max_rows) must_check;

#endif
