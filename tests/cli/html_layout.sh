#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How the page of -f html looks: on phones, on a dark screen, on paper.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"

has_browser || skip_all "no-chromium: pages are looked at in it"
plan 65

# More levels than a window has room for, all kinds of frames, and a name as wide as ten phones.
awk 'BEGIN {
	long = "ns::"
	for (i = 0; i < 40; i++)
		long = long "VeryLong" i "Name"
	stack = "node;main"
	for (i = 0; i < 90; i++)
		stack = stack ";f" i
	print stack, 60
	print "node;main;" long, 30
	print "node;main;inner_[i];work;vfs_read_[k]", 20
	print "node;run_[j];[truncated]", 10
}' >"$T/a.folded"
"$PMUTRACE" report -q "$T/a.folded" -o "$T/a.html"

# What can be seen and pressed is what is found there; points of the last row are the root's.
cat >"$T/layout.js" <<'END'
	const box = (e) => e.getBoundingClientRect(), room = document.documentElement.clientWidth;
	const isFree = (e) => {
		const { left, right, top, bottom } = box(e);
		return left >= 0 && right <= room && [[left + 3, top + 3], [right - 3, bottom - 3]]
			.every(([x, y]) => e.contains(document.elementFromPoint(x, y)));
	};
	const isRootFree = () => {
		const { left, right, bottom } = box(one('canvas'));
		return [left + 5, right - 5].every((x) => [bottom - 16, bottom - 2].every((y) =>
			document.elementFromPoint(x, y) === one('canvas')));
	};
	const tap = (up) => {
		const { left, bottom } = box(one('canvas'));
		one('canvas').dispatchEvent(new MouseEvent('click',
			{ bubbles: true, clientX: left + 40, clientY: bottom - up * 18 - 9 }));
	};
	const isSideways = () => [document.documentElement, document.body].some((e) => e.scrollWidth > room);
	say('size: ' + innerWidth + ' ' + innerHeight);
	say('root: ' + isRootFree());
	tap(0);
	say('tapped: ' + told().split(' ')[0] + ' ' + isRootFree());
	const high = box(one('footer')).height;
	key('ArrowUp'); key('ArrowUp'); key('ArrowUp'); key('ArrowRight'); key('ArrowRight');
	say('long: ' + (told().length > 400) + ' ' + isRootFree() + ' ' +
		all('.actions button').every(isFree));
	say('footer: ' + (box(one('footer')).height === high));
	window.scrollTo(0, 0);
	say('tabs: ' + all('[role=tab]').filter(isFree).map((t) => t.textContent).join(', '));
	say('tools: ' + all('.tools button, .tools select, .tools input')
		.filter((e) => e.getClientRects().length).every(isFree));
	for (const id of ['flame', 'icicle', 'left', 'callers', 'table', 'time']) {
		tab(id);
		const end = [isSideways()];
		if (id === 'table')	/* of the widest name, too */
			all('.list .link').find((b) => b.title.length > 400).click(),
				end.push(isSideways());
		else if (id !== 'time')
			key('ArrowDown'), key('ArrowUp'), key('ArrowRight');
		window.scrollTo(0, 1e6);
		const last = Array.from(one('#panel').querySelectorAll('*')).reduce((low, e) =>
			Math.max(low, box(e).bottom), 0);
		say(id + ': ' + end.some((e) => e) + ' ' +
			(last > 0 && last <= box(one('footer')).top + 0.5));
	}
END
for phone in 390,844 390,664 360,640; do
	ask_page "$T/a.html" $phone "$light,$finger" <"$T/layout.js"
	said "$phone: a phone's screen" "size: ${phone%,*} ${phone#*,}"
	said "$phone: the root is not below anything" "root: true"
	said "$phone: nor when it is told of" "tapped: all true"
	said "$phone: nor when a long name is, which has its buttons" "long: true true true"
	said "$phone: the line at the bottom is as high as before" "footer: true"
	said "$phone: all tabs are there to be seen" \
		"tabs: Flame graph, Icicle, Left-heavy, Callers, Table, Time"
	said "$phone: and all that is pressed" "tools: true"
	for id in flame icicle left callers table time; do
		said "$phone: $id goes not sideways, and its end is to be seen" "$id: false true"
	done
done
ask_page "$T/a.html" 1200,800 <"$T/layout.js"
said "a large screen: the root is not below anything" "root: true"

# Letters are as light or dark as what is behind them asks for; of the graph the root's and one of
# each kind's, by the pixels.
cat >"$T/colours.js" <<'END'
	say('dark: ' + matchMedia('(prefers-color-scheme: dark)').matches);
	say('page: ' + getComputedStyle(document.body).backgroundColor);
	const bad = [];
	let nr = 0;
	const look = () => {
		for (const e of all('body *')) {
			const text = /^(INPUT|SELECT)$/.test(e.tagName) ||
				Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
			if (!text || !e.getClientRects().length)
				continue;
			nr++;
			const c = contrastOf(getComputedStyle(e).color, behind(e));
			if (!(c >= 4.5))
				bad.push(e.tagName + '.' + e.className + ' ' + c.toFixed(2));
		}
	};
	const pixels = (up) => {
		const canvas = one('canvas'), { data } = canvas.getContext('2d').getImageData(4,
			canvas.height - 18 * (up + 1) + 1, 60, 15);
		const seen = [];
		for (let i = 0; i < data.length; i += 4)
			seen.push('rgb(' + data.slice(i, i + 3).join(',') + ')');
		return seen.sort((p, q) => lightOf(p) - lightOf(q));
	};
	key('ArrowUp'); key('ArrowUp');
	look();
	const rows = [0, 1, 2].map(pixels);
	say('graph: ' + rows.every((p) => contrastOf(p[0], p[p.length - 1]) >= 4.5) + ' ' +
		rows.map((p) => lightOf(p[p.length >> 1]) < 0.2 ? 'dark' : 'light').join(' '));
	one('input[type=search]').value = '(';
	key('Enter', 'input[type=search]');
	for (const id of ['table', 'time'])
		tab(id), look();
	key('h');
	look();
	say('letters: ' + (nr > 90) + ' ' + (bad.join(', ') || 'all'));
END
ask_page "$T/a.html" 1200,800 "$light" <"$T/colours.js"
said "a light screen" "dark: false"
said "has a light page" "page: rgb(255, 255, 255)"
said "dark letters on light boxes" "graph: true light light light"
said "of which all can be read" "letters: true all"
ask_page "$T/a.html" 1200,800 "$dark" <"$T/colours.js"
said "a dark screen" "dark: true"
said "has a dark page" "page: rgb(28, 29, 32)"
said "light letters on dark boxes" "graph: true dark dark dark"
said "of which all can be read, too" "letters: true all"

# Paper is light, and has the graph without what is pressed; the browser is dark, or not.
for screen in "$light" "$dark"; do
	rm -f "$T/a.pdf"
	browse "$screen" --no-pdf-header-footer --print-to-pdf="$T/a.pdf" "file://$T/a.html" \
		>"$T/out" 2>&1
	run perl "$TOP/tests/pdf.pl" "$T/a.pdf"
	says out "$screen: the root is on paper" '^text all$'
	says out "$screen: functions are" '^text main$'
	says out "$screen: in their colours by day" '^fill #4aae86$'
	ok "$screen: nothing is dark" sh -c '! grep -q -E "^fill #([0-4].){3}$" "$1"' sh "$T/out"
	ok "$screen: the head, too" grep -q '^text pmutrace report$' "$T/out"
	ok "$screen: no tabs, no tools" sh -c '! grep -q -E "^text .*(Icicle|Merge|Hide|Keys)" "$1"' \
		sh "$T/out"
done

# A dark browser may tell of light paper when the page has been drawn for it: what Chromium has of
# the canvas by then is what it prints, and it is gone if that is drawn once more.
sed 's|^<main></main>|<script>const lists = [], media = matchMedia.bind(window);\
window.matchMedia = (what) => { lists.push(media(what)); return lists[lists.length - 1]; };</script>\
&|' "$T/a.html" >"$T/listed.html"
ask_page "$T/listed.html" 1200,800 "$dark" <<-'END'
	const changes = () => lists.find((l) => /dark/.test(l.media)).dispatchEvent(new Event('change'));
	const ctx = one('canvas').getContext('2d');
	const pixel = (x, y) => Array.from(ctx.getImageData(x, y, 1, 1).data).slice(0, 3).join(' ');
	const root = () => pixel(300, one('canvas').height - 9);
	say('screen: ' + root());
	window.dispatchEvent(new Event('beforeprint'));
	say('paper: ' + root());
	ctx.fillStyle = '#010203';
	ctx.fillRect(0, 0, 5, 5);
	changes();
	say('kept: ' + (pixel(2, 2) === '1 2 3'));
	window.dispatchEvent(new Event('afterprint'));
	say('screen again: ' + root());
	ctx.fillStyle = '#010203';
	ctx.fillRect(0, 0, 5, 5);
	changes();
	say('drawn anew: ' + (pixel(2, 2) !== '1 2 3'));
END
said "a dark screen" "screen: 60 61 66"
said "light paper" "paper: 233 231 227"
said "while it prints nothing is drawn once more" "kept: true"
said "then it is dark again" "screen again: 60 61 66"
said "and a change is drawn" "drawn anew: true"
