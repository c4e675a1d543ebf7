/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd/call_graph_opts.h - rows of a command's table of options: how user frames are found. */
#ifndef PMUTRACE_CMD_CALL_GRAPH_OPTS_H
#define PMUTRACE_CMD_CALL_GRAPH_OPTS_H

#include "base/opt.h"
#include "plan/call_graph.h"

/* @type: the struct of options; @member: its struct call_graph_opts. */
/* clang-format off */
#define CALL_GRAPH_OPTIONS(type, member) \
	{ OPT_STR, 0, "call-graph", "WAY", offsetof(type, member.way), \
	  "user frames: eh (.eh_frame), fp or none (eh)" }, \
	{ OPT_COUNT, 0, "unwind-mem", "SIZE", offsetof(type, member.bytes), \
	  "for rules of eh (24M)" }
/* clang-format on */

#endif
