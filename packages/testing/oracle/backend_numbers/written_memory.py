"""Writes to inputs and buffers that lie anywhere in memory, beside views that strides decide."""

import math

import torch
from recorder import automatic

T = torch.tensor
INF = math.inf


def rows(*shape):
    return torch.arange(1.0, math.prod(shape) + 1).reshape(shape)


def behind(x, start=3):
    """The same values behind others."""
    flat = torch.full((start + x.numel() + 2,), -7.0)
    view = flat[start : start + x.numel()].view(x.shape)
    view.copy_(x)
    return view


def apart(x):
    """The same values with a gap behind each."""
    return torch.stack([x, x * 0 - 1], -1)[..., 0]


def within(x):
    """The same rows in wider ones."""
    return torch.cat([x * 0 - 9, x, x * 0 - 9], -1)[..., x.shape[-1] : 2 * x.shape[-1]]


def columns(x):
    """The same values in the order of columns."""
    return x.transpose(0, -1).contiguous().transpose(0, -1)


PLACES = {"dense": lambda x: x, "behind": behind, "apart": apart, "within": within, "columns": columns}


def after(x, *calls):
    """The result of the last call."""
    for call in calls:
        result = call(x)
    return result


def strided(record):
    """Views by strides of what a program writes to."""
    calls = {
        "diagonal": lambda x: after(x, torch.relu_, lambda x: x.fill_diagonal_(7.0), lambda x: x + 0),
        "diagonal first": lambda x: after(x, lambda x: x.fill_diagonal_(7.0), torch.relu_, lambda x: x + 0),
        "diagonal wrapped": lambda x: after(x, lambda x: x.add_(1), lambda x: x.fill_diagonal_(7.0, wrap=True), lambda x: x * 1),
        "read": lambda x: after(x, lambda x: x.mul_(2), lambda x: x.as_strided((2, 2), (1, 2)) * 1),
        "read before": lambda x: after(x, lambda x: x.as_strided((2, 2), (1, 2)), lambda x: x.add_(1), lambda x: x.as_strided((2,), (3,)) * 1),
        "view then write": lambda x: (lambda v: (x.add_(1), v * 1)[1])(x.as_strided((2, 2), (1, 2))),
        "write": lambda x: after(x, lambda x: x.mul_(2), lambda x: x.as_strided((2, 2), (1, 2)).zero_(), lambda x: x * 1),
        "write at offset": lambda x: after(x, lambda x: x.mul_(2), lambda x: x.as_strided((2,), (2,), x.storage_offset() + 1).fill_(5.0), lambda x: x * 1),
        "row": lambda x: after(x, lambda x: x[1].mul_(3), lambda x: x[1].as_strided((2,), (1,)) * 1),
        "column": lambda x: (lambda v: (v.mul_(2), v.as_strided((2,), (1,)) * 1)[1])(x[:, 1]),
        "transposed": lambda x: (lambda v: (v.mul_(2), v.as_strided((2, 2), (1, 2)) * 1)[1])(x.t()),
        "masked": lambda x: x.t().masked_fill_(x.t() > 3, -1.0).as_strided((2, 2), (1, 2)) * 1,
        "scatter": lambda x: after(x, lambda x: x.mul_(2), lambda x: torch.as_strided_scatter(x, torch.zeros(2), (2,), (3,))),
        "copy": lambda x: after(x, lambda x: x.neg_(), lambda x: torch.as_strided_copy(x, (2, 2), (1, 2))),
        "flatten": lambda x: after(x.reshape(-1), lambda v: v.mul_(2), lambda v: x.as_strided((2, 2), (1, 2)) * 1),
        "result": lambda x: (lambda z: after(z, lambda z: z.mul_(2), lambda z: z.as_strided((2, 2), (1, 2)) * 1))(x + 0),
        "result diagonal": lambda x: (lambda z: after(z, lambda z: z.t().masked_fill_(z.t() > 3, -1.0), lambda z: z.fill_diagonal_(5.0), lambda z: z * 1))(x + 0),
        "rows diagonal": lambda x: (lambda z: (z[1:].add_(1), z.fill_diagonal_(5.0), z * x)[2])(torch.ones(4, 4)),
    }
    for name, call in calls.items():
        for place in ("dense", "behind", "apart", "columns"):
            x = PLACES[place](rows(4, 4))
            try:
                call(x.clone())
                others = [(PLACES[other](rows(4, 4)),) for other in ("dense", "columns")]
                record(f"strided {name} {place}", call, (x,), *others)
            except Exception as error:
                print(f"strided {name} {place}: {str(error).splitlines()[0][:150]}")


def buffers(record):
    class Holder(torch.nn.Module):
        def __init__(self, call, held):
            super().__init__()
            self.call = call
            self.register_buffer("held", held)

        def forward(self, x):
            return self.call(self.held, x)

    calls = {
        "read": lambda w, x: after(w, lambda w: w.mul_(2), lambda w: w.as_strided((2, 2), (1, 2)) * x),
        "flat": lambda w, x: after(w, lambda w: w.reshape(-1).mul_(x), lambda w: w * 1),
        "diagonal": lambda w, x: after(w, lambda w: w.add_(x), lambda w: w.fill_diagonal_(3.0), lambda w: w * 1),
    }
    for name, call in calls.items():
        for place in ("dense", "apart", "columns"):
            record(f"buffer {name} {place}", Holder(call, PLACES[place](rows(4, 5))), (T(1.5),))


VIEWS_OR_COPIES = {
    "reshape": lambda x: (x.reshape(-1).zero_(), x * 1)[1],
    "reshape as": lambda x: (x.reshape_as(torch.empty(5, x.shape[0])).neg_(), x * 1)[1],
    "flatten": lambda x: (x.flatten().mul_(2), x * 1)[1],
    "ravel": lambda x: (x.ravel().add_(1), x * 1)[1],
    "contiguous": lambda x: (x.contiguous().add_(1), x * 1)[1],
    "scatter": lambda x: (x.flatten().scatter_(0, T([0]), 9.0), x * 1)[1],
    "read": lambda x: (lambda v: (x.mul_(2), v * 1)[1])(x.reshape(-1)),
    "part": lambda x: (x[1:].reshape(-1).mul_(3), x * 1)[1],
    "result": lambda x: (lambda z: (z.reshape(-1).zero_(), z * 1)[1])(x * 2),
    "format": lambda x: (x.to(torch.float32, memory_format=torch.contiguous_format).mul_(2), x * 1)[1],
}


def views_or_copies(record):
    """Calls that are views of some inputs, and copies of others."""
    for name, call in VIEWS_OR_COPIES.items():
        for place in ("dense", "columns", "within"):
            runs = [place, *[other for other in ("dense", "columns", "within", "apart") if other != place]]
            record(f"{name} {place}", call, *[(PLACES[one](rows(4, 5)),) for one in runs])
            if name == "reshape as":
                continue
            dynamic = [PLACES[place](rows(*shape)) for shape in ((4, 5), (1, 5), (3, 5))]
            record(f"{name} {place} dynamic", call, *[(x,) for x in dynamic], (rows(4, 5),), dynamic=(automatic(0),), lowers=place != "within")


def expanded(record):
    """Writes through views that expand nothing."""
    x, z = T([INF, 1e30, 3.0, -INF]), T([0.0, 0, 0, 0])
    calls = {
        "fill": lambda x, z: (x.expand_as(z).fill_(1.0), x * 1)[1],
        "relu": lambda x, z: (x.expand_as(z).relu_(), x * 1)[1],
        "expand": lambda x, z: (lambda y: (y.masked_fill_(y > 100, 1.0), x * 1)[1])(x.expand(4)),
        "broadcast": lambda x, z: (torch.broadcast_tensors(x, z)[0].zero_(), x * 1)[1],
        "broadcast to": lambda x, z: (x.broadcast_to((4,)).clamp_(0, 5), x * 1)[1],
        "part": lambda x, z: (x.expand(1, 4)[0, 1:].mul_(0.5), x * 1)[1],
        "result": lambda x, z: (lambda y: (y.expand_as(z).fill_(2.0), y * 1)[1])(x + 1),
    }
    for name, call in calls.items():
        record(f"expand {name}", call, (x, z))
    empty = {
        "sign": lambda x: x[:0].expand(2, 0).sign_().clone(),
        "zero": lambda x: x[:0].expand(2, 0).zero_().clone(),
        "add": lambda x: x[:0].expand(3, 0).add_(1).clone(),
    }
    for name, call in empty.items():
        record(f"empty {name}", call, (T([1.0, -2.0]),))


def make(record):
    strided(record)
    buffers(record)
    views_or_copies(record)
    expanded(record)
