"""Means, incomplete gamma functions and normalization where a step leaves the range of the dtype."""

import torch

A = torch.ops.aten
NAN, INF = float("nan"), float("inf")
FLOATS = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16}


def gammas(record, name, dtype):
    """Small first arguments, and large ones, whose prefactor has no number."""
    most = torch.finfo(dtype).max
    # PyTorch's errors in float32 are large where the first argument is small, but not too small.
    logs = [-320, -310, -300, -45, -44, -40, -39, -37, -30, -10, 30, 37, 38, 300, 306]
    kept = [10.0**p for p in logs if torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps <= 10.0**p <= most and (dtype == torch.float64 or p < -38 or p > 0)]
    values = torch.tensor([0.0, *kept, 0.5, 1, 2.5, 8.8, most, INF, NAN], dtype=dtype)
    rows = values[:, None].expand(-1, len(values)).contiguous()
    record(f"incomplete gamma functions {name}", lambda a, x: (A.igamma(a, x), A.igammac(a, x)), rows, rows.t().contiguous(), rtol=5e-5)


def means(record, name, dtype):
    most = torch.finfo(dtype).max
    x = torch.tensor([[most, most, most, NAN], [most, NAN, -most / 2, most / 4], [most / 4, most / 4, NAN, NAN], [1, 2, 4, 6]], dtype=dtype)
    many = torch.ones(3, 2049, dtype=dtype)
    many[1] = 31.5
    record(f"nanmean {name}", lambda x, y: (A.nanmean(x, [1]), A.nanmean(x, [0]), A.nanmean(x[3]), A.nanmean(y, [1])), x, many, rtol=1e-6)


def make(record):
    for name, dtype in FLOATS.items():
        if dtype.itemsize > 2:
            gammas(record, name, dtype)
        means(record, name, dtype)
