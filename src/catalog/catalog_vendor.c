// SPDX-License-Identifier: BSD-2-Clause
/* Events by the names in the CPU's manual. */
#include <errno.h>
#include <string.h>

#include "catalog/catalog_fill.h"
#include "event/vendor.h"

struct filling {
	struct catalog *c;
	struct buf name, text;
};

static int add(void *arg, const struct vendor_event *v)
{
	struct filling *f = arg;
	struct catalog_entry e = { .kind = CATALOG_VENDOR, .group = v->pmu };
	bool more = v->umask && v->umask_desc && *v->umask_desc;
	int err;

	/* Generic ones under libpfm4's own names: they are listed as what they are. */
	if (!strcmp(v->pmu, "perf") || !strcmp(v->pmu, "perf_raw"))
		return 0;
	buf__clear(&f->name);
	buf__clear(&f->text);
	err = buf__printf(&f->name, "%s::%s%s%s", v->pmu, v->name, v->umask ? ":" : "",
			  v->umask ? v->umask : "");
	if (!err)
		err = buf__printf(&f->text, "%s%s%s", v->desc, more ? ": " : "",
				  more ? v->umask_desc : "");
	e.name = f->name.data;
	e.text = f->text.data;
	return err ? err : catalog__add(f->c, &e);
}

int catalog_fill__vendor(struct catalog *c)
{
	struct filling f = { .c = c };
	int err = vendor__list(add, &f);

	buf__free(&f.name);
	buf__free(&f.text);
	return err == -EOPNOTSUPP ? 0 : err;
}
