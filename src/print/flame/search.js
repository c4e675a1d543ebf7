/* SPDX-License-Identifier: BSD-2-Clause */
/* flame/search.js - searching: matches by name, and their share without counting twice. */

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
