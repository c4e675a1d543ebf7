/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/flame/html_data.h - a profile as JSON for the scripts of a page: columns of numbers.
 *
 *	{ "noun": "sample", "event": 0, "view": "flame", "title": "..", "sides": null,
 *	  "events": [{"name":"cycles","unit":"","samples":10,"each":1000,
 *	              "line":"cycles (10 samples, ..)","rate":"99 Hz"}],
 *	  "color": {"title":"IPC","events":[1,0],"formula":["#0","#1","/"]},
 *	  "losses": "..", "strings": ["", "sh", ..],
 *	  "frames": {"nr": 7, "kind": "0112..", "name": "..", "module": ".."}, "sure": null,
 *	  "nodes":  {"nr": 9, "parent": "..", "frame": ".."},
 *	  "rows":   {"nr": 6, "event": "..", "pid": "..", "tid": null, "cgroup": null,
 *	             "node": "..", "samples": "..", "weight": ".."},
 *	  "windows": {"nr": 50, "entries": 120, "begin": 0, "end": "..", "lost": "..",
 *	              "count": "..", "row": "..", "samples": "..", "weight": ".."} }
 *
 * Strings, frames, nodes, rows and windows are those of model/profile.h and model/windows.h with
 * their ids; node 0 is the root, which has no frame. kind has a digit for each frame, enum
 * frame_kind. What was not told apart has no column: null; without windows, they are null.
 *
 * A page of two sides (html_opts.sides) has their names, "sides": ["A: a.pmut", "B: b.pmut"], each
 * is a window, and "sure" has a digit for each frame: 1 where it is sure that its function is more
 * in B, 2 less, 0 neither.
 *
 * "color" is the ratio that frames are coloured by (columns/shade.h), or null: indices of events,
 * and a formula in postfix order: numbers, "#0" for the count of the first of these events, "+",
 * "-", "*", "/", and "~" for what is negated.
 *
 * A column is base64 of LEB128, 7 bits in a byte, low ones first, as many numbers as its table has:
 *
 *	parent		how far before the node it is
 *	pid, tid, cgroup, node, row
 *			less the number before, 0 before the first: zigzag, 2n or -2n - 1; over all
 *			windows, of row
 *	weight		less "each" of its event for each sample: zigzag. null: not known, or the
 *			same as samples for all
 *	end		of a window, ns behind the one before, or behind "begin" of the first one
 *	lost		of a window, samples
 *	count		entries of a window
 *
 * A number may be beyond 2^53, and is inexact to a script then.
 */
#ifndef PMUTRACE_PRINT_FLAME_HTML_DATA_H
#define PMUTRACE_PRINT_FLAME_HTML_DATA_H

#include "base/array.h"
#include "print/flame/html.h"
#include "print/writer.h"

/*
 * Writes the object. < > & are \u escapes in it: no name ends a script element. @title: UTF-8.
 * 0 or -ENOMEM; other errors are the writer's.
 */
int html_data__put(struct writer *w, const struct profile *p, const struct html_opts *o,
		   const char *title) must_check;

#endif
