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
	byWeight: false,	/* what samples stand for, where that is known */
	hidden: { comm: new Set(), thread: new Set(), cgroup: new Set() },
	merging: false,		/* a function that calls itself is one box */
	/* None, one, or two to compare: [first window, behind the last one]. */
	ranges: profile.sides ? [[0, 1], [1, 2]] : [],
};

/*
 * { a, b, counted }: b is null unless two ranges are compared; counted: of the events of
 * profile.color what was counted at the same samples as those of a, or null.
 */
let sums = null;

function threadOf(row) {
	return (rows.pid ? rows.pid[row] : '-') + '/' + (rows.tid ? rows.tid[row] : '-');
}

/* The column of rows and of windows that is added up. */
function measure() {
	return chosen.byWeight && hasWeights[chosen.event] ? 'weight' : 'samples';
}

function isCounted(row, event) {
	const hidden = chosen.hidden;

	if (rows.event[row] !== event)
		return false;
	if (hidden.comm.size && hidden.comm.has(trie.comm[nodeOf[row]]))
		return false;
	if (hidden.cgroup.size && hidden.cgroup.has(rows.cgroup[row]))
		return false;
	return !hidden.thread.size || !hidden.thread.has(threadOf(row));
}

/* By node: samples that ended there, and those of its subtree, too; or what they stand for. */
function sumUp(range, event, column) {
	const self = new Float64Array(trie.nr), total = new Float64Array(trie.nr);

	if (range) {
		const counted = new Uint8Array(rows.nr);

		for (let row = 0; row < rows.nr; row++)
			counted[row] = isCounted(row, event) ? 1 : 0;
		for (let i = windows.first[range[0]]; i < windows.first[range[1]]; i++)
			if (counted[windows.row[i]])
				self[nodeOf[windows.row[i]]] += windows[column][i];
	} else {
		for (let row = 0; row < rows.nr; row++)
			if (isCounted(row, event))
				self[nodeOf[row]] += rows[column][row];
	}
	total.set(self);
	for (let i = trie.nr - 1; i > 0; i--)
		total[trie.parent[i]] += total[i];
	return { self, total, all: total[0] };
}

function sumAll() {
	const [first, second] = chosen.ranges;
	const sum = (range) => sumUp(range, chosen.event, measure());

	sums = {
		a: sum(first), b: second ? sum(second) : null,
		counted: profile.color && !second && chosen.event === profile.event ?
			profile.color.events.map((event) => sumUp(first, event, 'weight')) : null,
	};
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

/*
 * @at: nodes of the trie that it stands for; @ends: of callers, by those where the stacks ended.
 * @counted: of sums.counted.
 */
function newBranch(frame, parent) {
	return {
		frame, parent, depth: parent ? parent.depth + 1 : 0,
		a: 0, b: 0, width: 0, at: [], ends: null, below: null,
		counted: sums.counted && new Float64Array(sums.counted.length),
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

/* @part: total or self. */
function addNode(to, node, part) {
	to.a += sums.a[part][node];
	if (sums.b)
		to.b += sums.b[part][node];
	if (to.counted)
		for (let i = 0; i < to.counted.length; i++)
			to.counted[i] += sums.counted[i][part][node];
}

/* Of one node, whose children are of different frames. */
function calleesOfNode(branch) {
	const all = [], { a, b } = sums;

	for (let node = trie.head[branch.at[0]]; node; node = trie.next[node]) {
		let to;

		if (!a.total[node] && !(b && b.total[node]))
			continue;
		to = newBranch(trie.frame[node], branch);
		to.at.push(node);
		addNode(to, node, 'total');
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
			addNode(to, node, 'total');
		}
	}
	return Array.from(group.values());
}

function endsOfStacks(root) {
	const group = new Map(), { a, b } = sums;

	for (let node = 1; node < trie.nr; node++)
		if (a.self[node] || b && b.self[node])
			goOn(branchOf(group, trie.frame[node], root), node, node);
	return Array.from(group.values());
}

/* Of stacks that ended at @end what goes through @node. */
function goOn(to, node, end) {
	to.ends = to.ends || [];
	to.at.push(node);
	to.ends.push(end);
	addNode(to, end, 'self');
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
			goOn(branchOf(group, trie.frame[up], branch), up, branch.ends[i]);
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
	addNode(root, 0, 'total');
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

