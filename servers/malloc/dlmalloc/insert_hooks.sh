#!/bin/sh
# Inserts a call as the first statement of the five macros with which dlmalloc changes its bins:
#
#   insert_hooks.sh DLMALLOC.C OUTPUT
#
# allocator.c defines the three functions that are called. Exactly five lines must have been added.
set -eu
part=$2.part
sed \
	-e '/^#define insert_small_chunk(M, P, S) {\\$/a\  hook_small_bin((M), (S), 1);\\' \
	-e '/^#define unlink_small_chunk(M, P, S) {\\$/a\  hook_small_bin((M), (S), -1);\\' \
	-e '/^#define unlink_first_small_chunk(M, B, P, I) {\\$/a\  hook_small_bin((M), small_index2size(I), -1);\\' \
	-e '/^#define insert_large_chunk(M, X, S) {\\$/a\  hook_tree_bin((M), (S), 1);\\' \
	-e '/^#define unlink_large_chunk(M, X) {\\$/a\  hook_tree_bin((M), chunksize(X), -1);\\' \
	"$1" >"$part"
added=$(diff "$1" "$part" | grep -c '^> .*hook_' || true)
changed=$(diff "$1" "$part" | grep -c '^[<>]' || true)
if [ "$added" != 5 ] || [ "$changed" != 5 ]; then
	echo "$1 is not dlmalloc as expected: $added hooks, $changed changed lines instead of 5" >&2
	rm -f "$part"
	exit 1
fi
mv "$part" "$2"
