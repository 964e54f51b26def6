"""
Calls whose kernels round once, divide numbers that are not finite, or keep a sign or a layout of their own.

Where PyTorch's vectors and single elements differ, tensors have at most 3 elements, which it computes one by one.
"""

import itertools
import math

import torch
from recorder import automatic

A = torch.ops.aten
INF, NAN = math.inf, math.nan
COMPLEX = (torch.complex64, torch.complex128)


def pairs(*numbers):
    """All pairs of numbers, as two tensors' elements."""
    return list(zip(*itertools.product(numbers, numbers)))


def factors(record):
    """Sums with a factor: one rounding of float32, also where the product leaves the range."""
    most, step = torch.finfo(torch.float32).max, torch.finfo(torch.float32).eps
    x, y = (torch.tensor(one) for one in pairs(most, -most, most / 2, 1 + step, -1 - 2 * step, 0.0, -0.0, INF, NAN, 3.3))
    values = (2, -2, 1.5, 1 + step, -1 - step, 0.5, -0.25, 1, -1, 0, 0.0, 3e38)
    for value in values:
        record(f"factor {value}", lambda x, y: (A.add.Tensor(x, y, alpha=value), A.sub.Tensor(x, y, alpha=value), A.rsub.Scalar(x, 1.5, value), A.add.Scalar(x, 3.3, value), A.sub.Tensor(x, y[:1], alpha=value)), x, y)
    sizes = [(x[:n], y[-n:]) for n in (6, 3, 5, 33, 100)]
    record("factors of open sizes", lambda x, y: (A.sub.Tensor(x, y, alpha=2), A.add.Tensor(x.abs(), y, alpha=-1.7)), *sizes, dynamic=(automatic(0), automatic(0)))
    record("factors in chains", lambda x, y: (A.sub.Tensor(A.add.Tensor(x, y, alpha=2), y, alpha=2), A.add.Tensor(x * y, x - y, alpha=1.7).sum(0) * 0, A.sub.Tensor(x.reshape(10, 10).t(), y.reshape(10, 10), alpha=3)), x, y)
    for kind in (torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.int8):
        exact = not kind.is_floating_point
        # Vectors of PyTorch have 32 halves.
        x, y = (torch.tensor(one) for one in pairs(most, -most, most / 2, 7.0, 3.3, -0.7, INF, 0.0))
        a, b = ((one.nan_to_num(0, 9, -9).clamp(-9, 9) if exact else one).to(kind) for one in (x, y))
        record(f"factors of {kind}", lambda x, y: (A.add.Tensor(x, y, alpha=3), A.sub.Tensor(x, y, alpha=-2), A.rsub.Scalar(x, 2, 3)), a, b)
    x, y = (torch.tensor(one) for one in pairs(1.5, -2.0, 0.0, 7.0))
    record("factors of several dtypes", lambda x, y: (A.add.Tensor(x, y.half(), alpha=3), A.sub.Tensor(y.bfloat16(), x, alpha=1.7), A.add.Tensor(x, (x > 1), alpha=1.7)), x, y)


def complexes(record):
    parts = pairs(0.0, -0.0, 1.0, -2.5, INF, -INF, NAN)
    z = torch.complex(*(torch.tensor(one, dtype=torch.float64) for one in parts))
    place = torch.arange(z.numel()) // 3
    for kind in COMPLEX:
        a, zero = z.to(kind), torch.zeros(17, dtype=kind)
        for inclusive in (True, False):
            record(f"means of {kind} {inclusive}", lambda x, at, z: (A.scatter_reduce.two(x, 0, at, z, "mean", include_self=inclusive), A.index_reduce(x, 0, at, z, "mean", include_self=inclusive), A.scatter_reduce.two(x.repeat(3), 0, torch.arange(z.shape[0]), z, "mean", include_self=inclusive), A.index_reduce(x.reshape(17, 1), 0, at, z.reshape(-1, 1), "mean", include_self=inclusive)), zero, place, a, rtol=1e-6)


def shrinks(record):
    numbers = ([0.0, -0.0, 0.5], [-0.5, 0.1, -0.1], [0.7, -0.7, NAN], [INF, -INF, 1e-45])
    for kind in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for limit in (0.5, 0.0, 0.1):
            runs = [(torch.tensor(one, dtype=kind),) for one in numbers]
            record(f"softshrink {limit} {kind}", lambda x: (A.softshrink(x, limit), 1 / A.softshrink(x, limit), A.softshrink(x[1], limit), A.hardshrink(x, limit), 1 / A.hardshrink(x, limit)), *runs)


def remainders(record):
    for kind in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        least, tiny = torch.finfo(kind).smallest_normal * torch.finfo(kind).eps, torch.finfo(kind).smallest_normal
        others = [[least, -least, 3 * least], [tiny, -tiny, tiny / 4], [1.0, -3.5, 7.0], [INF, 0.0, -0.0]]
        runs = [(torch.tensor(a, dtype=kind), torch.tensor(b, dtype=kind)) for a, b in itertools.product(others, others)]
        record(f"remainders {kind}", lambda x, y: (A.remainder.Tensor(x, y), A.fmod.Tensor(x, y), A.remainder.Tensor(x[0], y[0]), A.div.Tensor_mode(x, y, rounding_mode="floor"), A.floor_divide(x, y)), *runs)
        for value in (least, -3 * least, tiny / 4):
            record(f"remainders by {value} {kind}", lambda x: (A.remainder.Scalar(x, value), A.fmod.Scalar(x, value), A.remainder.Scalar_Tensor(value, x)), *[(torch.tensor(one, dtype=kind),) for one in others])


def layouts(record):
    """Writes to a clone of a transposed tensor, whose layout it has."""
    x = torch.arange(12.0).reshape(3, 4)
    at = torch.tensor([[0, 1, 2], [2, 0, 1]])
    row = torch.tensor([2, 0])
    writes = {
        "scatter_reduce_": lambda y, at, v, row: y.scatter_reduce_(0, at, v, "sum"),
        "scatter_reduce_ mean": lambda y, at, v, row: y.scatter_reduce_(0, at, v, "mean", include_self=False),
        "scatter_": lambda y, at, v, row: y.scatter_(0, at, v),
        "scatter_ of a value": lambda y, at, v, row: y.scatter_(0, at, 7.0),
        "scatter_add_": lambda y, at, v, row: y.scatter_add_(0, at, v),
        "index_add_": lambda y, at, v, row: y.index_add_(0, row, v),
        "index_copy_": lambda y, at, v, row: y.index_copy_(0, row, v),
        "index_fill_": lambda y, at, v, row: y.index_fill_(0, row, 5.0),
        "index_reduce_": lambda y, at, v, row: y.index_reduce_(0, row, v, "prod"),
        "index_put_": lambda y, at, v, row: y.index_put_((row,), v),
        "masked_fill_": lambda y, at, v, row: y.masked_fill_(y > 4, 3.0),
        "masked_scatter_": lambda y, at, v, row: y.masked_scatter_(y > 8, v),
        "put_": lambda y, at, v, row: y.put_(row, v[0, :2]),
        "fill_diagonal_": lambda y, at, v, row: y.fill_diagonal_(9.0),
        "tril_": lambda y, at, v, row: y.tril_(),
        "cumsum_": lambda y, at, v, row: y.cumsum_(0),
        "renorm_": lambda y, at, v, row: y.renorm_(2, 0, 1.0),
    }
    for name, write in writes.items():
        def functional(x, at, v, row, write=write):
            y = x.t().clone()
            write(y, at, v, row)
            return y, y + 1, y.relu()

        record(f"{name} of a transposed clone", functional, x, at, at * 1.5, row, rtol=1e-6)
    calls = {
        "scatter_reduce": lambda y, at, v, row: A.scatter_reduce.two(y, 0, at, v, "sum"),
        "scatter": lambda y, at, v, row: A.scatter.src(y, 0, at, v),
        "scatter of a value": lambda y, at, v, row: A.scatter.value(y, 0, at, 7.0),
        "scatter_add": lambda y, at, v, row: A.scatter_add(y, 0, at, v),
        "index_add": lambda y, at, v, row: A.index_add(y, 0, row, v),
        "index_copy": lambda y, at, v, row: A.index_copy(y, 0, row, v),
        "index_fill": lambda y, at, v, row: A.index_fill.int_Scalar(y, 0, row, 5.0),
        "index_reduce": lambda y, at, v, row: A.index_reduce(y, 0, row, v, "prod"),
        "index_put": lambda y, at, v, row: A.index_put(y, (row,), v),
        "put": lambda y, at, v, row: A.put(y, row, v[0, :2]),
        "masked_scatter": lambda y, at, v, row: A.masked_scatter(y, y > 8, v),
    }
    for name, call in calls.items():
        record(f"{name} of a transposed tensor", lambda x, at, v, row: (call(x.t(), at, v, row), call(x.t().clone(), at, v, row), call(x[:, ::2].t(), at.clamp(max=1), v, row % 2)), x, at, at * 1.5, row)


def make(record):
    factors(record)
    complexes(record)
    shrinks(record)
    remainders(record)
    layouts(record)
