#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lint.sh - everything that reads the source without running it. Installs nothing:
# scripts/install-deps.sh --lint does. Goes through all checks and exits 1 if any complained. What
# looks at a file at a time looks at LINT_JOBS of them (default: as there are CPUs).
set -u

# lint.sh --analyze FILE: what check_analyzer() starts for each. gcc's output in one piece.
if [ "${1-}" = --analyze ]; then
	set -- -std=gnu11 -D_GNU_SOURCE -Isrc -Ibpf -DPMUTRACE_VERSION='""' "$2"
	gcc -MM -MG "$@" | grep -q '\.skel\.h\|_js\.h\|pb-c\.h' && exit 0
	said=$(gcc -O0 -fanalyzer -Wno-analyzer-malloc-leak -Werror -S -o /dev/null "$@" 2>&1) && exit 0
	echo "$said" >&2
	exit 1
fi

cd "$(dirname "$0")/.." || exit 1
status=0
CLANG_FORMAT=${CLANG_FORMAT:-clang-format}
jobs=${LINT_JOBS:-$(getconf _NPROCESSORS_ONLN)}

for tool in git "$CLANG_FORMAT" cppcheck shellcheck mandoc gcc; do
	command -v "$tool" >/dev/null && continue
	echo "lint: $tool is missing: run scripts/install-deps.sh --lint" >&2
	status=1
done
[ $status = 0 ] || exit 1

# lint NAME CMD.. - says what is done, and remembers that it complained
lint() {
	printf '  %-7s %s\n' LINT "$1"
	shift
	"$@" || status=1
}

# files PATTERN.. - tracked ones and new ones, but nothing ignored; all without blanks
files() {
	git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r file; do
		[ -e "$file" ] && echo "$file"
	done
}

check_format() {
	# shellcheck disable=SC2046
	"$CLANG_FORMAT" -n --Werror $(files '*.c' '*.h')
}

# The formatter leaves comments alone, since it would break the lines of tables in them.
check_comments() {
	# shellcheck disable=SC2046
	perl -CSD -ne '
		chomp;
		1 while s/\t/" " x (8 - $-[0] % 8)/e;
		my $why = m{^\s*(/?\*|//)} && length > 100 ? "longer than 100 columns" :
			m{^ \*[^ /*]} ? "no blank behind the *" : undef;
		print "$ARGV:$.: $why\n" and $bad = 1 if $why;
		close ARGV if eof;
		END { $? = $bad }' $(files '*.c' '*.h' ':!vmlinux')
}

# What it says about uninitialised variables and about pointers to locals it often cannot know:
# the compiler's analysis below sees those better. missingInclude: the build makes skeletons, and
# libc's headers do not matter here.
check_cppcheck() {
	# shellcheck disable=SC2046
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
		--inline-suppr --suppress=missingInclude --suppress=missingIncludeSystem \
		--suppress=uninitvar --suppress=autoVariables --suppress=unmatchedSuppression \
		--suppress=normalCheckLevelMaxBranches -j "$jobs" -Isrc -Ibpf \
		$(files 'src/*.c')
}

# The compiler's own analysis, a file at a time, nothing linked. Files that include what the build
# makes are left out. -O0, or it takes its own rewriting for the source's logic. Leaks are left to
# LeakSanitizer: gcc 12 sees one wherever a pointer is kept in an array's element.
check_analyzer() {
	files 'src/*.c' | xargs -n 1 -P "$jobs" scripts/lint.sh --analyze
}

check_scripts() {
	files '*.sh' '.ci/run' | xargs -n 8 -P "$jobs" shellcheck -x
}

check_man() {
	pages=$(files 'man/*.[0-9]')
	[ -n "$pages" ] || return 0
	# shellcheck disable=SC2086
	mandoc -T lint -W warning $pages
}

# The last 50, if this is a clone that has them.
check_subjects() {
	git rev-parse --quiet --verify HEAD >/dev/null || return 0
	git log -50 --no-merges --format='%h %s' | awk '
		{ subject = substr($0, length($1) + 2) }
		length(subject) > 72 { print $0 ": longer than 72 columns"; bad = 1 }
		subject !~ /^[a-z0-9][a-zA-Z0-9_.\/+, -]*: [^ A-Z]/ {
			print $0 ": is not `area: lower-case imperative`"; bad = 1
		}
		END { exit bad }'
}

lint "format" check_format
lint "comments" check_comments
lint "layers" scripts/check-layers.sh
lint "names of structs" scripts/check-names.sh
lint "docs/architecture.md" scripts/check-ways.sh
lint "cppcheck" check_cppcheck
lint "gcc -fanalyzer" check_analyzer
lint "shell scripts" check_scripts
lint "man pages" check_man
lint "faults of tests/mutants" scripts/mutate.sh --check
lint "commit subjects" check_subjects
exit $status
