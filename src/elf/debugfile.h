/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/debugfile.h - find the file that a stripped file's symbols were moved to.
 *
 * Source: "Debugging Information in Separate Files" in the GDB manual. Looked for below the
 * process's root first, then below our own, which has what the administrator installed.
 */
#ifndef PMUTRACE_ELF_DEBUGFILE_H
#define PMUTRACE_ELF_DEBUGFILE_H

#include <stddef.h>

#include "base/array.h"
#include "elf/elf_bytes.h"

/*
 * /usr/lib/debug/.build-id/xx/rest.debug. The file found has the same build-id.
 * @run: allowance for reading strangers' files; or NULL. A file descriptor or -errno.
 */
int debugfile__open_by_id(const char *root, const unsigned char *id, size_t len,
			  struct allowance *run) must_check;

/*
 * What .gnu_debuglink of the file at @path says: in its directory, in .debug/ there, and in
 * the same place below /usr/lib/debug. The file found has the same build-id; where one of them has
 * none, it has the checksum that the link asks for, for which all of it is read, but its holes.
 * A file descriptor or -errno.
 */
int debugfile__open_by_link(const char *root, const char *path,
			    const struct elf_from *from) must_check;

#endif
