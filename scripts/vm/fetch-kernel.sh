#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch-kernel.sh KERNEL - downloads a Debian kernel unless it is here; prints its directory.
#
# There are `vmlinuz`, `config` and `package` (name and version). The "cloud" flavour: the same
# tracing options as the generic one at a third of the size, and nothing here needs modules.
set -eu
. "$(dirname "$0")/lib.sh"

kernel=$1
known "$kernel"
suite=$(suite_of "$kernel")
arch=$(arch_of "$kernel")
for dir in "$VM/kernels/$kernel" "$VM_CACHE/kernels/$kernel"; do
	[ -e "$dir/vmlinuz" ] || continue
	echo "$dir"
	exit
done

work=$(new_place)
trap 'rm -rf "$work"' EXIT
mkdir "$work/deb" "$work/root" "$work/kernel"
"$LAB/apt.sh" "$suite" "$arch" apt-get -qq update >&2
# This package only names the newest image.
image=$("$LAB/apt.sh" "$suite" "$arch" apt-cache depends --important "linux-image-cloud-$arch" |
	awk '$1 == "Depends:" && $2 ~ /^linux-image-/ { print $2; exit }')
[ -n "$image" ] || complain "$suite has no linux-image-cloud-$arch"
(cd "$work/deb" && "$LAB/apt.sh" "$suite" "$arch" apt-get -qq download "$image" >&2)
dpkg-deb -x "$work"/deb/*.deb "$work/root"
mv "$work"/root/boot/vmlinuz-* "$work/kernel/vmlinuz"
mv "$work"/root/boot/config-* "$work/kernel/config"
dpkg-deb -f "$work"/deb/*.deb Package Version | sed 's/^[A-Za-z]*: //' | paste -s -d ' ' - \
	>"$work/kernel/package"
keep "$work/kernel" "$dir"
echo "$dir"
