"""Reductions that a choice takes beside their readers, elements converted before they are reduced, and members of rows."""

import itertools
import math

import torch
from recorder import automatic

T = torch.tensor
MODES = ("sum", "prod", "mean", "amax", "amin")


def few_rows(record):
    """Scattered reductions of few elements, and calls that read each of them for many."""
    shapes = {"one": ((1,), 0), "one row": ((1, 3), 0), "columns": ((3, 1), 1), "rows": ((2, 3), 0), "long": ((2, 3), 1)}
    for (name, (shape, dim)), mode in itertools.product(shapes.items(), MODES):
        wide = [4 if at == dim else size for at, size in enumerate(shape)]
        self = torch.arange(10.0, 10 + math.prod(shape)).reshape(shape)
        source = torch.arange(1.0, math.prod(wide) + 1).reshape(wide) / 2
        index = torch.arange(math.prod(wide)).reshape(wide) % shape[dim]

        def scattered(x, i, s, mode=mode, dim=dim):
            results = []
            for keeps in (False, True):
                y = torch.scatter_reduce(x, dim, i, s, mode, include_self=keeps)
                results += [y, s * y.sum(dim, keepdim=True), s - y.narrow(dim, 0, 1), y.narrow(dim, 0, 1) + s * 2]
            return tuple(results)

        record(f"scatter_reduce {name} {mode}", scattered, (self, index, source), (self, index * 0, source), rtol=1e-6)
        record(f"scatter_reduce {name} {mode}, only read", lambda x, i, s, f=scattered: f(x, i, s)[2], (self, index, source), rtol=1e-6)
        if name == "one":
            longer = torch.arange(7.0) + 1
            runs = ((self, index, source), (self, torch.zeros(7, dtype=torch.int64), longer))
            record(f"scatter_reduce {name} {mode} of sizes", scattered, *runs, dynamic=({}, automatic(0), automatic(0)), rtol=1e-6)
        if mode != "sum":
            places = torch.arange(4) % shape[dim]

            def by_index(x, i, s, mode=mode, dim=dim):
                y = torch.index_reduce(x, dim, i, s, mode, include_self=False)
                return y, s * y.narrow(dim, 0, 1)

            record(f"index_reduce {name} {mode}", by_index, (self, places, source), rtol=1e-6)


def converted(record):
    """Elements are rounded to the dtype before they are reduced, but for means."""
    calls = {
        "sum": lambda x, d: (x.sum(dtype=d), x.sum(1, dtype=d), x.sum((0, 1), keepdim=True, dtype=d)),
        "prod": lambda x, d: (x.prod(dtype=d), x.prod(1, dtype=d)),
        "cumsum": lambda x, d: (x.cumsum(0, dtype=d), x.cumsum(1, dtype=d)),
        "cumprod": lambda x, d: (x.cumprod(0, dtype=d), x.cumprod(1, dtype=d)),
        "nansum": lambda x, d: (x.nansum(dtype=d), x.nansum(1, dtype=d)),
        "mean": lambda x, d: (x.mean(dtype=d), x.mean(1, dtype=d)),
    }
    ends = T([[2051.0, 2051, 2051], [1e9, -1e9, 5], [1e9, 1e-9, 3], [65519, -65520, 1]])
    small = T([[257.0, 257, 257], [2051, 2051, 2051], [-3, 1001, 2], [7, -9, 4097]])
    for (name, call), to in itertools.product(calls.items(), (torch.float16, torch.bfloat16)):
        inputs = {kind: small.to(kind) for kind in (torch.int32, torch.int64)} if name != "mean" else {}
        inputs |= {kind: ends.to(kind) for kind in (torch.float32, torch.float64)}
        # Its products of bfloat16 are rounded at each step.
        rtol = {"sum": 0, "prod": 2**-6}.get(name, 2**-8)
        for kind, x in inputs.items():
            record(f"{name} of {kind} as {to}", lambda x, call=call, to=to: call(x, to), x, rtol=rtol)
            fused = lambda x, call=call, to=to: tuple(y + 1 for y in call(x * 1, to))  # noqa: E731
            record(f"{name} of {kind} as {to}, among others", fused, x, rtol=rtol)


def factors_of_bools(record):
    x, y, one = T([False, False, True, True]), T([False, True, False, True]), T(True)
    for alpha in (0, 1, 2, -1, True, False):
        call = lambda x, y, one, alpha=alpha: (torch.add(x, y, alpha=alpha), torch.add(x, one, alpha=alpha), x.clone().add_(y, alpha=alpha))  # noqa: E731
        record(f"sum of bools, {alpha} times", call, (x, y, one))
        record(f"sum of a bool and a number, {alpha} times", lambda x, y, one, alpha=alpha: (torch.ops.aten.add.Scalar(x, True, alpha),), (x, y, one))


def members(record):
    """Rows that are long enough to be sorted, with numbers that no order has."""
    x = T([-math.inf, 0, 1, math.nan, 2.5, 1.5e-5, -129, math.nan, -129, 0, 127.5, -0.0, -0.5, 2.5, math.inf, -65504])
    some = torch.cat([x[::2], x[::3], x[10:11], T([math.nan] * 4)])
    for kind in (torch.float32, torch.float64, torch.float16):
        for invert in (False, True):
            call = lambda x, y, invert=invert: (torch.isin(x, y, invert=invert), torch.isin(x - 2.5, x - 2.5, invert=invert), torch.isin(y, x, invert=invert))  # noqa: E731
            record(f"isin {kind} {invert}", call, (x.to(kind), some.to(kind)))
            record(f"isin {kind} {invert} of a number", lambda x, y, invert=invert: (torch.isin(127.5, x, invert=invert), torch.isin(x, 127.5, invert=invert)), (x.to(kind), some.to(kind)))


def repeated_views(record):
    """Writes through a part of a view by strides that shows elements several times."""
    writes = {
        "row": lambda v: v.select(0, 0).add_(1),
        "column": lambda v: v[:, 1].mul_(3),
        "slice": lambda v: v[1:].fill_(7),
        "row of a row": lambda v: v.unsqueeze(0).select(1, 1).neg_(),
    }
    for (name, write), strides in itertools.product(writes.items(), ((1, 1), (2, 1), (1, 2), (3, 2))):

        def run(x, write=write, strides=strides):
            y = x.clone()
            try:
                write(y.as_strided((2, 2), strides))
            except RuntimeError:
                write(y.as_strided((2, 2), (2, 1)))
            return y, y.sum(), y * 2

        record(f"{name} of strides {strides}", run, torch.arange(6.0))


def make(record):
    few_rows(record)
    converted(record)
    factors_of_bools(record)
    members(record)
    repeated_views(record)
