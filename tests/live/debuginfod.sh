#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --debuginfod: names and lines of a stripped program come from a server; one that is bad costs names and nothing else.
. "$(dirname "$0")/../lib.sh"
need_bpf
library=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | awk '$1 == "libdebuginfod.so.1" { print $NF; exit }')
[ -n "$library" ] || skip_all "libdebuginfod: is not installed"

prog=$T/stripped
id=$(readelf -n "$PROG/inlines" | sed -n 's/.*Build ID: //p')
strip -o "$prog" "$PROG/inlines"
mkdir "$T/files"
objcopy --only-keep-debug "$PROG/inlines" "$T/files/$id"
cp "$PROG/bare" "$T/files/wrong"
start perl "$TOP/tests/debug_server.pl" "$T/files" "$T/port" "$T/log"
within 10 test -s "$T/port"
server=http://127.0.0.1:$(cat "$T/port")
export DEBUGINFOD_TIMEOUT=2 DEBUGINFOD_MAXSIZE=20000000
export DEBUGINFOD_CACHE_PATH="$T/cache"

# from SERVER.. - profiles the program and asks these, whose answers nobody remembers
from() {
	rm -rf "$T/cache" "$T/log"
	DEBUGINFOD_URLS=
	for one; do
		DEBUGINFOD_URLS="$DEBUGINFOD_URLS $one"
	done
	export DEBUGINFOD_URLS
	pm -F 997 --lines --debuginfod -o "$T/p.folded" -o "$T/p.json" -- "$prog" 0.3
}

# whole [REGEX] - the program ran on and no sample is missing; frames like this have as good as all of them
whole() {
	[ "$status" = 0 ] || return 1
	json "$T/p.json" '$d->{seen} - $d->{kept}' | grep -qx 0 || return 1
	all=$(folded_sum "$T/p.folded" '^stripped;')
	between 10 "$all" 1000 || return 1
	between $((all * 9 / 10)) "$(folded_sum "$T/p.folded" "$1")" "$all"
}
named=';outer \(inlines.c:[0-9]+\);middle \(inlines.c:[0-9]+\)_\[i\];inner \(inlines.c:[0-9]+\)_\[i\] '
nameless=';\[stripped fn 0x[0-9a-f]+\]'

# told N REGEX - notices like this
told() {
	equal "$(grep -c -E -e "$2" "$T/err")" "$1"
}
# asked N - requests for the program's debug file
asked() {
	equal "$(grep -c " $id\$" "$T/log" 2>/dev/null)" "$1"
}

plan 45
export DEBUGINFOD_URLS="$server/ok"
: >"$T/log"
pm -F 997 --lines -o "$T/p.folded" -o "$T/p.json" -- "$prog" 0.3
ok "without the option no name is known" whole "$nameless"
ok "and nobody is asked" equal "$(cat "$T/log")" ""

from "$server/ok"
ok "with it names, inlined functions and lines are known" whole "$named"
ok "from the server" asked 1
ok "in a file that is nobody's" equal "$(find "$T/cache" -name debuginfo -size +1k -exec stat -c %u {} +)" 65534
ok "nothing is told" told 0 'debug file'
: >"$T/log"
pm -F 997 --lines --debuginfod -o "$T/p.folded" -o "$T/p.json" -- "$prog" 0.3
ok "the next run knows them" whole "$named"
ok "and asks nobody" asked 0


start beneath "$prog" 60
run "$PMUTRACE" top -b -n 3 -d 1 --by function -e cpu-clock --debuginfod -p "$started"
ok "top's functions have names" grep -q '  outer  *stripped' "$T/out"
address=$(nm "$PROG/inlines" | awk '$3 == "outer" { print "0x" $1 }')
run "$PMUTRACE" count --debuginfod --by ustack -o "$T/c.folded" -p "$started" "uprobe:$prog:$address" 0.2
ok "and so have count's" grep -q ';main;outer;middle_\[i\];inner_\[i\] ' "$T/c.folded"
stop "$started"

from "$server/none"
ok "a server without the file costs names" whole "$nameless"
ok "and is no failure" told 0 'debug file'
from "$server/none" "$server/ok"
ok "the next server has it" whole "$named"
ok "each is asked once" asked 2
from "$server/moved"
ok "a server may send elsewhere" whole "$named"

from "$server/silent"
ok "from a server that hangs there are no names" whole "$nameless"
ok "which is told once" told 1 "no more debug files from $server/silent: it took too long"
from "$server/silent" "$server/ok"
ok "the next one is asked then" whole "$named"
ok "the first one is told once" told 1 "no more debug files from"

from http://127.0.0.1:1
ok "from a port where nobody listens there are no names" whole "$nameless"
ok "which is told" told 1 'no more debug files from http://127.0.0.1:1: Connection refused'
from "$server/busy"
ok "a status of HTTP is an answer" whole "$nameless"
from "$server/round"
ok "a circle ends" whole "$nameless"

from "$server/wrong"
ok "another file's names are not used" whole "$nameless"
ok "which is told" told 1 "$server/wrong has sent something else"
from "$server/garbage"
ok "nor is what is no such file" whole "$nameless"
ok "that is told, too" told 1 "$server/garbage has sent something else"

from "$server/endless"
ok "a file without an end is given up" whole "$nameless"
ok "and told" told 1 "no more debug files from $server/endless"
ok "it does not stay" equal "$(find "$T/cache" -size +20000k)" ""
from "$server/large"
ok "one that is too large is not taken" whole "$nameless"
ok "nor does it stay" equal "$(find "$T/cache" -size +20000k)" ""

from "$server/slow" "$server/ok"
ok "a server may take its time" told 1 "$server/slow: it took too long"
DEBUGINFOD_TIMEOUT=20 from "$server/slow"
ok "as long as it is given" whole "$named"
silent out "without a terminal there is no progress"
ok "nor on stderr" told 0 'looking up names'
if command -v script >/dev/null; then
	rm -rf "$T/cache"
	DEBUGINFOD_TIMEOUT=20 script -q -c "exec '$PMUTRACE' profile -e cpu-clock --debuginfod -o '$T/p.folded' -- '$prog' 0.3" \
		"$T/terminal" >/dev/null </dev/null
	ok "on a terminal there is" grep -q "looking up names: .*; $server/slow" "$T/terminal"
else
	skip 1 "script: not here"
fi

# What a server does is nothing to the stacks of others: their files are opened, and unwound by their rules.
rm -rf "$T/cache"
DEBUGINFOD_TIMEOUT=5 DEBUGINFOD_URLS=$server/silent
export DEBUGINFOD_URLS
pm -F 997 --debuginfod -o "$T/p.folded" -- sh -c "'$prog' 0.3; '$PROG/bare' -s 0.6 plain"
n=$(folded_sum "$T/p.folded" ';spin_bare ')
ok "programs that begin meanwhile have whole stacks" \
	between $((n * 8 / 10)) "$(folded_sum "$T/p.folded" ';_start;.*;main;.*;spin_bare ')" "$n"
ok "and are sampled" between 20 "$n" 1000

unset DEBUGINFOD_URLS
check 1 "without servers it ends" "$PMUTRACE" profile --debuginfod -- true
says err "and says what to set" 'DEBUGINFOD_URLS, which is not set; sudo keeps it with --preserve-env=DEBUGINFOD_URLS'
export DEBUGINFOD_URLS="$server/ok"
: >"$T/empty"
check 1 "without the library it ends" unshare -m sh -c "mount --bind '$T/empty' '$(readlink -f "$library")' &&
	exec '$PMUTRACE' profile --debuginfod -- true"
says err "and says what to install" '--debuginfod: libdebuginfod cannot be loaded .*install libdebuginfod1'
chmod 777 "$T/cache"
check 1 "a cache that others can write to is refused" "$PMUTRACE" profile --debuginfod -- true
says err "and named" "debug files are not put into $T/cache: others may write to it"
