/* SPDX-License-Identifier: BSD-2-Clause */
/* tests/unit/tui/tui.h - an interval with a few processes, for the tests of src/tui. */
#ifndef PMUTRACE_TESTS_UNIT_TUI_TUI_H
#define PMUTRACE_TESTS_UNIT_TUI_TUI_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "columns/column_defs.h"
#include "tui/view.h"

enum { FAULTS = LIVE_EVENTS, VALUES, MS = 1000000 };

static struct {
	struct live *live;
	struct processes *processes;
	struct column_defs *defs;
	struct columns columns;
	struct view_data data;
} tui;

/* @ms: time on CPU 0. */
static inline void run(uint32_t tgid, uint32_t tid, uint64_t cgroup, const char *comm, uint64_t ms,
		       uint64_t switches, uint64_t faults)
{
	struct live_task t = { .tgid = tgid, .tid = tid, .cgroup = cgroup };
	const uint64_t values[VALUES] = { ms * MS, switches, faults };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	assert_int_equal(live__add(tui.live, &t, 0, values), 0);
}

static inline void know(uint32_t pid, uint32_t parent, uint32_t uid, bool is_kernel,
			const char *command)
{
	const struct process p = {
		.pid = pid,
		.parent = parent,
		.uid = uid,
		.is_kernel = is_kernel,
		.command = command,
	};

	assert_int_equal(processes__set(tui.processes, &p), 0);
}

/*
 *	1 init		10 web (threads 10, 12)		11 db	30 cron	2 kthreadd
 *	  10 web, 30 cron
 *	    11 db
 */
static inline void run_all(void)
{
	run(1, 1, 5, "init", 10, 4, 0);
	run(10, 10, 7, "web", 200, 7, 30);
	run(10, 12, 7, "worker", 100, 2, 10);
	run(11, 11, 7, "db", 400, 1, 20);
	run(30, 30, 5, "cron", 50, 9, 50);
	run(2, 2, 5, "kthreadd", 5, 8, 0);
}

static inline void next_interval(void)
{
	live__next(tui.live);
}

static inline int tui_set_up(void **state)
{
	static const struct live_event events[] = { { .name = "page-faults", .group = -1 } };
	struct live_about *about;
	struct buf why = {};

	memset(&tui, 0, sizeof(tui));
	tui.live = live__new(VALUES);
	tui.processes = processes__new();
	tui.defs = column_defs__new();
	if (!tui.live || !tui.processes || !tui.defs || live__set_events(tui.live, events, 1))
		return -1;
	about = live__about(tui.live);
	about->interval_ns = 1000 * (uint64_t)MS;
	about->nr_cpus = 1;
	strcpy(about->host, "testhost");
	if (columns__choose(&tui.columns, tui.defs, "cpu,switches,faults", events, 1, false, &why))
		return -1;
	know(1, 0, 0, false, "/sbin/init --all");
	know(10, 1, 33, false, "/usr/bin/web --port 80");
	know(11, 10, 33, false, "/usr/bin/db");
	know(30, 1, 0, false, "/usr/sbin/cron");
	know(2, 0, 0, true, "");
	if (processes__set_user(tui.processes, 0, "root") ||
	    processes__set_user(tui.processes, 33, "www-data") ||
	    processes__set_cgroup(tui.processes, 7, "/web.slice", "/web.slice"))
		return -1;
	tui.data = (struct view_data){
		.live = tui.live,
		.columns = &tui.columns,
		.processes = tui.processes,
	};
	run_all();
	return 0;
}

static inline int tui_tear_down(void **state)
{
	columns__free(&tui.columns);
	column_defs__free(tui.defs);
	processes__free(tui.processes);
	live__free(tui.live);
	return 0;
}

#endif
