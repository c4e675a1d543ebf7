#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The layer check finds what it is for.
. "$(dirname "$0")/../lib.sh"

layers=$TOP/scripts/check-layers.sh

# file PATH LINE.. - in a tree of our own
file() {
	mkdir -p "$T/tree/$(dirname "$1")"
	path=$T/tree/$1
	shift
	printf '%s\n' "$@" >"$path"
}

plan 15
check 0 "this tree is clean" "$layers"
silent out "and that needs no words"

file src/base/a.c '#include "base/a.h"' '#include <stdio.h>'
file src/sym/a.c '#include "sym/a.h"' '#include "model/a.h"'
file src/probe/a.c '#include "sample.wire.h"' '#include "sample.skel.h"' '#include "perf/a.h"'
file src/cmd/a.c '#include "print/a.h"' '#include "probe/a.h"'
file src/main.c '#include "cmd/a.h"'
file bpf/a.bpf.c '#include "vmlinux.h"' '#include "sample.wire.h"'
check 0 "what is allowed is allowed" "$layers" "$T/tree"

file src/base/bad.c '#include <stdio.h>' '' '# include "model/a.h"'
check 1 "base may not include model" "$layers" "$T/tree"
says out "and the line is named" '^src/base/bad\.c:3: model/a\.h'
rm "$T/tree/src/base/bad.c"

file src/print/bad.c '#include "tui/a.h"'
check 1 "rooms of one floor do not know each other" "$layers" "$T/tree"
says out "and the line is named" '^src/print/bad\.c:1: tui/a\.h'
rm "$T/tree/src/print/bad.c"

file src/print/bad.h '#include "sample.wire.h"'
check 1 "only probe reads the kernel side's headers" "$layers" "$T/tree"
says out "and the line is named" '^src/print/bad\.h:1: sample\.wire\.h'
rm "$T/tree/src/print/bad.h"

file src/model/bad.c '#include "../base/a.h"'
check 1 "no way round by .." "$layers" "$T/tree"
rm "$T/tree/src/model/bad.c"

file src/new/a.c ''
check 1 "a folder that nobody thought of" "$layers" "$T/tree"
says out "is named" '^src/new/a\.c:1: new'
rm -r "$T/tree/src/new"

file bpf/bad.bpf.c '#include "base/a.h"'
check 1 "the kernel side knows nothing of src" "$layers" "$T/tree"
rm "$T/tree/bpf/bad.bpf.c"

file src/main.c '#include "perf/a.h"'
check 1 "main.c only dispatches" "$layers" "$T/tree"
says out "and the line is named" '^src/main\.c:1: perf/a\.h'
