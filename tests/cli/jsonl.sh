#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# JSON lines: each line is an object, together they are what JSON has; read line by line, by perl and,
# where it is there, by jq.
. "$(dirname "$0")/../lib.sh"

plan 13

sed 's/^>/\t/' >"$T/p.txt" <<-'END'
	python3   41/42    [001] 73307.670903:    1003009 cpu-clock:uhH: 
	>ffffffff8225fd19 irq_enable+0x19 ([kernel.kallsyms])
	>            6241 outer(int, char)+0xd6 (/usr/lib/libouter.so.2)

	sh    9/9     [000] 73307.670908:          3 faults: 
	>            1111 read_file (/bin/sh)

END
printf 'sh;</script>;"quo\\te\047;\001ctl 5\nsh;main;b\377\376ad 3\n;x 2\nsh;a\\nb;{"key":{}} 7\n' >"$T/h.folded"

# whole FILE - the document that its lines are parts of: keys in order
whole() {
	perl -MJSON::PP -e '
		my $json = JSON::PP->new->utf8->canonical;
		open my $f, "<:raw", $ARGV[0] or die;
		my ($head, @rows) = map { my $d = $json->decode($_); ref $d eq "HASH" or die; $d } <$f>;
		my $nr = delete $head->{nr_rows};
		$nr == @rows or die "$nr rows are told\n";
		print $json->encode({ %$head, rows => \@rows }), "\n"' "$1"
}
same() {
	perl -MJSON::PP -0777 -ne 'my $json = JSON::PP->new->utf8->canonical;
		print $json->encode($json->decode($_)), "\n"' "$1" >"$T/want" && whole "$2" | diff "$T/want" -
}

for file in p.txt h.folded; do
	check 0 "$file" "$PMUTRACE" report -q "$T/$file" -o "$T/x.json" -o "$T/x.jsonl"
	ok "its lines are what JSON has" same "$T/x.json" "$T/x.jsonl"
done
ok "a line for each row, and one before" equal "$(wc -l <"$T/x.jsonl")" 5
ok "nothing in it is a control character" sh -c '! LC_ALL=C grep -q "[[:cntrl:]]" "$1"' sh "$T/x.jsonl"
check 0 "by other keys" "$PMUTRACE" report -q -f jsonl --by comm "$T/p.txt"
ok "rows are those" equal "$(sed 1d "$T/out" | tr '\n' ' ')" \
	'{"key":{"comm":"python3"},"values":{"cpu-clock:uhH":1},"weights":{"cpu-clock:uhH":1003009}} {"key":{"comm":"sh"},"values":{"faults":1},"weights":{"faults":3}} '
check 0 "the other ending" "$PMUTRACE" report -q "$T/p.txt" -o "$T/x.ndjson"
ok "is the same" test "$(wc -l <"$T/x.ndjson")" = 3
check 0 "a selection of nothing" "$PMUTRACE" report -q --focus nosuch -f jsonl "$T/p.txt"
ok "is a line that says so" equal "$(wc -l <"$T/out") $(json "$T/out" '$d->{nr_rows}')" "1 0"
if command -v jq >/dev/null; then
	ok "jq reads rows" equal "$(jq -r 'select(.key) | [.key.comm, (.key.stack | join(";")), .values[]] | join(" ")' "$T/x.ndjson" |
		sort | tr '\n' ',')" "python3 outer(int, char);irq_enable 1,sh read_file 1,"
else
	skip 1 "tool: no jq"
fi
