/* SPDX-License-Identifier: BSD-2-Clause */
/* flame/page.js - zoom, keys, the address, the bar; and the start of it all. */

/* State lives in the address: it can be sent to others, and Back zooms out. */

function address() {
	const parts = [];

	if (zoomed)
		parts.push('zoom=' + zoomed);
	if (term)
		parts.push('search=' + encodeURIComponent(term));
	if (deep)
		parts.push('deep=1');
	if (side < 2)
		parts.push('side=' + 'AB'[side]);
	return '#' + parts.join('&');
}

function fromAddress() {
	const parts = {};

	for (const part of location.hash.slice(1).split('&')) {
		const at = part.indexOf('=');

		try {
			parts[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
		} catch (e) {
			/* Not one of ours. */
		}
	}
	zoomed = nodes > +parts.zoom ? Math.floor(+parts.zoom) : 0;
	deep = parts.deep === '1';
	if (data.sides)
		showSide(parts.side === 'A' ? 0 : parts.side === 'B' ? 1 : 2);
	search(parts.search || '');
	draw();
}

function isDrawn(i) {
	return tree.depth[i] >= base && tree.depth[i] < reach;
}

/* Scrolls the row of @i into the window. */
function reveal(i) {
	const y = top(tree.depth[i]), room = windowHeight() - barHeight - 2 * ROW;

	if (!alone)
		return;
	if (y < window.scrollY + ROW)
		window.scrollTo(window.scrollX, y - ROW);
	else if (y > window.scrollY + room)
		window.scrollTo(window.scrollX, y - room);
}

/* Draws again, but rows that appear must not move the one of @i. */
function drawAround(i) {
	const was = isDrawn(i), before = top(tree.depth[i]);

	draw();
	if (was)
		window.scrollBy(0, top(tree.depth[i]) - before);
	else
		reveal(i);
}

function zoom(i) {
	if (i === zoomed)
		return;
	zoomed = i;
	drawAround(i);
	if (alone && location.hash !== address())
		location.hash = address();
}

function showDeep(all) {
	deep = all;
	levels = 0;
	drawAround(zoomed);
	if (alone)
		location.replace(address());
}

/* Frames of the other side alone go, and what is zoomed to with them. */
function showSide(which) {
	side = which;
	weigh(tree, side);
	if (!tree.total[zoomed])
		zoomed = 0;
	sideButton.textContent = ['A alone', 'B alone', 'Both sides'][side];
}

function nextSide() {
	showSide((side + 1) % 3);
	draw();
	if (alone)
		location.replace(address());
}

function searchFor(text) {
	search(text);
	draw();
	if (alone)
		location.replace(address());
}

function step(key) {
	const up = data.icicle ? 'ArrowDown' : 'ArrowUp', i = hovered < 0 ? zoomed : hovered;
	const row = rows[tree.depth[i]], below = rows[tree.depth[i] + 1] || [];
	const at = row.indexOf(i);

	if (hovered < 0)
		return i;
	if (key === 'ArrowLeft')
		return row[Math.max(0, at - 1)];
	if (key === 'ArrowRight')
		return row[Math.min(row.length - 1, at + 1)];
	if (key !== up)
		return tree.parent[i];
	/* The widest of the children. */
	return below.reduce((best, n) => tree.parent[n] === i &&
		(best === i || tree.total[n] > tree.total[best]) ? n : best, i);
}

/* By key one gets everywhere: to rows that are not drawn yet, and outside of the window. */
function walk(key) {
	const i = step(key);

	if (!isDrawn(i))
		showDeep(true);
	point(i);
	reveal(i);
}

/* In a page of its own keys need no focus first; in another's they are that page's. */
function isForGraph(event) {
	return event.target === graph ||
		alone && (event.target === document.body || event.target === svg);
}

function onKey(event) {
	const inField = event.target === field;

	if ((event.ctrlKey || event.metaKey) && event.key === 'f' || event.key === '/' && !inField) {
		field.focus();
		field.select();
	} else if (event.key === 'Escape') {
		if (inField || !zoomed)
			searchFor('');
		else
			zoom(0);
		field.blur();
	} else if (inField || event.ctrlKey || event.metaKey || event.altKey) {
		return;
	} else if (/^Arrow/.test(event.key) && isForGraph(event)) {
		if (event.target !== graph)
			graph.focus({ preventScroll: true });
		walk(event.key);
	} else if (event.key === 'Enter' && isForGraph(event) && hovered >= 0) {
		const i = hovered;

		zoom(i);
		point(i);
	} else {
		return;
	}
	event.preventDefault();
}

/* The page. */

graph.innerHTML = '';
graph.setAttribute('tabindex', '0');
graph.setAttribute('role', 'application');	/* arrow keys are not for reading it out */
graph.setAttribute('aria-label', 'Flame graph: arrow keys walk, Enter zooms in, Escape out');
const boxes = make(SVG, 'g', {}, graph);
const hover = make(SVG, 'rect', { class: 'hover', height: BOX - 1, visibility: 'hidden' }, graph);
const tip = make(SVG, 'title', {}, hover);
const legend = svg.querySelector('.legend');
const cutNote = svg.querySelector('.cut') || make(SVG, 'text', { class: 'cut', y: 45,
	'text-anchor': 'end' }, svg.querySelector('.head'));
const bar = make(SVG, 'foreignObject', { class: 'bar', x: 0 }, svg);
const line = make(XHTML, 'div', { class: 'line' }, bar);
const info = make(XHTML, 'div', { class: 'info', 'aria-live': 'polite' }, line);
const who = make(XHTML, 'b', {}, info);
const what = make(XHTML, 'span', {}, info);
const share = make(XHTML, 'span', { class: 'share', 'aria-live': 'polite' }, line);
const reset = make(XHTML, 'button', { type: 'button' }, line);
const sideButton = make(XHTML, 'button', { type: 'button', title: 'Show both sides, A alone, B alone' }, line);
const deeper = make(XHTML, 'button', { type: 'button' }, line);
const field = make(XHTML, 'input', { type: 'search', 'aria-label': 'Search', spellcheck: 'false',
	placeholder: 'Search: text or regex (Ctrl-F)' }, line);

reset.textContent = 'Reset zoom';
graph.addEventListener('mousemove', (event) => point(nodeAt(event)));
graph.addEventListener('mouseleave', () => touch || point(-1));
graph.addEventListener('click', (event) => {
	const i = nodeAt(event);

	if (i < 0)
		return;
	zoom(i);
	if (touch)	/* no pointer stays there to tell of it */
		point(i);
});
field.addEventListener('input', () => searchFor(field.value));
reset.addEventListener('click', () => zoom(0));
sideButton.addEventListener('click', nextSide);
sideButton.style.display = data.sides ? '' : 'none';
sideButton.textContent = 'Both sides';
deeper.addEventListener('click', () => showDeep(!deep));
window.addEventListener('keydown', onKey);
window.addEventListener('resize', draw);
window.addEventListener('scroll', onScroll);
window.addEventListener('beforeprint', () => drawRows(true));
window.addEventListener('hashchange', () => {
	if (location.hash.slice(1) !== address().slice(1))
		fromAddress();
});

(function measure() {
	const probe = make(SVG, 'text', {}, boxes);

	shape();

	probe.textContent = 'm'.repeat(100);
	cell = probe.getComputedTextLength() / 100 || cell;
})();
if (alone)
	fromAddress();
else
	draw();
/* The root is what one reads first. */
if (alone && !data.icicle)
	window.scrollTo(0, +svg.getAttribute('height'));
