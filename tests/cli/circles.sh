#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No two sources use each other, and the check of that finds those that do.
. "$(dirname "$0")/../lib.sh"

circles=$TOP/scripts/check-circles.sh

# put NAME TEXT - in a tree of our own, with its object
put() {
	mkdir -p "$T/src/$(dirname "$1")" "$T/objects/$(dirname "$1")"
	echo "$2" >"$T/src/$1.c"
	"${CC:-cc}" -w -c -o "$T/objects/$1.o" "$T/src/$1.c"
}

plan 9
check 0 "in this tree use goes one way" "$circles" "$O/src"
silent out "and that needs no words"

put a/top 'void middle(void); void top(void) { middle(); }'
put b/middle 'void low(void); void middle(void) { low(); }'
put c/low 'void low(void) {} void unused(void);'
check 0 "one way is allowed" "$circles" "$T/objects" "$T/src"

put c/low 'void top(void); void low(void) { top(); }'
check 1 "a circle by way of a third is found" "$circles" "$T/objects" "$T/src"
says out "each use in it is named" '^a/top\.c uses b/middle\.c: middle$'
says out "and the last" '^c/low\.c uses a/top\.c: top$'

rm "$T/src/a/top.c"
check 0 "an object that was left behind is none of ours" "$circles" "$T/objects" "$T/src"

check 1 "without objects nothing is known" "$circles" "$T/none" "$T/src"
says out "and that is said" '^no objects in .*: build first$'
