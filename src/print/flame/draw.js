/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/draw.js - the first part of the flame graph's script: the embedded tree and its drawing.
 *
 * Without the script the file still shows the whole graph; with it the boxes are drawn again
 * from the embedded tree, so a zoom shows what was too narrow before. Adds up and draws in
 * linear time; the drawing is one path for each row and colour, not an element for each box.
 *
 * The parts (draw, label, point, search, page) are put into one function, in this order, when the
 * program is built: they share their names, and page.js runs last.
 */
'use strict';

/* PAD, CAP and what is for a mouse: as in drawing.h. A finger needs higher rows. */
const touch = window.matchMedia('(pointer: coarse)').matches;
const PAD = 10, ROW = touch ? 26 : 16, BOX = ROW - 1, BASELINE = touch ? 17 : 11;
const CAP = 100;	/* rows drawn of deeper graphs, unless the reader wants more */
const ABOVE = 10;	/* of these the callers of what is zoomed to, if it is deep itself */
const MARGIN = 3, COLUMNS_MIN = 3, NARROWEST = 0.1, WIDTH_MIN = 280, NARROW = 640;
const SVG = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';

const script = document.currentScript;
const svg = script && script.ownerSVGElement || document.documentElement;
const alone = svg === document.documentElement;
const data = JSON.parse(svg.querySelector('.data').textContent);
const graph = svg.querySelector('.graph');

/*
 * Phones lay out what does not say this for a window of 980 px. It is not in the document as such:
 * parsers of HTML end an SVG element that has one in it.
 */
if (alone)
	make(XHTML, 'meta', { name: 'viewport', content: 'width=device-width,initial-scale=1' }, svg);

/* The tree in preorder, as in model/tree.h; `start` is the left edge, in samples. */
const tree = parse(data.tree);
const nodes = tree.frame.length;

let zoomed = 0;		/* the node that has the full width */
let hovered = -1;	/* under the pointer or chosen by key */
let term = '';		/* searched for */
let matches = null;	/* by name index, or null */
let width = 0, levels = 0, scale = 1, cell = 6.62;
let head = 78, barHeight = 38;
let deep = false;	/* all levels are wanted */
let side = 2;		/* of two: which one is shown alone, 2: both */
let base = 0, reach = 0;	/* rows of these depths are drawn, the last one not */
let rows = [];		/* rows[depth]: visible nodes, from left to right */
let drawn = [];		/* drawn[depth]: this row has its elements */

/* Numbers of samples are doubles: exact up to 2^53. */
function allocate(text) {
	let nr = 1;

	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);

		nr += c === 40 || c === 44;	/* ( , */
	}
	return {
		frame: new Int32Array(nr), depth: new Int32Array(nr), parent: new Int32Array(nr),
		end: new Int32Array(nr), self: new Float64Array(nr), total: new Float64Array(nr),
		start: new Float64Array(nr),
		ratio: new Float64Array(data.ratio ? nr : 0).fill(NaN),
		step: new Uint8Array(data.ratio ? nr : 0).fill(7),	/* 7: not known */
		/* Of two sides what each has. */
		sides: data.sides ? [0, 1].map(() => ({
			self: new Float64Array(nr), total: new Float64Array(nr),
		})) : null,
	};
}

function parse(text) {
	const t = allocate(text), path = [];
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
		case '/':
			at++;
			t.sides[0].self[n] = t.self[n];
			t.sides[1].self[n] = number();
			break;
		case '~': {
			const from = at + 2;

			t.step[n] = +text[at + 1];
			for (at = from; at < text.length && /[-+.0-9e]/.test(text[at]);)
				at++;
			t.ratio[n] = +text.slice(from, at);
			break;
		}
		default:
			n++;
			t.frame[n] = number();
			t.depth[n] = depth;
			t.parent[n] = depth ? path[depth - 1] : 0;
		}
	}
	if (t.sides)
		weigh(t, 2);
	else
		sum(t, n + 1);
	return t;
}

/* How wide frames are: by what they have on one side, or (2) on both; scaled. */
function weigh(t, side) {
	const nr = t.frame.length;

	for (const { self, total } of t.sides) {
		total.set(self);
		for (let i = nr - 1; i > 0; i--)
			total[t.parent[i]] += total[i];
	}
	for (let i = 0; i < nr; i++)
		t.self[i] = (side === 1 ? 0 : t.sides[0].self[i] * data.sides.scale[0]) +
			(side === 0 ? 0 : t.sides[1].self[i] * data.sides.scale[1]);
	sum(t, nr);
}

function amount(i, side) {
	return tree.sides[side].total[i] * data.sides.scale[side];
}

function sum(t, nr) {
	const free = [0];

	for (let i = 0; i < nr; i++) {
		t.total[i] = t.self[i];
		t.end[i] = i + 1;
	}
	for (let i = nr - 1; i > 0; i--) {
		const up = t.parent[i];

		t.total[up] += t.total[i];
		if (t.end[i] > t.end[up])
			t.end[up] = t.end[i];
	}
	for (let i = 0; i < nr; i++) {
		const d = t.depth[i];

		t.start[i] = free[d];
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
	return head + (data.icicle ? depth - base : levels - 1 - (depth - base)) * ROW;
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
	limit();
}

/* Of too many rows those about what is zoomed to: some of its callers, and what it calls. */
function limit() {
	const at = tree.depth[zoomed];

	base = 0;
	reach = rows.length;
	if (deep || rows.length <= CAP)
		return;
	reach = Math.min(rows.length, Math.max(CAP, at + CAP - ABOVE));
	base = Math.max(0, Math.min(at - ABOVE, reach - CAP));
}

/* As print/flame/sides.c: what goes another way than its function may be chance. */
function isSure(i) {
	const more = amount(i, 1) - amount(i, 0), sure = data.sure[tree.frame[i]];

	return more > 0 && sure === '1' || more < 0 && sure === '2';
}

/* Three steps to either side of what is the same, or not sure. */
function stepOfChange(i) {
	const a = amount(i, 0), b = amount(i, 1), change = a + b ? (b - a) / (a + b) : 0;
	const far = Math.abs(change), away = far < 0.1 ? 1 : far < 0.3 ? 2 : 3;

	if (!isSure(i))
		return 3;
	return change < 0 ? 3 - away : 3 + away;
}

function classOf(i) {
	const f = tree.frame[i];

	if (matches && matches[f])
		return 'match';
	if (data.sides)
		return 'd' + stepOfChange(i);
	return data.ratio ? 'r' + tree.step[i] : data.classes.substr(2 * f, 2);
}

function box(x, y, w) {
	const shown = w > 3 ? w - 0.5 : w;

	return 'M' + x.toFixed(2) + ' ' + y + 'h' + shown.toFixed(2) + 'v' + BOX + 'h' +
		(-shown).toFixed(2) + 'z';
}

/* Commands and notes are no functions. */
function nameIn(columns, f) {
	const name = data.names[f];

	return /[acn]/.test(data.classes[2 * f]) ? cut(name, columns) : fitLabel(name, columns);
}

function label(i, x, y, columns) {
	return '<text x="' + (x + MARGIN).toFixed(2) + '" y="' + (y + BASELINE) +
		(classOf(i) === 'match' ? '" class="match-text">' : '">') +
		escape(nameIn(columns, tree.frame[i])) + '</text>';
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

/* The rows in the window and around it: stacks may be thousands of frames deep. */
function drawRows(all) {
	const from = window.scrollY - windowHeight(), to = from + 3 * windowHeight();
	let out = '';

	for (let depth = base; depth < reach; depth++) {
		if (drawn[depth] || !all && (top(depth) + ROW < from || top(depth) > to))
			continue;
		drawn[depth] = true;
		out += drawRow(depth);
	}
	if (out)
		boxes.insertAdjacentHTML('beforeend', out);
}

/*
 * Without scroll bars, and as it is before fingers enlarge it. While a phone loads the document,
 * innerWidth and innerHeight are those of a window that the static drawing would fit into.
 */
function windowSize(what, otherwise) {
	const view = window.visualViewport;

	return view ? view[what] * view.scale : otherwise;
}

function windowWidth() {
	const room = alone ? windowSize('width', window.innerWidth) : svg.parentNode.clientWidth;

	return Math.max(WIDTH_MIN, Math.floor(room || 1200));
}

function windowHeight() {
	return windowSize('height', window.innerHeight);
}

function draw() {
	let height;

	width = windowWidth();
	shape();
	scale = tree.total[zoomed] ? (width - 2 * PAD) / tree.total[zoomed] : 0;
	place();
	levels = Math.max(levels, reach - base);
	height = head + levels * ROW + PAD + barHeight;
	if (alone)
		height = Math.max(height, Math.floor(windowHeight()));
	svg.setAttribute('width', width);
	svg.setAttribute('height', height);
	svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
	boxes.innerHTML = '';
	drawn = [];
	drawRows(!alone);
	boxes.setAttribute('class', matches ? 'searched' : '');
	bar.setAttribute('width', width);
	bar.setAttribute('height', barHeight);
	refit();
	hovered = -2;	/* unlike what point() is told, so that it acts */
	point(-1);
	float();
	report();
}

/* A narrow window has the legend below the lines of the head, and the bar in three lines. */
function shape() {
	const narrow = width < NARROW;

	svg.classList.toggle('touch', touch);
	svg.classList.toggle('narrow', narrow);
	head = narrow ? 98 : 78;
	barHeight = (narrow ? 88 : 38) + (touch ? 14 : 0);
}

/* Beside the title, or in a line of its own, as small as it must be. */
function placeLegend() {
	const names = legend.getBBox().width, room = width - 2 * PAD;
	const fit = names > room ? room / names : 1;

	legend.setAttribute('transform', 'translate(' + (width - PAD) + ',' +
		(width < NARROW ? 60 : 0) + ') scale(' + fit.toFixed(3) + ')');
	return width < NARROW ? 0 : names + 3 * PAD;
}

/* "first 100 of 1,001 levels": true of what is drawn. */
function countLevels() {
	const all = rows.length;

	cutNote.textContent = reach - base < all ? (base ? '' : 'first ') + grouped(reach - base) +
		' of ' + grouped(all) + ' levels' : '';
	cutNote.setAttribute('x', width - PAD);
	deeper.style.display = deep && all > CAP || reach - base < all ? '' : 'none';
	deeper.textContent = deep ? 'Fewer levels' : 'Show deeper';
	return cutNote.textContent ? cutNote.getComputedTextLength() + PAD : 0;
}

/* Lines of the head, cut to the new width; their full text is their tooltip. */
function refit() {
	const keep = { title: placeLegend(), event: countLevels() };

	for (const line of svg.querySelectorAll('.head > text:not(.cut)')) {
		const full = line.querySelector('title').textContent, first = line.firstChild;
		const room = width - 2 * PAD - (keep[line.getAttribute('class')] || 0);

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
	const bottom = alone ? window.scrollY + windowHeight() : height;

	bar.setAttribute('y', Math.min(bottom, height) - barHeight);
}
