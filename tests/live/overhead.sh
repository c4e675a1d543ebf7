#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --max-overhead of profile, top and export: a load under which the programs of each would take about twice as much
# as all of it may, and what the kernel says that it costs: less than that, within the budget's own accuracy.
# shellcheck disable=SC2154 # variables by KIND are set by eval
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_bpf
need_export
note_pids
"$PMUTRACE" -V | grep -q 'with configuration files' || skip_all "no-yaml: built without libyaml"
plan 19

events=page-faults,minor-faults,major-faults,cpu-migrations
config=$T/pmutrace.yaml
printf 'listen: 127.0.0.1:0\nmetrics:\n  switches: count sched:sched_switch --by prev_comm\n' >"$config"

# begin KIND ARGS.. - in the background; its number in $pid_KIND
begin() {
	kind=$1
	shift
	mkdir -p "$T/$kind"
	case $kind in
	profile) set -- profile -p "$burning" -F 4000 --continuous --every 5s --out-dir "$T/profile" --metrics "$T/p.prom" "$@" ;;
	top) set -- top -b --rows 1 -e $events "$@" ;;
	export) set -- export --config "$config" --by process -e $events "$@" ;;
	esac
	"$PMUTRACE" "$@" >"$T/$kind.out" 2>"$T/$kind.err" &
	eval "pid_$kind=$!"
	all_started="$all_started $!"
}
# look - at what each has cost by now
look() {
	looked=$(now)
	for kind in profile top export; do
		eval "cost_$kind=\"\$(perl \"$TOP/tests/cost.pl\" \$pid_$kind)\""
	done
}
now() {
	awk '{ print $1 }' /proc/uptime
}
# shares SECONDS - of one CPU, in %, from now on: of BPF in $bpf_KIND, in all in $all_KIND
shares() {
	look
	from=$looked
	for kind in profile top export; do
		eval "before_$kind=\$cost_$kind"
	done
	sleep "$1"
	look
	for kind in profile top export; do
		eval "set -- \$before_$kind \$cost_$kind"
		eval "bpf_$kind=$(echo "$1 $3 $from $looked" | awk '{ print ($2 - $1) / ($4 - $3) / 1e7 }')"
		eval "all_$kind=$(echo "$1 $2 $3 $4 $from $looked" |
			awk '{ print ($3 + $4 - $1 - $2) / ($6 - $5) / 1e7 }')"
	done
}
# is_more A B; is_at_most A B
is_more() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'
}
is_at_most() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'
}
end_all() {
	for kind in profile top export; do
		eval "stop \$pid_$kind"
	done
}
# of_kernel SHARE - of what the programs of export have taken by now, seconds
of_kernel() {
	perl "$TOP/tests/cost.pl" "$pid_export" | awk -v share="$1" '{ print share * $1 / 1e9 }'
}
# value SERIES - of $T/body
value() {
	awk -v s="$1" 'index($0, s " ") == 1 { print $NF }' "$T/body"
}
has_taken_back() {
	get /metrics && is_more "$(value pmutrace_overhead_steps_taken_back_total)" 0
}

start "$PROG/bpf_stats"
# Also where others want the CPUs.
start nice -n -10 "$PROG/burn" -s 600
burning=$started
start nice -n -10 "$PROG/burn" -s 600
burning=$burning,$started
start nice -n -10 "$PROG/pingpong" -n 100000000
load=$started

begin profile
begin top
begin export
sleep 4
shares 4
echo "# without a limit: profile $all_profile %, top $all_top %, export $all_export %"
end_all
for kind in profile top export; do
	eval "bpf=\$bpf_$kind all=\$all_$kind"
	ok "$kind: a load that costs something" is_more "$bpf" 0.5
	# And what polling takes at any rate.
	limit=$(awk -v bpf="$bpf" 'BEGIN { printf "%.3f", bpf / 2.5 + 0.25 }')
	eval "limit_$kind=$limit begun_$kind=$(now)"
	begin $kind --max-overhead "$limit"
done
# Of programs from the start, of processes from when they are counted: whatever phase a pause is in.
sleep 22
shares 80
for kind in profile top export; do
	eval "set -- \$begun_$kind \$before_$kind \$cost_$kind"
	eval "bpf=$(echo "$1 $4 $looked" | awk '{ print $2 / ($3 - $1) / 1e7 }')"
	eval "all=$(echo "$bpf $3 $5 $from $looked" | awk '{ print $1 + ($3 - $2) / ($5 - $4) / 1e7 }')"
	eval "limit=\$limit_$kind"
	echo "# $kind: $all % of $limit % ($bpf % of that in BPF)"
	grep max-overhead "$T/$kind.err" | diag
	ok "$kind: costs no more than it may" is_at_most "$all" "$(awk -v l="$limit" 'BEGIN { print 1.15 * l }')"
	ok "$kind: says what it does about it" grep -q 'max-overhead: .* was used, .* is allowed' "$T/$kind.err"
done
address=$(sed -n 's|.* at http://\([^/]*\)/metrics.*|\1|p' "$T/export.err")
ok "export: answers" get /metrics
ok "steps are metrics" is_more "$(value pmutrace_overhead_steps_taken_total)" 0
ok "so is the limit" equal "$(value pmutrace_overhead_limit_ratio)" "$(awk -v l="$limit_export" 'BEGIN { print l / 100 }')"
# What it says of itself, by what the kernel says of it.
# Since it has begun; a look is a second old at most.
measured=$(value 'pmutrace_overhead_seconds_total{part="bpf"}')
ok "and what programs took, as the kernel has it" between "$(of_kernel 0.85)" "$measured" "$(of_kernel 1.15)"
ok "files of windows came all the time" test "$(find "$T/profile" -name '*.pb.gz' | wc -l)" -ge 8
ok "and a file of metrics tells" grep -q '^pmutrace_overhead_steps{kind="rate"} [1-9]' "$T/p.prom"
stop "$load"
ok "export: measures more when there is room" within 90 has_taken_back
end_all
for kind in profile top export; do
	ok "$kind: says at its end what was used" grep -q 'max-overhead: .* was used in all' "$T/$kind.err"
done
