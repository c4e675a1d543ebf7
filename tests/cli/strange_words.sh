#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Messages repeat words and names: none of these reaches the terminal as it is.
. "$(dirname "$0")/../lib.sh"

# U+009B as a byte and as a character, ESC, U+202E, U+200B between letters
word=$(printf 'ab\233m\302\233m\033[31m\342\200\256\342\200\213yz')

# harmless FILE - UTF-8, and nothing in it that base/visible.h does not show
harmless() {
	perl -e '
		local $/;
		open my $f, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
		my $s = <$f>;
		utf8::decode($s) or die "not UTF-8\n";
		$s =~ /([\x00-\x08\x0b-\x1f\x7f-\x9f\x{200b}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}])/
			and die sprintf "U+%04X\n", ord $1;' "$1"
}

# told NAME ARGS.. - two points: it fails, and names the word
told() {
	what=$1
	shift
	run timeout 20 "$PMUTRACE" "$@"
	ok "$what: told, with what can be shown of it" sh -c '[ "$1" != 0 ] && grep -a -q "ab.*yz" "$T/err"' - "$status"
	ok "$what: and nothing else" harmless "$T/err"
}

plan 40
told "a command" "$word"
told "an option" profile "--$word"
told "a word" profile "$word"
told "an event" profile -e "$word"
told "a process" profile -p "$word"
told "a file" profile -o "/nonexistent/$word.svg" --duration 0.1
told "a probe" count "$word:$word"
told "a program's function" count "uprobe:/bin/true:$word"
told "a field" count sched:sched_switch --by "$word" 0.1
told "a filter" count sched:sched_switch --filter "$word == 1" 0.1
told "a function" func "$word"
told "a counter" stat -e "$word" 0.1
told "a column" top -b --columns "$word" -n 1
told "a recording" top -b --replay "/nonexistent/$word"
told "a configuration" top -b --config "/nonexistent/$word" -n 1
told "a kind" list -k "$word"
told "a program" list --functions "/nonexistent/$word"
told "what doctor does not take" doctor "$word"

# A program whose functions were named by a stranger.
objcopy --redefine-sym main="$word" "$PROG/burn" "$T/$word" 2>/dev/null
check 0 "functions are listed" "$PMUTRACE" list --functions "$T/$word"
ok "with what can be shown of their names" harmless "$T/out"
check 0 "and in JSON" "$PMUTRACE" list --json --functions "$T/$word"
ok "which has all of it" equal "$(json "$T/out" '
	scalar grep { $_->{key}{name} =~ /ab\x{fffd}m\x{9b}m\e\[31m\x{202e}\x{200b}yz$/ } @{$d->{rows}}')" 1
