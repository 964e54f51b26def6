"""Calls whose results follow the order of memory of their operands: random numbers, and factors of matrices."""

import torch
from recorder import automatic
from written_memory import apart, columns, rows, within

F = torch.nn.functional
A = torch.ops.aten


def drawn(record):
    """Random numbers like tensors that lie in memory in some order."""
    calls = {
        "rand": torch.rand_like,
        "randn": torch.randn_like,
        "randint": lambda x: torch.randint_like(x, 100),
        "uniform": lambda x: x.clone().uniform_(0, 3),
        "normal in place": lambda x: x.clone().normal_(1, 2),
        "exponential": lambda x: x.clone().exponential_(),
        "bernoulli in place": lambda x: x.clone().bernoulli_(0.5),
        "bernoulli": lambda x: torch.bernoulli(x.sigmoid()),
        "bernoulli of number": lambda x: torch.bernoulli(x, 0.5),
        "bernoulli flat": lambda x: torch.bernoulli(x.sigmoid()).view(-1),
        "normal": lambda x: torch.normal(x, 1.0),
        "normal of deviations": lambda x: torch.normal(0.5, x.abs()),
        "normal of both": lambda x: torch.normal(x, x.abs()),
        "normal flat": lambda x: torch.normal(x, 1.0).view(-1),
        "dropout": lambda x: F.dropout(x, 0.5, True),
        "alpha dropout": lambda x: F.alpha_dropout(x, 0.5, True),
        "leaky": lambda x: F.rrelu(-x.abs(), training=True),
        "leaky slope": lambda x: F.rrelu(-x.abs(), training=False),
    }
    views = {
        "rows": lambda x: x,
        "transposed": lambda x: x.t(),
        "computed": lambda x: x.t() * 0.5,
        "part": lambda x: x[:, 1:3],
        "diagonal": lambda x: x.unsqueeze(-1).expand(4, 6, 4).diagonal(dim1=0, dim2=2) * 0.5,
    }
    x = rows(4, 6) / 10
    for name, call in calls.items():
        for place, view in views.items():
            runs = [(x,), (columns(x),), (apart(x),)]
            record(f"{name} {place}", lambda x, call=call, view=view: call(view(x)), *runs, rtol=2e-6, seed=3)
        record(f"{name} dynamic", lambda x, call=call: call(x.t() * 0.5), (x,), (rows(6, 4) / 10,), (columns(x),), dynamic=(automatic(0, 1),), rtol=2e-6, seed=3)


def images(record):
    x = rows(1, 2, 3, 4) / 7
    last = x.contiguous(memory_format=torch.channels_last)
    kernel = torch.ones(3, 2, 1, 1)
    calls = {
        "dropout of convolution": lambda x: F.dropout(F.conv2d(x, kernel), 0.5, True),
        "channels": lambda x: F.dropout2d(x, 0.5, True),
        "noise": lambda x: x + torch.randn_like(x),
    }
    for name, call in calls.items():
        for kind, runs in {"rows": [(x,), (last,)], "channels": [(last,), (x,)]}.items():
            record(f"{name} {kind}", call, *runs, rtol=2e-6, seed=5)


def factors(record):
    """The factors of matrices are those of the transposed matrix where it lies in rows."""
    torch.manual_seed(1)
    x = torch.randn(3, 4)
    square = torch.randn(2, 3, 3)
    calls = {
        "det": lambda x: A._linalg_det(x[:, :3]),
        "det transposed": lambda x: A._linalg_det(x[:, :3].t()),
        "det computed": lambda x: A._linalg_det(x[:, :3].t() * 2),
        "slogdet": lambda x: A._linalg_slogdet(x[:, :3] * 2),
        "slogdet transposed": lambda x: A._linalg_slogdet(x[:, :3].t()),
        "number": lambda x: torch.linalg.det(x[:, :3].t()),
    }
    for name, call in calls.items():
        record(name, call, (x,), (columns(x),), (within(x),), rtol=1e-5)

    def gradient(x):
        x = x.detach().requires_grad_(True)
        return torch.autograd.grad(torch.linalg.det(x).sum(), x)[0]

    from torch.fx.experimental.proxy_tensor import make_fx

    for name, function in {"gradient": gradient, "gradient transposed": lambda x: gradient(x.mT)}.items():
        with torch.enable_grad():
            traced = make_fx(function)(square)
        record(f"det {name}", traced, (square,), (square.mT.contiguous().mT,), rtol=1e-5)


def conversions(record):
    """Copies of tensors with gaps keep the order of memory, without the gaps."""
    x = rows(5, 3, 5)
    views = {
        "diagonal": lambda x: x.diagonal(),
        "steps": lambda x: x[::2, :, ::2].permute(2, 0, 1),
        "part": lambda x: x[:, 1:],
        "expanded": lambda x: x[:, :1].expand(5, 4, 5).permute(1, 0, 2),
        "transposed part": lambda x: x[:3, :2].transpose(0, 2),
    }
    calls = {
        "to": lambda x: x.to(torch.float64),
        "copy": lambda x: x.to(torch.float32, copy=True),
        "to int": lambda x: x.to(torch.int32).as_strided((10,), (1,)) * 1,
        "half": lambda x: x.half(),
        "type": lambda x: x.type_as(torch.zeros(1, dtype=torch.float64)),
        "clone": lambda x: x.clone(),
        "bytes": lambda x: x.to(torch.uint8).as_strided((8,), (1,)) + 0,
    }
    for name, call in calls.items():
        for place, view in views.items():
            record(f"{name} {place}", lambda x, call=call, view=view: call(view(x)), (x,), (columns(x),))
    record("view of diagonal", lambda x: x.diagonal().to(torch.float64).t().view(-1) * 1, (x,))


def parts(record):
    """The parts of complex numbers are replaced one by one."""
    inf, nan = float("inf"), float("nan")
    for dtype in (torch.complex64, torch.complex128):
        z = torch.tensor([complex(inf, 1), complex(-inf, 2), complex(nan, inf), complex(1, -inf), complex(2, nan)], dtype=dtype)
        calls = {
            "parts": lambda x: torch.nan_to_num(x),
            "parts given": lambda x: torch.nan_to_num(x, nan=3.0, posinf=5.0, neginf=-6.0),
            "parts of sum": lambda x: torch.nan_to_num(x + x.conj(), 2.0),
        }
        for name, call in calls.items():
            record(f"{name} {dtype}", call, (z,))


def make(record):
    drawn(record)
    images(record)
    factors(record)
    conversions(record)
    parts(record)
