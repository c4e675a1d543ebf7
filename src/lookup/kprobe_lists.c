// SPDX-License-Identifier: BSD-2-Clause
/* Reads available_filter_functions and kprobes/blacklist; searches them for a function. */
#include "lookup/kprobe_lists.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "elf/symtab.h"
#include "lookup/ksym_lines.h"

struct reader {
	struct kprobe_lists *lists;
	struct strtab *strings;
};

typedef int line_fn(struct reader *r, char *line, size_t len);

static int each_line(const char *path, line_fn *fn, struct reader *r)
{
	struct lines *l = calloc(1, sizeof(*l));
	size_t len;
	char *s;
	int err;

	if (!l)
		return -ENOMEM;
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	err = l->fd < 0 ? -errno : 0;
	while (!err && (err = lines__next(l, &s, &len)) > 0)
		err = fn(r, s, len);
	if (l->fd >= 0)
		close(l->fd);
	free(l);
	return err;
}

static uint64_t key_of(uint32_t name, uint32_t module)
{
	return (uint64_t)name << 32 | module;
}

static int add_traceable(struct reader *r, char *line, size_t len)
{
	struct kprobe_lists *l = r->lists;
	const char *name, *module;
	uint32_t name_id, module_id;
	int err;

	if (!ksym_line__split(line, len, &name, &module))
		return 0;
	if (l->nr_traceable == SYMTAB_MAX)
		return -EFBIG;
	err = strtab__add(r->strings, name, strlen(name), &name_id);
	if (!err)
		err = strtab__add(r->strings, module, strlen(module), &module_id);
	if (!err)
		err = array__grow(&l->traceable, &l->cap_traceable, l->nr_traceable + 1);
	if (!err)
		l->traceable[l->nr_traceable++] = key_of(name_id, module_id);
	return err;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int kprobe_lists__read_traceable(struct kprobe_lists *l, struct strtab *strings, const char *path)
{
	struct reader r = { .lists = l, .strings = strings };
	int err = each_line(path, add_traceable, &r);

	if (err)
		return err;
	l->has_traceable = true;
	if (l->nr_traceable)
		qsort(l->traceable, l->nr_traceable, sizeof(*l->traceable), by_key);
	return 0;
}

static int add_forbidden(struct reader *r, char *line, size_t len)
{
	struct kprobe_lists *l = r->lists;
	const char *p = line, *end = line + len;
	struct kprobe_range range;

	if (!parse_hex(&p, end, &range.start) || p == end || *p++ != '-' ||
	    !parse_hex(&p, end, &range.end) || range.start >= range.end)
		return 0;
	if (l->nr_forbidden == SYMTAB_MAX)
		return -EFBIG;
	if (array__grow(&l->forbidden, &l->cap_forbidden, l->nr_forbidden + 1))
		return -ENOMEM;
	l->forbidden[l->nr_forbidden++] = range;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct kprobe_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void merge_forbidden(struct kprobe_lists *l)
{
	struct kprobe_range *f = l->forbidden;
	size_t i, kept = 0;

	if (!l->nr_forbidden)
		return;
	qsort(f, l->nr_forbidden, sizeof(*f), by_start);
	for (i = 1; i < l->nr_forbidden; i++) {
		if (f[i].start > f[kept].end)
			f[++kept] = f[i];
		else if (f[i].end > f[kept].end)
			f[kept].end = f[i].end;
	}
	l->nr_forbidden = kept + 1;
}

int kprobe_lists__read_blacklist(struct kprobe_lists *l, const char *path)
{
	struct reader r = { .lists = l };
	int err = each_line(path, add_forbidden, &r);

	merge_forbidden(l);
	return err;
}

void kprobe_lists__free(struct kprobe_lists *l)
{
	free(l->traceable);
	free(l->forbidden);
	*l = (struct kprobe_lists){};
}

static bool is_forbidden(const struct kprobe_lists *l, uint64_t addr)
{
	size_t low = 0, high = l->nr_forbidden;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->forbidden[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < l->forbidden[low - 1].end;
}

bool kprobe_lists__allow(const struct kprobe_lists *l, uint32_t name, uint32_t module,
			 uint64_t addr)
{
	uint64_t key = key_of(name, module);

	if (l->has_traceable && (!l->nr_traceable || !bsearch(&key, l->traceable, l->nr_traceable,
							      sizeof(key), by_key)))
		return false;
	return !is_forbidden(l, addr);
}
