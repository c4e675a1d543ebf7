/* SPDX-License-Identifier: BSD-2-Clause */
/* columns/column_defs_state.h - what column_defs*.c share. */
#ifndef PMUTRACE_COLUMNS_COLUMN_DEFS_STATE_H
#define PMUTRACE_COLUMNS_COLUMN_DEFS_STATE_H

#include "base/strtab.h"
#include "columns/column_defs.h"

struct column_defs {
	struct strtab *texts;
	struct column_def *columns; /* of the user */
	size_t nr_columns, cap_columns;
	struct column_set *sets;
	size_t nr_sets, cap_sets;
	bool has_no_pmu;
	column_missing_fn *missing; /* or NULL */
	void *missing_arg;
};

#define DEFAULT_SET  "default"
#define SOFTWARE_SET "software"

/* Built in. NULL past the last. */
const struct column_def *built_in_column(size_t i);
const struct column_set *built_in_set(size_t i);
size_t built_in_columns(void);
size_t built_in_sets(void);

/* time, switches, tasks, interval; -1: none of these. */
int column_value__of(const char *name);

#endif
