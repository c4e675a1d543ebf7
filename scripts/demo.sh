#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# demo.sh - profiles this whole machine for 5 seconds beside a small workload of ours, prints the
# busiest functions and what was lost, and writes flame.svg here. `make demo` builds first.
set -u

cd "$(dirname "$0")/.." || exit 1
O=${O:-build}

if [ "$(id -u)" != 0 ]; then
	echo "demo: measuring the whole machine needs root; run:" >&2
	echo "  sudo make demo" >&2
	exit 1
fi

"$O/tests/prog/demo" -s 60 &
workload=$!
# Its children end with it.
trap 'kill $workload 2>/dev/null; wait $workload 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

echo "\$ pmutrace profile -a --duration 5 -o flame.svg -o -" >&2
"$O/pmutrace" profile -a --duration 5 -o flame.svg -o - || exit
echo
echo "The flame graph is in flame.svg: open it in a browser."
