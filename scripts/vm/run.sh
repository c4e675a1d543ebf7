#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh [OPTION].. KERNEL [COMMAND] - boots KERNEL in QEMU and runs COMMAND in it.
#
#   -i        interactive: a shell in the guest
#   -f FILE   keep what the command writes to $VM_FILE
#   -l FILE   keep the kernel's messages
#   -t SECS   kill a guest that takes longer (default 600); nothing kills a shell
#   -r        real time: several processors, nothing exact
#   -c CPUS   processors, each as slow as one by itself divided by those at work (1; with -r 2)
#   -m MB     memory (1024)
#   -x DIR    what is in there is in the guest, too
#   -a WORDS  for the kernel's command line
#
# Prints what the command prints; exits with its status, or 125 when there is none: the guest did
# not boot, hung or crashed, and the end of its console is shown.
#
# Without -r (and -i), time is counted in instructions: four nanoseconds each, a cycle a
# nanosecond, and idling costs nothing. A busy machine makes the guest slower, never its clock, so
# that tests about time mean the same everywhere; on arm64 the counters are exact.
set -eu
. "$(dirname "$0")/lib.sh"

usage() {
	sed -n 's/^# //; 3,13p' "$0" >&2
	exit 125
}

shell=no file=/dev/null messages='' limit=600 exact=yes cpus='' memory=1024 extra='' words=''
while getopts if:l:t:rc:m:x:a: option; do
	case $option in
	i) shell=yes exact=no ;;
	f) file=$OPTARG ;;
	l) messages=$OPTARG ;;
	t) limit=$OPTARG ;;
	r) exact=no ;;
	c) cpus=$OPTARG ;;
	m) memory=$OPTARG ;;
	x) extra=$OPTARG ;;
	a) words=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
kernel=$1 command=${2-}
known "$kernel"
arch=$(arch_of "$kernel")
dir=$("$LAB/fetch-kernel.sh" "$kernel") || exit 125
[ -e "$VM/build-$arch/pmutrace" ] || "$LAB/build.sh" "$arch" >/dev/null || exit 125

work=$(mktemp -d "$VM/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/vm"
echo "$command" >"$work/root/vm/command"
[ -z "$extra" ] || cp -R "$extra/." "$work/root"
"$LAB/pack.sh" "$arch" >"$work/initrd" || exit 125
(cd "$work/root" && find . | cpio --quiet -o -H newc -R 0:0) >>"$work/initrd"

append='panic=-1 nokaslr mitigations=off cryptomgr.notests random.trust_cpu=on cgroup_no_v1=all'
append="$append rcupdate.rcu_expedited=1 $words" # attaching waits for RCU
clock=$(date +%s)
if [ $exact = yes ]; then
	accel=tcg processors=1 clock=1767225600
	set -- -icount shift=2,sleep=off -seed 1 -rtc clock=vm,base=2026-01-01
else
	accel=tcg processors=2
	set --
fi
case $arch in
amd64)
	qemu=qemu-system-x86_64 console=ttyS0 out=ttyS1 port=ttyS2
	# QEMU 7: cmpxchg16b spoils the flags, and processors in parallel miss patched code.
	[ $exact = yes ] || accel=tcg,thread=single processors=1
	set -- -M pc -cpu max,-cx16,-erms,-fsrm "$@"
	append="$append no_timer_check"
	;;
arm64)
	qemu=qemu-system-aarch64 console=ttyAMA0 out=ttyS0 port=ttyS1
	set -- -M virt -cpu max,pauth-impdef=on "$@"
	;;
esac
append="$append console=$console vm.clock=$clock"
set -- "$qemu" -accel "$accel" -smp "${cpus:-$processors}" -m "$memory" -nodefaults -no-user-config -display none \
	-no-reboot "$@" -kernel "$dir/vmlinuz" -initrd "$work/initrd"

if [ $shell = yes ]; then
	"$@" -serial mon:stdio -append "$append"
	exit
fi

if [ "$arch" = amd64 ]; then
	set -- "$@" -serial chardev:console -serial chardev:out -serial chardev:file
else
	set -- "$@" -serial chardev:console -device pci-serial-2x,chardev1=out,chardev2=file
fi
status=0
timeout --foreground -k 5 "$limit" "$@" -append "$append vm.out=$out vm.file=$port" \
	-chardev "file,id=console,path=$work/console" -chardev "file,id=out,path=$work/out" \
	-chardev "file,id=file,path=$file" </dev/null || status=$?
[ -z "$messages" ] || cp "$work/console" "$messages"

ended=$(sed -n '$s/^VM-EXIT \([0-9]*\)$/\1/p' "$work/out")
if [ -z "$ended" ]; then
	cat "$work/out"
	case $status in
	124 | 137) why="was killed after $limit s" ;;
	*) why="ended without a result ($qemu: exit status $status)" ;;
	esac
	echo "run.sh: $kernel: the guest $why; its console ended:" >&2
	tail -n 30 "$work/console" >&2
	exit 125
fi
# Without that line and the line break before it.
head -c "-$((${#ended} + 10))" "$work/out"
exit "$ended"
