// SPDX-License-Identifier: BSD-2-Clause
/* Takes signals by a signalfd, leaves out repeats, and passes them on to the command. */
#include "run/interrupt.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"

static const uint64_t kill_after_ns = 2000000000;

/* What was closed, for on_late(), which no argument reaches. Written with signals blocked. */
static struct interrupt closed;

/* Is a signal that comes now a repeat of the last one? The rule is in the header. */
static bool is_repeat(const struct interrupt *i, int signo, pid_t sender)
{
	const uint64_t anybody_ns = 100000000, same_sender_ns = 1000000000;
	uint64_t since_ns = clock__now_ns() - i->last_ns;

	if (!i->nr || signo != i->signo)
		return false;
	return since_ns < anybody_ns ||
	       (sender && sender == i->sender && (since_ns < same_sender_ns || !i->has_looked));
}

static void end_by(int signo)
{
	signal(signo, SIG_DFL);
	raise(signo);
}

static void on_late(int signo, siginfo_t *info, void *context)
{
	pid_t sender = info->si_code == SI_USER ? info->si_pid : 0;

	(void)context;
	if (!is_repeat(&closed, signo, sender))
		end_by(signo);
}

static void ignore_repeats(const struct interrupt *i)
{
	const struct sigaction late = { .sa_sigaction = on_late,
					.sa_flags = SA_SIGINFO | SA_RESTART };
	const int all[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old;

	closed = *i;
	closed.has_looked = true;
	for (size_t n = 0; n < ARRAY_SIZE(all); n++)
		if (!sigaction(all[n], NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
		    old.sa_handler == SIG_DFL)
			sigaction(all[n], &late, NULL);
}

/* A signal that is blocked comes by a signalfd even if it is ignored. */
static bool is_ignored(int signo)
{
	struct sigaction old;

	return !sigaction(signo, NULL, &old) && old.sa_handler == SIG_IGN;
}

int interrupt__open(struct interrupt *i)
{
	sigset_t mask;

	*i = (struct interrupt){ .fd = -1 };
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	if (!is_ignored(SIGHUP)) /* nohup(1) */
		sigaddset(&mask, SIGHUP);
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
	if (i->nr)
		ignore_repeats(i);
	sigprocmask(SIG_SETMASK, &i->old_mask, NULL);
}

void interrupt__give_up(const struct interrupt *i)
{
	end_by(i->signo);
}

void interrupt__ask(struct interrupt *i)
{
	i->hangup_asks = true;
}

static void take_one(struct interrupt *i, const struct command *command,
		     const struct signalfd_siginfo *info)
{
	pid_t sender = info->ssi_code == SI_USER ? info->ssi_pid : 0;
	int signo = info->ssi_signo;
	uint64_t now = clock__now_ns();

	if (signo == SIGHUP && i->hangup_asks) {
		i->nr_asked++;
		return;
	}
	if (is_repeat(i, signo, sender))
		return;
	i->has_looked = false;
	i->last_ns = now;
	i->sender = sender;
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
	unsigned before = i->nr;

	while (read(i->fd, &info, sizeof(info)) == sizeof(info))
		take_one(i, command, &info);
	if (i->nr == before)
		i->has_looked = true;
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
