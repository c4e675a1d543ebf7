#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# completeness.sh [PROGRAM].. - the share of user stacks of real programs that reach an entry: by
# unwind rules (eh), by frame pointers (fp), and by perf's copies of stacks (dwarf, 8 KiB a sample);
# and what a sample takes of a file: of perf's data, and of our folded stacks. Beside eh: how many of these
# stacks are those of elfutils, as far as it was given the stack, and how many are others.
#
# Ours says of each stack why it is incomplete: a sample that is so for any reason counts against it,
# also in the first milliseconds of a process. perf does not say: a stack of its own counts as whole
# whose last frame is an entry of a process, thread or goroutine, or start-up code that calls main() or a
# thread's function, or is what calls __libc_start_main.
#
# Prints a table in Markdown, which docs/unwinding.md keeps. Programs that are not here are named:
# scripts/install-deps.sh --programs installs them. Servers listen at sockets in a folder of this
# run, and end with it. What the distribution has comes before what else is in PATH.
#
# O says where the build is, SECONDS_EACH how long each is sampled (3), WAYS which columns are wanted
# (eh same fp dwarf bytes). KEEP is a folder for what was measured, by program: PROGRAM.eh.json, .fp.json. Needs root.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-$top/build}
SECONDS_EACH=${SECONDS_EACH:-3}
WAYS=${WAYS:-eh same fp dwarf bytes}
KEEP=${KEEP:-}
PMUTRACE=$O/pmutrace
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
LC_ALL=C
export LC_ALL PATH

[ "$(id -u)" = 0 ] || { echo "completeness: needs root" >&2 && exit 1; }
[ -x "$PMUTRACE" ] || { echo "completeness: no $PMUTRACE: run make" >&2 && exit 1; }
T=$(mktemp -d "${TMPDIR:-/tmp}/pmutrace-completeness.XXXXXX") || exit 1
trap 'end_group; rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$T"

need() {
	command -v "$1" >/dev/null
}

# What the programs work on.
library=$(find /usr/lib /usr/lib64 -name 'libc.so.6' 2>/dev/null | head -n 1)
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$library"; done >"$T/data"
work=$top/tests/bench/programs

# build COMMAND.. - of a program that is measured; quietly
build() {
	(cd "$T" && "$@") >/dev/null 2>&1
}

# prepare_postgres BIN - a database in the folder pg, of somebody who is not root
prepare_postgres() {
	[ -x "$1/initdb" ] && [ -x "$1/pgbench" ] || return 1
	[ -d "$T/pg" ] && return
	mkdir "$T/pg"
	chown nobody "$T/pg"
	build setpriv --reuid nobody --clear-groups "$1/initdb" -A trust -U bench -D "$T/pg/db" || return
	start_postgres "$1" >"$T/start"
	build sh -c ". $T/start; $1/pgbench -i -q -s 2 -h $T/pg -U bench postgres; kill \$server; wait"
}

# start_postgres BIN - commands that start it, at a socket in its folder alone
start_postgres() {
	echo "setpriv --reuid nobody --clear-groups $1/postgres -D $T/pg/db -k $T/pg -h '' -F & server=\$!
		until $1/pg_isready -q -h $T/pg; do sleep 0.1; done"
}

prepare_nginx() {
	[ -d "$T/nginx" ] && return
	mkdir -p "$T/nginx/www" && chmod 755 "$T/nginx" && head -c 300000 "$library" >"$T/nginx/www/data"
}

# command_of PROGRAM - a command that goes on for as long as it is let; fails where it is not here
command_of() {
	case $1 in
	xz) need xz && echo "xz -6 -T1 -c $T/data" ;;
	zstd) need zstd && echo "zstd -19 -q -c $T/data" ;;
	gzip) need gzip && echo "gzip -9 -c $T/data" ;;
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
	git) [ -e "$top/.git" ] && need git && echo "git -C $top log --stat -M" ;;
	make) need make && echo "make -C $top -n -B all" ;;
	cc1plus) need g++ && echo "g++ -O2 -S -o /dev/null $work/work.cc" ;;
	clang) need clang++ && echo "clang++ -O2 -S -o /dev/null $work/work.cc" ;;
	rustc) need rustc && echo "rustc -O --emit=obj -o $T/rust.o $work/work.rs" ;;
	ghc)
		need ghc && cp "$work/work.hs" "$T/compiled.hs" &&
			echo "ghc -O -fforce-recomp -c -outputdir $T $T/compiled.hs"
		;;
	c++) need g++ && build g++ -O2 -o c++ "$work/work.cc" && echo "$T/c++" ;;
	rust) need rustc && build rustc -O -C strip=symbols -o rust "$work/work.rs" && echo "$T/rust" ;;
	ocaml)
		need ocamlopt && cp "$work/work.ml" "$T" && build ocamlopt -O3 -o ocaml work.ml && echo "$T/ocaml"
		;;
	haskell) need ghc && build ghc -O -outputdir "$T/hs" -o haskell "$work/work.hs" && echo "$T/haskell" ;;
	go) need go && GOFLAGS='' GOCACHE=$T/cache build go build -o go "$work/work.go" && echo "$T/go" ;;
	java)
		need javac && build javac -d "$T" "$work/Work.java" &&
			echo "java -XX:+PreserveFramePointer -cp $T Work"
		;;
	node) need node && echo "node -e 'for (;;) [...Array(50000).keys()].map(i => String(i * 7919 % 5000)).sort()'" ;;
	luajit) need luajit && echo "luajit $work/work.lua" ;;
	x264) need x264 && echo "x264 --quiet --demuxer raw --input-res 640x360 --fps 25 -o $T/video.264 $T/data" ;;
	redis)
		need redis-server && need redis-benchmark && echo "
			redis-server --port 0 --unixsocket $T/redis.sock --save '' & server=\$!
			until redis-cli -s $T/redis.sock ping; do sleep 0.1; done
			redis-benchmark -s $T/redis.sock -q -t set,lpush,lrange -n 1000000; kill \$server; wait"
		;;
	nginx)
		need nginx && need curl && prepare_nginx && echo "
			cd $T/nginx; nginx -p . -c $work/nginx.conf & server=\$!
			until [ -S nginx.sock ]; do sleep 0.1; done
			curl -s -H 'Accept-Encoding: gzip' --unix-socket nginx.sock 'http://localhost/data?[1-100000]'
			kill \$server; wait"
		;;
	postgres)
		bin=$(find /usr/lib/postgresql -name initdb 2>/dev/null | sort -V | tail -n 1)
		bin=${bin%/initdb}
		prepare_postgres "$bin" && start_postgres "$bin" &&
			echo "$bin/pgbench -c 2 -T 100 -h $T/pg -U bench postgres; kill \$server; wait"
		;;
	*) return 1 ;;
	esac
}

# run [COMMAND ARG..] - the program, for SECONDS_EACH, under a command that measures it
run() {
	"$@" timeout "$SECONDS_EACH" sh "$T/run" </dev/null >/dev/null 2>"$T/err"
	end_group
}

# Servers end with the signal of timeout; what is still there of its group after five seconds is killed.
end_group() {
	[ -s "$T/group" ] || return 0
	group=$(cat "$T/group")
	rm "$T/group"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		kill -0 -- "-$group" 2>/dev/null || return 0
		sleep 0.5
	done
	kill -KILL -- "-$group" 2>/dev/null
}

# whole_share WAY - of stacks of what the program does in that time, in percent, the number of samples, and
# why others are not whole
whole_share() {
	rm -f "$T/out.json"
	run "$PMUTRACE" profile -q -U -F 499 --call-graph "$1" -f json -o "$T/out.json" --
	[ -z "$KEEP" ] || cp "$T/out.json" "$KEEP/$program.$1.json"
	perl -MJSON::PP -0777 -ne '
		my $d = decode_json($_);
		my %why = map { $_ => $d->{incomplete}{$_} } grep { !/^kernel|^names/ } keys %{$d->{incomplete}};
		my ($n, $cut) = ($d->{kept} || 1, 0);
		$cut += $_ for values %why;
		printf "%.1f of %d | %s\n", 100 * (1 - $cut / $n), $d->{kept},
			join(", ", map { "$_ $why{$_}" } sort { $why{$b} <=> $why{$a} } keys %why)' "$T/out.json"
}

# same_share - of the stacks that neither elfutils gave up nor ours ended before: those that are the same
# frame by frame, up to the end of what was copied or to the first frame that one of the two could only
# guess; and how many are different, of how many
same_share() {
	rm -f "$T/out.json"
	run "$PMUTRACE" profile -q -U -F 499 --verify-unwind -f json -o "$T/out.json" --
	[ -z "$KEEP" ] || cp "$T/out.json" "$KEEP/$program.same.json"
	perl -MJSON::PP -0777 -ne '
		my $v = decode_json($_)->{verify_unwind};
		my $n = $v->{compared} - $v->{gave_up} - $v->{incomplete};
		my $same = $v->{same} + $v->{uncopied} + $v->{frame_pointer};
		printf "%.1f, %d of %d other", 100 * $same / ($n || 1), $v->{different}, $n' "$T/out.json"
}

# bytes_of_folded - of a file of folded stacks, for each sample in it
bytes_of_folded() {
	run "$PMUTRACE" profile -q -U -F 499 -f folded -o "$T/out.folded" --
	awk '{ n += $NF; bytes += length($0) + 1 } END { if (n) printf "%.0f\n", bytes / n; else print "-" }' \
		"$T/out.folded"
}

# whole_share_of_perf - and the bytes of its file for each sample in it
whole_share_of_perf() {
	# perf 6.1 ends with a failed assertion when it looks for build ids itself: the kernel tells them.
	run perf record -q --buildid-mmap -F 499 -e cpu-clock:u --call-graph dwarf -o "$T/perf.data" --
	bytes=$(wc -c <"$T/perf.data")
	timeout 60 perf script -i "$T/perf.data" --no-inline -F ip,sym 2>/dev/null | awk -v bytes="$bytes" '
		BEGIN {
			entry = "^((_start|(__)?clone3?|start_thread|__libc_start_(main|main_impl|call_main)|_rt0_.*)(@.*)?" \
				"|runtime\\.(goexit|mstart|rt0_go|systemstack|morestack|mcall|asmcgocall|cgocallback)(\\.abi0)?)$"
		}
		function end() {
			if (last == "")
				return
			n++
			whole += last ~ entry || before ~ /^__libc_start_main/
			last = before = ""
		}
		NF < 2 { end(); next }
		{ before = last; last = $2 }
		END { end(); if (n) printf "%.1f of %d | %.0f\n", 100 * whole / n, n, bytes / n; else print "- | -" }'
	rm -f "$T/perf.data"
}

wanted() {
	case " $WAYS " in *" $1 "*) ;; *) return 1 ;; esac
}

[ $# -gt 0 ] || set -- xz zstd gzip openssl sqlite3 python3 perl php ruby bash git make cc1plus clang rustc c++ \
	rust ocaml redis nginx postgres node java go luajit x264 haskell ghc
[ -z "$KEEP" ] || mkdir -p "$KEEP"
echo "| program | eh: % of samples | not whole by eh | as elfutils: % | fp | perf, dwarf | bytes of a sample: perf | folded |"
echo "|---|---|---|---|---|---|---|---|"
missing=
for program; do
	command=$(command_of "$program") || {
		missing="$missing $program"
		continue
	}
	printf 'echo "$PPID" >%s/group\nwhile :; do\n%s\ndone\n' "$T" "$command" >"$T/run"
	eh='- | -' same=- fp=- dwarf='- | -' folded=-
	! wanted eh || eh=$(whole_share eh)
	! wanted same || same=$(same_share)
	! wanted fp || fp=$(whole_share fp)
	! wanted dwarf || ! need perf || dwarf=$(whole_share_of_perf)
	! wanted bytes || folded=$(bytes_of_folded)
	echo "| $program | $eh | $same | ${fp% |*} | $dwarf | $folded |"
done
[ -z "$missing" ] || echo "not here:$missing" >&2
