// SPDX-License-Identifier: BSD-2-Clause
/* Waits for names between the last sample and the result: it may take as long as a disk does. */
#include "cmd/naming.h"

#include <stdio.h>

static void show(void *arg, uint64_t elapsed_ns, uint64_t nr_stacks)
{
	bool *shown = arg;

	fprintf(stderr,
		"\r\033[Klooking up names: %.1f s, %llu stacks left; Ctrl-C: addresses instead \b",
		elapsed_ns / 1e9, (unsigned long long)nr_stacks);
	*shown = true;
}

int naming__finish(struct collector *c, struct runloop *loop, bool tells)
{
	const struct runloop_work work = collector__naming(c);
	bool shown = false;
	int err = collector__stop(c);

	if (!err)
		err = runloop__settle(loop, &work, tells ? show : NULL, &shown);
	if (shown)
		fputs("\r\033[K", stderr);
	return err ? err : collector__finish(c);
}
