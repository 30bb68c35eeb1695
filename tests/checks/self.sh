#!/usr/bin/env bash
# The checks of this folder are themselves checked: a sound little tree passes, and each planted breach is found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

tree() { # a sound tree
  rm -rf "$work/t"
  mkdir -p "$work/t"/{include/hetsched/{core,optimize,resource,place,published,simulate,trace},tests,examples,bench}
  cd "$work/t/include/hetsched" || exit 2
  header() { local f=$1; shift; { echo '#pragma once'; printf '#include <%s>\n' "$@"; } >"$f"; }
  header core/a.hpp vector
  header resource/concept.hpp hetsched/core/a.hpp
  header resource/nodes.hpp hetsched/resource/concept.hpp Eigen/Core
  header place/bind.hpp hetsched/resource/concept.hpp boost/heap/d_ary_heap.hpp
  header trace/read.hpp hetsched/core/a.hpp
  header simulate/run.hpp hetsched/trace/read.hpp
  header hetsched.hpp hetsched/place/bind.hpp hetsched/resource/nodes.hpp
}
holds() { bash "$here/$1.sh" "$work/t" >"$work/out" 2>&1 || { echo "$1.sh refuses a sound tree:"; cat "$work/out"; failed=1; }; }
breach() { # check, text that it must print, then what was planted
  if bash "$here/$1.sh" "$work/t" >"$work/out" 2>&1; then echo "$1.sh did not see: $3"; failed=1
  elif ! grep -q -F -e "$2" "$work/out"; then echo "$1.sh did not say '$2' of: $3"; cat "$work/out"; failed=1; fi
  tree
}

tree; holds floors; holds layout
echo '#include <hetsched/simulate/run.hpp>' >>resource/nodes.hpp; breach floors "includes upward" "a room that includes the simulator"
echo ' #  include <hetsched/hetsched.hpp>' >>place/bind.hpp; breach floors "includes upward" "a room that includes the umbrella"
echo '#include <hetsched/resource/nodes.hpp>' >>place/bind.hpp; breach floors "more than concept.hpp" "a room that includes another's member"
echo '#include "../core/a.hpp"' >>place/bind.hpp; breach floors 'write <hetsched' "a relative include"
echo '#include <nlohmann/json.hpp>' >>trace/read.hpp; breach floors "headers use the standard library" "a library that is for examples"
echo '#include <hetsched/core/gone.hpp>' >>trace/read.hpp; breach floors "is not there" "a header that does not exist"
echo '#include <hetsched/trace/read.hpp>' >>hetsched.hpp; breach floors "above published" "an umbrella that reaches too high"
echo '#include <hetsched/resource/nodes.hpp>' >>resource/concept.hpp; breach floors "circle" "two headers that include each other"
echo '#include <hetsched/core/a.hpp>' >>core/a.hpp; breach floors "circle" "a header that includes itself"
header trace/other.hpp hetsched/simulate/run.hpp; breach floors "circle" "two rooms that include each other"
header lone.hpp vector; breach floors "no floor" "a header outside the rooms"
for ((i = 0; i < 800; ++i)); do echo; done >>core/a.hpp; breach layout "more than 800 lines" "a long header"
printf 'int\ti;\n' >>core/a.hpp; breach layout "a tab" "a tab"
printf 'int i;\r\n' >>core/a.hpp; breach layout "a carriage return" "a carriage return"
echo 'int i; ' >>core/a.hpp; breach layout "a blank at the end" "a blank"
printf '// %0150d\n' 1 >../../tests/a.cpp; breach layout "150 columns" "a long line"
printf 'int i;' >>core/a.hpp; breach layout "has no end" "a file that ends in mid-line"
echo 'using namespace std;' >>core/a.hpp; breach layout "using namespace" "using namespace"
echo 'int i;' >core/b.hpp; breach layout "no #pragma once" "a header without its guard"
exit $failed
