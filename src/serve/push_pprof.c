// SPDX-License-Identifier: BSD-2-Clause
/* What bodies have in them: a file of pprof, an id. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "model/profile.h"
#include "serve/push_body.h"

int push_body__id(uint8_t id[16])
{
	if (getrandom(id, 16, 0) != 16)
		return -EIO;
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
	return 0;
}

int push_body__id_text(struct buf *out, const uint8_t id[16])
{
	int err = 0;

	for (unsigned i = 0; i < 16 && !err; i++)
		err = buf__printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				  id[i]);
	return err;
}

/* A gzip file ends with the size of what is in it (RFC 1952, ISIZE). */
static size_t size_unpacked(const char *bytes, size_t len)
{
	const unsigned char *end = (const unsigned char *)bytes + len;

	return len < 4 ? 0
		       : end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 |
				 (size_t)end[-1] << 24;
}

int push_body__pprof(struct buf *out, const struct push_profile *p, size_t *unpacked)
{
	struct profile timed = *p->profile; /* but for its time the same */
	struct pprof_opts opts = p->pprof;
	char *bytes = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&bytes, &len);
	int err;

	if (!f)
		return -ENOMEM;
	timed.about.begin_ns = p->begin_ns;
	timed.duration_ns = p->duration_ns;
	opts.series = true;
	err = print__pprof(f, &timed, &opts);
	if (fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		err = buf__put(out, bytes, len);
	if (!err)
		*unpacked = size_unpacked(bytes, len);
	free(bytes);
	return err;
}
