/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame/html_canvas.js - colours, and boxes on a canvas.
 *
 * The hue tells the kind of a frame; kinds differ in lightness or blue, too, so that colour-blind
 * readers tell them apart (tests/cli/html.sh holds that); eight shades tell functions apart.
 */

const ROW = 18, BOX = 17, PAD = 4, NARROWEST = 0.5;
const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const SHADES = {
	[COMM]: ['#d5d2cc'],
	[USER]: ['#f79a5e', '#fba968', '#f9b374', '#ee9f58', '#f3ab62', '#f0b070', '#e8a75c', '#eca064'],
	[KERNEL]: ['#6cb0d8', '#7bbce8', '#8cc8f8', '#79b2e4', '#8abcf6', '#9cc8ff', '#8bb0f2', '#9ebcff'],
	[JIT]: ['#4fa87c', '#57b488', '#60c094', '#4aae86', '#53b990', '#5ac49c', '#46b08e', '#4fbb98'],
	[NOTE]: ['#f7f5f1'],
	[INLINED]: ['#ece47a', '#f2ec8c', '#f6f19c', '#e9e584', '#efeb90', '#f3f0a4', '#e7e27e', '#ece98a'],
};
const KINDS = [[COMM, 'command'], [USER, 'user'], [INLINED, 'inlined'], [KERNEL, 'kernel'],
	[JIT, 'JIT'], [NOTE, 'note']];
/* Of these: white letters are readable on all, and kinds differ as they do on light pages. */
const DARKER = { [COMM]: 0.52, [USER]: 0.54, [KERNEL]: 0.52, [JIT]: 0.38, [NOTE]: 0.17, [INLINED]: 0.3 };

let printing = false;

function isDark() {
	return dark.matches && !printing;
}

function channels(hex) {
	return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function mix(from, to, share) {
	const a = channels(from), b = channels(to);

	return '#' + a.map((c, i) => Math.round(c + (b[i] - c) * share).toString(16).padStart(2, '0'))
		.join('');
}

let shadeOf = null;	/* by frame */

function shades() {
	if (shadeOf)
		return shadeOf;
	shadeOf = new Uint8Array(frames.nr);
	for (let f = 0; f < frames.nr; f++) {
		const name = nameOf(f);
		let hash = 7;

		for (let i = 0; i < name.length && i < 32; i++)
			hash = hash * 31 + name.charCodeAt(i) | 0;
		shadeOf[f] = (hash ^ hash >>> 13) & 7;
	}
	return shadeOf;
}

function kindColour(kind, shade) {
	const light = SHADES[kind][shade % SHADES[kind].length];

	return isDark() ? mix('#000000', light, DARKER[kind]) : light;
}

/* Blue: less in the second; red: more. */
function changeColour(change) {
	const end = change < 0 ? isDark() ? '#3f7fc4' : '#5a9bdc' : isDark() ? '#bf4f3a' : '#e8705a';

	return mix(isDark() ? '#45464a' : '#ebe9e5', end, Math.sqrt(Math.abs(change)));
}

/* Of a ratio, as style.css has them; the last one is of what is not known. */
const RATIOS = ['#f9f5bb', '#ceecb1', '#9de1b4', '#6ad3c0', '#3ec1ce', '#37aad9', '#528ed9', '#e9e7e3'];
const DARK_RATIOS = ['#0d142c', '#06233b', '#003445', '#004549', '#005547', '#2b633f', '#526d34', '#47443f'];

function ratioColour(step) {
	return (isDark() ? DARK_RATIOS : RATIOS)[step];
}

function colours() {
	const cache = {};

	return (branch) => {
		if (!branch.parent)
			return isDark() ? '#3c3d42' : '#e9e7e3';
		if (sums.b) {
			const change = changeOf(branch);

			return changeColour(isSure(branch.frame, change) ? change : 0);
		}
		if (isColoured && hasRatio())
			return ratioColour(stepOf(ratioOf(branch.counted)));
		const key = kindOf(branch.frame) * 8 + shades()[branch.frame];

		return cache[key] || (cache[key] = kindColour(key >> 3, key & 7));
	};
}

function fit(canvas, width, height) {
	/* Browsers draw nothing on what is larger. */
	const ratio = Math.min(window.devicePixelRatio || 1, 30000 / height, 30000 / width);
	const ctx = canvas.getContext('2d');

	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	canvas.style.width = width + 'px';
	canvas.style.height = height + 'px';
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	return ctx;
}

/* One row: boxes, then the names that fit. @pieces: from left to right. */
function drawRow(ctx, y, pieces, colourOf, cell) {
	const ink = isDark() ? '#f4f4f4' : '#1b1b1b';

	for (const piece of pieces) {
		const w = piece.px > 2 ? piece.px - 0.6 : piece.px;
		const { parent, frame } = piece.branch || piece.first;
		const isMatch = search.frames && parent && search.frames[frame];

		ctx.globalAlpha = piece.above ? 0.6 : search.frames && !isMatch ? 0.45 : 1;
		ctx.fillStyle = isMatch ? '#c2185b' : colourOf(piece.branch || piece.first);
		ctx.fillRect(piece.x, y, w, BOX);
		if (!piece.branch || piece.px < 3 * cell + 2 * PAD)
			continue;
		ctx.globalAlpha = 1;
		ctx.fillStyle = isMatch ? '#ffffff' : ink;
		ctx.fillText(piece.text || fitLabel(labelOf(piece.branch),
			Math.floor((piece.px - 2 * PAD) / cell)), piece.x + PAD, y + 12.5);
	}
	ctx.globalAlpha = 1;
}

function labelOf(branch) {
	return branch.parent ? nameOf(branch.frame) : 'all';
}

