#!/usr/bin/env bash
# The shape of the repository, enforced; docs/CONTRIBUTING.md has the rules in words.
#
#   arch.sh CHECK ROOT [LIBRARY]
#
# CHECK is one of includes, names, fences, toplevel, style, ids, phrases, links, length, format,
# exports. Prints each breach with its place and exits with 1 if there is one, with 77 if the check
# is not possible here. Only files that git tracks or would add are checked.
set -u
check=$1
self=$(realpath "$0")
cd "$2" || exit 2
library=${3:-}
bad=0

breach() {
	echo "$check: $*"
	bad=1
}

skip() {
	echo "skipped: $1"
	exit 77
}

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || skip "this is no git work tree"

# files PATTERN…: what git has or would add, and that is still there.
files() {
	git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while IFS= read -r f; do
		[ -f "$f" ] && printf '%s\n' "$f"
	done
}

# matches REGEX FILE…: place and line of each match; no files, no matches.
matches() {
	local regex=$1
	shift
	[ $# -eq 0 ] || grep -HnP -- "$regex" "$@"
}

# own_only FOLDER [HEADER…] [FOLDER/…]: what a folder includes in quotes is its own, or one of those
# headers, or lies in one of those folders.
own_only() {
	local file name more also=" ${*:2} "
	for more in "$1/" "${@:2}"; do
		[[ $more != */ ]] || also+="$(files "$more*.h" | sed 's/.*\///' | tr '\n' ' ')"
	done
	while IFS=: read -r file _ name; do
		case $name in
		gcspy/*) [ -f "include/$name" ] || breach "$file includes $name, which is not there" ;;
		*..*) breach "$file includes $name: no paths upwards" ;;
		*) [[ $also == *" ${name##*/} "* ]] ||
			breach "$file includes \"$name\", which is not in $1/" ;;
		esac
	done < <(matches '^\s*#\s*include\s*"' $(files "$1/*.[ch]") |
		sed -E 's/^([^:]+):([0-9]+):[^"]*"([^"]*)".*/\1:\2:\3/')
}

# only_from FOLDER USER…: its headers are included in no other folder but those, and tests.
only_from() {
	local names where
	names=$(files "$1/*.h" | sed 's/.*\///; s/\./\\./' | paste -sd'|')
	where=$(printf '%s/|' "$@" tests)
	[ -z "$names" ] || only_in "^\s*#\s*include\s*\"($names)\"" "${where%|}" $(files '*.[ch]')
}

# only_in PATTERN WHERE FILE…: no file but those whose path matches WHERE has the pattern.
only_in() {
	local regex=$1 where=$2 line
	shift 2
	while IFS= read -r line; do
		breach "${line} (only allowed in $where)"
	done < <(matches "$regex" "$@" | grep -Ev "^($where)")
}

includes() {
	own_only include
	# The layers of protocol/: each may include its own headers and those below it.
	own_only protocol/base
	own_only protocol/model protocol/base/
	own_only protocol/wire protocol/model/ protocol/base/
	own_only protocol/compat2002 protocol/wire/ protocol/model/ protocol/base/
	own_only protocol/trace protocol/wire/ protocol/model/ protocol/base/
	own_only protocol/server protocol/trace/ protocol/compat2002/ protocol/wire/ protocol/model/ protocol/base/
	own_only protocol/client protocol/compat2002/ protocol/wire/ protocol/model/ protocol/base/
	own_only protocol/profile protocol/wire/ protocol/model/ protocol/base/
	own_only protocol/analysis protocol/profile/ protocol/trace/ protocol/wire/ protocol/model/ protocol/base/
	# The page of `gcspy report`, and the visualiser's renderers that it may use.
	own_only protocol/report protocol/analysis/ protocol/profile/ protocol/trace/ protocol/wire/ protocol/model/ protocol/base/ \
		canvas.h tilemap.h history_rows.h
	only_from protocol/report protocol/tools
	own_only protocol/discover bytes.h nearest.h net.h now.h served_address.h
	# Of agent/: the table of its options, for help.
	own_only protocol/tools protocol/ options.h
	# The program gcspy-serve, of which nothing else knows.
	own_only protocol/serve protocol/
	only_from protocol/serve
	only_in '^\s*#\s*include\s*[<"](microhttpd|curl/curl)\.h' 'protocol/serve/' $(files '*.[ch]')
	only_from protocol/discover protocol/tools protocol/serve client-sdl
	# Of protocol/: what every program needs; names of files; answers to queries about tiles, call
	# sites and reference chains; the socket of the agent's own JVM.
	local base='hash.h now.h sink.h text.h thread.h utf8.h'
	own_only agent $base arena.h chain_tree.h nearest.h net.h path_pattern.h site_tiles.h sites.h
	# Of protocol/: what the views show; addresses; files that are there whole or not at all.
	own_only client-sdl $base protocol/profile/ protocol/analysis/ protocol/trace/ attach_program.h site_tiles.h free_runs.h resolve.h jvm.h whole_file.h png.h
	own_only client-sdl/draw $base
	own_only client-sdl/ui $base client-sdl/draw/ whole_file.h
	own_only client-sdl/tiles $base client-sdl/draw/
	own_only client-sdl/source $base resolve.h player.h live_profile.h
	# Servers that are not the agent use the public headers alone.
	own_only servers/train
	only_from servers/train docs/generate
	own_only servers/malloc
	only_from servers/malloc
	local system='(assert|ctype|errno|inttypes|limits|stdalign|stdarg|stdatomic|stdbool|stddef'
	system+='|stdint|stdio|stdlib|string|gcspy/[a-z]+)\.h'
	local line
	while IFS= read -r line; do
		breach "$line (public headers are plain C11)"
	done < <(matches '^\s*#\s*include\s*<' $(files 'include/*.h') | grep -Ev "<$system>" |
		grep -v '^include/gcspy/backtrace.h:.*<libunwind\.h>')
	only_in '^\s*#\s*include\s*[<"](jvmti|jni|jni_md|jvmticmlr)\.h' 'agent/|tests/' $(files '*.[ch]')
	only_in '^\s*#\s*include\s*[<"](SDL2/)?SDL[_a-z]*\.h' \
		'client-sdl/sdl/|tests/' $(files '*.[ch]')
}

# No two headers have the same name: an #include needs no path, and a reader no folder to know it by.
names() {
	local name
	while IFS= read -r name; do
		breach "$(files "$name" "**/$name" | paste -sd' ') have the same name"
	done < <(files '*.h' | sed 's/.*\///' | sort | uniq -d)
}

fences() {
	local sources
	sources=$(files 'include/*.[ch]' 'protocol/*.[ch]' 'agent/*.[ch]' 'client-sdl/*.[ch]')
	# A socket call needs one of these headers, because nothing may be declared implicitly.
	only_in '^\s*#\s*include\s*<(sys/socket|sys/un|netdb|netinet/.*|arpa/inet|linux/(inet_diag|netlink|sock_diag))\.h>' \
		'protocol/base/net(_user)?\.c' $sources
	only_in 'process_vm_readv|process_vm_writev|\bgHotSpot' 'agent/vm/' $sources
	# Libraries never end or print for their host (tools and main files are programs).
	only_in '\b(exit|abort|_exit|printf|puts|perror)\s*\(|\bfprintf\s*\(\s*std' \
		'protocol/tools/|client-sdl/|agent/|include/' $sources
}

toplevel() {
	local allowed='CMakeLists\.txt|CMakePresets\.json|README\.md|LICENSE|run|\..*'
	allowed+='|agent|include|protocol|client-sdl|java-test-apps|servers|tests|docs|cmake'
	local entry
	while IFS= read -r entry; do
		breach "$entry does not belong at the top"
	done < <(files | cut -d/ -f1 | sort -u | grep -Evx "$allowed")
}

style() {
	local file line
	local texts
	texts=$(files | grep -Ev '\.(png|bin|gcspy|ico|gz|jar|class)$|/corpus/|/regression/')
	while IFS= read -r line; do
		breach "$line (indent with tabs)"
	done < <(matches '^( {8}|\t* +\t)' $(files '*.[ch]'))
	while IFS= read -r line; do
		breach "$line (blanks at the end)"
	done < <(matches '[ \t\r]+$' $texts)
	# Zero-width and bidirectional marks, no-break space, soft hyphen, byte order mark.
	while IFS= read -r line; do
		breach "$line (invisible Unicode)"
	done < <(LC_ALL=C.UTF-8 matches \
		'[\x{00A0}\x{00AD}\x{200B}-\x{200F}\x{2028}-\x{202E}\x{2060}-\x{2064}\x{FEFF}]' $texts)
	# Prose has 100 columns: all but tables, pictures, blocks of code, and what a program wrote.
	while IFS= read -r line; do
		breach "$line (longer than 100 columns: tests/arch/wrap.py mends it)"
	done < <(LC_ALL=C awk '
		FNR == 1 { code = made = 0 }
		/^ *```/ { code = !code }
		/^<!-- by / { made = 1 }
		/^<!-- to here/ { made = 0 }
		!code && !made && !/^(\||!\[|    |\t)/ {
			text = $0
			gsub(/[\200-\277]/, "", text) # the bytes of a character after its first
			if (length(text) > 100)
				print FILENAME ":" FNR
		}' $(files 'README.md' 'docs/*.md'))
	for file in $texts; do
		[ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] ||
			breach "$file does not end with a newline"
	done
}

# Every id of a requirement that tests and docs cite, such as F20, is in docs/requirements.md.
ids() {
	local first last ids=' G1 C1 C2 C11 I8 I16 I32 I64 ' id at
	while read -r first last; do
		for ((at = ${first:1}; at <= ${last:1}; at++)); do
			ids+="${first:0:1}$at "
		done
	done < <(sed -nE 's/^\| ([A-Z][0-9]+)(–([A-Z][0-9]+))? \|.*/\1 \3/p' docs/requirements.md |
		awk '{ print $1, (NF > 1 ? $2 : $1) }')
	while IFS= read -r id; do
		[[ $ids == *" ${id##*:} "* ]] || breach "$id is not in docs/requirements.md"
	done < <(grep -HnoP "(?<![\w.\\\\/+%#!'-])[A-Z][0-9]{1,2}(?![\w.]*\w)" \
		$(files 'README.md' 'docs/*.md' 'tests/*.[ch]' 'tests/*.py' 'tests/*.sh' 'tests/*.txt'))
}

# Phrases that must not return are in phrases.txt, one regular expression to a line with, after a
# tabulator, what to write instead. Comment marks and line ends count as one blank.
phrases() {
	command -v python3 >/dev/null || skip "no python3"
	local list
	list=$(dirname "$self")/phrases.txt
	files '*.[ch]' '*.md' '*.java' '*.py' '*.sh' '*.txt' '*.cmake' '*.in' run |
		grep -Ev '/corpus/|/golden/|^tests/arch/(phrases.txt|arch_test.sh)$' |
		python3 "$(dirname "$self")/phrases.py" "$list" || bad=1
}

# Relative links of pages lead to files, and the README leads to every page of docs/howto.
links() {
	local file target
	while IFS=: read -r file _ target; do
		target=${target%%#*}
		[ -z "$target" ] || [ -e "$(dirname "$file")/$target" ] ||
			breach "$file links to $target, which does not exist"
	done < <(grep -HnoP '\]\(\K(?!https?:)[^)\s]+' $(files '*.md'))
	for file in $(files 'docs/howto/*.md'); do
		grep -qF "($file)" README.md || breach "README.md does not link to $file"
	done
}

# No file of the product above 450 lines that docs/architecture.md does not justify.
length() {
	local file count
	for file in $(files 'include/*.[ch]' 'protocol/*.[ch]' 'agent/*.[ch]' 'client-sdl/*.[ch]' 'servers/*.[ch]'); do
		count=$(wc -l <"$file")
		[ "$count" -le 450 ] || grep -qF "| \`$file\` |" docs/architecture.md ||
			breach "$file has $count lines; cut it, or justify it in docs/architecture.md"
	done
}

format() {
	command -v clang-format >/dev/null || skip "there is no clang-format"
	# Another version may break lines in other places; the style was set with this one.
	clang-format --version | grep -q 'version 14\.' || skip "clang-format is not version 14"
	local sources
	sources=$(files '*.[ch]')
	[ -z "$sources" ] || clang-format --dry-run --Werror $sources || bad=1
}

exports() {
	[ -f "$library" ] || skip "the agent has not been built"
	local symbol
	while IFS= read -r symbol; do
		breach "$library exports $symbol"
	done < <(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -Ev '^(Agent_On|gcs_sampling_)')
	nm -D --defined-only "$library" | grep -q ' Agent_OnLoad$' ||
		breach "$library does not export Agent_OnLoad"
}

case $check in
includes | names | fences | toplevel | style | ids | phrases | links | length | format | exports) "$check" ;;
*) echo "arch.sh: no such check: $check" >&2 && exit 2 ;;
esac
exit "$bad"
