// SPDX-License-Identifier: BSD-2-Clause
/* Connects the parser of events to the searches in kernel symbols, ELF files and USDT notes. */
#include "lookup/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/entry.h"
#include "event/tracefs.h"
#include "lookup/kernel_text.h"
#include "lookup/lookup.h"
#include "lookup/lookup_code.h"
#include "lookup/usdt.h"
#include "machine/registers.h"

static int kernel_address(const char *symbol, uint64_t *addr, struct buf *why)
{
	return lookup__kernel("/proc/kallsyms", symbol, addr, why);
}

static int kernel_instruction(const char *symbol, uint64_t offset, struct buf *why)
{
	const struct kernel_text text = { "/proc/kcore", "/proc/kallsyms", REGISTERS_OUR_MACHINE };

	return kernel_text__check_place(&text, symbol, offset, why);
}

/* An offset that was given is taken as it is. */
static int function(struct lookup_reader *reader, const char *path, const char *symbol,
		    struct perf_location *out, struct buf *why)
{
	struct lookup_function found;
	struct buf file = {};
	int err = lookup__path(path, &file, why);

	*out = (struct perf_location){};
	if (!err)
		err = lookup__function(reader, file.data, symbol, &found, why);
	if (err) {
		buf__free(&file);
		return err;
	}
	out->path = file.data;
	out->offset = found.offset;
	out->at_entry = strncmp(symbol, "0x", 2) && !entry__is_cold(symbol);
	out->skip = out->at_entry ? found.skip : 0;
	return 0;
}

/* The functions that a pattern stands for, on their way to event/event.h. */
struct listing {
	perf_function_fn *fn, *skip;
	void *arg;
	const char *file;
	size_t nr;
};

static int tell_function(const struct lookup_function *f, void *arg)
{
	struct listing *l = arg;
	const struct perf_function out = {
		.home = l->file,
		.name = f->name,
		.offset = f->offset + f->skip,
		.at_entry = true,
	};

	l->nr++;
	return f->is_alias || entry__is_cold(f->name) ? 0 : l->fn(&out, l->arg);
}

static int functions(struct lookup_reader *reader, const char *path, const char *glob,
		     perf_function_fn *fn, void *arg, struct buf *why)
{
	struct listing l = { .fn = fn, .arg = arg };
	struct buf file = {};
	int err = lookup__path(path, &file, why);

	l.file = file.data;
	if (!err)
		err = lookup__each_function(reader, l.file, glob, tell_function, &l, why);
	if (!err && !l.nr)
		err = lookup__explain_no_function(reader, l.file, glob, why);
	buf__free(&file);
	return err;
}

static int tell_kernel_function(const struct lookup_kernel_function *f, const char *why_not,
				void *arg)
{
	const struct listing *l = arg;
	const struct perf_function out = {
		.home = f->module,
		.name = f->name,
		.why_not = why_not,
	};

	if (!why_not)
		return l->fn(&out, l->arg);
	return l->skip ? l->skip(&out, l->arg) : 0;
}

/* Opened: what access(2) allows may be forbidden all the same (lockdown, containers). */
static bool is_readable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int kernel_functions(const char *glob, perf_function_fn *fn, perf_function_fn *skip,
			    void *arg, struct buf *why)
{
	struct lookup_kernel_files files = { .kallsyms = "/proc/kallsyms" };
	struct listing l = { .fn = fn, .skip = skip, .arg = arg };
	struct buf traceable = {}, blacklist = {}, own = {};
	int err = tracefs__find("", &traceable, &own);

	/* Without these lists the kernel says at each function whether it may be. */
	if (!err)
		err = buf__puts(&traceable, "/available_filter_functions");
	if (!err && is_readable(traceable.data))
		files.traceable = traceable.data;
	err = tracefs__debugfs("", &blacklist);
	if (!err)
		err = buf__puts(&blacklist, "/kprobes/blacklist");
	if (!err)
		files.blacklist = blacklist.data;
	err = lookup__each_kernel_probe(&files, glob, tell_kernel_function, &l, why);
	buf__free(&traceable);
	buf__free(&blacklist);
	buf__free(&own);
	return err;
}

static int locate(struct perf_location *out, const char *file, const struct usdt_probe *probe)
{
	*out = (struct perf_location){
		.path = strdup(file),
		.offset = probe->offset,
		.counter_offset = probe->semaphore,
		.provider = strdup(probe->provider),
		.args = strdup(probe->args),
	};
	return out->path && out->provider && out->args ? 0 : -ENOMEM;
}

static int usdt(struct lookup_reader *reader, const char *path, const char *provider,
		const char *name, struct perf_location **out, size_t *nr, struct buf *why)
{
	struct usdt_probe *probes = NULL;
	struct buf file = {};
	size_t found = 0;
	int err = lookup__path(path, &file, why);

	*nr = 0;
	*out = NULL;
	if (!err)
		err = usdt__find(reader, file.data, provider, name, &probes, &found, why);
	if (!err) {
		*out = calloc(found + 1, sizeof(**out));
		err = *out ? 0 : -ENOMEM;
	}
	/* The last is the caller's to free as well, should it fail. */
	for (; *nr < found && !err; ++*nr)
		err = locate(&(*out)[*nr], file.data, &probes[*nr]);
	free(probes);
	buf__free(&file);
	return err;
}

const struct perf_event_env resolve_env = {
	.root = "",
	.kernel_address = kernel_address,
	.function = function,
	.instruction = lookup__check_place,
	.kernel_instruction = kernel_instruction,
	.usdt = usdt,
	.kernel_functions = kernel_functions,
	.functions = functions,
};

struct perf_event_env resolve__by(struct lookup_reader *reader)
{
	struct perf_event_env env = resolve_env;

	env.reader_of_files = reader;
	return env;
}
