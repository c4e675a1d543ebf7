#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Binaries that are not where they were: deleted, stripped, or only visible in another namespace.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 9
cp "$PROG/burn" "$T/vanishing"
start "$T/vanishing" -s 20
within 20 grep -q vanishing "/proc/$started/maps" || :
rm "$T/vanishing"
pm -F 997 -f folded -o "$T/p.folded" -p "$started" --duration 0.4
ok "a deleted binary: measured" test "$status" = 0
all=$(folded_sum "$T/p.folded")
ok "a deleted binary is named" between $((all * 97 / 100)) \
	"$(folded_sum "$T/p.folded" ';main;work;burn_[37]0')" "$all"
stop "$started"

strip -o "$T/nosymbols" "$PROG/burn"
pm -F 997 -o "$T/s.folded" -- "$T/nosymbols" -s 0.2
ok "a stripped binary: measured" test "$status" = 0
ok "a stripped binary shows file and function" between 120 \
	"$(folded_sum "$T/s.folded" ';\[nosymbols fn 0x[0-9a-f]+\] ')" 280
ok "nothing is a bare [unknown]" equal "$(folded_sum "$T/s.folded" '\[unknown\]')" 0

# Debug symbols apart, found by .gnu_debuglink beside the binary.
objcopy --only-keep-debug "$PROG/burn" "$T/linked.debug"
objcopy --strip-all --add-gnu-debuglink="$T/linked.debug" "$PROG/burn" "$T/linked"
pm -F 997 -o "$T/d.folded" -- "$T/linked" -s 0.2
ok "symbols from .gnu_debuglink" between 120 "$(folded_sum "$T/d.folded" ';main;work;burn_[37]0')" 280

# A file system that only the target sees.
mkdir "$T/inside"
cat >"$T/container.sh" <<'END'
mount -t tmpfs tmpfs "$T/inside" || exit 1
cp "$PROG/burn" "$T/inside/contained"
exec "$T/inside/contained" -s 20
END
start unshare -m sh "$T/container.sh"
if within 20 grep -q contained "/proc/$started/maps"; then
	ok "the binary is not visible here" test ! -e "$T/inside/contained"
	pm -F 997 -f folded -o "$T/c.folded" -p "$started" --duration 0.4
	ok "another mount namespace: measured" test "$status" = 0
	all=$(folded_sum "$T/c.folded")
	ok "another mount namespace: named" between $((all * 97 / 100)) \
		"$(folded_sum "$T/c.folded" '^contained;.*;main;work;burn_[37]0')" "$all"
else
	skip 3 "no-unshare: mount namespaces are not permitted"
fi
