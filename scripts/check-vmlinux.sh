#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check-vmlinux.sh [BTF].. - does each kernel have what vmlinux/vmlinux.h names?
#
# BTF: files as /sys/kernel/btf/vmlinux, which is the default; scripts/vm/fetch-btf.sh has those of
# the lab's kernels. A member that one lacks is printed, and the exit status is 1, unless a program
# asks bpf_core_field_exists(struct NAME, MEMBER) before it reads it.
set -u
cd "$(dirname "$0")/.." || exit 1
PATH=$PATH:/usr/sbin:/sbin
status=0

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# "STRUCT MEMBER ARCH" a line. A name's ___suffix is ours alone; ARCH is that of an #if, or "any". A
# member of an unnamed struct that is a member itself: "uw.tp_value".
awk '
	function say(member) { print name, member, arch == "" ? "any" : arch }
	/^#(el)?if .*__TARGET_ARCH_/ { arch = $0; sub(/.*__TARGET_ARCH_/, "", arch); sub(/).*/, "", arch); next }
	/^#endif/ { arch = "" }
	{ sub(/\/\*.*/, ""); sub(/\/\/.*/, "") }
	/^struct [a-z_0-9]+ \{/ { name = $2; sub(/___.*/, "", name); next }
	/^}/ { name = "" }
	/^\tstruct \{/ { nr = 0; next }
	/^\t} [a-z_]+;/ {
		sub(/;.*/, "")
		for (i = 1; i <= nr; i++)
			say($NF "." inner[i])
	}
	name != "" && /;/ {
		sub(/;.*/, "")
		gsub(/\[[^]]*\]|\*| : [0-9]+/, "")
		if (/^\t\t/)
			inner[++nr] = $NF
		else
			say($NF)
	}' vmlinux/vmlinux.h >"$work/named"
[ -s "$work/named" ] || {
	echo "check-vmlinux: vmlinux/vmlinux.h names nothing" >&2
	exit 1
}
cat bpf/*.c bpf/*.h | tr '\n' ' ' |
	grep -o 'bpf_core_field_exists([ ]*struct [a-z_0-9]*,[ ]*[a-z_0-9]*)' |
	sed 's/___[a-z_0-9]*//; s/.*struct \([a-z_0-9]*\), *\([a-z_0-9]*\))/\1 \2/' >"$work/guarded"

# members - from `bpftool btf dump`: "STRUCT MEMBER" of the structs named, with those of unnamed
# structs and unions inside them
members() {
	awk '
		function show(name, id,  i, n, of) {
			for (i = 1; i <= count[id]; i++) {
				of = type[id, i]
				if (member[id, i] == "(anon)")
					show(name, of)
				else
					print name, member[id, i]
				for (n = 1; of in unnamed && n <= count[of]; n++)
					print name, member[id, i] "." member[of, n]
			}
		}
		NR == FNR { wanted[$1] = 1; next }
		/^\[/ {
			id = substr($1, 2) + 0
			known = 0
			if ($2 != "STRUCT" && $2 != "UNION")
				next
			name = substr($3, 2, length($3) - 2)
			known = (name in wanted && $2 == "STRUCT") || name == "(anon)" || $3 ~ /anon/
			if (name in wanted && $2 == "STRUCT")
				ids[id] = name
			else if (known)
				unnamed[id] = 1
			next
		}
		known {
			m = substr($1, 2, length($1) - 2)
			split($2, t, "=")
			count[id]++
			member[id, count[id]] = $1 ~ /anon/ ? "(anon)" : m
			type[id, count[id]] = t[2]
		}
		END {
			for (id in ids)
				show(ids[id], id)
		}' "$work/named" -
}

[ $# -gt 0 ] || set -- /sys/kernel/btf/vmlinux
for btf; do
	if ! bpftool btf dump file "$btf" >"$work/dump"; then
		echo "check-vmlinux: $btf cannot be read" >&2
		status=1
		continue
	fi
	members <"$work/dump" | sort -u >"$work/has"
	# Registers tell whose kernel it is.
	arch=arm64
	grep -q '^pt_regs cs$' "$work/has" && arch=x86
	while read -r name member of; do
		[ "$of" = any ] || [ "$of" = $arch ] || continue
		grep -qF -x "$name $member" "$work/has" && continue
		grep -q "^$name $member\$" "$work/guarded" && continue
		echo "$btf: struct $name has no member $member"
		status=1
	done <"$work/named"
done
exit $status
