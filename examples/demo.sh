#!/usr/bin/env bash
# The main job on the bundled input: one heterogeneous trace under six schedulers, side by side. Installs what it needs, builds `simulate` in
# build/demo, runs it. Exit 2: something must be installed first.
set -eu
policies=(fifo fifo_backfill srtf las tiresias gittins)
packages=(g++ cmake ninja-build libeigen3-dev libboost-dev libcli11-dev nlohmann-json3-dev)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/demo
data=$root/examples/data
bash "$root/.ci/need" "${packages[@]}"

log=$build/build.log
mkdir -p "$build"
echo "Building simulate ..."
{
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_CXX_COMPILER="${CXX:-g++}" \
    -DHETSCHED_WARNINGS_AS_ERRORS=OFF -DHETSCHED_BUILD_TESTS=OFF -DHETSCHED_BUILD_EXAMPLES=ON -DHETSCHED_BUILD_BENCHMARKS=OFF &&
    cmake --build "$build" --parallel "$(nproc)" --target simulate
} >"$log" 2>&1 || { tail -n 30 "$log" >&2; echo "The build failed; all of its output is in $log" >&2; exit 1; }

joined=$(IFS=,; echo "${policies[*]}")
run=("$build/examples/simulate" --nodes "$data/nodes.csv" --jobs "$data/jobs.csv" --throughputs "$data/throughputs.csv" --policy "$joined")
echo "${run[*]}"
"${run[@]}"
