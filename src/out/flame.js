/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flame graph's behaviour: zoom, search, hover, keys. Without it the file still
 * shows the whole graph; with it the boxes are drawn again from the embedded tree, so a
 * zoom shows what was too narrow before. Adds up and draws in linear time; the drawing
 * is one path for each row and colour, not an element for each box.
 */
(function () {
'use strict';

const PAD = 10, TOP = 78, ROW = 16, BOX = 15, BASELINE = 11;	/* as in drawing.h */
const MARGIN = 3, COLUMNS_MIN = 3, NARROWEST = 0.1, BAR = 38, WIDTH_MIN = 560;
const SVG = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';

const script = document.currentScript;
const svg = script && script.ownerSVGElement || document.documentElement;
const alone = svg === document.documentElement;
const data = JSON.parse(svg.querySelector('.data').textContent);
const graph = svg.querySelector('.graph');

/* The tree in preorder, as in model/tree.h; `start` is the left edge, in samples. */
const tree = parse(data.tree);
const nodes = tree.frame.length;

let zoomed = 0;		/* the node that has the full width */
let hovered = -1;	/* under the pointer or chosen by key */
let term = '';		/* searched for */
let matches = null;	/* by name index, or null */
let width = 0, levels = 0, scale = 1, cell = 6.62;
let rows = [];		/* rows[depth]: visible nodes, from left to right */
let drawn = [];		/* drawn[depth]: this row has its elements */

function parse(text) {
	const t = { frame: [], self: [], depth: [], parent: [], end: [], total: [], start: [] };
	const path = [];
	let n = -1, depth = 0, at = 0;

	function number() {
		let value = 0, c;

		while ((c = text.charCodeAt(at)) >= 48 && c < 58) {
			value = value * 10 + c - 48;
			at++;
		}
		return value;
	}
	while (at < text.length) {
		switch (text[at]) {
		case '(':
			path.push(n);
			depth++;
			at++;
			break;
		case ')':
			path.pop();
			depth--;
			at++;
			break;
		case ',':
			at++;
			break;
		case ':':
			at++;
			t.self[n] = number();
			break;
		default:
			n++;
			t.frame.push(number());
			t.self.push(0);
			t.depth.push(depth);
			t.parent.push(depth ? path[depth - 1] : 0);
		}
	}
	sum(t, n + 1);
	return t;
}

function sum(t, nr) {
	const free = [0];

	for (let i = 0; i < nr; i++) {
		t.total.push(t.self[i]);
		t.end.push(i + 1);
	}
	for (let i = nr - 1; i > 0; i--) {
		const up = t.parent[i];

		t.total[up] += t.total[i];
		if (t.end[i] > t.end[up])
			t.end[up] = t.end[i];
	}
	for (let i = 0; i < nr; i++) {
		const d = t.depth[i];

		t.start.push(free[d]);
		free[d + 1] = free[d];
		free[d] += t.total[i];
	}
}

/* Elements. */

function make(ns, name, attributes, parent) {
	const e = document.createElementNS(ns, name);

	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (parent)
		parent.appendChild(e);
	return e;
}

function escape(s) {
	return s.replace(/[&<>]/g, (c) => '&#' + c.charCodeAt(0) + ';');
}

function isAbove(i) {
	return i < zoomed && zoomed < tree.end[i];
}

function left(i) {
	return isAbove(i) ? PAD : PAD + (tree.start[i] - tree.start[zoomed]) * scale;
}

function extent(i) {
	return isAbove(i) ? width - 2 * PAD : tree.total[i] * scale;
}

function top(depth) {
	return TOP + (data.icicle ? depth : levels - 1 - depth) * ROW;
}

/* Fills rows: the zoomed node's ancestors, then its subtree as far as it is visible. */
function place() {
	const min = NARROWEST / scale, path = [];

	rows = [];
	for (let i = zoomed; i > 0; i = tree.parent[i])
		path.push(tree.parent[i]);
	for (const i of path.reverse())
		rows.push([i]);
	for (let i = zoomed; i < tree.end[zoomed];) {
		if (i > zoomed && tree.total[i] < min) {
			i = tree.end[i];
			continue;
		}
		(rows[tree.depth[i]] = rows[tree.depth[i]] || []).push(i);
		i++;
	}
}

function classOf(i) {
	const f = tree.frame[i];

	return matches && matches[f] ? 'match' : data.classes.substr(2 * f, 2);
}

function box(x, y, w) {
	const shown = w > 3 ? w - 0.5 : w;

	return 'M' + x.toFixed(2) + ' ' + y + 'h' + shown.toFixed(2) + 'v' + BOX + 'h' +
		(-shown).toFixed(2) + 'z';
}

function label(i, x, y, columns) {
	return '<text x="' + (x + MARGIN).toFixed(2) + '" y="' + (y + BASELINE) +
		(classOf(i) === 'match' ? '" class="match-text">' : '">') +
		escape(cut(data.names[tree.frame[i]], columns)) + '</text>';
}

/*
 * One row as text of SVG: a path for each colour, then the names that fit. Neighbours
 * too thin to point at are one box, of the first one's colour, as far as that fills 1 px.
 */
function drawRow(depth) {
	const paths = {}, y = top(depth);
	let texts = '', out = '', thin = '', from = 0, to = -1;

	function flush() {
		if (thin)
			paths[thin] = (paths[thin] || '') + box(from, y, to - from);
		thin = '';
	}
	for (const i of rows[depth]) {
		const x = left(i), w = extent(i), kind = classOf(i);
		const columns = Math.floor((w - 2 * MARGIN) / cell);

		if (w >= 1) {
			paths[kind] = (paths[kind] || '') + box(x, y, w);
			if (columns >= COLUMNS_MIN)
				texts += label(i, x, y, columns);
			continue;
		}
		if (x > to + 0.01 || x + w > from + 1 || (kind === 'match') !== (thin === 'match')) {
			flush();
			thin = kind;
			from = x;
		}
		to = x + w;
	}
	flush();
	for (const kind in paths)
		out += '<path class="' + kind + '" d="' + paths[kind] + '"/>';
	return (depth < tree.depth[zoomed] ? '<g class="above">' : '<g>') + out + texts + '</g>';
}

/* East Asian wide characters take two columns. */
function cut(s, columns) {
	let used = 0, fits = 0;

	if (s.length <= columns && /^[\x20-\u02ff]*$/.test(s))
		return s;
	for (const c of s) {
		used += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(c) ? 2 : 1;
		if (used < columns)
			fits += c.length;
	}
	return used <= columns ? s : s.slice(0, fits) + '…';
}

/* The rows in the window and around it: stacks may be thousands of frames deep. */
function drawRows(all) {
	const from = window.scrollY - window.innerHeight, to = from + 3 * window.innerHeight;
	let out = '';

	for (let depth = 0; depth < rows.length; depth++) {
		if (drawn[depth] || !all && (top(depth) + ROW < from || top(depth) > to))
			continue;
		drawn[depth] = true;
		out += drawRow(depth);
	}
	if (out)
		boxes.insertAdjacentHTML('beforeend', out);
}

function windowWidth() {
	const room = alone ? (window.visualViewport || {}).width || window.innerWidth
			   : svg.parentNode.clientWidth;

	return Math.max(WIDTH_MIN, Math.floor(room || 1200));
}

function draw() {
	let height;

	width = windowWidth();
	scale = tree.total[zoomed] ? (width - 2 * PAD) / tree.total[zoomed] : 0;
	place();
	levels = Math.max(levels, rows.length);
	height = TOP + levels * ROW + PAD + BAR;
	if (alone)
		height = Math.max(height, window.innerHeight);
	svg.setAttribute('width', width);
	svg.setAttribute('height', height);
	svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
	boxes.innerHTML = '';
	drawn = [];
	drawRows(!alone);
	boxes.setAttribute('class', matches ? 'searched' : '');
	legend.setAttribute('transform', 'translate(' + (width - PAD) + ')');
	bar.setAttribute('width', width);
	refit();
	hovered = -2;	/* unlike what point() is told, so that it acts */
	point(-1);
	float();
	report();
}

/* Lines of the head, cut to the new width; their full text is their tooltip. */
function refit() {
	const keep = legend.getBBox().width + 3 * PAD;

	for (const line of svg.querySelectorAll('.head > text')) {
		const full = line.querySelector('title').textContent, first = line.firstChild;
		const room = width - 2 * PAD - (line.classList.contains('title') ? keep : 0);

		first.data = full;
		for (let n = full.length; n > 1 && line.getComputedTextLength() > room;) {
			n = Math.min(n - 1, Math.floor(n * room / line.getComputedTextLength()));
			first.data = full.slice(0, n) + '…';
		}
	}
}

/* The bar stays at the window's lower edge, however tall the graph is. */
function onScroll() {
	drawRows(!alone);
	float();
}

function float() {
	const height = +svg.getAttribute('height');
	const bottom = alone ? window.scrollY + window.innerHeight : height;

	bar.setAttribute('y', Math.min(bottom, height) - BAR);
}

/* What is under the pointer, or chosen by key. */

function nodeAt(event) {
	const area = svg.getBoundingClientRect(), ratio = width / area.width;
	const x = (event.clientX - area.left) * ratio, y = (event.clientY - area.top) * ratio;
	const row = Math.floor((y - TOP) / ROW);
	const line = rows[data.icicle ? row : levels - 1 - row];
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

function describe(i) {
	const module = data.modules[data.module[tree.frame[i]]];
	let numbers = grouped(tree.total[i]) + ' samples, ' + percent(tree.total[i], tree.total[0]) +
		' of all';

	if (i)
		numbers += ', ' + percent(tree.total[i], tree.total[tree.parent[i]]) + ' of parent';
	if (zoomed && i > zoomed)
		numbers += ', ' + percent(tree.total[i], tree.total[zoomed]) + ' of view';
	if (tree.self[i])
		numbers += ', ' + percent(tree.self[i], tree.total[0]) + ' self';
	return [data.names[tree.frame[i]] + (module ? ' [' + module + ']' : ''), numbers];
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
		      : 'Click a box to zoom in, Escape to zoom out';
}

/* Searching. */

/* Without a capital in it, the term matches capitals too; what is no regex is plain text. */
function compile(text) {
	const flags = /[A-Z]/.test(text.replace(/\\./g, '')) ? '' : 'i';

	try {
		return new RegExp(text, flags);
	} catch (e) {
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
	}
}

function search(text) {
	const regex = text ? compile(text) : null;

	term = text;
	matches = regex && data.names.map((name, f) => f > 0 && regex.test(name));
	if (field.value !== text)
		field.value = text;
}

/* Samples whose stack has a match: below a match, other matches add nothing. */
function matched(from) {
	let samples = 0;

	for (let i = from; i < tree.end[from];) {
		if (matches[tree.frame[i]]) {
			samples += tree.total[i];
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return samples;
}

/* The same within the view, where an ancestor may match the whole of it. */
function matchedInView() {
	for (let i = zoomed; i > 0; i = tree.parent[i])
		if (matches[tree.frame[i]])
			return tree.total[zoomed];
	return matched(zoomed);
}

function report() {
	let text = '';

	if (matches) {
		text = 'Matched ' + percent(matched(0), tree.total[0]);
		if (zoomed)
			text += ' of all, ' + percent(matchedInView(), tree.total[zoomed]) + ' of view';
	}
	share.textContent = text;
	reset.style.display = zoomed ? '' : 'none';
}

/* State lives in the address: it can be sent to others, and Back zooms out. */

function address() {
	const parts = [];

	if (zoomed)
		parts.push('zoom=' + zoomed);
	if (term)
		parts.push('search=' + encodeURIComponent(term));
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
	search(parts.search || '');
	draw();
}

function zoom(i) {
	const before = top(tree.depth[i]);

	if (i === zoomed)
		return;
	zoomed = i;
	draw();
	/* Rows that appear must not move what was clicked. */
	window.scrollBy(0, top(tree.depth[i]) - before);
	if (alone && location.hash !== address())
		location.hash = address();
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
	} else if (/^Arrow/.test(event.key) && event.target === graph) {
		point(step(event.key));
	} else if (event.key === 'Enter' && event.target === graph && hovered >= 0) {
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
for (const note of svg.querySelectorAll('.cut'))
	note.remove();
graph.setAttribute('tabindex', '0');
graph.setAttribute('aria-label', 'Flame graph: arrow keys walk, Enter zooms in, Escape out');
const boxes = make(SVG, 'g', {}, graph);
const hover = make(SVG, 'rect', { class: 'hover', height: BOX - 1, visibility: 'hidden' }, graph);
const tip = make(SVG, 'title', {}, hover);
const legend = svg.querySelector('.legend');
const bar = make(SVG, 'foreignObject', { class: 'bar', x: 0, height: BAR }, svg);
const line = make(XHTML, 'div', { class: 'line' }, bar);
const info = make(XHTML, 'div', { class: 'info', 'aria-live': 'polite' }, line);
const who = make(XHTML, 'b', {}, info);
const what = make(XHTML, 'span', {}, info);
const share = make(XHTML, 'span', { class: 'share', 'aria-live': 'polite' }, line);
const reset = make(XHTML, 'button', { type: 'button' }, line);
const field = make(XHTML, 'input', { type: 'search', 'aria-label': 'Search', spellcheck: 'false',
	placeholder: 'Search: text or regex (Ctrl-F)' }, line);

reset.textContent = 'Reset zoom';
make(SVG, 'style', {}, svg).textContent =
	'.line{display:flex;align-items:center;gap:10px;box-sizing:border-box;height:' + BAR + 'px;' +
	'padding:0 ' + PAD + 'px;background:#fffffff2;border-top:1px solid #d9d6d1;color:#1b1b1b;' +
	'font:12px system-ui,"Segoe UI","DejaVu Sans",Helvetica,Arial,sans-serif}' +
	'.info{flex:1;min-width:0;display:flex;gap:10px;white-space:nowrap}' +
	'.info b{font:600 12px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;' +
	'overflow:hidden;text-overflow:ellipsis}' +
	'.info b:empty{display:none}.info span{flex:none;color:#5c5c5c;font-variant-numeric:tabular-nums}' +
	'.share{color:#c2185b;font-weight:600;white-space:nowrap}' +
	'.line input{font:inherit;width:220px;padding:4px 8px;border:1px solid #a9a59e;' +
	'border-radius:5px;background:#fff;color:inherit}' +
	'.line button{font:inherit;padding:4px 10px;border:1px solid #a9a59e;border-radius:5px;' +
	'background:#f4f2ee;color:inherit;cursor:pointer}';

graph.addEventListener('mousemove', (event) => point(nodeAt(event)));
graph.addEventListener('mouseleave', () => point(-1));
graph.addEventListener('click', (event) => {
	const i = nodeAt(event);

	if (i >= 0)
		zoom(i);
});
field.addEventListener('input', () => searchFor(field.value));
reset.addEventListener('click', () => zoom(0));
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
})();
