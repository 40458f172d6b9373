#!/usr/bin/env bash
# The toy server and two toy clients, one after the other, talk to each other (F8, F20).
#
#   toys.sh SERVER CLIENT
set -u
server=$1 client=$2
out=$(mktemp -d)
pid=
trap 'kill $pid 2>/dev/null; wait 2>/dev/null; rm -rf "$out"' EXIT

fail() {
	echo "toys: $1" >&2
	tail -n 20 "$out"/* >&2
	exit 1
}

"$server" 0 1000000 5 >"$out/server" 2>&1 &
pid=$!
for _ in $(seq 100); do
	address=$(sed -n 's/^listening on //p' "$out/server")
	[ -n "$address" ] && break
	sleep 0.1
done
[ -n "$address" ] || fail "the server does not say where it listens"

for round in 1 2; do
	timeout 20 "$client" "$address" 6 >"$out/client" 2>&1 || fail "client $round failed"
	[ "$(grep -c '^#' "$out/client")" -eq 6 ] || fail "client $round did not get 6 snapshots"
	grep -q '^  Toy heap: 64 tiles$' "$out/client" || fail "client $round saw no toy heap"
	grep -Eq '^    Used: .* of 256 KiB ' "$out/client" || fail "client $round saw no summary"
	# The counts of the states are those of 64 blocks: nothing was counted twice (F4).
	awk '/^    State: / { n = 0; sub(/^    State: /, ""); gsub(/,/, "")
		for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) n += $i
		if (n != 64) bad = 1; seen++ }
		END { exit bad || seen != 6 }' "$out/client" || fail "client $round: wrong counts"
done
kill -0 "$pid" 2>/dev/null || fail "the server died"
