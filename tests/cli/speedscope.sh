#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files of four formats in speedscope, as its authors publish it: it has the functions, with the sums
# that are made by hand. It reads its own format, traces, pprof and folded stacks.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"
. "$(dirname "$0")/../lib_readers.sh"

has_browser || skip_all "no-chromium: pages are looked at in it"
SPEEDSCOPE=$(reader speedscope) || skip_all "$(cat "$T/no-reader")"
plan 15

# open_in_speedscope FILE - what its sandwich view tells: the title, which profile of how many, then a
# line for each function, "NAME: TOTAL SELF", all in $T/told
open_in_speedscope() {
	perl -MMIME::Base64 -0777 -ne 'BEGIN { ($name = $ARGV[0]) =~ s{.*/}{} }
		printf "speedscope.loadFileFromBase64(\"%s\", \"%s\")\n", $name, encode_base64($_, "")' "$1" >"$T/profile.js"
	HOME=$T timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --disable-sync \
		--disable-background-networking --disable-component-update --user-data-dir="$T/chromium" \
		--virtual-time-budget=8000 --dump-dom \
		"file://$SPEEDSCOPE/index.html#localProfilePath=$T/profile.js&view=sandwich" >"$T/dom" 2>"$T/dom.err"
	perl -0777 -ne '
		print "title: $1\n" if m{<title>(.*?)</title>};
		s{<(style|script).*?</\1>}{}gs;
		print "profile: $1\n" if m{>\((\d+/\d+)\)<};
		my ($table) = m{Symbol Name(.*)}s or next;
		my @cells = grep { /\S/ } split /<[^>]*>/, $table;
		while (my ($total, $self, $name) = splice @cells, 0, 3) {
			last if !defined $name;
			s/ \(.*//, s/\s+//g for $total, $self;
			s/&lt;/</g, s/&gt;/>/g, s/&amp;/&/g for $name;
			print "$name: $total $self\n";
		}' "$T/dom" >"$T/told"
}

# told NAME LINE - one of the lines
told() {
	ok "$1" grep -q -x -F -e "$2" "$T/told" || diag <"$T/told"
}

stacks_by_hand >"$T/a.folded"
cat >"$T/want" <<-'END'
	end: 10 10
	leaf: 5 5
	main: 10 0
	node: 40 0
	rec: 10 0
	run_[j]: 40 40
	sh: 20 0
	vfs_read_[k]: 2 2
	work: 8 3
END

# functions FILE - its functions are those of $T/want
functions() {
	open_in_speedscope "$1"
	grep -v '^title\|^profile' "$T/told" | LC_ALL=C sort | diff "$T/want" -
}

"$PMUTRACE" report -q "$T/a.folded" -o "$T/a.speedscope.json" -o "$T/a.pb.gz" -o "$T/b.folded" -o "$T/a.trace.json"
ok "its own format" functions "$T/a.speedscope.json"
ok "tells of losses in the title" grep -q '^title: .*what was lost before is not told' "$T/told"
ok "folded stacks" functions "$T/b.folded"
# It has neither commands nor marks.
sed -i '/^node:/d; /^sh:/d; s/_\[[jk]\]//' "$T/want"
ok "pprof" functions "$T/a.pb.gz"

# A profile for each process; a sample lasts until the next one, a millisecond later, and the last one
# not at all.
open_in_speedscope "$T/a.trace.json"
told "a trace" "run_[j]: 39.00ms 39.00ms"

# Two events, whose samples weigh their periods.
cat >"$T/two.txt" <<-'END'
	sh    12 100.5: 1000000 cpu-clock:
	          401000 work+0x0 (/bin/sh)
	          402000 main+0x0 (/bin/sh)
	sh    12 100.6: 3000000 cpu-clock:
	          402000 main+0x0 (/bin/sh)
	sh    12 100.7: 7 faults:
	          402000 main+0x0 (/bin/sh)
END
"$PMUTRACE" report -q "$T/two.txt" -o "$T/two.speedscope.json" -o "$T/two.pb.gz"
open_in_speedscope "$T/two.speedscope.json"
told "of two events the first one" "profile: 1/2"
told "in units of time" "work: 1.00ms 1.00ms"
told "all of it" "main: 4.00ms 3.00ms"
"$PMUTRACE" report -q --event faults "$T/two.txt" -o "$T/two.speedscope.json"
open_in_speedscope "$T/two.speedscope.json"
told "the other one first if it is asked for" "profile: 2/2"
told "without a unit" "main: 7 7"
open_in_speedscope "$T/two.pb.gz"
told "of pprof: what weighs" "work: 1.00ms 1.00ms"

# Names that are not there to be believed.
{
	printf 'sh;</script><script>document.title="ran"</script>;"quo\\te\047;\001ctl 5\n'
	printf 'sh;main;b\377\376ad 3\n'
} >"$T/hostile.folded"
"$PMUTRACE" report -q "$T/hostile.folded" -o "$T/h.speedscope.json" -o "$T/h.pb.gz"
for file in h.speedscope.json h.pb.gz; do
	open_in_speedscope "$T/$file"
	told "hostile names in $file are names" '</script><script>document.title="ran"</script>: 5 0'
	ok "and nothing of them has run" equal "$(grep -c '^title: ran' "$T/told")" 0
done
