#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A page with windows: what it has of each is what the capture has; the map of time in Chromium shows
# one range, and two against each other. Two programs run one after the other: a range of the first
# half has the first one alone.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"
need_bpf

plan 25

page() {
	perl "$TOP/tests/html.pl" "$@"
}

check 0 "windows of 50 ms, two events, all keys" "$PMUTRACE" profile -e cpu-clock,faults -F 997 --windows 50ms \
	--by comm,pid,tid,cgroup -o "$T/w.html" -o "$T/w.pmut" -o "$T/w.json" -- \
	sh -c "$PROG/syscalls -s 0.6; $PROG/after_exec 0.6"
"$PMUTRACE" report -q -f folded "$T/w.pmut" | sort >"$T/want"
ok "the page has the stacks of the run" sh -c 'perl "$1" "$2" | sort | cmp - "$3"' sh \
	"$TOP/tests/html.pl" "$T/w.html" "$T/want"
"$PMUTRACE" report -q -f folded --event faults "$T/w.pmut" | sort >"$T/want"
ok "of the other event, too" sh -c 'perl "$1" "$2" 1 | sort | cmp - "$3"' sh \
	"$TOP/tests/html.pl" "$T/w.html" "$T/want"
perl "$TOP/tests/pmut.pl" windows "$T/w.pmut" >"$T/windows"
# bound N FIELD - in seconds: where the Nth window begins (1) or ends (2)
bound() {
	awk -v n="$1" -v field="$2" 'NR == n + 1 { printf "%.9f", $field / 1e9 }' "$T/windows"
}
"$PMUTRACE" report -q -f folded --from "$(bound 2 1)s" --to "$(bound 5 2)s" "$T/w.pmut" | sort >"$T/want"
ok "windows have what report has of their time" sh -c 'perl "$1" "$2" 0 2 6 | sort | cmp - "$3"' sh \
	"$TOP/tests/html.pl" "$T/w.html" "$T/want"
check 0 "a page alone has windows, too" "$PMUTRACE" profile -e cpu-clock -F 997 --windows 50ms -o "$T/alone.html" -- \
	"$PROG/burn" -s 0.3
ok "which add up" page "$T/alone.html" 0 0 2
check 2 "windows for a table" "$PMUTRACE" profile --windows 50ms -- true
says err "are refused" '--windows is of pmut, html, chrome and firefox: add -o FILE.pmut'

has_browser || {
	skip 17 no-chromium: pages are looked at in it
	exit 0
}

kept=$(json "$T/w.json" 'sum0 map { $_->{values}{"cpu-clock"} // 0 } @{$d->{rows}}')
page "$T/w.html" 0 2 6 >"$T/first"
page "$T/w.html" 0 16 20 >"$T/second"
{
	echo "const bounds = [$(bound 2 1), $(bound 5 2), $(bound 16 1), $(bound 19 2)];"
	cat <<-'END'
	tab('time');
	const heat = one('.heat'), n = (text) => +text.replace(/\D/g, '');
	const caption = () => { tab('table'); const c = one('caption').textContent; tab('time'); return c; };
	say('whole: ' + n(caption().split(' of ')[1]));
	const range = (from, to, second) => {
		const fields = all('form input');
		fields[0].value = from;
		fields[1].value = to;
		fields[2].checked = second;
		one('form').requestSubmit();
	};
	range(bounds[0], bounds[1], false);
	say('first: ' + n(caption().split(' of ')[1]));
	tab('icicle');
	key('ArrowDown');
	say('command: ' + told().split(' ')[0]);
	tab('time');
	range(bounds[2], bounds[3], true);
	say('chips: ' + all('.chips button').map((b) => b.textContent.replace(/\(.*/, '')).join('| '));
	say('second: ' + n(all('.chips button')[1].textContent.match(/\((\d[\d,]*)/)[1]));
	tab('table');
	say('columns: ' + all('.list th').length);
	say('both: ' + one('caption').textContent.replace(/.* of | samples?/g, '').replace(/,/g, ''));
	one('[data-by=change]').click();
	const row = all('.list tbody tr')[0];
	say('gone: ' + /^[+−]\d/.test(row.querySelectorAll('.number')[3].textContent));
	tab('time');
	one('.heat').focus();
	one('.chips button').click();
	say('back: ' + n(caption().split(' of ')[1]));
	/* The first two windows, by keys; then a drag over the third and fourth. */
	key(' ', '.heat'); key('ArrowDown', '.heat'); key(' ', '.heat');
	say('by keys: ' + one('.chips button').textContent.replace(/\.\d* s to| \(.*/g, ''));
	const box = heat.getBoundingClientRect(), line = (box.height - 18) / 20;
	heat.setPointerCapture = () => {};
	const pointer = (type, at, shiftKey) => heat.dispatchEvent(new PointerEvent(type, { pointerId: 1, shiftKey,
		clientX: box.left + 46 + 3, clientY: heat.getBoundingClientRect().top + (at + 0.5) * line }));
	pointer('pointerdown', 2); pointer('pointermove', 5); pointer('pointerup', 5);
	say('dragged: ' + one('.chips button').textContent);
	pointer('pointerdown', 2, true); pointer('pointermove', 5, true); pointer('pointerup', 5, true);
	say('the same: ' + all('.chips button').length);
	one('#event').value = 1;
	one('#event').dispatchEvent(new Event('change'));
	say('event: ' + one('.chips').textContent.split(' ')[0]);
	/* There may be no fault at all in so few windows; the clock has samples in each. */
	one('#event').value = 0;
	one('#event').dispatchEvent(new Event('change'));
	key('h');
	say('lists: ' + all('dialog legend').map((l) => l.textContent).join(', '));
	one('dialog[open]').close();
	all('.chips button')[0].click();
	const total = n(caption().split(' of ')[1]);
	key('h');
	const thread = all('dialog fieldset')[1].querySelector('label');
	const its = n(thread.querySelector('small').textContent);
	thread.click();
	one('dialog[open]').close();
	say('hidden: ' + (total - n(caption().split(' of ')[1]) === its && its > 0) + ' ' + all('.chips button').length);
	key('h');
	all('dialog fieldset')[2].querySelector('label').click();
	one('dialog[open]').close();
	say('all hidden: ' + caption().split(' of ')[1]);
	END
} | ask_page "$T/w.html"
# dragged - windows from the first to behind the last one of the drag, and the samples that are told
dragged() {
	sed -n 's/^dragged: \(.*\) s to \(.*\) s (\([0-9,]*\) samples.*/\1 \2 \3/p' "$T/said" | awk '
		FNR == NR { from = $1; to = $2; told = $3; next }
		sprintf("%.3f", $1 / 1e9) + 0 == from { first = FNR - 1 }
		sprintf("%.3f", $2 / 1e9) + 0 == to { last = FNR }
		END { print first, last, told }' - "$T/windows"
}
said "the whole run at first" "whole: $kept"
said "a range is what its windows have" "first: $(folded_sum "$T/first")"
said "of the first program" "command: syscalls"
ok "two ranges" grep -q -E '^chips: First: 0\.1[0-9]* s to 0\.[23][0-9]* s \| Second: 0\.[78][0-9]* s to ' "$T/said"
said "each with its samples" "second: $(folded_sum "$T/second")"
said "the table has both and the change" "columns: 5"
said "of both" "both: $(folded_sum "$T/first") and $(folded_sum "$T/second")"
said "most change first" "gone: true"
said "and back to the whole" "back: $kept"
ok "a range by keys" grep -q -E '^by keys: 0' "$T/said"
dragged >"$T/drag"
read -r first last samples <"$T/drag"
ok "a drag is of some windows" between 3 $((last - first)) 5
page "$T/w.html" 0 "$first" "$last" >"$T/stacks"
ok "and has their samples" equal "$samples" "$(folded_sum "$T/stacks")"
said "a second one with Shift" "the same: 2"
said "the other event" "event: faults"
said "a thread that is hidden is in no sum" "hidden: true 1"
ok "nor is a cgroup" grep -q -x 'all hidden: [0-9,]* samples\?' "$T/said"
said "commands, threads and cgroups can be hidden" "lists: Commands, Threads (process/thread), Cgroups"
