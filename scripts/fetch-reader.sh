#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fetch-reader.sh NAME - prints the directory of a program that reads our profiles, as its authors publish
# it on npm. It is fetched into $O/readers, and has to have the bytes that are named here. Nothing is
# installed. Exit status 1: it cannot be had.
#
#	speedscope	the page of https://www.speedscope.app
#	firefox		the command of https://profiler.firefox.com, its own code for files and tables
#	devtools	what Chrome's performance panel makes of traces
#	catapult	the viewer of chrome://tracing
set -eu
cd "$(dirname "$0")/.."
O=${O:-build}
case "${1-}" in
speedscope)
	package=speedscope version=1.25.0 dir=dist/release
	sum=7297fd1d64d97f58a32d7049ae4f3b55eff9e2d9d8c7aae57f48144e1be7de8a24ea1eb784b5d539088c7f8e0f4fe5e8579d3770f7ef7e24f980fe6fa23a7a02
	;;
firefox)
	package=@firefox-devtools/profiler-cli version=0.10.0 dir=dist
	sum=7fd7ea74787b07a75d40862bc2b12ce051390fc04c3ac5d2a2b605e0d4457f03da1a2915065868ac1c474fbceb6fa58c80980a4181c2f646b39118db22d2f1f1
	;;
devtools)
	package=@paulirish/trace_engine version=0.0.65 dir=models/trace
	sum=42c9ba1790bcc5fe99cd05db41cdbec1ca5eeac8207ecfe0bdcff2b6a4aeaddbd88379325b41021c2a84d02581299a6a82355f3cd5fd73b4824b7af69c42111a
	;;
catapult)
	package=traceviewer version=1.0.11 dir=.
	sum=79546c61bf2a29006d7b2dd9234fc9a2ce64ef7878258646184bfadaaed7c14327a4eb125d11608fe180ca3021aa92bf2fcd4bba7b846030473d88182cd42393
	;;
*)
	echo "fetch-reader: which one? speedscope, firefox, devtools, catapult" >&2
	exit 2
	;;
esac
url=https://registry.npmjs.org/$package/-/${package##*/}-$version.tgz

mkdir -p "$O/readers"
there=$(cd "$O/readers" && pwd)/$1-$version
if [ ! -e "$there/package/$dir" ]; then
	new=$(mktemp -d "$there.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	if [ -x /usr/lib/apt/apt-helper ]; then
		/usr/lib/apt/apt-helper -o Acquire::Retries=3 download-file "$url" "$new/package.tgz"
	else
		curl -sSf --retry 3 -o "$new/package.tgz" "$url"
	fi >&2
	if [ "$(sha512sum <"$new/package.tgz")" != "$sum  -" ]; then
		echo "fetch-reader: $url has other bytes than the ones that are known" >&2
		exit 1
	fi
	tar -xzf "$new/package.tgz" -C "$new"
	rm -rf "$there" "$new/package.tgz"
	mv "$new" "$there"
fi
echo "$there/package/$dir"
