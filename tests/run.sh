#!/usr/bin/env bash
# All tests: installs what is missing, configures, builds in build/tests, runs them through ctest. Exit 0: all passed.
# CXX names another compiler than g++; arguments go to ctest (-R NAME, -L unit, ...). Exit 2: something must be installed first.
set -eu
packages=(g++ cmake ninja-build pkg-config libeigen3-dev libboost-dev doctest-dev librapidcheck-dev nlohmann-json3-dev libcli11-dev)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/tests
bash "$root/.ci/need" "${packages[@]}"

# Optimised a little, for it is compiled more often than run, and with the assertions in place.
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="${CXX:-g++}" -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
  -DHETSCHED_BUILD_TESTS=ON -DHETSCHED_BUILD_EXAMPLES=ON -DHETSCHED_BUILD_BENCHMARKS=OFF
cmake --build "$build" --parallel "$(nproc)"
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
