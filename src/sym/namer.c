// SPDX-License-Identifier: BSD-2-Clause
/* Asks the finder about new addresses, and remembers the frames of those that were found. */
#include "sym/namer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

#include "base/clock.h"
#include "sym/namer_state.h"
#include "sym/procs_maps.h"
#include "sym/source_lines.h"

/* Least time between two looks at a caller's mapping. */
static const uint64_t OF_CALLERS_NS = 5000000000;

/* Ids in by_binary and vdso: the frame's number, below 2^29, and its enum outermost above. */
enum { OUTERMOST_SHIFT = 29, FRAME_MASK = (1u << OUTERMOST_SHIFT) - 1 };

static void forget_made(struct namer *n)
{
	n->made_from = UINT64_MAX;
	n->made_to = 0;
}

int namer__open(struct namer **out, struct procs *procs, struct mapped_files *files,
		const struct namer_opts *opts)
{
	const struct finder_opts finder = {
		.demangle = opts->demangle,
		.inlines = opts->inlines,
		.lines = opts->lines,
		.places = opts->places,
		.no_symbols = opts->no_symbols,
		.debuginfod = opts->debuginfod,
		.kallsyms = opts->kallsyms,
		.proc_root = procs__root(procs),
		.symbol_bytes = opts->symbol_bytes,
		.jail = opts->jail,
	};
	struct namer *n = calloc(1, sizeof(*n));
	int err;

	*out = NULL;
	if (!n)
		return -ENOMEM;
	n->procs = procs;
	n->files = files;
	n->places = opts->places;
	n->gather_ns = opts->gather_ns;
	forget_made(n);
	err = frames__reset(&n->frames);
	if (!err && opts->late_max) {
		n->late = late__new(opts->late_max);
		err = n->late ? 0 : -ENOMEM;
	}
	if (!err)
		err = finder__open(&n->finds, &n->finder, &finder);
	if (err) {
		namer__close(n);
		return err;
	}
	procs__on_end(procs, namer_jit__end_life, n);
	*out = n;
	return 0;
}

void namer__close(struct namer *n)
{
	if (!n)
		return;
	procs__on_end(n->procs, NULL, NULL);
	worker__close(n->finder);
	late__free(n->late);
	frames__free(&n->frames);
	idmap__free(&n->kernel);
	for (size_t i = 0; i < n->nr_by_binary; i++)
		idmap__free(&n->by_binary[i]);
	free(n->by_binary);
	idmap__free(&n->vdso);
	while (n->nr_opened)
		if (n->opened[--n->nr_opened].fd >= 0)
			close(n->opened[n->nr_opened].fd);
	free(n->opened);
	free(n);
}

int namer__kernel_error(const struct namer *n)
{
	return n->kallsyms_err;
}

/* Memory of programs that have gone is used again. */
static void forget_replaced(struct namer *n, uint64_t addr, uint32_t len)
{
	if (n->made_from > n->made_to || addr > n->made_to ||
	    (addr < n->made_from && n->made_from - addr >= len))
		return;
	idmap__clear(&n->kernel);
	forget_made(n);
	n->kernel_era++;
}

unsigned namer__kernel_era(const struct namer *n)
{
	return n->kernel_era;
}

int namer__kernel_added(struct namer *n, uint64_t addr, uint32_t len, const char *name)
{
	struct find *f;
	int err;

	if (!n->kernel_asked)
		return 0;
	forget_replaced(n, addr, len);
	f = find__new(FIND_KSYMBOL, addr);
	err = f ? buf__puts(&f->text, name) : -ENOMEM;
	if (err) {
		find__free(f);
		return err;
	}
	f->len = len;
	worker__give(n->finder, &f->job);
	return 0;
}

int namer__open_file(struct namer *n, uint32_t file)
{
	struct find *f = find__new(FIND_OPEN, 0);
	int err;

	if (!f)
		return -ENOMEM;
	f->file = file;
	err = mapped_files__give(n->files, file, &f->mapped);
	f->has_mapped = err > 0;
	if (err < 0) {
		find__free(f);
		return err;
	}
	namer__ask(n, f);
	return 0;
}

bool namer__opened(struct namer *n, uint32_t *file, int *fd)
{
	if (!n->nr_opened)
		return false;
	*file = n->opened[--n->nr_opened].file;
	*fd = n->opened[n->nr_opened].fd;
	return true;
}

static int take_opened(struct namer *n, struct find *f)
{
	int err = array__grow(&n->opened, &n->cap_opened, n->nr_opened + 1);

	if (err)
		return err;
	n->opened[n->nr_opened++] = (struct opened_file){ f->file, f->answer.fd };
	f->answer.fd = -1;
	return 0;
}

int namer__read_kernel(struct namer *n)
{
	struct sym_frame *none;
	int err = namer__kernel(n, 0, false, &none);

	return err == -EAGAIN ? 0 : err;
}

/* What was asked for has no frame yet: -EAGAIN, or the one of an address without a name. */
static int not_yet(struct namer *n, const char *module, uint64_t at, enum sym_kind kind,
		   uint32_t *id)
{
	if (!n->hurries)
		return -EAGAIN;
	n->nr_hurried++;
	n->nr_changes++;
	return frames__add_address(&n->frames, module, at, kind, id);
}

static int ask_kernel(struct namer *n, uint64_t at)
{
	const bool first = !n->kernel.nr; /* for which the list is read */
	struct find *f;
	int err;

	if (!namer__may_ask(n))
		return 0;
	f = find__new(FIND_KERNEL, at);
	err = f ? idmap__set(&n->kernel, at, FRAME_ASKED) : -ENOMEM;
	if (err) {
		find__free(f);
		return err;
	}
	if (first)
		namer__ask(n, f);
	else
		namer__ask_later(n, f);
	return 0;
}

int namer__kernel(struct namer *n, uint64_t addr, bool caller, struct sym_frame **out)
{
	uint64_t at = addr - caller;
	uint32_t id;
	int err = 0;

	n->kernel_asked = true;
	if (!idmap__get(&n->kernel, at, &id)) {
		err = ask_kernel(n, at);
		id = FRAME_ASKED;
	}
	if (!err && id == FRAME_ASKED)
		err = not_yet(n, "kernel", at, SYM_KERNEL, &id);
	if (!err)
		*out = &n->frames.items[id];
	return err;
}

static int idmap_of(struct namer *n, uint32_t binary, struct idmap **out)
{
	if (binary >= n->nr_by_binary) {
		int err = array__grow(&n->by_binary, &n->cap_by_binary, binary + 1);

		if (err)
			return err;
		memset(&n->by_binary[n->nr_by_binary], 0,
		       (binary + 1 - n->nr_by_binary) * sizeof(*n->by_binary));
		n->nr_by_binary = binary + 1;
	}
	*out = &n->by_binary[binary];
	return 0;
}

/*
 * @binary: NULL: in the vdso. Remembered by the offset in the file, whatever process maps it. The
 * first question opens its debug file, by the root of that process, which may be gone soon.
 */
static int ask_file(struct namer *n, struct idmap *known, const uint32_t *binary, uint64_t offset)
{
	const bool first = !known->nr;
	struct find *f;
	int err;

	if (!namer__may_ask(n))
		return 0;
	f = find__new(binary ? FIND_FILE : FIND_VDSO, offset);
	err = f ? idmap__set(known, offset, FRAME_ASKED) : -ENOMEM;
	if (!err && binary) {
		f->file = *binary;
		err = mapped_files__give(n->files, *binary, &f->mapped);
		f->has_mapped = err > 0;
	}
	if (err < 0) {
		find__free(f);
		return err;
	}
	if (first)
		namer__ask(n, f);
	else
		namer__ask_later(n, f);
	return 0;
}

static int name_in_file(struct namer *n, const uint32_t *binary, uint64_t offset, uint32_t *id)
{
	const char *module = binary ? mapped_files__name(n->files, *binary) : "[vdso]";
	struct idmap *known = &n->vdso;
	int err = binary ? idmap_of(n, *binary, &known) : 0;

	if (!err && !idmap__get(known, offset, id)) {
		err = ask_file(n, known, binary, offset);
		*id = FRAME_ASKED;
	}
	if (err || *id != FRAME_ASKED)
		return err;
	return not_yet(n, module, offset, SYM_USER, id);
}

/*
 * A record of the mapping was lost, or there is none (mremap): the process itself is asked. Of
 * callers rarely, and not of one that lives for a moment only: most of these are no return
 * addresses, but what code without frame pointers had in their place.
 */
static int look_again(struct namer *n, struct proc *proc, bool caller)
{
	uint64_t now_ns = clock__now_ns();

	if (caller && now_ns - proc->start_ns < OF_CALLERS_NS)
		return 0;
	return procs__reread(n->procs, proc, now_ns, caller ? OF_CALLERS_NS : NAMER_AGAIN_NS);
}

/*
 * In the middle of an exec the registers of user space are still the old program's, but all else is
 * new: such an address means the life before. The last code that the kernel maps before it sets
 * them is the vdso, and the first of the program's own comes with them (fs/binfmt_elf.c).
 */
static bool is_in_exec(const struct proc *proc, uint64_t time_ns)
{
	static const uint64_t BEHIND_VDSO_NS = 1000000;
	uint64_t vdso_ns;

	if (!proc->older || proc->older->end_ns != proc->start_ns)
		return false;
	return !space__vdso_ns(proc->space, &vdso_ns) || time_ns < vdso_ns + BEHIND_VDSO_NS;
}

int namer__user(struct namer *n, struct proc *proc, uint64_t time_ns, uint64_t addr, bool caller,
		struct sym_frame **out, enum outermost *what)
{
	uint64_t at = addr - caller;
	const struct mapping *m = space__find(proc->space, at, time_ns);
	uint32_t id = n->frames.unknown;
	int err = 0;

	if (!m && !caller && is_in_exec(proc, time_ns))
		m = space__find(proc->older->space, at, time_ns);
	if (!m) {
		err = look_again(n, proc, caller);
		if (err)
			return err;
		m = space__find(proc->space, at, time_ns);
		if (!m && !proc__is_read(proc)) {
			if (!n->hurries)
				return -EAGAIN;
			n->nr_hurried++;
		}
	}
	if (m) {
		switch (m->kind) {
		case MAPPING_FILE:
			err = name_in_file(n, &m->binary, at - m->start + m->offset, &id);
			break;
		case MAPPING_VDSO:
			err = name_in_file(n, NULL, at - m->start, &id);
			break;
		case MAPPING_VSYSCALL:
			err = frames__add_address(&n->frames, "[vsyscall]", at - m->start, SYM_USER,
						  &id);
			break;
		case MAPPING_ANON:
			err = namer_jit__name(n, proc, m->start, at, &id);
			break;
		}
	}
	if (err)
		return err;
	*out = &n->frames.items[id & FRAME_MASK];
	*what = id >> OUTERMOST_SHIFT;
	return 0;
}

/*
 * The frame of what was found in @at, a place whose source is not known so far. *lines, *left: the
 * next one of answer.lines.
 */
static int put_at(struct namer *n, struct sym_place at, const char **lines, size_t *left,
		  uint32_t *id)
{
	struct source_line line = { "", 0, 0, 0 };

	if (!n->places)
		return 0;
	(void)source_lines__take(lines, left, &line);
	at.source = line.path;
	at.line = line.line;
	at.start_line = line.start_line;
	return frames__add_place(&n->frames, &at, line.path_len, id);
}

/* The function, and those inlined into it: *id becomes the frame of the innermost. */
static int add_found_in_file(struct namer *n, const struct find *f, const char *module,
			     const struct sym_place *at, uint32_t *id)
{
	const char *name = f->answer.inlined.data, *lines = f->answer.lines.data;
	size_t left = f->answer.lines.len;
	int err = namer__add_found(n, f, module, SYM_USER, f->answer.vaddr, id);

	if (!err)
		err = put_at(n, *at, &lines, &left, id);
	for (size_t i = 0; i < f->answer.nr_inlined && !err; i++, name += strlen(name) + 1) {
		err = frames__add_inlined(&n->frames, name, *id, id);
		if (!err)
			err = put_at(n, *at, &lines, &left, id);
	}
	return err;
}

struct sym_frame *namer__around(struct namer *n, const struct sym_frame *frame)
{
	return frame->around == FRAME_NOT_INLINED ? NULL : &n->frames.items[frame->around];
}

const struct sym_place *namer__place(const struct namer *n, const struct sym_frame *frame)
{
	return frame->place ? &n->frames.places[frame->place - 1] : NULL;
}

static void note_made(struct namer *n, uint64_t addr)
{
	if (addr < n->made_from)
		n->made_from = addr;
	if (addr > n->made_to)
		n->made_to = addr;
}

static int take_kernel(struct namer *n, const struct find *f)
{
	const struct sym_place at = { PLACE_IN_KERNEL, f->at, f->at, "", 0, 0 };
	const char *lines = NULL;
	size_t left = 0;
	uint32_t id;
	int err = namer__add_found(n, f, f->answer.named ? f->module : "kernel", SYM_KERNEL, f->at,
				   &id);

	if (f->err)
		n->kallsyms_err = f->err;
	if (!f->answer.named || !strcmp(f->module, "bpf"))
		note_made(n, f->at);
	if (!err)
		err = put_at(n, at, &lines, &left, &id);
	return err ? err : idmap__set(&n->kernel, f->at, id);
}

static int take_file(struct namer *n, const struct find *f, const uint32_t *binary)
{
	const char *module = binary ? mapped_files__name(n->files, *binary) : "[vdso]";
	const struct sym_place at = {
		binary ? *binary : PLACE_IN_VDSO, f->answer.vaddr, f->at, "", 0, 0
	};
	struct idmap *known = &n->vdso;
	int err = binary ? idmap_of(n, *binary, &known) : 0;
	uint32_t id;

	if (!err)
		err = add_found_in_file(n, f, module, &at, &id);
	if (!err && binary && n->places)
		mapped_files__tell_build_id(n->files, *binary, f->answer.build_id,
					    f->answer.build_id_len);
	return err ? err
		   : idmap__set(known, f->at, id | (uint32_t)f->answer.what << OUTERMOST_SHIFT);
}

static int take(struct namer *n, struct find *f)
{
	switch (f->kind) {
	case FIND_KERNEL:
		return f->err == -ENOMEM ? f->err : take_kernel(n, f);
	case FIND_FILE:
		return f->err ? f->err : take_file(n, f, &f->file);
	case FIND_VDSO:
		return f->err ? f->err : take_file(n, f, NULL);
	case FIND_JIT:
		return f->err ? f->err : namer_jit__take(n, f);
	case FIND_LATE:
		return f->err ? f->err : namer_jit__take_late(n, f);
	case FIND_OPEN:
		return f->err ? f->err : take_opened(n, f);
	case FIND_KSYMBOL:
	case FIND_DUMP:
	case FIND_LIFE_END:
	case FIND_FETCHED:
		return f->err;
	}
	return 0;
}

static void hasten_gathered(struct namer *n)
{
	if (!n->later_ns || clock__now_ns() - n->later_ns < n->gather_ns)
		return;
	worker__hasten(n->finder);
	n->later_ns = 0;
}

int namer__take(struct namer *n, size_t *nr)
{
	struct job *job;
	int err = 0;

	*nr = 0;
	worker__log(n->finder);
	hasten_gathered(n);
	while (!err && (job = worker__take(n->finder))) {
		struct find *f = (struct find *)job;
		bool asked = f->kind < FIND_KSYMBOL;

		n->nr_asked -= asked;
		n->nr_changes += asked;
		n->gaps = f->gaps;
		*nr += asked;
		err = take(n, f);
		find__free(f);
	}
	return err;
}

bool namer__wait(struct namer *n, uint64_t until_ns)
{
	n->later_ns = 0;
	return worker__wait(n->finder, until_ns);
}

uint64_t namer__cpu_ns(const struct namer *n)
{
	return worker__cpu_ns(n->finder) + finder__readers_ns(n->finds);
}

size_t namer__nr_asked(const struct namer *n)
{
	return n->nr_asked;
}

int namer__fd(const struct namer *n)
{
	return worker__fd(n->finder);
}

void namer__hurry(struct namer *n, bool on)
{
	n->hurries = on;
}

uint64_t namer__nr_maps_cut(const struct namer *n)
{
	return n->gaps.nr_maps_cut;
}

uint64_t namer__nr_dumps_cut(const struct namer *n)
{
	return n->gaps.nr_dumps_cut;
}

uint64_t namer__nr_unread(const struct namer *n)
{
	return n->gaps.nr_unread;
}

uint64_t namer__nr_unstored(const struct namer *n)
{
	return n->gaps.nr_unstored;
}

uint64_t namer__nr_hurried(const struct namer *n)
{
	return n->nr_hurried;
}

void namer__forget_cookies(struct namer *n)
{
	frames__forget_cookies(&n->frames);
}

int namer__forget(struct namer *n)
{
	idmap__free(&n->kernel);
	forget_made(n);
	idmap__free(&n->vdso);
	for (size_t i = 0; i < n->nr_by_binary; i++)
		idmap__free(&n->by_binary[i]);
	procs__forget_names(n->procs);
	n->era++;
	return frames__reset(&n->frames);
}

size_t namer__nr_names(const struct namer *n)
{
	size_t nr = n->kernel.nr + n->vdso.nr + n->frames.nr;

	for (size_t i = 0; i < n->nr_by_binary; i++)
		nr += n->by_binary[i].nr;
	return nr;
}

uint64_t namer__nr_changes(const struct namer *n)
{
	return n->nr_changes;
}

size_t namer__bytes(const struct namer *n)
{
	size_t bytes = frames__bytes(&n->frames) + procs__name_bytes(n->procs) +
		       idmap__bytes(&n->kernel, n->kernel.nr) + idmap__bytes(&n->vdso, n->vdso.nr);

	for (size_t i = 0; i < n->nr_by_binary; i++)
		bytes += idmap__bytes(&n->by_binary[i], n->by_binary[i].nr);
	return bytes;
}
