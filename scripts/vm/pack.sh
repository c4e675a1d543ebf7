#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pack.sh ARCH > FILE - the guest's file system: two archives one behind the other, as the kernel
# unpacks them. The small Debian is packed once, what is ours each time.
set -eu
. "$(dirname "$0")/lib.sh"

arch=$1
tree=$("$LAB/fetch-tree.sh" "$arch")
build=$VM/build-$arch
base=$VM/base-$(basename "$tree").cpio
work=$(mktemp -d "$VM/pack.XXXXXX")
trap 'rm -rf "$work"' EXIT

# archive DIR - not compressed: this machine reads faster than the guest unpacks
archive() {
	(cd "$1" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0)
}

if [ -z "$(find "$base" -newer "$tree/.packages" -newer "$0" 2>/dev/null)" ]; then
	root=$work/base
	cp -a "$tree" "$root"
	rm -rf "$root/usr/include" "$root/usr/share/doc" "$root/usr/share/man" "$root/usr/share/locale" \
		"$root/usr/share/bash-completion" "$root/usr/share/info" "$root/usr/lib/gcc" "$root/usr/lib/gold-ld" \
		"$root/usr/lib/bfd-plugins" "$root/usr/lib/locale"
	find "$root/usr" -name '*.a' -delete
	find "$root/usr" -name gconv -prune -exec rm -rf {} +
	# Of perl's library only what the tests load; perl-base has the rest.
	find "$root/usr/share/perl" -type f ! -path '*/JSON/*' -delete
	rm -rf "$root"/usr/lib/*/perl/5* "$root"/usr/lib/*/libperl.so*
	mkdir -p "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/run" "$root/root" "$root/etc"
	ln -sf dash "$root/bin/sh"
	ln -sf mawk "$root/usr/bin/awk"
	printf '%s\n' root:x:0:0::/root:/bin/sh nobody:x:65534:65534::/:/bin/sh >"$root/etc/passwd"
	printf '%s\n' root:x:0: nogroup:x:65534: >"$root/etc/group"
	archive "$root" >"$work/base.cpio"
	rm -rf "$root"
	mv "$work/base.cpio" "$base"
fi

root=$work/ours
mkdir -p "$root/pmutrace/build/tests" "$root/pmutrace/tests"
cp "$build/pmutrace" "$root/pmutrace/build/"
for dir in prog vm; do
	mkdir "$root/pmutrace/build/tests/$dir"
	find "$build/tests/$dir" -maxdepth 1 -type f ! -name '*.d' -exec cp {} \
		"$root/pmutrace/build/tests/$dir/" \;
done
cp -r "$TOP/tests/live" "$TOP"/tests/lib*.sh "$root/pmutrace/tests/"
cp "$LAB/guest.sh" "$root/pmutrace/"
install -m 755 "$LAB/init.sh" "$root/init"
cat "$base"
archive "$root"
