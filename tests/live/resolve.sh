#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# report --resolve: a capture of a stripped program gets its names where the whole one is, told by its
# build-id; --symfs finds it elsewhere, --debuginfod asks a server for what was stripped.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 45

prog=$T/bin/inlines
mkdir -p "$T/bin" "$T/root$T/bin"
strip -s -o "$prog" "$PROG/inlines"
pm -F 997 -o "$T/p.pmut" -o "$T/p.json" -- "$prog" 0.4
kept=$(json "$T/p.json" '$d->{kept}')
ok "a stripped program is measured" between 20 "$kept" 10000

# outer FILE.. - samples of stacks that have its functions as the source has them
outer() {
	folded_sum "$T/r.folded" ';main;outer;middle_\[i\];inner_\[i\] '
}

# report_it OPTION.. - the capture as folded stacks
report_it() {
	"$PMUTRACE" report -o "$T/r.folded" "$@" "$T/p.pmut"
}

# all_named - every function but those of the vdso that it has no symbols for (clock_gettime() calls them)
# has a name, and so it was told: what is left is counted, by addresses, and is code without a build-id
all_named() {
	grep -o '\[[^];]*\]\? \?\(fn \|+\)0x[0-9a-f]*' "$T/r.folded" | sort -u >"$T/nameless"
	! grep -v '^\[\[vdso\]' "$T/nameless" || return 1
	awk -v functions="$(wc -l <"$T/nameless")" '
		/addresses without a name have one now$/ { left = $4 - $2; seen++ }
		/addresses? (is|are) in files whose build-id is not known$/ { untold = $2 }
		END { exit !(seen == 1 && left >= functions && left <= untold && (left > 0) == (functions > 0)) }' "$T/err"
}

check 0 "without --resolve" report_it
ok "no function has a name" equal "$(outer)" 0
check 0 "with it, and what was measured" report_it --resolve
ok "neither" equal "$(outer)" 0
ok "which is told" grep -q -E '^pmutrace: 0 of [0-9]+ addresses without a name have one now$' "$T/err"

# The whole program where the stripped one was; clock_gettime() and the loader may have a sample or two.
cp "$PROG/inlines" "$prog"
check 0 "where the whole program is" report_it --resolve -o "$T/r.pb.gz"
ok "functions have names, and what was inlined into them" between $((kept * 9 / 10)) "$(outer)" "$kept"
ok "no sample is gone" equal "$(folded_sum "$T/r.folded")" "$kept"
ok "which is told" all_named
line=$(grep -n '/\* OUTER \*/' "$TOP/tests/prog/inlines.c" | cut -d : -f 1)
perl "$TOP/tests/pprof.pl" lines "$T/r.pb.gz" >"$T/lines"
ok "and lines" grep -q " outer:[0-9]* [^ ]*/inlines.c:$line\$" "$T/lines"
check 0 "--no-inline" report_it --resolve --no-inline
ok "leaves inlined functions out" between $((kept * 9 / 10)) "$(folded_sum "$T/r.folded" ';main;outer ')" "$kept"

# What is resolved is kept.
check 0 "a capture with names" "$PMUTRACE" report -q --resolve -o "$T/named.pmut" "$T/p.pmut"
rm "$prog"
check 0 "needs no program" "$PMUTRACE" report -q -o "$T/r.folded" "$T/named.pmut"
ok "has the names" between $((kept * 9 / 10)) "$(outer)" "$kept"
check 0 "and keeps them where there is none" "$PMUTRACE" report --resolve -o "$T/r.folded" "$T/named.pmut"
ok "as they were" between $((kept * 9 / 10)) "$(outer)" "$kept"

# Elsewhere; and another program at that place.
cp "$PROG/inlines" "$T/root$prog"
check 0 "--symfs" report_it --symfs "$T/root"
ok "finds it below a directory" between $((kept * 9 / 10)) "$(outer)" "$kept"
cp "$PROG/bare" "$T/root$prog"
check 0 "another program of that name" report_it --symfs "$T/root"
ok "is not taken for it" grep -q "^pmutrace: 0 of " "$T/err"

# All that is here is the debug file, which has no code: below the directory, by its build-id.
rm "$T/root$prog"
id=$(readelf -n "$PROG/inlines" | sed -n 's/.*Build ID: //p')
debug=$T/root/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug
mkdir -p "${debug%/*}"
objcopy --only-keep-debug "$PROG/inlines" "$debug"
chown 65534 "$debug"
check 0 "the debug file alone, whoever owns it" report_it --symfs "$T/root"
ok "has names, and what was inlined" between $((kept * 9 / 10)) "$(outer)" "$kept"
objcopy --only-keep-debug "$PROG/bare" "$debug"
check 0 "another one's at its place" report_it --symfs "$T/root"
ok "is not taken for it" grep -q "^pmutrace: 0 of " "$T/err"
objcopy --only-keep-debug --strip-debug "$PROG/inlines" "$debug"
check 0 "one of which nothing is left" report_it --symfs "$T/root"

# Stripped, and a server has the rest.
strip -s -o "$prog" "$PROG/inlines"
if PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q 'libdebuginfod.so.1 '; then
	mkdir "$T/files"
	objcopy --only-keep-debug "$PROG/inlines" "$T/files/$(readelf -n "$PROG/inlines" | sed -n 's/.*Build ID: //p')"
	start perl "$TOP/tests/debug_server.pl" "$T/files" "$T/port" "$T/log"
	within 10 test -s "$T/port"
	export DEBUGINFOD_CACHE_PATH="$T/cache" DEBUGINFOD_TIMEOUT=5
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$T/port")/ok
	export DEBUGINFOD_URLS
	check 0 "--debuginfod" report_it --debuginfod
	ok "has it from the server" between $((kept * 9 / 10)) "$(outer)" "$kept"
	rm -r "$prog" "$T/cache"
	check 0 "on a machine that has no such program" report_it --debuginfod
	ok "all is from the server" between $((kept * 9 / 10)) "$(outer)" "$kept"
	rm -r "$T/cache"
	objcopy --only-keep-debug "$PROG/bare" "$T/files/$id"
	check 0 "a server that sends another one" report_it --debuginfod
	ok "is not believed" equal "$(outer)" 0
else
	skip 6 "libdebuginfod: is not installed"
fi

"$PMUTRACE" report -q --no-places -o "$T/plain.pmut" "$T/p.pmut"
check 1 "a capture without places" "$PMUTRACE" report --resolve "$T/plain.pmut"
ok "is refused" grep -q 'do not tell where code is' "$T/err"

# Without names by choice, of a program that has them.
cp "$PROG/inlines" "$prog"
pm -F 997 --no-symbols -o "$T/p.pmut" -o "$T/p.json" -- "$prog" 0.4
kept=$(json "$T/p.json" '$d->{kept}')
start=$(nm "$prog" | sed -n 's/^0*\([0-9a-f]*\) . outer$/\1/p')
check 0 "--no-symbols" report_it
ok "no function has a name" equal "$(folded_sum "$T/r.folded" 'outer|middle|inner|main')" 0
ok "but its address, as nm tells it" between $((kept * 9 / 10)) \
	"$(folded_sum "$T/r.folded" "\\[inlines fn 0x$start\\] ")" "$kept"
check 0 "--resolve" report_it --resolve
ok "finds them all" all_named
ok "as if they had been read at once" between $((kept * 9 / 10)) "$(outer)" "$kept"
pm -F 997 --no-symbols -o "$T/k.pmut" -- dd if=/dev/zero of=/dev/null bs=1M count=4000 status=none
"$PMUTRACE" report -q -f folded "$T/k.pmut" >"$T/k.folded"
ok "the kernel's functions have names" between 20 "$(folded_sum "$T/k.folded" ';vfs_read_\[k\]')" 10000
ok "all of them" equal "$(folded_sum "$T/k.folded" '\[kernel')" 0
check 2 "without a file that keeps addresses" "$PMUTRACE" profile --no-symbols -- true
ok "it is refused" grep -q -- '--no-symbols is of pmut and pprof' "$T/err"
