// SPDX-License-Identifier: BSD-2-Clause
/*
 * names - what the name of an address costs, the first time and when it is known.
 *
 * usage: names FILE
 *
 * Maps the file, and asks for addresses all over what is executable of it: once until all have been
 * found, and then ROUNDS times. Prints, in words for a shell's eval: addresses, names (that are no
 * bare addresses), first_us (until all were found), warm_ns (of one that is known).
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "sym/namer.h"

enum { ADDRESSES = 20000, ROUNDS = 50 };

static uint64_t addresses[ADDRESSES];
static struct mapped_files *files;
static struct procs *procs;
static struct namer *namer;
static struct proc *self;

static int fail(const char *what, int err)
{
	fprintf(stderr, "names: %s: %s\n", what, strerror(-err));
	return 1;
}

/* Where the largest executable segment is. 0 or -errno. */
static int segment_of(int fd, uint64_t *offset, uint64_t *bytes)
{
	Elf *elf = elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	size_t nr = 0;
	GElf_Phdr p;

	*bytes = 0;
	if (!elf || elf_getphdrnum(elf, &nr))
		return -EINVAL;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_flags & PF_X &&
		    p.p_filesz > *bytes) {
			*offset = p.p_offset;
			*bytes = p.p_filesz;
		}
	elf_end(elf);
	return *bytes ? 0 : -ENOENT;
}

/* In an order that has nothing to do with where they are. */
static void spread(uint64_t start, uint64_t bytes)
{
	uint64_t x = 88172645463325252ull;

	for (size_t i = 0; i < ADDRESSES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		addresses[i] = start + x % bytes;
	}
}

static int map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	uint64_t offset, bytes;
	struct stat st;
	char *at;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	err = segment_of(fd, &offset, &bytes);
	if (err)
		return err;
	at = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	spread((uintptr_t)at + offset, bytes);
	return 0;
}

static int name_all(uint64_t *named)
{
	enum outermost what;
	struct sym_frame *frame;
	int err = 0, missing = 0;

	*named = 0;
	for (size_t i = 0; i < ADDRESSES && !err; i++) {
		err = namer__user(namer, self, UINT64_MAX, addresses[i], false, &frame, &what);
		missing |= err == -EAGAIN;
		if (!err)
			*named += frame->name[0] != '[';
		if (err == -EAGAIN)
			err = 0;
	}
	return err ? err : missing ? -EAGAIN : 0;
}

static int name_first(uint64_t *named)
{
	size_t nr;
	int err;

	while ((err = name_all(named)) == -EAGAIN)
		if (!namer__wait(namer, UINT64_MAX) || namer__take(namer, &nr))
			return -ENOMEM;
	return err;
}

int main(int argc, char **argv)
{
	const struct namer_opts opts = { .kallsyms = "/dev/null" };
	uint64_t named, begin, found, end;
	int err = argc == 2 ? map(argv[1]) : -EINVAL;

	files = mapped_files__new("/proc");
	procs = procs__new("/proc", files);
	if (!err)
		err = namer__open(&namer, procs, files, &opts);
	if (!err)
		err = procs__find(procs, getpid(), clock__now_ns(), &self);
	begin = clock__now_ns();
	if (!err)
		err = name_first(&named);
	found = clock__now_ns();
	for (int i = 0; i < ROUNDS && !err; i++)
		err = name_all(&named);
	end = clock__now_ns();
	if (err)
		return fail(argc == 2 ? argv[1] : "usage: names FILE", err);
	printf("addresses=%d names=%" PRIu64 " first_us=%" PRIu64 " warm_ns=%.1f\n", ADDRESSES,
	       named, (found - begin) / 1000, (double)(end - found) / ROUNDS / ADDRESSES);
	namer__close(namer);
	procs__free(procs);
	mapped_files__free(files);
	return 0;
}
