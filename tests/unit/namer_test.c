// SPDX-License-Identifier: BSD-2-Clause
/* Mappings that no record told of: the process itself is asked, for callers not often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "sym/namer.h"

struct fixture {
	struct binaries *binaries;
	struct procs *procs;
	struct namer *namer;
	struct process *self; /* as it was before anything was mapped */
	uint64_t offset;      /* of mapped_twice() in the file of this program */
};

__attribute__((noinline, used)) static void mapped_twice(void)
{
	__asm__ volatile("nop\n\tnop");
}

static uint64_t offset_of(uintptr_t addr)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset, found = 0;
	char line[4200];

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    addr >= start && addr < end)
			found = addr - start + offset;
	fclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

static void open_fixture(struct fixture *f)
{
	const struct namer_opts opts = { .kallsyms = "/dev/null" };

	f->binaries = binaries__new(0);
	f->procs = procs__new("/proc", f->binaries);
	f->namer = namer__new(f->procs, f->binaries, &opts);
	assert_non_null(f->namer);
	assert_int_equal(procs__find(f->procs, getpid(), clock__now_ns(), &f->self), 0);
	f->offset = offset_of((uintptr_t)mapped_twice);
}

static void close_fixture(struct fixture *f)
{
	namer__free(f->namer);
	procs__free(f->procs);
	binaries__free(f->binaries);
}

/* This program's file once more; where mapped_twice() is in it. */
static uint64_t map_again(const struct fixture *f)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *at;

	assert_true(fd >= 0 && !fstat(fd, &st));
	at = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	return (uintptr_t)at + f->offset;
}

static const char *name_of(struct fixture *f, uint64_t addr, bool caller)
{
	struct sym_frame *frame;
	enum outermost what;

	assert_int_equal(namer__user(f->namer, f->self, clock__now_ns(), addr + caller, caller,
				     &frame, &what),
			 0);
	return frame->name;
}

static void an_address_in_no_mapping_is_asked_for(void **state)
{
	struct fixture f;

	open_fixture(&f);
	assert_string_equal(name_of(&f, map_again(&f), false), "mapped_twice");
	assert_string_equal(name_of(&f, 16, false), "[unknown]");
	close_fixture(&f);
}

static void so_is_a_callers_but_not_often(void **state)
{
	struct fixture f;

	open_fixture(&f);
	assert_string_equal(name_of(&f, map_again(&f), true), "mapped_twice");
	assert_string_equal(name_of(&f, map_again(&f), true), "[unknown]");
	close_fixture(&f);
}

static void nor_of_a_process_that_is_young(void **state)
{
	struct fixture f;
	uint64_t addr;

	open_fixture(&f);
	addr = map_again(&f);
	f.self->start_ns = clock__now_ns();
	assert_string_equal(name_of(&f, addr, true), "[unknown]");
	assert_string_equal(name_of(&f, addr, false), "mapped_twice");
	assert_string_equal(name_of(&f, addr, true), "mapped_twice");
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_in_no_mapping_is_asked_for),
		cmocka_unit_test(so_is_a_callers_but_not_often),
		cmocka_unit_test(nor_of_a_process_that_is_young),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
