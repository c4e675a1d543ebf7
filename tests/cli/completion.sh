#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bash completion is made from the option tables: it loads and knows commands and options.
. "$(dirname "$0")/../lib.sh"
command -v bash >/dev/null || skip_all "no-bash: bash is not installed"

# complete_words WORD.. - what bash would offer for the last word
cat >"$T/complete.bash" <<'END'
set -eu
source "$1"
shift
program=$1
spec=$(complete -p "$program")
[[ $spec =~ -F\ ([^ ]+) ]] || exit 1
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
COMPREPLY=()
"${BASH_REMATCH[1]}" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" || true
printf '%s\n' "${COMPREPLY[@]}"
END
complete_words() {
	run bash "$T/complete.bash" "$T/completion" "$@"
}

plan 13
check 0 "completion bash" "$PMUTRACE" completion bash
cp "$T/out" "$T/completion"
check 0 "it sources" bash -eu "$T/completion"
silent out "and prints nothing"
silent err "and no error"
complete_words pmutrace pro
says out "a command" '^profile ?$'
complete_words pmutrace profile --dur
says out "an option" '^--duration[= ]?$'
complete_words pmutrace profile --no-
says out "several" '^--no-inherit ?$'
complete_words pmutrace profile -f fol
says out "a format" '^folded ?$'
complete_words pmutrace top --columns cach
says out "a set of columns" '^cache ?$'
complete_words pmutop --columns mpk
says out "a column, by the name of pmutop" '^mpki ?$'
complete_words pmutop --rows a
says out "no limit" '^all ?$'
complete_words pmutop --col
says out "an option of pmutop" '^--columns ?$'
check 2 "another shell is a usage error" "$PMUTRACE" completion nosuchshell
