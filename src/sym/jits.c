// SPDX-License-Identifier: BSD-2-Clause
/* Has perf maps and jitdumps of processes opened, reads them on, and finds names in them. */
#include "sym/jits.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "sym/jitdump.h"
#include "sym/perfmap.h"

static const uint64_t LOOK_AGAIN_NS = 100 * 1000000;

/* Code that a process makes at run time. */
struct jit {
	uint32_t life, pid;
	uint32_t number;      /* of what was read, a new one each time; 0: nothing yet */
	uint64_t looked_ns;   /* when its files were last looked at; 0: never */
	bool gone;	      /* it has ended, and there is nothing more to be read of it */
	struct perfmap *map;  /* NULL: not looked for yet */
	struct jitdump *dump; /* NULL: it has none, as far as is known */
};

struct jits {
	struct file_source source;
	struct jit *items;
	size_t nr, cap;
	uint32_t nr_read; /* how often anything new was read, of all */
	struct perfmaps maps;
	struct jitdumps dumps;
};

struct jits *jits__new(const struct file_source *source, struct allowance *run)
{
	struct jits *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->source = *source;
	j->maps.room.max_bytes = PERFMAPS_BYTES;
	j->maps.run = j->dumps.run = run;
	j->dumps.room = &j->maps.room;
	return j;
}

static void free_jit(struct jit *jit)
{
	perfmap__free(jit->map);
	jitdump__free(jit->dump);
}

void jits__free(struct jits *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->nr; i++)
		free_jit(&j->items[i]);
	free(j->items);
	free(j);
}

static struct jit *jit_of(struct jits *j, uint32_t life)
{
	for (size_t i = 0; i < j->nr; i++)
		if (j->items[i].life == life)
			return &j->items[i];
	if (array__grow(&j->items, &j->cap, j->nr + 1))
		return NULL;
	j->items[j->nr] = (struct jit){ .life = life };
	return &j->items[j->nr++];
}

/* A descriptor or -errno. */
static int open_one(const struct jits *j, const struct jit *jit, enum file_request_kind kind)
{
	const struct file_request r = { .kind = kind, .pid = jit->pid, .life = jit->life };

	return j->source.open(j->source.arg, &r);
}

static int read_map(struct jits *j, struct jit *jit)
{
	const int fd = open_one(j, jit, REQUEST_MAP);
	int state = 0;

	if (fd < 0)
		return fd == -ESRCH ? fd : 0;
	if (!jit->map)
		jit->map = perfmap__new(&j->maps);
	if (!jit->map)
		state = -ENOMEM;
	else
		do {
			state = perfmap__read(jit->map, fd);
			if (state > GROWING_SAME)
				jit->number = ++j->nr_read;
		} while (state == GROWING_MORE);
	close(fd);
	return state == -ENOMEM ? state : 0;
}

static int read_dump(struct jits *j, struct jit *jit)
{
	int state, fd = -1;

	if (!jit->dump)
		return 0;
	do {
		if (!jitdump__is_open(jit->dump)) {
			fd = open_one(j, jit, REQUEST_DUMP);
			if (fd < 0)
				return fd == -ESRCH ? fd : 0;
		}
		state = jitdump__read(jit->dump, fd);
		fd = -1;
		if (state > GROWING_SAME)
			jit->number = ++j->nr_read;
	} while (state == GROWING_MORE);
	if (state < 0 && state != -ENOENT)
		log__debug("the jitdump of process %u: %s", jit->pid, jitdump__strerror(state));
	return state == -ENOMEM ? state : 0;
}

/* Reads what is new: slice by slice. */
static int look(struct jits *j, struct jit *jit)
{
	int err;

	if (jit->gone)
		return 0;
	err = read_dump(j, jit);
	if (err != -ENOMEM)
		err = read_map(j, jit);
	jit->gone = err == -ESRCH;
	jit->looked_ns = clock__now_ns();
	return err == -ESRCH ? 0 : err;
}

static int refresh(struct jits *j, struct jit *jit)
{
	if (jit->looked_ns && clock__now_ns() - jit->looked_ns < LOOK_AGAIN_NS)
		return 0;
	return look(j, jit);
}

static bool find(const struct jit *jit, uint64_t addr, struct sym *sym)
{
	return (jit->dump && jitdump__find(jit->dump, addr, sym)) ||
	       (jit->map && perfmap__find(jit->map, addr, sym));
}

int jits__find(struct jits *j, uint32_t pid, uint32_t life, uint64_t addr, struct sym *sym,
	       uint32_t *number)
{
	struct jit *jit = jit_of(j, life);
	bool found;
	int err;

	if (!jit)
		return -ENOMEM;
	found = find(jit, addr, sym);
	if (!found) {
		jit->pid = pid;
		err = refresh(j, jit);
		if (err)
			return err;
		found = find(jit, addr, sym);
	}
	*number = jit->number;
	return found;
}

int jits__look(struct jits *j, uint32_t pid, uint32_t life)
{
	struct jit *jit = jit_of(j, life);

	if (!jit)
		return -ENOMEM;
	jit->pid = pid;
	return look(j, jit);
}

bool jits__known(struct jits *j, uint32_t life, uint64_t addr, struct sym *sym)
{
	const struct jit *jit = jit_of(j, life);

	return jit && find(jit, addr, sym);
}

int jits__dump(struct jits *j, uint32_t life)
{
	struct jit *jit = jit_of(j, life);

	if (!jit)
		return -ENOMEM;
	jitdump__free(jit->dump);
	jit->dump = jitdump__new(&j->dumps);
	jit->looked_ns = 0;
	return jit->dump ? 0 : -ENOMEM;
}

void jits__end(struct jits *j, uint32_t life)
{
	for (size_t i = 0; i < j->nr; i++) {
		if (j->items[i].life != life)
			continue;
		free_jit(&j->items[i]);
		j->items[i] = j->items[--j->nr];
		return;
	}
}

uint64_t jits__nr_maps_cut(const struct jits *j)
{
	return j->maps.nr_cut;
}

uint64_t jits__nr_dumps_cut(const struct jits *j)
{
	return j->dumps.nr_cut;
}
