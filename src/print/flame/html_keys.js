/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_keys.js - keys, and the start.
 */

const KEYS = [
	['1 … 6', 'flame graph, icicle, left-heavy, callers, table, time'],
	['arrows', 'move over boxes, rows of the table, cells of time'],
	['Enter', 'zoom to the box; in the table: its callers and callees'],
	['Escape', 'back: out of the zoom, the search, the ranges'],
	['/', 'search'],
	['c, C', 'copy the name, the stack'],
	['t', 'the box in the table'],
	['d', 'show deeper levels'],
	['m', 'merge recursion'],
	['w', 'count samples, or what they stand for'],
	...profile.color ? [['r', 'colours of ' + profile.color.title + ', or of kinds of frames']] : [],
	['e', 'the next event'],
	['h', 'hide commands, threads, cgroups'],
	['Space', 'on the map of time: begin and end a range; with Shift the second one'],
	['?', 'this list'],
];
const help = element('dialog', { 'aria-label': 'Keys' }, element('h2', {}, 'Keys'),
	element('table', {}, element('tbody', {}, ...KEYS.map(([key, does]) => element('tr', {},
		element('th', { scope: 'row' }, key), element('td', {}, does))))),
	element('p', { className: 'hint' }, 'A click zooms; of a finger the second tap does. ' +
		'Above a zoom are its callers: a click on one goes back to it.'),
	element('p', { className: 'tools' }, button('Close', '', () => help.close())));

function openKeys() {
	help.showModal();
}

function nextEvent() {
	const select = document.getElementById('event');

	if (!select)
		return;
	select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
	chosen.event = +select.value;
	recount();
}

function nextMeasure() {
	if (!hasWeights[chosen.event])
		return;
	chosen.byWeight = !chosen.byWeight;
	recount();
}

function goBack() {
	if (isGraph() && graph.zoomed && graph.zoomed.parent) {
		zoomTo(graph.tree.root);
	} else if (search.text) {
		setSearch('');
	} else if (chosen.ranges.length && !profile.sides) {
		chosen.ranges = chosen.ranges.slice(0, -1);
		recount();
	}
}

function copyChosen(stack) {
	const label = stack ? 'Copy stack' : 'Copy name';
	const there = Array.from(document.querySelectorAll('footer button, aside button'))
		.find((b) => b.textContent === label);

	if (there)
		there.click();
}

/* The name above or below in the table. */
function moveInTable(key) {
	settleTable();
	const names = Array.from(panel.querySelectorAll('.list .link'));
	const at = names.indexOf(document.activeElement);
	const to = names[at + (key === 'ArrowDown' ? 1 : -1)] || names[Math.max(0, at)];

	if (to)
		to.focus();
}

const DOES = {
	Enter: () => { if (isGraph() && graph.cursor) zoomTo(graph.cursor); },
	Escape: goBack,
	'/': () => searchBox.focus(),
	c: () => copyChosen(false),
	C: () => copyChosen(true),
	t: () => { if (isGraph() && graph.cursor && graph.cursor.parent) chooseInTable(graph.cursor.frame); },
	d: () => { if (isGraph() && graph.hasMore) deeper(); },
	m: () => merge.click(),
	w: nextMeasure,
	r: () => { if (profile.color) colour.click(); },
	e: nextEvent,
	h: () => openFilters(),
	'?': openKeys,
};

document.addEventListener('keydown', (e) => {
	const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'checkbox';
	const onButton = e.target.tagName === 'BUTTON' || e.target.type === 'checkbox';

	if (e.ctrlKey || e.altKey || e.metaKey || document.querySelector('dialog[open]'))
		return;
	if (inField) {
		if (e.key === 'Escape' && e.target === searchBox)
			setSearch(''), searchBox.blur();
		else if (e.key === 'Enter' && e.target === searchBox)
			setSearch(searchBox.value), (view === 'table' ? panel : canvas).focus({ preventScroll: true });
		return;
	}
	if (e.target === heat && heatKey(e)) {
		e.preventDefault();
		return;
	}
	if (e.key.startsWith('Arrow')) {
		if (view === 'table' && /Up|Down/.test(e.key))
			moveInTable(e.key);
		else if (isGraph() && graph.cursor)
			moveCursor(e.key);
		else
			return;
	} else if (e.key >= '1' && e.key <= String(TABS.length)) {
		go(TABS[e.key - 1][0]);
		(isGraph() ? canvas : panel).focus({ preventScroll: true });
	} else if (DOES[e.key] && !(onButton && e.key === 'Enter')) {
		DOES[e.key]();
	} else {
		return;
	}
	e.preventDefault();
});

function drawAnew() {
	if (view === 'time' && windows && windows.nr > 1) {
		measureHeat();
		drawHeat();
	}
	if (isGraph())
		drawGraph();
	else
		showTable();
}

let width = 0;

window.addEventListener('resize', () => {
	if (window.innerWidth !== width)
		requestAnimationFrame(drawAnew);
	width = window.innerWidth;
});
/* Paper is light: some browsers tell so while they print, when it is too late to draw. */
dark.addEventListener('change', () => printing || drawAnew());
window.addEventListener('beforeprint', () => { printing = true; drawAnew(); });
window.addEventListener('afterprint', () => { printing = false; drawAnew(); });

buildTabs();
buildTools();
main.append(tabs, tools, chips, panel, foot, filters, help);
sumAll();
show();
outermostOnes();
prepareSoon();
