#!/usr/bin/env bash
# run.sh WAY SOURCE BUILD CMAKE GENERATOR COMPILER: builds the project of this folder against hetsched and runs it. WAY is find_package or
# pkg_config (both on a tree installed from BUILD and then moved), add_subdirectory or fetch_content (on SOURCE). Exit 77: cannot be tried here.
set -eu
way=$1 source=$2 build=$3 cmake=$4 generator=$5 compiler=$6
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $way in find_package | pkg_config)
  "$cmake" --install "$build" --prefix "$work/installed" >/dev/null
  mv "$work/installed" "$work/moved" # an installed tree does not know where it was put
  ;;
esac

if [ "$way" = pkg_config ]; then
  command -v pkg-config >/dev/null || { echo "pkg-config is not installed"; exit 77; }
  PKG_CONFIG_PATH="$work/moved/share/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
  export PKG_CONFIG_PATH
  flags=$(pkg-config --cflags --libs hetsched)
  echo "flags: $flags"
  # shellcheck disable=SC2086 # several flags
  "$compiler" -std=c++20 "$here/main.cpp" $flags -o "$work/consumer"
  "$work/consumer"
else
  # Its own flags, not ours: an environment that carries some must not reach it.
  env -u CXXFLAGS "$cmake" -S "$here" -B "$work/build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" -DWAY="$way" \
    -DCMAKE_PREFIX_PATH="$work/moved" -DHETSCHED_SOURCE="$source" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$cmake" --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$work/build/consumer"
fi
