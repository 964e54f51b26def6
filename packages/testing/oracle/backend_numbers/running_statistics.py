"""Batch norms by running statistics whose factors, shifts or products leave the range of their dtype."""

import math

import torch
import torch.nn.functional as F

A = torch.ops.aten
INF, NAN = math.inf, math.nan
RTOL = {torch.float32: 1e-5, torch.float64: 1e-12, torch.float16: 2e-3, torch.bfloat16: 1e-2}


def finite_noise(x, m, v, w, b, eps):
    """Where PyTorch's result is finite and mostly the rounding of larger numbers."""
    kind = torch.float64 if x.dtype == torch.float64 else torch.float32
    x, m, v, w, b = (one.to(kind) for one in (x, m, v, w, b))
    alpha = w / (v + eps).sqrt()
    y = A._native_batch_norm_legit_no_training(x, w, b, m, v, 0.1, eps)[0]
    parts = torch.stack([x * alpha, (m * alpha).expand_as(x), b.expand_as(x)]).abs().nan_to_num(INF, INF)
    return y.isfinite() & (y.abs() < 0.1 * parts.amax(0))


def given(kind, parameters, eps):
    """Rows of all magnitudes, for channels of all variances, by several means, weights and biases."""
    info = torch.finfo(kind)
    most, tiny = info.max, info.smallest_normal
    variances = [most, most / 2, most**0.5, 1e4, 1, 1e-5, tiny, 0.0, -1e-6, -1, INF, NAN]
    c = len(variances)
    number = lambda value: torch.full((c,), float(value), dtype=torch.float64).to(parameters)  # noqa: E731
    rows = [1, -2, most, -most, most**0.5, 0, INF, -INF, NAN, 3]
    x = torch.tensor(rows, dtype=torch.float64)[:, None].expand(-1, c).contiguous().to(kind)
    variance = torch.tensor(variances, dtype=torch.float64).to(parameters)
    means = [number(0), number(most), number(-most / 2), number(1), number(INF)]
    lines = torch.linspace(-3, 3, c).to(parameters), torch.linspace(2, -1, c).to(parameters)
    affine = [(number(1), number(0)), (number(most / 4), number(most / 2)), lines, (number(0), number(INF))]
    runs = []
    for mean in means:
        for w, b in affine:
            one = x.clone()
            one[finite_noise(one, mean, variance, w, b, eps)] = 0
            one[finite_noise(one, mean, variance, w, b, eps)] = INF
            runs.append((one, mean, variance, w, b))
    return runs


class Folded(torch.nn.Module):
    """A layer with a batch norm whose numbers the weights of the layer may not hold."""

    def __init__(self, layer, kind, **values):
        super().__init__()
        self.layer = layer
        self.norm = (torch.nn.BatchNorm1d if isinstance(layer, torch.nn.Linear) else torch.nn.BatchNorm2d)(4, eps=values.pop("eps", 1e-5))
        self.to(kind).eval()
        for name, value in values.items():
            (self.layer.weight if name == "filters" else getattr(self.norm, name)).data.fill_(value)

    def forward(self, x):
        return torch.relu(self.norm(self.layer(x)))


FOLDED = (
    {"running_var": 0.0, "eps": 0.0},
    {"weight": INF},
    {"running_mean": INF},
    {"running_mean": "most", "weight": 4.0},
    {"bias": INF},
    {"bias": NAN},
    {"running_var": -1.0},
    {"weight": 0.0, "bias": INF},
    {"filters": "most", "weight": 4.0},
    {"filters": "tiny", "weight": 2.0**-7},
    {"filters": "tiny", "running_var": "most"},
)


def folded(record):
    """Differences of equal numbers are zeros, which an infinite factor makes NaN."""
    for kind in (torch.float32, torch.float16, torch.float64):
        info = torch.finfo(kind)
        ends = {"most": info.max / 2, "tiny": info.smallest_normal * 4}
        for at, values in enumerate(FOLDED):
            numbers = {name: ends.get(value, value) for name, value in values.items()}
            layers = (torch.nn.Linear(2, 4), (5, 2)), (torch.nn.Conv2d(2, 4, 2), (1, 2, 3, 3))
            layer, shape = layers[at % 2]
            x = torch.arange(10.0 if at % 2 == 0 else 18.0).reshape(shape)
            runs = [(x.to(kind),), (torch.ones(shape, dtype=kind),), (torch.zeros(shape, dtype=kind),), ((x - 9).div(16).to(kind),)]
            record(f"layer and norm {kind} {values}", Folded(layer, kind, **numbers), *runs, rtol=RTOL[kind])


def make(record):
    folded(record)
    for kind, rtol in RTOL.items():
        for parameters in {kind: 0, torch.float32: 0} if kind.itemsize == 2 else {kind: 0}:
            for eps in (1e-5, 0.0):
                runs = given(kind, parameters, eps)
                name = f"{kind} by {parameters} {eps}"
                rows = lambda x, m, v, w, b, eps=eps: F.batch_norm(x, m, v, w, b, False, 0.1, eps)  # noqa: E731
                record(f"rows {name}", rows, *runs, rtol=rtol)
            plain = lambda x, m, v: A._native_batch_norm_legit_no_training(x, None, None, m, v, 0.1, 0.0)[0]  # noqa: E731
            record(f"plain {name}", plain, *(run[:3] for run in runs[::4]), rtol=rtol)
            image = lambda x, m, v, w, b: F.batch_norm(  # noqa: E731
                x.reshape(5, 2, 1, -1).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last), m, v, w, b, False, 0.1, 0.0
            )
            record(f"images {name}", image, *runs, rtol=rtol)
