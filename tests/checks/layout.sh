#!/usr/bin/env bash
# layout.sh [SOURCE_DIR]: headers have at most 800 lines; no source has a tab, a carriage return, a blank at the end of a line, a line
# of more than 150 columns or a last line without its end; headers open their namespaces only. Prints each breach; exit 1 if there is one.
set -u
export LC_ALL=C.UTF-8
cd "${1:-$(dirname "$0")/../..}" || exit 2

report() { # text: every line on standard input is a breach
  while IFS= read -r where; do echo "$where: $1"; done
}
ours() { # the sources, each ended by a zero byte
  find include examples bench tests .ci .cmake CMakeLists.txt -type f \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.sh' -o -name 'CMakeLists.txt' -o -path '.ci/*' \) -print0 2>/dev/null | sort -z
}
lines_with() { ours | xargs -0 -r grep -n -E -e "$1" -- /dev/null | cut -d: -f1,2; }
headers() { find include -name '*.hpp' | sort; }

breaches=$(
  headers | while IFS= read -r f; do [ "$(wc -l <"$f")" -le 800 ] || echo "$f"; done | report "more than 800 lines"
  headers | while IFS= read -r f; do grep -q '^#pragma once$' "$f" || echo "$f"; done | report "no #pragma once"
  lines_with $'\t' | report "a tab"
  lines_with $'\r' | report "a carriage return"
  lines_with ' $' | report "a blank at the end"
  lines_with '^.{151}' | report "more than 150 columns"
  ours | while IFS= read -r -d '' f; do [ -z "$(tail -c 1 "$f")" ] || echo "$f"; done | report "the last line has no end"
  headers | xargs -r grep -n -E -e '^[[:space:]]*using namespace ' -- /dev/null | cut -d: -f1,2 | report "using namespace in a header"
)
[ -z "$breaches" ] || { echo "$breaches"; exit 1; }
