/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_graph.js - the graph: which boxes are in it, zoom, pointer, and a cursor for keys.
 *
 * Not more levels than the window has room for, until more are asked for: a stack 1,000 deep is no
 * tower. Of a zoom's callers only the nearest are shown, so the deepest frame can be reached.
 *
 * What takes long is drawn in pieces, the root first: levels that do not fit into one frame of the
 * browser follow in the next ones. Whoever needs all of them at once: settle().
 */

const ABOVE_MAX = 5, DEEPER = 100, PIECE_MS = 30;

const graph = {
	tree: null, zoomed: null, cursor: null,
	upright: true,		/* the root at the bottom */
	rows: [],		/* pieces of each level: { branch, x, px, above, text } */
	cap: 0,			/* levels that were asked for; 0: those that fit */
	levels: 0,		/* that there is room for */
	hasMore: false,
	rest: null,		/* the level that is still to come, and those behind it */
	width: 0,
};
const canvas = element('canvas', {
	tabIndex: 0, role: 'application', 'aria-roledescription': 'flame graph',
	'aria-label': 'Graph: arrow keys move, Enter zooms, Escape goes back; the table tab has the same',
});
const frameMark = element('div', { className: 'mark', hidden: true });
const more = button('Show deeper', 'Show more levels (d)', () => deeper());
const legend = element('div', { className: 'legend', 'aria-hidden': 'true' });
const stage = element('div', { className: 'stage' }, canvas, frameMark);

let trees = {};	/* of these sums; emptied by recount() */

function treeOf(kind) {
	const key = kind === 'callers' || kind === 'left' ? kind : 'flame';

	trees[key] = trees[key] || newTree(kind === 'callers', key !== 'flame');
	return trees[key];
}

/* What is seen first of a tab, before somebody goes there. */
function prepare(kind) {
	const tree = treeOf(kind), scale = tree.root.width ? graph.width / tree.root.width : 0;
	let level = [{ branch: tree.root }];

	if (tree === graph.tree || !scale)
		return;
	tree.root.x = 0;
	for (let depth = levelsThatFit(); depth > 0 && level.length; depth--)
		level = levelBelow(level, scale);
}

function showGraph(kind) {
	graph.tree = treeOf(kind);
	graph.upright = kind === 'flame' || kind === 'time';
	graph.zoomed = graph.cursor = graph.tree.root;
	graph.cap = 0;
	panel.append(legend, ...graph.upright ? [more, stage] : [stage, more]);
	drawGraph();
	if (kind === 'flame')
		revealRoot();
}

/* Windows lower than the head and a few levels begin at the root. */
function revealRoot() {
	const lowest = window.innerHeight - foot.offsetHeight - 8;

	window.scrollBy(0, Math.max(0, stage.getBoundingClientRect().bottom - lowest));
}

function levelsThatFit() {
	const used = stage.getBoundingClientRect().top + window.scrollY + foot.offsetHeight + 12;

	return Math.max(12, Math.floor((window.innerHeight - used) / ROW));
}

function callersAbove() {
	const path = [];
	let hidden = 0;

	for (let at = graph.zoomed.parent; at; at = at.parent)
		path.unshift(at);
	if (path.length > ABOVE_MAX) {
		hidden = path.length - ABOVE_MAX;
		path.splice(1, hidden);
	}
	return path.map((branch, i) => [{
		branch, x: 0, px: graph.width, above: true,
		text: hidden && i === 1 ? '… ' + grouped(hidden) + ' more between · ' + labelOf(branch) : '',
	}]);
}

/*
 * The level below @pieces. What is too narrow to be pointed at becomes one piece, in the colour of
 * its first one, and nothing is made of what it calls.
 */
function levelBelow(pieces, scale) {
	const level = [];
	let thin = null;

	for (const { branch } of pieces) {
		let x = branch && branch.x;

		if (!branch)
			continue;
		for (const below of branchesOf(graph.tree, branch)) {
			const px = below.width * scale;

			below.x = x;
			below.px = px;
			x += px;
			if (px >= NARROWEST) {
				level.push({ branch: below, x: below.x, px });
				thin = null;
			} else if (thin && below.x - thin.x - thin.px < 0.5) {
				thin.px = below.x + px - thin.x;
			} else {
				level.push(thin = { branch: null, first: below, x: below.x, px });
			}
		}
	}
	return level;
}

function place() {
	const { zoomed } = graph, scale = zoomed.width ? graph.width / zoomed.width : 0;
	const cap = graph.cap || levelsThatFit();
	let level = [{ branch: zoomed, x: 0, px: graph.width }];

	zoomed.x = 0;
	zoomed.px = graph.width;
	graph.rows = callersAbove();
	graph.levels = cap;
	graph.rest = level;
	placeRest(PIECE_MS);
}

/* Two levels at least, and then as many as there is time for. */
function placeRest(ms) {
	const { zoomed } = graph, scale = zoomed.width ? graph.width / zoomed.width : 0;
	const end = performance.now() + ms, least = graph.rows.length + 2;
	let level = graph.rest;

	while (level.length && graph.rows.length < graph.levels) {
		if (graph.rows.length >= least && performance.now() > end) {
			graph.rest = level;
			return;
		}
		graph.rows.push(level);
		level = scale ? levelBelow(level, scale) : [];
	}
	graph.rest = null;
	graph.levels = graph.rows.length;
	graph.hasMore = level.some((piece) => piece.branch);
}

function settle() {
	if (!graph.rest)
		return;
	placeRest(Infinity);
	drawRows();
}

function topOf(row) {
	return (graph.upright ? graph.levels - 1 - row : row) * ROW;
}

function drawGraph() {
	if (!graph.tree || !stage.isConnected)
		return;
	graph.width = stage.clientWidth;
	showLegend();	/* above the stage: it takes room from the levels */
	place();
	drawRows();
	if (!sums.a.all && !(sums.b && sums.b.all))
		tell('Nothing: no ' + profile.noun + ' is left of what is chosen.');
}

function drawRows() {
	const colourOf = colours(), tree = graph.tree;
	const ctx = fit(canvas, graph.width, graph.levels * ROW);
	let cell;

	ctx.font = FONT;
	cell = ctx.measureText('MMMMMMMMMM').width / 10;
	graph.rows.forEach((pieces, row) => drawRow(ctx, topOf(row), pieces, colourOf, cell));
	/* Room for it is always kept. */
	more.style.visibility = graph.hasMore && !graph.rest ? 'visible' : 'hidden';
	more.textContent = 'Show deeper: ' + grouped(graph.rows.length) + ' levels are shown';
	markCursor();
	if (graph.rest)
		requestAnimationFrame(() => {
			if (graph.rest && graph.tree === tree) {
				placeRest(PIECE_MS);
				drawRows();
			}
		});
}

/* "IPC 0.52 [][][][][][][] 2.31" */
function scaleChip() {
	const { low, high } = scale = scale || findScale();
	const steps = Array.from({ length: STEPS }, (_, i) =>
		element('i', { style: 'background:' + ratioColour(i) }));

	return element('span', { className: 'scale' },
		profile.color.title + ' ' + ratioText(low) + ' ', ...steps, ' ' + ratioText(high));
}

function showLegend() {
	const chip = (colour, text) => element('span', {}, element('i', { style: 'background:' + colour }),
		text);

	legend.textContent = '';
	if (sums.b) {
		const second = profile.sides ? 'B' : 'the second';

		legend.append(chip(changeColour(-1), 'less in ' + second),
			chip(changeColour(0), profile.sides ? 'the same, or nobody can tell' : 'the same'),
			chip(changeColour(1), 'more in ' + second),
			'Widths: the mean of both shares.');
		return;
	}
	if (isColoured && hasRatio()) {
		legend.append(scaleChip());
		return;
	}
	for (const [kind, name] of KINDS)
		if (frames.kind.includes(String(kind)))
			legend.append(chip(kindColour(kind, 3), name));
}

function deeper() {
	const before = document.documentElement.scrollHeight;

	settle();
	graph.cap = graph.rows.length + DEEPER;
	drawGraph();
	/* The root stays where it is. */
	if (graph.upright)
		window.scrollBy(0, document.documentElement.scrollHeight - before);
}

function zoomTo(branch) {
	graph.zoomed = graph.cursor = branch;
	drawGraph();
	tellOf(branch);
}

function pieceAt(e) {
	const box = canvas.getBoundingClientRect(), x = e.clientX - box.left;
	const line = Math.floor((e.clientY - box.top) / ROW);
	const pieces = graph.rows[graph.upright ? graph.levels - 1 - line : line] || [];
	const at = pieces.find((p) => p.branch && x >= p.x && x < p.x + p.px);

	return at ? at.branch : null;
}

function rowOf(branch) {
	return graph.rows.findIndex((pieces) => pieces.some((p) => p.branch === branch));
}

function markCursor() {
	const row = rowOf(graph.cursor);
	const piece = row < 0 ? null : graph.rows[row].find((p) => p.branch === graph.cursor);

	frameMark.hidden = !piece || !graph.cursor.parent;
	if (!piece)
		return;
	frameMark.style.left = piece.x + 'px';
	frameMark.style.top = topOf(row) + 'px';
	frameMark.style.width = Math.max(2, piece.px) + 'px';
}

function selfOf(branch) {
	let self = branch.a;

	for (const below of branchesOf(graph.tree, branch))
		self -= below.a;
	return self;
}

function tellOf(branch) {
	const file = branch.parent && moduleOf(branch.frame);
	let text = (branch.parent ? nameOf(branch.frame) + (file ? ' [' + file + ']' : '') : 'all') + ' · ';

	if (sums.b)
		text += percent(branch.a, sums.a.all) + ' → ' + percent(branch.b, sums.b.all) + ' (' +
			counted(branch.a) + ' → ' + figure(branch.b) + ')' +
			(branch.parent && !isSure(branch.frame) ? ' · cannot tell a change' : '');
	else
		text += counted(branch.a) + ', ' + percent(branch.a, sums.a.all) +
			(graph.tree.up ? '' : ' · self ' + percent(selfOf(branch), sums.a.all)) +
			(hasRatio() ? ' · ' + profile.color.title + ' ' + ratioText(ratioOf(branch.counted)) : '');
	tell(text, branch.parent ? {
		name: nameOf(branch.frame), stack: stackOf(graph.tree, branch), frame: branch.frame,
	} : null);
}

function point(branch) {
	graph.cursor = branch;
	markCursor();
	tellOf(branch);
}

canvas.addEventListener('pointermove', (e) => {
	const branch = e.pointerType === 'touch' ? null : pieceAt(e);

	canvas.style.cursor = branch ? 'pointer' : '';
	if (branch && branch !== graph.cursor)
		point(branch);
});

let touched = false;

canvas.addEventListener('pointerdown', (e) => { touched = e.pointerType === 'touch'; });

/* A finger does not hover: the first tap tells, the second zooms. */
canvas.addEventListener('click', (e) => {
	const branch = pieceAt(e);

	if (!branch)
		return;
	if (touched && branch !== graph.cursor)
		point(branch);
	else
		zoomTo(branch);
});

/* Left and right along the level, in and out along the stack. */
function moveCursor(key) {
	settle();
	const row = rowOf(graph.cursor), away = graph.upright ? 'ArrowUp' : 'ArrowDown';
	const pieces = (graph.rows[row] || []).filter((p) => p.branch);
	const at = pieces.findIndex((p) => p.branch === graph.cursor);
	let to = null;

	if (row < 0)
		to = graph.zoomed;
	else if (key === 'ArrowLeft' || key === 'ArrowRight')
		to = (pieces[at + (key === 'ArrowRight' ? 1 : -1)] || {}).branch;
	else if (key === away)
		to = ((graph.rows[row + 1] || []).filter((p) => p.branch && (p.above ||
			p.branch.parent === graph.cursor)).sort((p, q) => q.px - p.px)[0] || {}).branch;
	else
		to = graph.cursor.parent;
	if (to)
		point(to);
}

