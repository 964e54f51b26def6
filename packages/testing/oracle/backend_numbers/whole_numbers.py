"""Integers that doubles do not hold, and sums of products that wrap, where other operators compute in floats."""

import torch
import torch.nn.functional as F
from torch.export import Dim

A = torch.ops.aten
WIDE = torch.tensor([2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 1, 3, -7, 2**53 + 3])
NARROW = torch.tensor([2**31 - 1, -(2**31), 2**30 + 1, 3, -7, 2**31 - 2, 5, 2**29 + 1], dtype=torch.int32)
SMALL = torch.arange(-4, 4)

CONVOLUTIONS = {
    "conv1d": lambda x: F.conv1d(x.reshape(1, 1, 8), x[:3].reshape(1, 1, 3), x[:1], padding=1),
    "conv1d step": lambda x: F.conv1d(x.reshape(1, 1, 8), x[2:4].reshape(1, 1, 2), stride=2, dilation=2),
    "conv2d": lambda x: F.conv2d(x.reshape(1, 2, 2, 2), x.reshape(2, 2, 1, 2), x[:2], padding=(0, 1)),
    "conv2d groups": lambda x: F.conv2d(x.reshape(2, 2, 2, 1), x[:4].reshape(4, 1, 1, 1), groups=2),
    "conv3d": lambda x: F.conv3d(x.reshape(1, 1, 2, 2, 2), x[:4].reshape(1, 1, 1, 2, 2)),
    "transposed 1d": lambda x: F.conv_transpose1d(x.reshape(1, 2, 4), x[:6].reshape(2, 1, 3), x[:1], stride=2, padding=1),
    "transposed 2d": lambda x: F.conv_transpose2d(x.reshape(1, 2, 2, 2), x.reshape(2, 2, 1, 2), x[:2]),
    "transposed groups": lambda x: F.conv_transpose2d(x.reshape(1, 2, 2, 2), x.reshape(2, 2, 1, 2), groups=2, output_padding=0, dilation=(1, 2)),
    "transposed 3d": lambda x: F.conv_transpose3d(x.reshape(1, 1, 2, 2, 2), x[:2].reshape(1, 1, 1, 1, 2)),
    "bilinear": lambda x: F.bilinear(x.reshape(2, 4), x.reshape(2, 4), x.expand(4, 8).reshape(2, 4, 4)),
    "max_pool1d": lambda x: F.max_pool1d(x.reshape(1, 1, 8), 2),
    "max_pool2d": lambda x: F.max_pool2d(x.reshape(1, 1, 2, 4), (2, 3), 1, (1, 1), return_indices=True),
    "max_pool3d": lambda x: F.max_pool3d(x.reshape(1, 1, 2, 2, 2), (1, 2, 2), 1, return_indices=True),
    "threshold": lambda x: (F.threshold(x, 3, 7), F.threshold(x, -2.5, 7.9), F.threshold(x, 2**30, -(2**30))),
    "threshold_backward": lambda x: (A.threshold_backward(x, x.flip(0), 4), A.threshold_backward(x, x, -2.5)),
    "heaviside": lambda x: (torch.heaviside(x * 0, x), torch.heaviside(x, x.flip(0))),
    "embedding_dense_backward": lambda x: tuple(A.embedding_dense_backward(x.reshape(4, 2), torch.tensor(at), 3, -1, scaled) for at in ([0, 1, 1, 0], [0, 1, 2, 1]) for scaled in (False, True)),
    "mse_loss_backward": lambda x: tuple(A.mse_loss_backward(x if kind == 0 else x[0], x.flip(0), x, kind) for kind in range(3)) + (A.mse_loss_backward(x[4], x[:2], x[2:4], 1),),
}
POOLS = {
    "avg_pool1d": lambda x: (F.avg_pool1d(x.reshape(1, 1, 8), 2), F.avg_pool1d(x.reshape(1, 2, 4), 3, 1, 1)),
    "avg_pool2d": lambda x: (F.avg_pool2d(x.reshape(1, 1, 2, 4), 2, 1), F.avg_pool2d(x.reshape(1, 1, 2, 4), 2, 1, 1, count_include_pad=False), F.avg_pool2d(x.reshape(1, 1, 2, 4), 2, divisor_override=3)),
    "avg_pool3d": lambda x: (F.avg_pool3d(x.reshape(1, 1, 2, 2, 2), 2), F.avg_pool3d(x.reshape(1, 1, 2, 2, 2), (1, 2, 1), 1, (0, 1, 0))),
    "avg_pool2d_backward": lambda x: A.avg_pool2d_backward(x[:3].reshape(1, 1, 1, 3), x.reshape(1, 1, 2, 4), [2, 2], [1, 1], [0, 0], False, True, None),
    "avg_pool3d_backward": lambda x: A.avg_pool3d_backward(x[:3].reshape(1, 1, 1, 1, 3), x.reshape(1, 1, 1, 2, 4), [1, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None),
    "wide numbers": lambda x: (F.threshold(x, -(2**62), 2**53 + 1), F.threshold(x, 2**53 + 1, 5), A.threshold_backward(x, x, 2**53 + 1), A.threshold_backward(x, x, -(2**53) - 1)),
}


RANGES = [(2**53 + 1, 2**53 + 4), (-(2**63), -(2**63) + 3), (2**62, 2**62 + 5, 2), (2**53 + 3, 2**53 + 1, -1), (-(2**53) - 3, -(2**53) - 1), (2**63 - 3, 2**63 - 1), (0, 2**53 + 1, 2**52), (0, 10, 2**62), (2**53 + 1, 2**53 + 1), (2**53 + 1, 2**53 + 2)]


def make(record):
    record("ranges", lambda x: tuple(torch.arange(*given) for given in RANGES), (WIDE,))
    for name, call in CONVOLUTIONS.items():
        record(f"{name} int64", call, (WIDE,), (WIDE.flip(0),), (SMALL,))
        if not name.startswith("transposed"):
            record(f"{name} int32", call, (NARROW,), (NARROW.flip(0),))
    for name, call in POOLS.items():
        record(f"{name} int64", call, (WIDE,), (WIDE.flip(0),), (SMALL,), (SMALL * 1000 + 1,))
    numbers = [torch.tensor(k) for k in (5, 2**53 + 1, -(2**53) - 1, 2**62 + 1)]
    record("numbers of the run", lambda x, k: F.threshold(x, k.item(), k.item()), *[(WIDE, k) for k in numbers])
    sizes = {0: Dim("n", min=2, max=64)}
    record("lengths of the run", lambda x: (F.threshold(x, 2**53 + 1, -3), torch.heaviside(x, x.flip(0))), (WIDE,), (SMALL,), (WIDE[:3].clone(),), dynamic=(sizes,))
