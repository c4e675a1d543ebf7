// SPDX-License-Identifier: BSD-2-Clause
/* Finds and reads perf maps and jitdumps of processes, and asks them for names. */
#include "sym/jits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "sym/jitdump.h"
#include "sym/perfmap.h"

static const uint64_t LOOK_AGAIN_NS = 100 * 1000000;

/* Code that a process makes at run time. */
struct jit {
	uint32_t life;
	uint32_t number;      /* of what was read, a new one each time; 0: nothing yet */
	uint64_t looked_ns;   /* when its files were last looked at; 0: never */
	struct perfmap *map;  /* NULL: not looked for yet */
	struct jitdump *dump; /* NULL: it has none, as far as is known */
	char *dump_path;
};

struct jits {
	char *proc_root;
	struct jit *items;
	size_t nr, cap;
	uint32_t nr_read; /* how often anything new was read, of all */
	struct perfmaps maps;
	struct jitdumps dumps;
};

struct jits *jits__new(const char *proc_root, struct allowance *run)
{
	struct jits *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->proc_root = strdup(proc_root);
	if (!j->proc_root) {
		free(j);
		return NULL;
	}
	j->maps.room.max_bytes = PERFMAPS_BYTES;
	j->maps.run = j->dumps.run = run;
	j->dumps.room = &j->maps.room;
	return j;
}

static void free_jit(struct jit *jit)
{
	perfmap__free(jit->map);
	jitdump__free(jit->dump);
	free(jit->dump_path);
}

void jits__free(struct jits *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->nr; i++)
		free_jit(&j->items[i]);
	free(j->items);
	free(j->proc_root);
	free(j);
}

/* The pid that the process itself sees: the last one in the NSpid line of its status. */
static uint32_t innermost_pid(const char *proc_root, uint32_t pid)
{
	struct buf text = {};
	char path[256], *line, *last;
	uint32_t found = pid;

	snprintf(path, sizeof(path), "%s/%u/status", proc_root, pid);
	if (!buf__read_file(&text, path, 65536) && (line = strstr(text.data, "\nNSpid:"))) {
		line = strtok_r(line + 1, "\n", &last);
		line = line ? strrchr(line, '\t') : NULL;
		if (line)
			found = strtoul(line + 1, NULL, 10);
	}
	buf__free(&text);
	return found;
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

static int read_map(struct jits *j, struct jit *jit, uint32_t pid, const char *root, uid_t uid)
{
	char path[64];
	int state;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", innermost_pid(j->proc_root, pid));
	if (!jit->map)
		jit->map = perfmap__new(&j->maps);
	if (!jit->map)
		return -ENOMEM;
	do {
		state = perfmap__read(jit->map, root, path, uid);
		if (state > GROWING_SAME)
			jit->number = ++j->nr_read;
	} while (state == GROWING_MORE);
	return state == -ENOMEM ? state : 0;
}

/* @root: NULL: the process is gone. */
static int read_dump(struct jits *j, struct jit *jit, const char *root, uid_t uid)
{
	int state;

	if (!jit->dump)
		return 0;
	do {
		state = jitdump__read(jit->dump, root, jit->dump_path, uid);
		if (state > GROWING_SAME)
			jit->number = ++j->nr_read;
	} while (state == GROWING_MORE);
	if (state < 0 && state != -ENOENT)
		log__debug("%s: %s", jit->dump_path, jitdump__strerror(state));
	return state == -ENOMEM ? state : 0;
}

/* Reads what is new: slice by slice. */
static int refresh(struct jits *j, struct jit *jit, uint32_t pid)
{
	uint64_t now = clock__now_ns();
	char root[256];
	struct stat st;
	int err;

	if (jit->looked_ns && now - jit->looked_ns < LOOK_AGAIN_NS)
		return 0;
	snprintf(root, sizeof(root), "%s/%u", j->proc_root, pid);
	if (stat(root, &st)) /* gone: who its owner was is not known, so no path can be trusted */
		return read_dump(j, jit, NULL, 0);
	snprintf(root, sizeof(root), "%s/%u/root", j->proc_root, pid);
	err = read_dump(j, jit, root, st.st_uid);
	if (!err)
		err = read_map(j, jit, pid, root, st.st_uid);
	jit->looked_ns = clock__now_ns();
	return err;
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
		err = refresh(j, jit, pid);
		if (err)
			return err;
		found = find(jit, addr, sym);
	}
	*number = jit->number;
	return found;
}

int jits__dump(struct jits *j, uint32_t pid, uint32_t life, const char *path)
{
	struct jit *jit;

	if (!jitdump__is_path(path, innermost_pid(j->proc_root, pid)))
		return 0;
	jit = jit_of(j, life);
	if (!jit)
		return -ENOMEM;
	if (jit->dump_path && !strcmp(jit->dump_path, path))
		return 0;
	jitdump__free(jit->dump);
	free(jit->dump_path);
	jit->dump_path = strdup(path);
	jit->dump = jit->dump_path ? jitdump__new(&j->dumps) : NULL;
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
