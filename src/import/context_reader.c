// SPDX-License-Identifier: BSD-2-Clause
/* Finds a mapping in /proc/PID/maps, and reads a header and a payload that may change meanwhile. */
#include "import/context_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jail/message.h"
#include "sym/maps.h"

enum {
	TRIES = 3,
	MAPPINGS = 4, /* of the name that are looked at: there should be one */
	SLICES = 128, /* of a map: 8 MiB, more than the kernel allows by itself */
};

struct context_reply {
	int32_t err;
	uint32_t unused;
	struct context_place place;
	struct process_context context;
};

static int read_at(int mem, uint64_t address, void *out, size_t len)
{
	ssize_t n;

	if (address > INT64_MAX - len)
		return -EFAULT;
	do
		n = pread(mem, out, len, (off_t)address);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)len ? 0 : -EFAULT;
}

/* 0; -EAGAIN: it has changed meanwhile, or is about to; -EPROTO; -EALREADY. */
static int try_once(int mem, const struct context_place *known, struct context_place *found,
		    struct process_context *out)
{
	char before[CONTEXT_HEADER_BYTES], after[CONTEXT_HEADER_BYTES];
	struct context_header header;
	int err, payload_err;
	void *payload;

	if (read_at(mem, found->address, before, sizeof(before)))
		return -EPROTO;
	err = process_context__header(&header, before);
	if (err)
		return err == -EAGAIN ? err : -EPROTO;
	found->published_ns = header.published_ns;
	if (known->address == found->address && known->published_ns == header.published_ns)
		return -EALREADY;
	payload = malloc(header.payload_bytes);
	if (!payload)
		return -ENOMEM;
	payload_err = read_at(mem, header.payload, payload, header.payload_bytes);
	if (read_at(mem, found->address, after, sizeof(after)) ||
	    memcmp(before, after, sizeof(after)))
		err = -EAGAIN;
	else if (payload_err || process_context__payload(out, payload, header.payload_bytes))
		err = -EPROTO;
	free(payload);
	return err;
}

static int read_context(int mem, const struct context_place *known, struct context_place *found,
			struct process_context *out)
{
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && err == -EAGAIN; i++)
		err = try_once(mem, known, found, out);
	return err;
}

/* Mappings of the name, in order of address. */
static int find(int maps, uint64_t addresses[MAPPINGS], size_t *nr)
{
	struct maps_file *f;
	struct maps_line line;
	int more = 1, err = maps_file__take(&f, maps);

	*nr = 0;
	if (err)
		return err;
	for (int i = 0; i < SLICES && more > 0; i++) {
		more = maps_file__read(f);
		while (*nr < MAPPINGS && maps_file__next(f, &line))
			if (process_context__is_name(line.name, line.name_len))
				addresses[(*nr)++] = line.start;
	}
	maps_file__close(f);
	return 0;
}

int context_reader__read(int maps, int mem, struct context_place *place,
			 struct process_context *out)
{
	const struct context_place known = *place;
	uint64_t addresses[MAPPINGS];
	int err, worst = -ENOENT;
	size_t nr;

	*out = (struct process_context){};
	*place = (struct context_place){};
	err = find(maps, addresses, &nr);
	if (err)
		return err;
	for (size_t i = 0; i < nr; i++) {
		struct context_place found = { .address = addresses[i] };

		err = read_context(mem, &known, &found, out);
		if (!err || err == -EALREADY) {
			*place = found;
			return err;
		}
		worst = worst == -EAGAIN ? worst : err;
	}
	*out = (struct process_context){};
	return worst;
}

/* In the jail: a question with /proc/PID/maps, then one byte with mem. */
static void run(int sock, int file)
{
	struct context_place place;
	char more;
	int maps, mem;

	(void)file;
	while (message__receive(sock, &place, sizeof(place), &maps) == (int)sizeof(place)) {
		struct context_reply reply = { .place = place };

		if (message__receive(sock, &more, sizeof(more), &mem) != (int)sizeof(more) ||
		    maps < 0 || mem < 0)
			return;
		reply.err = context_reader__read(maps, mem, &reply.place, &reply.context);
		close(mem);
		if (message__send(sock, &reply, sizeof(reply), -1))
			return;
	}
}

const struct jail_reader context_reader_kind = {
	.name = "context-reader",
	.run = run,
	.max_cpu_ns = 250000000,
	.max_wall_ns = 250000000,
	.max_bytes = 32 << 20,
};

static bool is_of_process(int err)
{
	return !err || err == -EALREADY || err == -ENOENT || err == -EAGAIN || err == -EPROTO;
}

int context_reader__ask(struct jailed *r, int maps, int mem, struct context_place *place,
			struct process_context *out)
{
	struct context_reply reply;
	int n = jailed__send(r, place, sizeof(*place), maps);

	if (!n)
		n = jailed__give(r, "", 1, mem);
	if (n)
		return n;
	n = jailed__receive(r, &reply, sizeof(reply));
	if (n < 0)
		return n == -EAGAIN ? -EBADMSG : n;
	/* It may be in a stranger's hands by now. */
	if (n != (int)sizeof(reply) || !is_of_process(reply.err) ||
	    !process_context__is_sound(&reply.context))
		return -EBADMSG;
	*place = reply.place;
	*out = reply.context;
	return reply.err;
}
