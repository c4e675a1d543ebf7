/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_labels.h - labels of a profile as backends take them: distinct names that labels can
 * have, values that are UTF-8, no more and no longer ones than they take.
 */
#ifndef PMUTRACE_SERVE_PUSH_LABELS_H
#define PMUTRACE_SERVE_PUSH_LABELS_H

#include <stddef.h>

#include "base/array.h"
#include "serve/push_profile.h"

/* Zero-initialise it. Sorted by name; strings are its own. */
struct push_labels {
	struct push_label items[PUSH_LABELS];
	size_t nr;
};

/*
 * Of a profile: __name__ ("process_cpu" of CPU time, else the event's), service_name, the others. 0
 * or -ENOMEM; push_labels__free() in any case.
 */
int push_labels__make(struct push_labels *out, const struct push_profile *p) must_check;
void push_labels__free(struct push_labels *l);

/* NULL: there is none. */
const char *push_labels__get(const struct push_labels *l, const char *name);

/* Whether the profile's event is a clock: "cpu", in nanoseconds. */
bool push_profile__is_cpu(const struct push_profile *p, uint32_t event);

#endif
