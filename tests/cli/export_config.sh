#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export --check-config: what is wrong with a configuration is said with its place and with what would be right, by anybody,
# and nothing is opened.
. "$(dirname "$0")/../lib.sh"
"$PMUTRACE" -V | grep -q 'with configuration files' || skip_all "no-yaml: built without libyaml"
plan 41

config=$T/c.yaml
# wrong CONTENT WHY - a point: it is refused so
wrong() {
	printf '%b' "$1" >"$config"
	run "$PMUTRACE" export --config "$config" --check-config
	ok "wrong: $2" sh -c '[ "$1" = 2 ] && [ ! -s "$2" ] && grep -qF -- "$3" "$4"' sh "$status" "$T/out" "$2" "$T/err"
}
# good CONTENT TEXT - a point: it is good
good() {
	printf '%b' "$1" >"$config"
	run "$PMUTRACE" export --config "$config" --check-config
	ok "good: $2" sh -c '[ "$1" = 0 ] && [ ! -s "$2" ] && grep -qF -- "$3" "$4"' sh "$status" "$T/err" "$2" "$T/out"
}

good '' 'is good: 0 options, 0 metrics'
good 'by: [cgroup, process]\nevents: [cycles, "{instructions,cycles}"]\nseries: 7\nprofiles: true\n' 'is good: 4 options'
good 'by: cgroup,process\nevents: cycles,instructions\ncollector.perf.cpus: 0-3\n' 'is good: 3 options'
good 'metrics:\n  a: count nothing:there --by x\n  b: func /no/such:f --hist time\n' 'is good: 0 options, 2 metrics'
good 'metrics:\n  a: func --from a:b --to c:d --match e\n' '1 metrics'
good "metrics:\\n  a: count a:b --filter 'ret < 0 && comm == \"x y\"' --max-probes 5\\n" '1 metrics'

wrong 'lisen: x\n' "c.yaml:1: unknown option 'lisen'; did you mean listen?"
wrong 'config: x\n' 'c.yaml:1: config is of the command line'
wrong 'series: many\n' "c.yaml:1: series: 'many' is not a whole number above 0"
wrong 'series: [1, 2]\n' 'c.yaml:1: series has one value'
wrong 'profiles: perhaps\n' "profiles is true or false, not 'perhaps'"
good 'listen: 192.0.2.1:9870\n' 'is good: 1 options' # of another machine
wrong 'listen: nowhere:9870\n' "'nowhere:9870' is no address"
wrong 'listen: 127.0.0.1:99999\n' "'127.0.0.1:99999' is no address"
wrong 'listen: 127.0.0.1\n' "'127.0.0.1' is no address"
wrong 'by: thread\n' "--by takes cgroup, process or both, not 'thread'"
wrong 'by:\n' '--by takes cgroup, process or both'
wrong 'events: cycles\n' '-e: of what? say --by cgroup'
wrong 'by: cgroup\nevents: cyclse\n' "did you mean cycles"
wrong 'collector.perf.hardware-profilers: Nothing\n' 'Nothing'
wrong 'a: b: c\n' 'c.yaml:1:'
wrong 'metrics:\n  a: top\n' 'c.yaml:2: a: a line begins with count or func'
wrong 'metrics:\n  a: count\n' 'c.yaml:2: a: count of what? name a probe'
wrong 'metrics:\n  a: func\n' 'a: func of what? name a function'
wrong 'metrics:\n  a: count x:y --no-such\n' "a: unknown option '--no-such'"
wrong 'metrics:\n  a: count x:y --by\n' '--by needs a value'
wrong 'metrics:\n  a: count x:y 10\n' "no length of time ('10')"
wrong 'metrics:\n  a: count x:y --duration 1\n' '--duration is not of a metric'
wrong 'metrics:\n  a: count x:y -I 100\n' '--interval is not of a metric'
wrong 'metrics:\n  a: count x:y -o /etc/passwd\n' '--output is not of a metric'
wrong 'metrics:\n  a: count x:y --json\n' '--json is not of a metric'
wrong 'metrics:\n  a: func x --calibrate\n' '--calibrate is not of a metric'
wrong 'metrics:\n  a: count x:y --by comm,ustack\n' '--by ustack: stacks are no labels'
wrong 'metrics:\n  a: count x:y --lhist 0,9,1\n' '--lhist says how --hist is to be divided'
wrong 'metrics:\n  a: count x:y --hist z --lhist 0,1000,1\n' '--lhist 0,1000,1: at most 254 buckets'
wrong 'metrics:\n  a: count x:y -- touch /tmp/x\n' 'no command behind --'

check 2 "--check-config is of a file" "$PMUTRACE" export --check-config
check 1 "which is there" "$PMUTRACE" export --config "$T/none.yaml" --check-config
mkfifo "$T/fifo"
check 1 "and a file" "$PMUTRACE" export --config "$T/fifo" --check-config
head -c 2000000 /dev/zero >"$T/large"
check 1 "of less than 1 MB" "$PMUTRACE" export --config "$T/large" --check-config
says err "which is said" "more than 1 MB"
