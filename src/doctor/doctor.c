// SPDX-License-Identifier: BSD-2-Clause
/* Runs all checks, in the order in which their findings are shown. */
#include "doctor/doctor.h"

#include "doctor/doctor_facts.h"

int doctor__examine(struct findings *out, const struct doctor_opts *opts)
{
	struct doctor d = {
		.findings = out,
		.root = opts->root,
		.program = opts->program,
		.tries = opts->tries,
		.glances = opts->glances,
	};

	doctor_facts__read(&d);
	doctor__sampling(&d);
	doctor__permissions(&d);
	doctor__limits(&d);
	doctor__kernel(&d);
	doctor__tracing(&d);
	doctor__pmu(&d);
	doctor__containers(&d);
	doctor__stacks(&d);
	doctor__unwinding(&d);
	out->ready = opts->tries->profile == 0;
	return findings__error(out);
}
