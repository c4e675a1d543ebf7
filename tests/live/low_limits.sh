#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Little of what a process may have: what is short is told with its number and what raises it, exit
# status 1. What works all the same has its whole result.
. "$(dirname "$0")/../lib.sh"
need_bpf

# limited LIMIT ARGS.. - as `run`, with one of prlimit's limits, --nofile=16. What is printed goes
# through pipes, which no limit of a file's size is for.
limited() {
	limit=$1
	shift
	rm -f "$T/pipe.out" "$T/pipe.err"
	mkfifo "$T/pipe.out" "$T/pipe.err"
	cat "$T/pipe.out" >"$T/out" &
	reader=$!
	cat "$T/pipe.err" >"$T/err" &
	status=0
	timeout 30 prlimit "$limit" "$PMUTRACE" "$@" >"$T/pipe.out" 2>"$T/pipe.err" </dev/null || status=$?
	wait $! $reader
}

# told NAME REGEX - the last one failed, with a sentence that has the number
told() {
	ok "$1: told with its number, exit status 1" sh -c '[ "$1" = 1 ] && grep -q -E -e "$2" "$T/err"' - "$status" "$2"
	ok "$1: nobody is asked to report it" sh -c '! grep -i report "$T/err"'
}

# each CMD.. - with the arguments of every command that measures
each() {
	"$@" profile -e cpu-clock -F 199 -o "$T/p.folded" -- "$PROG/burn" -s 0.2
	"$@" count sched:sched_switch --by comm,stack --duration 0.1
	"$@" count "uprobe:$PROG/burn:work" -- "$PROG/burn" -s 0.01
	"$@" func -e page-faults "$PROG/burn:work" -- "$PROG/burn" -s 0.01
	"$@" top -b -n 1 -d 0.1
	"$@" top -b --by function -n 1 -d 0.1
}

# few_files ARGS..
few_files() {
	limited --nofile=16 "$@"
	told "16 files: $1 $2" 'the limit is 16; raise it with ulimit -n [0-9]+$'
}

# whole_or_told LIMIT REGEX ARGS.. - into $T/bad what is neither
whole_or_told() {
	limit=$1 regex=$2
	shift 2
	rm -f "$T/p.folded"
	limited "$limit" "$@"
	case $status in
	0)
		if [ "$1" = profile ]; then
			# A stack or two may end early; without a file nothing has a name.
			between 15 "$(folded_sum "$T/p.folded" ';main;work;burn_[37]0')" 1000 >"$T/named" ||
				echo "$limit $*: names are missing: $(tr '\n' ' ' <"$T/p.folded")"
			grep -q 'kernel+0x' "$T/p.folded" && echo "$limit $*: the kernel's names are missing"
		fi
		;;
	1) grep -q -E -e "$regex" "$T/err" || echo "$limit $*: $(cat "$T/err")" ;;
	*) echo "$limit $*: exit status $status: $(cat "$T/err")" ;;
	esac >>"$T/bad"
}

plan 41
each few_files
limited --nofile=8 stat -a -e page-faults,cpu-clock 0.1
told "8 files: stat" 'the limit is 8: raise it with ulimit -n [0-9]+$'
: >"$T/bad"
for n in 5 10 18 22 24 26 30 36 40 44 52 60 68; do
	each whole_or_told --nofile=$n 'limit is [0-9]+[;:] raise it with ulimit -n [0-9]+$'
done
ok "as few files as may be: a whole result, or told" sh -c '! grep . "$T/bad"'

# In MB, what the program needs before it begins; the sanitizers want terabytes.
least=
for n in 12 14 16 18 20 22 24 26 28 32 36 40 48 56 64; do
	[ -n "$least" ] || ! prlimit --as=${n}000000 "$PMUTRACE" --version >"$T/out" 2>&1 || least=$n
done
if [ -n "$least" ]; then
	limited --as=$((least + 4))000000 profile -e cpu-clock --duration 0.1
	told "4 MB more than nothing: profile" 'limit of the address space is [0-9]+ MiB; raise it with ulimit -v unlimited$'
	: >"$T/bad"
	for n in 2 8 12 15 18 22 28 40; do
		each whole_or_told --as=$((least + n))000000 'limit of the address space is [0-9]+ MiB; raise it with ulimit -v unlimited$'
	done
	ok "as little memory as may be: a whole result, or told" sh -c '! grep . "$T/bad"'
else
	skip 3 "sanitizers: need more address space than a limit leaves"
fi

# Symbols that there is no memory for: a program with 1,500,000 of them. The process that reads them has
# the same limit, and little else in its memory.
cat >"$T/many.S" <<'END'
	.text
	.altmacro
	.macro one n
s\n: ret
	.endm
	.set i, 0
	.rept 1500000
	one %i
	.set i, i + 1
	.endr
	.section .note.GNU-stack, "", %progbits
END
printf '%s\n' '#include <time.h>' '__attribute__((noinline)) void spin_here(void)' \
	'{ for (volatile int i = 0; i < 100000; i++); }' \
	'int main(void) { while (clock() < 300000) spin_here(); }' >"$T/main.c"
if [ -n "$least" ] && command -v gcc >"$T/out" &&
	gcc -O1 -fno-omit-frame-pointer -o "$T/many" "$T/main.c" "$T/many.S" 2>"$T/err"; then
	limited --as=$((least + 40))000000 profile -e cpu-clock -F 99 -o "$T/p.folded" -- "$T/many"
	ok "no memory for symbols: measured" equal "$status" 0
	says err "no memory for symbols: told" \
		'functions of [1-9] files? have addresses for names: out of memory: the limit of the address space is [0-9]+ MiB'
	limited --as=$((least + 400))000000 profile -e cpu-clock -F 499 -o "$T/p.folded" -- "$T/many"
	ok "with memory: they have names" between 20 "$(folded_sum "$T/p.folded" ';main;spin_here')" 1000
	ok "with memory: nothing to tell" sh -c '! grep "addresses for names" "$T/err"'
else
	skip 4 "sanitizers: no memory is short, or no gcc"
fi

# small_files ARGS..
small_files() {
	limited --fsize=20 "$@" -o "$T/result.json"
	told "files of 20 bytes: $1 $2" 'limit of a file.s size is 20 bytes; raise it with ulimit -f unlimited$'
}
rm -f "$T/p.folded"
small_files profile -e cpu-clock --duration 0.1
small_files count sched:sched_switch --by comm --duration 0.1
small_files func -e page-faults "$PROG/burn:work" --duration 0.1
small_files stat -a -e page-faults 0.1
ok "no result is left that is a part" sh -c '! ls "$T"/result*'
run sh -c 'prlimit --fsize=0 "$PMUTRACE" list software 2>&1 >"$T/list" | cat'
says out "list: told" "cannot write stdout: File too large"
says out "list: told with its number" 'size is 0 bytes; raise it with ulimit -f unlimited$'

# The stack: names of strangers are taken apart by recursion.
limited --stack=65536 profile -e cpu-clock --duration 0.1
told "64 KiB of stack" 'the stack may have 64 KiB, and 4096 are needed: raise the limit with ulimit -s 8192$'
check 0 "what is run has the limit that there is" sh -c 'ulimit -S -s 5000 && exec "$PMUTRACE" stat -e page-faults -- sh -c "ulimit -S -s; ulimit -H -s"'
says out "as it is" '^5000$'
check 153 "and ends by SIGXFSZ as ever" sh -c \
	'exec "$PMUTRACE" stat -e page-faults -- sh -c "ulimit -f 0; exec head -c 9999 /dev/zero >$T/zero"'

# Threads and processes: root may have any number.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	chmod 755 "$T"
	status=0
	# The leak detector would start one.
	ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" prlimit --nproc=0 setpriv --reuid=65532 --regid=65532 --clear-groups "$PMUTRACE" stat -e page-faults:u -- true \
		>"$T/out" 2>"$T/err" || status=$?
	told "no process more" 'no further thread or process .* limit is 0; raise it with ulimit -u'
else
	skip 2 "paranoid: others may not count"
fi
limited --memlock=0 profile -e cpu-clock --duration 0.1 -o "$T/m.folded"
ok "no memory locked: root needs none" equal "$status" 0
