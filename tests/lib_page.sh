# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_page.sh - pages of -f html in Chromium; after lib.sh. What a test asks a page is a script behind
# the page's own, in a copy of it: it works the page as people do, by clicks and keys, and reads the
# document.

# As distributions call it.
chromium=$(command -v chromium || command -v chromium-browser)

has_browser() {
	[ "$chromium" ]
}

# What people have set, and a phone's screen, as settings of Chromium's engine.
light=preferredColorScheme=1
dark=preferredColorScheme=0
finger=primaryPointerType=2,availablePointerTypes=2
export light dark finger

# browse SETTINGS ARGUMENTS..
browse() {
	settings=$1
	shift
	HOME=$T timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --disable-sync \
		--disable-background-networking --disable-component-update --user-data-dir="$T/chromium" \
		--blink-settings="$settings" "$@"
}

# ask_page FILE [WIDTH,HEIGHT [SETTINGS]] <SCRIPT - what the script says with say(), one line each,
# into $T/said. FILE is a page, or an SVG.
ask_page() {
	case $1 in
	*.svg) ask_svg "$1" ;;
	*) ask_html "$1" ;;
	esac >"$T/asked.${1##*.}"
	asked=$T/asked.${1##*.}
	size=${2:-1200,800}
	# A window is 500 px wide at least, and what is in it may be any width.
	[ "${size%,*}" -ge 500 ] && [ "${asked##*.}" = html ] || asked=$(in_frame "$asked" "$size")
	browse "${3:-$light}" --allow-file-access-from-files --window-size="$size" \
		--dump-dom "file://$asked" >"$T/dom" 2>"$T/dom.err"
	perl -0777 -MEncode -ne 'if (m{<pre id="said"[^>]*>(.*?)</pre>}s) { $_ = $1; s/&lt;/</g; s/&gt;/>/g; s/&amp;/&/g; print }' \
		"$T/dom" >"$T/said"
}

ask_html() {
	sed 's|</body>||' "$1"
	echo '<pre id="said" hidden></pre><script>'
	asking_script
	echo '</script><script>'
	cat
	echo '</script></body></html>'
}

# Not one byte of the file in front of the root's end is another.
ask_svg() {
	sed '$s|</svg>$||' "$1"
	echo '<desc id="said"/><script><![CDATA['
	asking_script
	echo ']]></script><script><![CDATA['
	cat
	echo ']]></script></svg>'
}

# in_frame FILE WIDTH,HEIGHT - prints the page that shows it in a frame
in_frame() {
	cat >"$T/frame.html" <<-END
		<!DOCTYPE html><body><pre id="said" hidden></pre><iframe src="file://$1"
		style="border: 0; width: ${2%,*}px; height: ${2#*,}px" onload="document.querySelector('#said').append(
		this.contentDocument.querySelector('#said').textContent)"></iframe></body>
	END
	echo "$T/frame.html"
}

asking_script() {
	cat <<-'END'
		const all = (what) => Array.from(document.querySelectorAll(what));
		const one = (what) => document.querySelector(what);
		const say = (text) => { one('#said').append(text + '\n'); };
		const key = (key, where = 'canvas', shiftKey = false) => (one(where) || document.body).dispatchEvent(
			new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true }));
		const told = () => one('.told').textContent;
		const tab = (id) => one('#tab-' + id).click();
		const table = () => all('.list tbody tr').map((tr) => tr.querySelector('.link').title + ' ' +
			Array.from(tr.querySelectorAll('.number small')).map((e) => e.textContent).join(' ')).join(', ');
		const calls = (nr) => Array.from(all('aside table')[nr].querySelectorAll('tbody tr')).map((tr) =>
			tr.textContent).join(', ');
		window.onerror = (message) => say('error: ' + message);
		/* The contrast of WCAG 2 between colours as getComputedStyle() has them. */
		const numbersOf = (colour) => colour.match(/[\d.]+/g).map(Number);
		const lightOf = (colour) => numbersOf(colour).slice(0, 3).map((c) => c / 255)
			.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
			.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
		const contrastOf = (a, b) => (Math.max(lightOf(a), lightOf(b)) + 0.05) /
			(Math.min(lightOf(a), lightOf(b)) + 0.05);
		/* What is behind an element: of it or of what it is in. */
		const behind = (e) => {
			const colour = getComputedStyle(e).backgroundColor;
			return !e.parentElement || (numbersOf(colour)[3] ?? 1) >= 0.9 ? colour : behind(e.parentElement);
		};
	END
}

# said NAME TEXT - a line of the page's answers, the whole of it
said() {
	ok "$1" grep -q -x -F -e "$2" "$T/said" || diag <"$T/said"
}
