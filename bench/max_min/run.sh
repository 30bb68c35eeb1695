#!/usr/bin/env bash
# Share programs side by side: ours, CLP, GLPK, and SciPy's HiGHS, on the same instances in one run. CPU times; ratios to the best rival.
# Usage: run.sh FOLDER [PATTERN]      FOLDER: where the benchmarks were built (build/bench/bench); PATTERN: which, for instance '/1000/'
# LONG=1: also what takes rivals minutes (100,000 jobs by HiGHS' interior point). What is not there is left out and said.
set -eu
here=$(dirname "$(realpath "$0")")
built=$(realpath "$1")
pattern=${2:-/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { # program -> lines "NAME MILLISECONDS VALUE"
  [ -x "$built/$1" ] || { echo "$1 was not built: left out" >&2; return 0; }
  "$built/$1" --benchmark_filter="$pattern" --benchmark_format=json 2> /dev/null > "$work/$1.json" || true
  python3 - "$work/$1.json" <<'PY'
import json, sys
for b in json.load(open(sys.argv[1]))["benchmarks"]:
    if "error_occurred" not in b:
        print("/".join(b["name"].split("/")[:3]), b["cpu_time"], "%.10g" % b["value"], "%.1e" % b.get("gap", float("nan")))
PY
}
run share > "$work/ours"
run share_clp > "$work/clp"
run share_glpk > "$work/glpk"
names=$(cut -d' ' -f1 "$work/ours" | grep -E '^(max_min|sum)/1000/|^(max_min|sum)/10000/' | grep -e "$pattern" || true)
long=$([ "${LONG:-0}" = 1 ] && cut -d' ' -f1 "$work/ours" | grep -E '^(max_min|sum)/100000/' || true)
if /usr/bin/python3 -c 'import scipy' 2> /dev/null; then
  /usr/bin/python3 "$here/share_highs.py" simplex $names > "$work/highs_simplex"
  /usr/bin/python3 "$here/share_highs.py" interior_point $names $long > "$work/highs_interior"
else
  echo "SciPy not found: HiGHS is left out" >&2
fi
python3 - "$work" <<'PY'
import os, sys
work = sys.argv[1]
rivals = ["clp", "glpk", "highs_simplex", "highs_interior"]
def read(name, unit):
    path = os.path.join(work, name)
    lines = [l.split() for l in open(path)] if os.path.exists(path) else []
    return {l[0]: (float(l[1]) * unit, float(l[2]), l[3:]) for l in lines}
ours = read("ours", 1)
times = {r: read(r, 1e3 if r.startswith("highs") else 1) for r in rivals}
print("%-18s %10s %8s" % ("program", "ours ms", "gap"), *("%15s" % r for r in rivals), "%8s  values differ by" % "ratio")
for name, (ms, value, rest) in ours.items():
    found = {r: times[r][name] for r in rivals if name in times[r]}
    row = "%-18s %10.3f %8s" % (name, ms, rest[0])
    row += "".join("%16s" % ("%.1f" % found[r][0] if r in found else "-") for r in rivals)
    if found:
        row += "%9.0f  %.0e" % (min(f[0] for f in found.values()) / ms, max(abs(f[1] - value) / abs(value) for f in found.values() if f[1] == f[1]))
    print(row)
PY
