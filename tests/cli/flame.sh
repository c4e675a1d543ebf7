#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The script of a flame graph: labels, keys, deep graphs, narrow windows. It runs in a page that
# tests/flame_page.js makes up.
. "$(dirname "$0")/../lib.sh"

command -v node >/dev/null || skip_all "no-node: node is not installed"
plan 33

# The graph of a stack of so many frames, and beside it a short one.
graph() {
	awk -v n="$1" 'BEGIN {
		stack = "app"
		for (i = 1; i < n; i++)
			stack = stack ";f" i
		print stack, 3
		print "app;ns::Class<std::vector<int>>::method(int, char const*) 1"
	}' >"$T/$1.folded"
	"$PMUTRACE" report -q "$T/$1.folded" -o "$T/$1.svg"
}
graph 9
graph 1000

page() {
	run node "$TOP/tests/flame_page.js" "$@"
}

ok "every label of the table is the script's, too" \
	node - "$TOP/src/print/flame/label.js" "$TOP/tests/unit/print/labels.tsv" <<-'END'
		const fs = require('fs'), [script, table] = process.argv.slice(2);
		const fit = require('vm').runInNewContext(fs.readFileSync(script, 'utf8') + ';fitLabel');
		const rows = fs.readFileSync(table, 'utf8').split('\n').filter((l) => l && l[0] !== '#');
		let failed = rows.length < 70;

		for (const [name, columns, want] of rows.map((row) => row.split('\t'))) {
			if (fit(name, +columns) === want)
				continue;
			console.log(name + ' in ' + columns + ': ' + fit(name, +columns) + ', not ' + want);
			failed = true;
		}
		process.exit(failed ? 1 : 0);
	END

# 1180 px: a quarter of it is 44 columns.
page "$T/9.svg" labels
says out "a name in its box lost its arguments, not its end" '^ns::Class&#60;..&#62;::method\(..\)$'
page "$T/9.svg" size=500x800 labels
says out "in a narrower box these too" '^Class::method$'

# Root and 9 levels of 16 px, 78 px of head, 10 px of margin, 38 px of bar: the window is higher.
page "$T/9.svg" tell
says out "nothing is chosen at first, and all levels are there" '^- \| all levels \| 800 \| # \| nothing$'
page "$T/9.svg" ArrowUp tell
says out "an arrow needs no Tab: it begins at the root" '^all \|.*\| graph$'
page "$T/9.svg" ArrowUp ArrowUp ArrowUp tell
says out "up is to the widest that is called" '^f1 \|'
page "$T/9.svg" ArrowUp ArrowUp ArrowUp ArrowRight tell
says out "right is to its neighbour" '^ns::Class<std::vector<int>>::method'
page "$T/9.svg" ArrowUp ArrowUp ArrowUp ArrowDown tell
says out "down is to the caller" '^app \|'
page "$T/9.svg" ArrowUp ArrowUp ArrowUp Enter tell
says out "Enter zooms to what is chosen" '^f1 \|.*\| #zoom=2 \|'
page "$T/9.svg" field:ArrowUp tell
says out "arrows in the search field are the field's" '^- \|'

# 100 levels of 1,001: 78 + 100 * 16 + 10 + 38
page "$T/1000.svg" tell
says out "a deep stack is no tower" '^- \| first 100 of 1,001 levels \| 1726 \| # \|'
page "$T/1000.svg" 'press=Show deeper' tell
says out "it shows deeper" '^- \| all levels \| 16142 \| #deep=1 \|'
page "$T/1000.svg" 'press=Show deeper' 'press=Fewer levels' tell
says out "and fewer levels again" '^- \| first 100 of 1,001 levels \| 1726 \| # \|'
page "$T/1000.svg" 'ArrowUp*100' tell
says out "keys reach the last level that is drawn" '^f98 \| first 100 of 1,001 levels \|'
page "$T/1000.svg" 'ArrowUp*101' tell
says out "and beyond it" '^f99 \| all levels \| 16142 \| #deep=1 \|'
page "$T/1000.svg" 'ArrowUp*501' Enter 'press=Fewer levels' tell
says out "zoomed to the middle, levels about that are drawn" '\| 100 of 1,001 levels \| 1726 \| #zoom=500 \|'
page "$T/1000.svg" 'ArrowUp*501' Enter 'press=Fewer levels' labels
says out "from ten callers" '^f489$'
ok "and not one more" sh -c '! grep -q "^f488$" "$T/out"'
page "$T/1000.svg" 'ArrowUp*501' Enter 'press=Fewer levels' Escape tell
says out "zoomed out, the first ones" '\| first 100 of 1,001 levels \| 1726 \|'

# A legend below the head, a bar in lines: 98 + 100 * 16 + 10 + 88
page "$T/1000.svg" size=390x844 tell
says out "a narrow window has its own head and bar" '\| 1796 \|'
# Rows of 26 px, and 14 px more for buttons
page "$T/1000.svg" size=390x844 touch tell
says out "a finger has higher rows" '\| 2810 \|'

run "$PMUTRACE" report -q "$T/9.folded" -f svg --icicle
cp "$T/out" "$T/icicle.svg"
page "$T/icicle.svg" ArrowDown ArrowDown ArrowDown tell
says out "of an icicle down is to what is called" '^f1 \|'

# Two sides: widths of both, or of one of them; the script's colours are those of the file.
printf 'sh;main;old 20\nsh;main;both 80\n' >"$T/one.folded"
printf 'sh;main;new 100\nsh;main;both 100\n' >"$T/two.folded"
run "$PMUTRACE" diff -q "$T/one.folded" "$T/two.folded" -o "$T/diff.svg"
page "$T/diff.svg" labels
says out "frames of both sides" '^old$'
says out "and of the other" '^new$'
page "$T/diff.svg" 'press=Both sides' labels tell
says out "A alone has its own" '^old$'
ok "and none of B" sh -c '! grep -q "^new$" "$T/out"'
says out "which the address tells" '| #side=A |'
page "$T/diff.svg" 'press=Both sides' 'press=A alone' labels
says out "B alone" '^new$'
page "$T/diff.svg" 'press=Both sides' 'press=A alone' 'press=B alone' ArrowUp ArrowUp ArrowUp ArrowUp numbers labels
says out "both again" '^old$'
says out "what each has" '^A 80.00%, B 50.00%: -30.00%, cannot tell$'
page "$T/diff.svg" colours
says out "nothing is sure of one file a side" '^d3, d3, d3, d3$'
for i in 1 2 3 4 5; do
	printf 'sh;main;old %d\nsh;main;both 80\n' $((20 + i)) >"$T/one$i.folded"
	printf 'sh;main;new %d\nsh;main;both 80\n' $((100 + i)) >"$T/two$i.folded"
done
run "$PMUTRACE" diff -q -o "$T/sure.svg" "$T"/one?.folded -- "$T"/two?.folded
page "$T/sure.svg" colours
says out "of several it is" '^d3, d3, d3, d0 d6 d1$|^d3, d3, d3, d[0-9] d[0-9] d[0-9]$'
plain=$(grep -o '<g class="d[0-9]"><title>\(both\|old\|new\)$' "$T/sure.svg" | sed 's/.*class="\(d.\)"><title>/\1 /' | sort -k 2 | tr '\n' ' ')
ok "less, more and gone" equal "$plain" "d1 both d6 new d0 old "
