/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_table.js - functions by self and total, and callers and callees of the one chosen.
 */

const TABLE_ROWS = 100;	/* at a time */
const FIRST_ROWS = 40;	/* that are there at once: windows are seldom higher */

const table = {
	by: 'self', down: true, shown: TABLE_ROWS, frame: -1,
	rest: null,		/* makes the rows that are still to come */
};

const COLUMNS = [
	['self', 'Self'], ['total', 'Total'], ['second', profile.sides ? 'Total, B' : 'Total, second'],
	['change', 'Change'], ['ratio', profile.color ? profile.color.title : ''],
	['name', 'Function'],
];

function addUpFunctions() {
	const a = functionSums(sums.a), b = sums.b && functionSums(sums.b);
	const share = (n, of) => of ? n / of : 0;
	const ratios = hasRatio() && sums.counted.map((of) => functionSums(of).total);
	const list = [];

	for (let f = 0; f < frames.nr; f++) {
		const second = b ? b.total[f] : 0;

		if (kindOf(f) === COMM || !a.total[f] && !second)
			continue;
		list.push({
			frame: f, name: nameOf(f), self: a.self[f], total: a.total[f], second,
			ratio: ratios ? ratioOf(ratios.map((total) => total[f])) : NaN,
			change: b ? share(second, sums.b.all) - share(a.total[f], sums.a.all) : 0,
		});
	}
	return list;
}

function sorted(list) {
	const by = table.by, sign = table.down ? -1 : 1;
	/* What is not known is last. */
	const size = (f) => by === 'change' ? Math.abs(f.change) :
		by === 'ratio' && Number.isNaN(f.ratio) ? -sign * Number.MAX_VALUE : f[by];

	return list.filter((f) => !search.frames || search.frames[f.frame]).sort((p, q) =>
		(by === 'name' ? 0 : sign * (size(p) - size(q))) ||
		(by === 'name' && !table.down ? -1 : 1) * (rankOf(p.frame) - rankOf(q.frame)));
}

function sortBy(by) {
	table.down = table.by === by ? !table.down : true;
	table.by = by;
	showTable();
	panel.querySelector('[data-by=' + by + ']').focus();
}

function headOf(columns) {
	return element('tr', {}, ...columns.map(([by, name]) => element('th', {
		scope: 'col', className: by === 'name' ? '' : 'number',
		'aria-sort': table.by !== by ? 'none' :
			table.down === (by !== 'name') ? 'descending' : 'ascending',
	}, element('button', { type: 'button', 'data-by': by, onclick: () => sortBy(by) }, name +
		(table.by === by ? table.down === (by !== 'name') ? ' ▼' : ' ▲' : '')))));
}

/* A share with its samples. */
function numberCell(n, of) {
	return element('td', { className: 'number', title: counted(n) }, percent(n, of),
		element('small', {}, figure(n)));
}

function changeText(change) {
	return (change > 0 ? '+' : change < 0 ? '−' : '') + (100 * Math.abs(change)).toFixed(1) + ' pp';
}

function nameCell(frame) {
	const file = moduleOf(frame), name = nameOf(frame);

	return element('td', { className: 'name' }, element('div', {}, element('i', {
		className: 'kind', style: 'background:' + kindColour(kindOf(frame), shades()[frame]),
		title: (KINDS.find(([kind]) => kind === kindOf(frame)) || [0, ''])[1],
	}), element('button', {
		type: 'button', className: 'link', title: name, onclick: () => chooseInTable(frame),
	}, fitLabel(name, 60)), file ? element('small', {}, file) : ''));
}

function functionRow(f) {
	const cells = [numberCell(f.self, sums.a.all), numberCell(f.total, sums.a.all)];

	if (sums.b)
		cells.push(numberCell(f.second, sums.b.all),
			element('td', { className: 'number' },
				isSure(f.frame, f.change) ? changeText(f.change) : 'cannot tell'));
	if (hasRatio())
		cells.push(element('td', { className: 'number' }, ratioText(f.ratio)));
	return element('tr', { className: f.frame === table.frame ? 'chosen' : '' }, ...cells,
		nameCell(f.frame));
}

function callRows(frame, up) {
	const calls = callsOf(frame, up).sort((p, q) => q.a + q.b - p.a - p.b ||
		rankOf(p.frame) - rankOf(q.frame));
	const body = calls.slice(0, 100).map((call) => element('tr', {},
		numberCell(call.a, sums.a.all), ...sums.b ? [numberCell(call.b, sums.b.all)] : [],
		nameCell(call.frame)));

	if (!calls.length)
		body.push(element('tr', {}, element('td', {}, up ? 'nobody that is known' : 'nothing')));
	if (calls.length > 100)
		body.push(element('tr', {}, element('td', { colSpan: 4 }, 'and ' +
			grouped(calls.length - 100) + ' more')));
	return element('table', {}, element('caption', {}, up ? 'Called by' : 'Calls'),
		element('tbody', {}, ...body));
}

function sandwich() {
	const f = functions.find((one) => one.frame === table.frame);

	if (!f)
		return element('aside', {}, element('p', { className: 'hint' },
			'Choose a function to see who calls it and what it calls.'));
	return element('aside', { 'aria-label': 'Callers and callees' },
		callRows(f.frame, true),
		element('h2', {}, f.name),
		element('p', {}, 'self ' + percent(f.self, sums.a.all) + ' · total ' +
			percent(f.total, sums.a.all) +
			(hasRatio() ? ' · ' + profile.color.title + ' ' + ratioText(f.ratio) : '') +
			(moduleOf(f.frame) ? ' · ' + moduleOf(f.frame) : '')),
		element('p', { className: 'tools' }, button('Copy name', 'Copy name (c)', () => copy(f.name)),
			button('Search it', 'Show it in the graphs',
				() => setSearch('^' + f.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$'))),
		callRows(f.frame, false));
}

/* Makes all of them be there. */
function settleTable() {
	const { rest } = table;

	table.rest = null;
	if (rest)
		rest();
}

function showTable() {
	functions = functions || addUpFunctions();
	/* A table that is changed keeps its height, and so what is seen of it. */
	const nrFirst = panel.querySelector('.sandwich') ? table.shown : FIRST_ROWS;
	const all = sorted(functions), shown = all.slice(0, table.shown);
	const columns = COLUMNS.filter(([by]) => by === 'ratio' ? hasRatio() :
		sums.b || by !== 'second' && by !== 'change');
	const body = element('tbody', {}, ...shown.slice(0, nrFirst).map(functionRow));
	const list = element('div', { className: 'list' }, element('table', {},
		element('caption', {}, grouped(all.length) + ' functions' +
			(search.frames ? ' that match' : '') + ' of ' + (sums.b ? figure(sums.a.all) + ' and ' +
				counted(sums.b.all) : counted(sums.a.all))),
		element('thead', {}, headOf(columns)), body));

	if (all.length > shown.length)
		list.append(button('Show ' + grouped(Math.min(TABLE_ROWS, all.length - shown.length)) + ' more',
			'', () => { table.shown += TABLE_ROWS; showTable(); }));
	panel.textContent = '';
	panel.append(element('div', { className: 'sandwich' }, list, sandwich()));
	table.rest = () => body.append(...shown.slice(nrFirst).map(functionRow));
	/* Behind the next frame. */
	requestAnimationFrame(() => setTimeout(settleTable));
}

function chooseInTable(frame) {
	if (kindOf(frame) === COMM)
		return;
	table.frame = frame;
	if (view !== 'table')
		go('table');
	else
		showTable();
	panel.querySelector('aside').scrollIntoView({ block: 'nearest' });
}

