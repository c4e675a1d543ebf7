#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unwind tables are made of files that targets map, and of nobody else's: files are read for them.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 12

# made FILE - tables of that program, by the lines of -v: two, if it is known by its inode and by its build-id
made() {
	grep -c "unwind table of .*/$1: [0-9]* rows" "$T/err"
}
# strangers - begin rows_2 again and again while a profile runs
strangers() {
	while :; do
		"$PROG/rows_2" -s 0.02
		sleep 0.05
	done
}
strangers >/dev/null 2>&1 &
strange=$!
all_started="$all_started $strange"

start "$PROG/rows_1" -s 60
burn=$started
within 10 grep -q rows_1 "/proc/$burn/comm"
run "$PMUTRACE" profile -v -U -F 99 -a --duration 2 -o "$T/x.folded"
ok "of the whole machine: a stranger's, too" between 1 "$(made rows_2)" 2
run "$PMUTRACE" profile -v -U -F 99 -p "$burn" --duration 2 -o "$T/x.folded"
ok "-p: the target's" between 1 "$(made rows_1)" 2
ok "-p: no stranger's" equal "$(made rows_2)" 0
run "$PMUTRACE" profile -v -U -F 99 -t "$burn" --duration 2 -o "$T/x.folded"
ok "-t: the target's" between 1 "$(made rows_1)" 2
ok "-t: no stranger's" equal "$(made rows_2)" 0
run "$PMUTRACE" profile -v -U -F 499 -o "$T/x.folded" -- sh -c "'$PROG/rows_3' -s 1; exit 0"
ok "a command: its child's" between 1 "$(made rows_3)" 2
ok "a command: no stranger's" equal "$(made rows_2)" 0
ok "a command: none of pmutrace's own" equal "$(made pmutrace)" 0
run "$PMUTRACE" profile -v -U -F 499 --no-inherit -o "$T/x.folded" -- sh -c "'$PROG/rows_3' -s 1; exit 0"
ok "--no-inherit: not its child's" equal "$(made rows_3)" 0
run "$PMUTRACE" profile -v -U -F 499 --comm 'rows_1*' --duration 2 -o "$T/x.folded"
ok "--comm: the target's" between 1 "$(made rows_1)" 2
ok "--comm: no stranger's" equal "$(made rows_2)" 0
run "$PMUTRACE" count -v "uprobe:$PROG/rows_1:spin_rows" --by ustack -p "$burn" --duration 2 -o "$T/x.folded"
ok "count: no stranger's" equal "$(made rows_2)" 0
kill "$strange" "$burn"
