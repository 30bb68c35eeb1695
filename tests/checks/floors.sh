#!/usr/bin/env bash
# floors.sh [SOURCE_DIR]: no header includes upward, none is part of a circle, a room of policies takes only concept.hpp from
# another such room, and the library needs nothing but the standard, Eigen and Boost. Prints each breach; exit 1 if there is one.
set -u
export LC_ALL=C
cd "${1:-$(dirname "$0")/../..}/include" || exit 2

# Every header on its own line: FILE TAB what it includes, without the marks; a quoted name keeps its first quote.
includes() {
  find hetsched -name '*.hpp' -exec grep -H -E '^[[:space:]]*#[[:space:]]*include' {} + \
    | sed -E 's#^([^:]*):[[:space:]]*\#[[:space:]]*include[[:space:]]*(<([^>]*)>|("[^"]*)").*#\1\t\3\4#' | sort
}

includes | awk -F '\t' '
  function floor(f) {
    sub(/^hetsched\//, "", f)
    if (f ~ /^optimize\//) return 1
    if (f ~ /^core\// || f ~ /^(job|cluster|column|plan|move|record|fwd|version|config)\.hpp$/) return 2
    if (f ~ /^(resource|predict|place|reallocate|objective|admit)\//) return 3
    if (f == "scheduler.hpp" || f ~ /^scheduler\//) return 4
    if (f ~ /^what_if\//) return 5
    if (f ~ /^published\//) return 6
    if (f ~ /^(simulate|trace|verify)\//) return 7
    if (f ~ /^(hetsched|simulate|trace|verify)\.hpp$/) return 8
    return 0
  }
  function room(f) { sub(/^hetsched\//, "", f); sub(/\/.*/, "", f); return f }
  function breach(text) { print $1 ": " text; bad = 1 }
  {
    to = $2; here = floor($1)
    if (here == 0) { if (!($1 in told)) breach("stands on no floor: name its room in tests/checks/floors.sh"); told[$1] = 1; next }
    if (to ~ /^"/) { breach("includes " to "\": write <hetsched/...>"); next }
    if (to !~ /^hetsched\//) {
      if (to ~ /\// && to !~ /^(Eigen|boost)\//) breach("includes <" to ">: headers use the standard library, Eigen and Boost only")
      next
    }
    there = floor(to)
    if (to == $1) breach("includes itself: a circle")
    if (there == 0) breach("includes <" to ">, which stands on no floor")
    else if (there > here) breach("includes upward: <" to ">")
    else if ($1 == "hetsched/hetsched.hpp" && there > 6) breach("goes above published: <" to ">")
    else if (here == 3 && there == 3 && room($1) != room(to) && to !~ /\/concept\.hpp$/)
      breach("takes more than concept.hpp from another room: <" to ">")
    if ((getline line < to) < 0) breach("includes <" to ">, which is not there"); else close(to)
  }
  END { exit bad }'
status=$?

# tsort names the members of a circle on standard error. Of the files first; then of the rooms that share the floor below the programs.
circles() { tsort 2>&1 >/dev/null | sed 's/^tsort: -: /  /; s/^tsort: /    /'; }
found=$(
  includes | awk -F '\t' '$2 ~ /^hetsched\// { print $1, $2 }' | circles
  includes | awk -F '\t' '
    function room(f) { sub(/^hetsched\//, "", f); sub(/\/.*/, "", f); return f }
    $1 ~ /\/(simulate|trace|verify)\// && $2 ~ /^hetsched\/(simulate|trace|verify)\// { print room($1), room($2) }' | circles
)
[ -z "$found" ] || { printf '%s\n' "A circle of includes:" "$found"; status=1; }
exit $status
