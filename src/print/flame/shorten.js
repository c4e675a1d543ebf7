/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/shorten.js - a function's name in as many characters as there is room for.
 *
 * Parameters and template arguments go first, then what is around the class, the tail last:
 *
 *	ns::Class<std::vector<int>>::method(int, char const*)
 *	ns::Class<..>::method(..)
 *	Class::method
 *	Class::m…
 */

/* Where the bracket that opens at @from ends; operators (<, <<, ->, ()) open none. */
function bracketEnd(name, from) {
	const close = name[from] === '<' ? '>' : ')';
	let depth = 0;

	for (let i = from; i < name.length; i++) {
		if (name[i] === name[from])
			depth++;
		else if (name[i] === close && name[i - 1] !== '-' && --depth === 0)
			return i;
	}
	return -1;
}

/* With @mark in place of what is between brackets; "": without the brackets, too. */
function withoutArguments(name, mark) {
	let out = '';

	for (let i = 0; i < name.length; i++) {
		const opens = i > 0 && (name[i] === '<' || name[i] === '(') &&
			!/operator[<(]?$/.test(name.slice(0, i)) &&
			!name.startsWith('(anonymous', i);
		const end = opens ? bracketEnd(name, i) : -1;

		if (end < 0) {
			out += name[i];
			continue;
		}
		if (mark && end > i + 1)
			out += name[i] + mark + name[end];
		else if (mark)
			out += name[i] + name[end];
		i = end;
	}
	return out;
}

/* Of "void ns::a::Class::method const" the last two parts. */
function lastParts(name) {
	const bare = withoutArguments(name, '').replace(/ (const|volatile|noexcept|&&?)$/, '');
	const parts = bare.replace(/\((anonymous[^)]*)\)/g, '{$1}').split('::');
	const last = parts.slice(-2).join('::');
	const space = /operator/.test(last) ? -1 : last.lastIndexOf(' ', last.indexOf('{') < 0 ?
		last.length : last.indexOf('{'));

	return parts.length > 1 && space >= 0 ? last.slice(space + 1) : last;
}

function shorten(name, columns) {
	if (name.length <= columns)
		return name;
	if (/::|[<(]/.test(name)) {
		const marked = withoutArguments(name, '..'), last = lastParts(name).trim();

		if (marked.length <= columns)
			return marked;
		if (last.length && last.length <= columns)
			return last;
		name = last || name;
	}
	return columns < 2 ? '' : name.slice(0, columns - 1) + '\u2026';
}

