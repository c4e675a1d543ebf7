/* SPDX-License-Identifier: BSD-2-Clause */
/* flame/point.js - what is under the pointer, or chosen by key, and what is said of it. */

function nodeAt(event) {
	const area = svg.getBoundingClientRect(), ratio = width / area.width;
	const x = (event.clientX - area.left) * ratio, y = (event.clientY - area.top) * ratio;
	const row = Math.floor((y - head) / ROW);
	const depth = base + (data.icicle ? row : levels - 1 - row);
	const line = depth >= base && depth < reach ? rows[depth] : null;
	let low = 0, high = line ? line.length - 1 : -1;

	while (low < high) {
		const middle = (low + high + 1) >> 1;

		if (left(line[middle]) <= x)
			low = middle;
		else
			high = middle - 1;
	}
	if (high < 0 || x < left(line[low]) || x > left(line[low]) + extent(line[low]))
		return -1;
	return line[low];
}

function grouped(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

function percent(part, whole) {
	return (whole ? part * 100 / whole : 0).toFixed(2) + '%';
}

/* With two decimals, or none from 100 on. */
function amountText(n, sign) {
	const times = Math.abs(n) < 100 ? 100 : 1, rounded = Math.round(Math.abs(n) * times) / times;

	return (n < 0 && rounded ? '-' : sign) + rounded.toFixed(times > 1 ? 2 : 0) + data.sides.unit;
}

/* "A 29.18%, B 40.33%: +11.15%", and whether that is more than chance. */
function describeSides(i) {
	const times = data.sides.unit === '%' ? 100 : 1;
	const a = times * amount(i, 0), b = times * amount(i, 1);

	return 'A ' + amountText(a, '') + ', B ' + amountText(b, '') + ': ' + amountText(b - a, '+') +
		(i && !isSure(i) ? ', cannot tell' : '');
}

function describe(i) {
	const module = data.modules[data.module[tree.frame[i]]];
	const name = data.names[tree.frame[i]] + (module ? ' [' + module + ']' : '');

	if (data.sides)
		return [name, describeSides(i)];
	let numbers = grouped(tree.total[i]) + ' ' + data.noun + 's, ' +
		percent(tree.total[i], tree.total[0]) + ' of all';

	if (i)
		numbers += ', ' + percent(tree.total[i], tree.total[tree.parent[i]]) + ' of parent';
	if (zoomed && i > zoomed)
		numbers += ', ' + percent(tree.total[i], tree.total[zoomed]) + ' of view';
	if (tree.self[i])
		numbers += ', ' + percent(tree.self[i], tree.total[0]) + ' self';
	if (data.ratio)
		numbers += ', ' + data.ratio.name + ' ' + (isNaN(tree.ratio[i]) ? '-' : tree.ratio[i]);
	return [name, numbers];
}

function point(i) {
	if (i === hovered)
		return;
	hovered = i;
	hover.setAttribute('visibility', i < 0 ? 'hidden' : 'visible');
	who.textContent = '';
	what.textContent = i < 0 ? hint() : '';
	if (i < 0)
		return;
	const text = describe(i);

	hover.setAttribute('x', left(i));
	hover.setAttribute('y', top(tree.depth[i]) + 0.5);
	hover.setAttribute('width', Math.max(1, extent(i) - 0.5));
	tip.textContent = text.join('\n');
	who.textContent = text[0];
	what.textContent = text[1];
}

function hint() {
	return zoomed ? 'Zoomed to ' + data.names[tree.frame[zoomed]] + ': ' +
			percent(tree.total[zoomed], tree.total[0]) + ' of all'
		      : touch ? 'Tap a box to zoom in' : 'Click a box to zoom in, Escape to zoom out';
}
