// SPDX-License-Identifier: BSD-2-Clause
/* Files of code by path and build-id, the kernel by names that perf has given it. */
#include "collect/code_places.h"

#include <stdio.h>
#include <string.h>

#include "elf/kernel_id.h"
#include "model/profile.h"
#include "sym/frames.h"
#include "sym/mapped.h"

static int put_string(struct profile *p, const char *s, uint32_t *id)
{
	return profile__string(p, s, strlen(s), id);
}

static int put_build_id(struct profile *p, const uint8_t *bytes, size_t len, uint32_t *id)
{
	char hex[2 * BUILD_ID_BYTES + 1] = "";

	for (size_t i = 0; i < len && i < BUILD_ID_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	return put_string(p, hex, id);
}

int code_places__init(struct code_places *c, struct profile *profile,
		      const struct mapped_files *files)
{
	uint8_t id[BUILD_ID_BYTES];
	size_t len = kernel_id__read("/sys/kernel/notes", id, sizeof(id));

	*c = (struct code_places){ .profile = profile, .files = files };
	return put_build_id(profile, id, len, &c->kernel_id);
}

/* "[kernel.kallsyms]", or a module: "[xfs]". */
static int put_kernel_path(struct profile *p, const char *module, uint32_t *id)
{
	char path[80];

	if (!strcmp(module, "kernel"))
		return put_string(p, "[kernel.kallsyms]", id);
	snprintf(path, sizeof(path), "[%s]", module);
	return put_string(p, path, id);
}

int code_places__add(const struct code_places *c, const struct sym_frame *frame,
		     const struct sym_place *at, uint32_t *id)
{
	struct code_place place = { .addr = at->addr,
				    .offset = at->offset,
				    .line = at->line,
				    .start_line = at->start_line };
	const uint8_t *build_id;
	size_t len;
	int err = put_string(c->profile, at->source, &place.source);

	if (err)
		return err;
	switch (at->file) {
	case PLACE_IN_KERNEL:
		err = put_kernel_path(c->profile, frame->module, &place.path);
		if (!strcmp(frame->module, "kernel"))
			place.build_id = c->kernel_id;
		break;
	case PLACE_IN_VDSO:
		err = put_string(c->profile, "[vdso]", &place.path);
		break;
	default:
		err = put_string(c->profile, mapped_files__path(c->files, at->file), &place.path);
		len = mapped_files__build_id(c->files, at->file, &build_id);
		if (!err)
			err = put_build_id(c->profile, build_id, len, &place.build_id);
	}
	return err ? err : profile__place(c->profile, &place, id);
}
