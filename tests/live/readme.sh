#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every command of the README runs: lines that start with "$ " in its ```sh blocks, but for those
# of a block below a line <!-- not run: WHY -->. `sudo` is dropped; `make` only shows its plan; a
# command that would go on is interrupted, as a reader would do it, and has to end well: bash says
# what the command did with the signal, sh only that there was one.
. "$(dirname "$0")/../lib.sh"
need_bpf
[ -e "$TOP/README.md" ] || skip_all "no-readme: there is no README.md"

awk '
	/^<!-- not run:/ { skip = 1; next }
	/^```/ { inside = !inside && /^```(sh|console|shell)[ \t]*$/; if (!inside) skip = 0; next }
	inside && !skip && sub(/^\$ /, "") {
		line = $0
		while (line ~ /\\$/ && (getline more) > 0)
			line = substr(line, 1, length(line) - 1) more
		print line
	}
	!inside && NF { skip = 0 }' "$TOP/README.md" >"$T/commands"
[ -s "$T/commands" ] || skip_all "no-commands: README.md has none"

mkdir "$T/bin" "$T/work"
ln -s "$PMUTRACE" "$T/bin/pmutrace"
ln -s "$PMUTRACE" "$T/bin/pmutop"
printf '#!/bin/sh\nexec "$@"\n' >"$T/bin/sudo"
printf '#!/bin/sh\nexec /usr/bin/env -u MAKEFLAGS -u MAKELEVEL make -n -C "%s" "$@"\n' "$TOP" >"$T/bin/make.sh"
# `make` in the README starts in the source tree.
printf '#!/bin/sh\nPATH=%s\nexport PATH\nexec make -n -C "%s" "$@"\n' "$PATH" "$TOP" >"$T/bin/make"
rm "$T/bin/make.sh"
chmod 755 "$T"/bin/sudo "$T"/bin/make
unset MAKEFLAGS MAKELEVEL MFLAGS
PATH=$T/bin:$PATH:/usr/sbin:/sbin
export PATH

# What examples measure: $(pidof demo-web) and the like.
start "$PROG/demo" -s 300
sleep 0.3

plan "$(wc -l <"$T/commands")"
cd "$T/work" || exit 1
while read -r line; do
	case $line in
	cd\ * | git\ clone*)
		skip 1 "setting: $line"
		continue
		;;
	esac
	# Ctrl-C for what does not end by itself; make, which looks for compilers first, does.
	case $line in
	make*) seconds=100 ;;
	*) seconds=12 ;;
	esac
	check 0 "$line" timeout --preserve-status -k 5 -s INT $seconds bash -c "$line"
done <"$T/commands"
