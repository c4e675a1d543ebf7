/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/debugfile.h - the files that a file's symbols and debug information were moved to: asks an
 * opener for them (elf/debug_places.h), and believes only those that can be shown to belong to it.
 */
#ifndef PMUTRACE_ELF_DEBUGFILE_H
#define PMUTRACE_ELF_DEBUGFILE_H

#include <stddef.h>

#include "base/array.h"
#include "elf/elf_bytes.h"
#include "elf/debug_places.h"

/*
 * The debug file with a build-id, which it has itself.
 * @run: allowance for reading strangers' files; or NULL. A file descriptor or -errno.
 */
int debugfile__open_by_id(const struct opener *o, const unsigned char *id, size_t len,
			  struct allowance *run) must_check;

/*
 * What .gnu_debuglink of the file says. The file found has the same build-id; where one of them has
 * none, it has the checksum that the link asks for, for which all of it is read, but its holes.
 * A file descriptor or -errno.
 */
int debugfile__open_by_link(const struct opener *o, const struct elf_from *from) must_check;

/* The same from a server; to be asked last. -EAGAIN: it is being fetched. */
int debugfile__open_by_server(const struct opener *o, const unsigned char *id, size_t len,
			      struct allowance *run) must_check;

/*
 * What .gnu_debugaltlink says: a file with that build-id. A file descriptor; -EAGAIN: it is being
 * fetched from a server; or another -errno.
 */
int debugfile__open_alt(const struct opener *o, const char *name, const unsigned char *id,
			size_t len, struct allowance *run) must_check;

/* The first file that is there, whatever it has. A file descriptor or -errno. */
int debugfile__open_any(const struct opener *o, const struct debug_place *place) must_check;

#endif
