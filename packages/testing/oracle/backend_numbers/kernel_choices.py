"""Calls in which PyTorch's kernels do something of their own: with one element, with bytes, with views that have gaps, with limits that are not finite."""

import math

import torch

A = torch.ops.aten
INF, NAN = math.inf, math.nan


def conjugates(record):
    z = torch.tensor([0.5 + 0.25j, -0.3 - 1j, 2j, INF])
    for kind in (torch.complex64, torch.complex128):
        record(f"tanh_backward {kind}", lambda g, y: A.tanh_backward(g, y), (z.to(kind), z.flip(0).to(kind) * 2), rtol=1e-6)
        record(f"sigmoid_backward {kind}", lambda g, y: A.sigmoid_backward(g, y), (z.to(kind), z.flip(0).to(kind) * 2), rtol=1e-6)


def norms(record):
    ones = [(torch.tensor([value]),) for value in (1e30, 1e-30, -0.5, 0.0, NAN, -INF)]
    for p in (0, 1, 2, 3, -1, 2e9, INF, -INF):
        record(f"vector norm {p}", lambda x: (A.linalg_vector_norm(x, p), A.norm.Scalar(x, p)), *ones)
        if p >= 0:
            record(f"dist {p}", lambda x: A.dist(x, torch.zeros(1), p), *ones)
    rows = (torch.tensor([[1e30], [2e30], [-0.5]]),)
    record("vector norm of rows", lambda x: (A.linalg_vector_norm(x, 2, [1]), A.norm.ScalarOpt_dim(x, 2, [1], True)), rows)
    record("renorm", lambda x: (A.renorm(x, 1e10, 0, 1.0), A.renorm_(x.clone(), 2, 0, 1.0)), rows, rtol=1e-6)
    vector = (torch.tensor([1.0, -2, 3, 0]), torch.tensor([5.0, 6, 7, 8]))
    record("weight norm of a vector", lambda v, g: A._weight_norm(v, g), vector)
    record("weight norm of a bfloat16 vector", lambda v, g: A._weight_norm(v.bfloat16(), g.bfloat16()), vector)
    record("weight norm of rows", lambda v, g: A._weight_norm(v.reshape(2, 2), g[:2].reshape(2, 1)), vector, rtol=1e-6)


def bytes_(record):
    image = torch.arange(36).mul(37).remainder(255).reshape(1, 2, 3, 6).to(torch.uint8)
    for size in ([8, 8], [2, 3], [5, 1]):
        for align in (True, False):
            record(f"bilinear bytes {size} {align}", lambda x: A.upsample_bilinear2d(x, size, align), (image,))


def places(record):
    none = (torch.tensor(3.0), torch.zeros(0, dtype=torch.long))
    record("index_fill of nothing", lambda x, at: (A.index_fill.int_Scalar(x, 0, at, 9), A.index_fill_.int_Scalar(x.clone(), 0, at, 9)), none)
    vector = torch.tensor([1.0, 2, 3, 4])

    def windows(x):
        copy = x.clone()
        copy.unfold(0, 1, 3).mul_(10)
        return copy + 0

    record("windows with gaps", windows, (vector,))

    def rows(x):
        copy = x.reshape(2, 2).clone()
        copy.unfold(1, 1, 2).select(0, 1).fill_(7)
        return copy.sin()

    record("windows of rows with gaps", rows, (vector,), rtol=1e-6)


def losses(record):
    given = (torch.tensor([1.0, 2, 3, NAN]), torch.tensor([1.0, -2, 0.3, 0]), torch.zeros(4))
    for beta in (NAN, -0.5, 0.0, 0.5, INF):
        for reduction in (0, 1):
            record(f"smooth_l1_loss_backward {beta} {reduction}", lambda g, x, y: A.smooth_l1_loss_backward(g, x, y, reduction, beta), given, rtol=1e-6)
    for kind in (torch.int8, torch.int64):
        one, some = torch.tensor([-3], dtype=kind), torch.tensor([1, -2, 5], dtype=kind)
        record(f"mse_loss_backward {kind}", lambda g, x, y: (A.mse_loss_backward(g, x, y, 1), A.mse_loss_backward(g, y, x, 1), A.mse_loss_backward(g, x, y, 2)), (one, one, some))


def zeros(record):
    x = torch.full((16,), -0.0)
    for name in ("upsample_nearest", "_upsample_nearest_exact"):
        record(f"{name} of zeros", lambda x: (1 / getattr(A, name + "1d")(x.reshape(1, 1, 16), [20]), 1 / getattr(A, name + "2d")(x.reshape(1, 1, 4, 4), [5, 6]), 1 / getattr(A, name + "3d")(x.reshape(1, 1, 2, 2, 4), [3, 3, 3])), (x,))


def volumes(record):
    places = [(torch.arange(8.0), torch.tensor([at, 0, 0, 0.3, at, 0.2])) for at in (0.5, NAN, INF, -INF, 1e30)]
    for mode in (0, 1):
        for padding in (0, 1, 2):
            record(f"gradients of a volume {mode} {padding}", lambda x, at: A.grid_sampler_3d_backward(x[1:3].reshape(1, 1, 1, 1, 2), x.reshape(1, 1, 2, 2, 2), at.reshape(1, 1, 1, 2, 3), mode, padding, False, [True, True]), *places, rtol=1e-6)


def tolerances(record):
    given = (torch.tensor([[2.0, 0], [0, 1]]), torch.tensor([0.1, 0.7]))
    record("pseudoinverses by several tolerances", lambda x, rtol: (A.linalg_pinv.rcond_tensor(x, rtol), A.linalg_pinv.atol_rtol_tensor(x, atol=rtol * 2), A.linalg_pinv.rcond_tensor(x.expand(2, 2, 2), rtol[:, None])), given, rtol=1e-6)


def flat_parameters(record):
    """Parameters of a batch norm in another shape."""
    x = torch.arange(8.0).reshape(4, 2)
    given = (x, torch.tensor([[2.0, 3]]))
    record("batch norm of the batch", lambda x, w: A.native_batch_norm(x, w, None, None, None, True, 0.1, 1e-5), given, rtol=1e-6)
    record("batch norm by statistics", lambda x, w: A.native_batch_norm(x, w, w * 2, w[0] + 1, w[0], False, 0.1, 1e-5)[0], given, rtol=1e-6)


def make(record):
    conjugates(record)
    norms(record)
    bytes_(record)
    places(record)
    losses(record)
    zeros(record)
    flat_parameters(record)
    volumes(record)
    tolerances(record)
