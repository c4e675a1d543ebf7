# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_cgroup.sh - cgroups of a test's own, below $mount/$top; after lib.sh.

# need_cgroup - makes that one, which is removed at the end with all that is in it
need_cgroup() {
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	top=pmutrace-test.$$
	if [ -z "$mount" ] || ! mkdir "$mount/$top" 2>/dev/null; then
		skip_all "no-cgroup: no cgroup2 hierarchy that can be written to"
	fi
	trap 'remove_cgroups; end_test' EXIT
}

# Who is in one keeps it: what was started ends before.
remove_cgroups() {
	# shellcheck disable=SC2154 # lib.sh has it
	for pid in $all_started; do
		stop "$pid"
	done
	find "$mount/$top" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
	rmdir "$mount/$top"
}

# within_cgroup NAME CMD.. - a command in a cgroup, which is made if it is not there
within_cgroup() {
	group=$mount/$top/$1
	shift
	[ -d "$group" ] || mkdir "$group"
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" "$@" >/dev/null
}
