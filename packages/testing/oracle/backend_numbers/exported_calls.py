"""Calls that PyTorch exports, and runs where it computes nothing: `verify` takes them too."""

import itertools

import torch

A = torch.ops.aten
BOOLS = torch.tensor([True, False, True, True])


def layouts(record):
    """Elementwise calls of operands in several layouts."""
    x = torch.arange(1.0, 25.0).reshape(2, 3, 4)
    ways = {"rows": x, "turned": x.reshape(4, 3, 2).permute(2, 1, 0), "swapped": x.reshape(2, 4, 3).transpose(1, 2), "gaps": torch.arange(1.0, 49.0).reshape(2, 3, 8)[..., ::2], "broadcast": x[:1, :, :1].expand(2, 3, 4), "row": x[0, 0]}
    calls = {
        "div floor": lambda a, b: A.div.Tensor_mode(a, b, rounding_mode="floor"),
        "div trunc": lambda a, b: A.div.Tensor_mode(a, b, rounding_mode="trunc"),
        "floor_divide": lambda a, b: A.floor_divide(a, b),
        "heaviside": lambda a, b: A.heaviside(a - 5, b),
        "others": lambda a, b: (A.remainder.Tensor(a, b), A.atan2(a, b), A.hypot(a, b), A.copysign.Tensor(a, b), A.nextafter(a, b), A.xlogy.Tensor(a, b), A.fmod.Tensor(a, b), A.logaddexp(a, b), A.pow.Tensor_Tensor(a, b / 9), A.fmax(a, b), A.maximum(a, b), A.gt.Tensor(a, b), A.logical_and(a, b), A.lerp.Scalar(a, b, 0.25), A.addcmul(a, b, a), A.where.self(a > b, a, b)),
    }
    for name, call in calls.items():
        for (first, a), (second, b) in itertools.permutations(ways.items(), 2):
            if a.dim() == 3 and (name != "others" or first == "turned" or second == "turned"):
                record(f"{name} of {first} and {second}", call, a, b, rtol=1e-5)
        record(f"{name} of turned ones", call, ways["turned"], ways["turned"] + 1, rtol=1e-5)
    for name in ("div floor", "div trunc", "floor_divide"):
        record(f"{name} of several dtypes", lambda a, b: (calls[name](a, b), calls[name](b.transpose(1, 2), a.transpose(1, 2)), calls[name](a, b.half()), calls[name](a, b[0, 0, 0]), calls[name](b[0, 0, 0], a)), ways["turned"], x.int())


def bools(record):
    at = torch.tensor([0, 0, 3, 1])
    table, turned = BOOLS.repeat(2, 1), BOOLS.repeat(2, 1).t()
    for alpha in (1, 2, 0, -1, True, False, 1.0, 0.5):
        # PyTorch lowers the others to a call that it refuses.
        lowers = alpha is True or alpha is False or (alpha == 1 and isinstance(alpha, int))
        record(f"index_add of bools {alpha}", lambda x, i, y: (A.index_add(x, 0, i, y, alpha=alpha), A.index_add(y.logical_not(), 0, i, x, alpha=alpha)), BOOLS, at, BOOLS.flip(0), lowers=lowers)
        record(f"index_add of rows of bools {alpha}", lambda x, i: (A.index_add(x.logical_not(), 0, i, x, alpha=alpha), x.clone().index_add_(0, i, x, alpha=alpha)), turned, at, lowers=lowers)
        record(f"index_add of columns of bools {alpha}", lambda x, i: A.index_add(x.logical_not(), 1, i, x, alpha=alpha), table, at, lowers=lowers)
    for reduce, include in itertools.product(("amin", "amax", "prod", "mean"), (True, False)):
        record(f"index_reduce of bools {reduce} {include}", lambda x, i: A.index_reduce(x, 0, i, x, reduce, include_self=include), BOOLS, at)
        record(f"index_reduce of rows of bools {reduce} {include}", lambda x, i: A.index_reduce(x, 0, i, x, reduce, include_self=include), turned, at)
        record(f"index_reduce of columns of bools {reduce} {include}", lambda x, i: A.index_reduce(x, 1, i, x, reduce, include_self=include), table, at)


def places(record):
    """Indices of tensors without elements, which are read only where there is something to do."""
    numbers = [torch.tensor([at]) for at in (0, 7, -9)]
    writes = {
        "index_put": lambda x, i, v: A.index_put(x, [i], v),
        "index_put sum": lambda x, i, v: A.index_put(x, [i], v, True),
        "index_put_": lambda x, i, v: A.index_put_(x.clone(), [i], v),
        "index": lambda x, i, v: A.index.Tensor(x, [i]),
        "index_select": lambda x, i, v: A.index_select(x, 0, i),
        "gather": lambda x, i, v: A.gather(x, 0, i[:, None].expand(1, x.shape[1])),
        "index_add": lambda x, i, v: A.index_add(x, 0, i, v),
        "index_copy": lambda x, i, v: A.index_copy(x, 0, i, v),
        "index_fill": lambda x, i, v: A.index_fill.int_Scalar(x, 0, i, 1.0),
        "index_reduce": lambda x, i, v: A.index_reduce(x, 0, i, v, "prod"),
        "scatter": lambda x, i, v: A.scatter.src(x, 0, i[:, None].expand(1, x.shape[1]), v),
        "scatter of a value": lambda x, i, v: A.scatter.value(x, 0, i[:, None].expand(1, x.shape[1]), 2.0),
        "scatter_add": lambda x, i, v: A.scatter_add(x, 0, i[:, None].expand(1, x.shape[1]), v),
        "scatter_reduce": lambda x, i, v: A.scatter_reduce.two(x, 0, i[:, None].expand(1, x.shape[1]), v, "sum"),
    }
    for name, write in writes.items():
        record(f"{name} of no columns", write, *[(torch.zeros(3, 0), at, torch.zeros(1, 0)) for at in numbers])


def nothing(record):
    for n, k, m in ((0, 3, 2), (2, 0, 3), (2, 3, 0), (0, 0, 0)):
        for kind in (torch.bool, torch.float32):
            x, y = torch.zeros(n, k, dtype=kind), torch.zeros(k, m, dtype=kind)
            for name, call in {"mm": lambda x, y: A.mm(x, y), "bmm": lambda x, y: A.bmm(x[None], y[None]), "matmul": lambda x, y: A.matmul(x, y), "linear": lambda x, y: A.linear(x, y.t())}.items():
                record(f"{name} {n} {k} {m} {kind}", call, x, y)
    for shape, dim in (((0, 3), 1), ((3, 0), 0), ((2, 0, 2), 2)):
        record(f"kthvalue {shape} {dim}", lambda x: A.kthvalue(x, 1, dim), torch.zeros(shape, dtype=torch.complex64))


def make(record):
    layouts(record)
    bools(record)
    places(record)
    nothing(record)
