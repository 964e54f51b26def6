"""Activations and comparisons whose numbers are not in the dtype of their operand, at these numbers and beside them."""

import torch
import torch.nn.functional as F

A = torch.ops.aten
DTYPES = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16}


def beside(value, dtype, count):
    """The number as the dtype holds it, the next ones, and their negatives."""
    one = torch.tensor(value, dtype=dtype)
    ends = [torch.tensor(end, dtype=dtype) for end in (float("inf"), float("-inf"))]
    near = [one, *(torch.nextafter(one, end) for end in ends)]
    numbers = torch.stack([*near, *(-item for item in near), one * 0, one * 2])
    return numbers.repeat((count + 7) // 8)[:count].clone()


def make(record):
    calls = {
        "hardshrink": lambda x, v: F.hardshrink(x, v),
        "softshrink": lambda x, v: F.softshrink(x, v),
        "hardshrink_backward": lambda x, v: A.hardshrink_backward(x * 0 + 1, x, v),
        "softshrink_backward": lambda x, v: A.softshrink_backward(x * 0 + 1, x, v),
        "threshold": lambda x, v: F.threshold(x, v, 0.1),
        "threshold_backward": lambda x, v: A.threshold_backward(x * 0 + 1, x, v),
        "hardtanh": lambda x, v: F.hardtanh(x, -v, v),
        "hardtanh_backward": lambda x, v: A.hardtanh_backward(x * 0 + 1, x, -v, v),
        "clamp": lambda x, v: (x.clamp(-v, v), x.clamp(min=v), x.clamp(max=v), x.clamp_min(v), x.clamp_max(-v)),
        "leaky_relu": lambda x, v: F.leaky_relu(x, v),
        "leaky_relu_backward": lambda x, v: A.leaky_relu_backward(x * 0 + 1, x, v, False),
        "comparisons": lambda x, v: (x == v, x != v, x < v, x <= v, x > v, x >= v),
        "heaviside": lambda x, v: torch.heaviside(x - v, x.new_full((), v)),
        "where": lambda x, v: (torch.where(x > v, x, v), torch.where(x == v, v, x)),
        "arithmetic": lambda x, v: (x * v, x - v, x + v, v - x, torch.rsub(x, v)),
        "isclose": lambda x, v: torch.isclose(x, torch.full_like(x, v), rtol=0.0, atol=0.0),
        "nan_to_num": lambda x, v: torch.nan_to_num(x / 0, v, v, -v),
    }
    close = {
        "elu": lambda x, v: F.elu(x, v),
        "celu": lambda x, v: F.celu(x, v),
        "softplus": lambda x, v: F.softplus(x, 1.0, v),
        "quotients": lambda x, v: (x / v, v / x, torch.remainder(x, v), torch.floor_divide(x, v), torch.fmod(x, v)),
    }
    for kind, dtype in DTYPES.items():
        rtol = 1e-6 if dtype in (torch.float32, torch.float64) else 2e-2 if dtype == torch.bfloat16 else 2e-3
        for count in (7, 64):
            xs = tuple(beside(value, dtype, count) for value in VALUES)
            record(f"exact {kind} {count}", lambda *xs: every(calls, xs), xs)
            record(f"close {kind} {count}", lambda *xs: every(close, xs), xs, rtol=rtol)


VALUES = (1.7, 0.1)


def every(calls, xs):
    """The results of all calls, for all numbers."""
    results = [call(x, value) for call in calls.values() for x, value in zip(xs, VALUES)]
    return tuple(item for one in results for item in (one if isinstance(one, tuple) else (one,)))
