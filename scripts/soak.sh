#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# soak.sh - an exporter and a profiler for HOURS, beside work that comes and goes, and what has become of
# them: memory, descriptors, CPU time, answers, windows, losses. Needs root and BPF.
#
# HOURS      how long (1; 0.1 are six minutes); Ctrl-C ends it before, with all that there is
# SOAK_ARGS  further options of `pmutrace export`
# SOAK_EVERY seconds from one request to the next (1)
# SOAK_PAUSE seconds from one process that begins beside it to the next (0.12)
# SOAK_DIR   where it writes ($O/soak): soak.csv, a line for ten answers; soak.svg; summary.txt;
#            notes.txt: each request that failed, and each counter that went back; the last 8 MB of
#            profiles, of windows of ten seconds
# PMUTRACE   the program ($O/pmutrace); a copy of it is not disturbed by the next `make`
#
# Exit status 1: a counter went back, a request failed, descriptors grew, context switches are not
# those of /proc/stat, windows failed or are too few, or one of the two ended by itself.
set -u

cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
PMUTRACE=${PMUTRACE:-$O/pmutrace}
dir=${SOAK_DIR:-$O/soak}
hours=${HOURS:-1}
export LC_ALL=C

die() {
	echo "soak: $*" >&2
	exit 1
}

seconds=$(awk -v h="$hours" 'BEGIN { if (h !~ /^[0-9.]+$/ || h * 3600 < 20) exit 1; printf "%.0f\n", h * 3600 }') ||
	die "HOURS=$hours: a number of hours, 0.01 or more"
[ "$(id -u)" = 0 ] || die "an exporter of cgroups and processes needs root: sudo make soak"
mkdir -p "$dir" || exit 1
rm -f "$dir/soak.csv" "$dir/soak.svg" "$dir/summary.txt" "$dir/notes.txt" "$dir/exporter.err" \
	"$dir/profiler.err" "$dir/profiler.prom"
mkdir -p "$dir/profiles" || exit 1
rm -f "$dir"/profiles/*.pb.gz

# beside CMD.. - in the background, not told of Ctrl-C, which is ours; ends when we are killed
beside() {
	exec setsid setpriv --pdeathsig TERM "$@"
}

exporter='' profiler='' worker='' asker=''
# shellcheck disable=SC2329 # by the trap
end_all() {
	trap '' HUP INT TERM
	for pid in $asker $worker $profiler $exporter; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
}
trap end_all EXIT
trap 'exit 1' HUP INT TERM

# shellcheck disable=SC2086 # words
beside "$PMUTRACE" export --by cgroup,process -e page-faults,context-switches,cpu-migrations \
	--listen 127.0.0.1:0 ${SOAK_ARGS-} 2>"$dir/exporter.err" &
exporter=$!
address=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	address=$(sed -n 's,.*http://\([^/]*\)/.*,\1,p' "$dir/exporter.err")
	[ -z "$address" ] || break
	sleep 0.5
done
[ -n "$address" ] || { cat "$dir/exporter.err" >&2 && die "$PMUTRACE export does not listen"; }

beside "$PMUTRACE" profile --continuous --every 10s -F 19 --out-dir "$dir/profiles" --out-size 8M \
	--metrics "$dir/profiler.prom" 2>"$dir/profiler.err" &
profiler=$!

mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mount" ] || echo "soak: no cgroup2 hierarchy: none come and go" >&2
beside perl scripts/soak/work.pl "${SOAK_PAUSE:-0.12}" "${mount:+$mount/pmutrace-soak.$$}" &
worker=$!

echo "soak: $address, for $hours h, into $dir; Ctrl-C ends it" >&2
beside perl scripts/soak/ask.pl "$address" "$exporter" "$seconds" "$dir/soak.csv" "${SOAK_EVERY:-1}" \
	"$profiler" "$dir/profiler.prom" 2>"$dir/notes.txt" &
asker=$!
trap 'kill "$asker"' HUP INT TERM
# A signal ends `wait`, and not yet who is waited for.
wait "$asker"
while kill -0 "$asker" 2>/dev/null; do wait "$asker"; done
asker=
trap 'exit 1' HUP INT TERM

kill "$worker" 2>/dev/null
wait "$worker"
worker=
if [ -n "$mount" ] && [ -e "$mount/pmutrace-soak.$$" ]; then
	echo "soak: cgroups are left in $mount/pmutrace-soak.$$" >&2
fi
kill "$profiler" "$exporter" 2>/dev/null
wait "$profiler"
profiler_ended=$?
wait "$exporter"
ended=$?
profiler='' exporter=''

{
	"$PMUTRACE" -V | head -n 1
	echo "Linux $(uname -rm), $(nproc) CPUs, $(date -u '+%Y-%m-%d %H:%M UTC')"
	echo
	awk -f scripts/soak/csv.awk -f scripts/soak/sum.awk -v ended="$ended" \
		-v profiler_ended="$profiler_ended" "$dir/soak.csv"
} >"$dir/summary.txt"
awk -f scripts/soak/csv.awk -f scripts/soak/plot.awk "$dir/soak.csv" >"$dir/soak.svg"
cat "$dir/summary.txt"
! grep -q '^FAILED' "$dir/summary.txt"
