/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/served.h - which mapped file may have which debug files of servers, and what waits for them.
 *
 * Knows: of each file that servers were asked for, the build-ids, and the jobs that cannot be done
 *   before its debug file is there (base/worker.h: put off).
 * Does not know: servers and what they have sent (sym/fetches.h); what is in a file.
 *
 * Whoever reads a file may have been taken over by it, and may ask for anything; what it asks for
 * is told to servers. So a file may have SERVED_IDS build-ids: its own, and that of the file that
 * it shares debug information with (dwz). The kernel's word of its build-id, if there is one, is
 * one of them. And it may wait SERVED_WAITS times: what was fetched for it may have been closed
 * since, and be fetched again, but not for ever.
 */
#ifndef PMUTRACE_SYM_SERVED_H
#define PMUTRACE_SYM_SERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/worker.h"
#include "elf/debug_places.h"
#include "sym/mapped.h"

struct fetches;
struct served;

enum { SERVED_IDS = 2, SERVED_WAITS = 8 };

/* @from: borrowed. NULL when out of memory. */
struct served *served__new(struct fetches *from);

/* @free_job: of those that are put off yet. */
void served__free(struct served *s, void (*free_job)(struct job *job));

/**
 * served__open() - open what a server has for a file
 * @file, @is: the mapped file, its number and how it is told from others
 * @place: PLACE_BY_SERVER
 * @nr: 0; 1: what was there is not what was asked for
 *
 * Return: as struct opener says; -ENOENT: also if the file may not have that.
 */
int served__open(struct served *s, uint32_t file, const struct file_identity *is,
		 const struct debug_place *place, unsigned nr) must_check;

/* Something is being fetched for it: so said served__open(), and served__go_on() has not come. */
bool served__waits(const struct served *s, uint32_t file);

/* @job: that is being run, is about the file, and taken; the file waits. */
void served__put_off(struct served *s, uint32_t file, struct job *job);

/* Takes in what was fetched: what was put off for it is given back to @worker, in order. */
void served__go_on(struct served *s, struct worker *worker);

#endif
