#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# build.sh ARCH - builds pmutrace (static) and the tests' programs for guests of ARCH.
#
# With clang, lld and the libraries of fetch-tree.sh alone, so that it does not matter which
# distribution this is. Prints the build directory.
set -eu
. "$(dirname "$0")/lib.sh"

arch=$1
tree=$("$LAB/fetch-tree.sh" "$arch")
triplet=$(triplet_of "$arch")
case $arch in
amd64) target=x86 ;;
arm64) target=arm64 ;;
esac
dir=$VM/build-$arch
CLANG=${CLANG:-clang}

# What a make that calls this was told is about another build.
env -u MAKEFLAGS -u MFLAGS -u CFLAGS -u LDFLAGS -u SANITIZE -u WERROR make -C "$TOP" \
	--no-print-directory -j "$(nproc)" O="$dir" ARCH="$target" STATIC=1 OPTIONAL=lzma CURSES="-lncursesw -ltinfo" \
	CC="$CLANG --target=$triplet --sysroot=$tree -Wno-unused-command-line-argument -fuse-ld=lld" \
	CLANG="$CLANG" AR="${AR_ANY:-llvm-ar}" BPF_SYS="-idirafter $tree/usr/include/$triplet" \
	all progs vm-progs >&2
echo "$dir"
