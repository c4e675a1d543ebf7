#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files that another user has made to be expensive: a run reads so much of them, and says so.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_root

# as_nobody CMD..
as_nobody() {
	exec perl -e '$( = $) = "65534 65534"; $< = $> = 65534; exec @ARGV or die' "$@"
}

# read_by CMD.. - as `run`, and the bytes that it has read are in $bytes
read_by() {
	run sh -c '"$@"; echo $? >"$T/ended"; sed -n "s/^rchar: //p" /proc/$$/io >"$T/rchar"' - "$@"
	status=$(cat "$T/ended") bytes=$(cat "$T/rchar")
}

plan 11
# Programs whose symbols are elsewhere, in a file that must be summed up to be believed: 100 MB for
# each of four. Without a build-id nothing else can tell that it is the right one.
objcopy --remove-section .note.gnu.build-id "$PROG/burn" "$T/plain" 2>/dev/null
objcopy --only-keep-debug "$T/plain" "$T/debug" 2>/dev/null
head -c 100000000 /dev/zero >>"$T/debug"
strip -o "$T/stripped" "$T/plain"
(cd "$T" && objcopy --add-gnu-debuglink=debug stripped) 2>/dev/null
chmod 755 "$T/stripped"
for i in 1 2 3 4; do
	mkdir "$T/$i"
	cp "$T/stripped" "$T/$i/burn$i"
	ln "$T/debug" "$T/$i/debug"
done
chown -R 65534 "$T"/[1-4]
pids=
for i in 1 2 3 4; do
	start as_nobody "$T/$i/burn$i" -s 60
	within 20 grep -q "burn$i" "/proc/$started/maps" || :
	pids="$pids,$started"
done
read_by "$PMUTRACE" profile -F 199 -o "$T/p.folded" -p "${pids#,}" --duration 0.5
ok "measured" test "$status" = 0
says err "what was not read is told" "functions of [1-4] files? of other users have addresses for names: .* 256 MiB and 2 s"
ok "no more was read than that, and what is root's" between 1 "$bytes" 350000000
ok "what was not read is an address" between 1 \
	"$(folded_sum "$T/p.folded" '^burn[1-4];.*\[burn[1-4]\+0x[0-9a-f]+\] ')" 800
for pid in $(echo "$pids" | tr , ' '); do
	stop "$pid"
done

# The same of root's own files is not bounded.
chown -R 0 "$T"/[1-4]
start "$T/1/burn1" -s 60
within 20 grep -q burn1 "/proc/$started/maps" || :
pm -F 199 -o "$T/r.folded" -p "$started" --duration 0.3
ok "of root's files: measured" test "$status" = 0
ok "functions of root's files have names" between 1 "$(folded_sum "$T/r.folded" ';main;work;burn_[37]0')" 100
ok "and there is nothing to tell" sh -c '! grep "other users" "$T/err"'
stop "$started"

# A map of code made at run time: 2 million names, with room for a third of them.
start as_nobody "$PROG/jit" -s 60
map=/tmp/perf-$started.map
within 20 test -s "$map" || :
perl -e 'print map { sprintf "%x 10 a_name_that_is_long_enough_for_real_code_%d\n", 0x100000 + $_ * 16, $_ } 1 .. 2000000' >>"$map"
run sh -c '"$@"; echo $? >"$T/ended"' - perl -e '
	# the most memory that the command has had, in KiB
	system(@ARGV) == 0 or exit 1;
	open my $f, ">", "$ENV{T}/rss" or die;
	my $usage = "\0" x 144;
	syscall(98 + 67 * (`uname -m` =~ /aarch64/), -1, $usage) == 0 or die "getrusage: $!";
	print $f unpack "x32 q", $usage;' \
	"$PMUTRACE" profile -F 199 --no-inline -o "$T/j.folded" -p "$started" --duration 1
ok "a huge perf map: measured" test "$(cat "$T/ended")" = 0
says err "that it was read in part is told" "1 perf map \(/tmp/perf-PID.map\) was read in part: .* 64 MiB"
ok "and took no more memory" between 1 "$(cat "$T/rss")" "$(memory 110000)"
ok "names in front of it are there" between 1 "$(folded_sum "$T/j.folded" ';jit_loop_fn_\[j\] ')" 400
stop "$started"
rm -f "$map"
