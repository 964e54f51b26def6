"""Sums of a tensor and a product, with factors of zero beside NaN and infinities."""

import torch

A = torch.ops.aten
NAN, INF = float("nan"), float("inf")
DTYPES = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16, "int64": torch.int64, "complex64": torch.complex64}


def numbers(shape, dtype, bad=None):
    count = 1
    for size in shape:
        count *= size
    made = (torch.arange(count) % 7 + 1).to(dtype).reshape(shape)
    if bad is not None and (dtype.is_floating_point or dtype.is_complex):
        made.view(-1)[0] = bad
    return made


def make(record):
    calls = {
        "addmm": (A.addmm, (2, 3), (2, 4), (4, 3)),
        "addmm of a row": (A.addmm, (3,), (2, 4), (4, 3)),
        "addmm of many": (A.addmm, (20, 30), (20, 16), (16, 30)),
        "addmv": (A.addmv, (2,), (2, 4), (4,)),
        "addbmm": (A.addbmm, (2, 3), (2, 2, 4), (2, 4, 3)),
        "baddbmm": (A.baddbmm, (2, 2, 3), (2, 2, 4), (2, 4, 3)),
        "baddbmm of many": (A.baddbmm, (2, 20, 30), (2, 20, 16), (2, 16, 30)),
        "addr": (A.addr, (2, 3), (2,), (3,)),
    }
    for kind, dtype in DTYPES.items():
        for name, (call, *shapes) in calls.items():
            if dtype.is_complex and not name.startswith(("addmm", "addbmm")) or dtype == torch.bfloat16 and name == "baddbmm of many":
                continue
            factors = ((0, 1), (0, 0), (1, 0), (0, 2), (2, 1), (0.0, 1.0), (1.0, 0.0)) if dtype.is_floating_point else ((0, 1), (0, 0))
            record(
                f"{name} {kind}",
                lambda x, a, b, call=call: tuple(call(x, a, b, alpha=alpha, beta=beta) for alpha, beta in factors),
                *[tuple(numbers(shape, dtype, bad) for shape, bad in zip(shapes, bads)) for bads in ((None,) * 3, (None, NAN, None), (None, None, INF), (NAN, None, None), (INF, NAN, NAN))],
                rtol=2e-2 if dtype in (torch.float16, torch.bfloat16) else 1e-5,
            )
