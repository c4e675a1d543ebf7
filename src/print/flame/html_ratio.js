/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_ratio.js - a ratio of events (profile.color) of any part of the profile, and its scale.
 *
 * As print/flame/coloring.h has it: seven steps; one in 20 samples is beyond either end.
 */

const STEPS = 7, TAIL = 20;

let isColoured = !!profile.color;	/* by the ratio; else by kind and name */
let scale = null;	/* { low, high } of these sums; emptied by recount() */

/* Two ranges have colours of their own. */
function hasRatio() {
	return !!sums.counted;
}

/* @counts: of its events. NaN: not known, or divided by 0. */
function ratioOf(counts) {
	const stack = [];

	for (const op of profile.color.formula) {
		if (typeof op === 'number') {
			stack.push(op);
		} else if (op[0] === '#') {
			stack.push(counts[op.slice(1)]);
		} else if (op === '~') {
			stack.push(-stack.pop());
		} else {
			const right = stack.pop(), left = stack.pop();

			stack.push(op === '+' ? left + right : op === '-' ? left - right :
				op === '*' ? left * right : left / right);
		}
	}
	return Number.isFinite(stack[0]) ? stack[0] : NaN;
}

/* Three digits. */
function ratioText(ratio) {
	return Number.isNaN(ratio) ? '-' : String(+ratio.toPrecision(3));
}

/* Of stacks in which samples ended: others are sums of these. */
function findScale() {
	const ratios = new Float64Array(trie.nr).fill(NaN), { self } = sums.a;
	const nodes = [];
	let low = NaN, high = NaN, all = 0, sum = 0;

	for (let node = 1; node < trie.nr; node++) {
		if (!self[node])
			continue;
		ratios[node] = ratioOf(sums.counted.map((of) => of.total[node]));
		if (Number.isNaN(ratios[node]))
			continue;
		nodes.push(node);
		all += self[node];
	}
	nodes.sort((p, q) => ratios[p] - ratios[q]);
	for (const node of nodes) {
		const before = sum;

		sum += self[node];
		if (before < all / TAIL && sum >= all / TAIL)
			low = ratios[node];
		if (before < all - all / TAIL && sum >= all - all / TAIL)
			high = ratios[node];
	}
	/* All have the same: that is in the middle. */
	if (low === high) {
		low -= low ? Math.abs(low) / 2 : 0.5;
		high += high ? Math.abs(high) / 2 : 0.5;
	}
	return { low, high };
}

/* Below STEPS, or STEPS where it is not known. */
function stepOf(ratio) {
	scale = scale || findScale();
	if (Number.isNaN(ratio) || Number.isNaN(scale.low))
		return STEPS;
	return Math.max(0, Math.min(STEPS - 1,
		Math.floor((ratio - scale.low) / (scale.high - scale.low) * STEPS)));
}

