// SPDX-License-Identifier: BSD-2-Clause
/* Answers requests from kallsyms, the vdso and strangers' files, on the finder's thread. */
#include "sym/finder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/log.h"
#include "base/privileges.h"
#include "base/strtab.h"
#include "elf/binary.h"
#include "elf/vdso.h"
#include "sym/fetches.h"
#include "sym/kallsyms.h"
#include "sym/name_reader.h"
#include "sym/served.h"

struct finder {
	struct worker *worker;
	char *kallsyms_path;
	struct kallsyms *kallsyms; /* NULL before it is read and after an error */
	bool kallsyms_tried;
	int kallsyms_err;
	struct binary *vdso; /* of this machine: one for all 64-bit processes; or NULL */
	bool vdso_tried;
	struct file_opener *opener;
	struct jail *jail; /* NULL: files are read here */
	struct file_names_opts names;
	struct name_reader *_Atomic reader; /* NULL: none was needed yet */
	struct file_names *here;
	struct idmap told;	 /* files whose debug information there was no room for */
	struct fetches *fetches; /* NULL: no servers are asked; the same of .. */
	struct served *served;
};

struct find *find__new(enum find_kind kind, uint64_t at)
{
	struct find *f = calloc(1, sizeof(*f));

	if (f)
		*f = (struct find){ .kind = kind, .at = at, .mapped.fd = -1, .answer.fd = -1 };
	return f;
}

void find__free(struct find *f)
{
	if (!f)
		return;
	if (f->has_mapped)
		mapped_file__free(&f->mapped);
	if (f->answer.fd >= 0)
		close(f->answer.fd);
	file_answer__free(&f->answer);
	buf__free(&f->text);
	free(f->late);
	strtab__free(f->late_names);
	free(f);
}

static void free_job(struct job *job)
{
	find__free((struct find *)job);
}

/* The whole list at once: some 50 ms, seconds on an emulated machine. */
static int read_kallsyms(struct finder *x)
{
	int err;

	if (x->kallsyms_tried)
		return x->kallsyms_err;
	x->kallsyms_tried = true;
	err = kallsyms__open(&x->kallsyms, x->kallsyms_path);
	if (!err)
		err = kallsyms__read(x->kallsyms);
	if (err) {
		kallsyms__close(x->kallsyms);
		x->kallsyms = NULL;
	}
	x->kallsyms_err = err;
	return err;
}

static int find_kernel(struct finder *x, struct find *f)
{
	struct file_answer *a = &f->answer;
	struct ksym sym;
	size_t len;
	int err = read_kallsyms(x);

	if (err || !kallsyms__find(x->kallsyms, f->at, &sym))
		return err;
	a->named = true;
	len = strlen(sym.name) + 1;
	err = buf__put(&a->name, sym.name, len);
	if (!err)
		err = buf__puts(&a->name, sym.module);
	if (!err)
		f->module = a->name.data + len;
	return err;
}

static int find_in_vdso(struct finder *x, struct find *f)
{
	const void *image;
	size_t len;

	if (!x->vdso_tried) {
		x->vdso_tried = true;
		image = vdso__image(&len);
		if (image && binary__open_memory(&x->vdso, image, len))
			x->vdso = NULL;
	}
	file_names__ask_binary(x->here, x->vdso, f->at, &f->answer);
	return f->answer.err;
}

/*
 * Starts the reader, if there is none and can be one. 0; -ENOMEM; -ESHUTDOWN: nobody waits for
 * names any more.
 */
static int have_reader(struct finder *x)
{
	struct name_reader *r = NULL;
	int err;

	if (!x->jail || x->reader)
		return 0;
	err = name_reader__open(&r, x->jail, &name_reader_kind, &x->names, x->opener);
	x->reader = r;
	if (!err || err == -ENOMEM || err == -ESHUTDOWN)
		return err;
	log__notice("files are read for names by a process that is not confined, as none can be "
		    "here: %s",
		    strerror(-err));
	jail__leave(x->jail);
	x->jail = NULL;
	return 0;
}

/* Makes the file of a request known to whoever reads it. */
static int add_file(struct finder *x, struct find *f)
{
	const struct file_identity *is;
	int err;

	if (f->has_mapped) {
		f->has_mapped = false;
		err = file_opener__add(x->opener, f->file, &f->mapped);
		if (err)
			return err;
	}
	is = file_opener__identity(x->opener, f->file);
	if (x->jail || !is || file_names__knows(x->here, f->file))
		return is ? 0 : -ENOMEM;
	return file_names__add(x->here, f->file, is);
}

static bool is_for_files(const struct find *f)
{
	return f->kind == FIND_FILE || f->kind == FIND_OPEN || f->kind == FIND_JIT ||
	       f->kind == FIND_DUMP || f->kind == FIND_LIFE_END;
}

/* 1: *q is to be asked; 0: nothing is; -ENOMEM. */
static int question_of(struct finder *x, struct find *f, struct file_question *q)
{
	static const enum file_question_kind kinds[] = {
		[FIND_FILE] = NAME_IN_FILE,   [FIND_OPEN] = REOPEN_FILE,
		[FIND_JIT] = NAME_OF_CODE,    [FIND_DUMP] = DUMP_IS_THERE,
		[FIND_LIFE_END] = LIFE_ENDED,
	};
	int err;

	*q = (struct file_question){ kinds[f->kind], f->file, f->pid, f->life, f->at, f->vaddr };
	switch (f->kind) {
	case FIND_FILE:
	case FIND_OPEN:
		err = add_file(x, f);
		return err ? err : 1;
	case FIND_DUMP:
		return file_opener__dump(x->opener, f->pid, f->life, f->text.data);
	case FIND_LIFE_END:
		file_opener__end_life(x->opener, f->life);
		return 1;
	default:
		return 1;
	}
}

/* Once for each file. 0 or -ENOMEM. */
static int tell_of_no_room(struct finder *x, uint32_t file)
{
	const char *path = file_opener__path(x->opener, file);
	uint32_t seen;

	if (idmap__get(&x->told, file, &seen))
		return 0;
	log__notice("%s: functions inlined in it, and lines, are not known: its debug information "
		    "cannot be unpacked in the memory that there is for that (objcopy "
		    "--decompress-debug-sections helps)",
		    path ? path : "a file");
	return idmap__set(&x->told, file, 1);
}

/* An answer that has to be asked for again is not for whoever asked. */
static int look_at_answer(struct finder *x, struct find *f)
{
	int err = f->answer.no_debug_room ? tell_of_no_room(x, f->file) : 0;

	if (err)
		return err;
	if (f->answer.err != -EAGAIN)
		return f->answer.err;
	served__put_off(x->served, f->file, &f->job);
	return 0;
}

static bool has_to_wait(const struct finder *x, const struct find *f)
{
	return f->kind == FIND_FILE && file_opener__waits(x->opener, f->file);
}

static void find_here(struct finder *x, struct find *f)
{
	struct file_question q;
	int err = question_of(x, f, &q);

	if (err == 1) {
		file_names__ask(x->here, &q, &f->answer);
		err = look_at_answer(x, f);
	}
	f->err = err;
}

/* Those of @jobs that files are to answer: as many as there are in a row. */
static size_t find_in_files(struct finder *x, struct job *const *jobs, size_t nr)
{
	struct file_asked asked[WORKER_BATCH];
	struct find *of[WORKER_BATCH];
	size_t nr_asked = 0, i;
	int err = is_for_files((struct find *)*jobs) ? have_reader(x) : 0;

	if (err) {
		((struct find *)*jobs)->err = err;
		return 1;
	}
	for (i = 0; i < nr && is_for_files((struct find *)jobs[i]); i++) {
		struct find *f = (struct find *)jobs[i];

		if (has_to_wait(x, f)) {
			served__put_off(x->served, f->file, &f->job);
			continue;
		}
		if (!x->jail) {
			find_here(x, f);
			continue;
		}
		err = question_of(x, f, &asked[nr_asked].q);
		asked[nr_asked].a = &f->answer;
		of[nr_asked] = f;
		nr_asked += err == 1;
		f->err = err < 0 ? err : 0;
	}
	if (nr_asked)
		name_reader__ask(x->reader, asked, nr_asked);
	for (size_t k = 0; k < nr_asked; k++)
		of[k]->err = look_at_answer(x, of[k]);
	return i;
}

static void ask_files(struct finder *x, const struct file_asked *asked, size_t nr)
{
	if (x->jail) {
		name_reader__ask(x->reader, asked, nr);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		file_names__ask(x->here, &asked[i].q, asked[i].a);
}

static int put_late(struct find *f, const struct file_answer *a, struct late_addr *to)
{
	to->name = 0;
	if (a->err || !a->named)
		return a->err;
	return strtab__add(f->late_names, a->name.data, strlen(a->name.data), &to->name);
}

/* One batch of addresses, in what has been read. */
static int find_late_batch(struct finder *x, struct find *f, size_t first, size_t nr)
{
	struct file_answer answers[WORKER_BATCH] = {};
	struct file_asked asked[WORKER_BATCH];
	int err = 0;

	for (size_t i = 0; i < nr; i++) {
		const uint64_t at = f->late[first + i].at;

		answers[i].fd = -1;
		asked[i] = (struct file_asked){ { NAME_OF_READ_CODE, 0, f->pid, f->life, at, 0 },
						&answers[i] };
	}
	ask_files(x, asked, nr);
	for (size_t i = 0; i < nr; i++) {
		if (!err)
			err = put_late(f, &answers[i], &f->late[first + i]);
		file_answer__free(&answers[i]);
	}
	return err;
}

static int find_late(struct finder *x, struct find *f)
{
	const struct file_asked read_on = { { READ_CODE_ON, 0, f->pid, f->life, 0, 0 },
					    &f->answer };
	int err = have_reader(x);

	f->late_names = strtab__new();
	if (!f->late_names)
		return -ENOMEM;
	if (!err && !f->is_over) {
		ask_files(x, &read_on, 1);
		err = f->answer.err;
	}
	for (size_t i = 0; i < f->nr_late && !err; i += WORKER_BATCH)
		err = find_late_batch(
			x, f, i, f->nr_late - i < WORKER_BATCH ? f->nr_late - i : WORKER_BATCH);
	return err;
}

static void find_alone(struct finder *x, struct find *f)
{
	switch (f->kind) {
	case FIND_KERNEL:
		f->err = find_kernel(x, f);
		break;
	case FIND_VDSO:
		f->err = find_in_vdso(x, f);
		break;
	case FIND_LATE:
		f->err = find_late(x, f);
		break;
	case FIND_KSYMBOL:
		/* Before the list is read it is not needed: the list will have it. */
		if (x->kallsyms)
			f->err = kallsyms__add(x->kallsyms, f->at, f->len, f->text.data);
		break;
	case FIND_FETCHED:
		served__go_on(x->served, x->worker);
		break;
	default:
		break;
	}
}

/*
 * What is asked of files comes behind all else, by file and address: neighbours are read in one go.
 * The first one of a file, which has it with it, stays the first.
 */
static int compare_places(const struct job *a, const struct job *b)
{
	const struct find *x = (const struct find *)a, *y = (const struct find *)b;
	const bool in_x = x->kind == FIND_FILE || x->kind == FIND_OPEN;
	const bool in_y = y->kind == FIND_FILE || y->kind == FIND_OPEN;

	if (!in_x || !in_y)
		return in_x - in_y;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->has_mapped != y->has_mapped)
		return y->has_mapped - x->has_mapped;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void run(void *owner, struct job *const *jobs, size_t nr)
{
	struct finder *x = owner;
	struct file_gaps gaps;
	size_t done = 0;

	while (done < nr) {
		done += find_in_files(x, jobs + done, nr - done);
		if (done < nr)
			find_alone(x, (struct find *)jobs[done++]);
	}
	if (x->jail && x->reader)
		name_reader__gaps(x->reader, &gaps);
	else
		file_names__gaps(x->here, &gaps);
	for (size_t i = 0; i < nr; i++)
		((struct find *)jobs[i])->gaps = gaps;
}

static void end(void *owner)
{
	struct finder *x = owner;

	name_reader__close(x->reader);
	jail__leave(x->jail);
	file_names__free(x->here);
	file_opener__free(x->opener);
	served__free(x->served, free_job);
	fetches__close(x->fetches);
	binary__close(x->vdso);
	kallsyms__close(x->kallsyms);
	idmap__free(&x->told);
	free(x->kallsyms_path);
	free(x);
}

/* Debug information takes addresses by the gigabyte: not where they are limited. */
static bool has_addresses(void)
{
	struct rlimit space;

	return !getrlimit(RLIMIT_AS, &space) && space.rlim_cur == RLIM_INFINITY;
}

static int open_files(struct finder *x, const struct finder_opts *opts)
{
	struct file_source source;

	x->names = (struct file_names_opts){
		.demangle = opts->demangle,
		.inlines = opts->inlines && has_addresses(),
		.lines = opts->lines && has_addresses(),
		.places = opts->places && has_addresses(),
		.no_symbols = opts->no_symbols,
		.trusted_only = true,
		.symbol_bytes = opts->symbol_bytes,
	};
	x->jail = jail__hold(opts->jail);
	x->opener = file_opener__new(opts->proc_root);
	if (!x->opener)
		return -ENOMEM;
	source = file_opener__source(x->opener);
	x->here = file_names__new(&x->names, &source);
	return x->here ? 0 : -ENOMEM;
}

/* On the thread that fetches. Without memory the next one tells of it. */
static void tell_fetched(void *arg)
{
	struct finder *x = arg;
	struct find *f = find__new(FIND_FETCHED, 0);

	if (f)
		worker__give(x->worker, &f->job);
}

static int ask_servers(struct finder *x, struct debuginfod *from)
{
	const struct fetches_opts opts = { .from = from, .told = tell_fetched, .arg = x };
	int err = fetches__open(&x->fetches, &opts);

	if (err)
		return err;
	x->served = served__new(x->fetches);
	if (!x->served)
		return -ENOMEM;
	file_opener__ask_servers(x->opener, x->served);
	return 0;
}

int finder__open(struct finder **out, struct worker **worker, const struct finder_opts *opts)
{
	struct finder *x = calloc(1, sizeof(*x));
	const struct worker_opts work = { .run_all = run,
					  .compare = compare_places,
					  .free = free_job,
					  .end = end,
					  .owner = x,
					  .privileges = PRIVILEGES_SYMBOLS };
	int err;

	*out = NULL;
	*worker = NULL;
	if (!x)
		return -ENOMEM;
	x->kallsyms_path = strdup(opts->kallsyms);
	err = x->kallsyms_path ? open_files(x, opts) : -ENOMEM;
	if (!err && opts->debuginfod)
		err = ask_servers(x, opts->debuginfod);
	if (!err)
		err = worker__open(worker, &work);
	if (err) {
		end(x);
		return err;
	}
	x->worker = *worker;
	*out = x;
	return 0;
}

uint64_t finder__readers_ns(const struct finder *x)
{
	const struct name_reader *r = x->reader;

	return r ? name_reader__cpu_ns(r) : 0;
}
