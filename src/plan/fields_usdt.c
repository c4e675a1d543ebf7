// SPDX-License-Identifier: BSD-2-Clause
/* Arguments of a USDT probe, as its note says where they are. */
#include <errno.h>

#include "lookup/usdt_args.h"
#include "machine/registers.h"
#include "plan/fields_parts.h"

static int too_few(const struct fields *f, unsigned long n, struct buf *why)
{
	size_t nr = usdt_args__nr(f->ev->site.args);

	if (!nr)
		return refuse(why, "%s has no arguments", f->ev->name);
	return refuse(why, "%s has no arg%lu: its last is arg%zu", f->ev->name, n, nr - 1);
}

int fields__usdt(struct fields *f, unsigned long n, struct field_place *out, struct buf *why)
{
	struct usdt_arg a;
	int err = usdt_args__find(REGISTERS_OUR_MACHINE, f->ev->site.args, n, &a, why);

	if (err)
		return err == -ENOENT ? too_few(f, n, why) : err;
	out->type = (struct field_type){ SHAPE_NUMBER, .size = a.size, .is_signed = a.is_signed };
	out->fetch = (struct fetch){
		.source = a.kind == USDT_CONSTANT ? FETCH_CONSTANT : FETCH_CONTEXT,
		.is_user = 1,
	};
	if (a.kind == USDT_CONSTANT) {
		out->fetch.constant = (uint64_t)a.value;
		return 0;
	}
	out->fetch.load.offset = a.at;
	if (a.kind == USDT_MEMORY) {
		out->fetch.load.size = 8;
		out->fetch.nr_steps = 1;
		out->fetch.steps[0].offset = (int32_t)a.value;
	}
	return 0;
}
