// SPDX-License-Identifier: BSD-2-Clause
/* Takes the oldest body of the spool, has it sent, and does with it what the answer says. */
#include "serve/push_keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "jail/cage.h"
#include "jail/message.h"
#include "serve/courier.h"
#include "serve/out_dir.h"
#include "serve/push_schedule.h"
#include "serve/push_token.h"

enum { SOCK = 3, DIR_FD = 4 };

/* Longer than a courier takes for a request; how often counts are told again. */
static const uint64_t HANG_NS = (COURIER_S + 10) * 1000000000ull, TELL_NS = 500000000;
/* A spool of thousands is not listed for each of them. */
static const uint64_t LIST_NS = 5000000000;

struct push_keeper {
	struct out_dir *dir;
	const struct keeper_opts *opts;
	struct courier *courier;
	struct push_schedule schedule;
	struct out_list list;	/* the spool as it was at @listed_ns, less what left it since */
	uint64_t listed_ns;	/* 0: it is to be looked at again */
	char sending[OUT_NAME]; /* "": nothing */
	char last[OUT_NAME];	/* the next one is behind it; "": the oldest is */
	uint64_t hangs_ns;	/* when what is sent has taken too long */
	uint64_t ends_ns;	/* 0: nobody said so */
	struct push_news news;
	bool is_told;
};

static uint64_t some_number(void)
{
	uint64_t n = 0;

	(void)!getrandom(&n, sizeof(n), 0);
	return n;
}

static void tell(struct push_keeper *k)
{
	const ssize_t n = send(SOCK, &k->news, sizeof(k->news), MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		_exit(0);
	k->is_told = n >= 0;
}

static void note_error(struct push_keeper *k, const char *text)
{
	snprintf(k->news.error, sizeof(k->news.error), "%s", text);
	k->is_told = false;
}

static void forget(struct push_keeper *k, const char *name)
{
	struct out_list *l = &k->list;

	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->items[i].name, name)) {
			l->nr--;
			memmove(&l->items[i], &l->items[i + 1], (l->nr - i) * sizeof(*l->items));
			return;
		}
}

/* It will not be sent (again). Who else has removed it has counted it. */
static void remove_body(struct push_keeper *k, const char *name, uint64_t *count)
{
	char gone[OUT_NAME]; /* @name may be an entry's */
	const int err = out_dir__remove(k->dir, name);

	snprintf(gone, sizeof(gone), "%s", name);
	forget(k, gone);
	if (err == -ENOENT)
		return;
	++*count;
	k->is_told = false;
	if (!err)
		return;
	/* Or it would be sent for ever. */
	snprintf(k->news.error, sizeof(k->news.error),
		 "what is sent cannot be removed from the spool, and nothing more is sent: %s",
		 strerror(-err));
	k->news.err = err;
	tell(k);
	_exit(1);
}

static void fail(struct push_keeper *k, const char *text, uint64_t retry_after_s)
{
	note_error(k, text);
	k->news.nr_failures++;
	k->listed_ns = 0; /* the next one to try may have come since */
	push_schedule__failed(&k->schedule, clock__now_ns(), retry_after_s, some_number());
}

static int start_courier(struct push_keeper *k, struct buf *why)
{
	const struct courier_opts opts = { .to = k->opts->to,
					   .ca_file = k->opts->ca_file,
					   .headers = k->opts->headers,
					   .nr_headers = k->opts->nr_headers };
	int err = courier__open(&k->courier, &opts);

	if (!err)
		err = courier__check(k->courier, why);
	if (err) {
		courier__close(k->courier);
		k->courier = NULL;
	}
	return err;
}

static void end_courier(struct push_keeper *k, const char *text)
{
	courier__close(k->courier);
	k->courier = NULL;
	k->sending[0] = '\0';
	fail(k, text, 0);
}

/* Lists the spool if it was not for long, or nothing is known to be there. */
static int list_spool(struct push_keeper *k, uint64_t now_ns)
{
	int err;

	if (k->list.nr && k->listed_ns && now_ns < k->listed_ns + LIST_NS)
		return 0;
	err = out_dir__list(k->dir, &k->list);
	k->listed_ns = err ? 0 : now_ns;
	return err;
}

/* The oldest that is too old, and is not being sent; NULL: there is none. */
static const struct out_entry *find_old(const struct push_keeper *k)
{
	const uint64_t now_ns = clock__wall_ns();

	for (size_t i = 0; i < k->list.nr; i++) {
		const struct out_entry *e = &k->list.items[i];

		if (e->begin_s * 1000000000 + k->opts->max_age_ns >= now_ns)
			return NULL;
		if (strcmp(e->name, k->sending))
			return e;
	}
	return NULL;
}

/* Drops what is too old, and looks whether anything is left. */
static void look(struct push_keeper *k)
{
	char text[PUSHER_ERROR];
	const struct out_entry *e;
	int err = list_spool(k, clock__now_ns());

	if (err) {
		snprintf(text, sizeof(text), "the spool cannot be read: %s", strerror(-err));
		fail(k, text, 0);
		return;
	}
	while ((e = find_old(k)))
		remove_body(k, e->name, &k->news.lost[PUSH_LOST_OLD]);
	push_schedule__set_work(&k->schedule, k->list.nr, clock__now_ns());
}

/* The one behind the last that the backend had trouble with, or the oldest. */
static const struct out_entry *choose(struct push_keeper *k)
{
	for (size_t i = 0; i < k->list.nr; i++)
		if (strcmp(k->list.items[i].name, k->last) > 0)
			return &k->list.items[i];
	k->last[0] = '\0';
	return k->list.nr ? &k->list.items[0] : NULL;
}

static void send_body(struct push_keeper *k, const struct out_entry *e, const char *auth)
{
	const int fd = out_dir__read(k->dir, e->name);
	int err;

	if (fd == -ENOENT) {
		k->listed_ns = 0;
		return;
	}
	if (fd < 0 || !e->bytes) {
		remove_body(k, e->name, &k->news.lost[PUSH_LOST_DAMAGED]);
		if (fd >= 0)
			close(fd);
		return;
	}
	memcpy(k->sending, e->name, sizeof(k->sending));
	k->hangs_ns = clock__now_ns() + HANG_NS;
	err = courier__send(k->courier, fd, auth);
	close(fd);
	if (err)
		end_courier(k, "the process that pushes has ended");
}

static void send_next(struct push_keeper *k)
{
	char auth[COURIER_AUTH] = "", text[PUSHER_ERROR];
	const struct out_entry *e;
	struct buf why = {};
	int err = 0;

	look(k);
	e = choose(k);
	if (!e)
		return;
	if (!k->courier && start_courier(k, &why)) {
		fail(k, why.data ? why.data : "out of memory", 0);
		buf__free(&why);
		return;
	}
	if (k->opts->token_file)
		err = push_token__read(auth, k->opts->token_file);
	if (err) {
		snprintf(text, sizeof(text), "%.160s: %s", k->opts->token_file,
			 err == -EINVAL ? "there is no token in it" : strerror(-err));
		fail(k, text, 0);
		return;
	}
	send_body(k, e, auth);
	explicit_bzero(auth, sizeof(auth));
}

static void act_on(struct push_keeper *k, const char *name, const struct courier_answer *a)
{
	switch (push_verdict(a->status)) {
	case PUSH_ARRIVED:
		push_schedule__arrived(&k->schedule, clock__now_ns(), k->list.nr);
		if (a->rejected)
			note_error(k, a->text);
		else
			k->news.sent_ns = clock__wall_ns();
		remove_body(k, name,
			    a->rejected ? &k->news.lost[PUSH_LOST_REJECTED] : &k->news.sent);
		break;
	case PUSH_DROP:
		push_schedule__arrived(&k->schedule, clock__now_ns(), k->list.nr);
		note_error(k, a->text);
		remove_body(k, name, &k->news.lost[PUSH_LOST_REFUSED]);
		break;
	case PUSH_LATER_OTHERS:
		snprintf(k->last, sizeof(k->last), "%s", name);
		fail(k, a->text, a->retry_after_s);
		break;
	case PUSH_LATER:
		fail(k, a->text, a->retry_after_s);
		break;
	}
}

static void take_answer(struct push_keeper *k)
{
	struct courier_answer a;
	char name[OUT_NAME];

	if (courier__take(k->courier, &a)) {
		end_courier(k, "the process that pushes has ended");
		return;
	}
	memcpy(name, k->sending, sizeof(name));
	k->sending[0] = '\0';
	if (*name)
		act_on(k, name, &a);
	look(k);
}

static void take_note(struct push_keeper *k)
{
	struct push_note note;

	if (message__receive(SOCK, &note, sizeof(note), NULL) != sizeof(note))
		_exit(0);
	if (note.what == PUSH_NOTE_CLOSE) {
		k->ends_ns = clock__now_ns() + note.patience_ms * 1000000ull;
		push_schedule__hurry(&k->schedule);
		k->listed_ns = 0;
	}
	look(k);
}

/* Told to end, and there is nothing that can be done before that. */
static bool is_done(const struct push_keeper *k)
{
	const uint64_t due_ns = push_schedule__due_ns(&k->schedule), now_ns = clock__now_ns();

	if (!k->ends_ns)
		return false;
	if (now_ns >= k->ends_ns)
		return true;
	return !*k->sending && due_ns > k->ends_ns;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t wakes_ns(const struct push_keeper *k)
{
	uint64_t at = *k->sending ? k->hangs_ns : push_schedule__due_ns(&k->schedule);

	if (k->ends_ns)
		at = sooner(at, k->ends_ns);
	return k->is_told ? at : sooner(at, clock__now_ns() + TELL_NS);
}

static void keep(struct push_keeper *k)
{
	look(k);
	while (!is_done(k)) {
		struct pollfd fds[] = {
			{ .fd = SOCK, .events = POLLIN },
			{ .fd = k->courier ? courier__fd(k->courier) : -1, .events = POLLIN },
		};

		if (!k->is_told)
			tell(k);
		if (poll(fds, ARRAY_SIZE(fds), clock__ms_until(wakes_ns(k))) < 0 && errno != EINTR)
			_exit(1);
		if (fds[0].revents)
			take_note(k);
		if (fds[1].revents && k->courier)
			take_answer(k);
		if (*k->sending && clock__now_ns() >= k->hangs_ns)
			end_courier(k, "the process that pushes hung");
		if (!*k->sending && clock__now_ns() >= push_schedule__due_ns(&k->schedule))
			send_next(k);
	}
	courier__close(k->courier);
	tell(k);
}

/* A group of processes may be told to end: who measures decides when this does. */
static void ignore_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)signal(signals[i], SIG_IGN);
}

_Noreturn void push_keeper__run(int sock, struct out_dir *dir, const struct keeper_opts *opts)
{
	struct push_keeper *k = calloc(1, sizeof(*k));
	struct buf why = {};

	prctl(PR_SET_NAME, "pmut-pusher");
	ignore_signals();
	if (!k || cage__close_files(sock, out_dir__fd(dir)))
		_exit(1);
	out_dir__moved(dir, DIR_FD);
	privileges__keep(PRIVILEGE(CAP_SETUID) | PRIVILEGE(CAP_SETGID) | PRIVILEGE(CAP_KILL));
	*k = (struct push_keeper){ .dir = dir, .opts = opts };
	push_schedule__begin(&k->schedule, opts->window_ns,
			     opts->place ? opts->place : some_number());
	k->news.err = start_courier(k, &why);
	if (k->news.err)
		note_error(k, why.data ? why.data : strerror(-k->news.err));
	tell(k);
	if (!k->news.err)
		keep(k);
	_exit(0);
}
