"""Means, incomplete gamma functions and normalization where a step leaves the range of the dtype."""

import torch
import torch.nn.functional as F

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


def norms(record, name, dtype):
    """Sums, squares, factors and shifts that overflow, each in a channel of its own."""
    most = torch.finfo(dtype).max
    root = most**0.5
    channels = [[most] * 5, [most, -most, most, -most, 0], [-most, most, 0, 0, 1], [most / 2, most / 4, 1, 0, 2], [root, 1, 2, 3, 4], [root * 4, 1, 2, 3, -4]]
    channels += [[root * 0.3, 1, 2, 3, -4], [INF, 1, 2, 3, 4], [1, 2, -INF, 3, 4], [1, NAN, 2, 3, 4], [most / 8] * 5, [-most / 8] * 5, [most, *[most / 2] * 4], [0, *[most / 16] * 4]]
    channels += [[1, 0.5, 2, 3, 4], [0] * 5]
    x = torch.tensor([channels], dtype=torch.float64).to(dtype)
    count = len(channels)
    weight = torch.tensor([1, -2, 0, 0.5, 3] * 4, dtype=dtype)[:count]
    bias = torch.tensor([-1, 0.5, 7, 0] * 5, dtype=dtype)[:count]
    rtol = 1e-4 if dtype.itemsize > 2 else 2e-2
    record(f"instance_norm {name}", lambda x, w, b: (F.instance_norm(x), F.instance_norm(x, weight=w, bias=b), F.instance_norm(x, bias=b)), x, weight, bias, rtol=rtol)

    def batches(x, w, b):
        return A._native_batch_norm_legit.no_stats(x, w, b, True, 0.1, 1e-5)[0], A._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 1e-5)[0]

    record(f"batch norm of images {name}", batches, x.reshape(1, count, 5, 1), weight, bias, rtol=rtol)
    large = weight * (most / 1024)
    record(f"batch norm with large factors {name}", batches, x, large, bias, rtol=rtol)


def make(record):
    for name, dtype in FLOATS.items():
        if dtype.itemsize > 2:
            gammas(record, name, dtype)
        means(record, name, dtype)
        if name != "float16":
            norms(record, name, dtype)
