// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as an ELF file: names may be missing, nothing else may happen. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/binary.h"
#include "elf/elf_bytes.h"
#include "elf/go_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void look_around(struct binary *b, size_t len)
{
	const unsigned char *id;
	uint64_t offset, vaddr;
	struct sym sym;

	for (offset = 0; offset < 2 * len + 64; offset += 1 + len / 256)
		if (binary__find(b, offset, &sym, &vaddr) && (!*sym.name || vaddr < sym.addr))
			abort();
	if (binary__build_id(b, &id) > 64)
		abort();
	binary__close(b);
}

/* Frames lie in their functions, whatever moves there are. */
static int look_at_frame(const struct go_frame *f, void *arg)
{
	(void)arg;
	if (f->end <= f->start || !f->nr || f->moves[0].addr != f->start ||
	    (f->saved <= f->start && !f->by_caller))
		abort();
	for (unsigned i = 1; i < f->nr; i++)
		if (f->moves[i].addr < f->moves[i - 1].addr || f->moves[i].addr > f->end)
			abort();
	return 0;
}

static void look_at_frames(int fd)
{
	struct elf_from from;

	if (elf_from__open(&from, fd, NULL) && go_frames__read(&from, look_at_frame, NULL))
		abort();
	elf_from__close(&from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	const struct opener none = {};
	struct allowance allowance;
	struct binary *b;

	/* Other files must not decide what a run does. */
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	look_at_frames(fd);
	if (binary__open(&b, fd, &none, NULL))
		abort();
	look_around(b, len);
	/* The same bytes as a stranger's: reading stops somewhere in the middle. */
	fd = memfd_create("elf", MFD_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0666) || write(fd, data, len) != (ssize_t)len)
		abort();
	allowance__init(&allowance, 1 + len * (len ? data[len / 2] : 0) / 64, 1000000000);
	if (binary__open(&b, fd, &none, &allowance))
		abort();
	look_around(b, len);
	if (allowance.depth)
		abort();
	if (binary__open_memory(&b, data, len))
		abort();
	look_around(b, len);
	return 0;
}
