"""Kernels of PyTorch whose results are not those of their formulas: rounded sums, columns of images, Bessel functions."""

import torch

F = torch.nn.functional


def columns(record):
    """The rows of an image of one column are all the first one, but for bytes and images by channels."""
    x = torch.arange(1.0, 85.0).reshape(1, 2, 6, 7) ** 1.1
    last = x.contiguous(memory_format=torch.channels_last)
    for mode in ("bilinear", "bicubic"):
        for size in ((5, 1), (9, 1), (6, 1), (1, 1), (1, 5), (3, 2)):
            call = lambda x, size=size, mode=mode: F.interpolate(x, size, mode=mode, antialias=True)  # noqa: E731
            record(f"{mode} {size} rows", call, (x,), (x.transpose(2, 3).contiguous().transpose(2, 3),), rtol=1e-5)
            record(f"{mode} {size} channels", call, (last,), rtol=1e-5)
            record(f"{mode} {size} double", call, (x[:, :1].double(),), rtol=1e-12)
            if mode == "bilinear":
                record(f"{mode} {size} bytes", call, (x.to(torch.uint8),))
        narrow = lambda x, mode=mode: F.interpolate(x, (4, 1), mode=mode, antialias=True)  # noqa: E731
        record(f"{mode} narrow", narrow, (x[..., :1].clone(),), rtol=1e-5)


def bessel(record):
    ends = [1e-7, 1e-4, 4.9999, 5.0, 5.0001, -2.09, -2.0901, 100.0, float("inf"), float("nan"), 0.0]
    x = torch.cat([torch.linspace(-30, 30, 61, dtype=torch.float64), torch.tensor(ends, dtype=torch.float64)])
    for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai"):
        record(name, getattr(torch.special, name), (x,), rtol=2e-12)


def sums(record):
    """Sums that take an operand back round twice."""
    inf = float("inf")
    x = torch.tensor([inf, -inf, 1e30, 3.0, -0.0, 0.0, -0.0, 0.0, 1e-8])
    y = torch.tensor([1.0, inf, 1.0, 0.1, -0.0, -0.0, 0.0, 0.0, 1.0])
    calls = {
        "away and back": lambda x, y: (y - x) + x,
        "back": lambda x, y: x + (y - x),
        "there and away": lambda x, y: (x + y) - x,
        "twice away": lambda x, y: (x - y) - x,
        "number": lambda x, y: (2.5 - x) + x,
    }
    for name, call in calls.items():
        record(f"sums {name}", call, (x, y))


def make(record):
    sums(record)
    columns(record)
    bessel(record)
