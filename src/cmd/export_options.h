/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/export_options.h - what an exporter is to be: options of the command line, those of its
 * configuration file where the command line says nothing, and the file's metrics.
 */
#ifndef PMUTRACE_CMD_EXPORT_OPTIONS_H
#define PMUTRACE_CMD_EXPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/opt.h"
#include "serve/config.h"
#include "serve/exporter.h"

/* As the command line and files have them; 0: not given. */
struct export_opts {
	const char *listen, *cpus, *config, *max_overhead;
	struct opt_strs tracepoints, hardware, software, cache, events, by;
	uint32_t series;
	bool no_hardware, no_software, no_cache, profiles, check_config, quiet, verbose;
};

extern const struct opt export_options[];

/* Zero-initialise. */
struct export_settings {
	struct config config; /* strings of the rest are its, or the command line's */
	struct export_opts opts;
	struct buf by;
	struct probe_line *lines;
	struct exporter_opts exporter;
};

/**
 * export_settings__make() - all that there is to say of an exporter
 * @out:   zero-initialised; export_settings__free() it in any case
 * @given: the command line's; borrowed while @out lives
 * @bytes: of the file given->config; NULL: there is none
 *
 * Everything is checked that can be without opening anything. 0; -EINVAL: it is wrong; another
 * -errno: all with @why.
 */
int export_settings__make(struct export_settings *out, const struct export_opts *given,
			  const struct buf *bytes, struct buf *why) must_check;
void export_settings__free(struct export_settings *s);

void export_opts__free(struct export_opts *o);

#endif
