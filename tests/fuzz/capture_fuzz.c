// SPDX-License-Identifier: BSD-2-Clause
/*
 * A capture. CRCs would stop nearly all that is none, and deflate what is behind them: the bytes
 * are the data of a block, and are packed here; and they are tried as they are, too.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../unit/tape_bytes.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "model/profile.h"
#include "tape/block.h"
#include "tape/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			abort();
}

/* What windows say of each row is what the row has. */
static void check_windows(const struct profile *p)
{
	const struct windows *w = &p->windows;
	uint64_t *sums = calloc(p->nr_rows + 1, sizeof(*sums)), end_ns = 0;

	if (!sums)
		abort();
	for (size_t i = 0; i < w->nr; i++) {
		if (w->items[i].begin_ns != end_ns || w->items[i].end_ns < end_ns)
			abort();
		end_ns = w->items[i].end_ns;
	}
	for (size_t i = 0; i < w->nr_entries; i++)
		sums[w->entries[i].row] += w->entries[i].samples;
	for (size_t i = 0; w->nr && i < p->nr_rows; i++)
		if (sums[i] != p->rows[i].samples)
			abort();
	if (w->nr && w->items[w->nr - 1].end_entries != w->nr_entries)
		abort();
	free(sums);
}

static void check(const struct profile *p)
{
	uint64_t kept = 0, *sums = calloc(p->nr_events + 1, sizeof(*sums));

	if (!sums)
		abort();
	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];
		uint32_t first;
		size_t depth = profile__stack(p, r->key.stack, &first, 1);

		if (!depth || depth > CAPTURE_DEPTH_MAX || p->frames[first].kind != FRAME_COMM)
			abort();
		kept += r->samples;
		sums[r->key.event] += r->samples;
	}
	for (size_t i = 0; i < p->nr_events; i++) {
		check_text(p->events[i].name);
		if (sums[i] != p->events[i].samples)
			abort();
	}
	for (unsigned i = 0; i < p->losses.nr; i++)
		check_text(p->losses.by[i].text);
	check_text(p->about.host);
	for (uint32_t i = 0; i < p->nr_frames; i++) {
		struct code_place at;

		if (!profile__place_of(p, i, &at))
			continue;
		if (at.path >= strtab__nr(p->strings) || at.build_id >= strtab__nr(p->strings) ||
		    at.source >= strtab__nr(p->strings))
			abort();
	}
	if (kept != p->losses.kept || kept + losses__sum(&p->losses) != p->losses.seen)
		abort();
	check_windows(p);
	free(sums);
}

static struct profile *read_bytes(const void *data, size_t len, int *err)
{
	const struct tape_opts o = { .max_bytes = 64 << 20, .places = true };
	struct tape_bytes b = { data, len };
	const struct tape_input in = { tape_bytes__read, &b };
	struct profile *p = profile__new();
	struct tape_found found;

	if (!p)
		abort();
	*err = capture__read(p, &in, &o, &found);
	if (*err && *err != -EBADMSG && *err != -EPROTO && *err != -EPROTONOSUPPORT &&
	    *err != -EFBIG)
		abort();
	check(p);
	return p;
}

/* What was read can be written, and is the same then. */
static void write_again(const struct profile *p)
{
	char *bytes = NULL;
	size_t len;
	int err;
	FILE *f = open_memstream(&bytes, &len);
	struct profile *q;

	if (!f || capture__write(f, p) || fclose(f))
		abort();
	q = read_bytes(bytes, len, &err);
	if (err || q->nr_rows != p->nr_rows || q->losses.seen != p->losses.seen ||
	    q->losses.kept != p->losses.kept || q->losses.nr != p->losses.nr ||
	    q->nr_events != p->nr_events || q->duration_ns != p->duration_ns)
		abort();
	if (p->windows.nr > 1 && q->windows.nr != p->windows.nr)
		abort();
	profile__free(q);
	free(bytes);
}

/* Returns its bytes behind a head. */
static uint8_t *pack(const uint8_t *data, size_t size, size_t *len)
{
	static const uint8_t head[12] = { 'p', 'm', 'u', 't', 'c', 'a', 'p', '\n', 1 };
	struct block_packer packer = {};
	uint32_t crc = crc32(0, head, sizeof(head));
	uint8_t *bytes;

	if (block__pack(&packer, CAPTURE_BLOCK, data, size))
		abort();
	*len = CAPTURE_HEAD_BYTES + BLOCK_HEAD_BYTES + packer.b.stream_bytes;
	bytes = malloc(*len);
	if (!bytes)
		abort();
	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + sizeof(head), &crc, sizeof(crc));
	memcpy(bytes + CAPTURE_HEAD_BYTES, packer.head, BLOCK_HEAD_BYTES);
	memcpy(bytes + CAPTURE_HEAD_BYTES + BLOCK_HEAD_BYTES, packer.stream, packer.b.stream_bytes);
	block_packer__free(&packer);
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;
	uint8_t *bytes = pack(data, size, &len);
	struct profile *p;
	int err;

	p = read_bytes(data, size, &err);
	profile__free(p);
	p = read_bytes(bytes, len, &err);
	if (!err)
		write_again(p);
	profile__free(p);
	free(bytes);
	return 0;
}
