#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Output that does not reach the reader is a failed run, and is noticed before measuring.
. "$(dirname "$0")/../lib.sh"

# Milliseconds on some clock.
ms() {
	echo $(($(date +%s%N) / 1000000))
}

plan 12
check 1 "help on a full disk fails" sh -c '"$PMUTRACE" help >/dev/full'
says err "and says so" 'No space|full|stdout'
check 1 "version on a full disk fails" sh -c '"$PMUTRACE" --version >/dev/full'

before=$(ms)
check 1 "-o in a directory that is not there fails" \
	"$PMUTRACE" profile -o "$T/nosuch/flame.svg" --duration 5
ok "before measuring" between 0 $(($(ms) - before)) 2000
says err "and names the file" 'nosuch/flame.svg'

mkdir "$T/dir"
before=$(ms)
check 1 "-o on a directory fails" "$PMUTRACE" profile -f svg -o "$T/dir" --duration 5
ok "before measuring" between 0 $(($(ms) - before)) 2000
says err "and names it" "$T/dir"

check 2 "-o with an ending that tells no format is a usage error" \
	"$PMUTRACE" profile -o "$T/flame.sgv" --duration 5
says err "and names the endings" "'\\.sgv' .*\\.svg"
ok "nothing was left there" sh -c '! ls "$T" | grep -q sgv'
