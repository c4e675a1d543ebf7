/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_trees.js - which samples are counted, and the trees that are drawn of them.
 *
 * A tree's branches are made when they are looked at: of 350,000 stacks as many as are wide enough
 * to be seen. Sums are those of one set of samples, a, or of two that are compared, a and b.
 */

/* What is chosen. */
const chosen = {
	event: profile.event,
	hidden: { comm: new Set(), thread: new Set(), cgroup: new Set() },
	merging: false,		/* a function that calls itself is one box */
	/* None, one, or two to compare: [first window, behind the last one]. */
	ranges: profile.sides ? [[0, 1], [1, 2]] : [],
};

let sums = null;	/* { a, b }: b is null unless two ranges are compared */

function threadOf(row) {
	return (rows.pid ? rows.pid[row] : '-') + '/' + (rows.tid ? rows.tid[row] : '-');
}

function isCounted(row) {
	const hidden = chosen.hidden;

	if (rows.event[row] !== chosen.event)
		return false;
	if (hidden.comm.size && hidden.comm.has(trie.comm[nodeOf[row]]))
		return false;
	if (hidden.cgroup.size && hidden.cgroup.has(rows.cgroup[row]))
		return false;
	return !hidden.thread.size || !hidden.thread.has(threadOf(row));
}

/* By node: samples that ended there, and those of its subtree, too. */
function sumUp(range) {
	const self = new Float64Array(trie.nr), total = new Float64Array(trie.nr);

	if (range) {
		const counted = new Uint8Array(rows.nr);

		for (let row = 0; row < rows.nr; row++)
			counted[row] = isCounted(row) ? 1 : 0;
		for (let i = windows.first[range[0]]; i < windows.first[range[1]]; i++)
			if (counted[windows.row[i]])
				self[nodeOf[windows.row[i]]] += windows.samples[i];
	} else {
		for (let row = 0; row < rows.nr; row++)
			if (isCounted(row))
				self[nodeOf[row]] += rows.samples[row];
	}
	total.set(self);
	for (let i = trie.nr - 1; i > 0; i--)
		total[trie.parent[i]] += total[i];
	return { self, total, all: total[0] };
}

function sumAll() {
	const [first, second] = chosen.ranges;

	sums = { a: sumUp(first), b: second ? sumUp(second) : null };
}

/* Two sets are compared by their shares, however long they took: a width is the mean of both. */
function widthOf(a, b) {
	if (!sums.b)
		return a;
	return (sums.a.all ? a / sums.a.all : 0) + (sums.b.all ? b / sums.b.all : 0);
}

/* From -1, only in the first, to 1, only in the second. */
function changeOf(branch) {
	const first = sums.a.all ? branch.a / sums.a.all : 0;
	const second = sums.b.all ? branch.b / sums.b.all : 0;

	return first + second ? (second - first) / (first + second) : 0;
}

/*
 * Two ranges of a run are what they are; of two sides chance may have made a change. A box that goes
 * another way than its function as a whole is not what is sure.
 */
function isSure(frame, change) {
	return !profile.sure || profile.sure[frame] === (change > 0 ? '1' : '2');
}

/* @at: nodes of the trie that it stands for; @as, @bs: of callers, how much of each goes on. */
function newBranch(frame, parent) {
	return {
		frame, parent, depth: parent ? parent.depth + 1 : 0,
		a: 0, b: 0, width: 0, at: [], as: null, bs: null, below: null,
		x: 0, px: 0,	/* where it is drawn */
	};
}

/* Finds the branch of a frame among those of a group. */
function branchOf(group, frame, parent) {
	let branch = group.get(frame);

	if (!branch) {
		branch = newBranch(frame, parent);
		group.set(frame, branch);
	}
	return branch;
}

/* Of one node, whose children are of different frames. */
function calleesOfNode(branch) {
	const all = [], { a, b } = sums;

	for (let node = trie.head[branch.at[0]]; node; node = trie.next[node]) {
		const inA = a.total[node], inB = b ? b.total[node] : 0;
		let to;

		if (!inA && !inB)
			continue;
		to = newBranch(trie.frame[node], branch);
		to.at.push(node);
		to.a = inA;
		to.b = inB;
		all.push(to);
	}
	return all;
}

function callees(branch) {
	if (!chosen.merging)
		return calleesOfNode(branch);
	const group = new Map(), at = branch.at.slice();
	const { a, b } = sums;

	for (let i = 0; i < at.length; i++) {
		for (let node = trie.head[at[i]]; node; node = trie.next[node]) {
			const frame = trie.frame[node];
			let to;

			if (!a.total[node] && !(b && b.total[node]))
				continue;
			if (at[i] && frame === branch.frame) {
				at.push(node);
				continue;
			}
			to = branchOf(group, frame, branch);
			to.at.push(node);
			to.a += a.total[node];
			to.b += b ? b.total[node] : 0;
		}
	}
	return Array.from(group.values());
}

function endsOfStacks(root) {
	const group = new Map(), { a, b } = sums;

	for (let node = 1; node < trie.nr; node++) {
		const inA = a.self[node], inB = b ? b.self[node] : 0;

		if (inA || inB)
			goOn(branchOf(group, trie.frame[node], root), node, inA, inB);
	}
	return Array.from(group.values());
}

function goOn(to, node, inA, inB) {
	to.as = to.as || [];
	to.bs = to.bs || [];
	to.at.push(node);
	to.as.push(inA);
	to.bs.push(inB);
	to.a += inA;
	to.b += inB;
}

function callersOf(branch) {
	const group = new Map();

	if (!branch.parent)
		return endsOfStacks(branch);
	for (let i = 0; i < branch.at.length; i++) {
		let up = trie.parent[branch.at[i]];

		while (chosen.merging && up && trie.frame[up] === branch.frame)
			up = trie.parent[up];
		if (up)
			goOn(branchOf(group, trie.frame[up], branch), up, branch.as[i], branch.bs[i]);
	}
	return Array.from(group.values());
}

let ranks = null;	/* of frames by their names */

function rankOf(frame) {
	if (!ranks) {
		const names = Array.from({ length: frames.nr }, (_, i) => nameOf(i));
		const order = names.map((_, i) => i).sort((p, q) =>
			names[p] < names[q] ? -1 : names[p] > names[q] ? 1 : p - q);

		ranks = new Uint32Array(frames.nr);
		order.forEach((f, rank) => { ranks[f] = rank; });
	}
	return ranks[frame];
}

/* @up: from the innermost frame to its callers. @byWidth: the widest is on the left. */
function newTree(up, byWidth) {
	const root = newBranch(-1, null);

	root.at.push(0);
	root.a = sums.a.all;
	root.b = sums.b ? sums.b.all : 0;
	root.width = widthOf(root.a, root.b);
	return { root, up, byWidth };
}

/* From left to right. */
function branchesOf(tree, branch) {
	if (!branch.below) {
		branch.below = tree.up ? callersOf(branch) : callees(branch);
		for (const one of branch.below)
			one.width = widthOf(one.a, one.b);
		branch.below.sort((p, q) => tree.byWidth && q.width - p.width ||
			rankOf(p.frame) - rankOf(q.frame));
	}
	return branch.below;
}

function stackOf(tree, branch) {
	const names = [];

	for (let at = branch; at.parent; at = at.parent)
		names.push(nameOf(at.frame));
	return tree.up ? names : names.reverse();
}

