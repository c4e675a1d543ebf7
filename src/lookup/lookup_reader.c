// SPDX-License-Identifier: BSD-2-Clause
/* The asker's side of lookup/lookup_wire.h: opens files, looks at answers, replaces readers. */
#include "lookup/lookup_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allowance.h"
#include "base/log.h"
#include "base/regular.h"
#include "base/why.h"
#include "jail/cage.h"
#include "jail/message.h"

struct lookup_reader {
	struct jail *jail; /* NULL: files are read here */
	const struct jail_reader *kind;
	struct jailed *jailed; /* NULL: not started, or it came to nothing */
	char *path;	       /* of the file that was asked about last; NULL: none */
	struct stat st;	       /* of that */
	bool is_alone;	       /* it gets no debug files */
	struct debug_places places;
	struct file_lookup here; /* without a jail: that file */
	union {
		char bytes[MESSAGE_BYTES_MAX];
		struct lookup_reply reply;
		struct lookup_request request;
	} in;
};

struct lookup_reader *lookup_reader__new(struct jail *jail, const struct jail_reader *kind)
{
	struct lookup_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->jail = jail;
	r->kind = kind;
	return r;
}

void lookup_reader__rest(struct lookup_reader *r)
{
	if (!r)
		return;
	if (r->path && !r->jail)
		file_lookup__close(&r->here);
	jailed__close(r->jailed);
	r->jailed = NULL;
	free(r->path);
	r->path = NULL;
}

void lookup_reader__free(struct lookup_reader *r)
{
	lookup_reader__rest(r);
	free(r);
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Is this the file that was asked about last, as it was then? */
static bool is_same(const struct lookup_reader *r, const char *path, const struct stat *st)
{
	return r->path && !strcmp(r->path, path) && r->st.st_dev == st->st_dev &&
	       r->st.st_ino == st->st_ino && r->st.st_size == st->st_size &&
	       is_same_time(&r->st.st_mtim, &st->st_mtim) &&
	       is_same_time(&r->st.st_ctim, &st->st_ctim);
}

static int note_file(struct lookup_reader *r, const char *path, const struct stat *st)
{
	free(r->path);
	r->path = strdup(path);
	r->st = *st;
	r->places = (struct debug_places){ .root = "",
					   .path = r->path,
					   .owner = file_owner(st->st_uid, st->st_mode) };
	return r->path ? 0 : -ENOMEM;
}

/* What has been read here goes the same way as what comes from a jail. @fd: taken. */
static int ask_here(struct lookup_reader *r, int fd, const char *path, const struct stat *st,
		    const struct lookup_question *q, struct lookup_answer *out, struct buf *why)
{
	const struct opener others = { .open = debug_places__open, .arg = &r->places };
	struct lookup_sink sink = { .file = -1 };
	int err;

	if (is_same(r, path, st)) {
		close(fd);
	} else {
		lookup_reader__rest(r);
		err = note_file(r, path, st);
		if (err)
			close(fd);
		else
			err = file_lookup__open(&r->here, fd, r->path, &others, why);
		if (err) {
			free(r->path);
			r->path = NULL;
			return err;
		}
	}
	err = lookup_answer__make(&r->here, q, &sink, why);
	if (err) {
		buf__free(&sink.bytes);
		return err;
	}
	*out = (struct lookup_answer){ sink.bytes.data, sink.bytes.len, sink.nr };
	return 0;
}

/* One that is caged: where that fails, it has ended before it says so. */
static int start_reader(struct lookup_reader *r)
{
	struct lookup_reply ready;
	int n, err = jailed__open(&r->jailed, r->jail, r->kind);

	if (err)
		return err;
	jailed__go_on(r->jailed);
	n = jailed__receive(r->jailed, &ready, sizeof(ready));
	if (n == sizeof(ready) && ready.kind == LOOKUP_READY)
		return 0;
	jailed__close(r->jailed);
	r->jailed = NULL;
	return n < 0 ? n : -EBADMSG;
}

/* A reader that is there, if one can be. False: files are to be read here. */
static bool have_reader(struct lookup_reader *r)
{
	int err;

	if (!r->jail || r->jailed)
		return r->jail;
	lookup_reader__rest(r);
	err = start_reader(r);
	if (!err)
		return true;
	log__notice("programs are read by a process that is not confined, as none can be here: %s",
		    strerror(-err));
	r->jail = NULL;
	return false;
}

/* -ENAMETOOLONG with @why. */
static int put_question(struct buf *to, const char *path, const struct lookup_question *q,
			struct buf *why)
{
	const struct lookup_asked asked = {
		.kind = q->kind,
		.path_bytes = strlen(path),
		.text_bytes = q->text ? strlen(q->text) : 0,
		.provider_bytes = q->provider ? strlen(q->provider) : 0,
		.has_text = q->text != NULL,
		.has_provider = q->provider != NULL,
		.offset = q->offset,
	};
	int err = buf__put(to, &asked, sizeof(asked));

	if (!err)
		err = buf__puts(to, path);
	if (!err && q->text)
		err = buf__puts(to, q->text);
	if (!err && q->provider)
		err = buf__puts(to, q->provider);
	if (!err && to->len > MESSAGE_BYTES_MAX)
		err = why__refuse(why, -ENAMETOOLONG, "'%.64s..' is too long for a name", q->text);
	return err;
}

/* A debug file is opened for the reader, if it may have it. 0; -EBADMSG; another -errno. */
static int grant(struct lookup_reader *r, size_t len)
{
	struct lookup_request *q = &r->in.request;
	struct debug_place place = { .kind = q->place, .id = q->id, .id_len = q->id_len };
	struct lookup_grant answer = {};
	char *name;
	int fd, err;

	if (r->is_alone || len < sizeof(*q) ||
	    (q->place != PLACE_BY_ID && q->place != PLACE_BY_LINK) || q->id_len > PLACE_ID_BYTES ||
	    q->name_bytes != len - sizeof(*q) || memchr(q + 1, 0, q->name_bytes))
		return -EBADMSG;
	name = strndup((const char *)(q + 1), q->name_bytes);
	if (!name)
		return -ENOMEM;
	place.name = name;
	fd = elf_alone(debug_places__open(&r->places, 0, &place, q->nr));
	free(name);
	answer.err = fd < 0 ? fd : 0;
	err = jailed__give(r->jailed, &answer, sizeof(answer), fd);
	if (fd >= 0)
		close(fd);
	return err;
}

/* Up to its answer. 0 or -errno: then the reader is of no use any more. */
static int take_reply(struct lookup_reader *r, struct lookup_reply *reply)
{
	int n, err = 0;

	while (!err) {
		n = jailed__receive(r->jailed, &r->in, sizeof(r->in));
		if (n < (int)sizeof(r->in.reply))
			return n < 0 ? n : -EBADMSG;
		*reply = r->in.reply;
		if (reply->kind == LOOKUP_ANSWER)
			return n == sizeof(*reply) ? 0 : -EBADMSG;
		err = reply->kind == LOOKUP_REQUEST ? grant(r, n) : -EBADMSG;
	}
	return err;
}

/* A copy: what is in the file may change while it is looked at. With a NUL behind it. */
static int take_bytes(const struct lookup_reader *r, const struct lookup_reply *reply,
		      struct lookup_answer *out)
{
	struct stat st;

	if (reply->bytes > CAGE_FILE_BYTES || fstat(jailed__file(r->jailed), &st) ||
	    (uint64_t)st.st_size != reply->bytes)
		return -EBADMSG;
	*out = (struct lookup_answer){ malloc(reply->bytes + 1), reply->bytes, reply->nr };
	if (!out->bytes)
		return -ENOMEM;
	out->bytes[out->len] = '\0';
	for (size_t at = 0; at < out->len;) {
		const ssize_t n =
			pread(jailed__file(r->jailed), out->bytes + at, out->len - at, (off_t)at);

		if (n <= 0)
			return -EBADMSG;
		at += n;
	}
	return 0;
}

/* 0: *out, or an error with its sentence in it; -errno: the answer makes no sense, or -ENOMEM. */
static int take_answer(struct lookup_reader *r, const struct lookup_question *q,
		       const struct lookup_reply *reply, struct lookup_answer *out)
{
	int err = reply->err > 0 || reply->err < -4095 || reply->unused ? -EBADMSG : 0;

	if (!err)
		err = take_bytes(r, reply, out);
	if (err || !reply->err)
		return err ? err : lookup_answer__check(out, q) ? 0 : -EBADMSG;
	return reply->nr || out->len > LOOKUP_WHY_BYTES || memchr(out->bytes, 0, out->len) ||
			       !out->len == (reply->err != -ENOMEM)
		       ? -EBADMSG
		       : 0;
}

/* Its reader came to nothing. -EIO and why. */
static int give_up(struct lookup_reader *r, const char *path, int how, struct buf *why)
{
	struct buf ended = {};
	int err = 0;

	if (how == -EBADMSG)
		err = buf__puts(&ended, "its reader's answer makes no sense");
	else if (how == -E2BIG)
		err = buf__puts(&ended, "its reader needs more memory than it may have");
	else if (r->jailed)
		err = jailed__why(r->jailed, &ended);
	else
		err = buf__printf(&ended, "no reader can be started: %s", strerror(-how));
	if (!err)
		err = why__refuse(why, -EIO, "cannot read %s: %s", path, ended.data);
	buf__free(&ended);
	lookup_reader__rest(r);
	return err;
}

static int send_question(struct lookup_reader *r, int fd, const char *path, const struct stat *st,
			 const struct buf *question)
{
	const bool knows = is_same(r, path, st);
	int err = knows ? 0 : note_file(r, path, st);

	if (!err)
		err = jailed__send(r->jailed, question->data, question->len, knows ? -1 : fd);
	if (err != -EPIPE)
		return err;
	/* Somebody has ended it while it had nothing to do: that is no file's fault. */
	jailed__close(r->jailed);
	r->jailed = NULL;
	err = start_reader(r);
	return err ? err : jailed__send(r->jailed, question->data, question->len, fd);
}

/* @fd: taken. */
static int ask_jailed(struct lookup_reader *r, int fd, const char *path, const struct stat *st,
		      const struct lookup_question *q, struct lookup_answer *out, struct buf *why)
{
	struct lookup_reply reply = {};
	struct buf question = {};
	int err = put_question(&question, path, q, why);

	if (err) {
		close(fd);
		buf__free(&question);
		return err;
	}
	err = send_question(r, fd, path, st, &question);
	close(fd);
	if (!err)
		err = take_reply(r, &reply);
	buf__free(&question);
	if (!err)
		err = take_answer(r, q, &reply, out);
	if (!err && !reply.err)
		return 0;
	if (!err && reply.err != -ENOMEM)
		err = buf__puts(why, out->bytes) ? -ENOMEM : reply.err;
	else if (err != -ENOMEM)
		err = give_up(r, path, err ? err : -E2BIG, why);
	else
		lookup_reader__rest(r);
	lookup_answer__free(out);
	return err;
}

/* @fd: taken. */
static int ask_about(struct lookup_reader *r, int fd, const char *path,
		     const struct lookup_question *q, struct lookup_answer *out, struct buf *why)
{
	struct stat st;
	int err = 0;

	if (fstat(fd, &st))
		err = why__refuse(why, -errno, "cannot open %s: %s", path, strerror(errno));
	else if (have_reader(r))
		return ask_jailed(r, fd, path, &st, q, out, why);
	else if (r->is_alone && allowance__is_for(&st))
		err = why__refuse(why, -EACCES,
				  "%s is a stranger's, and no process can be confined to read it",
				  path);
	if (!err)
		return ask_here(r, fd, path, &st, q, out, why);
	close(fd);
	return err;
}

int lookup_reader__ask(struct lookup_reader *r, const char *path, const struct lookup_question *q,
		       struct lookup_answer *out, struct buf *why)
{
	struct lookup_reader *own = r ? NULL : lookup_reader__new(NULL, NULL);
	int err;

	*out = (struct lookup_answer){};
	if (!r && !own)
		return -ENOMEM;
	if (own)
		r = own;
	r->is_alone = false;
	err = elf_image__open_file(path, why);
	if (err >= 0)
		err = ask_about(r, err, path, q, out, why);
	lookup_reader__free(own);
	return err;
}

int lookup_reader__ask_open(struct lookup_reader *r, int fd, const char *path,
			    const struct lookup_question *q, struct lookup_answer *out,
			    struct buf *why)
{
	*out = (struct lookup_answer){};
	r->is_alone = true;
	return ask_about(r, fd, path, q, out, why);
}
