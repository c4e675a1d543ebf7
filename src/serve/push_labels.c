// SPDX-License-Identifier: BSD-2-Clause
/* Makes labels that backends take: names, values, order, number. */
#include "serve/push_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/profile.h"
#include "print/series_name.h"

static const char NAME[] = "__name__", SERVICE[] = "service_name";

bool push_profile__is_cpu(const struct push_profile *p, uint32_t event)
{
	return p->pprof.weights && !strcmp(p->profile->events[event].unit, "ns");
}

const char *push_labels__get(const struct push_labels *l, const char *name)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->items[i].name, name))
			return l->items[i].value;
	return NULL;
}

/* At most so many bytes, of whole characters. */
static size_t fitting(const char *text, size_t len, size_t limit)
{
	size_t at = 0, n;

	while (at < len && (n = utf8__sequence(text + at, len - at)) && at + n <= limit)
		at += n;
	return at;
}

static int add_label(struct push_labels *l, const char *name, const char *value)
{
	struct buf safe = {}, valid = {};
	int err = series_name__put(&safe, name);

	if (!err)
		err = utf8__put_valid(&valid, value, strlen(value));
	if (!err && valid.len > PUSH_LABEL_VALUE)
		valid.data[fitting(valid.data, valid.len, PUSH_LABEL_VALUE)] = '\0';
	if (!err && safe.len > PUSH_LABEL_NAME)
		safe.data[PUSH_LABEL_NAME] = '\0';
	if (err || !valid.len || l->nr == PUSH_LABELS || push_labels__get(l, safe.data)) {
		buf__free(&safe);
		buf__free(&valid);
		return err;
	}
	l->items[l->nr++] = (struct push_label){ safe.data, valid.data };
	return 0;
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct push_label *)a)->name, ((const struct push_label *)b)->name);
}

static const char *find_service(const struct push_profile *p)
{
	for (size_t i = 0; i < p->nr_labels; i++)
		if (!strcmp(p->labels[i].name, SERVICE) && *p->labels[i].value)
			return p->labels[i].value;
	return "pmutrace";
}

int push_labels__make(struct push_labels *out, const struct push_profile *p)
{
	const char *event = p->profile->events[p->pprof.event].name;
	struct buf name = {};
	int err = push_profile__is_cpu(p, p->pprof.event) ? buf__puts(&name, "process_cpu")
							  : series_name__put(&name, event);

	if (!err)
		err = add_label(out, NAME, name.data);
	if (!err)
		err = add_label(out, SERVICE, find_service(p));
	for (size_t i = 0; i < p->nr_labels && !err; i++)
		err = add_label(out, p->labels[i].name, p->labels[i].value);
	buf__free(&name);
	qsort(out->items, out->nr, sizeof(*out->items), compare_labels);
	return err;
}

void push_labels__free(struct push_labels *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free((char *)l->items[i].name);
		free((char *)l->items[i].value);
	}
	*l = (struct push_labels){};
}
