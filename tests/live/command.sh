#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# -- CMD: counted from its exec on, its exit status passed through.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 17
check 7 "exit 7 is 7" "$PMUTRACE" profile -q -o "$T/p.folded" -- sh -c 'exit 7'
check 137 "SIGKILL is 137" "$PMUTRACE" profile -q -o "$T/p.folded" -- sh -c 'kill -KILL $$'
check 143 "SIGTERM is 143" "$PMUTRACE" profile -q -o "$T/p.folded" -- sh -c 'kill -TERM $$'
check 0 "a command that ends at once" "$PMUTRACE" profile -q -o "$T/p.folded" -- true
ok "leaves a result" test -e "$T/p.folded"
check 3 "its status wins over --strict's" "$PMUTRACE" profile -q --strict -o "$T/p.folded" -- sh -c 'exit 3'

check 0 "arguments reach it" "$PMUTRACE" profile -q -o "$T/p.folded" -- echo --duration 'a  b'
says out "as they are" '^--duration a  b$'
check 0 "its input is ours" sh -c 'echo hello | "$PMUTRACE" profile -q -o "$T/p.folded" -- cat'
says out "and its output" '^hello$'

# Ours is raised; who uses select(2) must not inherit that.
check 0 "its limit of files" sh -c 'ulimit -Sn 60; "$PMUTRACE" stat -r 2 -e page-faults -- sh -c "ulimit -Sn" 2>&1'
ok "is what it was before" equal "$(grep -c '^60$' "$T/out")" 2

pm -F 997 -o "$T/p.folded" -o "$T/p.json" -- "$PROG/burn" -s 0.3
ok "nothing of us before its exec" equal "$(folded_sum "$T/p.folded" '^pmutrace;')" 0
ok "the run ends with it" between 0.29e9 "$(json "$T/p.json" '$d->{duration_ns}')" 3e9

pm --duration 0.2 -o "$T/p.json" -- sh -c 'sleep 3; exit 5'
ok "--duration ends it before its command" between 0.19e9 "$(json "$T/p.json" '$d->{duration_ns}')" 2.9e9
ok "whose status comes through all the same" test "$status" = 5
check 1 "a command that is not there" "$PMUTRACE" profile -- "$T/nosuch"
