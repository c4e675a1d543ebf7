// SPDX-License-Identifier: BSD-2-Clause
/* What was found of this machine, as a JSON document. */
#include "print/findings_json.h"

#include "print/json.h"

static void put_row(struct json *j, const struct finding *x)
{
	json__line(j);
	json__open(j, NULL);
	json__open(j, "key");
	json__string(j, "name", x->name);
	json__string(j, "area", x->area);
	if (x->subject)
		json__string(j, "subject", x->subject);
	json__close(j);
	json__string(j, "state", finding_state__name(x->state));
	json__string(j, "found", x->found);
	json__string(j, "cost", x->cost);
	json__string(j, "fix", x->fix);
	json__close(j);
}

int print__findings_json(FILE *f, const struct findings *found, const char *command)
{
	struct json j;

	json__begin(&j, f, command, true);
	json__line(&j);
	json__open_array(&j, "rows");
	for (size_t i = 0; i < found->nr; i++)
		put_row(&j, &found->items[i]);
	json__close_array(&j);
	json__line(&j);
	json__bool(&j, "ready", found->ready);
	return json__end(&j);
}
