/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_profile.h - a profile for a backend: of one window and one container, with labels.
 *
 * What backends take by default, which is what they get (read from their sources, 2026):
 *
 *	Pyroscope	16,000 samples and 4 MB (unpacked) a profile, 30 labels of a series, names
 *			of 1,024 and values of 2,048 bytes, nothing that began more than an hour
 *			ago; __name__ and service_name are asked for. Of profiles of one series
 *			and one moment it keeps one
 *	Parca		ids are 1, 2, 3..; __name__ is asked for
 *	OTLP		index 0 of each table is nothing, entries of tables are distinct and are all
 *			used, one value a sample
 *
 * A profile that is more than that goes in parts (serve/push_split.h).
 */
#ifndef PMUTRACE_SERVE_PUSH_PROFILE_H
#define PMUTRACE_SERVE_PUSH_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "print/pprof.h"

enum {
	PUSH_SAMPLES = 16000,
	PUSH_BYTES = 4 << 20,
	PUSH_LABELS = 30, /* __name__ among them */
	PUSH_LABEL_NAME = 1024,
	PUSH_LABEL_VALUE = 2048,
};

struct push_label {
	const char *name;  /* any; made one that labels can have */
	const char *value; /* any bytes; one that is empty is left out */
};

/* All borrowed. */
struct push_profile {
	const struct profile *profile; /* without fields and metrics */
	/*
	 * As print__pprof() takes it, always as one of a series. event: which one the profile is
	 * named after.
	 */
	struct pprof_opts pprof;
	uint64_t begin_ns; /* since 1970 */
	uint64_t duration_ns;
	/*
	 * In this order, as many as there is room for; of a name the first one. "service_name"
	 * among them, or it is "pmutrace".
	 */
	const struct push_label *labels;
	size_t nr_labels;
	const char *whose; /* in the file's name: a container, or the host */
};

#endif
