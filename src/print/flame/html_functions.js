/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_functions.js - sums by function, callers and callees of one, and what a search finds.
 *
 * A sample counts once for each function, however often that is on its stack.
 */

let outermost = null;

/* By node: whether no caller of it is of its frame. The same for all samples: found out once. */
function outermostOnes() {
	const { head, next, parent, frame } = trie, open = new Uint32Array(frames.nr);
	let node = head[0];

	if (outermost)
		return outermost;
	outermost = new Uint8Array(trie.nr);
	while (node) {
		if (!open[frame[node]]++)
			outermost[node] = 1;
		if (head[node]) {
			node = head[node];
			continue;
		}
		for (; node; node = parent[node]) {
			open[frame[node]]--;
			if (next[node]) {
				node = next[node];
				break;
			}
		}
	}
	return outermost;
}

/* By frame. */
function functionSums(of) {
	const self = new Float64Array(frames.nr), total = new Float64Array(frames.nr);
	const { frame } = trie, isOutermost = outermostOnes();

	for (let node = 1; node < trie.nr; node++) {
		self[frame[node]] += of.self[node];
		if (isOutermost[node])
			total[frame[node]] += of.total[node];
	}
	return { self, total };
}

/*
 * Frame -> samples, as model/callers.h has it: once for each sample, so a call that is already on
 * the stack above this one is not counted again.
 */
function callsOf(frame, up) {
	const calls = new Map(), above = new Map(), { a, b } = sums;

	for (let node = 1; node < trie.nr; node++) {
		const parent = trie.parent[node];
		const from = parent ? trie.frame[parent] : -1, to = trie.frame[node];
		const before = above.get(parent);

		if (!a.total[node] && !(b && b.total[node]))
			continue;
		if (from < 0 || (up ? to : from) !== frame) {
			if (before)
				above.set(node, before);
			continue;
		}
		const other = up ? from : to;

		if (before && before.has(other)) {
			above.set(node, before);
			continue;
		}
		above.set(node, new Set(before).add(other));
		const sum = calls.get(other) || { frame: other, a: 0, b: 0 };

		sum.a += a.total[node];
		sum.b += b ? b.total[node] : 0;
		calls.set(other, sum);
	}
	return Array.from(calls.values());
}

const search = { text: '', error: '', frames: null, nr: 0, a: 0, b: 0 };

/* Samples with a frame that matches anywhere on their stacks. */
function sumMatches() {
	const hit = new Uint8Array(trie.nr);

	search.a = search.b = 0;
	if (!search.frames)
		return;
	for (let node = 1; node < trie.nr; node++) {
		hit[node] = hit[trie.parent[node]] | search.frames[trie.frame[node]];
		if (!hit[node])
			continue;
		search.a += sums.a.self[node];
		search.b += sums.b ? sums.b.self[node] : 0;
	}
}

function searchFor(text) {
	let pattern;

	search.text = text;
	search.error = '';
	search.frames = null;
	search.nr = 0;
	try {
		pattern = text && new RegExp(text, /[A-Z]/.test(text) ? '' : 'i');
	} catch (e) {
		search.error = e.message;
	}
	if (pattern) {
		search.frames = new Uint8Array(frames.nr);
		for (let i = 0; i < frames.nr; i++)
			if (pattern.test(nameOf(i)))
				search.frames[i] = 1, search.nr++;
	}
	sumMatches();
}

