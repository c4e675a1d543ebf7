// SPDX-License-Identifier: BSD-2-Clause
/* Both sides as a page. */
#include "print/diff_sides.h"
#include "print/flame/html.h"

int print__diff_html(FILE *f, const struct diff_page *page)
{
	struct diff_sides s = {};
	int err = diff_sides__open(&s, page);
	const struct html_opts opts = { .command = "diff", .sides = s.names, .sure = s.sure };

	if (!err)
		err = print__html(f, s.overlay, &opts);
	diff_sides__free(&s);
	return err;
}
