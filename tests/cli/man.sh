#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each option that --help shows is in the command's man page, and no other.
. "$(dirname "$0")/../lib.sh"

# options_of FILE - the long options and letters named there, without fonts and escapes
options_of() {
	sed 's/\\-/-/g; s/\\f[A-Z]//g; s/\\&//g' "$1" |
		grep -o -E '(^|[^A-Za-z0-9-])--?[A-Za-z][a-z-]*' | sed 's/^[^-]*//' | sort -u
}

pages=$(ls "$TOP"/man/pmutrace-*.1)
# shellcheck disable=SC2086
set -- $pages
plan $((3 * $# + 2))

ok "there are man pages" test -e "$TOP/man/pmutrace-profile.1"
for page; do
	command=$(basename "$page" .1)
	command=${command#pmutrace-}
	check 0 "$command --help" "$PMUTRACE" "$command" --help
	grep -E '^ +-' "$T/out" >"$T/lines"
	options_of "$T/lines" >"$T/help"
	# .Fl d and .Fl Fl duration of mdoc(7) are -d and --duration.
	sed 's/\.Fl Fl /--/; s/Fl Fl /--/g; s/Fl /-/g' "$page" >"$T/text"
	options_of "$T/text" >"$T/page"
	comm -23 "$T/help" "$T/page" >"$T/absent"
	ok "$command: every option of --help is in the page" sh -c '! grep . "$T/absent"'
	# The other way round: lines that start an entry.
	grep -E '^\.(It Fl|BR? |TP|IP|B )|^\.BR? ' "$page" | sed 's/Fl Fl /--/; s/Fl /-/g' |
		sed 's/\\-/-/g; s/\\f[A-Z]//g' | grep -o -E -e '--[a-z][a-z-]+' | sort -u |
		comm -13 "$T/help" - | grep -v -x -e '--help' -e '--version' >"$T/stale"
	ok "$command: the page has no option that is gone" sh -c '! grep . "$T/stale"'
done

# What a screen says of losses is looked up in the page of top.
sed -n 's/^\t\[LOST_[A-Z]*\] = { "\([^"]*\)".*/\1/p' "$TOP/src/tui/lostline.c" >"$T/words"
while read -r word; do
	grep -q "^\.It $word\$" "$TOP/man/pmutrace-top.1" || echo "$word"
done <"$T/words" >"$T/unexplained"
ok "top: each word of a loss is in the page" sh -c '[ "$(wc -l <"$1/words")" = 4 ] && ! grep . "$1/unexplained"' sh "$T"
