/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_filters.js - which commands, threads and cgroups are hidden.
 */

const LISTED = 300;	/* of each, most samples first */

const filters = element('dialog', { 'aria-label': 'Hide' });

/* What there is of the chosen event: key -> samples. */
function keysOf(keyOf) {
	const all = new Map();

	for (let row = 0; row < rows.nr; row++)
		if (rows.event[row] === chosen.event)
			all.set(keyOf(row), (all.get(keyOf(row)) || 0) + rows[measure()][row]);
	return Array.from(all).sort((p, q) => q[1] - p[1]);
}

function threadNames() {
	const names = new Map();

	for (let row = 0; row < rows.nr; row++)
		names.set(threadOf(row), nameOf(trie.comm[nodeOf[row]]));
	return names;
}

function choices(title, hidden, keys, nameOfKey) {
	const list = element('fieldset', {}, element('legend', {}, title));

	for (const [key, samples] of keys.slice(0, LISTED)) {
		const box = element('input', {
			type: 'checkbox', checked: !hidden.has(key), onchange: () => {
				if (box.checked)
					hidden.delete(key);
				else
					hidden.add(key);
				recount();
			},
		});

		list.append(element('label', {}, box, element('span', {}, nameOfKey(key)),
			element('small', {}, figure(samples))));
	}
	if (keys.length > LISTED)
		list.append(element('p', { className: 'hint' }, 'and ' + grouped(keys.length - LISTED) +
			' more with fewer samples'));
	return list;
}

function openFilters() {
	const hidden = chosen.hidden, names = rows.pid || rows.tid ? threadNames() : null;
	const commands = keysOf((row) => trie.comm[nodeOf[row]]);

	filters.textContent = '';
	filters.append(element('h2', {}, 'Shown'), element('div', { className: 'choices' },
		choices('Commands', hidden.comm, commands, nameOf),
		names ? choices(rows.tid ? 'Threads (process/thread)' : 'Processes', hidden.thread,
			keysOf(threadOf), (key) => (rows.tid ? key : key.split('/')[0]) + ' ' +
			names.get(key)) : '',
		rows.cgroup ? choices('Cgroups', hidden.cgroup, keysOf((row) => rows.cgroup[row]),
			(id) => profile.strings[id] || '-') : ''),
	names && rows.cgroup ? '' : element('p', { className: 'hint' },
		'Not told apart here: ' + [names ? '' : 'processes and threads', rows.cgroup ? '' : 'cgroups']
			.filter(Boolean).join(', ') + '. profile --by comm,pid,tid,cgroup does.'),
	element('p', { className: 'tools' },
		button('Show all', '', () => {
			Object.values(hidden).forEach((set) => set.clear());
			filters.querySelectorAll('input').forEach((box) => { box.checked = true; });
			recount();
		}), button('Hide all commands', 'To show some again, one by one', () => {
			commands.forEach(([key]) => hidden.comm.add(key));
			filters.querySelector('fieldset').querySelectorAll('input').forEach((box) => {
				box.checked = false;
			});
			recount();
		}), button('Close', '', () => filters.close())));
	filters.showModal();
}

