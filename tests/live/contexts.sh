#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile --continuous --push: a process that publishes OpenTelemetry's process context is labelled by what it says, in every
# way of publishing it; what it changes, others lie about or never answer, harms nobody.
. "$(dirname "$0")/../lib.sh"
need_bpf
plan 27

if ! "$PMUTRACE" -V | grep -q 'with pushing of profiles'; then
	skip 27 "no-curl: built without libcurl"
	exit
fi
mkdir "$T/peer"
echo 200 >"$T/peer/how"
start perl "$TOP/tests/push_peer.pl" "$T/peer"
within 10 test -s "$T/peer/port"
url=http://127.0.0.1:$(cat "$T/peer/port")

# publishing ARGS.. - a program that does; its pid is in $started, and in $pids. Fails where the system cannot
publishing() {
	start "$PROG/publish" "$@"
	pids=$pids,$started
	within 10 sh -c 'grep -q published "$1" || ! kill -0 "$2"' sh "$T/started.out" "$started"
	grep -q published "$T/started.out"
}
# pushed KIND ARGS.. - a run of windows of a second, whose bodies begin anew
pushed() {
	kind=$1
	shift
	rm -f "$T"/peer/*.body
	run "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --push "$kind+$url" --spool "$T/spool-$kind" "$@"
	ok "$kind: all was sent" sh -c '[ "$1" = 0 ] && grep -qE "^pmutrace: [1-9][0-9]* profiles were sent, 0 wait in .*, 0 were lost$" "$2"' \
		sh "$status" "$T/err"
}
# labelled LABEL.. - the bodies that have all of these labels
labelled() {
	for body in "$T"/peer/*.body; do
		perl "$TOP/tests/pushed.pl" "$kind" "$body" labels >"$T/labels" || return 1
		has_all=1
		for label; do
			grep -qxF "$label" "$T/labels" || has_all=
		done
		[ -z "$has_all" ] || echo "$body"
	done
}
# ms_of COMM BODY.. - CPU time of a command in bodies of OTLP
ms_of() {
	comm=$1
	shift
	for body; do
		perl "$TOP/tests/pushed.pl" otlp "$body" folded cpu
	done | awk -F '[; ]' -v comm="$comm" '$1 == comm { n += $NF } END { printf "%.0f\n", n / 1000000 }'
}

# Labels are those of the resource in OTLP, and such names as labels can have elsewhere.
pids=
publishing -s 60 service.name=shop service.namespace=eu service.instance.id=i-1 service.version=7 deployment.environment.name=prod ignored=x
start "$PROG/burn" -s 60
pids=${pids#,},$started
for kind in otlp pyroscope parca; do
	pushed "$kind" -p "$pids" 2
	if [ "$kind" = otlp ]; then
		set -- service.name=shop service.namespace=eu service.instance.id=i-1 service.version=7 deployment.environment.name=prod
	else
		set -- service_name=shop service_namespace=eu service_instance_id=i-1 service_version=7 deployment_environment_name=prod
	fi
	labelled "$@" >"$T/shop"
	ok "$kind: what a process says are labels" test -s "$T/shop"
	ok "$kind: and nothing else that it says" sh -c '! grep -q ignored "$1"' sh "$T/labels"
done
pushed otlp -p "$pids" 4
# shellcheck disable=SC2046 # names without blanks
of_shop=$(ms_of publish $(labelled service.name=shop))
ok "its time is in these bodies" between 20 "$of_shop" 4600
# On a machine that is busy its answer may be late for the first window.
ok "all of it, but for a window at most" between "$of_shop" "$(ms_of publish "$T"/peer/*.body)" $((of_shop * 2))
# shellcheck disable=SC2046
ok "that of others is not" equal "$(ms_of burn $(labelled service.name=shop))" 0
ok "who says nothing is of its cgroup" between 20 "$(ms_of burn "$T"/peer/*.body)" 4600
ok "with no more bodies than one for each and window" between 2 "$(find "$T/peer" -name '*.body' | wc -l)" 12
pushed otlp --label service.name=mine -p "$pids" 1
ok "a label of the user's is before it" equal "$(labelled service.name=mine | wc -l)" "$(find "$T/peer" -name '*.body' | wc -l)"
run "$PMUTRACE" profile --continuous --every 1s -e cpu-clock --push "otlp+$url" --spool "$T/spool-otlp" --out-dir "$T/files" -p "$pids" 2
for file in "$T"/files/*; do
	perl "$TOP/tests/pprof.pl" labels "$file"
done >"$T/of_files" 2>/dev/null
ok "files are not by pid for that" sh -c '[ -n "$(ls "$1")" ] && ! grep -q pid "$2"' sh "$T/files" "$T/of_files"
for pid in $(echo "$pids" | tr , ' '); do
	stop "$pid"
done

# Other ways to publish it.
for way in a b; do
	pids=
	if publishing "-$way" -s 60 "service.name=way-$way"; then
		pushed otlp -p "$started" 1
		ok "a mapping that has the name by prctl(2), -$way" test -s "$(labelled "service.name=way-$way" | head -n 1)"
		stop "$started"
	else
		forget "$started"
		skip 2 "no-vma-name: the kernel gives memory no names"
	fi
done

# It changes.
pids=
publishing -s 4 service.name=before "then" service.name=after
pushed otlp -p "$started"
# shellcheck disable=SC2046
ok "what it says is what it said then, to a window" sh -c '[ "$1" -ge 500 ] && [ "$2" -ge 500 ]' sh "$(ms_of publish $(labelled service.name=before))" \
	"$(ms_of publish $(labelled service.name=after))"

# Lies. The one that says the truth is there with each of them.
pids=
publishing -s 60 service.name=truth
for lie in signature version size beyond pointer kernel garbage updating stuck; do
	publishing -l "$lie" -s 60 "service.name=lie-$lie" || pids=${pids%,*}
done
pushed otlp -p "${pids#,}" 4
cat "$T"/peer/*.body >"$T/all"
ok "no lie is a label" sh -c '[ -s "$1" ] && for body in "$2"/*.body; do perl "$3" otlp "$body" labels; done | grep -c lie- | grep -qx 0' sh \
	"$T/all" "$T/peer" "$TOP/tests/pushed.pl"
ok "and the truth is one" test -s "$(labelled service.name=truth | head -n 1)"
