/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/java_maps.h - JVMs write maps of their code when a run ends, for it to have names.
 *
 * Whoever asks a JVM for something has to be its user (run/jvm.h), and must be bounded in time. So
 * it is done by processes of our own: one that is started with the run, before capabilities are
 * dropped (base/privileges.h), forks another for each JVM, which becomes its user and answers. They
 * end with the run, and when the descriptor to them is closed in any other way.
 */
#ifndef PMUTRACE_RUN_JAVA_MAPS_H
#define PMUTRACE_RUN_JAVA_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct java_maps;

/* To be called with one thread, while there are all capabilities. 0 or -errno. */
int java_maps__open(struct java_maps **out) must_check;
void java_maps__close(struct java_maps *m);

/* Asks a process for its map, if it is a JVM. 0; -EAGAIN: too many are asked; another -errno. */
int java_maps__ask(struct java_maps *m, uint32_t pid) must_check;

/*
 * Takes in answers, and logs a notice of each JVM that has written none. Who has not answered for
 * a second longer than it may (its file system hangs) is given up. How many are still awaited.
 */
size_t java_maps__await(struct java_maps *m);

#endif
