/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jail/cage.h - what a process that reads strangers' files may do: read what it was given, compute,
 * and answer.
 *
 *	descriptors	only the ones it is given; 0, 1 and 2 are /dev/null
 *	user		nobody's (65534), without groups, if we may become that; no capability
 *	system calls	those that reading, memory and answering need (seccomp(2)); any other one
 *			fails with EPERM: it can open, connect and start nothing
 *	new privileges	none (prctl(2), PR_SET_NO_NEW_PRIVS)
 *	memory		so much that can be written beyond what it has (RLIMIT_DATA)
 *	files		it can make none; it can write to one that it was given, up to
 *			CAGE_FILE_BYTES, and open CAGE_FILES at a time
 *	its memory	nobody may look into it but root, and it leaves no core file
 *	its end		with its parent's, at the latest
 *
 * Time is up to who asks (jail/jail.h).
 */
#ifndef PMUTRACE_JAIL_CAGE_H
#define PMUTRACE_JAIL_CAGE_H

#include <stdint.h>

#include "base/array.h"

enum {
	CAGE_BYTES = 300 << 20, /* of memory, for most */
	CAGE_FILE_BYTES = 128 << 20,
	CAGE_FILES = 256,
	CAGE_UID = 65534,
};

/* Closes all descriptors but these, which become numbers 3 and 4; -1: none. 0 or -errno. */
int cage__close_files(int third, int fourth) must_check;

/*
 * The part of it that a process can bear that has to open and connect: nobody's user, no
 * capability, no new privileges, nobody looks into its memory, no core file. For the rest of its
 * life, which has one thread. 0; -errno: then end it.
 */
int cage__be_nobody(void) must_check;

/*
 * Whoever takes such a process over starts no program, looks into no other process, and does not
 * reach what only the kernel's inner parts need: bpf(2), perf events, modules, namespaces, keys.
 * Those system calls fail with EPERM. After cage__be_nobody(). 0 or -errno.
 */
int cage__refuse_calls(void) must_check;

/* So much can be written beyond what it has now (RLIMIT_DATA). 0 or -errno. */
int cage__limit_memory(uint64_t bytes) must_check;

/*
 * All of it, likewise; @max_bytes: of memory. 0; -errno: it is not caged as it should be: then end
 * it.
 */
int cage__enter(uint64_t max_bytes) must_check;

#endif
