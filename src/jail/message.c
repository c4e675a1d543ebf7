// SPDX-License-Identifier: BSD-2-Clause
/* sendmsg(2) and recvmsg(2), with SCM_RIGHTS. */
#include "jail/message.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_FDS = 4 }; /* that are received, to be closed if nobody asked for them */

int message__pair(int socks[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) ? -errno : 0;
}

int message__fork(int *sock, pid_t *pid)
{
	int socks[2], err = message__pair(socks);

	if (err)
		return err;
	*pid = fork();
	*sock = socks[*pid == 0];
	close(socks[*pid != 0]);
	if (*pid >= 0)
		return 0;
	close(*sock);
	return -EAGAIN;
}

int message__send(int sock, const void *bytes, size_t len, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = len };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	do
		n = sendmsg(sock, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return (size_t)n == len ? 0 : -EMSGSIZE;
	return errno == ECONNRESET ? -EPIPE : -errno;
}

/* Keeps the first descriptor, if one is wanted. False: there are others. */
static bool take_fds(struct msghdr *m, int *fd)
{
	bool fits = true;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < nr; i++) {
			int one;

			memcpy(&one, CMSG_DATA(c) + i * sizeof(one), sizeof(one));
			if (fd && *fd < 0) {
				*fd = one;
				continue;
			}
			close(one);
			fits = false;
		}
	}
	return fits;
}

int message__receive(int sock, void *bytes, size_t size, int *fd)
{
	union {
		char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = { .iov_base = bytes, .iov_len = size };
	struct msghdr m = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t n;
	bool fits;

	if (fd)
		*fd = -1;
	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	fits = take_fds(&m, fd) && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
	if (n && fits)
		return (int)n;
	if (fd && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return fits ? -EPIPE : -EBADMSG;
}
