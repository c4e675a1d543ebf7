/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/viewing.h - --tui: a profile on the terminal, after what was written of it (tui/viewer.h).
 */
#ifndef PMUTRACE_CMD_VIEWING_H
#define PMUTRACE_CMD_VIEWING_H

#include "base/array.h"
#include "base/buf.h"
#include "cmd/outputs.h"
#include "cmd/profile_output.h"

/* A row of a command's table of options. */
#define VIEWING_OPTION(offset)                                                                     \
	{                                                                                          \
		OPT_BOOL, 0, "tui", NULL, offset,                                                  \
			"then functions, stacks, flame graph on the terminal"                      \
	}

/*
 * To be asked before anything is read or measured: there is a terminal, and nothing of @o goes to
 * it but a table. 0; -EINVAL or -ENOTTY with @why; -ENOMEM.
 */
int viewing__check(const struct outputs *o, struct buf *why) must_check;

/* Of a run whose table has gone to the terminal, and is all there is: a notice of --tui. */
void viewing__offer(const struct outputs *o);

/*
 * Until the user leaves. @out: what is shown, and how it is written to files; @name: of what is
 * shown. Privileges but those of writing are dropped. If stdin is no terminal its place is taken by
 * the one that the process has. 0 or -errno with @why.
 */
int viewing__show(const struct profile_output *out, const char *name, struct buf *why) must_check;

#endif
