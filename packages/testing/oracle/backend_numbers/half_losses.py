"""Losses of halves and their gradients, where a difference, its square or a sum leaves the range of the dtype."""

import torch
from recorder import automatic

A = torch.ops.aten
INF, NAN = float("inf"), float("nan")
# Powers of two where the order of the steps, which differs between the elements, would decide the last bit.
FACTORS = {"smooth_l1_loss": (1.0, 0.0, 32768.0), "huber_loss": (1.0, 300.0, 30000.0), "mse_loss": (None,), "soft_margin_loss": (None,), "l1_loss": (None,)}


def ends(dtype):
    """Each end beside each. PyTorch computes elements in blocks of 64, and the last ones of other sizes otherwise."""
    # Devices may take subnormal numbers of float32 for zero.
    most, tiny = torch.finfo(dtype).max, 2.0**-14 if dtype == torch.float16 else 2.0**-60
    values = [most, -most, most / 2, -most / 3, most**0.5, 1.5 * most**0.5, 256, 1, -1, 0.3, 0, tiny, tiny / 8, INF, -INF, NAN]
    rows = torch.tensor(values, dtype=torch.float64).to(dtype)[:, None].expand(-1, len(values)).contiguous()
    return rows, rows.t().contiguous()


def pairs(dtype):
    most = torch.finfo(dtype).max
    large = (torch.rand(2, 64) * most).to(dtype)
    small = (torch.randn(2, 32) * 2).to(dtype)
    return [ends(dtype), (large, -large.flip(1)), (large / 8, large.flip(0) / 8), (small, small.flip(1))]


def losses(record, name, dtype, factor):
    rest = () if factor is None else (factor,)
    call = lambda a, b: tuple(getattr(A, name)(a, b, reduction, *rest) for reduction in (0, 1, 2))  # noqa: E731
    record(f"{name} {dtype} {factor}", call, *pairs(dtype))
    if factor in (None, 1.0):
        record(f"{name} of any size {dtype} {factor}", call, *pairs(dtype), dynamic=(automatic(0, 1), automatic(0, 1)))


def gradients(record, name, dtype, factor):
    rest = () if factor is None else (factor,)
    op = getattr(A, f"{name}_backward")

    def call(g, a, b):
        return op(g, a, b, 1, *rest), op(g, a, b, 2, *rest), op(g.expand_as(a).contiguous(), a, b, 0, *rest)

    runs = [(torch.tensor(g, dtype=dtype), a, b) for a, b in pairs(dtype) for g in (3, 9000)]
    record(f"{name}_backward {dtype} {factor}", call, *runs)
    if factor in (None, 1.0):
        sizes = (automatic(), automatic(0, 1), automatic(0, 1))
        record(f"{name}_backward of any size {dtype} {factor}", call, *runs, dynamic=sizes)


def make(record):
    for dtype in (torch.float16, torch.bfloat16):
        for name, factors in FACTORS.items():
            for factor in factors:
                losses(record, name, dtype, factor)
                if name != "l1_loss":
                    gradients(record, name, dtype, factor)
