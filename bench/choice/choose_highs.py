#!/usr/bin/env python3
"""HiGHS, as SciPy carries it, on the instances of instance.hpp: choose_highs.py JOBS DEVICES [SEED [GAP [LIMIT_S]]]

Prints the seconds in the solver (of the processor, and of the clock), the value and the bound. Needs python3-scipy (Debian); run it beside bench/choose.
"""
import math
import sys
import time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix


def instance(jobs, devices, seed):
    """Job, type, count and value of each column, and the capacities: what instance.hpp draws."""
    state, mask = seed, 2**64 - 1

    def draw():
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def uniform():
        return (draw() >> 11) * 2.0**-53

    def normal():
        a, b = uniform(), uniform()
        return math.sqrt(-2 * math.log(1 - a)) * math.cos(2 * math.pi * b)

    node, speed = (4, 8, 8), (1.0, 2.0, 3.5)
    capacity = [8 * (devices // 3 // 8)] * 2
    capacity.append(devices - sum(capacity))
    columns = []
    for j in range(jobs):
        alpha, most = 0.6 + 0.35 * uniform(), 2 << (draw() % 6)
        ways = []
        for k in range(3):
            h, g = speed[k] * math.exp(0.25 * normal()), 1
            while g <= min(most, capacity[k]):
                ways.append((k, g, h * g ** (0.92 * alpha if g > node[k] else alpha)))
                g = 2 * g if g < node[k] else g + node[k]
        least = min(w[2] for w in ways)
        columns += [(j, k, g, 1.1 - 1 / math.sqrt(v / least)) for k, g, v in ways]
    return columns, capacity


def main():
    jobs, devices = int(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    gap = float(sys.argv[4]) if len(sys.argv) > 4 else 1e-3
    limit = float(sys.argv[5]) if len(sys.argv) > 5 else 300
    columns, capacity = instance(jobs, devices, seed)
    n = len(columns)
    rows = [c[0] for c in columns] + [jobs + c[1] for c in columns]
    data = [1.0] * n + [float(c[2]) for c in columns]
    matrix = csr_matrix((data, (rows, list(range(n)) * 2)), shape=(jobs + 3, n))
    values = np.array([c[3] for c in columns])
    constraint = LinearConstraint(matrix, -np.inf, np.array([1.0] * jobs + [float(c) for c in capacity]))
    start, clock = time.process_time(), time.perf_counter()
    r = milp(-values, integrality=np.ones(n), bounds=Bounds(0, 1), constraints=constraint, options={"mip_rel_gap": gap, "time_limit": limit})
    seconds, clock = time.process_time() - start, time.perf_counter() - clock
    print(f"highs {jobs}/{devices} seed {seed} gap {gap:g}: {seconds:.4f} s ({clock:.4f} s), {n} columns, value {-r.fun:.8f}, bound {-r.mip_dual_bound:.8f}")


main()
