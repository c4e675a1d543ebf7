// SPDX-License-Identifier: BSD-2-Clause
/* Opens the jail with a list of readers. */
#include "cmd/readers.h"

#include <stddef.h>

#include "import/context_reader.h"
#include "jail/jail.h"
#include "lookup/lookup_reader.h"
#include "sym/name_reader.h"
#include "unwind/reference.h"
#include "unwind/table_reader.h"

struct jail *readers__open(void)
{
	static const struct jail_reader *const readers[] = {
		&name_reader_kind,   &table_reader,	  &reference_reader,
		&lookup_reader_kind, &lookup_glance_kind, &context_reader_kind
	};
	struct jail *j;

	return jail__open(&j, readers, ARRAY_SIZE(readers)) ? NULL : j;
}

struct lookup_reader *readers__for_lookups(struct jail *j)
{
	return lookup_reader__new(j, &lookup_reader_kind);
}

void readers__close(struct jail *j, struct lookup_reader *lookups)
{
	lookup_reader__free(lookups);
	jail__close(j);
}
