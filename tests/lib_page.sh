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

# ask_page FILE [WIDTH,HEIGHT] <SCRIPT - what the script says with say(), one line each, into $T/said
ask_page() {
	{
		sed 's|</body>||' "$1"
		cat <<-'END'
			<pre id="said"></pre><script>
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
			</script><script>
		END
		cat
		echo '</script></body></html>'
	} >"$T/asked.html"
	HOME=$T timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --disable-sync \
		--disable-background-networking --disable-component-update --user-data-dir="$T/chromium" \
		--window-size="${2:-1200,800}" --dump-dom "file://$T/asked.html" >"$T/dom" 2>"$T/dom.err"
	perl -0777 -MEncode -ne 'if (m{<pre id="said">(.*?)</pre>}s) { $_ = $1; s/&lt;/</g; s/&gt;/>/g; s/&amp;/&/g; print }' \
		"$T/dom" >"$T/said"
}

# said NAME TEXT - a line of the page's answers, the whole of it
said() {
	ok "$1" grep -q -x -F -e "$2" "$T/said" || diag <"$T/said"
}
