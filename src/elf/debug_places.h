/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/debug_places.h - where the files lie that belong to another file, and who opens them.
 *
 * A file's symbols and debug information may be in further files. Whoever reads them may be a
 * process that can open nothing (jail/jail.h): it asks an opener for the first place, the second,
 * and so on, and looks at what it gets (elf/debugfile.h). The opener knows what the file is called
 * and whose root it is in; debug_places__open() is one.
 *
 * Source: "Debugging Information in Separate Files" in the GDB manual; DWARF 5, 7.3.2. Each place
 * is looked at below the process's root first, then below our own, which has what the administrator
 * installed.
 *
 * What is there must be root's, our own user's, or of the user whose file it is to belong to: a
 * stranger can give the build-id of any file to one of his, and can have a root of his own
 * (user_namespaces(7)), in which a library of the real root has his debug file.
 */
#ifndef PMUTRACE_ELF_DEBUG_PLACES_H
#define PMUTRACE_ELF_DEBUG_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum debug_place_kind {
	PLACE_BY_ID,   /* the debug file with the build-id @id: below /usr/lib/debug/.build-id */
	PLACE_BY_LINK, /* the debug file called @name: beside the file, in .debug/ there, .. */
	PLACE_ALT,     /* the alternate file (dwz) @name: absolute, or from the file's directory */
	PLACE_SPLIT, /* a .dwo, @name: in the directory @dir if it is not absolute; beside the file */
	PLACE_PACKAGE,	 /* the file's .dwp */
	PLACE_BY_SERVER, /* what a server has sent for the build-id @id: nowhere on this machine */
	PLACE_KINDS,
};

enum { PLACE_ID_BYTES = 64 };

struct debug_place {
	enum debug_place_kind kind;
	const unsigned char *id;
	size_t id_len;
	const char *name, *dir; /* or NULL */
};

struct opener {
	/*
	 * Opens what is at the @nr-th place, from 0 on, if it is a regular file: a descriptor, the
	 * caller's; -ENODATA: there are no more places; another -errno: nothing there. NULL: there
	 * are no other files.
	 *
	 * Of PLACE_BY_SERVER: -EAGAIN: it is being fetched, ask again later. To ask for the place
	 * behind it is to say that what was there is not what was asked for.
	 */
	int (*open)(void *arg, uint32_t file, const struct debug_place *place, unsigned nr);
	void *arg;
	uint32_t file; /* the file that they belong to: the opener's own number */
};

int opener__open(const struct opener *o, const struct debug_place *place, unsigned nr) must_check;

/* A file as this process sees it. */
struct debug_places {
	const char
		*root; /* prefix of the file system that it is in ("/proc/123/root"), "" for ours */
	const char *path; /* from there; absolute, or nothing beside it is found */
	uint32_t owner;	  /* file_owner() of that file, or FILE_OWNER_UNKNOWN */
	bool any_owner;	  /* debug files may be anybody's: whoever reads them knows what they are by
			     their build-id */
};

/* opener.open. @places: a struct debug_places; @file: not needed. */
int debug_places__open(void *places, uint32_t file, const struct debug_place *place,
		       unsigned nr) must_check;

/* Only ELF files are handed on: another one is closed, and is -ENOEXEC. @fd: or -errno. */
int elf_alone(int fd) must_check;

#endif
