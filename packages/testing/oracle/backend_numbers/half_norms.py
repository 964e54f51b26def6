"""Layer, group and RMS norms of halves whose sums and squares leave the range of float32, or that are near the ends of the dtype."""

import math

import torch
import torch.nn.functional as F
from recorder import automatic

A = torch.ops.aten
INF, NAN = math.inf, math.nan
RTOL = {torch.bfloat16: 1e-2, torch.float16: 2e-3}
SCALES = {torch.bfloat16: (1.0, 1e-20, 1e18, 4e18, 1e19, 2e19, 6e19, 1e20, 1e30, 1e36), torch.float16: (1.0, 1e-7, 1e3, 1.5e4, 3e4, 6e4)}


def rows(size, kind):
    """Rows of several magnitudes and means, and with a number that is not finite."""
    torch.manual_seed(size)
    x = torch.randn(2, size, dtype=torch.float64)
    end = torch.finfo(kind).max
    runs = [(x * scale).clamp(-end, end) for scale in SCALES[kind]]
    # Of many elements, some are near the mean, where the results are rounding.
    runs += [(x + 7) * (scale / 8) for scale in SCALES[kind][2:] if size < 100]
    runs += [torch.full_like(x, end / 2), torch.full_like(x, end), torch.full_like(x, -end)]
    # Large numbers in one lane of PyTorch's kernels only.
    for at in (0, 1, size - 1) if size < 100 else ():
        one = x.clone()
        one[:, at::8] *= SCALES[kind][-3]
        runs.append(one.clamp(-end, end))
    for at in (0, size // 3):
        for value in (INF, -INF, NAN):
            one = x.clone()
            one[1, at] = value
            runs.append(one)
    return [(run.to(kind),) for run in runs]


def make(record):
    for kind, rtol in RTOL.items():
        for size in (1, 3, 8, 10, 16, 24, 32, 40, 300):
            layer = lambda x, size=size: A.native_layer_norm(x, [size], None, None, 1e-5)  # noqa: E731
            record(f"layer norm {kind} {size}", layer, *rows(size, kind), rtol=rtol, lowers=False)
        for size in (2, 16, 24, 64):
            group = lambda x, size=size: A.native_group_norm(x.reshape(2, 2, size // 2), None, None, 2, 2, size // 2, 1, 1e-5)  # noqa: E731
            record(f"group norm {kind} {size}", group, *rows(size, kind), rtol=rtol, lowers=False)
            two = lambda x, w, b, size=size: F.group_norm(x.reshape(2, 4, size // 4), 2, w, b)  # noqa: E731
            if size > 2:
                w, b = torch.tensor([1.5, -2, 0.5, 3]).to(kind), torch.tensor([0.25, -1, 2, 0]).to(kind)
                record(f"group norm, affine {kind} {size}", two, *((one, w, b) for (one,) in rows(size, kind)), rtol=rtol, lowers=False)
        for size in (3, 16, 24):
            w, b = torch.linspace(-2, 3, size).to(kind), torch.linspace(1, -1, size).to(kind)
            affine = lambda x, w, b, size=size: F.layer_norm(x, [size], w, b)  # noqa: E731
            record(f"layer norm, affine {kind} {size}", affine, *((one, w, b) for (one,) in rows(size, kind)), rtol=rtol, lowers=False)
            mean_square = lambda x, w, size=size: F.rms_norm(x, [size], w)  # noqa: E731
            record(f"RMS norm {kind} {size}", mean_square, *((one, w) for (one,) in rows(size, kind)), rtol=rtol, lowers=False)
            plain = lambda x, size=size: F.rms_norm(x, [size], None, 1e-3)  # noqa: E731
            record(f"RMS norm without weight {kind} {size}", plain, *rows(size, kind), rtol=rtol)
        sizes = [(rows(size, kind)[run][0],) for size in (10, 16, 24, 5, 32) for run in (0, 3, 4, 5)]
        layer = lambda x: A.native_layer_norm(x, [x.shape[1]], None, None, 1e-5)  # noqa: E731
        record(f"layer norm of any size {kind}", layer, *sizes, dynamic=(automatic(1),), rtol=rtol, lowers=False)
