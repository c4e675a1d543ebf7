/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_time.js - a heat map of the windows, in which ranges are chosen.
 *
 * Windows shorter than a second are a column for each second, its phases from top to bottom; longer
 * ones are one row. A drag goes from window to window in the order of time.
 */

const SECOND = 1e9, GUTTER = 46, WIDEST = 28000;

const time = {
	sums: null, event: -1,	/* samples by window */
	second: false,		/* a drag is of the second range */
	from: -1, to: -1,	/* while it goes on; and where the keys are: to */
	cell: 0, high: 0, columns: 0, lines: 1, step: 0,
};
const heat = element('canvas', {
	tabIndex: 0, role: 'application', className: 'heat',
	'aria-label': 'Samples over time: arrow keys move, Space begins and ends a range',
});

function windowSums() {
	const all = new Float64Array(windows.nr);

	for (let i = 0; i < windows.nr; i++)
		for (let k = windows.first[i]; k < windows.first[i + 1]; k++)
			if (isCounted(windows.row[k], chosen.event))
				all[i] += windows[measure()][k];
	return all;
}

/* The usual length of a window; the last one may be shorter. */
function usualLength() {
	const lengths = Array.from(windows.end, (end, i) => end - windows.begin[i]).sort((p, q) => p - q);

	return lengths[lengths.length >> 1];
}

function measureHeat() {
	const length = usualLength();
	const span = windows.end[windows.nr - 1] - windows.begin[0];

	time.step = length;
	time.lines = length < SECOND ? Math.min(200, Math.max(1, Math.round(SECOND / length))) : 1;
	time.columns = time.lines > 1 ? Math.ceil(span / SECOND) : windows.nr;
	/* As wide as the page has room for; a canvas has its limits. */
	time.cell = Math.min(40, Math.max(4, Math.floor((panel.clientWidth - GUTTER) / time.columns)),
		WIDEST / time.columns);
	time.high = time.lines > 1 ? Math.max(3, Math.min(18, Math.floor(220 / time.lines))) : 40;
}

/*
 * Where a window is: { column, from, to } in px of height. One that goes on in the next second is
 * in two columns: windows end when they end, not where a cell does.
 */
function partsOf(i) {
	const high = time.lines * time.high, parts = [];
	let at = windows.begin[i] - windows.begin[0];
	const end = windows.end[i] - windows.begin[0];

	if (time.lines === 1)
		return [{ column: i, from: 0, to: high }];
	while (at < end) {
		const column = Math.floor(at / SECOND), until = Math.min(end, (column + 1) * SECOND);

		parts.push({
			column, from: (at / SECOND - column) * high, to: (until / SECOND - column) * high,
		});
		at = until;
	}
	return parts;
}

function windowAt(e) {
	const box = heat.getBoundingClientRect(), high = time.lines * time.high;
	const column = Math.max(0, Math.floor((e.clientX - box.left - GUTTER) / time.cell));
	const down = Math.max(0, Math.min(0.9999, (e.clientY - box.top) / high));

	if (time.lines === 1)
		return Math.min(windows.nr - 1, column);
	return windowOf((column + down) * SECOND + windows.begin[0]);
}

/* The window of a moment. */
function windowOf(ns) {
	let low = 0, high = windows.nr - 1;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (windows.end[middle] > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* By the time it took: the last window is short, and one that ended late is long. */
function rateOf(i) {
	return time.sums[i] / (windows.end[i] - windows.begin[i] || 1);
}

function heatColour(share) {
	return isDark() ? mix('#2b2c30', '#ffb678', share) : mix('#f4f1ec', '#a8480c', share);
}

function inRange(i, range) {
	return range && i >= range[0] && i < range[1];
}

function drawHeat() {
	const most = time.sums.reduce((p, _, i) => Math.max(p, rateOf(i)), 1e-9);
	const drag = time.from < 0 ? null : dragRange();
	const ctx = fit(heat, GUTTER + time.columns * time.cell + 2, time.lines * time.high + 18);

	ctx.font = '11px system-ui, sans-serif';
	ctx.fillStyle = isDark() ? '#b6b6ba' : '#5c5c5c';
	if (time.lines > 1)
		for (const line of [0, time.lines >> 1])
			ctx.fillText('+' + seconds(line * SECOND / time.lines), 0, line * time.high + 10);
	for (let c = 0, gap = Math.ceil(48 / time.cell); c < time.columns; c += gap)
		ctx.fillText(time.lines > 1 ? c + ' s' : seconds(windows.begin[c]), GUTTER + c * time.cell,
			time.lines * time.high + 13);
	for (let i = 0; i < windows.nr; i++)
		for (const part of partsOf(i))
			drawPart(ctx, i, part, heatColour(rateOf(i) / most), drag);
}

function drawPart(ctx, i, { column, from, to }, colour, drag) {
	const x = GUTTER + column * time.cell, w = time.cell - Math.min(1, time.cell / 4);
	const second = inRange(i, chosen.ranges[1]) || time.second && inRange(i, drag);
	const isAt = i === time.to && time.from < 0 && document.activeElement === heat;

	ctx.fillStyle = colour;
	ctx.fillRect(x, from, w, Math.max(0.5, to - from - 1));
	if (!second && !isAt && !inRange(i, chosen.ranges[0]) && !inRange(i, drag))
		return;
	/* A bar on each side, joined from window to window: what is between stays to be seen. */
	ctx.fillStyle = second ? '#d6336c' : isDark() ? '#8ab4f8' : '#0b57d0';
	ctx.fillRect(x, from, 3, to - from);
	ctx.fillRect(x + w - 3, from, 3, to - from);
	if (isAt)
		ctx.fillRect(x, from, w, 2);
}

function dragRange() {
	return [Math.min(time.from, time.to), Math.max(time.from, time.to) + 1];
}

function tellWindow(i) {
	tell(rangeText(time.from < 0 ? [i, i + 1] : dragRange()) + ' · ' + counted(time.sums[i]) +
		' in this window' + lostIn([i, i + 1]));
}

function chooseRange(range, second) {
	if (second && chosen.ranges.length)
		chosen.ranges = [chosen.ranges[0], range];
	else
		chosen.ranges = [range];
	time.from = -1;
	secondBox.checked = false;
	recount();
}

heat.addEventListener('pointerdown', (e) => {
	heat.setPointerCapture(e.pointerId);
	time.second = (e.shiftKey || secondBox.checked) && chosen.ranges.length > 0;
	time.from = time.to = windowAt(e);
	drawHeat();
});
heat.addEventListener('pointermove', (e) => {
	const at = windowAt(e);

	if (time.from >= 0) {
		time.to = at;
		drawHeat();
	}
	tellWindow(at);
});
heat.addEventListener('pointerup', () => {
	if (time.from >= 0)
		chooseRange(dragRange(), time.second);
});
heat.addEventListener('pointercancel', () => { time.from = -1; drawHeat(); });

function heatKey(e) {
	const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -time.lines, ArrowRight: time.lines }[e.key];

	if (step) {
		time.to = Math.max(0, Math.min(windows.nr - 1, Math.max(0, time.to) + step));
		tellWindow(time.to);
	} else if (e.key === ' ' || e.key === 'Enter') {
		if (time.from < 0) {
			time.second = (e.shiftKey || secondBox.checked) && chosen.ranges.length > 0;
			time.from = time.to = Math.max(0, time.to);
		} else {
			chooseRange(dragRange(), time.second);
			heat.focus();
			return true;
		}
	} else if (e.key === 'Escape' && time.from >= 0) {
		time.from = -1;
	} else {
		return false;
	}
	drawHeat();
	return true;
}
heat.addEventListener('focus', () => drawHeat());

const secondBox = element('input', { type: 'checkbox' });

/* The same by numbers. */
function rangeForm() {
	const bounds = ['from', 'to'].map((name) => element('input', {
		type: 'number', min: 0, step: 'any', required: true, 'aria-label': name + ', seconds',
	}));

	if (chosen.ranges.length) {
		const [from, to] = chosen.ranges[chosen.ranges.length - 1];

		bounds[0].value = (windows.begin[from] / SECOND).toFixed(3);
		bounds[1].value = (windows.end[to - 1] / SECOND).toFixed(3);
	}
	return element('form', {
		className: 'tools', onsubmit: (e) => {
			const [from, to] = bounds.map((b) => b.value * SECOND);

			e.preventDefault();
			/* Rounded bounds mean the windows that they are nearest to. */
			const first = windowOf(from + time.step / 4);

			chooseRange([first, Math.max(first, windowOf(to - time.step / 4)) + 1], secondBox.checked);
		},
	}, element('label', {}, 'From ', bounds[0]), element('label', {}, 'to ', bounds[1], ' s'),
	element('label', { title: 'Drags are of the second range, as with Shift' }, secondBox,
		'Second range, to compare'), element('button', {}, 'Show'));
}

function showTime() {
	if (!windows || windows.nr < 2) {
		panel.append(element('p', { className: 'hint' }, 'This profile has no times: it is one sum of ' +
			'the whole run. With windows it has: pmutrace profile --windows 100ms -o x.html'));
		return;
	}
	measureHeat();
	time.sums = windowSums();
	panel.append(element('div', { className: 'scroll' }, heat), rangeForm(),
		element('p', { className: 'hint' }, chosen.ranges.length > 1 ?
			'Below: the second range against the first.' : chosen.ranges.length ?
				'Below: this range. Drag with Shift for a second one, to compare them.' :
				'Drag over the map to see a range. Each cell is ' + seconds(time.step) + '.'));
	drawHeat();
	showGraph('time');
}

