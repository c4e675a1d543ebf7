// SPDX-License-Identifier: BSD-2-Clause
/* This program's own stack, copied, as libdwfl unwinds it in a jail: the chain that is in here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jail/message.h"
#include "unwind/reference.h"

enum { MAPPINGS_MAX = 64, FRAMES_MAX = 64 };

static const struct reference_space space = { .pid = 1, .life = 2, .changes = 3 };

/* What is wrong with an answer. */
enum evil { TOO_MANY_FRAMES, NO_SUCH_END, SHORT_ANSWER, POSITIVE_ERROR, NR_EVILS };

/* As reference.c has it: an error, 32 bytes of a version, frames. @evil is the space's pid. */
static void answer_evil(int sock, int out)
{
	static char question[MESSAGE_BYTES_MAX];
	static struct {
		int32_t err;
		uint32_t unused;
		char version[REFERENCE_VERSION_BYTES];
		struct reference_frames frames;
	} a;
	int fd;

	while (message__receive(sock, question, sizeof(question), &fd) > 0) {
		uint32_t evil;

		memcpy(&evil, question + 16, sizeof(evil));
		memset(&a, 0, sizeof(a));
		a.frames.nr = evil == TOO_MANY_FRAMES ? FRAMES_MAX + 1 : 1;
		a.frames.end = evil == NO_SUCH_END ? 99 : REFERENCE_OUTERMOST;
		a.err = evil == POSITIVE_ERROR;
		if (message__send(sock, &a, sizeof(a) - (evil == SHORT_ANSWER ? 8 : 0), -1))
			break;
	}
}

static const struct jail_reader evil_reader = { .name = "test-evil", .run = answer_evil };
static const struct jail_reader *const readers[] = { &reference_reader, &evil_reader };

static int open_jail(void **state)
{
	struct jail *j;

	if (jail__open(&j, readers, 2))
		return -1;
	*state = j;
	return 0;
}

static int close_jail(void **state)
{
	jail__close(*state);
	return 0;
}

static void answers_that_make_no_sense_are_refused(void **state)
{
	static struct reference_stack copy;
	static struct reference_frames frames;

	for (uint32_t evil = 0; evil < NR_EVILS; evil++) {
		const struct reference_space id = { .pid = evil };
		struct jailed *r;

		assert_int_equal(jailed__open(&r, *state, &evil_reader), 0);
		assert_int_equal(reference__walk(r, &id, &copy, FRAMES_MAX, &frames), -EBADMSG);
		jailed__close(r);
	}
}

#ifdef HAVE_DW

/* Executable mappings of files, each with its own number. The reader gets the files. */
static size_t tell_mappings(struct jailed *r, struct reference_mapping *out)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4096], perms[8], path[1024];
	uint64_t start, end, offset;
	size_t nr = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) && nr < MAPPINGS_MAX) {
		int fd;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %1023s", &start,
			   &end, perms, &offset, path) != 5 ||
		    perms[2] != 'x' || path[0] != '/')
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(reference__file(r, nr + 1, fd), 0);
		close(fd);
		out[nr] = (struct reference_mapping){ start, end, offset, nr + 1, 0 };
		nr++;
	}
	(void)fclose(f);
	return nr;
}

static struct reference_stack copy;
static uintptr_t in_middle, in_outer; /* return addresses of inner() and middle() */

/* Whatever is there: a sanitizer must not mind. */
static __attribute__((no_sanitize("address", "undefined"))) void copy_stack(void)
{
	const volatile uint64_t *from = (const uint64_t *)(uintptr_t)copy.from;

	for (size_t i = 0; i < copy.bytes / sizeof(*from); i++)
		((volatile uint64_t *)copy.stack)[i] = from[i];
}

/* Registers as they are here, and the stack from the stack pointer on. */
static __attribute__((noinline)) void inner(void)
{
	uint64_t *r = (uint64_t *)copy.regs;

	in_middle = (uintptr_t)__builtin_return_address(0);
#if defined(__x86_64__)
	__asm__ volatile("mov %%r15, 0(%0)\n mov %%r14, 8(%0)\n mov %%r13, 16(%0)\n"
			 "mov %%r12, 24(%0)\n mov %%rbp, 32(%0)\n mov %%rbx, 40(%0)\n"
			 "mov %%rsp, 152(%0)\n lea 0(%%rip), %%rax\n mov %%rax, 128(%0)"
			 :
			 : "D"(r)
			 : "rax", "memory");
#else
	__asm__ volatile("stp x19, x20, [%0, #152]\n stp x21, x22, [%0, #168]\n"
			 "stp x23, x24, [%0, #184]\n stp x25, x26, [%0, #200]\n"
			 "stp x27, x28, [%0, #216]\n stp x29, x30, [%0, #232]\n"
			 "mov x9, sp\n str x9, [%0, #248]\n adr x9, .\n str x9, [%0, #256]"
			 :
			 : "r"(r)
			 : "x9", "memory");
#endif
	copy.from = copy.regs[UNWIND_REG_SP];
	copy.bytes = 4096; /* of what main() and its callers have there is more */
	copy_stack();
}

static __attribute__((noinline)) void middle(void)
{
	in_outer = (uintptr_t)__builtin_return_address(0);
	inner();
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static __attribute__((noinline)) void outer(void)
{
	middle();
	__asm__ volatile("" ::: "memory");
}

static struct jailed *open_reader(struct jail *j)
{
	char version[REFERENCE_VERSION_BYTES];
	struct jailed *r;

	assert_int_equal(jailed__open(&r, j, &reference_reader), 0);
	assert_int_equal(reference__hello(r, version), 0);
	assert_true(strtod(version, NULL) > 0);
	return r;
}

static void a_copied_stack_has_its_callers(void **state)
{
	static struct reference_mapping mappings[MAPPINGS_MAX];
	static struct reference_frames frames;
	struct jailed *r = open_reader(*state);
	size_t nr = tell_mappings(r, mappings);

	outer();
	assert_int_equal(reference__walk(r, &space, &copy, FRAMES_MAX, &frames), -ESRCH);
	assert_int_equal(reference__space(r, &space, mappings, nr), 0);
	assert_int_equal(reference__walk(r, &space, &copy, FRAMES_MAX, &frames), 0);
	assert_true(frames.nr > 3);
	assert_int_equal(frames.pc[0], copy.regs[UNWIND_REG_IP]);
	assert_true(frames.is_exact[0]);
	assert_int_equal(frames.pc[1], in_middle);
	assert_false(frames.is_exact[1]);
	assert_int_equal(frames.pc[2], in_outer);
	jailed__close(r);
}

static void as_many_frames_as_are_asked_for(void **state)
{
	static struct reference_mapping mappings[MAPPINGS_MAX];
	static struct reference_frames frames;
	struct jailed *r = open_reader(*state);
	size_t nr = tell_mappings(r, mappings);

	outer();
	assert_int_equal(reference__space(r, &space, mappings, nr), 0);
	assert_int_equal(reference__walk(r, &space, &copy, 2, &frames), 0);
	assert_int_equal(frames.nr, 2);
	assert_int_equal(frames.end, REFERENCE_MAX);
	jailed__close(r);
}

static void a_stack_that_was_not_copied_is_said_to_be_so(void **state)
{
	static struct reference_mapping mappings[MAPPINGS_MAX];
	static struct reference_frames frames;
	struct jailed *r = open_reader(*state);
	size_t nr = tell_mappings(r, mappings);

	outer();
	copy.bytes = 0;
	assert_int_equal(reference__space(r, &space, mappings, nr), 0);
	assert_int_equal(reference__walk(r, &space, &copy, FRAMES_MAX, &frames), 0);
	assert_int_equal(frames.nr, 1);
	assert_int_equal(frames.end, REFERENCE_UNCOPIED);
	jailed__close(r);
}

/* More mappings than a message has room for, then another process: none is taken for the other. */
static void spaces_of_many_mappings_and_many_spaces(void **state)
{
	enum { MANY = 3000, SPACES = 40 };
	struct reference_mapping *all = calloc(MANY + MAPPINGS_MAX, sizeof(*all));
	static struct reference_frames frames;
	struct jailed *r = open_reader(*state);
	struct reference_space id = space;
	size_t nr;

	assert_non_null(all);
	for (size_t i = 0; i < MANY; i++) /* of a file that is not there */
		all[i] = (struct reference_mapping){ (i + 1) << 16, (i + 1) << 16 | 1, 0, 999, 0 };
	nr = MANY + tell_mappings(r, &all[MANY]);
	outer();
	for (id.pid = 0; id.pid < SPACES; id.pid++) {
		/* Every other one has no code at all: of it the innermost frame is known. */
		assert_int_equal(reference__space(r, &id, all, id.pid % 2 ? 0 : nr), 0);
		assert_int_equal(reference__walk(r, &id, &copy, FRAMES_MAX, &frames), 0);
		if (id.pid % 2 == 0)
			assert_int_equal(frames.pc[1], in_middle);
	}
	id.pid = 0; /* not one of the last ones */
	assert_int_equal(reference__walk(r, &id, &copy, FRAMES_MAX, &frames), -ESRCH);
	id.pid = SPACES - 2;
	assert_int_equal(reference__walk(r, &id, &copy, FRAMES_MAX, &frames), 0);
	assert_int_equal(frames.pc[1], in_middle);
	jailed__close(r);
	free(all);
}

/* Garbage in the place of a library: code of it has no rules, and nothing worse comes of it. */
static void a_file_that_is_no_elf_file(void **state)
{
	static struct reference_frames frames;
	struct reference_mapping m = { .offset = 0, .file = 1 };
	struct jailed *r = open_reader(*state);
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	outer();
	m.start = copy.regs[UNWIND_REG_IP] & ~4095ull;
	m.end = m.start + 4096;
	assert_int_equal(reference__file(r, 1, fd), 0);
	close(fd);
	assert_int_equal(reference__space(r, &space, &m, 1), 0);
	assert_int_equal(reference__walk(r, &space, &copy, FRAMES_MAX, &frames), 0);
	assert_int_equal(frames.pc[0], copy.regs[UNWIND_REG_IP]);
	jailed__close(r);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_that_make_no_sense_are_refused, open_jail,
						close_jail),
#ifdef HAVE_DW
		cmocka_unit_test_setup_teardown(a_copied_stack_has_its_callers, open_jail,
						close_jail),
		cmocka_unit_test_setup_teardown(as_many_frames_as_are_asked_for, open_jail,
						close_jail),
		cmocka_unit_test_setup_teardown(a_stack_that_was_not_copied_is_said_to_be_so,
						open_jail, close_jail),
		cmocka_unit_test_setup_teardown(spaces_of_many_mappings_and_many_spaces, open_jail,
						close_jail),
		cmocka_unit_test_setup_teardown(a_file_that_is_no_elf_file, open_jail, close_jail),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
