"""Which lines of two sequences are the same: the shortest edit script, within a fixed amount of work."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

_MAX_EDITS = 600
"""Beyond this many inserted and deleted lines in one stretch the script may be longer than the shortest."""


def common_runs(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int]]:
    """The kept runs `(i, j, n)`: `a[i:i+n] == b[j:j+n]`, in order and disjoint in both; all else was changed."""
    runs: list[tuple[int, int, int]] = []
    stack = [(0, len(a), 0, len(b))]
    while stack:
        a0, a1, b0, b1 = stack.pop()
        head = 0
        while a0 + head < a1 and b0 + head < b1 and a[a0 + head] == b[b0 + head]:
            head += 1
        tail = 0
        while a1 - tail > a0 + head and b1 - tail > b0 + head and a[a1 - 1 - tail] == b[b1 - 1 - tail]:
            tail += 1
        if head:
            runs.append((a0, b0, head))
        if tail:
            runs.append((a1 - tail, b1 - tail, tail))
        a0, a1, b0, b1 = a0 + head, a1 - tail, b0 + head, b1 - tail
        if a0 == a1 or b0 == b1:
            continue
        found = _myers(a, a0, a1, b, b0, b1)
        if found is not None:
            runs.extend(found)
            continue
        anchors = _unique_anchors(a, a0, a1, b, b0, b1)
        if not anchors:
            continue
        runs.extend((i, j, 1) for i, j in anchors)
        edges = [(a0 - 1, b0 - 1), *anchors, (a1, b1)]
        stack.extend((i + 1, k, j + 1, m) for (i, j), (k, m) in pairwise(edges))
    return _joined(runs)


def changed_runs(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """What lies between the kept runs, as `(i, k, j, m)`: `b[j:m]` stands in the place of `a[i:k]`."""
    i = j = 0
    for k, m, size in [*common_runs(a, b), (len(a), len(b), 0)]:
        if k > i or m > j:
            yield i, k, j, m
        i, j = k + size, m + size


def _joined(runs: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    joined: list[tuple[int, int, int]] = []
    for i, j, n in sorted(runs):
        if joined:
            i0, j0, n0 = joined[-1]
            if i0 + n0 == i and j0 + n0 == j:
                joined[-1] = (i0, j0, n0 + n)
                continue
        joined.append((i, j, n))
    return joined


def _myers(a: Sequence[str], a0: int, a1: int, b: Sequence[str], b0: int, b1: int) -> list[tuple[int, int, int]] | None:
    """Myers' greedy algorithm; None where it would take more than `_MAX_EDITS` edits."""
    n, m = a1 - a0, b1 - b0
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(n + m, _MAX_EDITS) + 1):
        trace.append(reach.copy())
        for k in range(-edits, edits + 1, 2):
            if k < -m or k > n:
                continue
            down = k == -edits or (k != edits and reach.get(k - 1, -1) < reach.get(k + 1, -1))
            x = reach.get(k + 1, 0) if down else reach.get(k - 1, -1) + 1
            y = x - k
            while x < n and y < m and a[a0 + x] == b[b0 + y]:
                x += 1
                y += 1
            reach[k] = x
            if x >= n and y >= m:
                return _walk_back(trace, n, m, a0, b0)
    return None


def _walk_back(trace: list[dict[int, int]], x: int, y: int, a0: int, b0: int) -> list[tuple[int, int, int]]:
    runs: list[tuple[int, int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        reach = trace[edits]
        k = x - y
        down = k == -edits or (k != edits and reach.get(k - 1, -1) < reach.get(k + 1, -1))
        before = k + 1 if down else k - 1
        from_x = reach.get(before, 0)
        from_y = from_x - before
        start = from_x if down else from_x + 1
        if edits == 0:
            start, from_x, from_y = 0, 0, 0
        if x > start:
            runs.append((a0 + start, b0 + start - k, x - start))
        x, y = from_x, from_y
    return runs


def _unique_anchors(a: Sequence[str], a0: int, a1: int, b: Sequence[str], b0: int, b1: int) -> list[tuple[int, int]]:
    """Lines that occur once in each stretch, thinned to the longest list that keeps its order in both."""
    in_a, in_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    where = {b[j]: j for j in range(b0, b1) if in_b[b[j]] == 1 and in_a.get(b[j]) == 1}
    pairs = [(i, where[a[i]]) for i in range(a0, a1) if a[i] in where]
    ends: list[int] = []
    at: list[int] = []
    back: list[int] = []
    for index, (_, j) in enumerate(pairs):
        slot = bisect_left(ends, j)
        back.append(at[slot - 1] if slot else -1)
        if slot == len(ends):
            ends.append(j)
            at.append(index)
        else:
            ends[slot], at[slot] = j, index
    chain: list[tuple[int, int]] = []
    index = at[-1] if at else -1
    while index >= 0:
        chain.append(pairs[index])
        index = back[index]
    return chain[::-1]
