// SPDX-License-Identifier: BSD-2-Clause
/*
 * An interval of a recording, and the head of one. CRCs would stop nearly all that is not a
 * recording, and deflate what is behind them: the bytes are the data, and are packed here.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../unit/tape_bytes.h"
#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "columns/column_defs.h"
#include "columns/columns.h"
#include "model/functions.h"
#include "model/profile.h"
#include "model/tree.h"
#include "print/top_csv.h"
#include "print/top_json.h"
#include "print/top_table.h"
#include "tape/liveread.h"
#include "tape/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check_text(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			abort();
	return 0;
}

static void check_valid(const char *s)
{
	struct buf valid = {};

	if (utf8__put_valid(&valid, s, strlen(s)) || strcmp(valid.data ? valid.data : "", s))
		abort();
	buf__free(&valid);
}

static int check_process(void *arg, const struct process *one)
{
	if (one->comm[LIVE_COMM - 1])
		abort();
	return check_text(one->command);
}

static int check_user(void *arg, const struct process_user *one)
{
	return check_text(one->name);
}

static int check_cgroup(void *arg, const struct process_cgroup *one)
{
	return check_text(one->path) + check_text(one->name);
}

/* What top -b does with it: a column for each event. */
static void choose_columns(struct columns *c, const struct live_about *about)
{
	struct column_defs *defs = column_defs__new();
	struct buf why = {};

	if (!defs ||
	    columns__choose(c, defs, "default", about->events, about->nr_events, true, &why))
		abort();
	for (size_t i = 0; i < about->nr_events; i++)
		if (columns__add_event(c, about->events, i))
			abort();
	if (columns__explain(c, about))
		abort();
	column_defs__free(defs);
	buf__free(&why);
}

static void print(const struct top_page *page)
{
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!null || print__top_table(null, page) || print__top_json(null, page) ||
	    print__top_csv(null, page, true))
		abort();
}

static void check(const struct live *l, const struct processes *p)
{
	const struct process_visitor v = { check_process, check_user, check_cgroup, NULL };
	const struct live_about *about = live__interval(l);
	struct columns columns = {};
	struct live_rows rows = {};
	struct top_page page = {
		.live = l,
		.columns = &columns,
		.rows = &rows,
		.max_rows = 40,
		.processes = p,
		.full = true,
	};

	choose_columns(&columns, about);
	for (enum live_by by = LIVE_PROCESSES; by <= LIVE_CPUS; by++) {
		if (live__rows(l, by, &rows) || rows.nr > LIVEREAD_CPUS_MAX + live__nr_tasks(l))
			abort();
		live_rows__sort(&rows, 0, false);
		page.by = by;
		print(&page);
	}
	columns__free(&columns);
	live_rows__free(&rows);
	check_text(about->host);
	check_text(about->kernel);
	for (size_t i = 0; i < about->nr_events; i++)
		check_text(about->events[i].name);
	for (unsigned i = 0; i < about->losses.nr; i++)
		check_text(about->losses.by[i].text);
	if (processes__each(p, 0, &v))
		abort();
}

/* All that the views are made of. Frees them. */
static void check_samples(struct profile *p)
{
	uint32_t frames[LIVEREAD_DEPTH_MAX];
	uint64_t sum[LIVEREAD_EVENTS_SAMPLED_MAX] = {};

	for (size_t i = 0; p && i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];
		size_t depth = profile__stack(p, r->key.stack, frames, LIVEREAD_DEPTH_MAX);

		if (!depth || depth > LIVEREAD_DEPTH_MAX || p->frames[frames[0]].kind != FRAME_COMM)
			abort();
		check_valid(strtab__get(p->strings, r->key.cgroup));
		for (size_t k = 0; k < depth; k++)
			check_valid(profile__name(p, frames[k]));
		sum[r->key.event] += r->samples;
	}
	for (size_t i = 0; p && i < p->nr_events; i++) {
		const struct tree_opts opts = { .event = i };
		struct functions *functions;
		struct tree *tree;

		check_text(p->events[i].name);
		if (functions__new(&functions, p, i, NULL) || tree__new(&tree, p, &opts))
			abort();
		if (sum[i] != p->events[i].samples || tree->nodes[0].total != sum[i])
			abort();
		functions__free(functions);
		tree__free(tree);
	}
	for (unsigned i = 0; p && i < p->losses.nr; i++)
		check_text(p->losses.by[i].text);
	profile__free(p);
}

/* As it stands in a file. */
static void read_raw(const uint8_t *data, size_t size, struct live *l, struct processes *p)
{
	struct profile *samples = NULL;
	struct liveread_frame f;
	struct liveread_head h;

	if (!liveread__head(data, size, &h) && (!h.nr_values || h.nr_values > LIVE_VALUES))
		abort();
	if (size < LIVEREAD_FRAME_BYTES || liveread__frame(data, &f))
		return;
	data += LIVEREAD_FRAME_BYTES;
	size -= LIVEREAD_FRAME_BYTES;
	if (f.block.stream_bytes <= size && !liveread__interval(&f, data, l, p, &samples))
		check(l, p);
	check_samples(samples);
}

/* The interval twice, as a file: what its samples add up to. */
static void add_up(const uint8_t *data, size_t size)
{
	uint8_t head[LIVEREAD_HEAD_BYTES] = "pmulive\n\1\0\0\0\2";
	const uint32_t crc = crc32(0, head, 20);
	const struct tape_opts o = { .max_bytes = 1 << 20 };
	struct block_packer packer = { .b.flags = LIVEREAD_ANEW, .b.number = 5000000000 };
	struct profile *p = profile__new();
	struct tape_bytes bytes;
	const struct tape_input in = { tape_bytes__read, &bytes };
	struct tape_found found;
	struct buf file = {};
	uint64_t kept = 0;
	int err;

	memcpy(head + 20, &crc, sizeof(crc));
	if (!p || block__pack(&packer, LIVEREAD_FRAME, data, size) ||
	    buf__put(&file, head, sizeof(head)))
		abort();
	for (int i = 0; i < 2; i++)
		if (buf__put(&file, packer.head, sizeof(packer.head)) ||
		    buf__put(&file, packer.stream, packer.b.stream_bytes))
			abort();
	bytes = (struct tape_bytes){ file.data, file.len };
	err = recorded__read(p, &in, &o, &found);
	if (err && err != -EBADMSG)
		abort();
	for (size_t i = 0; i < p->nr_rows; i++)
		kept += p->rows[i].samples;
	if (kept != p->losses.kept || kept + losses__sum(&p->losses) != p->losses.seen)
		abort();
	profile__free(p);
	block_packer__free(&packer);
	buf__free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct live *l = live__new(size ? 1 + data[0] % LIVE_VALUES : 1);
	struct processes *p = processes__new();
	uLongf stream_bytes = compressBound(size);
	uint8_t *stream = malloc(stream_bytes);
	struct liveread_frame f = { .block.data_bytes = size };
	struct profile *samples;
	int err;

	if (!l || !p || !stream)
		abort();
	read_raw(data, size, l, p);
	add_up(data + !!size, size - !!size);
	if (size)
		f.block.data_bytes--;
	if (compress2(stream, &stream_bytes, data + !!size, f.block.data_bytes, 1) != Z_OK)
		abort();
	f.block.stream_bytes = stream_bytes;
	f.block.crc = crc32(0, stream, stream_bytes);
	/* Twice: the second one comes to the names of the first. */
	for (int i = 0; i < 2; i++) {
		err = liveread__interval(&f, stream, l, p, &samples);
		if ((err && err != -EBADMSG) || (err && samples))
			abort();
		check(l, p);
		check_samples(samples);
	}
	/* Names alone, and all but these. */
	if (!err && (liveread__interval(&f, stream, NULL, p, NULL) ||
		     liveread__interval(&f, stream, l, NULL, NULL)))
		abort();
	live__free(l);
	processes__free(p);
	free(stream);
	return 0;
}
