// SPDX-License-Identifier: BSD-2-Clause
/* Any text as the arguments of a probe, of either machine; what is found fits into registers. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/usdt_args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { PT_REGS_BYTES = 33 * 8, ARGS_MAX = 16 };

static void check(const struct usdt_arg *a)
{
	if (a->size != 1 && a->size != 2 && a->size != 4 && a->size != 8)
		abort();
	if (a->kind == USDT_CONSTANT) {
		if (!a->is_signed && a->size < 8 && (uint64_t)a->value >> (8 * a->size))
			abort();
		return;
	}
	/* A part may begin at a register's second byte. */
	if (a->at + a->size > PT_REGS_BYTES || a->at % 8 > 1)
		abort();
	if (a->kind == USDT_MEMORY && (a->at % 8 || a->value != (int32_t)a->value))
		abort();
}

static void find_all(unsigned machine, const char *args)
{
	size_t nr = usdt_args__nr(args), n;
	struct buf why = {};
	struct usdt_arg a;
	int err;

	for (n = 0; n <= nr && n < ARGS_MAX; n++) {
		err = usdt_args__find(machine, args, n, &a, &why);
		if ((err == -ENOENT) != (n == nr) || (err == -EINVAL) != !!why.len)
			abort();
		if (!err)
			check(&a);
		buf__clear(&why);
	}
	buf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *args = strndup((const char *)data, len);

	if (!args)
		abort();
	find_all(EM_X86_64, args);
	find_all(EM_AARCH64, args);
	free(args);
	return 0;
}
