#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile --continuous: windows follow one another without a gap, into files that go tool pprof reads, and to backends: a
# profile for each container and service, each with its labels; what a program has used is in them, however a run ends, and
# whether or not anybody takes them at once.
. "$(dirname "$0")/../lib.sh"
need_bpf
plan 44

mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
id=$(printf '%064d' $$)

# windows ARGS.. - a run of windows of a second
windows() {
	run "$PMUTRACE" profile --continuous --every 1s -e cpu-clock "$@"
}
# cpu_ns COMM FILE.. - of a command in files of pprof
cpu_ns() {
	comm=$1
	shift
	for file; do
		perl "$TOP/tests/pprof.pl" folded cpu "$file"
	done | awk -F '[; ]' -v comm="$comm" '$1 == comm { n += $NF } END { printf "%.0f\n", n }'
}
# is_near VALUE WANTED PERCENT
is_near() {
	awk -v v="$1" -v w="$2" -v p="$3" 'BEGIN { d = v - w; if (d < 0) d = -d; exit !(w > 0 && d * 100 <= w * p) }'
}

# Into a directory.
windows --out-dir "$T/files" -- "$PROG/burn" -s 4
nr=$(find "$T/files" -name '*.pb.gz' | wc -l)
ok "windows are files, of a command up to its end" sh -c '[ "$1" = 0 ] && [ "$2" -ge 5 ]' sh "$status" "$nr"
ok "whose names are times, one a second" sh -c 'ls "$1" | sed "s/.*T\([0-9][0-9]\)\([0-9][0-9]\)\([0-9][0-9]\)Z-000000-.*/\1 \2 \3/" |
	awk "{ t = (\$1 * 60 + \$2) * 60 + \$3; if (NR > 1 && (t - was < 0 || t - was > 2)) exit 1; was = t } END { exit NR < 5 }"' sh "$T/files"
# It has used 4 seconds of a CPU, as it says itself: 396 samples, give or take 15 where it is not alone there.
ok "all that it used is in them" is_near "$(cpu_ns burn "$T"/files/*.pb.gz)" "$(awk '{ gsub(",", ""); print $2 + $5 }' "$T/out")" 12
for file in "$T"/files/*; do
	perl "$TOP/tests/pprof.pl" head "$file" | awk '{ print $4, $5 }'
done >"$T/heads"
ok "without a gap: each begins when the one before ends, to 50 ms" awk \
	'{ d = $1 - end; if (NR > 1 && (d < -5e7 || d > 5e7)) exit 1; end = $1 + $2 } END { exit NR < 5 }' "$T/heads"
ok "it says how many" grep -q "$nr files were written to" "$T/err"
ok "nothing is left of writing" equal "$(find "$T/files" -name '.*' -type f | wc -l)" 0
if command -v go >/dev/null; then
	ok "go tool pprof reads all of them as one" sh -c 'go tool pprof -top "$@" 2>/dev/null | grep -q "burn_70"' sh "$T"/files/*.pb.gz
else
	skip 1 "no-go: no compiler of Go"
fi
start "$PROG/burn" -s 60
burner=$started
windows --out-dir "$T/small" --out-size 3k -p "$burner" 7
ok "a directory keeps its size" between 1 "$(cat "$T"/small/* | wc -c)" 3000
ok "the oldest files made room, which is told" grep -qE '[1-9][0-9]* had to make room' "$T/err"
stop "$burner"

# To a backend.
peer() {
	rm -rf "$T/peer"
	mkdir "$T/peer"
	echo "$1" >"$T/peer/how"
	start perl "$TOP/tests/push_peer.pl" "$T/peer"
	peer=$started
	within 10 test -s "$T/peer/port"
	url=http://127.0.0.1:$(cat "$T/peer/port")
}
# bodies - how many were taken
bodies() {
	find "$T/peer" -name '*.body' | wc -l
}
# labelled KIND LABEL.. - the bodies that have these labels
labelled() {
	kind=$1
	shift
	for body in "$T"/peer/*.body; do
		perl "$TOP/tests/pushed.pl" "$kind" "$body" labels >"$T/labels" || return 1
		has_all=1
		for label; do
			grep -qxF "$label" "$T/labels" || has_all=
		done
		[ -z "$has_all" ] || echo "$body"
	done
}
# pushed_ns KIND COMM BODY.. - CPU time of a command in these bodies
pushed_ns() {
	kind=$1 comm=$2
	shift 2
	for body; do
		if [ "$kind" = otlp ]; then
			perl "$TOP/tests/pushed.pl" otlp "$body" folded cpu
		else
			perl "$TOP/tests/pushed.pl" "$kind" "$body" pprof >"$T/one.pb.gz" && perl "$TOP/tests/pprof.pl" folded cpu "$T/one.pb.gz"
		fi
	done | awk -F '[; ]' -v comm="$comm" '$1 == comm { n += $NF } END { printf "%.0f\n", n }'
}
if ! "$PMUTRACE" -V | grep -q 'with pushing of profiles'; then
	skip 32 "no-curl: built without libcurl"
	exit
fi
# Their tasks end before; a system.slice that others have stays.
remove_cgroups() {
	for pid in $all_started; do
		stop "$pid"
	done
	rmdir "$mount/system.slice/pmut$$.service" "$mount/docker-$id.scope" "$mount/system.slice" 2>/dev/null
}
trap 'remove_cgroups; end_test' EXIT
if [ -n "$mount" ] && mkdir -p "$mount/system.slice/pmut$$.service" "$mount/docker-$id.scope" 2>/dev/null; then
	cgroups=1
else
	cgroups=
fi
# in_cgroup CGROUP CMD.. - runs there, in the background
in_cgroup() {
	cgroup=$1
	shift
	start sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$cgroup" "$@"
}
for kind in pyroscope parca otlp; do
	peer 200
	if [ "$cgroups" ]; then
		in_cgroup "$mount/system.slice/pmut$$.service" "$PROG/burn" -s 8
		service=$started
		in_cgroup "$mount/docker-$id.scope" "$PROG/burn" -s 8
		container=$started
	else
		start "$PROG/burn" -s 8
		service=$started container=
	fi
	within 5 sh -c 'pgrep -x burn >/dev/null'
	windows --push "$kind+$url" --spool "$T/spool-$kind" --label env=prod --label host=me -p "$service${container:+,$container}" 3
	ok "$kind: all was sent" sh -c '[ "$1" = 0 ] && grep -qE "^pmutrace: [1-9][0-9]* profiles were sent, 0 wait in .*, 0 were lost$" "$2"' \
		sh "$status" "$T/err"
	# shellcheck disable=SC2046 # names without blanks
	ok "$kind: with the labels that were given" equal "$(labelled "$kind" env=prod host=me | wc -l)" "$(bodies)"
	if [ "$cgroups" ]; then
		# shellcheck disable=SC2046
		of_service=$(pushed_ns "$kind" burn $(labelled "$kind" "unit=pmut$$.service"))
		# shellcheck disable=SC2046
		of_container=$(pushed_ns "$kind" burn $(labelled "$kind" "container=$(echo "$id" | cut -c 1-12)"))
		ok "$kind: a service's time" between 200 "$((of_service / 1000000))" 3100
		ok "$kind: a container's time" between 200 "$((of_container / 1000000))" 3100
		# shellcheck disable=SC2046
		ok "$kind: nobody has it twice" equal "$(pushed_ns "$kind" burn "$T"/peer/*.body)" "$((of_service + of_container))"
	else
		skip 3 "no-cgroup: no cgroup2 hierarchy that can be written to"
	fi
	stop "$service"
	[ -z "$container" ] || stop "$container"
	stop "$peer"
done

# Nobody takes them: they wait, over the end of the run and over kill -9, and arrive then, each once.
peer "500"
start "$PROG/burn" -s 60
burner=$started
windows --push "pyroscope+$url" --spool "$T/spool" -p "$burner" 2
ok "what is not taken waits" grep -qE 'wait in .*/spool' "$T/err"
ok "in the spool" between 2 "$(find "$T/spool" -name "*.pyroscope" | wc -l)" 10
start "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --push "pyroscope+$url" --spool "$T/spool" -p "$burner"
within 20 sh -c '[ "$(ls "$1" | wc -l)" -ge 5 ]' sh "$T/spool"
kill -9 "$started"
wait "$started" 2>/dev/null
forget "$started"
waiting=$(find "$T/spool" -name '*.pyroscope' | wc -l)
ok "kill -9 leaves them there" between 5 "$waiting" 12
echo 200 >"$T/peer/how"
windows --push "pyroscope+$url" --spool "$T/spool" -p "$burner" 1
ok "the next run sends them, too" equal "$status $(bodies)" "0 $((waiting + 1))"
ok "none of them twice" equal "$(cksum "$T"/peer/*.body | awk '{ print $1 }' | sort | uniq -d)" ""
ok "the spool is empty" equal "$(find "$T/spool" -type f -name '[0-9]*' | wc -l)" 0
stop "$burner"
stop "$peer"

# Both at once: a file for the host, bodies by origin. The first one is refused, once.
peer '1 500
200'
windows --push "pyroscope+$url" --spool "$T/spool" --out-dir "$T/both" -- "$PROG/burn" -s 2
ok "a command's run is windows, and its status" sh -c '[ "$1" = 0 ] && [ "$2" -ge 3 ]' sh "$status" "$(find "$T/both" -type f | wc -l)"
ok "what a second try sent is no trouble at the end" grep -qE '^pmutrace: [1-9][0-9]* profiles were sent, 0 wait in .*, 0 were lost$' "$T/err"
ok "the same time in files and in bodies" equal "$(cpu_ns burn "$T"/both/*)" "$(pushed_ns pyroscope burn "$T"/peer/*.body)"
start "$PMUTRACE" profile --continuous --every 1s --push "pyroscope+$url" --spool "$T/spool"
sleep 2
ok "one spool has one owner" sh -c '! "$1" profile --continuous --push "$2" --spool "$3" 1 2>"$4" && grep -q "another" "$4"' sh \
	"$PMUTRACE" "pyroscope+$url" "$T/spool" "$T/err"
kill "$started"
wait "$started"
ok "SIGTERM ends it in time, with what there is" equal "$?" 0
forget "$started"
# Without the process that pushes a service manager is to begin anew: it must not go on as if nothing were.
start "$PMUTRACE" profile --continuous --every 1s --push "pyroscope+$url" --spool "$T/spool"
within 10 pgrep -P "$started" pmut-pusher
kill -9 "$(pgrep -P "$started" pmut-pusher)"
wait "$started"
ok "it ends if nothing is pushed any more" equal "$?" 1
forget "$started"
stop "$peer"

# With the capabilities of its unit, and another user: what it pushes is the same.
unit=$TOP/docs/export/pmutrace-profile.service
caps=$(sed -n 's/^AmbientCapabilities=//p' "$unit" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
if command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] &&
	setpriv --reuid=65534 --inh-caps="$caps" --ambient-caps="$caps" true 2>/dev/null; then
	peer 200
	mkdir -m 700 "$T/state"
	chown 65534 "$T/state"
	chmod 711 "$T"
	start "$PROG/burn" -s 60
	burner=$started
	run env STATE_DIRECTORY="$T/state" setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$caps" --ambient-caps="$caps" \
		--bounding-set="-all,$caps" --no-new-privs "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --push "otlp+$url" 2
	stop "$burner"
	ok "its unit's capabilities are enough" sh -c '[ "$1" = 0 ] && grep -q " 0 wait in .*/state/spool, 0 were lost" "$2"' sh "$status" "$T/err"
	ok "for names of functions, too" sh -c 'for body in "$1"/*.body; do perl "$2" otlp "$body" folded cpu; done | grep -q ";burn_70"' sh \
		"$T/peer" "$TOP/tests/pushed.pl"
	stop "$peer"
else
	skip 2 "no-caps: setpriv(1) or the kernel gives no ambient capabilities"
fi

refused() {
	run "$PMUTRACE" profile "$@"
	[ "$status" = 2 ]
}
if command -v setpriv >/dev/null && [ ! -e /var/lib/pmutrace ]; then
	run env -u STATE_DIRECTORY setpriv --reuid=65534 --clear-groups "$PMUTRACE" profile --continuous --push otlp+http://127.0.0.1:1 1
	ok "without a place to wait another one is asked for" sh -c '[ "$1" = 1 ] && grep -q "/var/lib/pmutrace, .*Permission denied; say --spool DIR" "$2"' \
		sh "$status" "$T/err"
else
	skip 1 "no-setpriv: setpriv(1) is not there, or /var/lib/pmutrace is"
fi
ok "where to is asked for" refused --continuous 1
ok "and options of one result are refused" refused --continuous --out-dir "$T/x" -o x.svg 1
ok "so is a header that is two" refused --continuous --push otlp+http://127.0.0.1:1 --push-header "$(printf 'X-A: a\r\nX-B: b')" 1
ok "and a header of nothing that is pushed" refused --continuous --out-dir "$T/x" --push-header 'X-A: a' 1
ok "and metrics of a single result" refused --metrics "$T/m.prom" 1
