/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame_page.js FILE.svg [COMMAND].. - runs the script of a flame graph in a page that is as much of
 * a browser as it uses, and tells what is to be seen then. For tests/cli/flame.sh.
 *
 *   size=WxH     the window, before the script runs; touch: a finger in place of a mouse
 *   KEY          a key on the page, nothing is focused; KEY*N: N times
 *   graph:KEY    a key while the graph is focused; field:KEY: while the search field is
 *   press=TEXT   the button that says so
 *   tell         prints what is chosen, how many levels are drawn, height of the page, address, focus
 *   colours      prints the colours of the boxes that are drawn, by rows
 *   numbers      prints what is said of what is chosen
 *   labels       prints the names in the boxes that are drawn
 */
'use strict';

const fs = require('fs'), vm = require('vm');
const text = fs.readFileSync(process.argv[2], 'utf8');
const commands = process.argv.slice(3);
const size = (commands.find((c) => c.startsWith('size=')) || 'size=1200x800').slice(5).split('x');

class Element {
	constructor(name, parent) {
		Object.assign(this, { name, parent, attributes: {}, children: [], style: {}, handlers: {},
			html: '', ownText: '', value: '' });
		this.firstChild = { data: '' };
		this.classList = { toggle() {} };
		if (parent)
			parent.children.push(this);
	}
	setAttribute(key, value) { this.attributes[key] = String(value); }
	getAttribute(key) { return key in this.attributes ? this.attributes[key] : null; }
	appendChild(e) { e.parent = this; this.children.push(e); }
	set innerHTML(html) { this.html = html; }
	insertAdjacentHTML(where, html) { this.html += html; }
	get textContent() { return this.ownText; }
	set textContent(t) { this.ownText = t; }
	getBBox() { return { width: 300 }; }
	getComputedTextLength() { return 6.62 * this.ownText.length; }
	getBoundingClientRect() { return { left: 0, top: 0, width: +this.getAttribute('width') }; }
	addEventListener(type, handler) { this.handlers[type] = handler; }
	focus() { document.activeElement = this; }
	blur() { document.activeElement = null; }
	select() {}
	all() { return this.children.flatMap((e) => [e, ...e.all()]); }
	querySelector(selector) {
		return this.all().find((e) => '.' + e.getAttribute('class') === selector) || null;
	}
	querySelectorAll() { return []; }	/* lines of the head, which are cut by their width in px */
}

const svg = new Element('svg'), head = new Element('g', svg);
const of = (name, parent, cls) => new Element(name, parent).setAttribute('class', cls);
head.setAttribute('class', 'head');
of('g', head, 'legend');
if (text.includes('<text class="cut"'))
	of('text', head, 'cut');
of('g', svg, 'graph');
of('script', svg, 'data');
svg.querySelector('.data').textContent =
	/<script type="application\/json" class="data"><!\[CDATA\[([^]*?)\]\]>/.exec(text)[1];

const document = {
	documentElement: svg, body: null, activeElement: null, currentScript: { ownerSVGElement: svg },
	createElementNS: (ns, name) => new Element(name),
};
const listeners = {};
const location = { hash: '', replace(address) { this.hash = address; } };
const window = {
	scrollX: 0, scrollY: 0, innerWidth: +size[0], innerHeight: +size[1],
	scrollTo(x, y) {
		this.scrollY = Math.max(0, Math.min(y, svg.getAttribute('height') - size[1]));
		if (listeners.scroll)
			listeners.scroll();
	},
	scrollBy(x, y) { this.scrollTo(0, this.scrollY + y); },
	matchMedia: () => ({ matches: commands.includes('touch') }),
	addEventListener: (type, handler) => { listeners[type] = handler; },
};

/<script><!\[CDATA\[\n([^]*?)\]\]>/.exec(text);
vm.runInNewContext(RegExp.$1, { document, window, location });

const inPage = (name) => svg.all().find((e) => e.name === name);
const targets = { page: svg, graph: svg.querySelector('.graph'), field: inPage('input') };

function press(key, target) {
	listeners.keydown({ key, target, preventDefault() {} });
}

function tell() {
	const focus = Object.keys(targets).find((t) => targets[t] === document.activeElement);

	console.log([inPage('b').textContent || '-', svg.querySelector('.cut').textContent || 'all levels',
		svg.getAttribute('height'), location.hash || '#', focus || 'nothing'].join(' | '));
}

for (const command of commands) {
	const [, target, key, times] = /^(?:(graph|field):)?(\w+)(?:\*(\d+))?$/.exec(command) || [];

	if (command === 'tell')
		tell();
	else if (command === 'labels')
		console.log((svg.querySelector('.graph').children[0].html.match(/>[^<>]+<\/text>/g) || [])
			.map((t) => t.slice(1, -7)).join('\n'));
	else if (command === 'colours')
		console.log((svg.querySelector('.graph').children[0].html.match(/<g>.*?<\/g>/g) || [])
			.map((row) => (row.match(/path class="\w+/g) || []).map((c) => c.slice(12)).join(' '))
			.join(', '));
	else if (command === 'numbers')
		console.log(inPage('span').textContent);
	else if (command.startsWith('press='))
		svg.all().find((e) => e.name === 'button' && e.textContent === command.slice(6))
			.handlers.click();
	else if (key && command !== 'touch')
		for (let i = 0; i < (times || 1); i++)
			press(key, targets[target || 'page']);
}
