#!/usr/bin/env bash
# Shows that each check of arch.sh finds what it is there to find: a good tree passes, and each
# breach that is put into it is found by the right check.
set -u
arch=$(cd "$(dirname "$0")" && pwd)/arch.sh
tree=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$tree" "$log"' EXIT
failed=0

mkdir -p "$tree"/{docs/howto,include/gcspy,protocol/{base,model,server,discover,tools},agent/vm,client-sdl/draw,client-sdl/ui,client-sdl/sdl}
cd "$tree" || exit 2
git init -q .
printf '#include <stdint.h>\n' >include/gcspy/a.h
printf '#include "net.h"\n#include <gcspy/a.h>\n' >protocol/base/net.c
printf '#include <stddef.h>\n' >protocol/base/net.h
printf '#include "net.h"\n' >protocol/server/server.c
printf '#include "net.h"\n' >protocol/discover/jvm.c
printf '#include <stddef.h>\n' >protocol/discover/jvm.h
printf '#include "jvm.h"\n' >protocol/tools/tool.h
printf '#include <jvmti.h>\n#include <gcspy/a.h>\nint x(void)\n{\n\treturn 1;\n}\n' >agent/a.c
printf '#include <gcspy/a.h>\n' >client-sdl/a.c
printf '#include <stddef.h>\n' >client-sdl/draw/canvas.h
printf '#include "canvas.h"\n' >client-sdl/ui/ui.h
printf '#include <SDL.h>\n#include "canvas.h"\n' >client-sdl/sdl/main.c
printf '# A\n\n[howto](docs/howto/a.md), [web](https://example.org/) (F2)\n' >README.md
printf '| F1 | a |\n| F2–F4 | b |\n' >docs/requirements.md
printf '| `protocol/base/long.c` | why |\n' >docs/architecture.md
yes 'int a;' | head -460 >protocol/base/long.c
printf '[back](../../README.md#a)\n' >docs/howto/a.md
cp "$(dirname "$arch")/../../.clang-format" .

expect() { # expect STATUS CHECK WHAT
	bash "$arch" "$2" "$tree" >"$log" 2>&1
	local got=$?
	if [ "$got" -ne "$1" ] && [ "$got" -ne 77 ]; then
		echo "arch.sh $2 gave $got instead of $1: $3"
		cat "$log"
		failed=1
	fi
}

breach() { # breach CHECK FILE TEXT
	mkdir -p "$(dirname "$2")"
	[ -f "$2" ] && cp "$2" keep.bak
	printf "$3" >"$2"
	expect 1 "$1" "$2 with $3"
	if [ -f keep.bak ]; then mv keep.bak "$2"; else rm "$2"; fi
}

for check in includes names fences toplevel style ids phrases links length format; do
	expect 0 "$check" "a good tree"
done
breach includes protocol/base/b.c '#include "agent.h"\n'
breach includes protocol/base/b.c '#include "../agent/a.h"\n'
breach includes protocol/model/b.c '#include "jvm.h"\n'
breach names protocol/server/net.h 'int b;\n'
breach includes protocol/discover/b.c '#include "tool.h"\n'
breach includes protocol/base/b.c '#include "tool.h"\n'
breach includes agent/b.c '#include "json.h"\n'
breach includes client-sdl/b.c '#include "net.h"\n'
breach includes include/gcspy/b.h '#include <pthread.h>\n'
breach includes protocol/base/b.c '#include <jni.h>\n'
breach includes client-sdl/b.c '#include <SDL.h>\n'
breach includes client-sdl/ui/b_sdl.c '#include <SDL.h>\n'
breach includes client-sdl/draw/b.c '#include "ui.h"\n'
breach fences client-sdl/b.c '#include <sys/socket.h>\n'
breach fences agent/b.c 'extern int gHotSpotVMStructs;\n'
breach fences protocol/b.c 'void f(void)\n{\n\texit(1);\n}\n'
breach toplevel contrib/b.c 'int b;\n'
breach style protocol/b.c 'int b; \n'
breach style protocol/b.c 'int f(void)\n{\n        return 1;\n}\n'
breach style protocol/b.c 'int b;'
breach style docs/b.md "$(printf '%101s' | tr ' ' x)\n"
breach style protocol/b.c '/* \xe2\x80\x8b */\n'
breach format protocol/b.c 'int  b ;\n'
breach ids docs/b.md 'as F5 says\n'
breach ids docs/b.md 'as H1 says\n'
breach phrases docs/b.md 'The names are in a depot.\n'
breach phrases protocol/b.c '/*\n * Nobody sees\n * to it.\n */\n'
long=$(printf 'int a;\\n%.0s' {1..451})
breach length protocol/base/b.c "$long"
breach links docs/b.md '[a page](howto/b.md)\n'
breach links docs/howto/b.md 'A page that nobody finds.\n'

# The export list, on libraries made here.
if command -v gcc >/dev/null; then
	printf 'int Agent_OnLoad(void);\nint Agent_OnLoad(void)\n{\n\treturn 0;\n}\n' >good.c
	{ cat good.c && printf 'int gcs_leak(void);\nint gcs_leak(void)\n{\n\treturn 0;\n}\n'; } >bad.c
	for name in good bad; do
		gcc -shared -fPIC -o "$name.so" "$name.c" || failed=1
	done
	bash "$arch" exports "$tree" "$tree/good.so" >/dev/null || { echo "exports: good refused"; failed=1; }
	bash "$arch" exports "$tree" "$tree/bad.so" >/dev/null && { echo "exports: bad accepted"; failed=1; }
fi
exit "$failed"
