#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export --profiles: go tool pprof reads what the exporter answers, which goes on answering meanwhile; what is no
# profile is refused, and nothing of it stays behind.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_bpf
need_export
plan 31

# children PID - of a process, by number
children() {
	awk -v parent="$1" '{ n = index($0, ") "); split(substr($0, n + 2), f, " "); if (f[2] == parent) print $1 }' \
		/proc/[0-9]*/stat 2>/dev/null
}
# family PID - the exporter and all that it has started
family() {
	for member in $(children "$1"); do
		family "$member"
	done
	echo "$1"
}
is_gone() {
	for member; do
		[ -d "/proc/$member" ] && return 1
	done
	return 0
}

serve
get /debug/pprof/profile
ok "without --profiles there are none" equal "$code $(cat "$T/body")" "404 there are no profiles: pmutrace export --profiles"
ok "and no process for them" equal "$(family "$exporter")" "$exporter"
stop "$exporter"

serve --profiles
ok "whoever answers has no more privileges than before" sh -c \
	'perl -ne "/^CapEff:\\s*(\\S+)/ and exit !(hex(\$1) == (1 << 38))" "/proc/$1/status"' sh "$exporter"
start "$PROG/burn" -s 60
burner=$started
get "/debug/pprof/profile?seconds=2&rate=500&pid=$burner&event=cpu-clock:u" 'Accept-Encoding: gzip'
ok "a profile" equal "$code $(sed -n 's/^content-type: //p' "$T/head")" "200 application/octet-stream"
cp "$T/body" "$T/burn.pb.gz"
ok "is packed once" equal "$(grep -c '^content-encoding:' "$T/head") $(gzip -dc <"$T/burn.pb.gz" | grep -ca burn_70)" "0 1"
if command -v go >/dev/null; then
	go tool pprof -top -nodecount 5 "$T/burn.pb.gz" >"$T/top" 2>"$T/err"
	# At least 1.8 of 2 seconds, of a machine that others use, too.
	ok "go tool pprof: 70 % in burn_70" sh -c 'awk "\$NF == \"burn_70\" { sub(/%/, \"\", \$2); exit !(\$2 > 65 && \$2 < 75) }
		END { if (!NR) exit 1 }" "$1"' sh "$T/top"
	ok "of one process" equal "$(go tool pprof -tags "$T/burn.pb.gz" 2>/dev/null | awk '/pid: Total/ { f = 1; next } /^$/ { f = 0 } f { print $NF }')" "$burner"
	ok "go tool pprof fetches it" sh -c 'PPROF_TMPDIR=$1 go tool pprof -top -seconds 1 "http://$2/debug/pprof/profile" 2>/dev/null | grep -q burn_70' \
		sh "$T" "$address"
	go tool pprof -raw "$T/burn.pb.gz" >"$T/raw" 2>"$T/err"
	ok "at the rate that was asked for" grep -q '^Period: 2000000$' "$T/raw"
	get "/debug/pprof/profile?seconds=1&event=page-faults"
	cp "$T/body" "$T/faults.pb.gz"
	ok "of another event" sh -c 'go tool pprof -raw "$1" 2>/dev/null | grep -q "page-faults_event/"' sh "$T/faults.pb.gz"
else
	skip 5 "no-go: no compiler of Go"
fi

# HTTP goes on meanwhile.
perl -MHTTP::Tiny -e 'print HTTP::Tiny->new(timeout => 60)->get($ARGV[0])->{status}' \
	"http://$address/debug/pprof/profile?seconds=3&pid=$burner" >"$T/first" &
first=$!
is_at_it() { [ "$(family "$exporter" | wc -l)" -gt 2 ]; }
ok "while a profile is taken" within 10 is_at_it
get /metrics
ok "metrics are answered" equal "$code" 200
get "/debug/pprof/profile?seconds=1"
ok "and another one is refused" equal "$code $(cat "$T/body")" "503 another profile is being taken: ask again later"
wait "$first"
ok "the first is there in the end" equal "$(cat "$T/first")" 200
ok "HEAD is a head alone, at once" equal "$(raw 'HEAD /debug/pprof/profile HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')" \
	"HTTP/1.1 200 OK"

get "/debug/pprof/profile?seconds=1&event=nosuch"
ok "an event that is not there" equal "$code $(grep -c "unknown event 'nosuch'" "$T/body")" "400 1"
get "/debug/pprof/profile?seconds=1&pid=2147483647"
ok "a process that is not there" equal "$(case $code in 400 | 500) echo refused ;; esac) $(grep -c 2147483647 "$T/body")" "refused 1"
for bad in seconds=0 seconds=601 seconds=x rate=1001 pid=-1 event=--help event=libc:malloc event=mem:0x10 event=/bin/sh:main; do
	get "/debug/pprof/profile?$bad"
	ok "$bad is refused" equal "$code" 400
done

# Who asked is gone; so is who answers.
perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(PeerAddr => $ARGV[0]) or die;
	print $s "GET /debug/pprof/profile?seconds=2 HTTP/1.1\r\nHost: localhost\r\n\r\n"; sleep 1' "$address"
next_one() {
	get "/debug/pprof/profile?seconds=1&pid=$burner"
	[ "$code" = 200 ]
}
ok "whoever asked and left harms nobody" within 30 next_one
perl -MHTTP::Tiny -e 'HTTP::Tiny->new(timeout => 60)->get($ARGV[0])' "http://$address/debug/pprof/profile?seconds=60" &
all_started="$all_started $!"
within 10 is_at_it
# shellcheck disable=SC2046 # numbers
set -- $(family "$exporter")
kill -KILL "$exporter"
ok "the exporter is killed: nothing goes on" within 10 is_gone "$@"
serve --profiles
perl -MHTTP::Tiny -e 'HTTP::Tiny->new(timeout => 60)->get($ARGV[0])' "http://$address/debug/pprof/profile?seconds=60" &
all_started="$all_started $!"
within 10 is_at_it
# shellcheck disable=SC2046
set -- $(family "$exporter")
kill -INT "$exporter"
wait "$exporter"
ok "Ctrl-C ends it in the middle of one" test $? = 0
ok "and all of it" within 10 is_gone "$@"
ok "with no word of trouble" equal "$(grep -vc 'metrics at http' "$T/export.err")" 0
