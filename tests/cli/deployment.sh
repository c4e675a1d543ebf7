#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs/export: rules, dashboard, unit and image are of this exporter: its metrics, its capabilities, its libraries; and
# those who read such files find nothing wrong with them.
. "$(dirname "$0")/../lib.sh"

files=$TOP/docs/export
plan 19

# metrics_in FILE - names of metrics, of the exporter and of node_exporter
metrics_in() {
	grep -oE '\b(pmutrace|node_perf|process)_[a-z0-9_]+[a-z0-9]\b' "$1" | sort -u
}
# is_known METRIC - the source has it; that of node_exporter's without its beginning and end
is_known() {
	short=${1#node_perf_} short=${short%_total} series=${1%_bucket}
	grep -rqF "\"$series\"" "$TOP/src/serve" ||
		grep -qE "\"($short|${short#cache_})\"," "$TOP/src/serve/node_perf_names.c"
}
# are_known FILE - prints those that are not
are_known() {
	for metric in $(metrics_in "$1"); do
		is_known "$metric" || echo "$metric"
	done | grep . && return 1
	[ "$(metrics_in "$1" | wc -l)" -ge 5 ]
}
echo node_perf_nosuch_total pmutrace_nosuch node_perf_page_faults_total pmutrace_cgroup_others process_cpu_seconds_total >"$T/some"
ok "rules are about metrics that there are" are_known "$files/alerts.yml"
ok "and so is the dashboard" are_known "$files/grafana.json"
ok "one that there is not would be found" equal "$(are_known "$T/some" | tr '\n' ' ')" "node_perf_nosuch_total pmutrace_nosuch "
json "$files/grafana.json" 'join "\n", map { $_->{expr} } map { @{$_->{targets} // []} } @{$d->{panels}}' >"$T/expressions"
ok "the dashboard asks" between 15 "$(wc -l <"$T/expressions")" 100
if command -v promtool >/dev/null; then
	check 0 "promtool: rules" promtool check rules "$files/alerts.yml"
	{
		printf 'groups:\n  - name: dashboard\n    rules:\n'
		n=0
		sed 's/\$__rate_interval/5m/g; s/\$instance/a:1/g; s/\$job/b/g' "$T/expressions" | while read -r expression; do
			n=$((n + 1))
			printf '      - record: a:b%d\n        expr: >\n          %s\n' "$n" "$expression"
		done
	} >"$T/dashboard.yml"
	check 0 "promtool: what the dashboard asks" promtool check rules "$T/dashboard.yml"
	ok "all of it" grep -q "$(wc -l <"$T/expressions") rules found" "$T/out"
else
	skip 3 "no-prometheus: promtool is not installed"
fi

unit=$files/pmutrace-export.service
if command -v systemd-analyze >/dev/null; then
	sed "s,/usr/local/bin/pmutrace,$PMUTRACE,; /^Documentation/d" "$unit" >"$T/pmutrace-export.service"
	mkdir "$T/pmutrace-export.service.d"
	sed "s,/usr/local/bin/pmutrace,$PMUTRACE," "$files/profiles.conf" >"$T/pmutrace-export.service.d/profiles.conf"
	check 0 "systemd takes the unit" systemd-analyze verify "$T/pmutrace-export.service"
	ok "and has nothing to say" test ! -s "$T/err"
	sed "s,/usr/local/bin/pmutrace,$PMUTRACE," "$files/metrics.conf" >"$T/pmutrace-export.service.d/profiles.conf"
	check 0 "with metrics of probes, too" systemd-analyze verify "$T/pmutrace-export.service"
	ok "and has nothing to say of that" test ! -s "$T/err"
	# Versions of it differ in what they look at.
	run systemd-analyze security --offline=true --no-pager "$unit"
	ok "its exposure is small" between 0 "$(sed -n 's/.*exposure level.*: \([0-9]\)\.\([0-9]\).*/\1\2/p' "$T/out")" 29
else
	skip 5 "no-systemd: systemd-analyze is not installed"
fi
if command -v systemd-analyze >/dev/null; then
	sed "s,/usr/local/bin/pmutrace,$PMUTRACE,; /^Documentation/d" "$files/pmutrace-profile.service" >"$T/pmutrace-profile.service"
	check 0 "systemd takes the unit of continuous profiles" systemd-analyze verify "$T/pmutrace-profile.service"
	ok "and has nothing to say" test ! -s "$T/err"
	run systemd-analyze security --offline=true --no-pager "$files/pmutrace-profile.service"
	ok "its exposure is small" between 0 "$(sed -n 's/.*exposure level.*: \([0-9]\)\.\([0-9]\).*/\1\2/p' "$T/out")" 35
else
	skip 3 "no-systemd: systemd-analyze is not installed"
fi
# What is counted by the example is checked as far as a file can be.
check 0 "the example of a configuration is good" "$PMUTRACE" export --config "$files/pmutrace-export.yaml" --check-config
says out "all of it" "is good: 1 options, 4 metrics"
ok "the unit, the image's command and the DaemonSet have the same capabilities" sh -c 'for file in pmutrace-export.service Containerfile daemonset.yaml; do
		grep -E "^CapabilityBoundingSet|--cap-add|add: \[" "$1/$file" | grep -oiE "bpf|perfmon|dac_read_search|sys_[a-z]*" | tr A-Z a-z | sort | tr "\n" " "
		echo
	done | sort -u | diff - "$2"' sh "$files" "$(printf 'bpf dac_read_search perfmon \n' >"$T/three"; echo "$T/three")"

# On the system that the image is made of, each library is in a package of it.
libraries() {
	readelf -d "$PMUTRACE" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}
if grep -q 'VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null && command -v dpkg >/dev/null; then
	for library in $(libraries); do
		package=$(dpkg -S "*/$library" 2>/dev/null | sed -n '1s/:.*//p')
		case $package in
		libc6 | libc6-* | libasan* | libubsan*) continue ;;
		esac
		grep -qE "\b${package:-none of $library}\b" "$files/Containerfile" || echo "$package"
	done >"$T/missing"
	ok "the image has all libraries" equal "$(cat "$T/missing")" ""
else
	skip 1 "no-bookworm: another system than the image's"
fi
