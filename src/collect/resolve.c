// SPDX-License-Identifier: BSD-2-Clause
/* Asks the finder of sym/ about each address, and puts frames of its answers in their place. */
#include "collect/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "sym/finder.h"
#include "sym/source_lines.h"

enum { ASKED_AT_ONCE = 4096 };

struct resolver {
	const struct profile *p;
	struct profile *out;
	const struct resolve_opts *o;
	struct resolve_found *found;
	struct finder *finder;
	struct worker *worker;
	struct tuples files; /* path and build-id -> number of the file */
	struct frame_chain *chains;
	uint32_t *ids;
	size_t nr_ids, cap_ids;
};

static bool is_nameless(const struct profile *p, uint32_t frame)
{
	return *profile__name(p, frame) == '[';
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Up to BUILD_ID_BYTES. False: it is none. */
static bool take_build_id(const char *hex, struct file_identity *is)
{
	const size_t len = strlen(hex);

	if (!len || len % 2 || len > 2 * BUILD_ID_BYTES)
		return false;
	for (size_t i = 0; i < len; i += 2) {
		const int high = hex_digit(hex[i]), low = hex_digit(hex[i + 1]);

		if (high < 0 || low < 0)
			return false;
		is->build_id[i / 2] = high << 4 | low;
	}
	is->build_id_len = len / 2;
	return true;
}

/* Is it code in a file that can be found again? */
static bool has_file(const struct profile *p, uint32_t frame, struct code_place *at,
		     struct file_identity *is)
{
	*is = (struct file_identity){ .owner = FILE_OWNER_UNKNOWN };
	return p->frames[frame].kind == FRAME_USER && profile__place_of(p, frame, at) &&
	       *strtab__get(p->strings, at->path) == '/' &&
	       take_build_id(strtab__get(p->strings, at->build_id), is);
}

/* The file as one that this process maps: its own root is where paths begin. */
static int describe(const struct resolver *r, const struct code_place *at,
		    const struct file_identity *is, struct mapped_file *out)
{
	const char *symfs = r->o->symfs ? r->o->symfs : "";
	char *path;

	if (asprintf(&path, "%s%s", symfs, strtab__get(r->p->strings, at->path)) < 0)
		return -ENOMEM;
	*out = (struct mapped_file){
		.path = path, .identity = *is, .pid = getpid(), .fd = -1, .debug_root = symfs
	};
	return 0;
}

static int ask(struct resolver *r, uint32_t frame, const struct code_place *at,
	       const struct file_identity *is)
{
	const uint64_t key = (uint64_t)at->path << 32 | at->build_id;
	const size_t nr = r->files.nr;
	struct find *f = find__new(FIND_FILE, at->offset);
	int err = f ? tuples__add(&r->files, &key, &f->file) : -ENOMEM;

	if (!err && r->files.nr > nr) {
		err = describe(r, at, is, &f->mapped);
		f->has_mapped = !err;
	}
	if (err) {
		find__free(f);
		return err;
	}
	f->tag = frame;
	f->vaddr = at->addr;
	worker__give(r->worker, &f->job);
	return 0;
}

/* A string of the profile that was. */
static int copy_string(struct resolver *r, uint32_t string, uint32_t *id)
{
	return profile__string(r->out, strtab__get(r->p->strings, string),
			       strtab__len(r->p->strings, string), id);
}

/* One more frame of the chain. *lines, *left: its line comes next. */
static int add_frame(struct resolver *r, const struct find *f, const char *name,
		     enum frame_kind kind, const char **lines, size_t *left)
{
	struct source_line line = { "", 0, 0, 0 };
	struct frame frame = { .kind = kind };
	struct code_place at;
	int err = profile__string(r->out, name, strlen(name), &frame.name);

	(void)source_lines__take(lines, left, &line);
	(void)profile__place_of(r->p, f->tag, &at);
	at.addr = f->answer.vaddr;
	at.line = line.line;
	at.start_line = line.start_line;
	if (!err)
		err = profile__string(r->out, line.path, line.path_len, &at.source);
	if (!err)
		err = copy_string(r, at.path, &at.path);
	if (!err)
		err = copy_string(r, at.build_id, &at.build_id);
	if (!err)
		err = copy_string(r, r->p->frames[f->tag].module, &frame.module);
	if (!err)
		err = profile__place(r->out, &at, &frame.place);
	if (!err)
		err = array__grow(&r->ids, &r->cap_ids, r->nr_ids + 1);
	if (!err)
		err = profile__frame(r->out, &frame, &r->ids[r->nr_ids]);
	r->nr_ids += !err;
	return err;
}

static int take_answer(struct resolver *r, const struct find *f)
{
	struct frame_chain *chain = &r->chains[f->tag];
	const char *lines = f->answer.lines.data, *name = f->answer.inlined.data;
	size_t left = f->answer.lines.len;
	int err;

	if (!f->answer.named)
		return 0;
	r->found->nr_named += is_nameless(r->p, f->tag);
	chain->first = r->nr_ids;
	err = add_frame(r, f, f->answer.name.data, FRAME_USER, &lines, &left);
	for (size_t i = 0; i < f->answer.nr_inlined && !err; i++, name += strlen(name) + 1)
		err = add_frame(r, f, name, FRAME_INLINED, &lines, &left);
	chain->nr = r->nr_ids - chain->first;
	return err;
}

/* All that was asked is answered: debug files may be on their way. */
static int take_answers(struct resolver *r)
{
	struct job *job;
	int err = 0;

	(void)worker__wait(r->worker, UINT64_MAX);
	worker__log(r->worker);
	while (!err && (job = worker__take(r->worker))) {
		struct find *f = (struct find *)job;

		err = f->err;
		if (!err && f->kind == FIND_FILE)
			err = take_answer(r, f);
		find__free(f);
	}
	return err;
}

static int ask_all(struct resolver *r)
{
	struct file_identity is;
	struct code_place at;
	size_t nr = 0;
	int err = 0;

	for (uint32_t i = 0; i < r->p->nr_frames && !err; i++) {
		if (r->p->frames[i].kind != FRAME_USER || !r->p->frames[i].place)
			continue;
		r->found->nr_frames++;
		r->found->nr_nameless += is_nameless(r->p, i);
		if (!has_file(r->p, i, &at, &is)) {
			r->found->nr_untold++;
			continue;
		}
		err = ask(r, i, &at, &is);
		if (!err && ++nr % ASKED_AT_ONCE == 0)
			err = take_answers(r);
	}
	return err ? err : take_answers(r);
}

int resolve__names(struct profile **out, const struct profile *p, const struct resolve_opts *o,
		   struct resolve_found *found)
{
	const struct finder_opts opts = { .demangle = o->demangle,
					  .inlines = o->inlines,
					  .places = true,
					  .jail = o->jail,
					  .debuginfod = o->debuginfod,
					  .kallsyms = "/dev/null",
					  .proc_root = "/proc" };
	struct resolver r = { .p = p, .o = o, .found = found, .files = { .width = 1 } };
	int err = -ENOMEM;

	*found = (struct resolve_found){};
	r.chains = calloc(p->nr_frames + 1, sizeof(*r.chains));
	r.out = profile__like(p);
	if (r.chains && r.out)
		err = finder__open(&r.finder, &r.worker, &opts);
	if (!err)
		err = ask_all(&r);
	if (!err)
		err = profile__merge_renamed(r.out, p, r.chains, r.ids);
	worker__close(r.worker);
	tuples__free(&r.files);
	free(r.chains);
	free(r.ids);
	if (err) {
		profile__free(r.out);
		r.out = NULL;
	}
	*out = r.out;
	return err;
}
