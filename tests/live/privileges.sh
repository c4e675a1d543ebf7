#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Capabilities: while it measures the command has those that pmutrace(1) lists, each of its threads;
# what it runs has all that the user has; what is listed is enough.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_root

# mask COMMAND THREAD - of the capabilities listed in pmutrace(1), as far as they are ours; include/uapi/linux/capability.h
mask() {
	perl -e '
		my ($command, $thread, $ours, $page) = @ARGV;
		my %number = (CHOWN => 0, DAC_OVERRIDE => 1, DAC_READ_SEARCH => 2, FOWNER => 3, KILL => 5,
			IPC_LOCK => 14, SYS_PTRACE => 19, SYS_ADMIN => 21, SYS_RESOURCE => 24, SYSLOG => 34,
			PERFMON => 38, BPF => 39, CHECKPOINT_RESTORE => 40);
		open my $f, "<", $page or die "$page: $!";
		local $/;
		my ($main, $reader) = <$f> =~ /Once everything is set up(.*?)\n\.El\n(.*?)one that asks for unwind tables/s
			or die "no list";
		my $text = $thread eq "main" ? $main : $reader;
		my $set = 0;
		for (split /^\.It (?=Dv)/m, $text) {
			next if $command eq "top" && /not in\n\.Cm top/;
			next if $command ne "top" && /in\n\.Cm top\nalone/;
			/^Dv (.*)/ or $thread ne "main" or next;
			$set |= 1 << ($number{$_} // die $_) for ($thread eq "main" ? $1 : $_) =~ /CAP_(\w+)/g;
		}
		open $f, "<", "/proc/sys/kernel/perf_event_paranoid";
		$set |= 1 << $number{SYS_ADMIN} if $thread eq "main" && <$f> > 2;
		printf "%016x\n", $set & hex $ours' "$1" "$2" "$(own CapPrm)" "$TOP/man/pmutrace.1"
}
# own FIELD - of this shell's status
own() {
	awk -v field="$1:" '$1 == field { print $2 }' "/proc/$$/status"
}
# threads PID - a line each, main first: permitted, effective, bounding, no_new_privs
threads() {
	for thread in "/proc/$1/task"/*; do
		awk '/^(CapPrm|CapEff|CapBnd|NoNewPrivs):/ { at[$1] = $2 }
			END { print at["CapPrm:"], at["CapEff:"], at["CapBnd:"], at["NoNewPrivs:"] }' "$thread/status"
	done
}
# has_threads PID MASK.. - they have these, in whatever order, and nothing may give them more
has_threads() {
	threads "$1" | sort >"$T/has"
	shift
	for set in "$@"; do
		echo "$set $set $set 1"
	done | sort | cmp -s - "$T/has"
}
# keeps NAME COMMAND MASK.. ARGS - MASKs of the threads, up to "--"; then its arguments
keeps() {
	kept=$1 sets=$2
	shift 2
	start "$PMUTRACE" "$@"
	# shellcheck disable=SC2086 # a word for each thread
	ok "$kept: each thread has what is listed" within 30 has_threads "$started" $sets
	threads "$started" | diag
	kill -INT "$started"
	status=0
	wait "$started" || status=$?
	forget "$started"
	ok "$kept: and ends as ever" equal "$status" 0
}

plan 25
run_set=$(mask profile main) top_set=$(mask top main) reader=$(mask profile reader)
none=0000000000000000
ok "something is listed, and not all" test "$run_set" != "$none" -a "$run_set" != "$(own CapPrm)"

keeps "profile" "$run_set $reader $none" profile -q -a -e cpu-clock -o "$T/p.folded"
keeps "count" "$run_set $reader" count -q sched:sched_switch --by comm -o "$T/c.csv"
keeps "func" "$run_set $reader" func -q -e page-faults "$PROG/burn:burn_70" -o "$T/f.csv"
keeps "stat" "$run_set" stat -q -a -e page-faults
keeps "top" "$top_set" top -q -b -d 1000
keeps "top of functions" "$top_set $reader $none" top -q -b -d 1000 --by function -e cpu-clock

# The bounding set too: what of these the command could get by an exec of a setuid program.
sed -n '/^Cap\|^NoNew/p' "/proc/$$/status" >"$T/ours"
for how in "profile -q -e cpu-clock -o $T/p.folded" "count -q sched:sched_switch -o $T/c.csv" \
	"func -q -e page-faults $PROG/burn:burn_70 -o $T/f.csv" "stat -q -e page-faults -o $T/s.csv" \
	"stat -q -r 3 -e page-faults -o $T/s.csv"; do
	rm -f "$T/theirs"
	# shellcheck disable=SC2016,SC2086 # words
	run "$PMUTRACE" $how -- sh -c 'sed -n "/^Cap\|^NoNew/p" /proc/self/status >>'"$T/theirs"
	[ "${how#stat -q -r}" = "$how" ] || cat "$T/ours" "$T/ours" "$T/ours" >"$T/three"
	expected=$T/ours
	[ ! -e "$T/three" ] || expected=$T/three
	ok "${how%% -e*} --: the command has what we have" cmp "$T/theirs" "$expected"
done

# CAP_SYS_ADMIN alone, from before there were others: it stays.
without="-bpf,-perfmon,-checkpoint_restore,-syslog"
admin=$(printf '%016x' $((0x200000 | 0x$run_set & ~0x1c400000000)))
setpriv --inh-caps="$without" --bounding-set="$without" \
	"$PMUTRACE" profile -q -a -e cpu-clock -o "$T/a.folded" >/dev/null 2>&1 &
started=$! all_started="$all_started $!"
ok "CAP_SYS_ADMIN stays where it stands for what is not there" within 30 eval \
	"threads $started | grep -q '^$admin $admin'"
threads "$started" | diag
kill -INT "$started"
wait "$started"
forget "$started"

# A directory and files of another user, made and replaced at the end.
mkdir "$T/theirs.d"
echo old >"$T/theirs.d/old.folded"
chown -R 65534:65534 "$T/theirs.d"
chmod 700 "$T/theirs.d"
check 0 "results go into a directory of another user" "$PMUTRACE" profile -q -e cpu-clock -o "$T/theirs.d/new.folded" \
	-o "$T/theirs.d/old.folded" -- "$PROG/burn" -s 0.2
ok "one that takes an old one's place is its owner's" equal "$(stat -c %u:%g "$T/theirs.d/old.folded")" 65534:65534
ok "and whole" test "$(folded_sum "$T/theirs.d/old.folded" burn_70)" -gt 0

# Another user's process, in a file that has no name any more: /proc/PID/map_files.
cp "$PROG/burn" "$T/gone"
chmod 755 "$T/gone"
start setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$T/gone" -s 60
within 10 grep -q gone "/proc/$started/maps"
rm "$T/gone"
check 0 "another user's process" "$PMUTRACE" profile -q -e cpu-clock -p "$started" --duration 1 -o "$T/o.folded"
ok "whose file is gone has names of functions" test "$(folded_sum "$T/o.folded" burn_70)" -gt 0
kill "$started"

# A signal reaches a command of another user.
run timeout -s TERM 2 "$PMUTRACE" profile -q -e cpu-clock -o "$T/k.folded" -- setpriv --reuid=65534 \
	--regid=65534 --clear-groups --inh-caps=-all sleep 60
ok "SIGTERM reaches a command that is another user's" equal "$status" 124
