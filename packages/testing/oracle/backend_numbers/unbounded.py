"""Losses, convolutions and factors of values that are not finite, or not positive definite."""

import torch
import torch.nn.functional as F

A = torch.ops.aten
NAN, INF = float("nan"), float("inf")
ROWS = ([NAN, 1, 2], [1, NAN, 2], [1, INF, 2], [INF, 1, 2], [-INF, 1, 2], [INF, INF, 1], [1, -INF, 0.5], [1, 2, 0.5])


def losses(record):
    x, target, labels = torch.tensor(ROWS), torch.zeros(8, dtype=torch.int64), torch.tensor([[0, -1, 0]] * 8)
    runs = [(x, target), (x[:, [1, 2, 0]], target + 1), (x.double().float().flip(0), target + 2)]
    weights = {"plain": None, "infinite": [INF, 1.0, 1.0], "zero": [0.0, 1.0, 2.0]}
    for name, weight in weights.items():
        given = None if weight is None else torch.tensor(weight)
        for p in (1, 2):
            calls = [lambda x, at, r=r: F.multi_margin_loss(x, at, p=p, weight=given, reduction=r) for r in ("none", "sum", "mean")]
            record(f"multi_margin_loss {name} {p}", lambda x, at: tuple(call(x, at) for call in calls), *runs, rtol=1e-6)
            record(f"multi_margin_loss_backward {name} {p}", lambda x, at: tuple(A.multi_margin_loss_backward(x[:, 0] * 0 + 1 if r == 0 else x[7, 0] * 0 + 1, x, at, p, 1.0, given, r) for r in range(3)), *runs[:1], rtol=1e-6)
    record("multilabel_margin_loss", lambda x, at: tuple(F.multilabel_margin_loss(x, at, reduction=r) for r in ("none", "sum", "mean")), (x, labels), rtol=1e-6)


def convolutions(record):
    def runs(*shape):
        count = torch.Size(shape).numel()
        weights = [torch.arange(1.0, count + 1).reshape(shape) for _ in range(4)]
        for weight, values in zip(weights, ([INF], [NAN, 1, -INF], [1, INF, 2], [])):
            weight.view(-1)[: len(values)] = torch.tensor(values, dtype=torch.float32)
        return weights

    line, image, volume = torch.arange(1.0, 7.0).reshape(1, 2, 3), torch.arange(1.0, 9.0).reshape(1, 2, 2, 2), torch.arange(1.0, 5.0).reshape(1, 1, 2, 2, 1)
    record("transposed 1d", lambda x, w: (F.conv_transpose1d(x, w, stride=2), F.conv_transpose1d(x, w, w[0, :, 0], padding=1), F.conv_transpose1d(x, w, dilation=2, stride=3, output_padding=1)), *[(line, w) for w in runs(2, 2, 3)])
    record("transposed 2d", lambda x, w: (F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), F.conv_transpose2d(x, w, stride=(1, 3))), *[(image, w) for w in runs(2, 1, 2, 2)])
    record("transposed groups", lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2), *[(image, w) for w in runs(2, 2, 2, 2)])
    record("transposed 3d", lambda x, w: F.conv_transpose3d(x, w, stride=(2, 1, 2)), *[(volume, w) for w in runs(1, 2, 2, 1, 2)])
    record("gradient of input", lambda g, w: A.convolution_backward(g, g.new_ones(1, 2, 7), w, [0], [2], [0], [1], False, [0], 1, [True, False, False])[0], *[(line, w) for w in runs(2, 2, 3)])
    record("transposed double", lambda x, w: F.conv_transpose1d(x.double(), w.double(), stride=2), *[(line, w) for w in runs(2, 2, 3)])


def padded_convolutions(record):
    """
    Weights that are not finite beside zeros of the padding. In float32 and bfloat16, PyTorch multiplies them or leaves
    them out, as its library chooses by sizes and processor.
    """
    for rank, convolve in ((1, F.conv1d), (2, F.conv2d), (3, F.conv3d)):
        for channels, size, kernel, given in ((1, 5, 3, {"padding": 1}), (4, 6, 3, {"padding": 1, "stride": 2, "groups": 2}), (4, 5, 3, {"padding": 2, "groups": 4}), (2, 6, 2, {"padding": 3, "dilation": 2}), (3, 4, 1, {"padding": 1})):
            size -= rank - 1
            x = torch.arange(1.0, channels * size**rank + 1).sin().reshape(1, channels, *[size] * rank)
            weights = torch.arange(1.0, channels * channels // given.get("groups", 1) * kernel**rank + 1).cos().reshape(channels, -1, *[kernel] * rank)
            places = []
            for at, value in ((0, INF), (-1, -INF), (weights.numel() // 2, NAN)):
                places.append(weights.clone())
                places[-1].view(-1)[at] = value
            for kind in (torch.float64, torch.float16):
                runs = [(x.to(kind), w.to(kind)) for w in places]
                record(f"padded {rank}d {kind} {channels} {kernel}", lambda x, w: convolve(x, w, **given), *runs, rtol=1e-6 if kind == torch.float64 else 2e-2)


def other_triangles(x):
    """What libraries agree on for factors that fail: the triangle of zeros, the place of the failure, and factors of others."""
    lower, place = torch.linalg.cholesky_ex(x)
    upper, same = torch.linalg.cholesky_ex(x, upper=True)
    held = (place == 0)[:, None, None]
    return lower.triu(1), upper.tril(-1), place, same, torch.where(held, lower, 0), torch.where(held, upper, 0)


def factors(record):
    a = torch.tensor([[1.0, 5, 6, 9], [2, -3, 7, 8], [3, 4, -5, 2], [1, 2, 3, 4]])
    b = torch.tensor([[4.0, 9, 9, 1], [2, 5, 9, 2], [1, 3, -1, 3], [1, 1, 1, 9]])
    c = torch.tensor([[4.0, 2, 1, 1], [2, 5, 3, 1], [1, 3, 10, 1], [1, 1, 1, 9]])
    b = b.tril() + b.tril(-1).t()
    runs = [(torch.stack([a, c]),), (torch.stack([-a, b]),), (torch.stack([torch.full_like(a, NAN), torch.eye(4) * -1]),), (torch.stack([c, c.t() * 2]),)]
    for kind in (torch.float32, torch.float64, torch.complex64):
        record(f"cholesky_ex {kind}", lambda x: other_triangles(x.to(kind)), *runs, rtol=1e-5)


def make(record):
    losses(record)
    convolutions(record)
    padded_convolutions(record)
    factors(record)
