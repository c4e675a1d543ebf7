// SPDX-License-Identifier: BSD-2-Clause
/* The reader's side of lookup/lookup_wire.h: in the jail, reads the file that it was given. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/why.h"
#include "jail/message.h"
#include "lookup/lookup_reader.h"

struct reading {
	int sock, file;
	struct file_lookup of;
	char *path;	    /* NULL: no file was given yet */
	int open_err;	    /* why it could not be opened */
	struct buf no_file; /* the sentence for that */
	char in[MESSAGE_BYTES_MAX];
};

/* Whoever asked is gone: so is the reason to be here. */
static void send_or_end(const struct reading *x, const void *bytes, size_t len)
{
	if (message__send(x->sock, bytes, len, -1))
		_exit(EXIT_SUCCESS);
}

/* opener.open */
static int ask_for_file(void *arg, uint32_t file, const struct debug_place *place, unsigned nr)
{
	const struct reading *x = arg;
	struct {
		struct lookup_request r;
		char name[MESSAGE_BYTES_MAX - sizeof(struct lookup_request)];
	} m;
	const size_t len = place->name ? strlen(place->name) : 0;
	struct lookup_grant grant;
	int fd;

	(void)file;
	/* Servers are not asked for symbols of what is named. */
	if ((place->kind != PLACE_BY_ID && place->kind != PLACE_BY_LINK) || len > sizeof(m.name) ||
	    place->id_len > sizeof(m.r.id))
		return -ENODATA;
	m.r = (struct lookup_request){ .head.kind = LOOKUP_REQUEST,
				       .place = place->kind,
				       .nr = nr,
				       .name_bytes = len,
				       .id_len = place->id_len };
	if (place->id_len)
		memcpy(m.r.id, place->id, place->id_len);
	if (len)
		memcpy(m.name, place->name, len);
	send_or_end(x, &m, sizeof(m.r) + len);
	if (message__receive(x->sock, &grant, sizeof(grant), &fd) != (int)sizeof(grant))
		_exit(EXIT_FAILURE);
	if (grant.err && fd >= 0)
		close(fd);
	return grant.err ? grant.err : fd < 0 ? -ENOENT : fd;
}

/* In place of the one before; @path is taken. */
static void open_file(struct reading *x, int fd, char *path)
{
	const struct opener others = { .open = ask_for_file, .arg = x };

	if (x->path && !x->open_err)
		file_lookup__close(&x->of);
	free(x->path);
	x->path = path;
	buf__clear(&x->no_file);
	x->open_err = file_lookup__open(&x->of, fd, path, &others, &x->no_file);
}

static void answer(struct reading *x, const struct lookup_question *q)
{
	struct lookup_sink out = { .file = x->file };
	struct lookup_reply reply = { .kind = LOOKUP_ANSWER };
	struct buf why = {};
	int err = x->path ? x->open_err : -EBADF;

	if (ftruncate(x->file, 0))
		_exit(EXIT_FAILURE);
	if (err && x->no_file.len)
		err = buf__puts(&why, x->no_file.data) ? -ENOMEM : err;
	if (!err)
		err = lookup_answer__make(&x->of, q, &out, &why);
	if (!err)
		err = lookup_sink__flush(&out);
	if (err == -EFBIG)
		err = why__refuse(&why, err, "%s has more functions than can be told of", x->path);
	if (err) {
		if (ftruncate(x->file, 0))
			_exit(EXIT_FAILURE);
		out.nr = out.written = 0;
		buf__clear(&out.bytes);
		if (err != -ENOMEM && why.len > LOOKUP_WHY_BYTES)
			why.len = LOOKUP_WHY_BYTES;
		if (err != -ENOMEM &&
		    (lookup_sink__put(&out, why.data, why.len) || lookup_sink__flush(&out)))
			_exit(EXIT_FAILURE);
	}
	reply.err = err;
	reply.nr = out.nr;
	reply.bytes = out.written;
	send_or_end(x, &reply, sizeof(reply));
	buf__free(&out.bytes);
	buf__free(&why);
}

/* The texts behind a question; a copy of each. */
static char *take_text(const char **at, size_t *left, size_t len, bool is_there)
{
	char *text;

	if (!is_there)
		return NULL;
	if (len > *left || !(text = strndup(*at, len)))
		_exit(EXIT_FAILURE);
	*at += len;
	*left -= len;
	return text;
}

static void take_question(struct reading *x, size_t len, int fd)
{
	struct lookup_asked asked;
	const char *at = x->in + sizeof(asked);
	size_t left = len - sizeof(asked);
	char *path, *text, *provider;

	memcpy(&asked, x->in, sizeof(asked));
	path = take_text(&at, &left, asked.path_bytes, true);
	text = take_text(&at, &left, asked.text_bytes, asked.has_text);
	provider = take_text(&at, &left, asked.provider_bytes, asked.has_provider);
	if (fd >= 0)
		open_file(x, fd, path);
	else
		free(path);
	answer(x, &(struct lookup_question){ asked.kind, text, provider, asked.offset });
	free(text);
	free(provider);
}

static void run(int sock, int file)
{
	const struct lookup_reply ready = { .kind = LOOKUP_READY };
	struct reading *x = calloc(1, sizeof(*x));
	int n, fd;

	if (!x)
		return;
	x->sock = sock;
	send_or_end(x, &ready, sizeof(ready));
	x->file = file;
	elf_version(EV_CURRENT);
	while ((n = message__receive(sock, x->in, sizeof(x->in), &fd)) >=
	       (int)sizeof(struct lookup_asked))
		take_question(x, n, fd);
}

/* A user waits for what was asked for by name: that may be the largest program there is. */
const struct jail_reader lookup_reader_kind = {
	.name = "lookup-reader",
	.run = run,
	.max_cpu_ns = 20000000000ull,
	.max_wall_ns = 40000000000ull,
	.max_bytes = 1ull << 30,
};

const struct jail_reader lookup_glance_kind = {
	.name = "lookup-glance",
	.run = run,
	.max_cpu_ns = 1000000000,
	.max_wall_ns = 3000000000,
};
