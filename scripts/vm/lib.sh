# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034 # used by those that read this
# lib.sh - what the scripts of the kernel lab share: the matrix, and where things are.
#
# A kernel's name is ARCH-VERSION in Debian's words, amd64-6.1: the newest 6.1 that Debian has.
# Everything lives below $O/vm: what was fetched stays until `rm -rf` there or `make clean`.

LAB=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$LAB/../.." && pwd)
O=${O:-build}
case $O in
/*) ;;
*) O=$TOP/$O ;;
esac
VM=$O/vm

MATRIX='amd64-5.10 amd64-6.1 amd64-6.12 arm64-6.1 arm64-6.12'

# complain TEXT.. - and end
complain() {
	echo "$(basename "$0"): $*" >&2
	exit 1
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
