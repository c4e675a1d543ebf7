/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jail/jail.h - processes of our own that read strangers' files, and can do nothing else.
 *
 * Whoever is asked for a name of a stranger's code must read the stranger's file. Libraries that
 * read ELF, DWARF and xz have had their holes, and we may be root. So a file is read by a reader: a
 * child that has been given its descriptor, sends back what was asked for, and is caged
 * (jail/cage.h). What a reader answers is a stranger's, too: whoever asks checks it.
 *
 *	main ---fork---> warden ---fork---> reader	jail__open(), jailed__open()
 *	     <========== socket ==========>		jailed__send(), jailed__receive(), ..
 *
 * The warden is forked before anything is read and before there are threads: readers are copies of
 * it, and know nothing. It keeps what it takes to start and end them: the capabilities to become
 * another user, and to kill; it reads no files. It ends when the descriptor to it is closed, in
 * whatever way that comes about, and so do the readers.
 *
 * A reader has so much CPU time and so much time for each answer: one that takes more is ended.
 */
#ifndef PMUTRACE_JAIL_JAIL_H
#define PMUTRACE_JAIL_JAIL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"

#define JAILED_CPU_NS  5000000000ull
#define JAILED_WALL_NS 10000000000ull

/* A kind of reader. */
struct jail_reader {
	const char *name; /* of its process: 15 characters */
	/*
	 * Before it is caged: loads what it needs besides, of the system's own. NULL: nothing. By
	 * then it has no descriptors but those that it keeps.
	 */
	void (*prepare)(void);
	/*
	 * Answers what comes, until the other end is closed. What is too long for a message is put
	 * into @file, which is in memory, and the asker's.
	 */
	void (*run)(int sock, int file);
	/* For an answer; 0: JAILED_CPU_NS, JAILED_WALL_NS. */
	uint64_t max_cpu_ns, max_wall_ns;
	uint64_t max_bytes; /* of memory (jail/cage.h); 0: CAGE_BYTES */
};

struct jail;
struct jailed;

/* Starts the warden. To be called with one thread. @readers: all kinds; kept. 0 or -errno. */
int jail__open(struct jail **out, const struct jail_reader *const *readers, size_t nr) must_check;

/* Ends the warden and all readers. Who still has one is told so, and is to close it. */
void jail__close(struct jail *j);

/*
 * Who starts readers on a thread that may be left behind holds the jail, which is there, though
 * closed, until all have left it. Returns @j; NULL: nothing.
 */
struct jail *jail__hold(struct jail *j);
void jail__leave(struct jail *j);

/*
 * Starts a reader of a kind that the jail knows; on any thread. 0; -EPIPE: the warden has ended;
 * -ESHUTDOWN: the jail has been closed; another -errno.
 */
int jailed__open(struct jailed **out, struct jail *j, const struct jail_reader *kind) must_check;

/* Ends it, whatever it does. */
void jailed__close(struct jailed *r);

/* As message__send(). Its time for the answer begins. */
int jailed__send(struct jailed *r, const void *bytes, size_t len, int fd) must_check;

/* Something that it needs for its answer, as message__send(): the time goes on. */
int jailed__give(struct jailed *r, const void *bytes, size_t len, int fd) must_check;

/* A part of the answer is there: the time for the rest begins. */
void jailed__go_on(struct jailed *r);

/**
 * jailed__receive() - wait for the answer, or a part of it
 * @bytes: up to MESSAGE_BYTES_MAX
 *
 * Return: how many; -EPIPE: it has ended; -ETIME: it has been ended, as it took too long; -EBADMSG;
 * another -errno. After an error it is of no use any more: jailed__why(), then jailed__close().
 */
int jailed__receive(struct jailed *r, void *bytes, size_t size) must_check;

/* Ends it, and says how it ended before: "it crashed (Segmentation fault)". 0 or -ENOMEM. */
int jailed__why(struct jailed *r, struct buf *why) must_check;

/*
 * The file for its long answers: bytes are what it has put there at any time, also while they are
 * read; so they are copied before they are looked at.
 */
int jailed__file(const struct jailed *r);

/* Its process; 0: it has been ended. */
pid_t jailed__pid(const struct jailed *r);

/* CPU time that it has used. */
uint64_t jailed__cpu_ns(const struct jailed *r);

#endif
