/* SPDX-License-Identifier: BSD-2-Clause */
/* print/count_histogram.h - lines with a histogram each: key, frames, then a bar for each range. */
#ifndef PMUTRACE_PRINT_COUNT_HISTOGRAM_H
#define PMUTRACE_PRINT_COUNT_HISTOGRAM_H

#include "base/array.h"

struct count_page;

/* The lines that the page shows. 0 or -ENOMEM. */
int count_histogram__put_all(struct count_page *c) must_check;

#endif
