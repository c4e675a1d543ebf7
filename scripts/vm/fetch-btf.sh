#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch-btf.sh KERNEL - /sys/kernel/btf/vmlinux of a lab kernel; prints the file's name.
#
# By booting it once: the images differ in how they are compressed.
set -eu
. "$(dirname "$0")/lib.sh"

dir=$("$LAB/fetch-kernel.sh" "$1")
if [ ! -e "$dir/btf" ]; then
	work=$(mktemp -d "$dir/new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	# shellcheck disable=SC2016 # expanded in the guest
	"$LAB/run.sh" -t 600 -f "$work/btf.gz" "$1" 'gzip -1 -c /sys/kernel/btf/vmlinux >"$VM_FILE"' >&2
	gzip -dc "$work/btf.gz" >"$work/btf"
	mv "$work/btf" "$dir/btf"
fi
echo "$dir/btf"
