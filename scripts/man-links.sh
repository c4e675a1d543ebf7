#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# man-links.sh - "PAGE NAME" for each function of the library that is described in another's page.
cd "$(dirname "$0")/../man" || exit 1
awk '/^\.Sh/ { names = $2 == "NAME" }
	names && /^\.Nm pmutrace_/ && FILENAME != $2 ".3" { print FILENAME, $2 ".3" }' pmutrace_*.3
