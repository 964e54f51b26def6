"""Views by strides of inputs, of results of calls, and of views of these."""

import torch
from recorder import automatic

S = torch.as_strided


def other_strides(x):
    """The same values with other strides."""
    order = list(reversed(range(x.dim())))
    return x.permute(order).contiguous().permute(order)


def inside(x, start, step=1):
    """The same values in the middle of a larger storage."""
    flat = torch.full((start + x.numel() * step + 5,), -7.0)
    strides = [stride * step for stride in x.stride()]
    view = flat.as_strided(x.shape, strides, start)
    view.copy_(x)
    return view


def of_results(record):
    x = torch.arange(24.0).reshape(4, 6)
    calls = {
        "slice": lambda y: S(y[:, ::2], (2, 2), (2, 1)),
        "slice offset": lambda y: S(y[:, ::2], (2, 2), (2, 1), 3),
        "slice before": lambda y: S(y[2:], (10,), (1,), 0),
        "slice past": lambda y: S(y[:1], (20,), (1,)),
        "rows": lambda y: S(y[1:3], (2, 2), (6, 1)),
        "select": lambda y: S(y[:, 1], (3,), (1,)),
        "select row": lambda y: S(y[2], (8,), (1,)),
        "diagonal": lambda y: S(torch.diagonal(y), (3,), (5,)),
        "split": lambda y: tuple(S(part, (2, 2), (3, 1)) for part in torch.split(y, 2, 1)),
        "unbind": lambda y: tuple(S(part, (2,), (7,)) for part in torch.unbind(y)[:2]),
        "chunk": lambda y: S(torch.chunk(y, 3, 1)[1], (4,), (2,)),
        "unfold": lambda y: S(y.unfold(1, 3, 2), (2, 3), (1, 4)),
        "narrow": lambda y: S(y.narrow(1, 2, 2), (4,), (1,)),
        "expand": lambda y: S(y[:, :1].expand(4, 3), (3, 2), (6, 1)),
        "squeeze": lambda y: S(y[:, 2:3].squeeze(1), (3, 2), (1, 6)),
        "unsqueeze": lambda y: S(y[1].unsqueeze(0), (2, 3), (1, 1)),
        "view": lambda y: S(y.view(6, 4)[1:], (4,), (1,)),
        "reshape": lambda y: S(y[:, ::3].reshape(-1), (4,), (1,)),
        "contiguous": lambda y: S(y[1:].contiguous(), (6,), (1,)),
        "clone": lambda y: S(y[:, ::2].clone(), (4,), (2,)),
        "times one": lambda y: S(y[:, ::2] * 1, (4,), (2,)),
        "plus": lambda y: S(y[1:] + 0.0, (6,), (1,)),
        "transpose": lambda y: S(y.t(), (3, 2), (2, 1)),
        "transpose result": lambda y: S(y.t() * 2, (3, 2), (2, 1)),
        "permute": lambda y: S(y.view(2, 2, 6).permute(2, 0, 1), (5,), (3,), 1),
        "movedim slice": lambda y: S(y.view(2, 2, 6).movedim(0, 2)[1], (5,), (1,)),
        "alias": lambda y: S(y.detach()[:, 1:], (3,), (2,)),
        "overlap": lambda y: S(y, (4, 3), (2, 1)),
        "zero stride": lambda y: S(y[1], (3, 2), (0, 1)),
        "whole": lambda y: S(y, (24,), (1,)),
        "offset": lambda y: S(y, (3, 3), (6, 1), 4),
        "scalar": lambda y: S(y[1:, 2:], (), ()),
        "empty": lambda y: S(y[:, 1], (0, 3), (3, 1)),
        "chain": lambda y: S(S(y[:, ::2], (3, 2), (6, 1)), (4,), (1,)),
        "chain offset": lambda y: S(S(y, (3, 2), (6, 1), 7), (4,), (2,)),
        "chain past": lambda y: S(S(y[:, :2], (2, 2), (1, 1), 5)[1:], (10,), (1,)),
        "copy": lambda y: torch.as_strided_copy(y[:, ::2], (2, 2), (2, 1)),
        "copy of copy": lambda y: torch.as_strided_copy(torch.as_strided_copy(y[1:], (3, 2), (6, 1)), (4,), (1,)),
        "scatter": lambda y: torch.as_strided_scatter(y, torch.ones(2, 2), (2, 2), (2, 1), 1),
        "scatter in view": lambda y: torch.as_strided_scatter(y[:, ::2], torch.ones(2, 2), (2, 2), (2, 1)),
        "scatter offset": lambda y: torch.as_strided_scatter(y[1:3], torch.ones(2), (2,), (7,), 6),
        "scatter result": lambda y: S(torch.as_strided_scatter(y[:, 1:3], torch.ones(2), (2,), (6,)), (4,), (3,)),
        "used twice": lambda y: (S(y[:, ::2], (2, 2), (2, 1)) + y[:2, 2:4], y[:, ::2].sum(), S(y[:, ::2], (3,), (1,)).neg()),
        "of a sum": lambda y: S(y.sum(1, keepdim=True), (3,), (1,), 1) * 2,
        "of a matmul": lambda y: S((y @ y.t())[:, 1], (4, 2), (2, 1)),
        "of a cat": lambda y: S(torch.cat([y, y])[3:, 1], (4,), (3,)),
        "int": lambda y: S(y.to(torch.int64)[:, 1], (3,), (1,)),
        "bool": lambda y: S((y > 5)[:, 1], (5,), (2,)),
        "half": lambda y: S(y.to(torch.float16)[::2, 1:], (2, 3), (6, 1)),
        "double": lambda y: S(y.double()[::2, 1:], (2, 3), (6, 1)),
        "view of dtype": lambda y: S(y.view(torch.int32)[:, 1], (3,), (1,)),
        "in place": lambda y: in_place(y),
        "write": lambda y: write(y),
        "write view": lambda y: write_view(y),
    }

    def in_place(y):
        z = y * 2
        z[:, 1:].as_strided_((3, 2), (6, 1))
        return z + 1, z[:, 1:].as_strided_((2, 2), (2, 3)) * 2

    def write(y):
        z = y * 2
        S(z, (2, 2), (7, 1), 1).add_(100)
        return z, z.sum(1)

    def write_view(y):
        z = y * 2
        S(z[:, ::2], (3,), (4,)).mul_(10)
        return z

    for name, call in calls.items():
        for place, function in {"input": call, "result": lambda x, call=call: call(x * 2)}.items():
            try:
                function(x.clone())
                record(f"{name} of {place}", function, (x,), (other_strides(x),), (inside(x, 9),), (inside(x, 0, 2),))
            except Exception as error:
                print(f"{name} of {place}: {str(error).splitlines()[0][:150]}")


def of_layouts(record):
    x = torch.arange(48.0).reshape(2, 3, 2, 4)
    last = x.contiguous(memory_format=torch.channels_last)
    calls = {
        "whole": lambda y: S(y, (48,), (1,)),
        "part": lambda y: S(y[:, 1:], (5,), (2,)),
        "windows": lambda y: S(y, (4, 3), (5, 1), 3),
        "relu": lambda y: S(y.relu(), (10,), (3,)),
        "pool": lambda y: S(torch.nn.functional.max_pool2d(y, 2), (6,), (1,)),
        "mean": lambda y: torch.nn.functional.adaptive_avg_pool2d(y, 1) * 2,
        "two": lambda y: S(y.transpose(1, 3) * 2, (10,), (3,), 2),
    }
    for name, call in calls.items():
        for kind, example in (("rows", x), ("channels", last)):
            runs = [example, last if kind == "rows" else x, other_strides(x)]
            try:
                record(f"{name} of {kind}", call, *[(one,) for one in runs[: 2 if name == "mean" else 3]])
            except Exception as error:
                print(f"{name} of {kind}: {str(error).splitlines()[0][:150]}")


def of_state(record):
    weight = torch.arange(30.0).reshape(5, 6)
    part = weight[1:4, ::2]

    def module(function):
        class WithState(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(weight.clone())
                self.register_buffer("part", part.clone())

            def forward(self, x):
                return function(self, x)

        return WithState()

    for name, call in {
        "parameter": lambda m, x: S(m.weight[:, ::2], (4,), (3,)) + x,
        "buffer": lambda m, x: S(m.part[1:], (4,), (1,), 2) + x,
        "buffer whole": lambda m, x: S(m.part, (4,), (2,)) + x,
    }.items():
        record(name, module(call), (torch.arange(4.0),))


def dynamic(record):
    x = torch.arange(24.0).reshape(4, 6)
    y = torch.arange(40.0).reshape(5, 8)
    for name, call in {
        "dynamic slice": lambda x: S((x * 2)[:, ::2], (2, 2), (2, 1)),
        "dynamic sizes": lambda x: S((x * 2)[1:], (x.shape[0], 2), (1, x.shape[1])),
        "dynamic whole": lambda x: S(x * 2, (x.shape[0] * x.shape[1],), (1,)),
        "dynamic offset": lambda x: S((x * 2)[:, 1], (3,), (x.shape[1],), x.shape[1] + 1),
        "dynamic transpose": lambda x: S(x.t() * 2, (x.shape[0], 2), (x.shape[1], 1)),
        "dynamic windows": lambda x: S(x * 2, (x.shape[0] - 1, x.shape[1]), (x.shape[1], 1), x.shape[1]),
    }.items():
        record(name, call, (x,), (y,), (other_strides(y),), dynamic=(automatic(0, 1),))


def nested(record):
    x = torch.arange(24.0).reshape(4, 6)

    def branch(x):
        v = (x * 2)[:, ::2]
        return torch.cond(x.sum() > 0, lambda v: S(v, (3,), (1,)) + 0, lambda v: S(v, (3,), (2,)) * 2, (v,))

    def branch_inside(x):
        y = x * 2
        return torch.cond(x.sum() > 0, lambda y: S(y[:, 1], (3,), (1,)).clone(), lambda y: S(y[1:], (3,), (2,), 1).clone(), (y,))

    for name, call in {"branch": branch, "branch inside": branch_inside}.items():
        record(name, call, (x,), (-x,), (other_strides(x),))


def make(record):
    of_results(record)
    of_layouts(record)
    of_state(record)
    dynamic(record)
    nested(record)
