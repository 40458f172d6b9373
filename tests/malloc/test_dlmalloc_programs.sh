#!/usr/bin/env bash
# Programs behave with libgcspydlmalloc.so preloaded as without it, and in each process the heap at its end is sound:
# free chunks by segments = those in bins, and the counted lengths = the walked ones.
#
#   test_dlmalloc_programs.sh LIBRARY EXIT-LIBRARY SERVER
set -u
library=$1 at_exit=$2 server=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out" || exit 1

fail() {
	echo "dlmalloc_programs: $1" >&2
	tail -n 20 ./*.out ./*.err ./*.result >&2
	exit 1
}

# same NAME PROCESSES COMMAND…: the same output and status as without; at least so many processes have ended.
same() {
	local name=$1 least=$2
	shift 2
	"$@" >"$name.plain.out" 2>"$name.plain.err"
	local plain=$?
	DLMALLOC_RESULT=$out/$name.result LD_PRELOAD=$library:$at_exit "$@" >"$name.out" 2>"$name.err"
	[ $? = $plain ] || fail "$name: another status than $plain"
	cmp -s "$name.plain.out" "$name.out" || fail "$name: another output"
	cmp -s "$name.err" "$name.plain.err" || fail "$name: another error output"
	[ "$(wc -l <"$name.result")" -ge "$least" ] || fail "$name: too few processes"
	grep -v '^same ' "$name.result" && fail "$name: the heap differs from its bins"
	echo "$name: $(wc -l <"$name.result") processes, $(tail -n 1 "$name.result")"
}

echo 'd = {i: str(i) * 3 for i in range(100000)}
del d
print(sum(len(str(i)) for i in range(100000)))' >p.py
printf '#include <stdio.h>\nint main(void) { for (int i = 0; i < 9; i++) printf("%%d\\n", i); }\n' >c.c
all() {
	same shell 3 bash -c 'for i in 1 2 3; do (echo $i; exit 0) | cat; done; exit 3'
	if command -v python3 >/dev/null; then
		PYTHONMALLOC=malloc same python 1 python3 p.py
	fi
	if command -v gcc >/dev/null; then
		same gcc 2 gcc -O2 -c c.c -o c.o
	fi
	if command -v java >/dev/null; then
		same java 1 java -Xshare:auto -version
	fi
}

all
# With a server that nobody watches, and with deferred coalescing.
rm -f ./*.result
library=$server:$library
export GCSPYMALLOC=port=0,deferred=20
all
