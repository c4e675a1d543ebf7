#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile --continuous --metrics: after each window there is a file of metrics, which Prometheus' promtool takes, whole at any
# time, and what it says is what there is.
. "$(dirname "$0")/../lib.sh"
need_bpf
plan 15

# value SERIES - in the file
value() {
	awk -v series="$1" '$1 == series { print $2; found = 1 } END { exit !found }' "$T/m.prom"
}
# is_clean - what promtool says of it
is_clean() {
	! command -v promtool >/dev/null || promtool check metrics <"$T/m.prom"
}
# is_clean_with_success - the same, and it tells when something arrived
is_clean_with_success() {
	is_clean && grep -q last_success "$T/m.prom"
}
p=pmutrace_profile

# Into a directory.
start "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --out-dir "$T/files" --metrics "$T/m.prom" -- "$PROG/burn" -s 3
run_pid=$started
within 20 test -s "$T/m.prom"
while kill -0 "$run_pid" 2>/dev/null; do
	cat "$T/m.prom" >"$T/now" && tail -n 1 "$T/now" >>"$T/ends"
	usleep 5000 2>/dev/null || sleep 0.01
done
wait "$run_pid"
ok "a run with metrics ends as any other" equal "$?" 0
forget "$run_pid"
ok "the file is whole at any time" equal "$(sort -u "$T/ends")" "${p}_metrics_unwritten_total 0"
ok "and it was looked at many times" test "$(wc -l <"$T/ends")" -ge 20
ok "promtool finds nothing wrong" is_clean
nr=$(find "$T/files" -type f | wc -l)
ok "windows and files are those that there are" equal "$(value ${p}_windows_total) $(value ${p}_files_written_total)" "$nr $nr"
# What was lost is in these, too, under names of its own.
for file in "$T"/files/*; do
	perl "$TOP/tests/pprof.pl" folded samples "$file" || perl "$TOP/tests/pprof.pl" folded sample "$file"
done 2>/dev/null | awk '/\[lost: / { lost += $NF; next } { n += $NF } END { print n + 0, lost + 0 }' >"$T/samples"
lost=$(awk -v n="${p}_lost_samples_total{" 'index($1, n) == 1 { sum += $2 } END { print sum + 0 }' "$T/m.prom")
ok "samples are those in the files, and so are losses" equal "$(value ${p}_samples_total) $lost" "$(cat "$T/samples")"
ok "the last window is some seconds old" awk -v t="$(value ${p}_last_window_timestamp_seconds)" -v now="$(date +%s)" \
	'BEGIN { exit !(t <= now + 1 && now - t < 60) }'
ok "nothing is told of pushes" sh -c '! grep -q push "$1"' sh "$T/m.prom"

# To a backend that is ill.
if "$PMUTRACE" -V | grep -q 'with pushing of profiles'; then
	mkdir "$T/peer"
	echo 500 >"$T/peer/how"
	start perl "$TOP/tests/push_peer.pl" "$T/peer"
	within 10 test -s "$T/peer/port"
	run "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --metrics "$T/m.prom" --spool "$T/spool" \
		--push "otlp+http://127.0.0.1:$(cat "$T/peer/port")" -- "$PROG/burn" -s 1
	ok "what waits is told, as many and as much" equal "$(value ${p}_pushes_waiting) $(value ${p}_pushes_waiting_bytes)" \
		"$(find "$T/spool" -name '*.otlp' | wc -l) $(find "$T/spool" -name '*.otlp' -exec cat {} + | wc -c)"
	ok "nothing has ever arrived" sh -c '! grep -q last_success "$1"' sh "$T/m.prom"
	waited=$(value ${p}_pushes_waiting)
	echo 200 >"$T/peer/how"
	run "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --metrics "$T/m.prom" --spool "$T/spool" \
		--push "otlp+http://127.0.0.1:$(cat "$T/peer/port")" -- "$PROG/burn" -s 1
	ok "later all has, and is told" equal "$(value ${p}_pushes_found_total) $(value ${p}_pushes_waiting) $(value ${p}_pushes_waiting_bytes)" \
		"$waited 0 0"
	ok "found and put are sent, lost or waiting" equal "$(($(value ${p}_pushes_found_total) + $(value ${p}_pushes_put_total)))" \
		"$(($(value ${p}_pushes_sent_total) + $(awk -v n="${p}_pushes_lost_total{" 'index($1, n) == 1 { n2 += $2 } END { print n2 + 0 }' "$T/m.prom")))"
	ok "and when, and promtool finds nothing wrong" is_clean_with_success
else
	skip 5 "no-curl: built without libcurl"
fi

# A directory that is not there (any more) costs the metrics alone.
mkdir "$T/gone"
start "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --out-dir "$T/files" --metrics "$T/gone/m.prom" 6
within 20 test -s "$T/gone/m.prom"
rm -r "$T/gone"
sleep 2
mkdir "$T/gone"
wait "$started"
forget "$started"
ok "what cannot be written is told, and written again" sh -c 'grep -q "gone/m.prom: No such file" "$1" && grep -q "metrics are written again" "$1" &&
	grep -q "unwritten_total [1-9]" "$2"' sh "$T/started.out" "$T/gone/m.prom"
run "$PMUTRACE" profile --continuous --out-dir "$T/files" --metrics "$T/none/m.prom" 1
ok "and refused at once where it cannot be at all" sh -c '[ "$1" = 1 ] && grep -q "none/m.prom" "$2"' sh "$status" "$T/err"
