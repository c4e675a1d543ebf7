#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The page of -f html: its data read back, held against folded stacks; then the page in Chromium, with
# sums made by hand.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"

plan 75

cat >"$T/a.folded" <<-'END'
	sh;main;work;leaf 5
	sh;main;work 3
	sh;main;vfs_read_[k] 2
	node;run_[j] 40
	sh;rec;rec;rec;end_[i] 6
END
sort "$T/a.folded" >"$T/want"

# same_stacks PAGE - as tests/html.pl reads them
same_stacks() {
	perl "$TOP/tests/html.pl" "$1" >"$T/stacks" || return
	sort "$T/stacks" | diff "$T/want" -
}

check 0 "a page" "$PMUTRACE" report -q "$T/a.folded" -o "$T/a.html"
ok "has the stacks of the file" same_stacks "$T/a.html"
ok "without scripts, too, that losses are not known" \
	grep -q '^<p class="losses">what was lost before is not told</p>$' "$T/a.html"
check 0 "by its name" "$PMUTRACE" report -q -f html --title 'A & B' --icicle "$T/a.folded"
ok "is the same" same_stacks "$T/out"
says out "with a title" '^<h1>A &amp; B</h1>$'
says out "and the view that was asked for" '"view":"icicle"'
check 0 "of nothing" "$PMUTRACE" report -q -f html --focus nosuch "$T/a.folded"
: >"$T/want"
ok "is a page without stacks" same_stacks "$T/out"

# 20,000 stacks, several bytes for many numbers
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "p%d;main;f%d;g%d;h%d %d\n", i % 3, i % 100, i % 1000, i, 1 + i * i % 70001 }' |
	sort >"$T/want"
check 0 "a large one" "$PMUTRACE" report -q "$T/want" -o "$T/large.html" -o "$T/large.svg"
ok "has all of them" same_stacks "$T/large.html"
ok "and is smaller than the SVG" test "$(wc -c <"$T/large.html")" -lt "$(wc -c <"$T/large.svg")"

# What ends a script, a string, an element; what is no character; no name at all.
{
	printf 'sh;</script><script>window.ran=1;document.title="ran"</script>;<img src=x onerror=ran=1>;"quo\\te\047;\001ctl 5\n'
	printf 'sh;main;b\377\376ad 3\n'
	printf ';x<!--<script> 2\n'
} >"$T/hostile.folded"
check 0 "hostile names" "$PMUTRACE" report -q --title '</title></script><script>window.ran=1</script>' \
	"$T/hostile.folded" -o "$T/hostile.html"
ok "are data" perl "$TOP/tests/html.pl" "$T/hostile.html"
run perl "$TOP/tests/html.pl" "$T/hostile.html"
says out "as they are" '^sh;</script><script>window.ran=1:document.title="ran"</script>|^sh;</script>'
ok "nothing else is there" equal "$(wc -l <"$T/out") $(folded_sum "$T/out")" "3 10"
ok "one element ends for each that begins" equal \
	"$(grep -o '<script' "$T/hostile.html" | wc -l)" "$(grep -o '</script' "$T/hostile.html" | wc -l)"

has_browser || {
	skip 60 no-chromium: pages are looked at in it
	exit 0
}

ask_page "$T/hostile.html" <<-'END'
	tab('table');
	say('ran: ' + window.ran + ' ' + document.scripts.length + ' ' + all('img').length);
	say('title: ' + document.title);
	say('names: ' + all('.list .link').map((b) => b.title).sort().join(' '));
	for (const id of ['icicle', 'left', 'callers', 'time', 'flame'])
		tab(id);
	key('ArrowUp'); key('ArrowUp'); key('ArrowUp');
	say('there: ' + told());
	key('t');
	one('aside .tools button:nth-child(2)').click();
	say('found: ' + one('.found').textContent);
	say('still: ' + window.ran + ' ' + document.title.length);
END
said "no name has run, none is an element" "ran: undefined 4 0"
said "the title is text" 'title: </title></script><script>window.ran=1</script>'
ok "names are text" grep -q '^names: .*"quo\\te.* <img src=x onerror=ran=1> ' "$T/said"
ok "in the line below the graph, too" grep -q '^there: document.title="ran"</script> · 5 samples' "$T/said"
said "a name is searched for as it is" "found: 50.0 % matched, 1 function"
said "nothing has run since" "still: undefined 46"

ask_page "$T/a.html" <<-'END'
	tab('table');
	say('self: ' + table());
	one('[data-by=total]').click();
	say('total: ' + table());
	one('[data-by=total]').click();
	say('least first: ' + table());
	say('sorted: ' + one('[data-by=total]').parentNode.getAttribute('aria-sort'));
	all('.list .link').find((b) => b.title === 'work').click();
	say('called by: ' + calls(0));
	say('calls: ' + calls(1));
	all('.list .link').find((b) => b.title === 'rec').click();
	say('called by: ' + calls(0));
	say('calls: ' + calls(1));
	const box = one('input[type=search]');
	one('button[title^="Hide commands"]').click();
	all('dialog label').find((l) => l.textContent === 'node40').click();
	one('dialog[open]').close();
	say('hidden: ' + one('.chips').lastChild.textContent + ' ' + one('caption').textContent);
	say('without: ' + table());
	one('.chips button').click();
	say('again: ' + one('caption').textContent);
	one('button[title^="Hide commands"]').click();
	all('dialog[open] button').find((b) => b.textContent === 'Hide all commands').click();
	say('none: ' + one('caption').textContent);
	all('dialog label').find((l) => l.textContent === 'sh16').click();
	one('dialog[open]').close();
	say('one: ' + one('caption').textContent);
	one('.chips button').click();
	say('about: ' + one('.losses').textContent);
	const find = (text) => {
		box.value = text;
		key('Enter', 'input[type=search]');
	};
	for (const id of ['flame', 'callers', 'table']) {
		find('');
		tab(id);
		find('work|^run$');
		say(id + ' found: ' + one('.found').textContent);
	}
	say('matching: ' + table());
	find('(');
	say('wrong: ' + box.getAttribute('aria-invalid') + ' ' + (one('.found').textContent.length > 0));
END
said "functions by what they do themselves" \
	"self: run 40 40, end 6 6, leaf 5 5, work 3 8, vfs_read 2 2, main 0 10, rec 0 6"
said "and with what they call, once for each sample" \
	"total: run 40 40, main 0 10, work 3 8, end 6 6, rec 0 6, leaf 5 5, vfs_read 2 2"
ok "the other way round" grep -q '^least first: vfs_read 2 2, leaf 5 5, ' "$T/said"
said "which is told to who cannot see it" "sorted: ascending"
said "who calls a function" "called by: 14.3 %8main"
said "what it calls" "calls: 8.9 %5leaf"
said "a function that calls itself: callers" "called by: 10.7 %6rec, 10.7 %6sh"
said "and callees" "calls: 10.7 %6end, 10.7 %6rec"
said "a command that is hidden" "hidden: 1 hidden, 16 samples left × 6 functions of 16 samples"
said "is in no sum" "without: vfs_read 2 2, leaf 5 5, end 6 6, rec 0 6, work 3 8, main 0 10"
said "until it is shown again" "again: 7 functions of 56 samples"
said "all commands are hidden" "none: 0 functions of 0 samples"
said "but one" "one: 6 functions of 16 samples"
said "losses are there" "about: what was lost before is not told"
for id in flame callers table; do
	said "a search tells its share, $id" "$id found: 85.7 % matched, 2 functions"
done
said "the table has what matches" "matching: work 3 8, run 40 40"
said "what is no expression is told" "wrong: true true"

ask_page "$T/a.html" <<-'END'
	key('ArrowUp');
	say('widest: ' + told());
	key('ArrowRight');
	say('right: ' + told());
	key('ArrowUp'); key('ArrowUp');
	say('up: ' + told());
	key('Enter');
	say('zoomed: ' + told());
	Object.defineProperty(navigator, 'clipboard', { value: {
		writeText: (text) => { say('copied: ' + text.replace(/\n/g, '|')); return Promise.resolve(); } } });
	key('c'); key('C');
	say('buttons: ' + all('.actions button').map((b) => b.textContent).join(', '));
	key('Escape');
	say('back: ' + told());
	key('4');
	key('ArrowDown');
	say('callers: ' + one('[aria-selected=true]').textContent + ' ' + told());
	key('ArrowDown');
	say('of it: ' + told());
	key('3');
	key('ArrowDown'); key('ArrowRight'); key('ArrowDown'); key('ArrowRight');
	say('left: ' + told());
	key('ArrowDown'); key('ArrowDown');
	say('deep: ' + told());
	key('m');
	key('ArrowDown'); key('ArrowRight'); key('ArrowDown'); key('ArrowRight');
	key('ArrowDown');
	say('merged: ' + told());
	key('t');
	say('table: ' + one('aside h2').textContent);
	key('6');
	say('time: ' + one('#panel').textContent);
	key('1');
	/* In the middle of the third level, where a finger is. */
	const box = one('canvas').getBoundingClientRect();
	const tap = () => {
		for (const [type, Type] of [['pointerdown', PointerEvent], ['click', MouseEvent]])
			one('canvas').dispatchEvent(new Type(type, { pointerType: 'touch', bubbles: true,
				clientX: box.left + 40, clientY: box.bottom - 2 * 18 - 9 }));
	};
	tap();
	const before = one('.mark').style.width;
	say('tap: ' + told());
	tap();
	say('second tap: ' + told().split(' ·')[0] + ' ' + (parseFloat(one('.mark').style.width) > parseFloat(before)));
	key('?');
	say('keys: ' + one('dialog[open] th').textContent + ' ' + (all('dialog[open] tr').length > 10));
	one('dialog[open]').close();
	say('roles: ' + all('[role=tab]').length + ' ' + all('[role=tabpanel]').length + ' ' +
		all('button').every((b) => b.textContent || b.title || b.getAttribute('aria-label')) + ' ' +
		all('input').every((i) => i.getAttribute('aria-label') || i.closest('label')));
END
said "keys: to the widest box" "widest: node · 40 samples, 71.4 % · self 0.0 %"
said "to its neighbour" "right: sh · 16 samples, 28.6 % · self 0.0 %"
said "to what it calls" "up: work · 8 samples, 14.3 % · self 5.4 %"
said "a zoom" "zoomed: work · 8 samples, 14.3 % · self 5.4 %"
said "names and stacks are for copying" "buttons: Copy name, Copy stack, In table"
said "the name is copied" "copied: work"
said "and the stack" "copied: sh|main|work"
said "and back" "back: all · 56 samples, 100.0 % · self 0.0 %"
said "the innermost functions" "callers: Callers run · 40 samples, 71.4 %"
said "and who called them" "of it: node · 40 samples, 71.4 %"
said "the widest is on the left" "left: rec · 6 samples, 10.7 % · self 0.0 %"
said "a call of itself" "deep: rec · 6 samples, 10.7 % · self 0.0 %"
said "is one box, if that is wanted" "merged: end · 6 samples, 10.7 % · self 10.7 %"
said "from a box to the table" "table: end"
ok "without windows it is told how to get them" grep -q '^time: This profile has no times.*--windows 100ms' "$T/said"
said "a tap tells" "tap: run · 40 samples, 71.4 % · self 71.4 %"
said "a second one zooms" "second tap: run true"
said "keys are told" "keys: 1 … 6 true"
said "everything has a name" "roles: 6 1 true true"

# 1,000 calls deep: no more levels than the window has room for, until they are asked for.
awk 'BEGIN { printf "deep"; for (i = 0; i < 1000; i++) printf ";f%d", i; print " 7" }' >"$T/deep.folded"
check 0 "1,000 calls deep" "$PMUTRACE" report -q "$T/deep.folded" -o "$T/deep.html"
ask_page "$T/deep.html" 390,844 <<-'END'
	const high = () => one('canvas').getBoundingClientRect().height;
	say('fits: ' + (high() < 844) + ' ' + (document.documentElement.scrollWidth <= window.innerWidth) + ' ' +
		(window.innerWidth < 520));
	key('d');
	say('deeper: ' + (high() > 1800) + ' ' + (high() < 2600));
	for (let i = 0; i < 1100; i++) {
		key('ArrowUp');
		if (i % 20 === 0)
			key('Enter');
	}
	say('last: ' + told());
	const big = one('canvas');
	say('drawn: ' + big.getContext('2d').getImageData(big.width / 2, 5, 1, 1).data[3]);
END
said "is no tower, and fits a phone" "fits: true true true"
said "but goes deeper" "deeper: true true"
said "to the last one" "last: f999 · 7 samples, 100.0 % · self 100.0 %"

{
	cat "$TOP/src/print/flame/label.js"
	sed -n '/^const SHADES/,/^};/p; /^const DARKER/p' "$TOP/src/print/flame/html_canvas.js" |
		sed 's/\[\([A-Z]*\)\]:/\1:/g'
	cat <<-'END'
		const name = 'ns::Class<std::vector<int>>::method(int, char const*)';
		say([60, 30, 15, 8].map((n) => fitLabel(name, n)).join(' | '));
	END
	# Kinds of frames as people with the three sorts of colour blindness see them (Machado, Oliveira and
	# Fernandes 2009, severity 1, on linear RGB), apart by their distance in CIELAB; 5 can be told
	# beside each other. And letters on boxes: the contrast of WCAG 2, which asks for 4.5.
	cat <<-'END'
		const LINEAR = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
		const rgb = (hex) => [1, 3, 5].map((i) => LINEAR(parseInt(hex.slice(i, i + 2), 16) / 255));
		const SEEN = {
			all: [1, 0, 0, 0, 1, 0, 0, 0, 1],
			protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
			deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881],
			tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900],
		};
		const seen = (c, m) => [0, 3, 6].map((r) => Math.min(1, Math.max(0, m[r] * c[0] + m[r + 1] * c[1] + m[r + 2] * c[2])));
		const lab = ([r, g, b]) => {
			const f = (t) => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
			const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
			const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
			return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
		};
		const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
		const contrast = (a, b) => { const [p, q] = [light(a), light(b)].sort((x, y) => y - x); return (p + 0.05) / (q + 0.05); };
		const darker = (hex, by) => '#' + [1, 3, 5].map((i) =>
			Math.round(parseInt(hex.slice(i, i + 2), 16) * by).toString(16).padStart(2, '0')).join('');
		const pages = { light: SHADES, dark: {} };
		for (const kind in SHADES)
			pages.dark[kind] = SHADES[kind].map((hex) => darker(hex, DARKER[kind]));
		for (const page in pages) for (const who in SEEN) {
			let least = 1000, pair = '';
			for (const p in SHADES) for (const q in SHADES) if (p < q)
				for (const a of pages[page][p]) for (const b of pages[page][q]) {
					const there = lab(seen(rgb(b), SEEN[who]));
					const d = Math.hypot(...lab(seen(rgb(a), SEEN[who])).map((v, i) => v - there[i]));
					if (d < least) least = d, pair = p + ' ' + q;
				}
			say(page + ' ' + who + (least >= 5 ? ' tells them apart' : ' least ' + least.toFixed(1) + ' ' + pair));
		}
		say('letters ' + Object.values(pages.light).flat().every((b) => contrast(rgb(b), rgb('#1b1b1b')) >= 4.5) + ' ' +
			Object.values(pages.dark).flat().every((b) => contrast(rgb(b), rgb('#f4f4f4')) >= 4.5));
	END
} | ask_page "$T/a.html"
for who in all protanopia deuteranopia tritanopia; do
	said "kinds of frames differ in colour, $who" "light $who tells them apart"
	said "on dark pages, too, $who" "dark $who tells them apart"
done
said "names are readable on all of them, light and dark" "letters true true"
said "long names lose arguments before their tail" \
	"ns::Class<std::vector<int>>::method(int, char const*) | ns::Class<..>::method(..) | Class::method | Class::…"
