// SPDX-License-Identifier: BSD-2-Clause
/* Both ends: libdwfl's there, with what it has been told; here questions, and answers checked. */
#include "unwind/reference.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jail/message.h"
#include "unwind/libdwfl.h"

enum what { HELLO, FILE_IS, SPACE_IS, WALK };

enum { MAPPINGS_MAX = 1024 }; /* of a message; a space may take more than one */

struct question {
	uint32_t what;
	uint32_t nr;   /* file: its number; space: mappings in this message; walk: frames at most */
	uint32_t more; /* space: bool: another message goes on */
	uint32_t unused;
	struct reference_space space;
};

struct answer {
	int32_t err;
	uint32_t unused;
	char version[REFERENCE_VERSION_BYTES];
	struct reference_frames frames; /* of a walk; else it is not there */
};

union body {
	struct reference_mapping mappings[MAPPINGS_MAX];
	struct reference_stack stack;
};

struct message {
	struct question q;
	union body body;
};
_Static_assert(sizeof(struct message) <= MESSAGE_BYTES_MAX, "one message");

static const size_t SHORT_BYTES = offsetof(struct answer, frames);

/* A reader's alone: set before it is caged, which is before it is asked. */
static struct libdwfl *loaded;
static int load_err;

static void load(void)
{
	load_err = libdwfl__open(&loaded);
}

struct server {
	struct reference_mapping *mappings; /* of a space, as far as it has come */
	size_t nr, cap;
	struct message m;
	struct answer a;
};

/* 0; -EAGAIN: more of it comes. */
static int take_space(struct server *s)
{
	const struct question *q = &s->m.q;
	int err = array__grow(&s->mappings, &s->cap, s->nr + q->nr);

	if (err)
		return err;
	if (q->nr)
		memcpy(&s->mappings[s->nr], s->m.body.mappings, q->nr * sizeof(*s->mappings));
	s->nr += q->nr;
	if (q->more)
		return -EAGAIN;
	err = libdwfl__space(loaded, &q->space, s->mappings, s->nr);
	s->nr = 0;
	return err;
}

static int serve(struct server *s, int fd)
{
	const struct question *q = &s->m.q;

	if (load_err)
		return load_err;
	switch (q->what) {
	case HELLO:
		strncpy(s->a.version, libdwfl__version(loaded), sizeof(s->a.version) - 1);
		return 0;
	case FILE_IS:
		return libdwfl__file(loaded, q->nr, dup(fd));
	case SPACE_IS:
		return take_space(s);
	case WALK:
		return libdwfl__walk(loaded, &q->space, &s->m.body.stack, q->nr, &s->a.frames);
	}
	return -EINVAL;
}

static void run(int sock, int out)
{
	struct server *s = calloc(1, sizeof(*s));
	int fd;

	while (s && message__receive(sock, &s->m, sizeof(s->m), &fd) > 0) {
		const bool is_walk = s->m.q.what == WALK;

		s->a.err = serve(s, fd);
		if (fd >= 0)
			close(fd);
		if (message__send(sock, &s->a, is_walk ? sizeof(s->a) : SHORT_BYTES, -1))
			break;
	}
}

const struct jail_reader reference_reader = { .name = "verify-reader",
					      .prepare = load,
					      .run = run };

static int ask(struct jailed *r, const void *message, size_t len, int fd, struct answer *a,
	       size_t answer_bytes)
{
	int n, err = jailed__send(r, message, len, fd);

	if (err)
		return err;
	n = jailed__receive(r, a, answer_bytes);
	if (n < 0)
		return n;
	if (n != (int)answer_bytes || a->err > 0)
		return -EBADMSG;
	return a->err;
}

int reference__hello(struct jailed *r, char version[REFERENCE_VERSION_BYTES])
{
	const struct question q = { .what = HELLO };
	struct answer a;
	int err = ask(r, &q, sizeof(q), -1, &a, SHORT_BYTES);

	if (err)
		return err;
	for (size_t i = 0; i < sizeof(a.version); i++) /* shown to people */
		version[i] = a.version[i] >= ' ' && a.version[i] <= '~' ? a.version[i] : '\0';
	version[REFERENCE_VERSION_BYTES - 1] = '\0';
	return 0;
}

int reference__file(struct jailed *r, uint32_t number, int fd)
{
	const struct question q = { .what = FILE_IS, .nr = number };
	struct answer a;

	return ask(r, &q, sizeof(q), fd, &a, SHORT_BYTES);
}

int reference__space(struct jailed *r, const struct reference_space *id,
		     const struct reference_mapping *mappings, size_t nr)
{
	struct message *m = calloc(1, sizeof(*m));
	struct answer a;
	int err;

	if (!m)
		return -ENOMEM;
	do {
		const size_t part = nr < MAPPINGS_MAX ? nr : MAPPINGS_MAX;

		m->q = (struct question){
			.what = SPACE_IS, .nr = part, .more = nr > part, .space = *id
		};
		if (part)
			memcpy(m->body.mappings, mappings, part * sizeof(*mappings));
		err = ask(r, m, offsetof(struct message, body) + part * sizeof(*mappings), -1, &a,
			  SHORT_BYTES);
		mappings += part;
		nr -= part;
	} while (nr && err == -EAGAIN);
	free(m);
	return err;
}

static bool is_sound(struct reference_frames *f, size_t max)
{
	f->error[sizeof(f->error) - 1] = '\0';
	for (char *c = f->error; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return f->nr <= max && f->end <= REFERENCE_MAX;
}

int reference__walk(struct jailed *r, const struct reference_space *id,
		    const struct reference_stack *stack, size_t max, struct reference_frames *out)
{
	struct message *m = calloc(1, sizeof(*m));
	struct answer *a = calloc(1, sizeof(*a));
	int err = -ENOMEM;

	if (m && a) {
		m->q = (struct question){ .what = WALK, .nr = max, .space = *id };
		m->body.stack = *stack;
		err = ask(r, m, sizeof(m->q) + sizeof(*stack), -1, a, sizeof(*a));
	}
	if (!err && !is_sound(&a->frames, max))
		err = -EBADMSG;
	if (!err)
		*out = a->frames;
	free(m);
	free(a);
	return err;
}
