/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prog.h - what the ground-truth programs share.
 *
 * A program states a fact ("30 % here, 70 % there") and the tests hold the profile against it, so
 * every frame has to be what the source says: functions are KNOWN_FRAME (never inlined, cloned or
 * left out), and the few system calls on hot paths are made in place, because a libc wrapper keeps
 * no frame of its own and would hide its caller from a frame-pointer walk.
 */
#ifndef TESTS_PROG_PROG_H
#define TESTS_PROG_PROG_H

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define KNOWN_FRAME __attribute__((noinline, used))
#else
#define KNOWN_FRAME __attribute__((noipa, used))
#endif
#define IN_PLACE   static inline __attribute__((always_inline))

#define NS_PER_SEC 1000000000ull
#define NS_PER_MS  1000000ull

/* Compilers give a function that needs no stack no frame either, whatever the flags say. */
IN_PLACE void keep_frame(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

IN_PLACE long syscall_in_place(long nr, long a, long b, long c)
{
#if defined(__x86_64__)
	long ret;

	keep_frame();
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	keep_frame();
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#else
	return syscall(nr, a, b, c);
#endif
}

/* CPU time this thread has used: what a sampler's shares have to agree with, however busy the
 * machine is. */
IN_PLACE uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	syscall_in_place(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&ts, 0);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

IN_PLACE uint64_t wall_ns(void)
{
	struct timespec ts;

	syscall_in_place(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&ts, 0);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* Some tens of microseconds in the calling function and nowhere else. */
IN_PLACE void spin(void)
{
	unsigned i;

	for (i = 0; i < 100000; i++)
		__asm__ volatile("" : "+r"(i));
}

/*
 * What a step of a loop has used since *last. When a hypervisor takes the CPU away that is CPU time
 * to the kernel, and nobody can take a sample in it: of a step a few ms count.
 */
IN_PLACE uint64_t step_ns(uint64_t *last)
{
	uint64_t now = thread_cpu_ns(), ns = now - *last;

	*last = now;
	return ns < 4 * NS_PER_MS ? ns : 4 * NS_PER_MS;
}

/* Burns in the calling function until this thread has used @ns more CPU time; how much it was. */
IN_PLACE uint64_t burn_here(uint64_t ns)
{
	uint64_t last = thread_cpu_ns(), done = 0;

	while (done < ns) {
		spin();
		done += step_ns(&last);
	}
	return done;
}

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static inline void bad_argument(const char *what, const char *text)
{
	fprintf(stderr, "bad %s: '%s'\n", what, text);
	exit(2);
}

static inline uint64_t parse_seconds(const char *text)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s >= 0 && s <= 86400))
		bad_argument("number of seconds", text);
	return (uint64_t)(s * 1e9);
}

static inline unsigned parse_number(const char *text, unsigned min, unsigned max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || n < min || n > max)
		bad_argument("number", text);
	return n;
}

/* Where in its file the code at an address is mapped from. */
static inline uint64_t file_offset(uintptr_t addr)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset;
	char line[4200];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    addr >= start && addr < end) {
			fclose(f);
			return addr - start + offset;
		}
	die("/proc/self/maps");
	return 0;
}

/* The path of @name in the directory this program lives in; malloc'd. */
static inline char *beside_me(const char *name)
{
	char self[4096], *path, *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		die("/proc/self/exe");
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	if (asprintf(&path, "%s/%s", self, name) < 0)
		die("asprintf");
	return path;
}

#endif
