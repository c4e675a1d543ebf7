#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What top cannot do is told before anything is opened: words, columns, the user's file.
. "$(dirname "$0")/../lib.sh"

HOME=$T/home
XDG_CONFIG_HOME=
export HOME XDG_CONFIG_HOME
mkdir -p "$HOME/.config/pmutrace" "$T/xdg/pmutrace"

# refused NAME REGEX ARGS.. - three points
refused() {
	what=$1 regex=$2
	shift 2
	check 2 "$what is a usage error" timeout 20 "$PMUTRACE" top -b -n 1 "$@"
	says err "$what: says what is wrong" "$regex"
	silent out "$what: nothing on stdout"
}

plan 100
refused "an argument" "unexpected argument 'nosuch'" nosuch
refused "an unknown view" '--by takes .* not .nosuch' --by nosuch
refused "a mistyped view" 'not .functions.; did you mean function\?' --by functions
refused "an unknown column" "nor is there a column 'nosuch'; there is cpu, .* more" --columns cpu,nosuch
refused "a mistyped column" 'did you mean ipc' --columns icpc
refused "a column whose event is not among those of -e" \
	"in 'minor-faults', column 1: the event 'minor-faults' is not among those that are counted" \
	-e page-faults --columns cpu,minor
refused "an event that is not among those of -e" \
	"^pmutrace: the event 'instructions' is not among those that are counted" \
	-e page-faults --columns instructions
refused "one to sort by" "^pmutrace: the event 'instructions' is not among those that are counted" \
	-e page-faults --sort instructions
refused "what is neither an event nor a column, beside -e" \
	"unknown event 'cyclse'; did you mean cycles\?; nor is there a column 'cyclse'; did you mean cache" \
	-e page-faults --columns cyclse
refused "a mistyped set" "a column 'cach'; did you mean cache\?" --columns cach
refused "an unknown column to sort by" "nor is there a column 'nosuch'; there is cpu, .* more" --sort nosuch
refused "a mistyped column to sort by" 'did you mean major or minor' --sort mnjor
refused "a mistyped set to sort by" "a column 'softwar'; did you mean software\?" --sort softwar
refused "an event to sort by" 'did you mean bus-cycles' -e cs/name=bus-cycles/ --sort bus-cycle
refused "a set to sort by" "'software' is a set" --sort software
refused "a wrong formula" "in 'time /', column 7" --columns 'time / '
refused "a column too many" "a name is missing" --columns cpu,
refused "two formats" '--json and --csv' --json --csv
refused "a flame graph" 'svg' -f svg
refused "an interval of nothing" "not a time above 0" -d 0
refused "a file that is not there" "cannot read .*nosuch: No such file" --config "$T/nosuch"
refused "a file that is none" "not a regular file" --config "$T"
mkfifo "$T/pipe"
refused "a pipe is not waited for" "cannot read .*/pipe: not a regular file" --config "$T/pipe"
check 1 "nor a recording" timeout 20 "$PMUTRACE" top -b -n 1 --replay "$T/pipe"
says err "and that is told, too" "pipe: this is no file that can be gone back in"
check 1 "nor who would read a recording" timeout 20 "$PMUTRACE" top -b -n 1 --record "$T/pipe"
says err "and that is told" "cannot record into .*/pipe: nobody reads from this pipe"
# Who may run this as root need not be allowed to read the file.
printf 'root:$y$j9T$hash:20000:0:99999:7:::\n' >"$T/secret"
refused "a file that is no configuration" "secret:1: a line in no set" --config "$T/secret"
ok "is not shown" sh -c '! grep -q hash "$T/err"'
printf '[!$y$j9T$hash]\n' >"$T/secret"
refused "one that looks like it" "secret:1: a name is missing" --config "$T/secret"
ok "is not shown, too" sh -c '! grep -q hash "$T/err"'
refused "nothing is a configuration" "nor is there a column 'nosuch'" --config /dev/null --columns nosuch
head -c 70000 /dev/zero | tr '\0' '#' >"$T/large"
refused "a file that is too large" "too large|File too large" --config "$T/large"

# Files of columns: --config, else $XDG_CONFIG_HOME, else the one in ~/.config.
echo 'a = 1 +' >"$HOME/.config/pmutrace/config"
refused "a wrong file of the user's" "home/.config/pmutrace/config:1: in '1 \+', column 4"
printf '\n[x]\n' >"$T/xdg/pmutrace/config"
XDG_CONFIG_HOME=$T/xdg
refused "one in XDG_CONFIG_HOME" "xdg/pmutrace/config:2: 'x' is a set without columns"
XDG_CONFIG_HOME=xdg
refused "a relative XDG_CONFIG_HOME is no place" "home/.config/pmutrace/config:1:"
printf 'mine = time / switches\nb = b2\nb2 = b\n' >"$T/config"
refused "a column of itself" "config:2: .*the column b is made of itself" --config "$T/config"
check 0 "pmutop is a command" "$O/pmutop" --help
