// SPDX-License-Identifier: BSD-2-Clause
/* A process that reads a configuration, and starts the line that it is told to. */
#include "serve/probe_starter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jail/cage.h"
#include "jail/message.h"
#include "serve/config.h"

enum { SOCK = 3, WHY_BYTES = 512 };

struct probe_starter {
	int sock;
	pid_t pid;
	bool is_reading;
};

enum order_kind { ORDER_START, ORDER_READ };

/* A line to start: twice, with the pipe for its rows, then with the one for its errors. */
struct order {
	enum order_kind kind;
	uint32_t configuration, line;
	uint32_t own_cost; /* bool */
};

struct started {
	int err;
	pid_t pid;
};

struct reread {
	int err; /* 0: the file's bytes come with it */
	uint32_t configuration;
	char why[WHY_BYTES];
};

/* One of the configurations that the process has; number 0: none. */
struct kept_config {
	uint32_t number;
	struct config config;
};

struct starter_state {
	const char *path;
	struct kept_config kept[2];
	uint32_t last;
};

static const struct config_line *find_line(const struct starter_state *st, const struct order *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(st->kept); i++)
		if (o->configuration && st->kept[i].number == o->configuration &&
		    o->line < st->kept[i].config.nr_lines)
			return &st->kept[i].config.lines[o->line];
	return NULL;
}

static int exec_line(const struct config_line *l, bool own_cost, int rows, int errors)
{
	enum { OURS = 9 };
	const char **argv = calloc(l->nr_words + OURS, sizeof(*argv));
	char interval[16];
	sigset_t none;
	size_t nr = 0;

	if (!argv)
		return -ENOMEM;
	snprintf(interval, sizeof(interval), "%d", PROBE_INTERVAL_MS);
	argv[nr++] = "pmutrace";
	for (size_t w = 0; w < l->nr_words; w++)
		argv[nr++] = l->words[w];
	argv[nr++] = "-q";
	argv[nr++] = "-f";
	argv[nr++] = "jsonl";
	argv[nr++] = "-I";
	argv[nr++] = interval;
	argv[nr++] = "--exemplars";
	if (own_cost)
		argv[nr++] = "--own-cost";
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	/* SIGHUP stays ignored: it asks a whole group of processes to read the file again. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	if (dup2(rows, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
		return -errno;
	execv("/proc/self/exe", (char **)argv);
	return -errno;
}

static pid_t fork_line(const struct config_line *l, bool own_cost, int rows, int errors)
{
	pid_t pid = fork();

	if (pid)
		return pid < 0 ? -errno : pid;
	dprintf(errors, "pmutrace: cannot start it: %s\n",
		strerror(-exec_line(l, own_cost, rows, errors)));
	_exit(127);
}

/* @rows came with the order. */
static int start_line(const struct starter_state *st, const struct order *order, int rows)
{
	const struct config_line *l = find_line(st, order);
	struct started answer = {};
	struct order again;
	int errors = -1;

	if (message__receive(SOCK, &again, sizeof(again), &errors) != sizeof(again))
		_exit(1);
	if (!l || rows < 0 || errors < 0)
		answer.err = -EINVAL;
	else
		answer.pid = fork_line(l, order->own_cost, rows, errors);
	if (answer.pid < 0)
		answer.err = answer.pid;
	if (rows >= 0)
		close(rows);
	if (errors >= 0)
		close(errors);
	return message__send(SOCK, &answer, sizeof(answer), -1);
}

/* The place of the configuration that is neither in use, nor to be. */
static struct kept_config *make_place(struct starter_state *st, uint32_t in_use)
{
	struct kept_config *k = &st->kept[st->kept[0].number == in_use];

	config__free(&k->config);
	k->number = 0;
	return k;
}

static int hand_over(const struct buf *bytes)
{
	const int file = memfd_create("configuration", MFD_CLOEXEC);
	size_t done = 0;

	while (file >= 0 && done < bytes->len) {
		const ssize_t n = write(file, bytes->data + done, bytes->len - done);

		if (n <= 0)
			break;
		done += n;
	}
	if (file >= 0 && done == bytes->len)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

static int read_again(struct starter_state *st, uint32_t in_use)
{
	struct kept_config *k = make_place(st, in_use);
	struct reread answer = { .configuration = st->last + 1 };
	struct buf bytes = {}, why = {};
	int file = -1, err;

	answer.err = config__read(&bytes, st->path, &why);
	if (!answer.err)
		answer.err = config__parse(&k->config, &bytes, st->path, &why);
	if (!answer.err) {
		k->number = ++st->last;
		file = hand_over(&bytes);
		answer.err = file < 0 ? -ENOMEM : 0;
	}
	snprintf(answer.why, sizeof(answer.why), "%s", why.len ? why.data : strerror(-answer.err));
	err = message__send(SOCK, &answer, sizeof(answer), file);
	if (file >= 0)
		close(file);
	buf__free(&bytes);
	buf__free(&why);
	return err;
}

/* The life of the process. */
static void start_when_told(int sock, const char *path, const struct config *config)
{
	struct starter_state st = { .path = path, .kept = { { 1, *config } }, .last = 1 };
	struct order order;
	int rows = -1, err = 0;

	prctl(PR_SET_NAME, "pmut-starter");
	if (cage__close_files(sock, -1))
		_exit(1);
	/* Ctrl-C and a reload are the exporter's; children that end are nobody's. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	while (!err && message__receive(SOCK, &order, sizeof(order), &rows) == sizeof(order)) {
		if (order.kind == ORDER_START)
			err = start_line(&st, &order, rows);
		else if (order.kind == ORDER_READ)
			err = read_again(&st, order.configuration);
		rows = -1;
	}
	_exit(0);
}

int probe_starter__open(struct probe_starter **out, const char *path, const struct config *config)
{
	struct probe_starter *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	err = message__fork(&s->sock, &s->pid);
	if (err) {
		free(s);
		return err;
	}
	if (!s->pid)
		start_when_told(s->sock, path, config);
	*out = s;
	return 0;
}

void probe_starter__close(struct probe_starter *s)
{
	if (!s)
		return;
	close(s->sock);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(s);
}

int probe_starter__fd(const struct probe_starter *s)
{
	return s->sock;
}

static void close_pair(int fds[2])
{
	for (size_t i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* We read without waiting; the other end writes as to any pipe. */
static int open_pipe(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC)) {
		fds[0] = fds[1] = -1;
		return -errno;
	}
	return fcntl(fds[0], F_SETFL, O_NONBLOCK) ? -errno : 0;
}

static int order_line(struct probe_starter *s, const struct order *order, int rows, int errors,
		      pid_t *pid)
{
	struct started answer;
	int err = message__send(s->sock, order, sizeof(*order), rows);

	if (err)
		return err;
	/* Half an order would be taken for the first half of the next one. */
	if (message__send(s->sock, order, sizeof(*order), errors) ||
	    message__receive(s->sock, &answer, sizeof(answer), NULL) != sizeof(answer))
		return -EPIPE;
	*pid = answer.pid;
	/* Its memory is short, not ours. */
	return answer.err == -ENOMEM || answer.err == -EPIPE ? -EAGAIN : answer.err;
}

int probe_starter__start(struct probe_starter *s, uint32_t configuration, uint32_t line,
			 bool own_cost, struct probe_process *out)
{
	const struct order order = { ORDER_START, configuration, line, own_cost };
	int rows[2] = { -1, -1 }, errors[2] = { -1, -1 };
	int err = s->is_reading ? -EBUSY : open_pipe(rows);

	if (!err)
		err = open_pipe(errors);
	if (!err)
		err = order_line(s, &order, rows[1], errors[1], &out->pid);
	if (err) {
		close_pair(rows);
		close_pair(errors);
		return err;
	}
	close(rows[1]);
	close(errors[1]);
	out->rows = rows[0];
	out->errors = errors[0];
	return 0;
}

int probe_starter__reread(struct probe_starter *s, uint32_t in_use)
{
	const struct order order = { ORDER_READ, in_use, 0, false };
	int err = s->is_reading ? -EBUSY : message__send(s->sock, &order, sizeof(order), -1);

	s->is_reading |= !err;
	return err;
}

int probe_starter__take(struct probe_starter *s, uint32_t *configuration, struct buf *bytes,
			struct buf *why)
{
	struct pollfd there = { .fd = s->sock, .events = POLLIN };
	struct reread answer;
	int file = -1, err;

	if (poll(&there, 1, 0) <= 0)
		return -EAGAIN;
	if (message__receive(s->sock, &answer, sizeof(answer), &file) != sizeof(answer))
		return -EPIPE;
	s->is_reading = false;
	*configuration = answer.configuration;
	err = answer.err;
	if (!err)
		err = file < 0 || lseek(file, 0, SEEK_SET) < 0
			      ? -EBADMSG
			      : buf__read_fd(bytes, file, CONFIG_BYTES);
	else if (buf__put(why, answer.why, strnlen(answer.why, sizeof(answer.why))))
		err = -ENOMEM;
	else
		err = -EINVAL;
	if (file >= 0)
		close(file);
	return err;
}
