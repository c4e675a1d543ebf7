/* SPDX-License-Identifier: BSD-2-Clause */
/* flame/page.js - zoom, keys, the address, the bar; and the start of it all. */

/* State lives in the address: it can be sent to others, and Back zooms out. */

function address() {
	const parts = [];

	if (zoomed)
		parts.push('zoom=' + zoomed);
	if (term)
		parts.push('search=' + encodeURIComponent(term));
	return '#' + parts.join('&');
}

function fromAddress() {
	const parts = {};

	for (const part of location.hash.slice(1).split('&')) {
		const at = part.indexOf('=');

		try {
			parts[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
		} catch (e) {
			/* Not one of ours. */
		}
	}
	zoomed = nodes > +parts.zoom ? Math.floor(+parts.zoom) : 0;
	search(parts.search || '');
	draw();
}

function zoom(i) {
	const before = top(tree.depth[i]);

	if (i === zoomed)
		return;
	zoomed = i;
	draw();
	/* Rows that appear must not move what was clicked. */
	window.scrollBy(0, top(tree.depth[i]) - before);
	if (alone && location.hash !== address())
		location.hash = address();
}

function searchFor(text) {
	search(text);
	draw();
	if (alone)
		location.replace(address());
}

function step(key) {
	const up = data.icicle ? 'ArrowDown' : 'ArrowUp', i = hovered < 0 ? zoomed : hovered;
	const row = rows[tree.depth[i]], below = rows[tree.depth[i] + 1] || [];
	const at = row.indexOf(i);

	if (hovered < 0)
		return i;
	if (key === 'ArrowLeft')
		return row[Math.max(0, at - 1)];
	if (key === 'ArrowRight')
		return row[Math.min(row.length - 1, at + 1)];
	if (key !== up)
		return tree.parent[i];
	/* The widest of the children. */
	return below.reduce((best, n) => tree.parent[n] === i &&
		(best === i || tree.total[n] > tree.total[best]) ? n : best, i);
}

function onKey(event) {
	const inField = event.target === field;

	if ((event.ctrlKey || event.metaKey) && event.key === 'f' || event.key === '/' && !inField) {
		field.focus();
		field.select();
	} else if (event.key === 'Escape') {
		if (inField || !zoomed)
			searchFor('');
		else
			zoom(0);
		field.blur();
	} else if (inField || event.ctrlKey || event.metaKey || event.altKey) {
		return;
	} else if (/^Arrow/.test(event.key) && event.target === graph) {
		point(step(event.key));
	} else if (event.key === 'Enter' && event.target === graph && hovered >= 0) {
		const i = hovered;

		zoom(i);
		point(i);
	} else {
		return;
	}
	event.preventDefault();
}

/* The page. */

graph.innerHTML = '';
for (const note of svg.querySelectorAll('.cut'))
	note.remove();
graph.setAttribute('tabindex', '0');
graph.setAttribute('aria-label', 'Flame graph: arrow keys walk, Enter zooms in, Escape out');
const boxes = make(SVG, 'g', {}, graph);
const hover = make(SVG, 'rect', { class: 'hover', height: BOX - 1, visibility: 'hidden' }, graph);
const tip = make(SVG, 'title', {}, hover);
const legend = svg.querySelector('.legend');
const bar = make(SVG, 'foreignObject', { class: 'bar', x: 0, height: BAR }, svg);
const line = make(XHTML, 'div', { class: 'line' }, bar);
const info = make(XHTML, 'div', { class: 'info', 'aria-live': 'polite' }, line);
const who = make(XHTML, 'b', {}, info);
const what = make(XHTML, 'span', {}, info);
const share = make(XHTML, 'span', { class: 'share', 'aria-live': 'polite' }, line);
const reset = make(XHTML, 'button', { type: 'button' }, line);
const field = make(XHTML, 'input', { type: 'search', 'aria-label': 'Search', spellcheck: 'false',
	placeholder: 'Search: text or regex (Ctrl-F)' }, line);

reset.textContent = 'Reset zoom';
make(SVG, 'style', {}, svg).textContent =
	'.line{display:flex;align-items:center;gap:10px;box-sizing:border-box;height:' + BAR + 'px;' +
	'padding:0 ' + PAD + 'px;background:#fffffff2;border-top:1px solid #d9d6d1;color:#1b1b1b;' +
	'font:12px system-ui,"Segoe UI","DejaVu Sans",Helvetica,Arial,sans-serif}' +
	'.info{flex:1;min-width:0;display:flex;gap:10px;white-space:nowrap}' +
	'.info b{font:600 12px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;' +
	'overflow:hidden;text-overflow:ellipsis}' +
	'.info b:empty{display:none}.info span{flex:none;color:#5c5c5c;font-variant-numeric:tabular-nums}' +
	'.share{color:#c2185b;font-weight:600;white-space:nowrap}' +
	'.line input{font:inherit;width:220px;padding:4px 8px;border:1px solid #a9a59e;' +
	'border-radius:5px;background:#fff;color:inherit}' +
	'.line button{font:inherit;padding:4px 10px;border:1px solid #a9a59e;border-radius:5px;' +
	'background:#f4f2ee;color:inherit;cursor:pointer}';

graph.addEventListener('mousemove', (event) => point(nodeAt(event)));
graph.addEventListener('mouseleave', () => point(-1));
graph.addEventListener('click', (event) => {
	const i = nodeAt(event);

	if (i >= 0)
		zoom(i);
});
field.addEventListener('input', () => searchFor(field.value));
reset.addEventListener('click', () => zoom(0));
window.addEventListener('keydown', onKey);
window.addEventListener('resize', draw);
window.addEventListener('scroll', onScroll);
window.addEventListener('beforeprint', () => drawRows(true));
window.addEventListener('hashchange', () => {
	if (location.hash.slice(1) !== address().slice(1))
		fromAddress();
});

(function measure() {
	const probe = make(SVG, 'text', {}, boxes);

	probe.textContent = 'm'.repeat(100);
	cell = probe.getComputedTextLength() / 100 || cell;
})();
if (alone)
	fromAddress();
else
	draw();
/* The root is what one reads first. */
if (alone && !data.icicle)
	window.scrollTo(0, +svg.getAttribute('height'));
