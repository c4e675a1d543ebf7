/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/exposition.h - metrics as Prometheus reads them: its text format 0.0.4, or OpenMetrics 1.0
 * for who asks for that.
 *
 *	struct exposition x = { .out = &body, .open_metrics = true };
 *
 *	exposition__family(&x, "pmutrace_scrapes_total", METRIC_COUNTER, "Answered requests");
 *	exposition__label(&x, "cpu", "0");
 *	exposition__u64(&x, 17);
 *	err = exposition__end(&x);
 *
 * Families come one after the other, each with all of its samples; labels come before the value of
 * their sample. Numbers are written with all of their digits, also where a reader's doubles have
 * fewer. Names that cannot be names are made some: exposition__name().
 *
 * A sample of a counter or of a bucket may have an exemplar, one of what it counts: its labels,
 * value, and when that was. It is told in OpenMetrics alone.
 *
 * What differs there besides: a counter's family is called as it is without "_total", and a
 * counter that has no "_total" is of no type: its name is what dashboards ask for. "# EOF" ends it.
 *
 * Source: prometheus.io/docs/instrumenting/exposition_formats, the OpenMetrics specification 1.0.
 */
#ifndef PMUTRACE_SERVE_EXPOSITION_H
#define PMUTRACE_SERVE_EXPOSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_SUMMARY, METRIC_HISTOGRAM };

/* What the body is in HTTP. */
#define EXPOSITION_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define EXPOSITION_OPEN_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* Of labels of an exemplar, names and values together: what the specification allows. */
enum { EXPOSITION_EXEMPLAR_CHARS = 128, EXPOSITION_EXEMPLAR_LABELS = 4 };

struct exposition_exemplar {
	struct {
		const char *key, *value;
	} labels[EXPOSITION_EXEMPLAR_LABELS];
	size_t nr_labels;
	double value;
	uint64_t time_ns; /* since 1970 */
};

struct exposition {
	struct buf *out; /* borrowed */
	bool open_metrics;
	int err; /* the first one */
	const char *family;
	enum metric_type type;
	/* Of the sample that comes next. */
	const char *suffix;
	const struct exposition_exemplar *exemplar;
	bool has_labels;
};

/* @name: borrowed until the next family. @help: one sentence, without its full stop. */
void exposition__family(struct exposition *x, const char *name, enum metric_type type,
			const char *help);

/* Of the next sample, before its labels: "_bucket", "_sum", "_count". Borrowed until its value. */
void exposition__suffix(struct exposition *x, const char *suffix);

/* @value: any bytes; what is not UTF-8 is replaced. */
void exposition__label(struct exposition *x, const char *key, const char *value);
void exposition__label_u32(struct exposition *x, const char *key, uint32_t value);

/*
 * Of the next sample, before its value; borrowed until that. Left out where the format has none, of
 * a sample that can have none, and if its labels are too long.
 */
void exposition__exemplar(struct exposition *x, const struct exposition_exemplar *e);

/* The sample's value. */
void exposition__u64(struct exposition *x, uint64_t value);
void exposition__double(struct exposition *x, double value);

/* A gauge without labels, all of it. */
void exposition__gauge(struct exposition *x, const char *name, const char *help, uint64_t value);

/* 0 or -ENOMEM. */
int exposition__end(struct exposition *x) must_check;

/* Appends @name with '_' in place of what metrics cannot be called. 0 or -ENOMEM. */
int exposition__name(struct buf *out, const char *name) must_check;

/* Whether who sends this Accept header would rather have OpenMetrics. NULL: there is none. */
bool exposition__wants_open_metrics(const char *accept);

#endif
