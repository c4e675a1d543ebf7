// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaves - functions that are left in other ways than by a return of their own.
 *
 * usage: leaves STEP=N..
 *
 * Does the steps in order and prints what it has seen of each.
 * jump=N	N times carrier(I) calls jumper(I), which leaves both by longjmp(3) if I is odd
 * last=N	N times carrier(1) alone: all of them are left
 * deep=N	deep() N + 1 times in each other
 * stop=N	the same, and the innermost ends the program
 * busy=N	the same, while the innermost has N + 1 threads call leaf() one after the other;
 *		then once more, in deep() alone
 * tail=N	N times front(), which back() returns for
 * branch=N	N times branch(I), which back() returns for if I is odd, by a conditional jump
 * apart=N	N times apart(I), which goes on outside of its symbol if I is odd, and comes back
 * cancel=N	N threads wait_here(), and are cancelled there
 * leaf=N	N times leaf(I), which calls nothing
 * wait=N	says so, and waits for N ms
 */
#include <pthread.h>
#include <setjmp.h>

#include "prog.h"

static jmp_buf place;

KNOWN_FRAME unsigned jumper(unsigned n)
{
	keep_frame();
	if (n & 1)
		longjmp(place, 1);
	return n;
}

KNOWN_FRAME unsigned carrier(unsigned n)
{
	unsigned result = jumper(n);

	__asm__ volatile("" : "+r"(result));
	return result;
}

static void jump(unsigned n)
{
	volatile unsigned left = 0, returned = 0;

	for (volatile unsigned i = 0; i < n; i++) {
		if (setjmp(place)) {
			left++;
		} else {
			carrier(i);
			returned++;
		}
	}
	printf("jump: %u returned, %u left\n", returned, left);
}

static void last(unsigned n)
{
	volatile unsigned left = 0;

	while (left < n)
		if (setjmp(place))
			left++;
		else
			carrier(1);
	printf("last: %u left\n", left);
}

static void (*innermost)(void);

KNOWN_FRAME unsigned deep(unsigned n)
{
	unsigned below;

	if (!n && innermost)
		innermost();
	below = n ? deep(n - 1) : 0;
	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

static void stop_here(void)
{
	exit(0);
}

static void deep_with(void (*there)(void), unsigned n)
{
	innermost = there;
	deep(n);
	innermost = NULL;
}

KNOWN_FRAME unsigned back(unsigned n)
{
	keep_frame();
	return n + 1;
}

/* Without optimization a compiler calls and returns. */
unsigned front(unsigned n);
unsigned branch(unsigned n);
unsigned apart(unsigned n);
#if defined(__x86_64__)
__asm__(".text\n.globl front\n.type front, @function\n"
	"front: push %rbx\n pop %rbx\n jmp back\n.size front, .-front\n"
	".globl branch\n.type branch, @function\n"
	"branch: push %rbx\n pop %rbx\n test $1, %edi\n jne back\n lea 1(%rdi), %eax\n ret\n"
	".size branch, .-branch\n"
	".globl apart\n.type apart, @function\n"
	"apart: push %rbx\n lea 1(%rdi), %eax\n test $1, %edi\n je 1f\n jmp 2f\n"
	"1: pop %rbx\n ret\n.size apart, .-apart\n2: jmp 1b\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl front\n.type front, %function\nfront: b back\n.size front, .-front\n"
	".globl branch\n.type branch, %function\n"
	"branch: tbz w0, #0, 1f\n b back\n1: add w0, w0, #1\n ret\n.size branch, .-branch\n"
	".globl apart\n.type apart, %function\n"
	"apart: str x30, [sp, #-16]!\n tbz w0, #0, 1f\n b 2f\n"
	"1: add w0, w0, #1\n ldr x30, [sp], #16\n ret\n.size apart, .-apart\n2: b 1b\n");
#endif

static pthread_barrier_t barrier;

KNOWN_FRAME void wait_here(void)
{
	pthread_barrier_wait(&barrier);
	pause();
	keep_frame();
}

static void *wait_in_thread(void *arg)
{
	wait_here();
	return arg;
}

static void cancel(unsigned n)
{
	unsigned cancelled = 0;

	for (unsigned i = 0; i < n; i++) {
		pthread_t thread;
		void *result;

		pthread_barrier_init(&barrier, NULL, 2);
		if (pthread_create(&thread, NULL, wait_in_thread, NULL))
			die("pthread_create");
		pthread_barrier_wait(&barrier);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
		pthread_barrier_destroy(&barrier);
	}
	printf("cancel: %u cancelled\n", cancelled);
}

KNOWN_FRAME unsigned leaf(unsigned n)
{
	keep_frame();
	return n * 3;
}

static void *leaf_in_thread(void *arg)
{
	leaf(1);
	return arg;
}

static unsigned nr_threads;

static void threads(void)
{
	for (unsigned i = 0; i < nr_threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, leaf_in_thread, NULL))
			die("pthread_create");
		pthread_join(thread, NULL);
	}
}

static void busy(unsigned n)
{
	nr_threads = n + 1;
	deep_with(threads, n);
	deep_with(threads, 0);
}

static void call_often(const char *name, unsigned n, unsigned (*call)(unsigned n))
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += call(i);
	printf("%s: %u\n", name, sum);
}

static void wait_ms(unsigned n)
{
	puts("waits");
	fflush(stdout);
	usleep(1000 * n);
}

static void step(char *text)
{
	char *number = strchr(text, '=');
	unsigned n;

	if (!number)
		bad_argument("step", text);
	*number++ = '\0';
	n = parse_number(number, 0, 1000000);
	if (!strcmp(text, "jump"))
		jump(n);
	else if (!strcmp(text, "last"))
		last(n);
	else if (!strcmp(text, "deep"))
		printf("deep: %u\n", deep(n));
	else if (!strcmp(text, "stop"))
		deep_with(stop_here, n);
	else if (!strcmp(text, "busy"))
		busy(n);
	else if (!strcmp(text, "tail"))
		call_often("tail", n, front);
	else if (!strcmp(text, "branch"))
		call_often("branch", n, branch);
	else if (!strcmp(text, "apart"))
		call_often("apart", n, apart);
	else if (!strcmp(text, "cancel"))
		cancel(n);
	else if (!strcmp(text, "leaf"))
		call_often("leaf", n, leaf);
	else if (!strcmp(text, "wait"))
		wait_ms(n);
	else
		bad_argument("step", text);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		step(argv[i]);
	return 0;
}
