"""Places and probabilities that PyTorch refuses, beside those that it takes."""

import torch
import torch.nn.functional as F
from torch.export import Dim

A = torch.ops.aten
NAN = float("nan")
X = torch.arange(1.0, 5.0)


def places(record):
    """PyTorch's decomposition takes some of what its kernel refuses; the recorder has both."""
    given = [(X, torch.tensor(at)) for at in ([0, 3, 5, 7], [0, 0, 1, 1], [0, 3, 5, 16], [0, 3, -1, 7], [0, 1, 2, 2**40], [-16, 1, 2, 3], [3, 2, 1, 15])]
    record("max_unpool1d", lambda x, at: F.max_unpool1d(x.reshape(1, 1, 4), at.reshape(1, 1, 4), 2), *given)
    record("max_unpool2d", lambda x, at: F.max_unpool2d(x.reshape(1, 1, 2, 2), at.reshape(1, 1, 2, 2), (2, 2)), *given)
    record("max_unpool3d", lambda x, at: F.max_unpool3d(x.reshape(1, 1, 1, 2, 2), at.reshape(1, 1, 1, 2, 2), (1, 2, 2)), *given)
    planes = [(X, torch.tensor(at)) for at in ([0, 1, 3, 2], [0, 4, 1, 2], [0, 1, 2, -4])]
    record("max_unpool2d planes", lambda x, at: A.max_unpool2d(x.reshape(2, 1, 2, 1), at.reshape(2, 1, 2, 1), [2, 2]), *planes)
    record("max_unpool2d channels", lambda x, at: A.max_unpool2d(x.reshape(1, 4, 1, 1), at.reshape(1, 4, 1, 1), [2, 2]), *planes)
    record("max_unpool3d planes", lambda x, at: A.max_unpool3d(x.reshape(2, 1, 2, 1), at.reshape(2, 1, 2, 1), [1, 2, 2], [1, 1, 1], [0, 0, 0]), *planes)
    sizes = {0: Dim("n", min=2, max=9)}
    some = [(x.reshape(-1, 1, 2, 1), torch.tensor(at).reshape(-1, 1, 2, 1)) for x, at in ((X, [0, 1, 3, 2]), (torch.arange(6.0), [0, 4, 1, 2, 0, 0]), (torch.arange(6.0), [0, 3, 1, 2, 0, 1]))]
    record("max_unpool2d sizes", lambda x, at: A.max_unpool2d(x, at, [2, 2]), *some, dynamic=(sizes, sizes))


def pieces(record):
    offsets = [(X, torch.tensor(at)) for at in ([0, 2, 3, 4], [0, 2, 2, 4], [0, 3, 1, 4], [4, 0, 0, 4], [1, 1, 1, 1])]
    for kind in ("sum", "mean", "max", "min", "prod"):
        record(f"segment_reduce {kind}", lambda x, at: torch.segment_reduce(x, kind, offsets=at), *offsets)
        record(f"segment_reduce unsafe {kind}", lambda x, at: torch.segment_reduce(x, kind, offsets=at, unsafe=True, initial=1), *offsets)
    record("segment_reduce_backward", lambda x, at: A._segment_reduce_backward(x[:3], x[:3], x, "sum", offsets=at), *offsets)
    rows = [(torch.arange(8.0).reshape(2, 4), torch.tensor(at)) for at in ([[0, 1, 4], [0, 2, 4]], [[0, 1, 4], [0, 4, 2]])]
    record("segment_reduce rows", lambda x, at: torch.segment_reduce(x, "sum", offsets=at, axis=1), *rows)


def probabilities(record):
    given = [(X, torch.tensor(q)) for q in ([0.5, 0.25], [0.0, 1.0], [0.5, 1.5], [-0.1, 0.5], [NAN, 0.5], [0.0, 1.0000002], [-0.0, 1.0])]
    single = [(X, torch.tensor(q)) for q in (0.5, 1.5, NAN)]
    for name in ("quantile", "nanquantile"):
        call = getattr(torch, name)
        record(name, lambda x, q: call(x, q), *given)
        record(f"{name} single", lambda x, q: call(x, q), *single)
        record(f"{name} dim", lambda x, q: call(x.reshape(2, 2), q, dim=1, keepdim=True, interpolation="nearest") * 2, *given)


def targets(record):
    given = [(X, torch.tensor(at)) for at in ([3, 0, -1, 1], [-1, 3, 0, 0], [3, 0, -1, 9], [3, -2, -1, 0], [3, 9, -1, 0], [-1, 4, 0, 0], [3, 0, -1, -5])]
    for reduction in ("mean", "sum", "none"):
        record(f"multilabel_margin_loss {reduction}", lambda x, at: F.multilabel_margin_loss(x[None], at[None], reduction=reduction), *given)
    record("multilabel_margin_loss_forward", lambda x, at: A.multilabel_margin_loss_forward(x, at, 1), *given)
    record("multilabel_margin_loss_backward", lambda x, at: A.multilabel_margin_loss_backward(x[0], x, at, 1, torch.zeros(4)), *given)


def masked_places(record):
    """Negative places count from the end in PyTorch's kernels, and are clamped to 0 in its decomposition of reading."""
    x, mask = torch.arange(1.0, 6.0), torch.tensor([True, True, False, True])
    given = [(x, mask, torch.tensor(at)) for at in ([-1, 0, 9, 4], [5, 0, 0, 0], [-6, 0, 0, -3], [0, -5, -9, 0])]
    record("_unsafe_masked_index", lambda x, mask, at: A._unsafe_masked_index(x, mask, [at], 7.0), *given)
    record("_unsafe_masked_index columns", lambda x, mask, at: A._unsafe_masked_index(x.reshape(1, 5), mask[None], [None, at], -1), *given)
    record("_unsafe_masked_index_put_accumulate", lambda x, mask, at: A._unsafe_masked_index_put_accumulate(x, mask, [at], x[:4]), *given)


def empty_slices(record):
    ends = ((0, 4, 4), (0, 5, 3), (0, 3, 1), (0, 8, 16), (0, -1, -3))
    record("slice_backward of nothing", lambda x: tuple(A.slice_backward(x[:0], [5], *end, 1) for end in ends), (X,))


def make(record):
    empty_slices(record)
    masked_places(record)
    places(record)
    pieces(record)
    probabilities(record)
    targets(record)
