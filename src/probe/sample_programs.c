// SPDX-License-Identifier: BSD-2-Clause
/* The programs of the skeleton by the events that they are of. */
#include <stdio.h>

#include "probe/sample_session.h"

struct bpf_program *sampler__program(const struct sampler *s, size_t event)
{
	char name[BPF_OBJ_NAME_LEN];

	snprintf(name, sizeof(name), "sample_event_%u", (unsigned)event);
	return bpf_object__find_program_by_name(s->skel->obj, name);
}
