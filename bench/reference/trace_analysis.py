#!/usr/bin/env python3
"""The analysis of a profile as one would write it plainly: kernel, API and range sums, kernels
within ranges, GPU busy time and gaps. The yardstick of bench/trace_bench.cpp."""
import collections
import heapq
import sqlite3
import statistics
import sys


def summary(groups):
    whole = sum(sum(values) for values in groups.values()) or 1
    rows = []
    for name, values in groups.items():
        total = sum(values)
        deviation = statistics.pstdev(values) if len(values) > 1 else 0.0
        rows.append((100 * total / whole, total, len(values), total / len(values),
                     statistics.median(values), min(values), max(values), deviation, name))
    rows.sort(key=lambda row: -row[1])
    return rows


def main(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    names = dict(database.execute("SELECT id, value FROM StringIds"))
    calls = {}
    by_api = collections.defaultdict(list)
    for start, end, tid, correlation, name in database.execute(
            "SELECT start, end, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME "
            "WHERE eventClass IN (0, 1)"):
        by_api[names[name]].append(end - start)
        calls[(tid >> 24, correlation)] = (start, end, tid)
    ranges = collections.defaultdict(list)
    by_range = collections.defaultdict(list)
    for start, end, tid, name in database.execute(
            "SELECT start, end, globalTid, textId FROM NVTX_EVENTS WHERE eventType IN (59, 60)"):
        ranges[tid].append((start, end, names[name]))
        by_range[names[name]].append(end - start)
    kernels = list(database.execute(
        "SELECT start, end, deviceId, globalPid, correlationId, demangledName FROM "
        "CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start"))
    by_kernel = collections.defaultdict(list)
    launches = collections.defaultdict(list)
    latency = collections.defaultdict(list)
    covered = collections.defaultdict(lambda: [None, 0, 0, 0])
    for row, (start, end, device, pid, correlation, name) in enumerate(kernels):
        by_kernel[names[name]].append(end - start)
        call = calls.get((pid >> 24, correlation))
        if call:
            launches[call[2]].append((call[0], call[1], row))
            latency[names[name]].append(start - call[0])
        until, busy, gaps, longest = covered[device]
        if until is None or start > until:
            if until is not None:
                gaps += 1
                longest = max(longest, start - until)
            busy += end - start
            until = end
        elif end > until:
            busy += end - until
            until = end
        covered[device] = [until, busy, gaps, longest]
    within = collections.defaultdict(lambda: [0, 0])
    for tid, made in launches.items():
        made.sort()
        waiting = sorted(ranges.get(tid, []), key=lambda r: (r[0], -r[1]))
        opened, following = [], 0
        for start, end, row in made:
            while following < len(waiting) and waiting[following][0] <= start:
                opened.append(waiting[following])
                following += 1
            opened = [r for r in opened if r[1] >= start]
            for outer in opened:
                if outer[1] >= end:
                    total = within[(outer[2], names[kernels[row][5]])]
                    total[0] += 1
                    total[1] += kernels[row][1] - kernels[row][0]
    ends, level = [], collections.Counter()
    since = None
    for start, end, *_ in kernels:
        while ends and ends[0] <= start:
            now = heapq.heappop(ends)
            level[len(ends) + 1] += now - since
            since = now
        if since is not None:
            level[len(ends)] += start - since
        since = start
        heapq.heappush(ends, end)
    tables = [summary(by_kernel), summary(by_api), summary(by_range), summary(latency), within, covered,
              level]
    print(sum(len(table) for table in tables), "rows")


if __name__ == "__main__":
    main(sys.argv[1])
