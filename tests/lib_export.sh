# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_export.sh - an exporter in the background, and what it answers; after lib.sh.

need_export() {
	"$PMUTRACE" -V | grep -q 'with export' || skip_all "no-http: built without libmicrohttpd"
}

# serve ARGS.. - an exporter in the background; its address in $address
serve() {
	serve_where --listen 127.0.0.1:0 "$@"
}

# serve_where ARGS.. - the same, which listen where these say
serve_where() {
	rm -f "$T/export.err"
	"$PMUTRACE" export "$@" >"$T/export.out" 2>"$T/export.err" &
	exporter=$!
	all_started="$all_started $exporter"
	within 10 grep -q http: "$T/export.err"
	address=$(sed -n 's,.*http://\([^/]*\)/.*,\1,p' "$T/export.err")
}

# get PATH [HEADER..] - the status into $code, headers into $T/head, the body into $T/body
get() {
	path=$1
	shift
	perl -MHTTP::Tiny -e 'my ($url, $body, $head, %h) = (@ARGV[0 .. 2], map { split /: /, $_, 2 } @ARGV[3 .. $#ARGV]);
		my $r = HTTP::Tiny->new(timeout => 20)->get($url, {headers => \%h});
		open my $f, ">:raw", $body or die; print $f $r->{content};
		open my $g, ">", $head or die; print $g "$_: $r->{headers}{$_}\n" for sort keys %{$r->{headers}};
		print $r->{status}' "http://$address$path" "$T/body" "$T/head" "$@" >"$T/code"
	# shellcheck disable=SC2034 # for who has asked
	code=$(cat "$T/code")
}

# raw TEXT - what is answered to these bytes, a line; "" if the connection was closed
raw() {
	printf '%b' "$1" | perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(PeerAddr => $ARGV[0], Timeout => 5) or die;
		local $/; print $s scalar <STDIN>; $s->shutdown(1);
		local $SIG{ALRM} = sub { exit 1 }; alarm 20;
		print((split /\r?\n/, <$s> // "")[0] // "")' "$address"
}

# sum METRIC [LABELS] - over its series, those that have these labels: pid="1"
sum() {
	grep "^$1[{ ]" "$T/body" | grep -F -e "${2-}" | awk '{ n += $NF } END { printf n == int(n) ? "%.0f\n" : "%.9f\n", n }'
}

# none_went_back BEFORE NOW - counters of two answers; prints those that did
none_went_back() {
	awk '/^#/ { next }
	     { k = $0 ~ /}/ ? substr($0, 1, index($0, "} ")) : $1 }
	     NR == FNR { was[k] = $NF; next }
	     k ~ /_total/ && k in was && $NF + 0 < was[k] + 0 { print was[k], $0; bad = 1 }
	     END { exit bad }' "$1" "$2"
}

# is_clean - what promtool says of $T/body, and that no series is there twice
is_clean() {
	grep -v '^#' "$T/body" | sed 's/ [^ ]*$//' | sort | uniq -d | grep . && return 1
	! command -v promtool >/dev/null || promtool check metrics <"$T/body"
}

# takes_at_most NAME KB - a point: so much of the exporter's memory is there
takes_at_most() {
	if grep -q __asan_init "$PMUTRACE"; then
		skip 1 "sanitizers: keep what was freed"
		return
	fi
	ok "$1" between 1 "$(awk '/^VmRSS/ { print $2 }' "/proc/$exporter/status")" "$2"
}
