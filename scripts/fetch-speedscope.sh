#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch-speedscope.sh - prints the directory of speedscope, as its authors publish it: a page that reads
# profiles (https://www.speedscope.app). It is fetched into $O/speedscope (0.3 MB), and has to have the
# bytes that are named here. Exit status 1: it cannot be had.
set -eu
cd "$(dirname "$0")/.."
O=${O:-build}
version=1.25.0
sum=7297fd1d64d97f58a32d7049ae4f3b55eff9e2d9d8c7aae57f48144e1be7de8a24ea1eb784b5d539088c7f8e0f4fe5e8579d3770f7ef7e24f980fe6fa23a7a02
url=https://registry.npmjs.org/speedscope/-/speedscope-$version.tgz
page=package/dist/release

mkdir -p "$O"
there=$(cd "$O" && pwd)/speedscope
if [ ! -e "$there/$version/$page/index.html" ]; then
	new=$(mktemp -d "$there.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	if [ -x /usr/lib/apt/apt-helper ]; then
		/usr/lib/apt/apt-helper -o Acquire::Retries=3 download-file $url "$new/s.tgz"
	else
		curl -sSf --retry 3 -o "$new/s.tgz" $url
	fi >&2
	if [ "$(sha512sum <"$new/s.tgz")" != "$sum  -" ]; then
		echo "fetch-speedscope: $url has other bytes than the ones that are known" >&2
		exit 1
	fi
	mkdir "$new/$version"
	tar -xzf "$new/s.tgz" -C "$new/$version"
	rm -rf "$there" "$new/s.tgz"
	mv "$new" "$there"
fi
echo "$there/$version/$page"
