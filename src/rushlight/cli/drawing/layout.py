"""Layered drawing of a directed graph (Sugiyama, Tagawa and Toda, 1981).

Each box gets the layer behind its last predecessor's; edges over several layers get a waypoint in
each; boxes are ordered within layers by the mean of their neighbours' places, down and up in turn;
then each moves towards that mean as far as its neighbours in the layer allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Edge = tuple[int, int]

SWEEPS = 6
GAP = 28.0  # between boxes of a layer
WAYPOINT = 10.0  # width of an edge that passes a layer


@dataclass
class Layout:
    """Centres of the boxes, the layer of each, and the points that each edge passes."""

    x: list[float]
    layer: list[int]
    paths: dict[Edge, list[tuple[float, int]]]


def _layers(count: int, edges: Iterable[Edge]) -> list[int]:
    """The longest path to each box; edges lead from lower to higher numbers."""
    layer = [0] * count
    for source, target in sorted(edges, key=lambda e: (e[1], e[0])):
        layer[target] = max(layer[target], layer[source] + 1)
    # A box without predecessors moves down to the first that needs it.
    following: dict[int, int] = {}
    fed = {target for _, target in edges}
    for source, target in edges:
        following[source] = min(following.get(source, layer[target]), layer[target])
    for box, first in following.items():
        if box not in fed:
            layer[box] = first - 1
    return layer


class _Layering:
    def __init__(self, widths: Sequence[float], edges: Sequence[Edge]) -> None:
        self.widths = list(widths)
        self.layer = _layers(len(widths), edges)
        self.above: list[list[int]] = [[] for _ in widths]
        self.below: list[list[int]] = [[] for _ in widths]
        self.chains: dict[Edge, list[int]] = {}
        for edge in edges:
            self._chain(edge)
        self.rows: list[list[int]] = [[] for _ in range(max(self.layer, default=0) + 1)]
        for item, row in enumerate(self.layer):
            self.rows[row].append(item)

    def _chain(self, edge: Edge) -> None:
        source, target = edge
        chain, previous = [], source
        for row in range(self.layer[source] + 1, self.layer[target]):
            item = len(self.widths)
            self.widths.append(WAYPOINT)
            self.layer.append(row)
            self.above.append([])
            self.below.append([])
            self._link(previous, item)
            chain.append(item)
            previous = item
        self._link(previous, target)
        self.chains[edge] = chain

    def _link(self, a: int, b: int) -> None:
        self.below[a].append(b)
        self.above[b].append(a)

    def order(self) -> None:
        for sweep in range(SWEEPS):
            down = sweep % 2 == 0
            neighbours = self.above if down else self.below
            rows = self.rows if down else self.rows[::-1]
            place = {item: float(i) for row in self.rows for i, item in enumerate(row)}
            for row in rows:
                mean = {
                    item: sum(place[n] for n in neighbours[item]) / len(neighbours[item])
                    if neighbours[item]
                    else place[item]
                    for item in row
                }
                row.sort(key=lambda item: mean[item])
                place.update({item: float(i) for i, item in enumerate(row)})

    def positions(self) -> list[float]:
        x = [0.0] * len(self.widths)
        for row in self.rows:
            left = 0.0
            for item in row:
                x[item] = left + self.widths[item] / 2
                left += self.widths[item] + GAP
        for sweep in range(2 * SWEEPS):
            down = sweep % 2 == 0
            for row in self.rows if down else self.rows[::-1]:
                wanted = []
                for item in row:
                    near = self.above[item] if down else self.below[item]
                    near = near or self.above[item] or self.below[item]
                    wanted.append(sum(x[n] for n in near) / len(near) if near else x[item])
                for item, place in zip(row, self._fit(row, wanted), strict=True):
                    x[item] = place
        return x

    def _fit(self, row: Sequence[int], wanted: Sequence[float]) -> list[float]:
        """Places in this order, without overlap, near those wanted: least squares, by merging
        neighbours that would overlap into blocks that move together."""
        offsets, reach = [], 0.0
        for i, item in enumerate(row):
            if i:
                reach += (self.widths[row[i - 1]] + self.widths[item]) / 2 + GAP
            offsets.append(reach)
        blocks: list[list[float]] = []  # sum of wished starts, members
        for want, offset in zip(wanted, offsets, strict=True):
            blocks.append([want - offset, 1.0])
            while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
                total, members = blocks.pop()
                blocks[-1][0] += total
                blocks[-1][1] += members
        starts = [total / members for total, members in blocks for _ in range(int(members))]
        return [start + offset for start, offset in zip(starts, offsets, strict=True)]


def lay_out(widths: Sequence[float], edges: Sequence[Edge]) -> Layout:
    """Places boxes of these widths; every edge leads from a lower to a higher number."""
    layering = _Layering(widths, edges)
    layering.order()
    x = layering.positions()
    count = len(widths)
    least = min((x[i] - layering.widths[i] / 2 for i in range(len(x))), default=0.0)
    x = [place - least for place in x]
    paths = {
        edge: [(x[item], layering.layer[item]) for item in chain]
        for edge, chain in layering.chains.items()
    }
    return Layout(x[:count], layering.layer[:count], paths)
