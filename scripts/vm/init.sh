#!/bin/dash
# SPDX-License-Identifier: BSD-2-Clause
# init.sh - process 1 of a guest: runs /vm/command, says how it ended, powers off.
#
# run.sh names three serial ports on the kernel's command line: the console has the kernel's
# messages, vm.out what the command prints and then a line "VM-EXIT STATUS", vm.file what the
# command writes to $VM_FILE. Without vm.out it is a shell on the console.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C
out='' VM_FILE=''
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sysfs /sys
# shellcheck disable=SC2013 # words
for word in $(cat /proc/cmdline); do
	case $word in
	vm.out=*) out=/dev/${word#*=} ;;
	vm.file=*) VM_FILE=/dev/${word#*=} ;;
	vm.clock=*) date -s "@${word#*=}" >/dev/null ;;
	esac
done
export VM_FILE

mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
mount -t tracefs tracefs /sys/kernel/tracing
mount -t bpf bpf /sys/fs/bpf
mount -t cgroup2 cgroup2 /sys/fs/cgroup
chmod 1777 /tmp
busybox ip link set lo up
ulimit -l unlimited
cd /pmutrace || cd /

if [ -z "$out" ]; then
	echo "A shell in the guest. Tests: sh guest.sh [live/NAME..]; the end: exit"
	setsid busybox cttyhack bash
else
	stty -F "$out" raw -echo
	[ -z "$VM_FILE" ] || stty -F "$VM_FILE" raw -echo
	sh /vm/command >"$out" 2>&1 </dev/null
	# The line break in front keeps a last line without one apart.
	printf '\nVM-EXIT %d\n' $? >"$out"
	# stty waits until everything is transmitted.
	stty -F "$out" raw
	[ -z "$VM_FILE" ] || stty -F "$VM_FILE" raw
fi
busybox poweroff -f
