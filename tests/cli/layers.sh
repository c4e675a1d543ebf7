#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The checks of layers, of names and of docs/architecture.md find what they are for.
. "$(dirname "$0")/../lib.sh"

layers=$TOP/scripts/check-layers.sh ways=$TOP/scripts/check-ways.sh
names=$TOP/scripts/check-names.sh

# file PATH LINE.. - in a tree of our own
file() {
	mkdir -p "$T/tree/$(dirname "$1")"
	path=$T/tree/$1
	shift
	printf '%s\n' "$@" >"$path"
}

plan 29
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

# Names: structs of two .c files are nobody else's.
check 0 "no two structs of this tree share a name" "$names"
silent out "and that needs no words"
file src/base/a.c 'struct mine {' 'struct other;' '};'
file src/sym/a.c 'struct mine {' '};'
check 0 "what is known in one file alone may have any name" "$names" "$T/tree"
file src/model/a.h 'struct mine {' '};'
check 1 "but that of another's header" "$names" "$T/tree"
says out "both are named" '^src/sym/a\.c:1: struct mine is also in src/model/a\.h:1'

# Ways: the floors are the script's own, so the table of the tree is.
check 0 "what this tree tells of itself is true" "$ways"
silent out "and that needs no words"
rm -r "$T/tree"
# way LINE.. - in a document whose table is right
way() {
	mkdir -p "$T/tree/docs"
	{
		grep '^| [0-9]' "$TOP/docs/architecture.md"
		echo
		printf '    %s  what it is\n' "$@"
	} >"$T/tree/docs/architecture.md"
}
file bpf/a.wire.h ''
file bpf/a.bpf.c '#include "a.wire.h"'
file src/probe/a.h '#include "a.wire.h"'
file src/probe/a.c '#include "probe/a.h"' '#include "a.skel.h"'
file src/cmd/a.c '#include "probe/a.h"'
way bpf/a.wire.h bpf/a.bpf.c src/probe/a.c src/cmd/a.c
check 0 "one includes the other" "$ways" "$T/tree"
way bpf/a.bpf.c src/cmd/a.c
check 1 "two that do not know each other" "$ways" "$T/tree"
says out "are named" 'neither of bpf/a.bpf.c and src/cmd/a.c'
way bpf/a.wire.h src/probe/gone.c
check 1 "a file that is not there" "$ways" "$T/tree"
says out "is named" 'there is no src/probe/gone.c'
way bpf/a.wire.h bpf/a.bpf.c
sed -i 's/^| 2 | `elf`/| 3 | `elf`/' "$T/tree/docs/architecture.md"
check 1 "a room on another floor" "$ways" "$T/tree"
says out "is named" 'elf is on floor 2, not 3'
