/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/config.h - the exporter's configuration file: its options, and metrics that are lines of
 * pmutrace.
 *
 *	listen: 127.0.0.1:9870		# options by their long names, without dashes
 *	by: [cgroup, process]		# several values: a list, or with commas
 *	profiles: true
 *	metrics:			# by name: `pmutrace` and this is what would print it
 *	  switches: count sched:sched_switch --by prev_comm
 *	  mallocs: func libc:malloc --hist time
 *
 * YAML, read by libyaml; of it scalars, lists and mappings: no anchors, no tags, nothing twice. It
 * is the administrator's file: what it says is done with the privileges of whoever started us.
 * Lines are divided into words as sh(1) does it (base/words.h).
 *
 * Knows: the file's form, and what a line may begin with. Does not know: which options there are,
 * and what they mean.
 */
#ifndef PMUTRACE_SERVE_CONFIG_H
#define PMUTRACE_SERVE_CONFIG_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

enum {
	CONFIG_BYTES = 1 << 20, /* of a file */
	CONFIG_LINES = 64,	/* metrics in it: two processes each */
	CONFIG_NAME = 64,	/* characters of a metric's name */
};

/* One of the options: "by", with its values, in their order. */
struct config_setting {
	char *name;
	char **values;
	size_t nr_values, cap_values;
	unsigned line; /* of the file, from 1 */
};

/* One of the metrics. */
struct config_line {
	char *name;   /* letters, digits and _ */
	char *text;   /* as it stands there, without newlines */
	char **words; /* "count", "sched:sched_switch", ..; NULL-terminated */
	size_t nr_words;
	unsigned line;
};

/* Zero-initialise. */
struct config {
	struct config_setting *settings;
	size_t nr_settings, cap_settings;
	struct config_line *lines;
	size_t nr_lines, cap_lines;
};

/**
 * config__parse() - read a configuration
 * @out:   zero-initialised; config__free() it in any case
 * @bytes: the whole file
 * @path:  for messages, which begin "PATH:LINE: "
 *
 * Return: 0; -EINVAL: it is wrong; -ENOSYS: pmutrace was built without libyaml; -ENOMEM. All with
 * @why.
 */
int config__parse(struct config *out, const struct buf *bytes, const char *path,
		  struct buf *why) must_check;

/* The file's bytes, to be parsed: a regular file. 0 or -errno with @why. */
int config__read(struct buf *out, const char *path, struct buf *why) must_check;

void config__free(struct config *c);

#endif
