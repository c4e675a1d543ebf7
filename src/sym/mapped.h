/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/mapped.h - the files that processes map: a number for each, and a hold on it.
 *
 * A file is told by its build-id where the kernel gave one, else by device and inode; so one
 * library is one entry, whichever processes and mount namespaces it is seen from.
 *
 * A build-id is what the file says of itself, and anybody can give any to a file of his. So it is
 * told by its owner as well: a file of one user never stands for that of another, but for root's,
 * which may stand for all (whoever copies the build-id of a file of root's gets its names for his
 * code). Where the owner cannot be found out (the process is gone, or we may not look), files of
 * one build-id and one path are one, and no others.
 *
 * Nothing is read here: whoever keeps up with what processes do must not wait for a disk; of the
 * owner of files on a network, or of one in user space, what is known already is taken. Who reads
 * the file (sym/finder.h) is told by mapped_files__give() what is known of it.
 */
#ifndef PMUTRACE_SYM_MAPPED_H
#define PMUTRACE_SYM_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"

struct mapped_files;

struct binary_ref {
	const char *path; /* as the kernel prints it; " (deleted)" may follow */
	const uint8_t *build_id;
	uint8_t build_id_len; /* 0: told by dev and inode */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	pid_t pid;	     /* a process that maps it */
	uint64_t start, end; /* where, for map_files */
};

enum { BUILD_ID_BYTES = 20 };

/* How a file is told from others. */
struct file_identity {
	uint8_t build_id[BUILD_ID_BYTES];
	uint8_t build_id_len; /* 0: by device and inode */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: not known */
	uint32_t owner; /* with a build-id: file_owner(), or FILE_OWNER_UNKNOWN */
	uint32_t unused;
};

/* What is known of a file, on its way to who reads it. */
struct mapped_file {
	char *path; /* without " (deleted)" */
	struct file_identity identity;
	pid_t pid;
	uint64_t start, end;
	int fd;			/* O_PATH; -1: it is not held */
	uint32_t opened_owner;	/* file_owner() of what was opened for it; 0: nothing so far */
	const char *debug_root; /* its debug file may stand for it: below this directory; borrowed;
				   NULL: it may not */
};

/* @proc_root: "/proc" or a fixture; borrowed. NULL when out of memory. */
struct mapped_files *mapped_files__new(const char *proc_root);
void mapped_files__free(struct mapped_files *t);

/* A file's number, from 0 on; a new file gets the next one. 0 or -ENOMEM. */
int mapped_files__id(struct mapped_files *t, const struct binary_ref *ref, uint32_t *id) must_check;

/*
 * Holds the file by O_PATH, if it was not given away: the process that maps it may be gone soon.
 * That waits for no disk, as nothing is opened. Only so many are held; the oldest one is let go for
 * a new one.
 */
void mapped_files__hold(struct mapped_files *t, uint32_t id);

/* Last component of the path, without " (deleted)". */
const char *mapped_files__name(const struct mapped_files *t, uint32_t id);

/* The path, without that either; where its process sees it. */
const char *mapped_files__path(const struct mapped_files *t, uint32_t id);

/* Was a file of this path told by its build-id? @path: as the kernel prints it. */
bool mapped_files__is_by_build_id(const struct mapped_files *t, uint32_t id, const char *path);

/* Its build-id, the kernel's word or else what mapped_files__tell_build_id() said; 0: none. */
size_t mapped_files__build_id(const struct mapped_files *t, uint32_t id, const uint8_t **bytes);

/* What the file says of itself: up to BUILD_ID_BYTES. It is no part of how files are told apart. */
void mapped_files__tell_build_id(struct mapped_files *t, uint32_t id, const uint8_t *bytes,
				 size_t len);

/* Gives away what is known of a file, once for each: 1; 0: it was given already; or -ENOMEM. */
int mapped_files__give(struct mapped_files *t, uint32_t id, struct mapped_file *out) must_check;

/* Frees what was given. */
void mapped_file__free(struct mapped_file *f);

#endif
