"""Gradients of max pools whose places are given: outside of their windows, and several times the same."""

import torch

A = torch.ops.aten


def pools(x, grad, at):
    """Sliding and adaptive windows over an image, and over a volume of depth 1."""
    volume = [tensor.unsqueeze(1) for tensor in (grad, x, at)]
    return (
        A.max_pool2d_with_indices_backward(grad, x, [1, 2], [1, 2], [0, 0], [1, 1], False, at),
        A.adaptive_max_pool2d_backward(grad, x, at),
        A.max_pool3d_with_indices_backward(*volume[:2], [1, 1, 2], [1, 1, 2], [0, 0, 0], [1, 1, 1], False, volume[2]),
        A.adaptive_max_pool3d_backward(*volume),
    )


def found(x, grad):
    """Places that the pool itself finds, with the same windows and with others."""
    _, at = A.max_pool2d_with_indices(x, [1, 2])
    _, wide = A.max_pool2d_with_indices(x, [1, 2], [1, 2], [0, 1])
    _, adaptive = A.adaptive_max_pool2d(x, [2, 3])
    return (
        A.max_pool2d_with_indices_backward(grad, x, [1, 2], [1, 2], [0, 0], [1, 1], False, at),
        A.max_pool2d_with_indices_backward(grad, x, [1, 2], [1, 2], [0, 0], [1, 1], False, wide[..., :3]),
        A.adaptive_max_pool2d_backward(grad, x, adaptive),
        A.max_pool2d_with_indices_backward(grad, x, [1, 2], [1, 2], [0, 0], [1, 1], False, adaptive.flip(-1)),
    )


def make(record):
    x, grad = torch.arange(24.0).reshape(2, 2, 6), torch.arange(1.0, 13.0).reshape(2, 2, 3)
    inside = torch.tensor([0, 3, 5, 7, 8, 11]).expand(2, 6).reshape(2, 2, 3).clone()
    given = [(x, grad, at) for at in (inside, inside.flip(-1), inside * 0, inside.flip(0, 1), torch.full_like(inside, 11))]
    record("given places", pools, *given)
    record("found places", found, (x, grad), (-x.flip(-1), grad))
