/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/file_lookup.h - what is looked up in one file that is open: functions by name, static
 * probes, instructions.
 *
 * Everything that reads a program's file for a lookup is below here, and runs where the file may be
 * read: in a jail, or in this process (lookup/lookup_reader.h decides, and asks). It opens nothing:
 * debug files come from an opener (elf/debug_places.h).
 * Everywhere: @why gets a sentence on every error but -ENOMEM, and must not be NULL; a callback
 * that does not return 0 ends the iteration, which then returns the same.
 */
#ifndef PMUTRACE_LOOKUP_FILE_LOOKUP_H
#define PMUTRACE_LOOKUP_FILE_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "elf/debug_places.h"
#include "elf/elf_names.h"
#include "lookup/lookup.h"
#include "lookup/usdt.h"

struct file_lookup {
	const char *path; /* what sentences call it; borrowed */
	struct elf_image img;
	struct opener others; /* its debug files; what it has in it is borrowed */
	struct elf_names names;
	bool has_names;
};

/*
 * Takes @fd in any case. 0; -ENOEXEC: not a program or library; another -errno. Give it to
 * file_lookup__close() after 0 only.
 */
int file_lookup__open(struct file_lookup *f, int fd, const char *path, const struct opener *others,
		      struct buf *why) must_check;
void file_lookup__close(struct file_lookup *f);

/* Makes `names` ready, which take most of the time; once. 0 or -ENOMEM. */
int file_lookup__read_names(struct file_lookup *f) must_check;

/* As lookup__function(), lookup__each_function() and lookup__explain_no_function(). */
int file_lookup__function(struct file_lookup *f, const char *symbol, struct lookup_function *out,
			  struct buf *why) must_check;
int file_lookup__each_function(struct file_lookup *f, const char *glob, lookup_function_fn *fn,
			       void *arg, struct buf *why) must_check;
int file_lookup__explain_no_function(struct file_lookup *f, const char *glob,
				     struct buf *why) must_check;

/* As usdt__each(), and usdt__find(): of the places of one probe. */
int file_lookup__each_usdt(struct file_lookup *f, usdt_fn *fn, void *arg,
			   struct buf *why) must_check;
int file_lookup__find_usdt(struct file_lookup *f, const char *provider, const char *name,
			   usdt_fn *fn, void *arg, struct buf *why) must_check;

#endif
