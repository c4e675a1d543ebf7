/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/label.js - the name of a function, in as many columns as its box has.
 *
 * The rule is told in label.h; functions have the same names as in label.c and label_pieces.c.
 */

const LABEL_CHARS = 1024;	/* longer names are only cut */
const SIGN = /^operator(?![\w$\x80-\uffff])(\(\)|\[\]|<=>|<<=|>>=|->\*|<<|>>|->|<=|>=|<|>|[=!+*\/%^&|~,"-]*)/;
const WORD_END = /[\w$\x80-\uffff]$/;
const QUALIFIERS = /^( const)?( volatile)?( &&)?( &)?/;
const CLOSES = { ')': '(', ']': '[', '}': '{' };

function operatorEnd(s, at) {
	const sign = s[at] === 'o' && !(at && WORD_END.test(s[at - 1])) && SIGN.exec(s.slice(at, at + 16));

	return sign ? at + sign[0].length : at;
}

/* Behind the bracket that closes the one at @at; 0: nothing does. A < may be a comparison. */
function groupEnd(s, at) {
	const open = [];

	for (let i = at; i < s.length;) {
		const end = operatorEnd(s, i), c = s[i];

		if (end > i) {
			i = end;
			continue;
		}
		if ('<([{'.includes(c)) {
			if (open.length === 64)
				return 0;
			open.push(c);
		} else if (c === '>') {
			if (open[open.length - 1] === '<' && s[i - 1] !== '-')
				open.pop();
		} else if (CLOSES[c]) {
			while (open[open.length - 1] === '<')
				open.pop();
			if (open.pop() !== CLOSES[c])
				return 0;
		}
		i++;
		if (!open.length)
			return i;
	}
	return 0;
}

function conversionEnd(s, at) {
	while (at < s.length && s[at] !== '(') {
		const end = '<[{'.includes(s[at]) ? groupEnd(s, at) : at + 1;

		if (!end)
			return s.length;
		at = end;
	}
	return at;
}

function isArguments(s, before, at, end) {
	switch (before.kind) {
	case 'text':
		return WORD_END.test(s[at - 1]);
	case '::':
		return !s.startsWith('<impl ', at) && !s.startsWith('<lambda', at) &&
			(end === s.length || s[end] === '(' || s.startsWith('::', end));
	case 'none':
	case ' ':
		return false;
	}
	return true;
}

function isParameters(s, before, at, end) {
	if (/^(none|::| )$/.test(before.kind) || before.kind === 'text' && !WORD_END.test(s[at - 1]))
		return false;
	return end === s.length || ' :.[#'.includes(s[end]);
}

function bracketsAt(s, before, at) {
	const end = groupEnd(s, at);

	if (!end)
		return 'broken';
	if (s[at] === '<' && isArguments(s, before, at, end))
		return { kind: 'arguments', text: s.slice(at, end) };
	if (s[at] === '(' && isParameters(s, before, at, end))
		return { kind: 'parameters', text: s.slice(at, end) };
	return { kind: 'group', text: s.slice(at, end) };
}

function operatorAt(s, at, end) {
	if (s.startsWith(' <', end))
		return { kind: 'operator', text: s.slice(at, end + 1) };
	if (s[end] === ' ')
		return { kind: 'conversion', text: s.slice(at, conversionEnd(s, end)) };
	return { kind: 'operator', text: s.slice(at, end) };
}

function textAt(s, at) {
	let end = at;

	while (end < s.length && !'<([{>)]} '.includes(s[end]) && !s.startsWith('::', end) &&
			operatorEnd(s, end) === end)
		end += s.startsWith('->', end) ? 2 : 1;
	return end > at ? { kind: 'text', text: s.slice(at, end) } : 'broken';
}

/* All pieces of a name, or null: its brackets do not match. */
function pieces(s) {
	const all = [];
	let before = { kind: 'none' };

	for (let at = 0; at < s.length; at += before.text.length) {
		const end = operatorEnd(s, at);

		if (end > at)
			before = operatorAt(s, at, end);
		else if (s.startsWith('::', at))
			before = { kind: '::', text: '::' };
		else if (s[at] === ' ')
			before = { kind: ' ', text: ' ' };
		else
			before = '<([{'.includes(s[at]) ? bracketsAt(s, before, at) : textAt(s, at);
		if (before === 'broken')
			return null;
		all.push(before);
	}
	return all;
}

function briefGroup(text) {
	const inner = text.slice(1, -1), of = pieces(inner);

	return text[0] + (of ? brief(of) : inner) + text[text.length - 1];
}

function brief(of) {
	let out = '', skipped = 0;	/* of the text behind parameters */

	of.forEach((p, i) => {
		const isList = p.kind === 'arguments' || p.kind === 'parameters';

		if (skipped) {
			out += p.text.slice(skipped);
			skipped = Math.max(0, skipped - p.text.length);
			return;
		}
		if (isList && p.text.length > 4)
			out += p.text[0] + '..' + p.text[p.text.length - 1];
		else
			out += p.kind === 'group' ? briefGroup(p.text) : p.text;
		if (p.kind === 'parameters')
			skipped = QUALIFIERS.exec(of.slice(i + 1).map((q) => q.text).join(''))[0].length;
	});
	return out;
}

/* "<alloc::vec::Vec<u8> as core::fmt::Debug>": "<Vec as Debug>" */
function lastParts(of) {
	let out = '', word = '';

	for (const p of of) {
		if (p.kind === '::')
			word = '';
		else if (p.kind !== 'arguments')
			word += p.kind === 'group' ? briefGroup(p.text) : p.text;
		if (p.kind === ' ') {
			out += word;
			word = '';
		}
	}
	return out + word;
}

function nameGroup(text) {
	const of = text[0] === '<' ? pieces(text.slice(1, -1)) : null;

	return of ? '<' + lastParts(of) + '>' : briefGroup(text);
}

function withoutPath(s) {
	const path = /^[a-z][^([{< ]*\//i.exec(s);

	return path && !s.includes('::') && /^[^([{< ]*\./.test(s.slice(path[0].length)) ?
		s.slice(path[0].length) : s;
}

function tail(s) {
	const of = pieces(withoutPath(s)), isFunction = of.some((p) => p.kind === 'parameters');
	let before = '', last = '';

	for (let i = 0; i < of.length; i++) {
		const p = of[i], next = of[i + 1] || { kind: 'end' };

		if (p.kind === '::') {
			if (next.kind === 'text' && i + 2 === of.length && /^h[0-9a-f]{16}$/i.test(next.text))
				break;
			if (next.kind === 'arguments')
				continue;
			if (last && last !== '(anonymous namespace)' && last !== '{anonymous}')
				before = last;
			last = '';
		} else if (p.kind === ' ' && isFunction) {
			before = last = '';
		} else if (p.kind === 'group') {
			last += nameGroup(p.text);
		} else if (p.kind === 'parameters') {
			if (next.kind !== '::' && !(next.text || '').startsWith(':'))
				break;
		} else if (p.kind !== 'arguments') {
			last += p.text;
		}
	}
	return before ? before + '::' + last : last;
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

const shortForms = new Map();	/* by name: [brief, tail] */

function fitLabel(name, columns) {
	let forms = shortForms.get(name);

	if (cut(name, columns) === name)
		return name;
	if (!forms) {
		const of = name.length <= LABEL_CHARS ? pieces(name) : null;

		forms = of ? [brief(of), tail(name)] : [name, name];
		shortForms.set(name, forms);
	}
	if (cut(forms[0], columns) === forms[0])
		return forms[0];
	return cut(forms[1] || forms[0], columns);
}
