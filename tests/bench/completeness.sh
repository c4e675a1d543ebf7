#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# completeness.sh [PROGRAM].. - the share of user stacks of real programs that reach an entry: by
# unwind rules (eh), by frame pointers (fp), and by perf's copies of stacks (dwarf, 8 KiB a sample).
#
# Ours says of each stack why it is incomplete: a sample that is so for any reason counts against it,
# also in the first milliseconds of a process. perf does not say: a stack of its own counts as whole
# whose last frame is an entry of a process or thread, or is what calls __libc_start_main.
#
# Prints a table in Markdown, which docs/unwinding.md keeps. Programs that are not here are named.
# O says where the build is, SECONDS_EACH how long each is sampled (3). Needs root.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-$top/build}
SECONDS_EACH=${SECONDS_EACH:-3}
PMUTRACE=$O/pmutrace
LC_ALL=C
export LC_ALL

[ "$(id -u)" = 0 ] || { echo "completeness: needs root" >&2 && exit 1; }
[ -x "$PMUTRACE" ] || { echo "completeness: no $PMUTRACE: run make" >&2 && exit 1; }
T=$(mktemp -d "${TMPDIR:-/tmp}/pmutrace-completeness.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$T"

# What the programs work on.
library=$(find /usr/lib /usr/lib64 -name 'libc.so.6' 2>/dev/null | head -n 1)
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$library"; done >"$T/data"
cat >"$T/a.cc" <<'END'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
int main() { std::map<std::string, std::regex> m; m.emplace("a", std::regex("a+")); std::cout << m.size(); }
END
cat >"$T/a.go" <<'END'
package main

import (
	"fmt"
	"sort"
)

func main() {
	for n := 0; n < 1000000; n++ {
		all := make([]string, 0)
		for i := 0; i < 5000; i++ {
			all = append(all, fmt.Sprint(i*7919%5000))
		}
		sort.Strings(all)
	}
}
END
cat >"$T/A.java" <<'END'
import java.util.*;
class A {
	public static void main(String[] args) {
		for (;;) {
			Map<String, Integer> m = new TreeMap<>();
			for (int i = 0; i < 100000; i++)
				m.merge("k" + i * 7919 % 5000, 1, Integer::sum);
		}
	}
}
END
cat >"$T/a.rs" <<'END'
use std::collections::BTreeMap;
fn main() {
    for n in 0..1000000u64 {
        let mut m = BTreeMap::new();
        for i in 0..5000u64 { m.insert(format!("{}", (i * 7919 + n) % 5000), i); }
        assert!(!m.is_empty());
    }
}
END

# command_of PROGRAM - a command that goes on for as long as it is let; fails where it is not here
command_of() {
	set -- "$1" "$T"
	case $1 in
	xz) need xz && echo "xz -6 -T1 -c $2/data" ;;
	zstd) need zstd && echo "zstd -19 -q -c $2/data" ;;
	gzip) need gzip && echo "gzip -9 -c $2/data" ;;
	openssl) need openssl && echo "openssl speed -seconds 1 rsa2048 ecdsap256" ;;
	sqlite3)
		need sqlite3 && echo "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1
			from c limit 1000000) select count(distinct x * 7919 % 5000) from c'"
		;;
	python3) need python3 && echo "python3 -c 'sorted(str(i * 7919 % 5000) for i in range(1000000))'" ;;
	perl) need perl && echo "perl -e '@a = sort map { \$_ * 7919 % 5000 } 1..1000000'" ;;
	php) need php && echo "php -r 'for (\$i = 0; \$i < 3000000; \$i++) \$a[md5(\$i % 5000)] = \$i;'" ;;
	ruby) need ruby && echo "ruby -e '1000000.times.map { |i| (i * 7919 % 5000).to_s }.sort'" ;;
	bash) need bash && echo "bash -c 'for ((i = 0; i < 300000; i++)); do a[i]=\$((i * 3)); done'" ;;
	git) [ -d "$top/.git" ] && need git && echo "git -C $top log --stat -M" ;;
	cc1plus) need g++ && echo "g++ -O2 -S -o /dev/null $2/a.cc" ;;
	clang) need clang && echo "clang++ -O2 -S -o /dev/null $2/a.cc" ;;
	make) need make && echo "make -C $top -n -B all" ;;
	redis)
		need redis-server && need redis-benchmark &&
			echo "redis-server --port 0 --unixsocket $2/redis --save '' &
				sleep 0.3; redis-benchmark -s $2/redis -q -t set,lpush -n 1000000"
		;;
	postgres)
		initdb=$(find /usr/lib/postgresql -name initdb 2>/dev/null | head -n 1)
		[ -n "$initdb" ] && echo "d=\$(mktemp -d); chown nobody \$d
			setpriv --reuid nobody --clear-groups $initdb -D \$d/db; rm -rf \$d"
		;;
	rust)
		need rustc && rustc -O -C strip=symbols -o "$2/a.rust" "$2/a.rs" 2>/dev/null && echo "$2/a.rust"
		;;
	rustc) need rustc && echo "rustc -O --emit=obj -o $2/a.o $2/a.rs" ;;
	node) need node && echo "node -e 'for (;;) [...Array(50000).keys()].map(i => String(i * 7919 % 5000)).sort()'" ;;
	go) need go && (cd "$2" && GOFLAGS='' GOCACHE=$2/cache go build -o "$2/a.gobin" a.go) 2>/dev/null && echo "$2/a.gobin" ;;
	java)
		need javac && javac -d "$2" "$2/A.java" 2>/dev/null &&
			echo "java -XX:+PreserveFramePointer -cp $2 A"
		;;
	*) return 1 ;;
	esac
}

need() {
	command -v "$1" >/dev/null
}

# whole_share WAY - of stacks of what the program does in that time, in percent, and the number of samples
whole_share() {
	"$PMUTRACE" profile -q -U -F 499 --call-graph "$1" -f json -o "$T/out.json" -- \
		timeout "$SECONDS_EACH" sh "$T/run" >/dev/null 2>&1
	perl -MJSON::PP -0777 -ne '
		my $d = decode_json($_);
		my $cut = 0;
		$cut += $d->{incomplete}{$_} for grep { !/^kernel|^names/ } keys %{$d->{incomplete}};
		my $n = $d->{kept} || 1;
		printf "%.1f %d\n", 100 * (1 - $cut / $n), $d->{kept}' "$T/out.json"
}

whole_share_of_perf() {
	perf record -q -F 499 -e cpu-clock:u --call-graph dwarf -o "$T/perf.data" -- \
		timeout "$SECONDS_EACH" sh "$T/run" >/dev/null 2>&1
	timeout 300 perf script -i "$T/perf.data" --no-inline -F ip,sym 2>/dev/null | awk '
		function end() {
			if (last == "")
				return
			n++
			whole += last ~ /^(_start|__clone3?|clone3?|runtime\.(goexit|mstart|rt0_go).*|_rt0_.*)$/ ||
				before ~ /__libc_start_main/
			last = before = ""
		}
		NF < 2 { end(); next }
		{ before = last; last = $2 }
		END { end(); if (n) printf "%.1f\n", 100 * whole / n; else print "-" }'
	rm -f "$T/perf.data"
}

[ $# -gt 0 ] || set -- xz zstd gzip openssl sqlite3 python3 perl php ruby bash git cc1plus clang make redis \
	rust rustc node go java postgres
echo "| program | samples | eh | fp | perf, dwarf |"
echo "|---|---|---|---|---|"
missing=
for program; do
	command=$(command_of "$program") || {
		missing="$missing $program"
		continue
	}
	printf 'while :; do\n%s\ndone\n' "$command" >"$T/run"
	eh=$(whole_share eh)
	fp=$(whole_share fp)
	dwarf=-
	! need perf || dwarf=$(whole_share_of_perf)
	echo "| $program | ${eh#* } | ${eh% *} | ${fp% *} | $dwarf |"
done
[ -z "$missing" ] || echo "not here:$missing" >&2
