#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# apt.sh SUITE ARCH apt-get|apt-cache ARG.. - apt for any Debian release and architecture.
#
# It works in a root of its own below $O/vm/apt: the system's sources, lists and database of
# packages are not touched. Nothing is installed there: use it to download and to ask. Signatures
# are checked with the archive's keys (KEYRING); a list may be past its date, as old releases' are.
set -eu
. "$(dirname "$0")/lib.sh"

suite=$1 arch=$2
shift 2
root=$VM/apt/$suite-$arch
keyring=${KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
mirror=${MIRROR:-$(apt-get indextargets --format "\$(REPO_URI)" 'Origin: Debian' 'Label: Debian' |
	sort -u | head -n 1)}
[ -n "$mirror" ] || mirror=http://deb.debian.org/debian
mirror=${mirror%/}

mkdir -p "$root/etc/apt.conf.d" "$root/etc/preferences.d" "$root/etc/sources.list.d" \
	"$root/etc/trusted.gpg.d" "$root/lib/lists/partial" "$root/cache/archives/partial"
: >"$root/lib/status"
cat >"$root/apt.conf" <<END
Dir "$root/";
Dir::Etc "$root/etc/";
Dir::State "$root/lib/";
Dir::State::status "$root/lib/status";
Dir::Cache "$root/cache/";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false";
Acquire::GzipIndexes "true";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::http::Timeout "30";
END
cat >"$root/etc/sources.list" <<END
deb [signed-by=$keyring] $mirror $suite main
deb [signed-by=$keyring] $mirror-security $suite-security main
END

APT_CONFIG=$root/apt.conf exec "$@"
