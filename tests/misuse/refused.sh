#!/usr/bin/env bash
# refused.sh SOURCE COMPILER INCLUDE[;INCLUDE...]: the source does not compile, and the reason given is the one its first line expects.
set -u
export LC_ALL=C
source=$1 compiler=$2
IFS=';' read -r -a folders <<<"$3"

expected=$(sed -n '1s#^// expect: *##p' "$source")
[ -n "$expected" ] || { echo "$source: its first line must read: // expect: REGEX"; exit 1; }

# Without the lines of source that compilers quote, so that a text in the source itself proves nothing.
quiet=-fno-diagnostics-show-caret
"$compiler" --version | grep -q clang && quiet=-fno-caret-diagnostics
if output=$("$compiler" -std=c++20 "${folders[@]/#/-I}" "$quiet" -fmessage-length=0 -c "$source" -o /dev/null 2>&1); then
  echo "$source: compiles, but must be refused with: $expected"
  exit 1
fi
if grep -q -E -e "$expected" <<<"$output"; then exit 0; fi
printf '%s\n' "$source: refused for another reason than: $expected" "$output" | head -60
exit 1
