"""Variances and norms of rows whose squares or sums leave the range of their dtype, with infinities, and of no elements."""

import math

import torch
from recorder import automatic

A = torch.ops.aten
F = torch.nn.functional
INF, NAN = math.inf, math.nan
RTOL = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 1e-2, torch.float16: 2e-3}


def rows(size, kind, most=INF):
    """Rows of several magnitudes, and with a number that is not finite."""
    torch.manual_seed(size)
    x = torch.randn(2, size, dtype=torch.float64)
    end = torch.finfo(kind).max
    runs = [x * scale for scale in (1.0, 1e-20, 1e15, 3e18, 1e20, 1e25, 1e36) if scale < end / 100 and scale <= most]
    if most == INF:
        runs += [torch.full_like(x, end / 2), torch.full_like(x, end)]
    for at in (0, size // 3):
        for value in (INF, -INF, NAN):
            one = x.clone()
            one[1, at] = value
            runs.append(one)
    return [(run.to(kind),) for run in runs]


def variances(record):
    for kind, rtol in RTOL.items():
        for size in (1, 5, 16):
            # The lowered program has the variance of a deviation in the dtype of its input.
            both = lambda x: (A.var.correction(x, [1], correction=1), *A.var_mean.correction(x, [1], correction=0.3))  # noqa: E731
            record(f"var {kind} {size}", both, *rows(size, kind), rtol=rtol)
            roots = lambda x: (x.std(1), *torch.std_mean(x, 1, correction=1.3))  # noqa: E731
            record(f"std {kind} {size}", roots, *rows(size, kind), rtol=rtol, lowers=False)


def empties(record):
    for correction in (-1, -2.5, 0, 0.5, 3):
        call = lambda x, c=correction: (x.var(0, correction=c), x.std((0, 1), correction=c), *torch.var_mean(x, 0, correction=c), x.std(correction=c))  # noqa: E731
        record(f"no elements {correction}", call, (torch.ones(0, 4),))
        some = [(torch.arange(4.0 * n).reshape(n, 4),) for n in (3, 0, 1, 2)]
        record(f"sizes of zero {correction}", call, *some, dynamic=(automatic(0),), rtol=1e-6)
        record(f"complex {correction}", lambda x, c=correction: x.var(0, correction=c), (torch.ones(0, 4, dtype=torch.complex64),))


def norms(record):
    for kind, rtol in RTOL.items():
        # PyTorch's kernels of halves have other sums of large numbers.
        most = 1e15 if kind in (torch.float16, torch.bfloat16) else INF
        for size in (3, 8, 10, 16, 24):
            layer = lambda x, size=size: A.native_layer_norm(x, [size], None, None, 1e-5)  # noqa: E731
            record(f"layer norm {kind} {size}", layer, *rows(size, kind, most), rtol=rtol, lowers=False)
        for size in (6, 16):
            group = lambda x, size=size: A.native_group_norm(x.reshape(2, 2, size // 2), None, None, 2, 2, size // 2, 1, 1e-5)  # noqa: E731
            record(f"group norm {kind} {size}", group, *rows(size, kind, most), rtol=rtol, lowers=False)
    sizes = [(rows(size, torch.float32)[run][0],) for size in (10, 16, 24, 5) for run in (0, 3, 4, 5, 7, 9)]
    layer = lambda x: A.native_layer_norm(x, [x.shape[1]], None, None, 1e-5)  # noqa: E731
    record("layer norm of any size", layer, *sizes, dynamic=(automatic(1),), rtol=1e-5, lowers=False)


def make(record):
    variances(record)
    empties(record)
    norms(record)
