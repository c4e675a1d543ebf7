// SPDX-License-Identifier: BSD-2-Clause
/* The asker's side of sym/name_wire.h: looks at answers, opens files, replaces readers. */
#include "sym/name_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/idmap.h"
#include "base/log.h"
#include "jail/message.h"
#include "sym/name_texts.h"
#include "sym/name_wire.h"

static const uint64_t WASTE_NS = 20000000000ull; /* in readers that came to nothing */

enum { IDLE_ENDS_MAX = 8 };

struct name_reader {
	struct jail *jail;
	const struct jail_reader *kind;
	struct name_setup setup;
	struct file_opener *opener;
	struct file_source source;
	struct jailed *jailed;	/* NULL: not started, or it came to nothing */
	struct idmap told;	/* files that it knows */
	struct idmap bad_files; /* a reader came to nothing at them */
	struct idmap bad_lives; /* at code that they made */
	uint64_t wasted_ns;
	unsigned nr_idle_ends;	       /* in a row */
	bool refused;		       /* no process can be had for it; that was told */
	struct file_gaps gaps;	       /* of the reader, as it said last */
	struct file_gaps before;       /* of the ones before it, and what it could not read */
	uint32_t granted_file;	       /* the mapped file that it was given last .. */
	int granted_fd;		       /* .. once more; -1: none */
	_Atomic pid_t pid;	       /* 0: there is no reader */
	_Atomic uint64_t ended_cpu_ns; /* of readers that have ended */
	union {
		char bytes[MESSAGE_BYTES_MAX];
		struct name_reply reply;
	} in;
};

/* What is asked in one go. */
struct batch {
	const struct file_asked *asked;
	size_t nr, nr_answered;
};

static void drop_granted(struct name_reader *r)
{
	if (r->granted_fd >= 0)
		close(r->granted_fd);
	r->granted_fd = -1;
}

static void add_gaps(struct file_gaps *to, const struct file_gaps *more)
{
	to->nr_unread += more->nr_unread;
	to->nr_unstored += more->nr_unstored;
	to->nr_maps_cut += more->nr_maps_cut;
	to->nr_dumps_cut += more->nr_dumps_cut;
}

static void end_reader(struct name_reader *r)
{
	if (!r->jailed)
		return;
	r->pid = 0;
	r->ended_cpu_ns += jailed__cpu_ns(r->jailed);
	jailed__close(r->jailed);
	r->jailed = NULL;
	idmap__clear(&r->told);
	drop_granted(r);
	add_gaps(&r->before, &r->gaps);
	r->gaps = (struct file_gaps){};
}

static int start_reader(struct name_reader *r)
{
	struct name_reply ready;
	int n, err = jailed__open(&r->jailed, r->jail, r->kind);

	if (err)
		return err;
	r->pid = jailed__pid(r->jailed);
	err = jailed__send(r->jailed, &r->setup, sizeof(r->setup), -1);
	if (!err) {
		n = jailed__receive(r->jailed, &ready, sizeof(ready));
		err = n < 0 ? n : n == sizeof(ready) && ready.kind == NAME_READY ? 0 : -EBADMSG;
	}
	if (err)
		end_reader(r);
	return err;
}

int name_reader__open(struct name_reader **out, struct jail *jail, const struct jail_reader *kind,
		      const struct file_names_opts *opts, struct file_opener *opener)
{
	struct name_reader *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->jail = jail;
	r->kind = kind;
	r->opener = opener;
	r->source = file_opener__source(opener);
	r->granted_fd = -1;
	r->setup = (struct name_setup){
		.symbol_bytes = opts->symbol_bytes && opts->symbol_bytes < NAME_READER_SYMBOL_BYTES
					? opts->symbol_bytes
					: NAME_READER_SYMBOL_BYTES,
		.debug_bytes = NAME_READER_DEBUG_BYTES,
		.demangle = opts->demangle,
		.inlines = opts->inlines,
		.lines = opts->lines,
		.places = opts->places,
		.no_symbols = opts->no_symbols,
	};
	err = start_reader(r);
	if (err) {
		name_reader__close(r);
		return err;
	}
	*out = r;
	return 0;
}

void name_reader__close(struct name_reader *r)
{
	if (!r)
		return;
	end_reader(r);
	idmap__free(&r->told);
	idmap__free(&r->bad_files);
	idmap__free(&r->bad_lives);
	free(r);
}

void name_reader__gaps(const struct name_reader *r, struct file_gaps *out)
{
	*out = r->before;
	add_gaps(out, &r->gaps);
}

uint64_t name_reader__cpu_ns(const struct name_reader *r)
{
	const pid_t pid = r->pid;
	struct timespec t;
	clockid_t clock;

	if (!pid || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return r->ended_cpu_ns;
	return r->ended_cpu_ns + t.tv_sec * 1000000000ull + t.tv_nsec;
}

static bool is_about_file(const struct file_question *q)
{
	return q->kind == NAME_IN_FILE || q->kind == REOPEN_FILE;
}

/* Is it of no use to ask this? */
static bool is_hopeless(const struct name_reader *r, const struct file_question *q)
{
	uint32_t seen;

	if (r->wasted_ns > WASTE_NS)
		return true;
	return is_about_file(q) ? !file_opener__identity(r->opener, q->file) ||
					  idmap__get(&r->bad_files, q->file, &seen)
				: idmap__get(&r->bad_lives, q->life, &seen);
}

/*
 * What a process maps can be handed on without a look at it: whoever follows its unwind rules need
 * not do without them, because its names cannot be read.
 */
static int reopen(const struct name_reader *r, uint32_t file)
{
	struct file_request q = { .kind = REQUEST_MAPPED, .file = file };
	int fd = -ENODATA;

	for (; fd < 0 && q.nr < FILE_OPENER_SURE; q.nr++)
		fd = r->source.open(r->source.arg, &q);
	return fd < 0 ? -1 : fd;
}

static void leave_unnamed(const struct name_reader *r, const struct file_asked *asked)
{
	file_answer__clear(asked->a);
	asked->a->vaddr = asked->q.at;
	if (asked->q.kind == REOPEN_FILE)
		asked->a->fd = reopen(r, asked->q.file);
}

/* Before it is asked: it notes itself which question it is at. */
static int note_not_begun(const struct name_reader *r)
{
	const uint32_t number = NAME_NOT_BEGUN;

	return pwrite(jailed__file(r->jailed), &number, sizeof(number), 0) == sizeof(number) ? 0
											     : -EIO;
}

static int send_questions(struct name_reader *r, const struct batch *b)
{
	struct name_question all[NAME_BATCH];
	const struct file_question *q;
	uint32_t seen;
	int err = 0;

	memset(all, 0, sizeof(all)); /* gaps in the structures are sent, too */
	for (size_t i = 0; i < b->nr && !err; i++) {
		q = &b->asked[i].q;
		all[i].kind = q->kind;
		all[i].file = q->file;
		all[i].pid = q->pid;
		all[i].life = q->life;
		all[i].at = q->at;
		all[i].vaddr = q->vaddr;
		if (!is_about_file(q) || idmap__get(&r->told, q->file, &seen))
			continue;
		all[i].has_identity = 1;
		memcpy(&all[i].identity, file_opener__identity(r->opener, q->file),
		       sizeof(all[i].identity));
		err = idmap__set(&r->told, q->file, 1);
	}
	return err ? err : jailed__send(r->jailed, all, b->nr * sizeof(all[0]), -1);
}

/* A text of @len bytes, of which @room are there; with a NUL. NULL: it is not all there. */
static char *take_text(const char *at, size_t len, size_t room)
{
	return len <= room && !memchr(at, 0, len) ? strndup(at, len) : NULL;
}

static int open_for(struct name_reader *r, const struct name_request *from, const char *texts,
		    size_t len)
{
	struct file_request q = {
		.kind = from->kind,
		.file = from->file,
		.nr = from->nr,
		.pid = from->pid,
		.life = from->life,
		.place = { .kind = from->place, .id = from->id, .id_len = from->id_len },
	};
	char *name, *dir = NULL;
	int fd = -EBADMSG;

	if (from->kind >= REQUEST_KINDS || from->place >= PLACE_KINDS ||
	    from->id_len > PLACE_ID_BYTES)
		return -EBADMSG;
	name = take_text(texts, from->name_bytes, len);
	if (name)
		dir = take_text(texts + from->name_bytes, from->dir_bytes, len - from->name_bytes);
	if (dir) {
		q.place.name = from->has_name ? name : NULL;
		q.place.dir = from->has_dir ? dir : NULL;
		fd = r->source.open(r->source.arg, &q);
	}
	free(name);
	free(dir);
	return fd;
}

/* A reader gets what it asks for, if it may. 0; -EBADMSG; another -errno: it is gone. */
static int grant(struct name_reader *r, size_t len)
{
	const size_t head = sizeof(struct name_reply) + sizeof(struct name_request);
	struct name_grant answer = {};
	struct name_request request;
	int fd, err;

	if (len < head)
		return -EBADMSG;
	memcpy(&request, r->in.bytes + sizeof(struct name_reply), sizeof(request));
	fd = open_for(r, &request, r->in.bytes + head, len - head);
	if (fd == -EBADMSG)
		return fd;
	answer.err = fd < 0 ? fd : 0;
	err = jailed__give(r->jailed, &answer, sizeof(answer), fd < 0 ? -1 : fd);
	if (fd >= 0 && request.kind == REQUEST_MAPPED) {
		drop_granted(r);
		r->granted_file = request.file;
		r->granted_fd = fd;
	} else if (fd >= 0) {
		close(fd);
	}
	return err;
}

/* Its names are in the file that is there for them: what it has by now is copied, and looked at. */
static bool put_long_texts(struct name_reader *r, struct file_answer *a,
			   const struct name_answer *from)
{
	const size_t len = name_texts__bytes(from);
	char *texts = len <= NAME_LONG_BYTES ? malloc(len + 1) : NULL;
	bool good =
		texts && pread(jailed__file(r->jailed), texts, len, NAME_LONG_AT) == (ssize_t)len;

	good = good && name_texts__take(a, from, texts);
	free(texts);
	return good;
}

/* @texts: of an answer that is not long. False: no reader of ours would say that. */
static bool take_answer(struct name_reader *r, const struct file_asked *asked,
			const struct name_answer *from, const char *texts)
{
	struct file_answer *a = asked->a;

	file_answer__clear(a);
	a->vaddr = from->vaddr;
	if (from->what > OUTERMOST_IF_ALONE)
		return false;
	if (from->err == -EAGAIN && asked->q.kind == NAME_IN_FILE) {
		a->err = from->err;
		return file_opener__waits(r->opener, asked->q.file);
	}
	if (from->err) { /* it is out of memory: it has less than we have */
		r->before.nr_unstored++;
		a->vaddr = asked->q.at;
		return true;
	}
	if (from->is_long ? !put_long_texts(r, a, from) : !name_texts__take(a, from, texts))
		return false;
	a->named = from->named && a->name.len;
	a->what = from->what;
	a->in_function = from->in_function;
	a->no_debug_room = from->no_debug_room;
	a->function = from->function;
	a->map = from->map;
	if (asked->q.kind == REOPEN_FILE && from->has_file && r->granted_fd >= 0 &&
	    r->granted_file == asked->q.file) {
		a->fd = r->granted_fd;
		r->granted_fd = -1;
	}
	return true;
}

static int take_answers(struct name_reader *r, struct batch *b, size_t len)
{
	const uint32_t nr = r->in.reply.nr;
	size_t at = sizeof(struct name_reply), texts;
	struct name_answer a;

	if (!nr || nr > b->nr - b->nr_answered)
		return -EBADMSG;
	r->gaps = r->in.reply.gaps;
	for (uint32_t i = 0; i < nr; i++) {
		if (len - at < sizeof(a))
			return -EBADMSG;
		memcpy(&a, r->in.bytes + at, sizeof(a));
		at += sizeof(a);
		texts = a.is_long ? 0 : name_texts__bytes(&a);
		if (texts > len - at ||
		    !take_answer(r, &b->asked[b->nr_answered], &a, r->in.bytes + at))
			return -EBADMSG;
		at += texts;
		b->nr_answered++;
	}
	jailed__go_on(r->jailed);
	return 0;
}

static void take_log(const struct name_reader *r, size_t len)
{
	char text[NAME_LOG_BYTES + 1];
	size_t n = len - sizeof(struct name_reply);

	if (n >= sizeof(text))
		n = sizeof(text) - 1;
	for (size_t i = 0; i < n; i++) {
		const char c = r->in.bytes[sizeof(struct name_reply) + i];

		text[i] = c >= ' ' && c < 0x7f ? c : '?';
	}
	text[n] = '\0';
	log__debug("%s", text);
}

/* All messages up to the last answer. 0 or -errno: then the reader is of no use any more. */
static int take_replies(struct name_reader *r, struct batch *b)
{
	int n, err = 0;

	while (!err && b->nr_answered < b->nr) {
		n = jailed__receive(r->jailed, &r->in, sizeof(r->in));
		if (n < (int)sizeof(r->in.reply))
			return n < 0 ? n : -EBADMSG;
		switch (r->in.reply.kind) {
		case NAME_ANSWERS:
			err = take_answers(r, b, n);
			break;
		case NAME_REQUEST:
			err = grant(r, n);
			break;
		case NAME_LOG:
			take_log(r, n);
			break;
		default:
			err = -EBADMSG;
		}
	}
	return err;
}

/*
 * The question that the reader was at; NULL: it had begun none. One that sends what makes no sense
 * does so in place of the next answer; one that has ended may have had answers that it did not send
 * yet.
 */
static const struct file_question *culprit(const struct name_reader *r, const struct batch *b,
					   int err)
{
	uint32_t number = 0;

	if (err != -EBADMSG &&
	    pread(jailed__file(r->jailed), &number, sizeof(number), 0) == sizeof(number)) {
		if (number == NAME_NOT_BEGUN)
			return NULL;
		if (number >= b->nr_answered && number < b->nr)
			return &b->asked[number].q;
	}
	return &b->asked[b->nr_answered].q;
}

/* Somebody has ended it while it had nothing to do: that is no file's fault, but for ever it is. */
static void end_idle(struct name_reader *r)
{
	log__debug("the reader of files has ended while it had nothing to do");
	if (++r->nr_idle_ends == IDLE_ENDS_MAX) {
		log__notice("no more names are read from files: their readers are ended again and "
			    "again");
		r->wasted_ns = UINT64_MAX;
	}
	end_reader(r);
}

/* The reader came to nothing: whoever it was at is not read again. */
static void give_up(struct name_reader *r, const struct batch *b, int how, uint64_t since_ns)
{
	const struct file_question *q = culprit(r, b, how);
	const char *path;
	struct buf why = {};
	int err;

	if (!q) {
		end_idle(r);
		return;
	}
	r->wasted_ns += clock__now_ns() - since_ns;
	if (jailed__why(r->jailed, &why))
		buf__clear(&why);
	if (is_about_file(q)) {
		path = file_opener__path(r->opener, q->file);
		log__notice("%s: no names of its code: %s", path ? path : "a file",
			    why.data ? why.data : "its reader ended");
		err = idmap__set(&r->bad_files, q->file, 1);
	} else {
		log__notice("process %u: no names of code that it makes at run time: %s", q->pid,
			    why.data ? why.data : "its reader ended");
		err = idmap__set(&r->bad_lives, q->life, 1);
	}
	if (err)
		r->wasted_ns = UINT64_MAX; /* without memory nothing more is tried */
	else if (r->wasted_ns > WASTE_NS)
		log__notice("no more names are read from files: those that cannot be read have "
			    "taken %.0f s",
			    r->wasted_ns / 1e9);
	buf__free(&why);
	end_reader(r);
}

/* Up to NAME_BATCH questions, of which a reader may lose some: those are asked again. */
static void ask_batch(struct name_reader *r, struct batch *b)
{
	const uint64_t since_ns = clock__now_ns();
	int err = r->jailed ? 0 : start_reader(r);

	if (err) {
		if (!r->refused)
			log__notice("files cannot be read for names any more: %s", strerror(-err));
		r->refused = true;
		for (; b->nr_answered < b->nr; b->nr_answered++)
			leave_unnamed(r, &b->asked[b->nr_answered]);
		return;
	}
	err = note_not_begun(r);
	if (!err)
		err = send_questions(r, b);
	if (!err)
		err = take_replies(r, b);
	if (err)
		give_up(r, b, err, since_ns);
	else
		r->nr_idle_ends = 0;
}

void name_reader__ask(struct name_reader *r, const struct file_asked *asked, size_t nr)
{
	size_t done = 0;

	while (done < nr) {
		struct batch b = { .asked = &asked[done] };

		if (is_hopeless(r, &asked[done].q)) {
			leave_unnamed(r, &asked[done++]);
			continue;
		}
		while (b.nr < NAME_BATCH && done + b.nr < nr &&
		       !is_hopeless(r, &asked[done + b.nr].q))
			b.nr++;
		ask_batch(r, &b);
		done += b.nr_answered;
	}
}
