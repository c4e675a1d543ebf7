/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jail/message.h - whole messages and the descriptors that go with them, over a socket of a pair
 * (AF_UNIX, SOCK_SEQPACKET).
 *
 * The other side may be a process that a stranger's file has taken over: what is longer than it may
 * be is an error, and so are more descriptors than were asked for. Those that arrive are closed on
 * exec.
 */
#ifndef PMUTRACE_JAIL_MESSAGE_H
#define PMUTRACE_JAIL_MESSAGE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/array.h"

/* Longer ones do not get through a socket as the system makes it. */
enum { MESSAGE_BYTES_MAX = 96 * 1024 };

/* Both ends; 0 or -errno. */
int message__pair(int socks[2]) must_check;

/*
 * fork(2), with a pair between the two: in the child *pid is 0, and *sock its end; here they are
 * the child's number, and our end. 0; -EAGAIN, another -errno: there is no child.
 */
int message__fork(int *sock, pid_t *pid) must_check;

/* @fd: goes with it; stays open here; -1: none. 0; -EPIPE: nobody is at the other end; -errno. */
int message__send(int sock, const void *bytes, size_t len, int fd) must_check;

/**
 * message__receive() - take the next message
 * @fd: the descriptor that came with it, the caller's, or -1. NULL: none may come
 *
 * Return: its bytes; -EPIPE: the other end is closed; -EBADMSG: more than @size bytes, or
 * descriptors that nobody asked for; another -errno.
 */
int message__receive(int sock, void *bytes, size_t size, int *fd) must_check;

#endif
