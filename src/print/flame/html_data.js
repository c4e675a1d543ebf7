/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_data.js - the first part of the page's scripts: the profile, read from its columns.
 *
 * The parts are put into one function when the program is built: they share their names. Those up
 * to label.js know numbers and names alone, those from html_page.js on have elements.
 */
'use strict';

const profile = JSON.parse(document.getElementById('data').textContent);
const COMM = 0, USER = 1, KERNEL = 2, JIT = 3, NOTE = 4, INLINED = 5;	/* enum frame_kind */

function decode(text, nr, Type, isNear) {
	const bytes = atob(text), to = new Type(nr);
	let at = 0, sum = 0;

	for (let i = 0; i < nr; i++) {
		let byte = bytes.charCodeAt(at++), value = byte & 127;

		for (let unit = 128; byte > 127; unit *= 128) {
			byte = bytes.charCodeAt(at++);
			value += (byte & 127) * unit;
		}
		if (isNear)
			value = sum += value % 2 ? -(value + 1) / 2 : value / 2;
		to[i] = value;
	}
	return to;
}

const frames = {
	nr: profile.frames.nr,
	name: decode(profile.frames.name, profile.frames.nr, Uint32Array),
	module: decode(profile.frames.module, profile.frames.nr, Uint32Array),
	kind: profile.frames.kind,
};

/* Stacks as a trie; children of a node are head[node], next[that], .. until 0. */
const trie = readTrie(profile.nodes);
const rows = readRows(profile.rows);
const windows = profile.windows && readWindows(profile.windows);
const nodeOf = rows.node;
const hasWeights = profile.events.map((_, event) => tellWeights(event));

function readTrie(from) {
	const nr = from.nr;
	const t = {
		nr,
		parent: decode(from.parent, nr, Uint32Array),
		frame: decode(from.frame, nr, Uint32Array),
		comm: new Uint32Array(nr),
		head: new Uint32Array(nr),
		next: new Uint32Array(nr),
	};

	for (let i = 1; i < nr; i++) {
		t.parent[i] = i - t.parent[i];
		t.comm[i] = t.parent[i] ? t.comm[t.parent[i]] : t.frame[i];
	}
	for (let i = nr - 1; i > 0; i--) {
		t.next[i] = t.head[t.parent[i]];
		t.head[t.parent[i]] = i;
	}
	return t;
}

function readRows(from) {
	const near = (text) => text === null ? null : decode(text, from.nr, Uint32Array, true);
	const event = decode(from.event, from.nr, Uint32Array);
	const samples = decode(from.samples, from.nr, Float64Array);

	return {
		nr: from.nr,
		event,
		pid: near(from.pid),
		tid: near(from.tid),
		cgroup: near(from.cgroup),
		node: near(from.node),
		samples,
		weight: readWeights(from.weight, samples, (row) => event[row]),
	};
}

/* What samples stand for: columns have by how much more that is than usual. */
function readWeights(text, samples, eventOf) {
	if (text === null)
		return null;
	return decode(text, samples.length, Float64Array).map((value, i) =>
		samples[i] * profile.events[eventOf(i)].each + (value % 2 ? -(value + 1) / 2 : value / 2));
}

/* Whether samples of an event stand for something else than themselves. */
function tellWeights(event) {
	return !!rows.weight && rows.event.some((of, row) =>
		of === event && rows.weight[row] !== rows.samples[row]);
}

/* begin and end in ns; first[i] to first[i + 1] are the entries of a window. */
function readWindows(from) {
	const nr = from.nr, lengths = decode(from.end, nr, Float64Array);
	const counts = decode(from.count, nr, Uint32Array);
	const row = decode(from.row, from.entries, Uint32Array, true);
	const samples = decode(from.samples, from.entries, Float64Array);
	const w = {
		nr,
		begin: new Float64Array(nr),
		end: new Float64Array(nr),
		lost: decode(from.lost, nr, Float64Array),
		first: new Uint32Array(nr + 1),
		row,
		samples,
		weight: readWeights(from.weight, samples, (i) => rows.event[row[i]]),
	};
	let at = from.begin;

	for (let i = 0; i < nr; i++) {
		w.begin[i] = at;
		w.end[i] = at += lengths[i];
		w.first[i + 1] = w.first[i] + counts[i];
	}
	return w;
}

function nameOf(frame) {
	return profile.strings[frames.name[frame]] || '[unknown]';
}

function moduleOf(frame) {
	return profile.strings[frames.module[frame]];
}

function kindOf(frame) {
	return frames.kind.charCodeAt(frame) - 48;
}

