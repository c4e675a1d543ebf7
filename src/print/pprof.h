/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/pprof.h - a profile as pprof reads it (profile.proto, packed by gzip): all events in one.
 *
 *	sample types	of each event EV_sample/count and EV_event/count; of clocks the latter in
 *			nanoseconds, and of the first clock samples/count and cpu/nanoseconds, too.
 *			The one that is shown first is the chosen event's EV_event
 *	period		of that event: as asked for; with a rate, of a clock what it comes to, of
 *			others what a sample stood for on average
 *	labels		pid, tid and cpu as numbers, comm and cgroup as texts, what rows are by
 *	mappings	a file with code, and its build-id: the program's first, which is the file
 *			without ".so" that most stacks begin in. Addresses are the file's own, as nm
 *			prints them, which is what a file has that is loaded where it was linked for
 *	locations	an address; with places (model/code_place.h) its line, and functions inlined
 *			there, the innermost first. Of frames without a place: the function alone
 *
 * Stacks that are not whole have their pseudo frames, as in every format. Of one event, samples
 * that were lost are samples of a pseudo frame each, [lost: table_full], which count as many events
 * as the others do on average; of several nobody knows which ones they were of. All are comments.
 *
 * Strangers' programs read it strictly: ids are 1, 2, 3.., every line has a function, no label has
 * several values.
 * Source: google/pprof's proto/profile.proto and profile/profile.go.
 */
#ifndef PMUTRACE_PRINT_PPROF_H
#define PMUTRACE_PRINT_PPROF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

struct pprof_opts {
	const char *command; /* the subcommand's name */
	const char *noun;    /* what was counted: "hit"; NULL: "sample" */
	uint32_t event;	     /* index into the profile's events: which one is shown first */
	bool weights;	     /* of events that have any; else there are no EV_event */
	/*
	 * A CPU profile, as Go's compiler takes it: samples/count of the chosen event, and if that
	 * is a clock cpu/nanoseconds; and no pseudo frames for losses.
	 */
	bool cpu;
	/*
	 * One of a series that a database keeps: of the first clock samples/count and
	 * cpu/nanoseconds alone, which is "cpu" as the period's type, too; other events by names
	 * that series can have (print/series_name.h).
	 */
	bool series;
};

/* 0, -EINVAL (no such event), -ENOMEM, or another -errno (@f did not take it all). */
int print__pprof(FILE *f, const struct profile *p, const struct pprof_opts *o) must_check;

#endif
