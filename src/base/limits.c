// SPDX-License-Identifier: BSD-2-Clause
/* Handles SIGXFSZ, and finds out which resource limit an errno comes from. */
#include "base/limits.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/files.h"
#include "base/why.h"

enum {
	STACK_KIB = 8192,     /* what shells give */
	STACK_MIN_KIB = 4096, /* elf/demangle.c, and room for the rest */
	FILES = 1024,	      /* the same, of open files */
	MAPPED = 64 << 20,    /* if so much can be mapped, no limit was the reason */
};

/* The limit as a number; UINT64_MAX: there is none, or it cannot be read. */
static uint64_t limit_of(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* execve(2) resets handlers: commands that are started end by the signal as ever. */
static void go_on(int signal_number)
{
	(void)signal_number;
}

int limits__begin(struct buf *why)
{
	const uint64_t stack = limit_of(RLIMIT_STACK);

	if (signal(SIGXFSZ, go_on) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
	if (stack >= STACK_MIN_KIB * 1024ull)
		return 0;
	return why__refuse(why, -ENOMEM,
			   "the stack may have %llu KiB, and %d are needed: raise the limit with "
			   "ulimit -s %d",
			   (unsigned long long)stack / 1024, STACK_MIN_KIB, STACK_KIB);
}

static bool can_map(size_t bytes)
{
	void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return room != MAP_FAILED && !munmap(room, bytes);
}

int limits__shortage(size_t files, size_t bytes)
{
	const int err = files__check_room(files);

	if (err == -EMFILE || err == -ENFILE)
		return err;
	return bytes && !can_map(bytes) ? -ENOMEM : 0;
}

static int explain_files(struct buf *why)
{
	const uint64_t limit = files__limit();

	return buf__printf(
		why, "too many open files: the limit is %llu; raise it with ulimit -n %llu",
		(unsigned long long)limit, (unsigned long long)(limit < FILES ? FILES : 2 * limit));
}

/* RLIMIT_AS or RLIMIT_DATA, whichever is lower. */
static int explain_memory(struct buf *why)
{
	const uint64_t space = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);
	const bool is_space = space <= data;

	if ((space == UINT64_MAX && data == UINT64_MAX) || can_map(MAPPED))
		return 0;
	return buf__printf(why,
			   "out of memory: the limit of %s is %llu MiB; raise it with ulimit -%c "
			   "unlimited",
			   is_space ? "the address space" : "the data segment",
			   (unsigned long long)(is_space ? space : data) >> 20,
			   is_space ? 'v' : 'd');
}

static int explain_tasks(struct buf *why)
{
	const uint64_t limit = limit_of(RLIMIT_NPROC);

	if (limit == UINT64_MAX)
		return buf__puts(why, "no further thread or process can be started: the cgroup's "
				      "pids.max, or kernel.threads-max");
	return buf__printf(why,
			   "no further thread or process can be started: the user's limit is %llu; "
			   "raise it with ulimit -u, or the cgroup's pids.max",
			   (unsigned long long)limit);
}

static int explain_size(struct buf *why)
{
	const uint64_t limit = limit_of(RLIMIT_FSIZE);

	if (limit == UINT64_MAX)
		return 0;
	return buf__printf(why,
			   "the limit of a file's size is %llu bytes; raise it with ulimit -f "
			   "unlimited",
			   (unsigned long long)limit);
}

int limits__explain(struct buf *why, int err)
{
	const size_t before = why->len;
	int failed;

	switch (-err) {
	case EMFILE:
		return explain_files(why);
	case ENFILE:
		return buf__puts(why, "too many open files of all processes: raise the limit with "
				      "sysctl fs.file-max");
	case ENOMEM:
		return explain_memory(why);
	case EAGAIN:
		failed = explain_memory(why);
		return failed || why->len > before ? failed : explain_tasks(why);
	case EFBIG:
		return explain_size(why);
	default:
		return 0;
	}
}
