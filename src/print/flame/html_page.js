/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_page.js - the page's elements, its tabs, and the line that tells of what is looked at.
 *
 * Text becomes text nodes: no name is ever read as HTML.
 */

function element(tag, properties, ...inside) {
	const e = document.createElement(tag);

	for (const key in properties) {
		if (key.startsWith('on'))
			e.addEventListener(key.slice(2), properties[key]);
		else if (key in e && key !== 'list' && key !== 'role')
			e[key] = properties[key];
		else
			e.setAttribute(key, properties[key]);
	}
	e.append(...inside);
	return e;
}

function grouped(n) {
	return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

function duration(ns) {
	return ns >= 1e9 ? (ns / 1e9).toFixed(2) + ' s' : ns >= 1e6 ? (ns / 1e6).toFixed(2) + ' ms' :
		(ns / 1e3).toFixed(1) + ' µs';
}

/* "12.35 M": four digits. */
function shortened(n) {
	const at = n < 1e5 ? 0 : Math.min(5, Math.floor(Math.log10(n) / 3));

	return at ? (n / 1000 ** at).toPrecision(4) + ' ' + ' kMGTP'[at] : grouped(n);
}

/* Samples, or what they stand for. */
function figure(n) {
	if (measure() === 'samples')
		return grouped(n);
	return profile.events[chosen.event].unit === 'ns' ? duration(n) : shortened(n);
}

function counted(n) {
	const { name, unit } = profile.events[chosen.event] || {};

	if (measure() === 'samples')
		return grouped(n) + ' ' + profile.noun + (n === 1 ? '' : 's');
	return figure(n) + (unit === 'ns' ? '' : ' ' + name);
}

/* What cannot be told is '-'. */
function percent(n, of) {
	return of ? (100 * n / of).toFixed(1) + ' %' : '-';
}

function seconds(ns) {
	return (ns / 1e9).toFixed(3).replace(/\.?0+$/, '') + ' s';
}

const TABS = [
	['flame', 'Flame graph'], ['icicle', 'Icicle'], ['left', 'Left-heavy'],
	['callers', 'Callers'], ['table', 'Table'], ['time', 'Time'],
].filter(([id]) => id !== 'time' || !profile.sides);
let view = profile.view;
let functions = null;	/* of the table; null: to be added up */

const main = document.querySelector('main');
const tabs = element('div', { className: 'tabs', role: 'tablist', 'aria-label': 'Views' });
const tools = element('div', { className: 'tools' });
const chips = element('div', { className: 'chips' });
const panel = element('section', { id: 'panel', role: 'tabpanel', tabIndex: -1 });
const told = element('span', { className: 'told', role: 'status', 'aria-live': 'polite' });
const actions = element('span', { className: 'actions' });
const foot = element('footer', {}, told, actions);
const found = element('output', { className: 'found', 'aria-live': 'polite' });
const searchBox = element('input', {
	type: 'search', placeholder: 'Search (regex)', 'aria-label': 'Search names, a regular expression',
	spellcheck: false, autocomplete: 'off', oninput: () => searchSoon(),
});
const merge = element('input', {
	type: 'checkbox', onchange: () => { chosen.merging = merge.checked; recount(); },
});
const byWeight = element('select', {
	'aria-label': 'Counted', title: 'What is counted (w)',
	onchange: () => { chosen.byWeight = byWeight.value === 'weight'; recount(); },
});
const colour = element('input', {
	type: 'checkbox', checked: isColoured, title: 'Its colours, or those of kinds of frames (r)',
	onchange: () => { isColoured = colour.checked; show(); },
});
const dark = matchMedia('(prefers-color-scheme: dark)');

function button(text, title, does) {
	return element('button', { type: 'button', title, onclick: does }, text);
}

function buildTabs() {
	for (const [id, name] of TABS)
		tabs.append(element('button', {
			type: 'button', role: 'tab', id: 'tab-' + id, 'aria-controls': 'panel',
			onclick: () => go(id),
		}, name));
	tabs.addEventListener('keydown', (e) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
		const at = TABS.findIndex(([id]) => id === view);

		if (!step)
			return;
		e.preventDefault();
		e.stopPropagation();
		go(TABS[(at + step + TABS.length) % TABS.length][0]);
		tabs.children[TABS.findIndex(([id]) => id === view)].focus();
	});
}

function buildTools() {
	/* One that is only counted at another's samples has no stacks of its own. */
	const events = profile.events.flatMap((e, i) =>
		e.samples || e.rate ? element('option', { value: i }, e.name) : []);

	if (events.length > 1) {
		const select = element('select', {
			'aria-label': 'Event', id: 'event',
			onchange: () => { chosen.event = +select.value; recount(); },
		}, ...events);

		select.value = chosen.event;
		tools.append(select);
	}
	tools.append(byWeight, searchBox, found, element('label', {}, merge, 'Merge recursion'),
		...profile.color ? [element('label', {}, colour, 'Colour: ' + profile.color.title)] : [],
		button('Hide…', 'Hide commands, threads, cgroups (h)', () => openFilters()),
		button('Keys', 'What keys do (?)', () => openKeys()));
}

/* What of this event can be chosen. */
function showMeasure() {
	const { name, unit } = profile.events[chosen.event] || {};

	byWeight.hidden = !hasWeights[chosen.event];
	byWeight.textContent = '';
	byWeight.append(element('option', { value: 'samples' }, profile.noun + 's'),
		element('option', { value: 'weight' }, unit === 'ns' ? 'time' : name + ' counted'));
	byWeight.value = measure();
	colour.disabled = !hasRatio();
}

function isGraph() {
	return view !== 'table';
}

function go(id) {
	view = id;
	show();
}

/* Everything that depends on which samples are counted. */
function recount() {
	sumAll();
	sumMatches();
	functions = null;
	scale = null;
	trees = {};
	show();
	prepareSoon();
}

/* One tab after the other, when nothing else is to be done. */
function prepareSoon() {
	const idle = window.requestIdleCallback || ((f) => setTimeout(f, 50));
	const left = [() => prepare('left'), () => prepare('callers'), () => prepare('flame'), () => {
		functions = functions || addUpFunctions();
	}];
	const { a } = sums;
	const next = () => {
		const one = a === sums.a && left.shift();

		if (one) {
			one();
			idle(next);
		}
	};

	idle(next);
}

let searching = 0;

/* While somebody types: after a pause, so that a key is never late. */
function searchSoon() {
	clearTimeout(searching);
	searching = setTimeout(() => setSearch(searchBox.value), 60);
}

function setSearch(text) {
	searchBox.value = text;
	searchFor(text);
	tellFound();
	if (view === 'table')
		showTable();
	else
		drawGraph();
}

function tellFound() {
	searchBox.setAttribute('aria-invalid', search.error ? 'true' : 'false');
	if (search.error)
		found.textContent = search.error;
	else if (!search.frames)
		found.textContent = '';
	else
		found.textContent = percent(search.a, sums.a.all) +
			(sums.b ? ' and ' + percent(search.b, sums.b.all) : '') +
			' matched, ' + grouped(search.nr) + ' function' + (search.nr === 1 ? '' : 's');
}

function rangeText([from, to]) {
	if (profile.sides)
		return profile.sides[from];
	return seconds(windows.begin[from]) + ' to ' + seconds(windows.end[to - 1]);
}

function lostIn([from, to]) {
	let lost = 0;

	for (let i = from; i < to; i++)
		lost += windows.lost[i];
	return lost ? ', ' + grouped(lost) + ' lost' : '';
}

/* Of a comparison: either side alone, or both. */
function showSides() {
	const both = [[0, 1], [1, 2]];

	for (const [name, ranges] of [['A', [both[0]]], ['B', [both[1]]], ['A and B', both]])
		chips.append(element('button', {
			type: 'button', title: 'What is shown',
			'aria-pressed': String(ranges) === String(chosen.ranges) ? 'true' : 'false',
			onclick: () => { chosen.ranges = ranges; recount(); },
		}, name));
	chosen.ranges.forEach((range, i) => chips.append(element('span', {}, rangeText(range) + ' (' +
		counted((i ? sums.b : sums.a).all) + lostIn(range) + ')')));
}

/* What the figures are of, beside the whole: always told with them. */
function showChips() {
	showMeasure();
	const hidden = Object.values(chosen.hidden).reduce((n, set) => n + set.size, 0);

	chips.textContent = profile.events.length ? profile.events[chosen.event].line +
		(profile.events[chosen.event].rate ? ' · ' + profile.events[chosen.event].rate : '') : '';
	if (profile.sides)
		showSides();
	else
		chosen.ranges.forEach((range, i) => chips.append(button(
		(chosen.ranges.length > 1 ? ['First: ', 'Second: '][i] : '') + rangeText(range) + ' (' +
		counted((i ? sums.b : sums.a).all) + lostIn(range) + ') ×', 'Back to the whole run',
		() => { chosen.ranges = i ? chosen.ranges.slice(0, 1) : []; recount(); })));
	if (hidden)
		chips.append(button(hidden + ' hidden, ' + counted(sums.a.all) + ' left ×', 'Show all',
			() => { Object.values(chosen.hidden).forEach((s) => s.clear()); recount(); }));
}

function show() {
	TABS.forEach(([id], i) => {
		tabs.children[i].setAttribute('aria-selected', id === view);
		tabs.children[i].tabIndex = id === view ? 0 : -1;
	});
	foot.classList.toggle('roomy', isGraph());
	panel.setAttribute('aria-labelledby', 'tab-' + view);
	showChips();
	tellFound();
	tell('');
	panel.textContent = '';
	if (view === 'table')
		showTable();
	else if (view === 'time')
		showTime();
	else
		showGraph(view);
}

/* The line at the bottom; @what: { name, stack } for the buttons beside it. */
function tell(text, what) {
	told.textContent = text;
	actions.textContent = '';
	if (what)
		actions.append(
			button('Copy name', 'Copy name (c)', () => copy(what.name)),
			button('Copy stack', 'Copy stack (C)', () => copy(what.stack.join('\n'))),
			button('In table', 'Callers and callees (t)', () => chooseInTable(what.frame)));
}

function copy(text) {
	const done = () => { told.textContent = 'Copied: ' + text.split('\n')[0]; };
	const byHand = () => {
		const area = element('textarea', { value: text, className: 'unseen' });

		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
		done();
	};

	if (navigator.clipboard)
		navigator.clipboard.writeText(text).then(done, byHand);
	else
		byHand();
}

