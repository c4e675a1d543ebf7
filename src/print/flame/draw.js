/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/draw.js - the first part of the flame graph's script: the embedded tree and its drawing.
 *
 * Without the script the file still shows the whole graph; with it the boxes are drawn again
 * from the embedded tree, so a zoom shows what was too narrow before. Adds up and draws in
 * linear time; the drawing is one path for each row and colour, not an element for each box.
 *
 * The parts (draw, point, search, page) are put into one function, in this order, when the
 * program is built: they share their names, and page.js runs last.
 */
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
