"""Divisions of integers by zero whose results, or whose elements, nothing reads."""

import torch

DIVISIONS = {
    "fmod": lambda a, b: torch.fmod(a, b),
    "remainder": lambda a, b: torch.remainder(a, b),
    "floor_divide": lambda a, b: torch.floor_divide(a, b),
    "div trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "div floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "number": lambda a, b: 1 % b,
    "fmod_": lambda a, b: a.clone().fmod_(b),
    "floor_divide_": lambda a, b: a.clone().floor_divide_(b),
    "div_": lambda a, b: a.clone().div_(b, rounding_mode="trunc"),
}


def written(f, x):
    y = f(x, x)
    y.fill_(3)
    return y


def written_view(f, x):
    y = x.clone()
    f(y[0], y[0]).add_(1)
    return x * 2


def in_view(f, x):
    y = x.clone()
    y[0].fmod_(x[1])
    return x + 1


READS = {
    "only its shape": lambda f, x: torch.zeros_like(f(x, x)),
    "only its size": lambda f, x: x.new_full((f(x, x).shape[0],), 2),
    "shape of a sum": lambda f, x: torch.ones_like((f(x, x) + 1).t().float()),
    "nothing": lambda f, x: (f(x, x), x + 1)[1],
    "nothing of a cast": lambda f, x: (f(x, x).double().sum(), x + 1)[1],
    "written": written,
    "written view": written_view,
    "in a view": in_view,
    "in a body": lambda f, x: torch.cond(x.sum() > 0, lambda a: (f(a, a), a * 2)[1], lambda a: a * 3, (x,)),
    "part": lambda f, x: f(x, x)[0] + 1,
}


def make(record):
    x = torch.tensor([[1, 2], [3, 4]])
    bad = torch.tensor([[1, 2], [0, 4]])
    for kind in (torch.int64, torch.int32, torch.uint8):
        for name, f in DIVISIONS.items():
            reads = READS if kind == torch.int64 else ("only its shape", "nothing", "part")
            for how in reads:
                record(f"{name} {kind} {how}", lambda x, f=f, how=how: READS[how](f, x), (x.to(kind),), (bad.to(kind),))
