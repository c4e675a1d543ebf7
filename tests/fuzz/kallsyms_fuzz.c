// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as /proc/kallsyms. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct kallsyms *k;
	struct ksym sym;
	char path[64];
	uint64_t addr;

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (kallsyms__open(&k, path))
		abort();
	if (!kallsyms__read(k)) {
		if (kallsyms__add(k, 16, 16, "bpf_prog_fuzz"))
			abort();
		for (addr = 0; addr < 4096; addr++)
			if (kallsyms__find(k, addr, &sym) &&
			    (!*sym.name || !*sym.module || sym.offset > addr))
				abort();
	}
	kallsyms__close(k);
	close(fd);
	return 0;
}
