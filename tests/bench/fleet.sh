#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fleet.sh [SECONDS] - what a host sends to backends: bytes and requests of profiles that are pushed, series and bytes of a
# scrape, with three settings (docs/fleet.md), on this machine as it is, and beside services that are busy. Each is measured
# for SECONDS (60). Prints a table in Markdown. Needs root, and a cgroup2 hierarchy that can be written to.
#
# Services are sqlite3, gzip, perl, python3 and gcc, as far as they are there, each in a cgroup below system.slice of its own,
# which are removed at the end. The backend is tests/push_peer.pl.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
plan() { :; }

seconds=${1:-60}
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mount" ] || {
	echo "fleet.sh: no cgroup2" >&2
	exit 1
}
services=

leave() {
	for pid in $all_started; do
		kill -KILL "$pid" 2>/dev/null
	done
	for service in $services; do
		while read -r pid; do
			kill -KILL "$pid" 2>/dev/null
		done <"$service/cgroup.procs"
		i=0
		until rmdir "$service" 2>/dev/null || [ $((i += 1)) -gt 50 ]; do
			sleep 0.1
		done
	done
	rm -rf "$T"
}
trap leave EXIT

# service NAME SCRIPT - over and over, in a cgroup of its own
service() {
	command -v "$1" >/dev/null || return 0
	group=$mount/system.slice/fleet$$-$1.service
	mkdir -p "$group" || exit 1
	services="$services $group"
	start sh -c 'echo $$ >"$1/cgroup.procs"; cd "$3" && while :; do eval "$2"; done' sh "$group" "$2" "$T"
}

busy() {
	service sqlite3 'sqlite3 :memory: "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
		select count(*), sum(length(printf(\"%d\", i))) from n group by i % 7 order by 2"; sleep 0.3'
	service gzip 'head -c 20000000 "$PMUTRACE" | gzip -9 >gz; sleep 0.3'
	service perl 'perl -e "my %n; \$n{\$_ % 9973} .= chr \$_ % 97 for 1 .. 300000; print join q(), sort values %n" >p; sleep 0.3'
	service python3 'python3 -c "import json; d = [{str(i): [i] * 9} for i in range(50000)]; json.loads(json.dumps(d))"; sleep 0.3'
	service gcc 'gcc -O2 -I"$TOP/src" -c -o object.o "$TOP/src/base/buf.c"; sleep 0.3'
}

# pushes HZ EVERY - "PROFILES-A-WINDOW BYTES-OF-ONE LARGEST UNPACKED", of whole windows
pushes() {
	rm -rf "$T/peer" "$T/spool"
	mkdir "$T/peer"
	start perl "$TOP/tests/push_peer.pl" "$T/peer"
	peer=$started
	within 10 test -s "$T/peer/port"
	"$PMUTRACE" profile --continuous --every "$2s" -F "$1" --push "pyroscope+http://127.0.0.1:$(cat "$T/peer/port")" \
		--spool "$T/spool" "$seconds" >"$T/profile.out" 2>"$T/profile.err"
	sleep 1
	kill "$peer"
	for body in "$T"/peer/*.body; do
		perl "$TOP/tests/pushed.pl" pyroscope "$body" pprof | gzip -dc | wc -c
	done | awk '{ n += $1 } END { print NR ? int(n / NR) : 0 }' >"$T/unpacked"
	stat -c %s "$T"/peer/*.body | awk -v windows="$((seconds / $2))" -v unpacked="$(cat "$T/unpacked")" '
		{ n += $1; if ($1 > most) most = $1 }
		END { printf "%.1f %d %d %d\n", NR / windows, n / NR, most, unpacked }'
}

# scraped ARGS.. - "SERIES BYTES PACKED" after some seconds
scraped() {
	serve "$@"
	sleep 8
	get /metrics
	get /metrics
	echo "$(grep -vc '^#' "$T/body") $(wc -c <"$T/body") $(gzip -c "$T/body" | wc -c)"
	stop "$exporter"
}

events8=page-faults,minor-faults,major-faults,context-switches,cpu-migrations,alignment-faults,emulation-faults,cpu-clock
cat >"$T/lines.yaml" <<-END
	metrics:
	  wakeups: count sched:sched_wakeup --by TASK->comm
	  oom: count oom:mark_victim --by pid
	  reads: func --from raw_syscalls:sys_enter --to raw_syscalls:sys_exit --match TASK->tid --hist time
END

# row LOAD SETTING HZ EVERY ARGS..
row() {
	load=$1 setting=$2 hz=$3 every=$4
	shift 4
	# shellcheck disable=SC2046
	set -- $(pushes "$hz" "$every") $(scraped "$@")
	echo "| $load | $setting | $hz Hz, $every s | $1 | $2 | $3 | $4 | $5 | $6 | $7 |"
}

rows() {
	row "$1" small 19 60
	row "$1" middle 19 30 --by cgroup -e page-faults,context-switches
	row "$1" full 99 10 --by cgroup,process -e "$events8" --config "$T/lines.yaml"
}

echo "| load | setting | profiles | a window | bytes of one | largest | before packing | series | bytes of a scrape | packed |"
echo "|---|---|---|---|---|---|---|---|---|---|"
rows "as it is"
busy
rows services
