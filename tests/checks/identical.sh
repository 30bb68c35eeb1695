#!/usr/bin/env bash
# identical.sh SIMULATE SIMULATE...: programs of several builds, on rows in several orders, write the same events.csv and jobs.csv.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=$root/examples/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

policies=$("$1" --list-policies | paste -sd,)
cat > "$work/faults.csv" <<'CSV'
time_s,event,node,device,factor
20000,down,v100-node-1,,
20000,slow,a100-node-0,3,0.5
40000,drain,rtx6000ada-node-2,,
90000,up,v100-node-1,,
90000,up,rtx6000ada-node-2,,
90000,up,a100-node-0,3,
CSV

orders=(as_is up down)
{ cat "$data/jobs.csv"; } > "$work/as_is.csv"
for order in up down; do
  flag=$([ $order = up ] && echo -- || echo -r)
  { head -n 1 "$data/jobs.csv"; tail -n +2 "$data/jobs.csv" | LC_ALL=C sort $flag; } > "$work/$order.csv"
done

k=0
for program in "$@"; do
  for order in "${orders[@]}"; do
    "$program" --nodes "$data/nodes.csv" --jobs "$work/$order.csv" --throughputs "$data/throughputs.csv" --policy "$policies" \
      --faults "$work/faults.csv" --restart-cost 30 --release-delay 5 --noise 0.3 --seed 7 --out "$work/out$k" > /dev/null
    for policy in ${policies//,/ }; do
      for file in events.csv jobs.csv; do
        cmp "$work/out0/$policy/$file" "$work/out$k/$policy/$file" || { echo "$program, rows $order, $policy: another $file"; exit 1; }
      done
    done
    k=$((k + 1))
  done
done
echo "$k runs of $(wc -w <<<"${policies//,/ }") policies: the same bytes"
