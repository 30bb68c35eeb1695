#!/usr/bin/env python3
"""The programs of share.cpp by SciPy's HiGHS, dual simplex and interior point: the call of linprog, the matrices are there.

Usage: share_highs.py SOLVER NAME...    SOLVER: simplex or interior_point; NAME: max_min/10000/3, sum/1000/10, ...
Prints a line a program: NAME SECONDS VALUE, CPU seconds of this process."""
import math
import sys
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


class Splitmix:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53

    def normal(self):
        a, b = self.uniform(), self.uniform()
        return math.sqrt(-2 * math.log(1 - a)) * math.cos(2 * math.pi * b)


def draw(jobs, types, seed, load=2.0, sigma=0.35):
    random = Splitmix(seed)
    speed, part = [], []
    for _ in range(types):
        speed.append(math.exp(1.6 * random.uniform()))
        part.append(0.5 + random.uniform())
    devices, rates = np.empty(jobs), np.empty((jobs, types))
    for i in range(jobs):
        u = random.uniform()
        devices[i] = 1 if u < 0.7 else 2 if u < 0.8 else 4 if u < 0.95 else 8
        base = math.exp(random.normal())
        for k in range(types):
            rates[i, k] = base * speed[k] * math.exp(sigma * random.normal())
    capacity = np.maximum(8.0, np.floor(devices.sum() / load * np.array(part) / sum(part) + 0.5))
    return rates / (rates @ capacity / capacity.sum())[:, None], devices, capacity


def solve(name, method):
    kind, jobs, types = name.split("/")
    jobs, types = int(jobs), int(types)
    rates, devices, capacity = draw(jobs, types, 1)
    cells = jobs * types
    job, kind_of, cell = np.repeat(np.arange(jobs), types), np.tile(np.arange(types), jobs), np.arange(cells)
    rows, columns = [job, jobs + kind_of], [cell, cell]
    entries, limits = [np.ones(cells), devices[job]], [np.ones(jobs), capacity]
    gain = -rates.ravel()
    if kind == "max_min":
        rows += [jobs + types + job, jobs + types + np.arange(jobs)]
        columns += [cell, np.full(jobs, cells)]
        entries += [-rates.ravel(), np.ones(jobs)]
        limits.append(np.zeros(jobs))
        gain = np.zeros(cells + 1)
        gain[-1] = -1
    matrix = coo_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns)))).tocsr()
    start = time.process_time()
    found = linprog(gain, A_ub=matrix, b_ub=np.concatenate(limits), bounds=(0, None), method=method)
    seconds = time.process_time() - start
    if found.status != 0:
        return seconds, math.nan
    return seconds, -found.fun


if __name__ == "__main__":
    method = {"simplex": "highs-ds", "interior_point": "highs-ipm"}[sys.argv[1]]
    for name in sys.argv[2:]:
        print(name, "%.4f %.10g" % solve(name, method), flush=True)
