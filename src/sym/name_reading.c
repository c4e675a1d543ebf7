// SPDX-License-Identifier: BSD-2-Clause
/* The reader's side of sym/name_wire.h: in the jail, answers questions and asks for files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "jail/cage.h"
#include "jail/message.h"
#include "sym/name_reader.h"
#include "sym/name_wire.h"

static const uint64_t SILENCE_NS = 100 * 1000000; /* then it tells what it has found by then */

enum { SPARE_FILES = 8 }; /* of CAGE_FILES */

/* One message. */
union message {
	char bytes[MESSAGE_BYTES_MAX];
	struct name_reply reply;
	struct name_question questions[NAME_BATCH];
	struct name_setup setup;
};

struct reading {
	int sock, file;
	struct file_names *names;
	struct file_answer answer;
	union message in;
	union message out; /* answers that were not sent yet */
	size_t out_bytes;
	uint64_t sent_ns;
};

/* Whoever asked is gone: so is the reason to be here. */
static void send_or_end(int sock, const void *bytes, size_t len)
{
	if (message__send(sock, bytes, len, -1))
		_exit(EXIT_SUCCESS);
}

static bool has_room_for_file(void)
{
	const int fd = fcntl(0, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return false;
	close(fd);
	return fd < CAGE_FILES - SPARE_FILES;
}

static int ask_for_file(void *arg, const struct file_request *r)
{
	const struct reading *x = arg;
	struct {
		struct name_reply head;
		struct name_request r;
		char texts[MESSAGE_BYTES_MAX - sizeof(struct name_reply) -
			   sizeof(struct name_request)];
	} m;
	const char *name = r->place.name ? r->place.name : "", *dir = r->place.dir;
	const size_t name_len = strlen(name), dir_len = dir ? strlen(dir) : 0;
	const size_t id_len = r->kind == REQUEST_OTHER ? r->place.id_len : 0;
	struct name_grant grant;
	int fd;

	if (!has_room_for_file())
		return -EMFILE;
	if (name_len > sizeof(m.texts) || dir_len > sizeof(m.texts) - name_len ||
	    id_len > sizeof(m.r.id))
		return -ENODATA;
	m.head = (struct name_reply){ .kind = NAME_REQUEST };
	m.r = (struct name_request){ .kind = r->kind,
				     .file = r->file,
				     .nr = r->nr,
				     .pid = r->pid,
				     .life = r->life,
				     .place = r->place.kind,
				     .name_bytes = name_len,
				     .dir_bytes = dir_len,
				     .has_name = r->place.name != NULL,
				     .has_dir = dir != NULL,
				     .id_len = id_len };
	if (id_len)
		memcpy(m.r.id, r->place.id, id_len);
	memcpy(m.texts, name, name_len);
	if (dir_len)
		memcpy(m.texts + name_len, dir, dir_len);
	send_or_end(x->sock, &m, sizeof(m) - sizeof(m.texts) + name_len + dir_len);
	if (message__receive(x->sock, &grant, sizeof(grant), &fd) != (int)sizeof(grant))
		_exit(EXIT_FAILURE);
	if (grant.err && fd >= 0)
		close(fd);
	return grant.err ? grant.err : fd < 0 ? -ENOENT : fd;
}

static void send_log(void *arg, enum log_level level, const char *text)
{
	const struct reading *x = arg;
	struct {
		struct name_reply head;
		char text[NAME_LOG_BYTES];
	} m = { .head.kind = NAME_LOG };
	const size_t len = strnlen(text, sizeof(m.text));

	(void)level;
	memcpy(m.text, text, len);
	send_or_end(x->sock, &m, sizeof(m.head) + len);
}

static void flush(struct reading *x)
{
	x->sent_ns = clock__now_ns();
	if (!x->out.reply.nr)
		return;
	x->out.reply.kind = NAME_ANSWERS;
	file_names__gaps(x->names, &x->out.reply.gaps);
	send_or_end(x->sock, &x->out, x->out_bytes);
	x->out.reply.nr = 0;
	x->out_bytes = sizeof(x->out.reply);
}

static void put(struct reading *x, const void *bytes, size_t len)
{
	if (!len)
		return;
	memcpy(x->out.bytes + x->out_bytes, bytes, len);
	x->out_bytes += len;
}

/* Cuts what could not be sent; such names, and their lines, are no use to anybody. */
static void put_long(struct reading *x, struct name_answer *to)
{
	const struct file_answer *a = &x->answer;

	to->is_long = true;
	if (a->name.len > NAME_LONG_BYTES / 2)
		to->name_bytes = NAME_LONG_BYTES / 2;
	to->lines_bytes = 0;
	if (a->inlined.len > NAME_LONG_BYTES / 2)
		to->inlined_bytes = to->nr_inlined = 0;
	if (pwrite(x->file, a->name.data, to->name_bytes, NAME_LONG_AT) != to->name_bytes ||
	    pwrite(x->file, a->inlined.data, to->inlined_bytes, NAME_LONG_AT + to->name_bytes) !=
		    to->inlined_bytes)
		_exit(EXIT_FAILURE);
}

static void put_answer(struct reading *x)
{
	const struct file_answer *a = &x->answer;
	struct name_answer to = { .err = a->err,
				  .what = a->what,
				  .map = a->map,
				  .nr_inlined = a->nr_inlined,
				  .name_bytes = a->name.len,
				  .inlined_bytes = a->inlined.len,
				  .lines_bytes = a->lines.len,
				  .build_id_len = a->build_id_len,
				  .named = a->named,
				  .in_function = a->in_function,
				  .has_file = a->fd >= 0,
				  .no_debug_room = a->no_debug_room,
				  .vaddr = a->vaddr,
				  .function = a->function };
	const size_t texts = a->name.len + a->inlined.len + a->lines.len;

	memcpy(to.build_id, a->build_id, sizeof(to.build_id));
	if (a->fd >= 0)
		close(a->fd);
	if (x->out_bytes + sizeof(to) + texts > sizeof(x->out))
		flush(x);
	if (x->out_bytes + sizeof(to) + texts > sizeof(x->out)) {
		put_long(x, &to);
		put(x, &to, sizeof(to));
	} else {
		put(x, &to, sizeof(to));
		put(x, a->name.data, a->name.len);
		put(x, a->inlined.data, a->inlined.len);
		put(x, a->lines.data, a->lines.len);
	}
	x->out.reply.nr++;
	/* The asker has the descriptor that was asked for last. */
	if (to.is_long || to.has_file || clock__now_ns() - x->sent_ns > SILENCE_NS)
		flush(x);
}

static void answer(struct reading *x, const struct name_question *from, uint32_t number)
{
	const struct file_question q = { from->kind, from->file, from->pid,
					 from->life, from->at,	 from->vaddr };
	int err = 0;

	if (pwrite(x->file, &number, sizeof(number), 0) != sizeof(number))
		_exit(EXIT_FAILURE);
	if (from->has_identity)
		err = file_names__add(x->names, q.file, &from->identity);
	if (err)
		file_answer__clear(&x->answer);
	else
		file_names__ask(x->names, &q, &x->answer);
	if (err)
		x->answer.err = err;
	put_answer(x);
}

static bool set_up(struct reading *x)
{
	const struct file_source source = { ask_for_file, x };
	const struct name_reply ready = { .kind = NAME_READY };
	struct file_names_opts opts;

	if (message__receive(x->sock, &x->in, sizeof(x->in), NULL) != sizeof(x->in.setup))
		return false;
	opts = (struct file_names_opts){ .demangle = x->in.setup.demangle,
					 .inlines = x->in.setup.inlines,
					 .lines = x->in.setup.lines,
					 .places = x->in.setup.places,
					 .no_symbols = x->in.setup.no_symbols,
					 .symbol_bytes = x->in.setup.symbol_bytes,
					 .debug_bytes = x->in.setup.debug_bytes };
	x->names = file_names__new(&opts, &source);
	return x->names && !message__send(x->sock, &ready, sizeof(ready), -1);
}

static void run(int sock, int file)
{
	struct reading *x = calloc(1, sizeof(*x));
	int n;

	if (!x)
		return;
	x->sock = sock;
	x->file = file;
	x->out_bytes = sizeof(x->out.reply);
	log__set_thread_sink(send_log, x);
	if (!set_up(x))
		return;
	while ((n = message__receive(sock, &x->in, sizeof(x->in), NULL)) > 0) {
		x->sent_ns = clock__now_ns();
		for (size_t i = 0; i < n / sizeof(x->in.questions[0]) && i < NAME_BATCH; i++)
			answer(x, &x->in.questions[i], i);
		flush(x);
	}
}

const struct jail_reader name_reader_kind = { .name = "name-reader", .run = run };
