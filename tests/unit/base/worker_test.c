// SPDX-License-Identifier: BSD-2-Clause
/* Jobs done on a thread, in order; and one that hangs, which nobody waits for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/worker.h"

struct square {
	struct job job;
	uint64_t n, result;
	int wait_fd;  /* read first; -1: nothing */
	int begun_fd; /* written before that */
};

/* The worker's alone, and what tells of its end. */
struct owner {
	uint64_t nr_done;
	int ended_fd;
};

static unsigned nr_freed; /* jobs that nobody took; read when no thread is left */

/* An assertion belongs to the test's own thread. */
static void wait_as_asked(const struct square *s)
{
	char c;

	if (s->wait_fd < 0)
		return;
	if (write(s->begun_fd, "x", 1) != 1 || read(s->wait_fd, &c, 1) < 0)
		abort();
}

static void run(void *arg, struct job *job)
{
	struct square *s = (struct square *)job;
	struct owner *o = arg;
	sigset_t mask;

	if (pthread_sigmask(SIG_BLOCK, NULL, &mask) || !sigismember(&mask, SIGINT) ||
	    !sigismember(&mask, SIGTERM) || sigismember(&mask, SIGSEGV))
		abort();
	wait_as_asked(s);
	s->result = s->n * s->n;
	o->nr_done++;
	if (s->n == 7)
		log__notice("seven is %s", "done");
}

static void free_square(struct job *job)
{
	__atomic_add_fetch(&nr_freed, 1, __ATOMIC_RELAXED);
	free(job);
}

static void end(void *arg)
{
	struct owner *o = arg;
	uint64_t nr = o->nr_done;

	if (write(o->ended_fd, &nr, sizeof(nr)) != sizeof(nr))
		abort();
	free(o);
}

/* Its end is written to the pipe. */
static struct worker *open_worker(int ended[2])
{
	struct owner *o = calloc(1, sizeof(*o));
	const struct worker_opts opts = {
		.run = run, .free = free_square, .end = end, .owner = o, .privileges = UINT64_MAX
	};
	struct worker *w;

	assert_int_equal(pipe(ended), 0);
	o->ended_fd = ended[1];
	assert_int_equal(worker__open(&w, &opts), 0);
	return w;
}

/* How many jobs it has done at its end. */
static uint64_t nr_done_at_end(int ended[2])
{
	uint64_t nr;

	assert_int_equal(read(ended[0], &nr, sizeof(nr)), sizeof(nr));
	close(ended[0]);
	close(ended[1]);
	return nr;
}

static void give(struct worker *w, uint64_t n)
{
	struct square *s = calloc(1, sizeof(*s));

	*s = (struct square){ .n = n, .wait_fd = -1 };
	worker__give(w, &s->job);
}

/* It waits for a byte; returns when it does. */
static void give_slow(struct worker *w, uint64_t n, int wait_fd)
{
	struct square *s = calloc(1, sizeof(*s));
	int begun[2];
	char c;

	assert_int_equal(pipe(begun), 0);
	*s = (struct square){ .n = n, .wait_fd = wait_fd, .begun_fd = begun[1] };
	worker__give(w, &s->job);
	assert_int_equal(read(begun[0], &c, 1), 1);
	close(begun[0]);
	close(begun[1]);
}

static bool is_readable(struct worker *w)
{
	struct pollfd fd = { worker__fd(w), POLLIN, 0 };

	return poll(&fd, 1, 0) == 1;
}

static void jobs_are_done_in_order(void **state)
{
	struct worker *w;
	struct job *job;
	int ended[2];

	(void)state;
	w = open_worker(ended);
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < 200; i++)
			give(w, i);
		for (unsigned i = 0; i < 200;) {
			struct pollfd fd = { worker__fd(w), POLLIN, 0 };

			assert_int_equal(poll(&fd, 1, 10000), 1);
			while ((job = worker__take(w))) {
				struct square *s = (struct square *)job;

				assert_int_equal(s->n, i);
				assert_int_equal(s->result, i * i);
				free(s);
				i++;
			}
		}
		assert_int_equal(worker__nr_open(w), 0);
		assert_false(is_readable(w));
	}
	worker__close(w);
	assert_int_equal(nr_done_at_end(ended), 50 * 200);
}

static void what_nobody_takes_is_freed(void **state)
{
	struct worker *w;
	int ended[2];

	(void)state;
	nr_freed = 0;
	w = open_worker(ended);
	for (unsigned i = 0; i < 10; i++)
		give(w, i);
	assert_true(worker__wait(w, UINT64_MAX));
	assert_true(is_readable(w));
	worker__close(w);
	assert_int_equal(nr_done_at_end(ended), 10);
	assert_int_equal(nr_freed, 10);
}

static void give_later(struct worker *w, uint64_t n)
{
	struct square *s = calloc(1, sizeof(*s));

	*s = (struct square){ .n = n, .wait_fd = -1 };
	worker__give_later(w, &s->job);
}

/* Those that are done, once @nr of them are: the numbers are @from and those that follow. */
static void assert_done(struct worker *w, uint64_t from, size_t nr)
{
	for (uint64_t i = from; i < from + nr;) {
		struct pollfd fd = { worker__fd(w), POLLIN, 0 };
		struct job *job;

		assert_int_equal(poll(&fd, 1, 10000), 1);
		while ((job = worker__take(w))) {
			assert_int_equal(((struct square *)job)->n, i++);
			free(job);
		}
	}
	assert_false(is_readable(w));
}

/* Some ms, in which the thread would have begun what it was to begin. */
static void assert_nothing_is_done(struct worker *w)
{
	struct pollfd fd = { worker__fd(w), POLLIN, 0 };

	assert_int_equal(poll(&fd, 1, 50), 0);
}

static void what_is_not_urgent_is_gathered(void **state)
{
	struct worker *w;
	int ended[2];

	(void)state;
	w = open_worker(ended);
	give_later(w, 1);
	give_later(w, 2);
	assert_nothing_is_done(w);
	assert_int_equal(worker__nr_open(w), 2);
	give(w, 3);
	assert_done(w, 1, 3);
	/* Once more: the last time is forgotten. */
	give_later(w, 4);
	assert_nothing_is_done(w);
	worker__hasten(w);
	assert_done(w, 4, 1);
	worker__hasten(w); /* nothing is there */
	give_later(w, 5);
	assert_nothing_is_done(w);
	assert_true(worker__wait(w, UINT64_MAX));
	assert_done(w, 5, 1);
	for (unsigned i = 0; i < WORKER_BATCH - 1; i++)
		give_later(w, 6 + i);
	assert_nothing_is_done(w);
	give_later(w, 6 + WORKER_BATCH - 1);
	assert_done(w, 6, WORKER_BATCH);
	/* What is left is freed. */
	nr_freed = 0;
	give_later(w, 7);
	worker__close(w);
	assert_int_equal(nr_done_at_end(ended), 5 + WORKER_BATCH);
	assert_int_equal(nr_freed, 1);
}

/* It goes on when what it reads comes, finds that it was left, and frees all. */
static void one_that_hangs_is_left_behind(void **state)
{
	uint64_t start;
	struct worker *w;
	int ended[2], slow[2];

	(void)state;
	nr_freed = 0;
	assert_int_equal(pipe(slow), 0);
	w = open_worker(ended);
	give(w, 1);
	give_slow(w, 2, slow[0]);
	give(w, 3);
	assert_false(worker__wait(w, clock__now_ns() + 20000000));
	assert_true(worker__nr_open(w) >= 2);
	start = clock__now_ns();
	worker__close(w);
	assert_true(clock__now_ns() - start < 5000000000); /* and not for ever */
	assert_int_equal(write(slow[1], "x", 1), 1);
	assert_int_equal(nr_done_at_end(ended), 2); /* the third was not begun */
	for (unsigned i = 0; i < 1000 && __atomic_load_n(&nr_freed, __ATOMIC_RELAXED) < 3; i++)
		usleep(10000);
	assert_int_equal(__atomic_load_n(&nr_freed, __ATOMIC_RELAXED), 3);
	close(slow[0]);
	close(slow[1]);
}

/* A job that waits for another one. */
struct patience {
	struct worker *worker;
	struct job *waiting;
	int ready_fd; /* a byte for each job that can be taken */
};

static void run_in_turn(void *arg, struct job *job)
{
	struct square *s = (struct square *)job;
	struct patience *p = arg;

	if (s->n == 1 && !s->result) {
		s->result = 1;
		p->waiting = job;
		worker__put_off(job);
		return;
	}
	s->result += s->n;
	if (s->n == 3 && p->waiting)
		worker__go_on(p->worker, p->waiting);
}

static void say_ready(void *arg)
{
	struct patience *p = arg;

	if (write(p->ready_fd, "x", 1) != 1)
		abort();
}

static void nothing_to_end(void *arg)
{
	(void)arg;
}

static void what_is_put_off_is_done_later(void **state)
{
	struct patience p = {};
	const struct worker_opts opts = { .run = run_in_turn,
					  .free = free_square,
					  .end = nothing_to_end,
					  .owner = &p,
					  .done = say_ready };
	const uint64_t order[] = { 2, 3, 1 };
	struct square *s;
	char bytes[8];
	int ready[2];

	(void)state;
	assert_int_equal(pipe(ready), 0);
	p.ready_fd = ready[1];
	assert_int_equal(worker__open(&p.worker, &opts), 0);
	give(p.worker, 1);
	give(p.worker, 2);
	assert_int_equal(read(ready[0], bytes, 1), 1);	/* the second can be taken */
	assert_int_equal(worker__nr_open(p.worker), 1); /* the first is not done */
	give(p.worker, 3);
	assert_true(worker__wait(p.worker, UINT64_MAX));
	for (size_t i = 0; i < 3; i++) {
		s = (struct square *)worker__take(p.worker);
		assert_non_null(s);
		assert_int_equal(s->n, order[i]);
		assert_int_equal(s->result, s->n == 1 ? 2 : s->n);
		free(s);
	}
	assert_null(worker__take(p.worker));
	worker__close(p.worker);
	close(ready[1]);
	assert_int_equal(read(ready[0], bytes, sizeof(bytes)), 2);
	close(ready[0]);
}

static void run_all_in_turn(void *arg, struct job *const *jobs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		wait_as_asked((struct square *)jobs[i]);
		run_in_turn(arg, jobs[i]);
	}
}

/* Those that are run with it are done, and it may go on while they still are. */
static void of_a_batch_one_may_be_put_off(void **state)
{
	struct patience p = {};
	const struct worker_opts opts = {
		.run_all = run_all_in_turn, .free = free_square, .end = nothing_to_end, .owner = &p
	};
	const uint64_t order[] = { 9, 2, 3, 1 };
	struct square *s;
	int slow[2];

	(void)state;
	assert_int_equal(pipe(slow), 0);
	assert_int_equal(worker__open(&p.worker, &opts), 0);
	give_slow(p.worker, 9, slow[0]);
	give(p.worker, 1);
	give(p.worker, 2);
	give(p.worker, 3);
	assert_int_equal(write(slow[1], "x", 1), 1);
	assert_true(worker__wait(p.worker, clock__now_ns() + 10000000000ull));
	for (size_t i = 0; i < 4; i++) {
		s = (struct square *)worker__take(p.worker);
		assert_non_null(s);
		assert_int_equal(s->n, order[i]);
		assert_int_equal(s->result, s->n == 1 ? 2 : s->n);
		free(s);
	}
	assert_null(worker__take(p.worker));
	worker__close(p.worker);
	close(slow[0]);
	close(slow[1]);
}

static int compare_tens(const struct job *a, const struct job *b)
{
	const uint64_t left = ((const struct square *)a)->n / 10;
	const uint64_t right = ((const struct square *)b)->n / 10;

	return left < right ? -1 : left > right;
}

/* Those that came while another was run: sorted, equal ones as they came, across batches. */
static void what_waits_is_run_in_order(void **state)
{
	enum { MANY = 3 * WORKER_BATCH + 7 };
	struct patience p = {};
	const struct worker_opts opts = { .run_all = run_all_in_turn,
					  .compare = compare_tens,
					  .free = free_square,
					  .end = nothing_to_end,
					  .owner = &p };
	struct square *s;
	uint64_t last = 0;
	int slow[2];

	(void)state;
	assert_int_equal(pipe(slow), 0);
	assert_int_equal(worker__open(&p.worker, &opts), 0);
	give_slow(p.worker, 0, slow[0]);
	/* The tens come last first: .., 30, 31, .. 39, 20, .. 29, 10, .. 19. */
	for (uint64_t i = 0; i < MANY; i++)
		give(p.worker, 10 * (MANY - i / 10) + i % 10);
	assert_int_equal(write(slow[1], "x", 1), 1);
	assert_true(worker__wait(p.worker, clock__now_ns() + 10000000000ull));
	s = (struct square *)worker__take(p.worker);
	assert_int_equal(s->n, 0);
	free(s);
	for (uint64_t i = 0; i < MANY; i++, last = s->n, free(s)) {
		s = (struct square *)worker__take(p.worker);
		assert_non_null(s);
		assert_true(s->n > last);
	}
	assert_null(worker__take(p.worker));
	worker__close(p.worker);
	close(slow[0]);
	close(slow[1]);
}

static void keep_text(void *arg, enum log_level level, const char *text)
{
	assert_int_equal(level, LOG_NOTICE);
	snprintf(arg, 64, "%s", text);
}

static void what_it_logs_is_told_by_its_owner(void **state)
{
	char text[64] = "";
	struct worker *w;
	int ended[2];

	(void)state;
	log__set_sink(keep_text, text);
	w = open_worker(ended);
	give(w, 7);
	assert_true(worker__wait(w, UINT64_MAX));
	assert_string_equal(text, "");
	worker__log(w);
	assert_string_equal(text, "seven is done");
	worker__close(w);
	log__set_sink(NULL, NULL);
	assert_int_equal(nr_done_at_end(ended), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_done_in_order),
		cmocka_unit_test(what_nobody_takes_is_freed),
		cmocka_unit_test(what_is_not_urgent_is_gathered),
		cmocka_unit_test(one_that_hangs_is_left_behind),
		cmocka_unit_test(what_is_put_off_is_done_later),
		cmocka_unit_test(of_a_batch_one_may_be_put_off),
		cmocka_unit_test(what_waits_is_run_in_order),
		cmocka_unit_test(what_it_logs_is_told_by_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
