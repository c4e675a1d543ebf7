// SPDX-License-Identifier: BSD-2-Clause
/* Takes signals by a signalfd, leaves out repeats, and passes them on to the command. */
#include "run/interrupt.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"

static const uint64_t kill_after_ns = 2000000000;
static const uint64_t same_ns = 100000000;
static const uint64_t same_sender_ns = 1000000000;

/* The last signal taken before interrupt__close(), for on_late(). Written with signals blocked. */
static struct {
	uint64_t ns;
	int signo;
	pid_t sender;
} taken;

/* Is a signal that comes now a repeat of the last one of its number? */
static bool is_same(uint64_t last_ns, pid_t last_sender, pid_t sender)
{
	uint64_t since_ns = clock__now_ns() - last_ns;

	return since_ns < same_ns ||
	       (sender > 0 && sender == last_sender && since_ns < same_sender_ns);
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
	if (signo != taken.signo || !is_same(taken.ns, taken.sender, sender))
		end_by(signo);
}

static void ignore_the_same(const struct interrupt *i)
{
	const struct sigaction late = { .sa_sigaction = on_late,
					.sa_flags = SA_SIGINFO | SA_RESTART };
	const int all[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old;

	taken.ns = i->last_ns;
	taken.signo = i->signo;
	taken.sender = i->sender;
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
		ignore_the_same(i);
	sigprocmask(SIG_SETMASK, &i->old_mask, NULL);
}

void interrupt__give_up(const struct interrupt *i)
{
	end_by(i->signo);
}

static void take_one(struct interrupt *i, const struct command *command,
		     const struct signalfd_siginfo *info)
{
	pid_t sender = info->ssi_code == SI_USER ? info->ssi_pid : 0;
	int signo = info->ssi_signo;
	uint64_t now = clock__now_ns();

	if (i->nr && i->signo == signo &&
	    (is_same(i->last_ns, i->sender, sender) ||
	     (!i->has_looked && sender > 0 && sender == i->sender)))
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
