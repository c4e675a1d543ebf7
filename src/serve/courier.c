// SPDX-License-Identifier: BSD-2-Clause
/* Starts and ends the process, and exchanges messages with it. */
#include "serve/courier.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/why.h"
#include "jail/message.h"
#include "serve/courier_run.h"

enum { CHECK_MS = 10000 };

struct courier {
	int sock;
	pid_t pid;
};

int courier__open(struct courier **out, const struct courier_opts *opts)
{
	struct courier *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	err = message__fork(&c->sock, &c->pid);
	if (err) {
		free(c);
		return err;
	}
	if (!c->pid)
		courier__run(c->sock, opts);
	*out = c;
	return 0;
}

void courier__close(struct courier *c)
{
	if (!c)
		return;
	close(c->sock);
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(c);
}

int courier__send(struct courier *c, int body, const char *auth)
{
	struct courier_request request = {};

	if (strlen(auth) >= sizeof(request.auth))
		return -EMSGSIZE;
	strcpy(request.auth, auth);
	return message__send(c->sock, &request, sizeof(request), body);
}

int courier__fd(const struct courier *c)
{
	return c->sock;
}

int courier__take(struct courier *c, struct courier_answer *out)
{
	int n = message__receive(c->sock, out, sizeof(*out), NULL);

	if (n < 0)
		return n;
	/* It may be in somebody else's hands: what it says is looked at. */
	if (n != sizeof(*out) || out->status > 999)
		return -EBADMSG;
	out->text[COURIER_TEXT] = '\0';
	for (char *c1 = out->text; *c1; c1++)
		if ((unsigned char)*c1 < ' ' || *c1 == 0x7f)
			*c1 = ' ';
	return 0;
}

int courier__check(struct courier *c, struct buf *why)
{
	struct pollfd there = { .fd = c->sock, .events = POLLIN };
	struct courier_answer answer;
	int err = poll(&there, 1, CHECK_MS) > 0 ? courier__take(c, &answer) : -ETIME;

	if (err)
		return why__refuse(why, err, "the process that pushes profiles does not start: %s",
				   strerror(-err));
	return *answer.text ? why__refuse(why, -ENOSYS, "%s", answer.text) : 0;
}
