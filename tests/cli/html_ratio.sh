#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A page of two events that were counted together: wide as one, coloured by their ratio, and what
# samples stand for in place of samples. The profile is one of pprof, put together here, byte by byte.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"

plan 29

# sh;main;fast: 10 samples of 1,000 cycles in all, 2,000 instructions; sh;main;slow: 10, 1,000, 500;
# sh;main: 1, 500, none. And if there is one more: sh;main;rare: 1, 10, 1,000.
# pprof_of [MORE]
pprof_of() {
	perl -e '
	sub varint { my $n = shift; my $b = ""; while ($n > 127) { $b .= chr($n & 127 | 128); $n >>= 7 } $b . chr $n }
	sub field { my ($nr, $v) = @_; ref $v ? varint($nr << 3 | 2) . varint(length $$v) . $$v : varint($nr << 3) . varint($v) }
	sub packed { my $nr = shift; field($nr, \join "", map { varint($_) } @_) }
	sub message { my $b = join "", @_; \$b }
	my @strings = ("", "cycles_sample", "count", "cycles_event", "instructions_event", "comm", "sh", "main", "fast", "slow", "rare");
	print map { field(1, message(field(1, $_), field(2, 2))) } 1, 3, 4;
	my $sample = sub { my ($at, @values) = @_;
		field(2, message(packed(1, @$at), packed(2, @values), field(3, message(field(1, 5), field(2, 6))))) };
	print $sample->([2, 1], 10, 1000, 2000), $sample->([3, 1], 10, 1000, 500), $sample->([1], 1, 500, 0);
	print $sample->([4, 1], 1, 10, 1000) if @ARGV;
	print map { field(4, message(field(1, $_), field(4, message(field(1, $_))))),
		field(5, message(field(1, $_), field(2, 6 + $_))) } 1 .. 4;
	print map { my $s = $_; field(6, \$s) } @strings' -- "$@"
}

pprof_of >"$T/a.pb"

check 0 "a page of a ratio" "$PMUTRACE" report -q --color ipc "$T/a.pb" -o "$T/a.html" -o "$T/a.svg"
ok "is as its header has it" perl "$TOP/tests/html.pl" "$T/a.html"
ok "as wide as the samples" equal "$(perl "$TOP/tests/html.pl" "$T/a.html" | tr '\n' ' ')" "sh;main 1 sh;main;fast 10 sh;main;slow 10 "
check 2 "not of events that were not counted" "$PMUTRACE" report -q --color mpki "$T/a.pb" -o "$T/no.html"
check 2 "nor beside another event" "$PMUTRACE" report -q --color ipc --event instructions "$T/a.pb" -o "$T/no.html"
ok "nothing is left of either" [ ! -e "$T/no.html" ]
sed -n 's/^const \(DARK_\)*RATIOS = //p' "$TOP/src/print/flame/html_canvas.js" | grep -o '#[0-9a-f]*' >"$T/page"
grep '^\.r0' "$TOP/src/print/flame/style.css" | grep -o '#[0-9a-f]*' >"$T/graph"
ok "its colours are those of the graph" diff "$T/page" "$T/graph"

has_browser || {
	skip 22 no-chromium: pages are looked at in it
	exit 0
}

ask_page "$T/a.html" <<-'END'
	/* The colour of the box that is marked, right of its name. */
	const colour = () => {
		const mark = one('.mark'), at = (of) => parseFloat(mark.style[of]);
		const pixel = one('canvas').getContext('2d').getImageData(at('left') + at('width') - 6, at('top') + 8, 1, 1).data;
		return '#' + Array.from(pixel).slice(0, 3).map((c) => c.toString(16).padStart(2, '0')).join('');
	};
	const legend = () => one('.legend').textContent;
	const ratios = () => all('.list tbody tr').map((tr) => tr.querySelector('.link').title + ' ' +
		tr.children[2].textContent).join(', ');
	say('scale: ' + legend());
	key('ArrowUp'); key('ArrowUp');
	say('all of it: ' + told() + ' ' + colour());
	key('ArrowUp');
	say('one: ' + told() + ' ' + colour());
	key('ArrowRight');
	say('other: ' + told() + ' ' + colour());
	tab('callers');
	key('ArrowDown');
	say('from the inside: ' + told() + ' ' + colour());
	key('ArrowDown');
	say('one caller of it: ' + told() + ' ' + colour());
	key('ArrowUp'); key('ArrowRight'); key('ArrowRight');
	say('without what it calls: ' + told() + ' ' + colour());
	tab('table');
	say('head: ' + all('.list thead th').map((th) => th.textContent).join(' '));
	say('ratios: ' + ratios());
	one('[data-by=ratio]').click();
	say('highest first: ' + ratios());
	one('[data-by=ratio]').click();
	say('lowest first: ' + ratios());
	tab('flame');
	key('r');
	key('ArrowUp'); key('ArrowUp'); key('ArrowUp');
	say('kinds: ' + legend() + ', ' + (colour() !== '#528ed9') + ', ' + told());
	key('r');
	say('again: ' + legend());

	const counted = one('select[aria-label=Counted]');
	say('choice: ' + Array.from(counted.options).map((o) => o.textContent).join(', '));
	key('w');
	say('weighed: ' + counted.value);
	key('ArrowUp'); key('ArrowUp');
	say('cycles: ' + told());
	tab('table');
	say('table: ' + one('caption').textContent + ' ' + table());
	counted.value = 'samples';
	counted.dispatchEvent(new Event('change'));
	say('samples: ' + one('caption').textContent);
	say('events: ' + all('#event option').length);
END
said "from what most have least to what they have most" "scale: IPC 0.5  2"
said "a function has the ratio of the sums of what it calls" "all of it: main · 21 samples, 100.0 % · self 4.8 % · IPC 1 #9de1b4"
said "a fast one" "one: fast · 10 samples, 47.6 % · self 47.6 % · IPC 2 #528ed9"
said "a slow one" "other: slow · 10 samples, 47.6 % · self 47.6 % · IPC 0.5 #f9f5bb"
said "callers: of the function as a whole" "from the inside: fast · 10 samples, 47.6 % · IPC 2 #528ed9"
said "and of what it called" "one caller of it: main · 10 samples, 47.6 % · IPC 2 #528ed9"
said "of a function's own samples only those" "without what it calls: main · 1 sample, 4.8 % · IPC 0 #f9f5bb"
said "the table has a column for it" "head: Self ▼ Total IPC Function"
said "of totals" "ratios: fast 2, slow 0.5, main 1"
said "by which it is sorted" "highest first: fast 2, main 1, slow 0.5"
said "either way" "lowest first: slow 0.5, main 1, fast 2"
said "a key shows kinds of frames" "kinds: commanduser, true, fast · 10 samples, 47.6 % · self 47.6 % · IPC 2"
said "and the ratio again" "again: IPC 0.5  2"
said "what samples stand for can be counted" "choice: samples, cycles counted"
said "by a key" "weighed: weight"
said "then it is what is told" "cycles: main · 2,500 cycles, 100.0 % · self 20.0 % · IPC 1"
said "in the table, too" "table: 3 functions of 2,500 cycles slow 1,000 1,000, main 500 2,500, fast 1,000 1,000"
said "and back" "samples: 3 functions of 21 samples"
said "what was only counted is no event to be chosen" "events: 0"

pprof_of more >"$T/b.pb"
"$PMUTRACE" report -q --color ipc "$T/b.pb" -o "$T/b.html"
ask_page "$T/b.html" <<-'END'
	say('scale: ' + one('.legend').textContent);
END
said "one sample in 22 does not make the scale" "scale: IPC 0.5  2"

cat >"$T/w.txt" <<-'END'
	sh    12 100.5: 2500000 cpu-clock:
	          401000 work+0x0 (/bin/sh)
	sh    12 100.6: 1500000 cpu-clock:
	          402000 main+0x0 (/bin/sh)
END
"$PMUTRACE" report -q "$T/w.txt" -o "$T/w.html"
ask_page "$T/w.html" <<-'END'
	say('colour: ' + all('.tools label').length + ' ' + one('.legend').textContent);
	key('w');
	tab('table');
	say('weighed: ' + table());
END
said "without a ratio there is none to be switched" "colour: 1 commanduser"
said "a clock's periods are time" "weighed: work 2.50 ms 2.50 ms, main 1.50 ms 1.50 ms"
