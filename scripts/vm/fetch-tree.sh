#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch-tree.sh ARCH - unpacks a small Debian for ARCH unless it is here; prints its directory.
#
# It serves twice: as the sysroot to build against, and as the guest's file system. The packages'
# scripts are not run; pack.sh makes the few links that those would have made.
set -eu
. "$(dirname "$0")/lib.sh"

arch=$1
triplet_of "$arch" >/dev/null || complain "no such architecture: '$arch'"
suite=bookworm
# What the tests call, then what the build needs.
packages='bash binutils bpftool busybox-static coreutils dash findutils grep gzip mawk mount
perl-base perl-modules-5.36 libjson-xs-perl procps sed tar util-linux util-linux-extra
libc6-dev libgcc-12-dev linux-libc-dev libbpf-dev libelf-dev zlib1g-dev liblzma-dev libiberty-dev
libjson-c-dev libncurses-dev libcapstone-dev libprotobuf-c-dev'

# Another list is another tree: both may be in use.
for dir in "$VM/tree-$arch" "$VM_CACHE/tree-$arch-$(echo "$suite $packages" | cksum | cut -d ' ' -f 1)"; do
	[ "$(cat "$dir/.packages" 2>/dev/null)" = "$packages" ] || continue
	echo "$dir"
	exit
done

work=$(new_place)
trap 'rm -rf "$work"' EXIT
mkdir "$work/deb" "$work/root"
"$LAB/apt.sh" "$suite" "$arch" apt-get -qq update >&2
# Nothing is installed in that root, so this is all they depend on, too.
# shellcheck disable=SC2086 # a list
"$LAB/apt.sh" "$suite" "$arch" apt-get -qq --print-uris --no-install-recommends install $packages |
	sed "s/^'[^']*' \([^_]*\)_.*/\1/" >"$work/names"
# shellcheck disable=SC2046 # a list
(cd "$work/deb" && "$LAB/apt.sh" "$suite" "$arch" apt-get -qq download $(cat ../names) >&2)
for deb in "$work"/deb/*.deb; do
	dpkg-deb -x "$deb" "$work/root"
done
# Absolute links would lead out of here.
find "$work/root" -type l -lname '/*' | while read -r link; do
	ln -sfnr "$work/root$(readlink "$link")" "$link"
done
echo "$packages" >"$work/root/.packages"
keep "$work/root" "$dir"
echo "$dir"
