#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Anybody can give the build-id of root's program to a file of his: that file's names are for its own
# code alone, and so are those of a debug file that he has put where root's is looked for.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_root

as_nobody='$( = $) = "65534 65534"; $< = $> = 65534; exec @ARGV or die'

# take CMD.. - what a shell runs there, one program after the other, by names
take() {
	pm -F 499 -f folded -o "$T/p.folded" -- "$@"
}

plan 11
# The same program with other symbols: the build-id is the one that it was linked with.
objcopy --redefine-sym burn_70=stolen "$PROG/burn" "$T/thief"
cp "$PROG/burn" "$T/own"
chmod 755 "$T/thief" "$T/own"
chown 65534 "$T/thief"
build_id() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
ok "they have the same build-id" equal "$(build_id "$T/thief")" "$(build_id "$T/own")"

take sh -c 'perl -e "$1" "$2/thief" -s 0.5; "$2/own" -s 0.5; :' - "$as_nobody" "$T"
ok "a stranger's program, then root's: measured" test "$status" = 0
ok "root's has its own names" between 80 "$(folded_sum "$T/p.folded" '^own;.*;burn_70')" 400
ok "and none of the stranger's" equal "$(folded_sum "$T/p.folded" '^own;.*;stolen')" 0
ok "who has his" between 80 "$(folded_sum "$T/p.folded" '^thief;.*;stolen')" 400

# Root's program without symbols. Its debug file is the stranger's, in a root of his.
id=$(build_id "$T/own")
dir=/usr/lib/debug
below=.build-id/${id%"${id#??}"}
objcopy --only-keep-debug "$T/thief" "$T/thief.debug"
strip "$T/own"
chmod 755 "$T/thief.debug"
made=
[ -d "$dir" ] || { mkdir "$dir" && made=1; }
in_a_root_of_his() {
	perl -e "$as_nobody" unshare -U -r -m sh -c "mount -t tmpfs tmpfs $dir && mkdir -p $dir/$below &&
		cp '$T/thief.debug' '$dir/$below/${id#??}.debug' && exec \"\$@\"" - "$@"
}
if in_a_root_of_his true 2>"$T/unshare"; then
	cat >"$T/both" <<-END
		perl -e '$as_nobody' unshare -U -r -m sh -c "mount -t tmpfs tmpfs $dir && mkdir -p $dir/$below &&
			cp '$T/thief.debug' '$dir/$below/${id#??}.debug' && exec '$T/own' -s 0.5"
		exec "$T/own" -s 0.5
	END
	take sh "$T/both"
	ok "root's program in a root of a stranger's: measured" test "$status" = 0
	ok "there are samples" between 160 "$(folded_sum "$T/p.folded" '^own;')" 700
	ok "no name is his" equal "$(folded_sum "$T/p.folded" 'stolen')" 0
	# The same file, when it is root's.
	cat >"$T/roots" <<-END
		mount -t tmpfs tmpfs $dir && mkdir -p $dir/$below &&
			cp '$T/thief.debug' '$dir/$below/${id#??}.debug' && exec '$T/own' -s 0.5
	END
	take unshare -m sh "$T/roots"
	ok "what root has put there: measured" test "$status" = 0
	ok "gives its names" between 80 "$(folded_sum "$T/p.folded" '^own;.*;stolen')" 400
	ok "nothing is left" test ! -e "$dir/$below/${id#??}.debug"
else
	skip 6 "no-unshare: namespaces are not permitted"
fi
[ -z "$made" ] || rmdir "$dir"
