# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_growth.sh - what commands take on hosts of several sizes: descriptors, memory, system calls; after lib.sh and
# lib_export.sh.
#
# How many CPUs there are a program learns from two files of sysfs. Here it sees others in their place, in a mount
# namespace of its own: fewer than there are, or such as may come and never do.

# need_sizes - and $real, CPUs that are online
need_sizes() {
	unshare -m true 2>/dev/null || skip_all "no-unshare: mount namespaces are not permitted"
	[ -e /sys/kernel/tracing/events/raw_syscalls/sys_enter/id ] ||
		skip_all "no-tracefs: nobody counts system calls"
	real=$(nproc --all)
	possible=$(sed 's/.*-//' /sys/devices/system/cpu/possible)
}

# of_size CPUS CMD.. - runs it (in the place of this shell) as if the host had so many, which are online where they are real
of_size() {
	online=$(($1 < real ? $1 : real))
	if [ "$1" = "$real" ] && [ "$real" = $((possible + 1)) ]; then
		shift
		exec "$@"
	fi
	echo "0-$(($1 - 1))" >"$T/possible.$1"
	echo "0-$((online - 1))" >"$T/online.$1"
	# shellcheck disable=SC2016 # its own
	exec unshare -m sh -c 'cpus=/sys/devices/system/cpu file=$1 nr=$2 && shift 2 &&
		mount --bind "$file/possible.$nr" $cpus/possible && mount --bind "$file/online.$nr" $cpus/online &&
		exec "$@"' sh "$T" "$@"
}

# held_by PID - "EVENTS FILES MAPS_KB OWN_KB": descriptors of perf events and others, memory of BPF maps, and its own
held_by() {
	# What is open may be closed while it is looked at.
	maps=$(cat "/proc/$1"/fdinfo/* 2>/dev/null | awk '
		/^memlock:/ { bytes = $2 }
		/^map_id:/ && !seen[$2]++ { n += bytes }
		END { printf "%.0f\n", n / 1024 }')
	files=$(find "/proc/$1/fd" -type l -printf '%l\n')
	echo "$(echo "$files" | grep -c -F '[perf_event]') $(echo "$files" | grep -c -v -F '[perf_event]') $maps $(awk '$1 == "RssAnon:" { print $2 }' "/proc/$1/status")"
}

# Four events that a perf event counts on each CPU, and sixteen.
events4=page-faults,minor-faults,major-faults,cpu-migrations
events16=cpu-clock@19hz$(for _ in 1 2 3 4 5; do printf ,page-faults@19hz,minor-faults@19hz,cpu-migrations@19hz; done)

# arguments_of COMMAND CPUS LOOKS - looks are 0.2 s each; export has those that somebody asks for
arguments_of() {
	looks_seconds=$(awk -v n="$3" 'BEGIN { print n / 5 }')
	case $1 in
	profile) echo "profile -q -C 0-$((($2 < real ? $2 : real) - 1)) --comm nobody-$$ -e $events16 -o $T/profile.folded --duration $looks_seconds" ;;
	stat) echo "stat -q -a -e $events4 -I 200 -o $T/stat.csv --duration $looks_seconds" ;;
	top) echo "top -q -b -e $events4 -d 0.2 -n $3 -o $T/top.csv" ;;
	export) echo "export --listen 127.0.0.1:0 --by cgroup -e $events4 --collector.perf.disable-hardware-profilers
		--collector.perf.disable-cache-profilers --collector.perf.software-profilers PageFault" ;;
	esac
}

# answers LOOKS - so many requests of the exporter that $T/err tells of; later ones in the same 0.1 s have the same answer
answers() {
	within 20 grep -q http: "$T/err" || return 1
	# shellcheck disable=SC2034 # for raw
	address=$(sed -n 's,.*http://\([^/]*\)/.*,\1,p' "$T/err")
	for _ in $(seq "$1"); do
		sleep 0.11
		raw 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' | grep -q ' 200 ' || return 1
	done
}

# spent COMMAND CPUS LOOKS - "CALLS CPU_NS" of all of it
spent() {
	rm -f "$T/spent" "$T/err" "$T/top.csv"
	# shellcheck disable=SC2046 # words
	(of_size "$2" "$PROG/callcount" "$T/spent" "$PMUTRACE" $(arguments_of "$1" "$2" "$3")) >"$T/out" 2>"$T/err" </dev/null &
	spending=$!
	all_started="$all_started $spending"
	if [ "$1" = export ]; then
		answers "$3" || echo "# no answer" >&2
		kill -TERM "$spending"
	fi
	wait "$spending" || sed 's/^/# /' "$T/err" >&2
	forget "$spending"
	cat "$T/spent"
}

# held COMMAND CPUS - held_by, while it measures
held() {
	rm -f "$T/held" "$T/err" "$T/top.csv"
	case $1 in
	profile | stat) set -- "$1" "$2" -- sh -c ". '$TOP/tests/lib_growth.sh'; held_by \$PPID >'$T/held'" ;;
	esac
	command=$1 size=$2
	shift 2
	# shellcheck disable=SC2046 # words
	(of_size "$size" "$PMUTRACE" $(arguments_of "$command" "$size" 300) "$@") >"$T/out" 2>"$T/err" </dev/null &
	holding=$!
	all_started="$all_started $holding"
	case $command in
	profile | stat) wait "$holding" ;;
	top) within 20 test -s "$T/top.csv" ;;
	export) answers 1 ;;
	esac || sed 's/^/# /' "$T/err" >&2
	[ -e "$T/held" ] || held_by "$holding" >"$T/held"
	stop "$holding"
	cat "$T/held"
}

# row COMMAND CPUS - "CPUS EVENTS FILES MAPS_KB OWN_KB CALLS CPU_MS CALLS_A_LOOK US_A_LOOK"
row() {
	# shellcheck disable=SC2046 # nine words
	set -- "$2" $(held "$1" "$2") $(spent "$1" "$2" 1) $(spent "$1" "$2" 11)
	echo "$@" | awk 'NF == 9 { print $1, $2, $3, $4, $5, $6, $7 / 1e6, ($8 - $6) / 10, ($9 - $7) / 1e4 }'
}
