/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/out_dir.h - a directory that files are put into for ever: it is kept within a size and an
 * age, the oldest go first.
 *
 *	struct out_dir_opts o = { .ending = "pb.gz", .max_bytes = 1 << 30 };
 *
 *	err = out_dir__open(&d, "/var/lib/profiles", &o, &why);
 *	err = out_dir__put(d, &(struct out_file){ begin_ns, "host" }, bytes, len, clock__wall_ns());
 *
 * What may be in the way, and what is done about it:
 *
 *	a reader	sees a file when all of it is there: it is written under a name of its own
 *			(.pmutrace-*.part) and gets its name then, which no other file has
 *	our end		by any signal may leave such a part. Whoever writes one holds a lock on it
 *			(flock(2)): one that nobody holds is removed, by whoever comes next
 *	others		may put files here, too, of pmutrace and of anybody: a name that is taken is
 *			not taken over, what has another kind of name (serve/out_name.h), is no
 *			file, or is another user's is not counted and never removed
 *	a link		is never followed: neither here, nor the directory itself as the path's last
 *			part
 *	a full disk	costs the file that is put, which is counted (failed); the next one is tried
 *
 * Power that fails may cost what was put in the last half minute: nobody waits for a disk here.
 * Where several processes put files, each keeps all of them within its limits.
 */
#ifndef PMUTRACE_SERVE_OUT_DIR_H
#define PMUTRACE_SERVE_OUT_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "serve/out_name.h"

struct out_dir;

struct out_dir_opts {
	const char *ending;  /* of names; a literal */
	uint64_t max_bytes;  /* of all files together; 0: as many as there are */
	uint64_t max_age_ns; /* since their profiles began; 0: for ever */
	/*
	 * Nobody else may look into it: made with mode 0700, its files with 0600, and a directory
	 * that is not ours, or that others may write to, is refused. Else 0777 and 0666, less
	 * umask(2).
	 */
	bool is_private;
};

struct out_file {
	uint64_t begin_ns; /* since 1970: when the profile began */
	const char *whose; /* any bytes: a container, a host */
};

/* Files, since it was opened. */
struct out_dir_counts {
	uint64_t written, failed; /* put = written + failed */
	uint64_t removed_full;	  /* that had to make room */
	uint64_t removed_old;	  /* that were older than they may be */
};

/* One that is there. */
struct out_entry {
	char name[OUT_NAME];
	uint64_t begin_s; /* by its name */
	uint64_t bytes;
};

/* Zero-initialise it; out_list__free() gives the memory back. The oldest first. */
struct out_list {
	struct out_entry *items;
	size_t nr, cap;
	uint64_t bytes; /* of all of them */
};

/*
 * Makes the directory if it is not there, and removes what others have left unfinished. 0; another
 * -errno with @why.
 */
int out_dir__open(struct out_dir **out, const char *path, const struct out_dir_opts *o,
		  struct buf *why) must_check;
void out_dir__close(struct out_dir *d);

/**
 * out_dir__put() - write a file, and remove those that are too old or too many
 * @now_ns: since 1970
 *
 * Return: 0; -EFBIG: it is larger than all files together may be; -ENOSPC, another -errno: it was
 * not written. All count as failed; the directory may be used on.
 */
int out_dir__put(struct out_dir *d, const struct out_file *file, const void *bytes, size_t len,
		 uint64_t now_ns) must_check;

/* Removes what is too old, and what others have left unfinished; put does so once a minute. */
void out_dir__sweep(struct out_dir *d, uint64_t now_ns);

const struct out_dir_counts *out_dir__counts(const struct out_dir *d);

/* Those that are there; @list may have been filled before. 0 or -errno. */
int out_dir__list(struct out_dir *d, struct out_list *list) must_check;
void out_list__free(struct out_list *list);

/* Opens a file of the list for reading. A descriptor; -ENOENT: it is not there any more. */
int out_dir__read(struct out_dir *d, const char *name) must_check;

/* Removes one. 0; -ENOENT: somebody else has; another -errno. */
int out_dir__remove(struct out_dir *d, const char *name) must_check;

/* The directory itself; borrowed. */
int out_dir__fd(const struct out_dir *d);

/* In a process that was forked: that descriptor has another number now. */
void out_dir__moved(struct out_dir *d, int fd);

#endif
