#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check-layers.sh [DIR] - who may include whom in src/ and bpf/: the floors of the house.
#
# Prints FILE:LINE of each #include "..." that reaches into a folder it may not, and exits 1.
# DIR: the tree to look at (default: this one); the tests hand in one that is wrong.
set -u

# may_include FOLDER - the folders of src/ that its files may include headers of
may_include() {
	case $1 in
	base) echo "base" ;;
	perf | unwind | model) echo "base $1" ;;
	sym) echo "base sym unwind" ;;
	probe) echo "base perf probe" ;;
	out) echo "base model out" ;;
	tui) echo "base model tui" ;;
	collect) echo "base perf sym unwind model probe collect" ;;
	cmd) echo "base perf sym unwind model probe collect out tui cmd" ;;
	main.c) echo "base cmd" ;;
	pmutrace*.[ch]) echo "base perf sym unwind model probe collect out" ;;
	bpf) echo "" ;; # the kernel side knows its own headers only
	*) return 1 ;;
	esac
}

cd "${1:-$(dirname "$0")/..}" || exit 1
status=0

# complain FILE:LINE INCLUDED WHY
complain() {
	echo "$1: $2: $3"
	status=1
}

# check_file FILE FOLDER
check_file() {
	if ! allowed=$(may_include "$2"); then
		complain "$1" "$2" "this folder is not in scripts/check-layers.sh"
		return
	fi
	while IFS=: read -r line included; do
		case $included in
		*..*) complain "$1:$line" "$included" "write the path from src/" ;;
		*.skel.h)
			case $2 in
			probe) ;;
			*) complain "$1:$line" "$included" "only src/probe/ talks to the kernel side" ;;
			esac
			;;
		*.wire.h) # src/collect/ writes down what programs are to fetch and compare
			case $2 in
			probe | collect | bpf) ;;
			*) complain "$1:$line" "$included" "only src/probe/ talks to the kernel side" ;;
			esac
			;;
		*/*)
			case " $allowed " in
			*" ${included%%/*} "*) ;;
			*) complain "$1:$line" "$included" "$2 may include only: ${allowed:-its own}" ;;
			esac
			;;
		esac
	done <<-END
		$(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/; t found
			b
			: found
			=; p' "$1" | paste -d: - -)
	END
}

for file in src/*/*.[ch] src/*.[ch] bpf/*.[ch]; do
	[ -e "$file" ] || continue # a pattern that matched nothing
	case $file in
	src/*/*) folder=${file#src/} && folder=${folder%%/*} ;;
	src/*) folder=${file#src/} ;;
	bpf/*) folder=bpf ;;
	esac
	check_file "$file" "$folder"
done
exit $status
