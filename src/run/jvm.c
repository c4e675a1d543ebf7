// SPDX-License-Identifier: BSD-2-Clause
/* Looks at a process before it is signalled, becomes its user, and talks to it over its socket. */
#include "run/jvm.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lines.h"
#include "base/privileges.h"
#include "base/regular.h"
#include "base/why.h"

enum { STEP_MS = 20, ANSWER_BYTES = 4096, MAPS_BYTES = 64 << 20, WORDS_BYTES = 4 << 20 };

struct jvm {
	uint32_t pid, inner_pid; /* the latter as it sees itself */
	uid_t uid;
	gid_t gid;
	bool catches; /* SIGQUIT */
	bool is_stopped;
	int pidfd, tmp;
	uint64_t until_ns;
	struct buf *why;
};

static int read_proc(const struct jvm *j, const char *name, size_t limit, struct buf *text)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%u/%s", j->pid, name);
	err = buf__read_file(text, path, limit);
	return err ? why__refuse(j->why, err, "/proc/%u/%s: %s", j->pid, name, strerror(-err)) : 0;
}

/* The line of /proc/PID/status that begins with @name, behind that; "": there is none. */
static const char *status_of(const struct buf *text, const char *name)
{
	const char *line = strstr(text->data, name);

	return line ? line + strlen(name) : "";
}

static int read_status(struct jvm *j)
{
	struct buf text = {};
	unsigned real, effective;
	uint64_t caught;
	const char *at;
	int err = read_proc(j, "status", 65536, &text);

	if (err)
		goto out_free;
	err = -EBADMSG;
	if (sscanf(status_of(&text, "\nUid:"), "%u %u", &real, &effective) != 2)
		goto out_free;
	j->uid = effective;
	if (sscanf(status_of(&text, "\nGid:"), "%u %u", &real, &effective) != 2)
		goto out_free;
	j->gid = effective;
	at = status_of(&text, "\nSigCgt:\t");
	if (!parse_hex(&at, at + strcspn(at, "\n"), &caught))
		goto out_free;
	j->catches = caught >> (SIGQUIT - 1) & 1;
	j->is_stopped = strchr("Tt", *status_of(&text, "\nState:\t"));
	j->inner_pid = j->pid;
	for (at = status_of(&text, "\nNSpid:"); *at == '\t'; at += 1 + strcspn(at + 1, "\t\n"))
		j->inner_pid = strtoul(at + 1, NULL, 10);
	err = 0;
out_free:
	buf__free(&text);
	return err;
}

/* Also one that was replaced by a newer one since. */
static int maps_libjvm(struct jvm *j)
{
	struct buf text = {};
	int err = read_proc(j, "maps", MAPS_BYTES, &text);

	if (!err && !strstr(text.data, "/libjvm.so\n") &&
	    !strstr(text.data, "/libjvm.so (deleted)\n"))
		err = -ENOEXEC;
	buf__free(&text);
	return err;
}

/* Among its words, or in the variables that HotSpot takes words from. */
static int refuses_attachment(struct jvm *j, const char *name)
{
	static const char off[] = "-XX:+DisableAttachMechanism";
	struct buf text = {};
	int err = read_proc(j, name, WORDS_BYTES, &text);

	if (!err && memmem(text.data, text.len, off, sizeof(off) - 1))
		err = why__refuse(j->why, -EPERM, "it runs with %s", off);
	buf__free(&text);
	return err;
}

static bool is_gone(const struct jvm *j)
{
	struct pollfd p = { .fd = j->pidfd, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

/* All that takes our own privileges; nothing is done to it. */
static int look(struct jvm *j)
{
	char root[64];
	int err;

	j->pidfd = syscall(SYS_pidfd_open, j->pid, 0);
	if (j->pidfd < 0)
		return errno == ESRCH ? -ENOEXEC : -errno;
	err = maps_libjvm(j);
	if (!err)
		err = read_status(j);
	if (!err && !j->catches)
		err = why__refuse(j->why, -EPERM, "it does not catch SIGQUIT (-Xrs)");
	/* It would get the signal when it goes on, with nobody there to attach. */
	if (!err && j->is_stopped)
		err = why__refuse(j->why, -EPERM, "it is stopped");
	if (!err)
		err = refuses_attachment(j, "cmdline");
	if (!err)
		err = refuses_attachment(j, "environ");
	if (err)
		return err;
	snprintf(root, sizeof(root), "/proc/%u/root", j->pid);
	j->tmp = open_directory(root, "/tmp");
	/* What was read is of the process that the pidfd is of: it is there still. */
	if (is_gone(j))
		return -ENOEXEC;
	if (j->tmp < 0)
		return why__refuse(j->why, j->tmp, "its /tmp: %s", strerror(-j->tmp));
	return 0;
}

static int become_user(struct jvm *j)
{
	if (geteuid() == j->uid && getegid() == j->gid) {
		privileges__keep(0);
		return 0;
	}
	if (setgroups(0, NULL) || setresgid(j->gid, j->gid, j->gid) ||
	    setresuid(j->uid, j->uid, j->uid))
		return why__refuse(j->why, -errno, "its user, %u, cannot be ours: %s", j->uid,
				   strerror(errno));
	privileges__keep(0);
	return 0;
}

static int late(const struct jvm *j)
{
	return why__refuse(j->why, -ETIME, "it has not answered for %g s", JVM_ANSWER_NS / 1e9);
}

/* Waits for a descriptor of ours, as long as there is time. */
static int await(const struct jvm *j, int fd, short events)
{
	uint64_t now_ns;

	while ((now_ns = clock__now_ns()) < j->until_ns) {
		struct pollfd p = { .fd = fd, .events = events };
		int n = poll(&p, 1, (j->until_ns - now_ns) / 1000000 + 1);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
	return late(j);
}

/* The other end has to be the process itself, whoever put the socket there. */
static int check_peer(const struct jvm *j, int sock)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return -errno;
	if (peer.pid == (pid_t)j->pid)
		return 0;
	return why__refuse(j->why, -EPERM, "its socket is that of process %d", (int)peer.pid);
}

/* A connected socket; -ENOENT: it does not listen yet. Through O_PATH: nobody can swap the file. */
static int connect_to(const struct jvm *j)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char name[64];
	struct stat st;
	int place, sock, err = 0;

	snprintf(name, sizeof(name), ".java_pid%u", j->inner_pid);
	place = openat(j->tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (place < 0)
		return -errno;
	if (fstat(place, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != j->uid) {
		close(place);
		return why__refuse(j->why, -EPERM, "/tmp/%s is not its socket", name);
	}
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d", place);
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sock < 0 || connect(sock, (const struct sockaddr *)&addr, sizeof(addr)))
		err = -errno;
	close(place);
	if (!err)
		err = check_peer(j, sock);
	if (!err)
		return sock;
	if (sock >= 0)
		close(sock);
	/* Left by an earlier process, or too many wait there: it may listen yet. */
	return err == -ECONNREFUSED || err == -EAGAIN ? -ENOENT : err;
}

/* Has it listen; *name: what is to be removed afterwards, "": nothing. */
static int wake(const struct jvm *j, char name[64])
{
	int fd;

	snprintf(name, 64, ".attach_pid%u", j->inner_pid);
	fd = openat(j->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		int err = -errno;

		if (err != -EEXIST)
			err = why__refuse(j->why, err, "/tmp/%s: %s", name, strerror(-err));
		*name = '\0'; /* -EEXIST: somebody else attaches, too */
		if (err != -EEXIST)
			return err;
	} else {
		close(fd);
	}
	if (syscall(SYS_pidfd_send_signal, j->pidfd, SIGQUIT, NULL, 0))
		return why__refuse(j->why, -errno, "SIGQUIT: %s", strerror(errno));
	return 0;
}

static int await_socket(const struct jvm *j)
{
	int sock = connect_to(j);

	while (sock == -ENOENT) {
		if (is_gone(j))
			return why__refuse(j->why, -ESRCH, "it has ended");
		if (clock__now_ns() >= j->until_ns)
			return late(j);
		(void)poll(NULL, 0, STEP_MS);
		sock = connect_to(j);
	}
	return sock;
}

static int attach(const struct jvm *j)
{
	int sock = connect_to(j), err;
	char name[64];

	if (sock != -ENOENT)
		return sock;
	err = wake(j, name);
	sock = err ? err : await_socket(j);
	if (*name)
		(void)unlinkat(j->tmp, name, 0);
	return sock;
}

/* Version of the protocol, command, three arguments, each with its NUL. */
static int talk(const struct jvm *j, int sock)
{
	static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char answer[ANSWER_BYTES];
	size_t len = 0;
	ssize_t n;
	int err;

	if (send(sock, request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		return why__refuse(j->why, -EPIPE, "it takes no requests");
	while (len < sizeof(answer)) {
		err = await(j, sock, POLLIN);
		if (err)
			return err;
		n = read(sock, answer + len, sizeof(answer) - len);
		if (n < 0 && errno != EAGAIN)
			return why__refuse(j->why, -errno, "its answer: %s", strerror(errno));
		if (!n)
			break;
		len += n > 0 ? n : 0;
	}
	return jvm__read_answer(answer, len, j->why);
}

int jvm__read_answer(const char *text, size_t len, struct buf *why)
{
	enum { SHOWN = 120 };
	const char *eol = memchr(text, '\n', len), *line;

	if (!eol || eol == text || strspn(text, "0123456789") != (size_t)(eol - text))
		return why__refuse(why, -EREMOTEIO, "its answer cannot be understood");
	if (eol - text == 1 && *text == '0')
		return 0;
	line = eol + 1;
	len -= line - text;
	eol = memchr(line, '\n', len);
	if (eol)
		len = eol - line;
	return why__refuse(why, -EREMOTEIO, "it answered: %.*s", (int)(len < SHOWN ? len : SHOWN),
			   line);
}

int jvm__write_map(uint32_t pid, struct buf *why)
{
	struct jvm j = { .pid = pid, .pidfd = -1, .tmp = -1, .why = why };
	int err = look(&j), sock = -1;

	j.until_ns = clock__now_ns() + JVM_ANSWER_NS;
	if (!err)
		err = become_user(&j);
	if (!err) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* a change of user clears it */
		sock = attach(&j);
		err = sock < 0 ? sock : talk(&j, sock);
	}
	if (err && err != -ENOEXEC && !why->len)
		err = why__refuse(why, err, "%s", strerror(-err));
	if (sock >= 0)
		close(sock);
	if (j.pidfd >= 0)
		close(j.pidfd);
	if (j.tmp >= 0)
		close(j.tmp);
	return err;
}
