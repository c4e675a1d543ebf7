// SPDX-License-Identifier: BSD-2-Clause
#include "collect/interrupt.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"

static const uint64_t kill_after_ns = 2000000000;
static const uint64_t same_ns = 100000000;

int interrupt__open(struct interrupt *i)
{
	sigset_t mask;

	*i = (struct interrupt){ .fd = -1 };
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &mask, &i->old_mask))
		return -errno;
	i->fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (i->fd >= 0)
		return 0;
	i->fd = -errno;
	sigprocmask(SIG_SETMASK, &i->old_mask, NULL);
	return i->fd;
}

void interrupt__close(struct interrupt *i)
{
	if (i->fd < 0)
		return;
	close(i->fd);
	i->fd = -1;
	sigprocmask(SIG_SETMASK, &i->old_mask, NULL);
}

static void take_one(struct interrupt *i, const struct command *command, int signo)
{
	uint64_t now = clock__now_ns();

	if (i->nr && now - i->last_ns < same_ns)
		return;
	i->last_ns = now;
	i->signo = signo;
	i->nr++;
	if (!command || (i->nr == 1 && signo == SIGINT))
		return;
	command__signal(command, i->nr > 2 ? SIGKILL : SIGTERM);
	if (i->nr == 2)
		i->kill_ns = now + kill_after_ns;
}

void interrupt__take(struct interrupt *i, const struct command *command)
{
	struct signalfd_siginfo info;

	while (read(i->fd, &info, sizeof(info)) == sizeof(info))
		take_one(i, command, info.ssi_signo);
	if (!command || !i->kill_ns || clock__now_ns() < i->kill_ns)
		return;
	command__signal(command, SIGKILL);
	i->kill_ns = 0;
}

unsigned interrupt__patience_ms(const struct interrupt *i, unsigned patience_ms)
{
	uint64_t now = clock__now_ns(), left_ms;

	if (!i->kill_ns)
		return patience_ms;
	left_ms = i->kill_ns > now ? (i->kill_ns - now + 999999) / 1000000 : 0;
	return left_ms < patience_ms ? left_ms : patience_ms;
}
