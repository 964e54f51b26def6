"""The gradient of logit at the ends of its domain and of the range that `eps` leaves.

Minus zero and NaN are left out: PyTorch's vectors and its single elements give other results for these.
"""

import torch

A = torch.ops.aten
INF, NAN = float("inf"), float("nan")


def make(record):
    for name, dtype in (("float32", torch.float32), ("float64", torch.float64), ("float16", torch.float16), ("bfloat16", torch.bfloat16)):
        ends = torch.tensor([0.0, 1.0, 0.25, 0.75, 0.5, 1.5, -0.5, INF, -INF, 1e-3, 0.999, 0.1, 0.9], dtype=torch.float64).to(dtype)
        for count in (13, 52):
            x = ends.repeat(4)[:count].clone()
            grads = (torch.ones_like(x), -torch.ones_like(x), torch.zeros_like(x), torch.full_like(x, INF), torch.full_like(x, NAN), torch.full_like(x, -0.0))
            record(
                f"{name} {count}",
                lambda g, x: tuple(A.logit_backward(g, x, eps) for eps in (None, 0.0, 0.25, 0.1, 1e-6, -0.5, 0.75)),
                *[(grad, x) for grad in grads],
                rtol=1e-6 if dtype in (torch.float32, torch.float64) else 1e-2,
            )
