#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Stacks found by unwind rules are those that elfutils finds, on registers and stacks copied in the
# same samples: of programs whose chains are known, and of real ones.
. "$(dirname "$0")/../lib.sh"
need_bpf
"$PMUTRACE" -V | grep -q 'with --verify-unwind' || skip_all "no-libdw: built without libdw"

plan 42

# of NAME EXPRESSION - a number of $T/NAME.json
of() {
	json "$T/$1.json" "\$d->{verify_unwind}{$2}"
}
# take NAME CMD.. - its stacks, compared
take() {
	taken=$1
	shift
	run "$PMUTRACE" profile --verify-unwind -v -U -F 997 -f json -o "$T/$taken.json" -- "$@"
	[ "$status" = 0 ] && return
	echo "# exit status $status" && show
	return 1
}
# same NAME LEAST - so many were compared, nothing is different, and of what was copied as far as it goes
# 99.5 % are the same
same() {
	grep 'verify-unwind:' "$T/err" | head -n 5
	whole=$(($(of "$1" compared) - $(of "$1" uncopied)))
	between "$2" "$whole" 1000000 && equal "$(of "$1" different)" 0 &&
		between $((whole * 995)) $(($(of "$1" same) * 1000)) $((whole * 1000))
}

for mode in plain deep sort alloca thread made late; do
	ok "$mode: measured" take $mode "$PROG/bare" -s 0.6 $mode "$PROG/libplugin.so"
	ok "$mode: the same" same $mode 200
done
# In execve(2) there is none.
ok "every stack was compared, or is counted as skipped" \
	equal "$(json "$T/plain.json" '$d->{seen} -
		sum0 map { values %{$_->{values}} } grep { !@{$_->{key}{stack}} } @{$d->{rows}}')" \
	"$(($(of plain compared) + $(json "$T/plain.json" 'sum0 values %{$d->{verify_unwind}{skipped}}')))"
ok "what was compared is the sum of all results" equal "$(of plain compared)" \
	"$(json "$T/plain.json" 'my $v = $d->{verify_unwind};
		sum0 @$v{qw(same uncopied frame_pointer gave_up incomplete different)}')"
says err "a notice tells" 'unwinding: [0-9]+ of [0-9]+ user stacks \([0-9.]+ %\) are as elfutils 0\.[0-9]+ has them'

# The caller's stack is another one, or lies beyond what is copied: the same up to there. Of copies that
# are unwound in user space, before there are rules, ours ends there too.
for mode in signal large; do
	ok "$mode: measured" take $mode "$PROG/bare" -s 0.6 $mode
	ok "$mode: nothing is different" equal "$(of $mode different)" 0
	ok "$mode: there are some that the copy is too small for" between 100 "$(of $mode uncopied)" 1000000
	ok "$mode: and all are the same as far as it goes" \
		between $(($(of $mode compared) * 995)) $((($(of $mode uncopied) + $(of $mode same)) * 1000)) 1000000000
done

# real NAME LEAST CMD.. - a program that others have made
real() {
	if command -v "$3" >/dev/null; then
		program=$1 least=$2
		shift 2
		ok "$program: measured" take "$program" "$@"
		ok "$program: the same" same "$program" "$least"
	else
		skip 2 "peers: no $3"
	fi
}
seq 400000 >"$T/numbers"
real perl 50 perl -e '%h = map { $_ * 7919 % 5000 => "x$_" } 1..600000; @a = sort values %h'
real xz 50 xz -k -c -6 "$T/numbers"
# shellcheck disable=SC2016
real node 50 node -e 'for (let n = 0; n < 300; n++)
	[...Array(5000).keys()].map(i => String(i * 7919 % 5000)).sort()'
python=$(command -v /usr/bin/python3 || echo python3)
real python 50 "$python" -c 'import json
for i in range(150): json.loads(json.dumps([{"a": list(range(100))} for _ in range(200)]))'

# Who compares: a process in a cage, which has the library that ours has not.
start "$PROG/burn" -s 60
"$PMUTRACE" profile --verify-unwind -p "$started" -f json -o "$T/jail.json" --duration 30 2>"$T/err" &
profile=$!
all_started="$all_started $profile"
has_reader() {
	reader=$(pgrep -x verify-reader -P "$(pgrep -P "$profile" -x jail-warden)")
	[ -n "$reader" ]
}
in_cage() {
	equal "$(sed -n 's/^\(CapEff\|Seccomp\|Uid\):[[:space:]]*//p' "/proc/$1/status" | tr -s '[:space:]' ' ')" \
		"65534 65534 65534 65534 0000000000000000 2 "
}
ok "a reader compares" within 10 has_reader
ok "it is nobody, has no capability, and may do little" within 10 in_cage "$reader"
ok "it has loaded libdw" grep -q libdw "/proc/$reader/maps"
ok "the process that measures has not" sh -c "! grep -q libdw /proc/$profile/maps"
# Ended by what it reads: told, and measuring goes on.
kill -KILL "$reader"
sleep 0.3
kill -INT "$profile"
wait "$profile"
ok "without its reader it goes on to the end" equal "$?" 0
says err "and says that no more is compared" 'no more stacks are compared.*killed'
ok "what was not compared is counted" between 1 "$(json "$T/jail.json" '$d->{verify_unwind}{skipped}{no_reader}')" 10000

# What it needs, and what it is about.
library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libdw\.so\.1 .* => //p' | head -n 1)
if [ -n "$library" ] && unshare -m true 2>/dev/null; then
	check 1 "without libdw it does not begin" unshare -m sh -c \
		"mount --bind /dev/null $library && exec '$PMUTRACE' profile --verify-unwind 1"
	says err "and says what to install" 'libdw.*install.*libdw1'
else
	skip 2 "mounts: no mount namespace, or libdw is elsewhere"
fi
