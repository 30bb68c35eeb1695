#!/usr/bin/env bash
# What a header costs: the time to compile a source that includes it alone, against a source that includes just the standard and third-party
# headers which it pulls in, directly or through other headers of ours. Both in this run, in turns; the least of several. Times are of the
# processor (user and system), so that a busy machine disturbs little; as users compile: -std=c++20 -O2 -c. Exit 1: a header is above LIMIT.
#   compile_time.sh [HEADER...]      all public headers by default, named as in an #include; CXX, REPEATS, LIMIT, JOBS from the environment
set -u
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CXX=${CXX:-g++} REPEATS=${REPEATS:-2} LIMIT=${LIMIT:-1.5}
jobs=${JOBS:-2}
# shellcheck disable=SC2046 # one flag a word
export ROOT=$root THIRD_PARTY=$(pkg-config --cflags-only-I eigen3 2>/dev/null || echo -I/usr/include/eigen3)
work=$(mktemp -d)
export WORK=$work
trap 'rm -rf "$work"' EXIT

compile() { # source
  # shellcheck disable=SC2086 # several flags
  "$CXX" -std=c++20 -O2 -I"$ROOT/include" ${THIRD_PARTY//-I/-isystem } -c "$1" -o /dev/null "${@:2}"
}

seconds() { # source: of the processor
  local TIMEFORMAT='%U %S'
  { time compile "$1" 2>/dev/null; } 2>&1 | awk '{ printf "%.3f\n", $1 + $2 }'
}

# The headers that ours include from outside, by the names under which a search folder has them, in the order of their first appearance. -H prints
# each header that is read behind one dot a level: a header from outside counts where the one that includes it is ours.
foreign() { # output of -H
  awk -v ours="$ROOT/include/" -v folders="$FOLDERS" '
    BEGIN { n = split(folders, folder, ":"); from[0] = 1 }
    /^\.+ / {
      depth = length($1); path = substr($0, depth + 2); mine = index(path, ours) == 1
      from[depth] = mine
      if (mine || !from[depth - 1]) next
      best = 0
      for (i = 1; i <= n; ++i) if (index(path, folder[i] "/") == 1 && length(folder[i]) > best) best = length(folder[i])
      print "#include <" substr(path, best + 2) ">"
    }' "$1"
}

measure() { # header
  local name=${1//\//_} with without i a b best_with=1e9 best_without=1e9 rounds=$REPEATS
  with=$WORK/$name.with.cpp without=$WORK/$name.without.cpp
  echo "#include <$1>" >"$with"
  compile "$with" -H 2>"$WORK/$name.log" && foreign "$WORK/$name.log" >"$without" && compile "$without" 2>"$WORK/$name.log" ||
    { echo "$1 - - fails"; grep -m 3 error "$WORK/$name.log" >&2; return; }
  # A header that looks too slow is measured longer before it is called so.
  for ((i = 1; i <= rounds; ++i)); do
    a=$(seconds "$with") b=$(seconds "$without")
    best_with=$(least "$a" "$best_with") best_without=$(least "$b" "$best_without")
    [ "$i" -ne "$REPEATS" ] || ! above_limit "$best_with" "$best_without" || rounds=$((4 * REPEATS))
  done
  awk -v h="$1" -v a="$best_with" -v b="$best_without" 'BEGIN { printf "%s %.3f %.3f %.2f\n", h, a, b, a / b }'
}
above_limit() { awk -v a="$1" -v b="$2" -v l="$LIMIT" 'BEGIN { exit !(a > l * b) }'; }
least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a + 0 < b + 0) ? a : b }'; }

# Where the compiler looks: names are cut from these.
true >"$WORK/empty.cpp"
FOLDERS=$(compile "$WORK/empty.cpp" -v 2>&1 >/dev/null | sed -n '/^#include </,/^End of search/p' | sed -n 's/^ //p' | grep -v "^$root/" | paste -sd:)
[ -n "$FOLDERS" ] || { echo "$CXX does not say where it looks for headers" >&2; exit 2; }
export FOLDERS
export -f compile least above_limit seconds foreign measure

if [ $# -gt 0 ]; then printf '%s\n' "$@"; else (cd "$root/include" && find hetsched -name '*.hpp' | sort); fi |
  xargs -P "$jobs" -I{} bash -c 'measure "$1"' - {} | sort >"$work/table"

"$CXX" --version | head -n 1
printf '%-48s %9s %9s %6s\n' header "header_s" "without_s" ratio
awk -v limit="$LIMIT" '
  { over = $4 == "fails" || $4 + 0 > limit; bad += over; if ($4 + 0 > worst) worst = $4 + 0 }
  { printf "%-48s %9s %9s %6s%s\n", $1, $2, $3, $4, over ? "  <-- limit " limit : "" }
  END { printf "%d headers, %d beyond the limit of %s, worst ratio %.2f\n", NR, bad, limit, worst; exit bad > 0 }' "$work/table"
