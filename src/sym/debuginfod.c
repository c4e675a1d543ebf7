// SPDX-License-Identifier: BSD-2-Clause
/* Starts the process that asks servers, passes questions on, and tells what failed. */
#include "sym/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/why.h"
#include "jail/message.h"
#include "sym/debuginfod_fetcher.h"

struct debuginfod {
	unsigned nr_holders;
	int sock, life;
	pid_t pid;
	char *urls;	      /* what the servers are parts of */
	const char **servers; /* with what belongs to them, as the library has it */
	char **names;	      /* the same, for people */
	size_t nr;
	pthread_mutex_t asking; /* one fetch after the other */
	bool ended;		/* the process: nobody can be asked */
	bool closed;		/* by the one who opened it: nobody is to be told anything */
	pthread_mutex_t shown;	/* of what follows */
	char server[64];	/* that is being asked; "": none */
	uint64_t bytes, total;
};

struct debuginfod_opts debuginfod__environment(void)
{
	return (struct debuginfod_opts){
		.urls = getenv("DEBUGINFOD_URLS"),
		.cache_path = getenv("DEBUGINFOD_CACHE_PATH"),
		.xdg_cache = getenv("XDG_CACHE_HOME"),
		.home = getenv("HOME"),
		.root_cache = "/var/cache/pmutrace",
		.library = "libdebuginfod.so.1",
	};
}

/* A URL without the name and the password in it. */
static char *name_of(const char *url)
{
	const char *scheme = strstr(url, "://"), *rest = scheme ? scheme + 3 : url;
	size_t host = strcspn(rest, "/");
	const char *at = memrchr(rest, '@', host);
	char *name;

	if (!at)
		return strdup(url);
	return asprintf(&name, "%.*s%s", (int)(rest - url), url, at + 1) < 0 ? NULL : name;
}

/* Words like "ima:enforcing" say how the servers behind them are to be checked. */
static int add_server(struct debuginfod *d, const char *policy, const char *url)
{
	char *with;

	if (asprintf(&with, "%s%s%s", policy ? policy : "", policy ? " " : "", url) < 0)
		return -ENOMEM;
	d->servers[d->nr] = with;
	d->names[d->nr] = name_of(url);
	return d->names[d->nr++] ? 0 : -ENOMEM;
}

static int split_urls(struct debuginfod *d, const char *urls, struct buf *why)
{
	const char *policy = NULL;
	char *rest = NULL;
	int err = 0;

	d->urls = strdup(urls ? urls : "");
	d->servers = calloc(strlen(urls ? urls : "") + 1, sizeof(*d->servers));
	d->names = calloc(strlen(urls ? urls : "") + 1, sizeof(*d->names));
	if (!d->urls || !d->servers || !d->names)
		return -ENOMEM;
	for (char *word = strtok_r(d->urls, " \t\n", &rest); word && !err;
	     word = strtok_r(NULL, " \t\n", &rest)) {
		if (!strncmp(word, "ima:", 4))
			policy = word;
		else
			err = add_server(d, policy, word);
	}
	if (err || d->nr)
		return err;
	return why__refuse(why, -ENOENT,
			   "--debuginfod asks the servers in DEBUGINFOD_URLS, which is not set; "
			   "sudo keeps it with --preserve-env=DEBUGINFOD_URLS");
}

/* A process that may have been taken over: nothing it says is believed unseen. */
static int receive(struct debuginfod *d, struct fetcher_answer *a, int *fd)
{
	struct pollfd p = { .fd = d->sock, .events = POLLIN };
	int n;

	*fd = -1;
	do
		n = poll(&p, 1, (int)(fetcher__silence_ns() / 1000000));
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : -ETIME;
	n = message__receive(d->sock, a, sizeof(*a), fd);
	if (n < 0)
		return n;
	a->text[sizeof(a->text) - 1] = '\0';
	if (n == (int)sizeof(*a) && a->server < d->nr)
		return 0;
	if (*fd >= 0)
		close(*fd);
	return -EBADMSG;
}

static int wait_for_library(struct debuginfod *d, struct buf *why)
{
	struct fetcher_answer a;
	int fd, err = receive(d, &a, &fd);

	if (fd >= 0)
		close(fd);
	if (err)
		return why__refuse(why, err, "--debuginfod: the process that asks servers ended");
	if (a.what == FETCHER_REFUSES)
		return why__refuse(why, -ENOENT, "--debuginfod: %s", a.text);
	return 0;
}

static int start(struct debuginfod *d, const struct debuginfod_opts *opts)
{
	int socks[2], life[2], err = message__pair(socks);

	if (err)
		return err;
	if (pipe2(life, O_CLOEXEC)) {
		err = -errno;
		close(socks[0]);
		close(socks[1]);
		return err;
	}
	d->sock = socks[0];
	d->life = life[1];
	d->pid = fork();
	if (!d->pid) /* the pipe's other end is closed with all that it does not need */
		fetcher__run(socks[1], life[0], opts, d->servers, d->names, d->nr);
	err = d->pid < 0 ? -errno : 0;
	close(socks[1]);
	close(life[0]);
	return err;
}

static void let_go(struct debuginfod *d)
{
	if (__atomic_sub_fetch(&d->nr_holders, 1, __ATOMIC_ACQ_REL))
		return;
	if (d->sock >= 0)
		close(d->sock);
	for (size_t i = 0; i < d->nr; i++) {
		free((char *)d->servers[i]);
		free(d->names[i]);
	}
	pthread_mutex_destroy(&d->asking);
	pthread_mutex_destroy(&d->shown);
	free(d->servers);
	free(d->names);
	free(d->urls);
	free(d);
}

struct debuginfod *debuginfod__hold(struct debuginfod *d)
{
	__atomic_add_fetch(&d->nr_holders, 1, __ATOMIC_ACQ_REL);
	return d;
}

int debuginfod__open(struct debuginfod **out, const struct debuginfod_opts *opts, struct buf *why)
{
	struct debuginfod *d = calloc(1, sizeof(*d));
	int err;

	*out = NULL;
	if (!d)
		return -ENOMEM;
	d->nr_holders = 1;
	d->sock = d->life = -1;
	pthread_mutex_init(&d->asking, NULL);
	pthread_mutex_init(&d->shown, NULL);
	err = split_urls(d, opts->urls, why);
	if (!err)
		err = start(d, opts);
	if (!err)
		err = wait_for_library(d, why);
	if (err) {
		debuginfod__close(d);
		return err;
	}
	*out = d;
	return 0;
}

/* Who only holds it. */
void debuginfod__release(struct debuginfod *d)
{
	if (d)
		let_go(d);
}

/* Whoever waits for an answer is told that there is none; the process is ended by the pipe. */
void debuginfod__close(struct debuginfod *d)
{
	if (!d)
		return;
	__atomic_store_n(&d->closed, true, __ATOMIC_RELEASE);
	if (d->sock >= 0)
		(void)shutdown(d->sock, SHUT_RDWR);
	if (d->life >= 0)
		close(d->life);
	d->life = -1;
	if (d->pid > 0)
		while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
			;
	d->pid = 0;
	let_go(d);
}

static void show(struct debuginfod *d, const struct fetcher_answer *a)
{
	pthread_mutex_lock(&d->shown);
	snprintf(d->server, sizeof(d->server), "%s", a ? d->names[a->server] : "");
	d->bytes = a ? a->bytes : 0;
	d->total = a ? a->total : 0;
	pthread_mutex_unlock(&d->shown);
}

void debuginfod__progress(struct debuginfod *d, char text[DEBUGINFOD_PROGRESS_BYTES])
{
	const size_t size = DEBUGINFOD_PROGRESS_BYTES;
	const double MB = 1e6;

	pthread_mutex_lock(&d->shown);
	if (*d->server && d->total)
		snprintf(text, size, "%s: %.1f of %.1f MB", d->server, d->bytes / MB,
			 d->total / MB);
	else
		snprintf(text, size, "%s", d->server);
	pthread_mutex_unlock(&d->shown);
}

static void tell_lost(const struct debuginfod *d, const struct fetcher_answer *a)
{
	const char *what = a->err == -ETIME	     ? "it took too long"
			   : a->err == -EHOSTUNREACH ? "there is no such host"
			   : a->err == -EIO	     ? "its file is too long, or cannot be written"
						     : strerror(-a->err);

	log__notice("no more debug files from %s: %s", d->names[a->server], what);
}

/* Whoever reads it gets this very descriptor: it must not be one to write by. */
static bool is_file_to_read(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) == O_RDONLY;
}

static int wait_for_file(struct debuginfod *d, const char **server)
{
	struct fetcher_answer a;
	int fd, err;

	for (;;) {
		err = receive(d, &a, &fd);
		if (err)
			return err;
		if (a.what == FETCHER_DONE)
			break;
		if (fd >= 0)
			close(fd);
		if (a.what == FETCHER_LOST)
			tell_lost(d, &a);
		else
			show(d, &a);
	}
	if (server)
		*server = d->names[a.server];
	if (fd < 0)
		return -ENOENT;
	if (is_file_to_read(fd))
		return fd;
	close(fd);
	return -ENOENT;
}

static void tell_ended(struct debuginfod *d, int err)
{
	d->ended = true;
	if (!__atomic_load_n(&d->closed, __ATOMIC_ACQUIRE))
		log__notice("no more debug files from servers: %s",
			    err == -EPIPE   ? "the process that asks them ended"
			    : err == -ETIME ? "the process that asks them hangs"
					    : strerror(-err));
}

int debuginfod__fetch(struct debuginfod *d, const unsigned char *id, size_t len,
		      const char **server)
{
	struct fetcher_request q = { .id_len = len };
	int fd = -ENOENT;

	if (!len || len > sizeof(q.id))
		return -ENOENT;
	memcpy(q.id, id, len);
	pthread_mutex_lock(&d->asking);
	if (!d->ended) {
		fd = message__send(d->sock, &q, sizeof(q), -1);
		if (!fd)
			fd = wait_for_file(d, server);
		show(d, NULL);
		if (fd < 0 && fd != -ENOENT)
			tell_ended(d, fd);
	}
	pthread_mutex_unlock(&d->asking);
	return fd;
}
