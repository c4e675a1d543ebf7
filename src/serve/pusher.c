// SPDX-License-Identifier: BSD-2-Clause
/* Writes bodies into the spool, and keeps account with the keeper, whose process it starts. */
#include "serve/pusher.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/why.h"
#include "jail/message.h"
#include "serve/out_dir.h"
#include "serve/push_header.h"
#include "serve/push_keeper.h"
#include "serve/push_split.h"
#include "serve/push_token.h"

static const uint64_t QUIET_NS = 60 * 1000000000ull;

/* What the keeper of a pusher that was killed takes to end; what this one's takes to begin. */
enum { LOCK_TRIES = 40, LOCK_US = 50000, START_MS = 15000, END_MS = 1000 };

struct pusher {
	struct push_url to;
	struct out_dir *spool;
	int sock;
	pid_t pid;
	uint64_t found, put;
	struct push_news news; /* the last ones */
	bool has_ended;
	struct pusher_counts told; /* that people know of */
	uint64_t told_ns;	   /* 0: of none yet */
};

static void note(struct pusher *p, const struct push_note *n)
{
	/* Without room for it there are others that the keeper has not read. */
	(void)!send(p->sock, n, sizeof(*n), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void take_news(struct pusher *p)
{
	struct push_news news;

	while (!p->has_ended) {
		const ssize_t n = recv(p->sock, &news, sizeof(news), MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n == sizeof(news)) {
			news.error[PUSHER_ERROR - 1] = '\0';
			p->news = news;
		} else {
			p->has_ended = true;
		}
	}
}

/* True: there is something to be read, within so much time. */
static bool wait_for(const struct pusher *p, int ms)
{
	struct pollfd there = { .fd = p->sock, .events = POLLIN };
	int n;

	do
		n = poll(&there, 1, ms);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

static int lock(struct pusher *p, const char *path, struct buf *why)
{
	const int fd = out_dir__fd(p->spool);

	for (unsigned i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return why__refuse(why, -errno, "%s: %s", path, strerror(errno));
		usleep(LOCK_US);
	}
	return why__refuse(
		why, -EBUSY,
		"%s: another pmutrace pushes what is there: give each a directory of its "
		"own",
		path);
}

static int open_spool(struct pusher *p, const struct pusher_opts *opts, struct buf *why)
{
	const struct out_dir_opts o = {
		.ending = push_format(p->to.kind)->ending,
		.max_bytes = opts->spool_bytes ? opts->spool_bytes : PUSHER_SPOOL_BYTES,
		.is_private = true,
	};
	struct out_list list = {};
	int err = out_dir__open(&p->spool, opts->spool, &o, why);

	if (!err)
		err = lock(p, opts->spool, why);
	if (!err) {
		err = out_dir__list(p->spool, &list);
		if (err)
			err = why__refuse(why, err, "%s: %s", opts->spool, strerror(-err));
	}
	p->found = list.nr;
	out_list__free(&list);
	return err;
}

static int check_token(const struct pusher *p, const char *path, struct buf *why)
{
	char auth[COURIER_AUTH];
	int err;

	if (!path)
		return 0;
	if (!p->to.is_tls && !p->to.is_loopback)
		return why__refuse(why, -EINVAL,
				   "%s: over http everybody on the way could read the token of %s: "
				   "push to an https address",
				   p->to.url, path);
	err = push_token__read(auth, path);
	explicit_bzero(auth, sizeof(auth));
	if (!err)
		return 0;
	return why__refuse(why, err, "%s: %s", path,
			   err == -EINVAL ? "there is no token in it" : strerror(-err));
}

static int start_keeper(struct pusher *p, const struct pusher_opts *opts, struct buf *why)
{
	const struct keeper_opts o = {
		.to = &p->to,
		.token_file = opts->token_file,
		.ca_file = opts->ca_file,
		.headers = opts->headers,
		.nr_headers = opts->nr_headers,
		.max_age_ns = opts->max_age_ns ? opts->max_age_ns : PUSHER_AGE_NS,
		.window_ns = opts->window_ns,
		.place = opts->place,
	};
	int sock, err = message__fork(&sock, &p->pid);

	if (err)
		return why__refuse(why, err, "no process to push with: %s", strerror(-err));
	p->sock = sock;
	if (!p->pid)
		push_keeper__run(p->sock, p->spool, &o);
	if (!wait_for(p, START_MS))
		return why__refuse(why, -EAGAIN, "the process that pushes profiles does not start");
	take_news(p);
	if (p->news.err)
		return why__refuse(why, p->news.err, "%s", p->news.error);
	return p->has_ended ? why__refuse(why, -EPIPE, "the process that pushes profiles ends") : 0;
}

int pusher__open(struct pusher **out, const struct pusher_opts *opts, struct buf *why)
{
	struct pusher *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->sock = -1;
	err = push_url__parse(&p->to, opts->url, why);
	if (!err)
		err = check_token(p, opts->token_file, why);
	if (!err)
		err = push_headers__check(opts->headers, opts->nr_headers, why);
	if (!err)
		err = open_spool(p, opts, why);
	if (!err)
		err = start_keeper(p, opts, why);
	if (err) {
		pusher__close(p, 0, NULL);
		return err;
	}
	*out = p;
	return 0;
}

int pusher__put(struct pusher *p, const struct push_profile *profile)
{
	const struct push_note n = { .what = PUSH_NOTE_PUT };
	struct push_parts parts = {};
	int err = push_parts__make(&parts, p->to.kind, profile, push_limits__default());
	int first = 0;

	for (size_t i = 0; i < parts.nr && !err; i++) {
		const struct push_part *part = &parts.items[i];
		const struct out_file file = { part->begin_ns, profile->whose };
		const int failed = out_dir__put(p->spool, &file, part->body.bytes.data,
						part->body.bytes.len, clock__wall_ns());

		p->put++;
		if (!first)
			first = failed;
	}
	push_parts__free(&parts);
	note(p, &n);
	return err ? err : first;
}

static void count(struct pusher *p, struct pusher_counts *out)
{
	const struct out_dir_counts *spool = out_dir__counts(p->spool);
	const struct push_news *news = &p->news;
	uint64_t done = news->sent;

	*out = (struct pusher_counts){
		.found = p->found,
		.put = p->put,
		.sent = news->sent,
		.nr_failures = news->nr_failures,
		.sent_ns = news->sent_ns,
	};
	memcpy(out->lost, news->lost, sizeof(out->lost));
	memcpy(out->error, news->error, sizeof(out->error));
	out->lost[PUSH_LOST_FULL] += spool->removed_full;
	out->lost[PUSH_LOST_DISK] += spool->failed;
	for (unsigned i = 0; i < PUSH_LOSSES; i++)
		done += out->lost[i];
	out->waiting = p->found + p->put - done;
}

int pusher__poll(struct pusher *p, struct pusher_counts *out)
{
	take_news(p);
	count(p, out);
	return p->has_ended ? -EPIPE : 0;
}

int pusher__waiting_bytes(struct pusher *p, uint64_t *bytes)
{
	struct out_list list = {};
	const int err = out_dir__list(p->spool, &list);

	*bytes = list.bytes;
	out_list__free(&list);
	return err;
}

int pusher__tell(struct pusher *p, const struct pusher_counts *counts, uint64_t now_ns,
		 struct buf *out)
{
	bool is_new = counts->nr_failures != p->told.nr_failures;
	const size_t begin = out->len;
	int err;

	if (p->told_ns && now_ns - p->told_ns < QUIET_NS)
		return 0;
	err = buf__printf(out, "pushing to %s: ", p->to.url);
	for (unsigned i = 0; i < PUSH_LOSSES && !err; i++) {
		if (counts->lost[i] == p->told.lost[i])
			continue;
		is_new = true;
		err = buf__printf(out, "%llu %s, ", (unsigned long long)counts->lost[i],
				  push_loss__text(i));
	}
	if (!err && is_new)
		err = buf__printf(out, "%llu are waiting%s%s", (unsigned long long)counts->waiting,
				  *counts->error ? ": " : "", counts->error);
	if (err || !is_new) {
		out->len = begin;
		if (out->data)
			out->data[begin] = '\0';
		return err;
	}
	p->told = *counts;
	p->told_ns = now_ns ? now_ns : 1;
	return 0;
}

/* Waits for its end, and hears what it says until then. */
static void end_keeper(struct pusher *p, unsigned patience_ms)
{
	const struct push_note n = { .what = PUSH_NOTE_CLOSE, .patience_ms = patience_ms };
	const uint64_t until_ns = clock__now_ns() + (patience_ms + END_MS) * 1000000ull;

	note(p, &n);
	do
		take_news(p);
	while (!p->has_ended && wait_for(p, clock__ms_until(until_ns)));
	if (!p->has_ended)
		kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void pusher__end(struct pusher *p, unsigned patience_ms, struct pusher_counts *last)
{
	if (p->pid > 0)
		end_keeper(p, patience_ms);
	p->pid = 0;
	if (last)
		count(p, last);
}

void pusher__close(struct pusher *p, unsigned patience_ms, struct pusher_counts *last)
{
	if (!p)
		return;
	pusher__end(p, patience_ms, last);
	if (p->sock >= 0)
		close(p->sock);
	out_dir__close(p->spool);
	free(p);
}
