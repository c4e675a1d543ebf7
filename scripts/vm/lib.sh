# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034 # used by those that read this
# lib.sh - what the scripts of the kernel lab share: the matrix, and where things are.
#
# A kernel's name is ARCH-VERSION in Debian's words, amd64-6.1: the newest 6.1 that Debian has.
# What is built lives below $O/vm. What is fetched stays in $VM_CACHE, by default the user's cache
# (below $O/vm where that cannot be written), for all builds and fresh clones; what an older build/vm
# has is used from there. VM_REFRESH=1 scripts/vm/check.sh fetches it anew, and so does `rm -rf`.

LAB=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$LAB/../.." && pwd)
O=${O:-build}
case $O in
/*) ;;
*) O=$TOP/$O ;;
esac
VM=$O/vm
VM_CACHE=${VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/pmutrace-vm}
if ! { mkdir -p "$VM_CACHE" && [ -w "$VM_CACHE" ]; } 2>/dev/null; then
	VM_CACHE=$VM
	mkdir -p "$VM_CACHE"
fi
export VM_CACHE

MATRIX='amd64-5.10 amd64-6.1 amd64-6.12 arm64-6.1 arm64-6.12'

# complain TEXT.. - and end
complain() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# new_place - a directory to fetch into; what others left behind a day ago is nobody's
new_place() {
	find "$VM_CACHE" -maxdepth 1 -name 'new.*' -mtime +1 -exec rm -rf {} +
	mktemp -d "$VM_CACHE/new.XXXXXX"
}

# keep NEW DIR - what was fetched becomes DIR, all of it or nothing, however this ends; if somebody else
# has meanwhile fetched the same, theirs stays.
keep() {
	mkdir -p "$(dirname "$2")"
	sync -f "$1" 2>/dev/null || sync
	mv -T "$1" "$2" 2>/dev/null || [ -d "$2" ]
}

# known KERNEL - or complain
known() {
	case " $MATRIX " in
	*" $1 "*) ;;
	*) complain "no such kernel: '$1'; there are: $MATRIX" ;;
	esac
}

# suite_of KERNEL - the Debian release whose kernel that is
suite_of() {
	case $1 in
	*-5.10) echo bullseye ;;
	*-6.1) echo bookworm ;;
	*-6.12) echo trixie ;;
	*) return 1 ;;
	esac
}

# arch_of KERNEL - Debian's name of its architecture
arch_of() {
	case $1 in
	amd64-* | arm64-*) echo "${1%%-*}" ;;
	*) return 1 ;;
	esac
}

# triplet_of ARCH
triplet_of() {
	case $1 in
	amd64) echo x86_64-linux-gnu ;;
	arm64) echo aarch64-linux-gnu ;;
	*) return 1 ;;
	esac
}

# build_for KERNEL NAME - what is ours, for its architecture; or complain. What the build says is in NAME.build
build_for() {
	"$LAB/build.sh" "$(arch_of "$1")" >"$VM/$2.build" 2>&1 && return
	tail -n 30 "$VM/$2.build" >&2
	complain "cannot build for $1"
}

# whole_in DIR - the pmutrace of $O, with all that the guests' static build lacks (the exporter), and its libraries,
# to be given to run.sh as -x DIR. What the guest does first, WHOLE_IN_GUEST, takes it into use; where the
# guest cannot run it the static build stays.
whole_in() {
	mkdir -p "$1/pmutrace/whole"
	cp "$O/pmutrace" "$1/pmutrace/whole/"
	# The C library is the guest's own.
	ldd "$O/pmutrace" | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|dl|pthread|rt)\./ { print $3 }' |
		xargs -r cp -L -t "$1/pmutrace/whole"
}
# shellcheck disable=SC2016 # the guest's
WHOLE_IN_GUEST='cd /pmutrace
if LD_LIBRARY_PATH=/pmutrace/whole whole/pmutrace -V >/dev/null 2>&1; then
	export LD_LIBRARY_PATH=/pmutrace/whole
	cp whole/pmutrace build/pmutrace
fi'
