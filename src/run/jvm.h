/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/jvm.h - asks one JVM (HotSpot) to write its perf map, as `jcmd PID Compiler.perfmap` does.
 *
 * The protocol is that of HotSpot's attach mechanism, attachListener_linux.cpp of its sources:
 * whoever wants something creates /tmp/.attach_pidPID and sends SIGQUIT; the JVM then listens at
 * /tmp/.java_pidPID, and takes requests of its own user and of root. Compiler.perfmap, which
 * writes /tmp/perf-PID.map, came with JDK 17.
 *
 * SIGQUIT would end a process that does not catch it, and have a JVM that refuses attachment print
 * its threads. So it goes to a process alone that maps a libjvm.so, catches the signal, and has no
 * -XX:+DisableAttachMechanism; through a pidfd, which no other process can have come to.
 *
 * The process, its files and its answers may be a stranger's own: what is at the socket's place
 * must be a socket of that very process, links lead nowhere out of its root, and it has
 * JVM_ANSWER_NS for all of it.
 */
#ifndef PMUTRACE_RUN_JVM_H
#define PMUTRACE_RUN_JVM_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

#define JVM_ANSWER_NS 5000000000ull

/**
 * jvm__write_map() - have it write its map
 * @why: what has gone wrong, behind "process 12 has written no map of its code: "
 *
 * To be called in a process of its own with one thread: it becomes the JVM's user and keeps no
 * capability. Takes JVM_ANSWER_NS at most, unless a file system hangs.
 *
 * Return: 0: it has; -ENOEXEC: it is no JVM, and nothing was done to it; another -errno, with @why.
 */
int jvm__write_map(uint32_t pid, struct buf *why) must_check;

/* The answer to a request: 0, or -EREMOTEIO and what it says in @why. */
int jvm__read_answer(const char *text, size_t len, struct buf *why) must_check;

#endif
