#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch-go.sh - prints the path of a `go` whose compiler takes profiles (1.21 and newer): the system's,
# or one of a newer Debian, which is unpacked below $O/go (50 MB to download, 280 MB). Nothing is
# installed. Exit status 1: there is none, and none can be had.
set -eu
cd "$(dirname "$0")/.."
O=${O:-build}
suite=trixie version=1.24

takes_profiles() {
	"$1" version 2>/dev/null | grep -Eq ' go1\.(2[1-9]|[3-9][0-9])'
}

mkdir -p "$O"
there=$(cd "$O" && pwd)/go
for go in "$(command -v go || true)" "$there/usr/lib/go-$version/bin/go"; do
	if takes_profiles "$go"; then
		echo "$go"
		exit
	fi
done
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
	echo "fetch-go: no Go of 1.21 or newer, and no apt-get to fetch one: please install it" >&2
	exit 1
fi
arch=$(dpkg --print-architecture)
new=$(mktemp -d "$there.XXXXXX")
trap 'rm -rf "$new"' EXIT
apt=$PWD/scripts/vm/apt.sh
{
	"$apt" $suite "$arch" apt-get -q update
	cd "$new"
	"$apt" $suite "$arch" apt-get -q download "golang-$version-go" "golang-$version-src"
	for package in *.deb; do
		dpkg-deb -x "$package" "$new"
	done
	rm -- *.deb
	cd - >/dev/null
} >&2
rm -rf "$there"
mv "$new" "$there"
takes_profiles "$go"
echo "$go"
