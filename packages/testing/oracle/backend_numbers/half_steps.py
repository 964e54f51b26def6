"""Functions of halves whose kernels round more than once, or a factor first."""

import torch
from recorder import automatic

A = torch.ops.aten


def make(record):
    for dtype in (torch.float16, torch.bfloat16):
        a, b, c = ((torch.rand(96) * scale).to(dtype) for scale in (8, 3, 1))
        ends = torch.tensor([0.0, -0.0, 1, -1, 2, 6e4, -6e4, 1e-7, float("inf"), float("-inf"), float("nan"), 0.5]).to(dtype)
        # Whole vectors: the elements behind them are rounded at other steps.
        ends = ends.repeat(8)
        pairs = ((a, b), (ends, torch.cat([ends[:48], ends[48:].flip(0)])))
        size = (automatic(0), automatic(0))
        calls = {
            "xlogy": lambda x, y: (A.xlogy(x, y), A.xlogy(2.3, y), A.xlogy(x, 0.7), x.xlogy(y[1])),
            "xlog1py": lambda x, y: (torch.special.xlog1py(x, y), torch.special.xlog1py(2.3, y), torch.special.xlog1py(x, 0.7)),
            "special xlogy": lambda x, y: (torch.special.xlogy(x, y), torch.special.xlogy(0.0, y) + x),
            "xlogy in place": lambda x, y: (x.clone().xlogy_(y) * 2, x + 1),
            "rsub": lambda x, y: (torch.rsub(x, 2.3, alpha=1.7), torch.rsub(x, y, alpha=1.7), torch.rsub(x, y), torch.rsub(x, 3)),
        }
        for name, call in calls.items():
            record(f"{name} {dtype}", call, *pairs)
            record(f"{name} of any size {dtype}", call, *pairs, dynamic=size)
        logits = {
            "logit": lambda x: (torch.logit(x), x.logit(0.05), torch.special.logit(x), x.clone().logit_() * 2),
            "logit of a tenth": lambda x: torch.logit(x * 0.1, 1e-3),
        }
        for name, call in logits.items():
            record(f"{name} {dtype}", call, (c,), (ends,))
