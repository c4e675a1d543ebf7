#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The installed library: what is there, what it shows, and programs outside the tree that use it.
. "$(dirname "$0")/../lib.sh"

command -v pkg-config >/dev/null || skip_all "no-pkg-config: pkg-config is not installed"
CC=${CC:-cc}
root=$T/root prefix=/opt/pmutrace
lib=$root$prefix/lib

plan $((43 + 2 * $(find "$TOP/man" -name 'pmutrace_*.3' | wc -l)))
check 0 "make install" make -C "$TOP" --no-print-directory O="$O" DESTDIR="$root" PREFIX=$prefix install
for file in include/pmutrace.h lib/libpmutrace.a lib/libpmutrace.so lib/libpmutrace.so.0 \
	lib/pkgconfig/pmutrace.pc share/man/man3/pmutrace.3; do
	ok "$file is installed" test -e "$root$prefix/$file"
done

# A sanitizer build needs its programs to be built alike.
san=
if nm -D "$lib/libpmutrace.so.0" | grep -q __asan_init; then
	san=-fsanitize=address,undefined
fi
PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
check 0 "pkg-config knows it" pkg-config --modversion pmutrace
says out "with the version of the header's library" '^[0-9]+\.[0-9]+\.[0-9]+$'

# Names: of the shared library those of the header, in a version; of the archive no others either.
sed -n 's/^PMUTRACE_API.*[ *(]\(pmutrace_[a-z_]*\)(.*/\1/p; s/^\(pmutrace_[a-z_]*\)(.*/\1/p' \
	"$TOP/src/pmutrace.h" | sort -u >"$T/header"
nm -D --defined-only "$lib/libpmutrace.so.0" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' |
	sort >"$T/shown"
ok "it shows what the header has" diff "$T/header" "$T/shown"
nm -D --defined-only "$lib/libpmutrace.so.0" | awk '$2 != "A"' | grep -v '@@PMUTRACE_0$' |
	grep -v ' __asan\| __odr_asan\| __ubsan' >"$T/unversioned"
ok "all in one version" test ! -s "$T/unversioned"
readelf -d "$lib/libpmutrace.so.0" >"$T/out"
says out "its soname has the major version" 'SONAME.*\[libpmutrace\.so\.0\]'
nm -g --defined-only "$lib/libpmutrace.a" | awk 'NF == 3 { print $3 }' | grep -v '^__odr_asan' |
	sort >"$T/global"
ok "the archive has no other global names" diff "$T/header" "$T/global"
nm "$lib/libpmutrace.a" >"$T/archive"
ok "nothing in it drops privileges" sh -c 'test -s "$T/archive" && ! grep privileges__ "$T/archive"'
nm -g --defined-only "$(dirname "$PMUTRACE")/libpmutrace.a" >"$T/all"
awk 'NF == 3 && $2 ~ /[BDT]/ { print $3 }' "$T/all" | sort | uniq -d >"$T/twice"
ok "no name of the source is defined twice" sh -c 'test -s "$T/all" && diff "$T/twice" /dev/null'

# The lists of names: what the header has is in the map and in the manual, and nothing else is.
sed -n 's/^\t\(pmutrace_[a-z_]*\);$/\1/p' "$TOP/src/api/pmutrace.map" | sort >"$T/map"
ok "the map has what the header has" diff "$T/header" "$T/map"
grep -o 'Fn pmutrace_[a-z_]*' "$TOP/man/pmutrace.3" | sed 's/^Fn //' | sort -u >"$T/manual"
ok "the manual has what the header has" diff "$T/header" "$T/manual"
while read -r name; do
	grep -q "\<$name(" "$TOP"/tests/unit/api/*.[ch] || echo "$name"
done <"$T/header" >"$T/untested"
ok "each function is called by a test" diff /dev/null "$T/untested"

# A page for each function, its own or a link; what is declared there is declared in the header.
while read -r name; do
	test -e "$root$prefix/share/man/man3/$name.3" || echo "$name"
done <"$T/header" >"$T/unwritten"
ok "each function has a page that is installed" diff /dev/null "$T/unwritten"
for page in "$TOP"/man/pmutrace_*.3; do
	sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \(pmutrace_[a-z_]*\).*/\1/p' "$page" | sort >"$T/named"
	sed -n 's/^\.Fo \(pmutrace_[a-z_]*\)$/\1/p' "$page" | sort | diff "$T/named" - >&2 ||
		echo "$page: names and synopsis"
done >"$T/odd"
ok "each page has the synopsis of what it names" diff /dev/null "$T/odd"
perl -0777 -ne '
	BEGIN { our %wanted }
	if ($ARGV =~ /\.h$/) {
		s{/\*.*?\*/}{}gs; s/^#.*$//mg;
		$wanted{$2} = join " ", split " ", "$1 $3"
			while /PMUTRACE_API\s+([^;]*?)(pmutrace_\w+)\(((?:[^();]|\([^()]*\))*)\)/g;
		next;
	}
	while (/^\.Ft "(.*)"\n\.Fo (\w+)\n((?:\.Fa ".*"\n)*)\.Fc$/mg) {
		my ($type, $name, $args) = ($1, $2, $3);
		$args = join ", ", $args =~ /^\.Fa "(.*)"$/mg;
		my ($is, $was) = ("$type $args", $wanted{$name});
		s/\s//g for $is, $was;
		print "$name: $type ($args)\n" if $is ne $was;
	}' "$TOP/src/pmutrace.h" "$TOP"/man/pmutrace_*.3 >"$T/odd"
ok "and it is that of the header" diff /dev/null "$T/odd"

# Objects that can be written to: the place of the log's reader, which the library never sets, and
# the lock of libpfm4's first call.
objdump -t "$lib/libpmutrace.a" |
	awk '$3 == "O" && $4 ~ /^\.(data|bss|tdata|tbss)/ && $4 !~ /rel\.ro/ { print $NF }' >"$T/data"
if [ -n "$san" ]; then
	skip 1 "sanitizers: they have data of their own"
else
	ok "there is no global state" sh -c '! grep -E -v -x "current|filling(\.[0-9]+)?" "$T/data"'
fi

# docs/parity.md names tests: FILE: NAME, NAME; NAME.sh; NAME_fuzz; or - for none.
perl -ne '
	BEGIN { chdir $ENV{TOP} }
	next unless /^\|.*\|\s*([^|]*?)\s*\|$/ && !/^\|-/;
	my ($cell, $line) = ($1, $.);
	next if $cell eq "-" || $cell =~ /^test( |$)/;
	for my $part (split /; /, $cell) {
		my $found = $part =~ /^(\w+\.sh)$/ ? -e "tests/cli/$1" || -e "tests/live/$1"
			: $part =~ /^(\w+_fuzz)$/ ? -e "tests/fuzz/$1.c" : 0;
		if ($part =~ /^(\w+): (\w+(?:, \w+)*)$/) {
			my ($file, $names) = ($1, $2);
			my ($path) = glob("tests/unit/*/${file}_test.c");
			$found = $path && open(my $f, "<", $path);
			my $text = $found ? join("", <$f>) : "";
			for my $name (split /, /, $names) {
				# A row of a table is a test, too.
				$found = 0 unless $text =~ /^\t\{ "$name",/m ||
					$text =~ /^static void $name\(/m &&
					$text =~ /\b(?:cmocka_unit_test\w*|TEST)\($name\b/;
			}
		}
		print "$line: $part\n" unless $found;
		$nr++;
	}
	END { print "no tests are named\n" unless $nr }' "$TOP/docs/parity.md" >"$T/stale"
ok "the tests that docs/parity.md names are there" diff /dev/null "$T/stale"

# The header by itself.
cat >"$T/alone.c" <<'END'
#include <pmutrace.h>
int use(void);
int use(void) { return pmutrace_open(0, 0, 0, 0, 0); }
END
cflags=$(pkg-config --cflags pmutrace)
# shellcheck disable=SC2086
check 0 "the header compiles alone as C11" $CC -std=c11 -pedantic -Wall -Wextra -Werror $cflags \
	-c "$T/alone.c" -o "$T/alone.o"
sed 's/use(void);$/use();/; s/use(void) {/use() {/' "$T/alone.c" >"$T/alone.cc"
for cxx in g++ clang++; do
	if command -v $cxx >/dev/null; then
		# shellcheck disable=SC2086
		check 0 "and as C++ with $cxx" $cxx -std=c++11 -pedantic -Wall -Wextra -Werror $cflags \
			-c "$T/alone.cc" -o "$T/alone.o"
	else
		skip 1 "no-$cxx: $cxx is not installed"
	fi
done
echo 'int main() { pmutrace_close(nullptr); return pmutrace_version()[0] != 48; }' |
	cat "$T/alone.cc" - >"$T/main.cc"
if command -v g++ >/dev/null; then
	# shellcheck disable=SC2046,SC2086
	check 0 "C++ programs link" g++ $san "$T/main.cc" -o "$T/main" $(pkg-config --cflags --libs pmutrace)
	check 0 "and run" env LD_LIBRARY_PATH="$lib" "$T/main"
else
	skip 2 "no-g++: g++ is not installed"
fi

# Twenty lines. Its own function has a name of ours.
cat >"$T/user.c" <<'END'
#include <pmutrace.h>
#include <stdio.h>

int buf__puts(const char *text);
int buf__puts(const char *text) { return puts(text); }

static void work(void *arg) { (void)arg; }

int main(void)
{
	struct pmutrace_events *e;
	struct pmutrace_count n[2];
	struct pmutrace_error why;

	if (pmutrace_open(&e, "{page-faults:u,task-clock:u}", NULL, NULL, &why))
		return buf__puts(why.text), 77;
	if (pmutrace_measure(e, work, NULL, n))
		return 1;
	printf("%s %d, %s %d\n", n[0].label, n[0].state, n[1].label, n[1].state);
	pmutrace_close(e);
	return buf__puts("done") < 0;
}
END
# runs NAME CMD.. - the program works, or perf is not permitted here
runs() {
	name=$1
	shift
	run "$@"
	if [ "$status" = 77 ]; then
		skip 1 "no-perf: $(head -n 1 "$T/out")"
	else
		says out "$name" '^page-faults:u 0, task-clock:u 0$'
	fi
}
# shellcheck disable=SC2046,SC2086
check 0 "a program builds against the shared library" $CC $san "$T/user.c" -o "$T/user" \
	$(pkg-config --cflags --libs pmutrace)
readelf -d "$T/user" >"$T/out"
says out "and needs it at run time" 'NEEDED.*libpmutrace\.so\.0'
runs "and runs" env LD_LIBRARY_PATH="$lib" "$T/user"

rm "$lib"/libpmutrace.so*
# shellcheck disable=SC2046,SC2086
check 0 "a program builds against the archive" $CC $san "$T/user.c" -o "$T/user-static" \
	$(pkg-config --static --cflags --libs pmutrace)
readelf -d "$T/user-static" >"$T/out"
ok "and does not need it at run time" sh -c '! grep -q libpmutrace "$T/out"'
runs "and runs, too" "$T/user-static"

# The example of each page: it builds, and runs where perf is permitted. Those that need no PMU, and
# know what has to come out, end with 1 when it does not.
for page in "$TOP"/man/pmutrace_*.3; do
	call=$(basename "$page" .3)
	sed -n '/^\.Sh EXAMPLES/,/^\.Ed/{
		/^\.Bd/,/^\.Ed/{
			/^\.[BE]d/!p
		}
	}' "$page" | sed 's/^\\&//; s/\\e/\\/g' >"$T/$call.c"
	# shellcheck disable=SC2046,SC2086
	check 0 "the example of $call builds without a warning" $CC $san -std=gnu11 -O1 -Wall \
		-Wextra -Werror "$T/$call.c" -o "$T/$call" $(pkg-config --static --cflags --libs pmutrace)
	run "$T/$call"
	if [ "$status" = 77 ]; then
		skip 1 "no-perf: $(head -n 1 "$T/err")"
	else
		ok "and runs" test "$status" = 0
	fi
done

# The examples of docs/, as docs/library.md says to build them.
for example in ipc mappings callers; do
	# shellcheck disable=SC2046,SC2086
	check 0 "docs/examples/$example.c builds without a warning" $CC $san -std=gnu11 -O1 -Wall \
		-Wextra -Werror -fno-omit-frame-pointer "$TOP/docs/examples/$example.c" \
		-o "$T/$example" $(pkg-config --static --cflags --libs pmutrace)
done
run "$T/ipc"
says out "ipc tells the time" '^task-clock +[0-9]+ +\(overhead'
run "$T/mappings" "$PROG/dlopen_mid" -s 0.02
if ! grep -q 'permission\|perf_event_open' "$T/err"; then
	says out "mappings sees a library that is opened while it runs" ' \+0x[0-9a-f]+ .*/libplugin\.so$'
	says out "and loses nothing" '^lost 0, exit status 0$'
else
	skip 2 "no-perf: $(head -n 1 "$T/err")"
fi
run "$T/callers"
if grep -q 'permission\|perf_event_open\|tracefs' "$T/err"; then
	skip 1 "no-tracepoints: $(head -n 1 "$T/err")"
else
	# Three samples, each with an address within 64 bytes of the function's start.
	ok "callers finds its function in each chain" perl -ne '
		/^handle_request is at (0x[0-9a-f]+)/ and $at = hex $1;
		/^syscalls:sys_enter_getpid by \d+:(.*)/ or next;
		$found++ if grep { hex($_) > $at && hex($_) < $at + 64 } split " ", $1;
		END { exit($found != 3) }' "$T/out"
fi
[ -n "$san" ] || check 0 "make uninstall" make -C "$TOP" --no-print-directory O="$O" DESTDIR="$root" \
	PREFIX=$prefix uninstall
find "$root" ! -type d >"$T/left"
[ -n "$san" ] || ok "which leaves nothing" diff /dev/null "$T/left"
[ -z "$san" ] || skip 2 "sanitizers: uninstall is the same"
