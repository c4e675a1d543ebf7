// SPDX-License-Identifier: BSD-2-Clause
/* Places for probes: functions of the kernel, functions and static probes of files. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "catalog/catalog_fill.h"
#include "elf/demangle.h"
#include "event/tracefs.h"
#include "lookup/lookup.h"
#include "lookup/usdt.h"

struct filling {
	struct catalog *c;
	const char *file; /* as it was named */
	enum catalog_state state;
	struct buf name, text;
};

static void free_filling(struct filling *f)
{
	buf__free(&f->name);
	buf__free(&f->text);
}

/* The kernel has the PMU of kprobes, or tracefs has the file that older kernels have. */
static bool has_kprobes(void)
{
	struct buf path = {}, why = {};
	bool has = !access("/sys/bus/event_source/devices/kprobe", F_OK);

	if (!has && !tracefs__find("", &path, &why) && !buf__puts(&path, "/kprobe_events"))
		has = !access(path.data, F_OK);
	buf__free(&path);
	buf__free(&why);
	return has;
}

/* Patterns are for a function's own name; with a ':' also for all of the entry's, as pasted. */
static bool is_meant(const struct filling *f, const char *own)
{
	const struct catalog_pattern *p = &f->c->pattern;

	return catalog_pattern__matches(p, own) ||
	       (p->text && strchr(p->text, ':') && catalog_pattern__matches(p, f->name.data));
}

static int add_kernel_function(const struct lookup_kernel_function *k, void *arg)
{
	struct filling *f = arg;
	struct catalog_entry e = { .kind = CATALOG_KPROBE, .state = f->state };
	int err;

	buf__clear(&f->name);
	buf__clear(&f->text);
	err = buf__printf(&f->name, "kprobe:%s", k->name);
	if (err || !is_meant(f, k->name))
		return err;
	if (k->nr > 1)
		err = buf__printf(&f->text, "%zu functions have this name", k->nr);
	e.name = f->name.data;
	e.group = *k->module ? k->module : NULL;
	e.text = f->text.len ? f->text.data : NULL;
	return err ? err : catalog__put(f->c, &e);
}

int catalog_fill__kernel_functions(struct catalog *c, struct buf *why)
{
	struct filling f = {
		.c = c,
		.state = has_kprobes() ? CATALOG_UNKNOWN : CATALOG_NOT_SUPPORTED,
	};
	struct lookup_kernel_files files = { .kallsyms = "/proc/kallsyms" };
	struct buf blacklist = {};
	int err = 0;

	if (!tracefs__debugfs("", &blacklist)) {
		err = buf__puts(&blacklist, "/kprobes/blacklist");
		files.blacklist = blacklist.data;
	}
	if (!err)
		err = lookup__each_kernel_function(&files, "*", add_kernel_function, &f, why);
	buf__free(&blacklist);
	free_filling(&f);
	return err;
}

static int add_function(const struct lookup_function *u, void *arg)
{
	struct filling *f = arg;
	struct catalog_entry e = { .kind = CATALOG_UPROBE, .group = f->file };
	char encoding[64];
	int err;

	buf__clear(&f->name);
	buf__clear(&f->text);
	err = buf__printf(&f->name, "uprobe:%s:%s", f->file, u->name);
	if (!err && !strncmp(u->name, "_Z", 2))
		err = demangle(&f->text, u->name);
	if (!err && f->text.len && u->size)
		err = buf__puts(&f->text, ", ");
	if (!err && u->size)
		err = buf__printf(&f->text, "%llu bytes", (unsigned long long)u->size);
	if (!err && u->is_alias)
		err = buf__printf(&f->text, "%sanother name of a function listed here",
				  f->text.len ? ", " : "");
	snprintf(encoding, sizeof(encoding), "offset 0x%llx", (unsigned long long)u->offset);
	e.name = f->name.data;
	e.text = f->text.len ? f->text.data : NULL;
	e.encoding = encoding;
	return err ? err : catalog__put(f->c, &e);
}

/* A glob for lookup__each_function(), which matches demangled names, too, and where case counts. */
static int put_glob(struct buf *glob, const struct catalog_pattern *p)
{
	if (!p->text)
		return buf__puts(glob, "*");
	return p->has_glob ? buf__puts(glob, p->text) : buf__printf(glob, "*%s*", p->text);
}

int catalog_fill__functions(struct catalog *c, const char *file, struct lookup_reader *reader,
			    struct buf *why)
{
	struct filling f = { .c = c, .file = file };
	struct buf path = {}, glob = {};
	int err = lookup__path(file, &path, why);

	if (!err)
		err = put_glob(&glob, &c->pattern);
	if (!err)
		err = lookup__each_function(reader, path.data, glob.data, add_function, &f, why);
	buf__free(&path);
	buf__free(&glob);
	free_filling(&f);
	return err;
}

/* Several places of one probe are one entry: -e takes them together. */
static bool is_known(const struct filling *f)
{
	const struct catalog *c = f->c;

	return c->nr && c->items[c->nr - 1].kind == CATALOG_USDT &&
	       !strcmp(c->items[c->nr - 1].name, f->name.data);
}

static int add_usdt(const struct usdt_probe *u, void *arg)
{
	struct filling *f = arg;
	struct catalog_entry e = { .kind = CATALOG_USDT, .group = f->file };
	char encoding[96];
	size_t used;
	int err;

	buf__clear(&f->name);
	buf__clear(&f->text);
	err = buf__printf(&f->name, "usdt:%s:%s:%s", f->file, u->provider, u->name);
	if (err || is_known(f) ||
	    !is_meant(f, f->name.data + strlen("usdt:") + strlen(f->file) + 1))
		return err;
	if (*u->args)
		err = buf__printf(&f->text, "arguments: %s", u->args);
	used = snprintf(encoding, sizeof(encoding), "offset 0x%llx", (unsigned long long)u->offset);
	if (u->semaphore)
		snprintf(encoding + used, sizeof(encoding) - used, " semaphore 0x%llx",
			 (unsigned long long)u->semaphore);
	e.name = f->name.data;
	e.text = f->text.len ? f->text.data : NULL;
	e.encoding = encoding;
	return err ? err : catalog__put(f->c, &e);
}

int catalog_fill__usdt(struct catalog *c, const char *file, struct lookup_reader *reader,
		       struct buf *why)
{
	struct filling f = { .c = c, .file = file };
	struct buf path = {};
	int err = lookup__path(file, &path, why);

	if (!err)
		err = usdt__each(reader, path.data, add_usdt, &f, why);
	buf__free(&path);
	free_filling(&f);
	return err;
}
