/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/newfile.h - a file that has no name until it is to be seen.
 *
 * Whatever ends the process before, KILL too, leaves nothing behind: it is made with O_TMPFILE
 * (open(2)) and gets its name by linkat(2). That cannot take the place of another file, so there
 * the new one has a name of its own (.pmutrace-*) for the time of one rename(2), in which no signal
 * is taken; only KILL could leave that.
 *
 * File systems without O_TMPFILE (NFS, FUSE and overlayfs up to 6.1, FAT) are tried with a file
 * that is removed at once. What is written later is made then: under its own name if that is new,
 * else beside it until it is complete, and meanwhile no signal is taken.
 */
#ifndef PMUTRACE_BASE_NEWFILE_H
#define PMUTRACE_BASE_NEWFILE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/array.h"

struct newfile {
	int dir;	    /* borrowed */
	const char *name;   /* in it, that the file is to have; borrowed */
	mode_t mode;	    /* less umask(2) */
	bool replaces;	    /* a file of this name; else that is an error */
	bool has_anonymous; /* the file system has O_TMPFILE */
	bool has_name;	    /* was created under its own name, and is not complete */
	char beside[24];    /* temporary name in the same directory; "": it has none */
	bool holds;	    /* all signals are blocked */
	sigset_t old;
};

/*
 * Checks that the directory takes a file. *fd: the file, still without a name, or -1: it is to be
 * made by newfile__make(). 0 or -errno.
 */
int newfile__open(struct newfile *n, int dir, const char *name, mode_t mode, bool replaces,
		  int *fd) must_check;

/* Creates what newfile__open() did not: a descriptor, or -errno. Its name may be there at once. */
int newfile__make(struct newfile *n) must_check;

/* Gives @fd its name. 0; -EEXIST: the name is taken, and must not be replaced; another -errno. */
int newfile__show(struct newfile *n, int fd) must_check;

/*
 * Copies mode, owner and access list (acl(5)) of the file that is replaced, @old (O_PATH) with @st:
 * who may read that may read what replaces it, and nobody else. Where the group cannot be kept, the
 * new file's group may do no more than everybody.
 */
void newfile__take_after(int fd, int old, const struct stat *st);

/* Removes a file that newfile__show() has not completed, and unblocks signals. */
void newfile__end(struct newfile *n);

#endif
