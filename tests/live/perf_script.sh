#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What perf recorded of a program whose shares are known, by way of perf script and a pipe: as many
# samples as perf tells, and of each function as many as perf report does.
. "$(dirname "$0")/../lib.sh"
need_root
command -v perf >/dev/null || skip_all "no-perf: perf is not installed"
perf record -q -o "$T/perf.data" -e cpu-clock -F 997 -g --sample-cpu -- "$PROG/burn" -s 0.5 >"$T/record" 2>&1 ||
	skip_all "no-perf: perf cannot record here"

# of_perf ARGS.. - what perf makes of it
of_perf() {
	perf "$@" -i "$T/perf.data" 2>/dev/null
}

# own_samples - of folded stacks: those of each innermost function
own_samples() {
	sed 's/^.*;//' "$1" | awk '{ n[$1] += $NF } END { for (f in n) print n[f], f }' | sort
}

plan 10
run sh -c 'perf script -i "$1/perf.data" 2>/dev/null | "$PMUTRACE" report -f folded - >"$1/p.folded"' sh "$T"
ok "perf's text is read" test "$status" = 0
ok "no line of it is left out" sh -c '! grep "left out" "$1"' sh "$T/err"
all=$(folded_sum "$T/p.folded" '^burn;')
ok "all samples are there" equal "$(folded_sum "$T/p.folded")" "$(of_perf script -F time | grep -c .)"
ok "nearly all are of the program" \
	between $((all * 97 / 100)) "$(folded_sum "$T/p.folded" ';main;work;burn_[37]0[; ]')" "$all"
ok "30 % in burn_30" is_share "$(folded_sum "$T/p.folded" ';burn_30[; ]')" "$all" 30
ok "70 % in burn_70" is_share "$(folded_sum "$T/p.folded" ';burn_70[; ]')" "$all" 70

of_perf report --stdio --no-children -g none -F sample,sym |
	awk '$2 == "[.]" && $3 !~ /^0x/ { print $1, $3 } $2 == "[k]" && $3 !~ /^0x/ { print $1, $3 "_[k]" }' |
	sort >"$T/want"
own_samples "$T/p.folded" | grep -v ' \[' >"$T/got"
ok "functions have the samples that perf report tells" cmp "$T/want" "$T/got"

of_perf script -F comm,pid,tid,cpu,time,event,ip,sym,dso >"$T/q.txt"
of_perf script -F comm,tid,event,ip,sym >"$T/few.txt"
of_perf script --show-mmap-events --show-task-events --header >"$T/more.txt"
for text in q few more; do
	"$PMUTRACE" report --strict -q -f folded "$T/$text.txt" >"$T/$text.folded"
done
own_samples "$T/q.folded" | grep -v ' \[' >"$T/got"
ok "other columns are the same samples" cmp "$T/want" "$T/got"
own_samples "$T/few.folded" | grep -v ' \[' >"$T/got"
ok "few columns, too" cmp "$T/want" "$T/got"
own_samples "$T/more.folded" | grep -v ' \[' >"$T/got"
ok "and between records of other things" cmp "$T/want" "$T/got"
