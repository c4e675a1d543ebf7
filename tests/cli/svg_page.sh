#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A flame graph (SVG) in Chromium: zoom, search, hostile names, phones, a dark screen, paper. Sums
# are made by hand; what its script does otherwise is in tests/cli/flame.sh.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"

has_browser || skip_all "no-chromium: pages are looked at in it"
plan 46

# ask FILE [WIDTH,HEIGHT [SETTINGS]] <SCRIPT - with what works a graph and reads it
ask() {
	{
		cat <<-'END'
			const box = (e) => e.getBoundingClientRect();
			const labels = () => all('.graph text').map((t) => t.textContent);
			const label = (name) => all('.graph text').find((t) => t.textContent === name);
			const line = () => one('.info').textContent;
			const press = (e) => e.dispatchEvent(new MouseEvent('click', { bubbles: true,
				clientX: box(e).left + 3, clientY: box(e).top + box(e).height / 2 }));
			const button = (text) => all('button').find((b) => b.textContent === text);
			const find = (text) => {
				one('input').value = text;
				one('input').dispatchEvent(new Event('input', { bubbles: true }));
			};
			const share = () => one('.share').textContent;
			const isSeen = (e) => box(e).width > 0 && box(e).left >= 0 && box(e).right <= innerWidth &&
				box(e).top >= 0 && box(e).bottom <= innerHeight;
		END
		cat
	} >"$T/script"
	ask_page "$@" <"$T/script"
}

cat >"$T/a.folded" <<-'END'
	sh;main;work;leaf 5
	sh;main;work 3
	sh;main;vfs_read_[k] 2
	node;run_[j] 30
END
"$PMUTRACE" report -q "$T/a.folded" -o "$T/a.svg"
ask "$T/a.svg" <<-'END'
	say('root: ' + document.documentElement.tagName + ' ' + all('parsererror').length);
	say('names: ' + labels().sort().join(' '));
	say('bar: ' + isSeen(one('.bar')) + ' ' + isSeen(label('all')));
	press(label('work'));
	say('zoomed: ' + labels().sort().join(' ') + ' ' + location.hash);
	say('told: ' + line());
	find('leaf');
	say('of view: ' + share());
	find('');
	press(button('Reset zoom'));
	say('whole: ' + labels().sort().join(' ') + ' ' + location.hash + '.');
	find('^(leaf|run)$');
	say('found: ' + share());
	say('marked: ' + all('.match-text').map((t) => t.textContent).sort().join(' ') + ' ' +
		all('.match').every((m) => getComputedStyle(m).fill === 'rgb(194, 24, 91)'));
	find('((');
	say('no expression: ' + share());
END
said "it is one document, well-formed" "root: svg 0"
said "names are in their boxes" "names: all leaf main node run sh vfs_read work"
said "the root is to be seen, and the bar" "bar: true true"
said "a click zooms" "zoomed: all leaf main sh work #zoom=6"
said "which is told" "told: Zoomed to work: 20.00% of all"
said "a search tells its share there" "of view: Matched 12.50% of all, 62.50% of view"
said "a button zooms out" "whole: all leaf main node run sh vfs_read work ."
said "and of all" "found: Matched 87.50%"
said "what it finds has its colour" "marked: leaf run true"
said "what is no expression is text" "no expression: Matched 0.00%"

# What ends a script, a section of text, an attribute, an element; and what is text in none of them.
cat >"$T/hostile.folded" <<-'END'
	sh;</script><script>document.title="ran"</script> 5
	sh;]]></script><script>window.ran=1</script><![CDATA[ 5
	sh;"onload="window.ran=1"><image href="x" onerror="window.ran=1"/> 5
	sh;&lt;&#60;script>;</svg><svg onload="window.ran=1"/> 5
END
"$PMUTRACE" report -q --title '</title><script>window.ran=1</script>]]>' \
	"$T/hostile.folded" -o "$T/hostile.svg"
cat >"$T/hostile.js" <<-'END'
	const elements = () => all('*').filter((e) =>
		/^(image|img|iframe|svg|script)$/i.test(e.localName)).length;
	const handlers = () => all('*').filter((e) =>
		e.getAttributeNames().some((a) => a.startsWith('on'))).length;
	const state = () => window.ran + ' ' + elements() + ' ' + handlers() + ' ' +
		(document.title === 'ran');
	say('opened: ' + state());
	say('title: ' + one('title').textContent);
	for (let i = 0; i < 5; i++)
		key('ArrowUp', '.graph');
	say('walked: ' + state());
	for (const name of data_names()) {
		find(name);
		key('Enter', '.graph');
		key('Escape', '.graph');
	}
	say('searched: ' + state());
	say('names: ' + data_names().join(' '));
	function data_names() { return JSON.parse(one('.data').textContent).names; }
END
ask "$T/hostile.svg" <"$T/hostile.js"
# The document itself, its two scripts and those two that ask here.
said "no hostile name has run, none is an element" "opened: undefined 5 0 false"
said "the title is text" "title: </title><script>window.ran=1</script>]]>"
said "nor when they are told of" "walked: undefined 5 0 false"
said "nor when they are looked for" "searched: undefined 5 0 false"
ok "none ends the drawing" sh -c '! grep -q "^error: " "$1"' sh "$T/said"
grep '^names: ' "$T/said" >"$T/names"
for name in '</script><script>document.title="ran"</script>' '&lt' '&#60' 'script>' \
	']]></script><script>window.ran=1</script><![CDATA[' '</svg><svg onload="window.ran=1"/>' \
	'"onload="window.ran=1"><image href="x" onerror="window.ran=1"/>'; do
	ok "it is the name that it was: $name" grep -q -F -e "$name" "$T/names"
done

# 1,000 calls deep, on a phone: as many levels as are drawn at once, in rows for a finger.
awk 'BEGIN { printf "deep"; for (i = 0; i < 1000; i++) printf ";f%d", i; print " 7" }' >"$T/deep.folded"
"$PMUTRACE" report -q "$T/deep.folded" -o "$T/deep.svg"
for phone in 390,844 360,640; do
	ask "$T/deep.svg" $phone "$light,$finger" <<-'END'
		const high = () => box(document.documentElement).height;
		/* Browsers tell of it behind the script. */
		const scrolled = () => window.dispatchEvent(new Event('scroll'));
		scrolled();
		say('size: ' + innerWidth + ' ' + innerHeight + ' ' +
			matchMedia('(pointer: coarse)').matches);
		const { scrollWidth, clientWidth } = document.documentElement;
		say('sideways: ' + (scrollWidth > clientWidth));
		say('rows: ' + all('.graph g g').length + ' ' + (high() < 3000));
		say('root: ' + isSeen(label('all')) + ' ' +
			(box(label('all')).bottom <= box(one('.bar')).top));
		say('bar: ' + [button('Show deeper'), one('input'), one('.info')].every(isSeen));
		say('head: ' + all('.head > text').every((t) =>
			box(t).left >= 0 && box(t).right <= innerWidth));
		press(button('Show deeper'));
		scrolled();
		say('deeper: ' + (high() > 1000 * 26) + ' ' + isSeen(label('all')));
	END
	said "$phone: a phone's screen" "size: ${phone%,*} ${phone#*,} true"
	said "$phone: goes not sideways" "sideways: false"
	ok "$phone: a deep stack is no tower" grep -q -E '^rows: ([1-9][0-9]?|100) true$' "$T/said"
	said "$phone: the root is above the bar" "root: true true"
	said "$phone: which is all to be seen" "bar: true"
	said "$phone: so is the head" "head: true"
	said "$phone: it goes deeper, from where one was" "deeper: true true"
done

# Letters against the page, the bar, fields, and the boxes that they are in.
printf '%s 20\n' 'sh;main;inner_[i]' 'sh;main;read_[k]' 'sh;[truncated]' 'node;run_[j]' \
	>"$T/kinds.folded"
"$PMUTRACE" report -q "$T/kinds.folded" -o "$T/kinds.svg"
cat >"$T/colours.js" <<-'END'
	const fill = (e) => getComputedStyle(e).fill, bad = [];
	let nr = 0;
	const compare = (what, of, on) => {
		nr++;
		if (!(contrastOf(of, on) >= 4.5))
			bad.push(what + ' ' + of + ' on ' + on);
	};
	find('main');
	say('page: ' + getComputedStyle(document.documentElement).backgroundColor + ' ' +
		fill(one('.page')));
	for (const text of all('.head text'))
		compare(text.textContent, fill(text), fill(one('.page')));
	for (const e of all('.info span, .share, .line button, .line input'))
		compare(e.localName, getComputedStyle(e).color, behind(e));
	const boxes = [];
	for (const row of all('.graph g g'))
		for (const text of row.querySelectorAll('text')) {
			const { x, y } = text.getBBox();
			const on = Array.from(row.querySelectorAll('path')).find((p) =>
				p.isPointInFill(new DOMPoint(x + 1, y + 8)));
			compare(text.textContent, fill(text), fill(on));
			if (!on.matches('.match'))
				boxes.push(fill(on));
		}
	say('boxes: ' + boxes.length + ' ' + boxes.every((c) => lightOf(c) < 0.2) + ' ' +
		boxes.every((c) => lightOf(c) > 0.2));
	say('letters: ' + (nr > 18) + ' ' + (bad.join(', ') || 'all'));
END
ask "$T/kinds.svg" 1200,800 "$light" <"$T/colours.js"
said "a light screen has a light graph" "page: rgb(255, 255, 255) rgb(255, 255, 255)"
said "its boxes, too" "boxes: 7 false true"
said "all letters can be read" "letters: true all"
ask "$T/kinds.svg" 1200,800 "$dark" <"$T/colours.js"
said "a dark screen has a dark graph" "page: rgb(23, 23, 26) rgb(23, 23, 26)"
said "its boxes, too" "boxes: 7 true false"
said "all letters can be read there" "letters: true all"

# Paper is light.
browse "$dark" --no-pdf-header-footer --print-to-pdf="$T/a.pdf" "file://$T/a.svg" >"$T/out" 2>&1
run perl "$TOP/tests/pdf.pl" "$T/a.pdf"
names=$(sed -n 's/^text //p' "$T/out" | grep -x 'all\|leaf\|main\|node\|run\|sh\|work' | sort)
ok "on paper it has its names" equal "$(echo "$names" | tr '\n' ' ')" "all leaf main node run sh work "
says out "on white" '^fill #ffffff$'
ok "nothing is dark" sh -c '! grep -q -E "^fill #([0-4].){3}$" "$1"' sh "$T/out"
ok "without the bar" sh -c '! grep -q -E "^text .*(Search|Click)" "$1"' sh "$T/out"
