#!/usr/bin/env bash
# `simulate` on the 63,537 jobs of philly_jobs.csv, files written, nodes of 8: seconds and memory a policy and cluster.
# Usage: simulate_philly.sh PROGRAM TRACE     (PROGRAM: build/bench/examples/simulate or the like)
# POLICIES: which, if not all. Memory a job: peak resident, less that of the same run with one job, less the file, over the number of jobs.
set -eu
program=$(realpath "$1")
trace=$(realpath "$2")
[ -r "$trace" ] || { echo "skipped: $trace is not here"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
head -n 2 "$trace" > one.csv
jobs=$(($(wc -l < "$trace") - 1))
bytes=$(stat -c %s "$trace")

measure() { # trace -> "seconds kilobytes", the least of three runs
  for _ in 1 2 3; do
    python3 - "$program" --nodes nodes.csv --format philly --jobs "$1" --policy "$policy" --out out <<'PY'
import os, resource, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
assert status == 0, status
print(f"{used.ru_utime + used.ru_stime:.3f} {used.ru_maxrss}")
PY
  done | sort -n | head -n 1
}

printf '%-14s %8s %10s %14s\n' policy devices 'cpu s' 'bytes a job'
for nodes in 64 32 16; do
  printf 'node,count,gpu_type,gpus\nn,%d,v100,8\n' "$nodes" > nodes.csv
  for policy in ${POLICIES:-fifo fifo_backfill sjf srtf las tiresias gittins}; do
    read -r _ alone <<< "$(measure one.csv)"
    read -r seconds peak <<< "$(measure "$trace")"
    printf '%-14s %8d %10s %14d\n' "$policy" $((8 * nodes)) "$seconds" $((((peak - alone) * 1024 - bytes) / jobs))
  done
done
