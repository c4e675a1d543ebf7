#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# page.sh [RUNS] - how soon a page of -f html is there, and what a key costs then, in ms: of 10,000
# stacks and of 350,000 frames, least and median of RUNS (7), in Chromium without a GPU. From the
# moment when the browser goes to the file: until the scripts begin, until they are through with the
# first drawing, until that is on the canvas. A tab is gone to before it was prepared.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"

runs=${1:-7}
has_browser || {
	echo "page.sh: no chromium" >&2
	exit 1
}

# stacks COUNT - of 9,000 functions, some of C++, 8 commands; a stack shares its callers with another
stacks() {
	awk -v count="$1" 'BEGIN {
		srand(5)
		for (i = 0; i < 9000; i++)
			name[i] = i % 3 ? "ns" i % 40 "::Class" i % 700 "<std::vector<int>>::method" i "(int, char const*)" : "function_" i
		for (i = 0; i < 8; i++)
			known[i] = "sh" i ";_start;main"
		for (nr = 8; nr < count + 8; nr++) {
			s = known[int(rand() * nr)]
			if (gsub(/;/, ";", s) > 60)
				s = known[nr % 8]
			for (k = int(1 + rand() * 9); k > 0; k--)
				s = s ";" name[int(rand() * 9000)]
			known[nr] = s
			print s, 1 + int(rand() * 300)
		}
	}'
}

for nr in 10000 70000; do
	stacks "$nr" >"$T/stacks"
	"$PMUTRACE" report -q "$T/stacks" -o "$T/page.html" -o "$T/flame.svg" || exit
	frames=$(grep -o '"nodes":{"nr":[0-9]*' "$T/page.html" | grep -o '[0-9]*$')
	echo "$nr stacks, $frames frames: $(wc -c <"$T/page.html") bytes, the SVG $(wc -c <"$T/flame.svg")"
	# The page's script is the second one: what stands before it is told by the first line of it.
	sed 's|^(function () {$|window.begun = performance.now();&|' "$T/page.html" >"$T/timed.html"
	while [ "$runs" -gt "${done_runs:-0}" ]; do
		done_runs=$((${done_runs:-0} + 1))
		ask_page "$T/timed.html" <<-'END'
			const ended = performance.now();
			const drawn = () => one('canvas').getContext('2d').getImageData(0, 0, 1, 1);
			const cost = (does) => { const from = performance.now(); does(); drawn(); return performance.now() - from; };
			drawn();
			say('1 scripts begin ' + window.begun);
			say('2 scripts end ' + ended);
			say('3 drawn ' + performance.now());
			say('4 tab callers ' + cost(() => tab('callers')));
			const from = performance.now();	/* it has no canvas: laid out is there */
			tab('table');
			document.body.getBoundingClientRect();
			say('5 tab table ' + (performance.now() - from));
			tab('flame');
			key('ArrowUp'); key('ArrowUp'); key('ArrowUp'); key('ArrowUp');
			say('6 zoom ' + cost(() => key('Enter')));
			say('7 search ' + cost(() => { one('input[type=search]').value = 'Class1'; key('Enter', 'input[type=search]'); }));
		END
		cat "$T/said"
	done | sort -k1n -k"4,4n" | awk '
		function flush() { if (n) printf "  %-16s %4.0f %4.0f\n", what, v[1], v[int((n + 1) / 2)] }
		{ this = $1; $1 = ""; value = $NF; NF--; text = $0 }
		this != last { flush(); n = 0; last = this; what = text }
		{ for (i = n++; i > 0 && v[i] > value; i--) v[i + 1] = v[i]; v[i + 1] = value }
		END { flush() }'
done
