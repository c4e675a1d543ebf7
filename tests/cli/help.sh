#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Help and version go to stdout with status 0; each command explains itself.
. "$(dirname "$0")/../lib.sh"

commands=$("$PMUTRACE" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
# shellcheck disable=SC2086 # a list of words
set -- $commands
plan $((14 + 4 * $#))
ok "there are commands" test $# -ge 3

check 0 "help" "$PMUTRACE" help
says out "help lists the commands" '^ *profile '
silent err "help is not an error"
check 0 "--help" "$PMUTRACE" --help
says out "--help lists the commands" '^ *profile '
check 0 "-h" "$PMUTRACE" -h
check 0 "--version" "$PMUTRACE" --version
says out "the version is a number" '[0-9]+\.[0-9]+'
check 0 "-V" "$PMUTRACE" -V
check 0 "help profile" "$PMUTRACE" help profile
cp "$T/out" "$T/help"
check 0 "profile --help" "$PMUTRACE" profile --help
ok "both are one text" cmp "$T/help" "$T/out"
check 2 "help on an unknown command is a usage error" "$PMUTRACE" help nosuch

for command; do
	check 0 "$command -h" "$PMUTRACE" "$command" -h
	says out "$command -h says how to call it" "[Uu]sage.*$command"
	ok "$command -h says all of it" equal "$(grep -cF '(null)' "$T/out")" 0
	ok "$command -h fits in 100 columns" awk 'length > 100 { print; bad = 1 } END { exit bad }' "$T/out"
done
