"""Calls at the edges of operators: ends of domains, special values, statistics of mixed dtypes, and what is refused.

    python3 make_edges.py OUT_DIR [--only REGEX]

Writes every call that PyTorch settles on, in the format of make_ops.py (one safetensors file an overload).
"""
import argparse
import contextlib
import itertools
import math
import os
import re
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_ops as make  # noqa: E402

A = torch.ops.aten
INF, NAN = math.inf, math.nan
F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I64, I32, I16, I8, U8, BOOL = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool
FLOATS = (F32, F64, F16, BF16)

# Signed zeros, ends of pieces and their neighbours, saturation, subnormals, largest numbers, infinities, NaN.
PIECES = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 3.0, -3.0, 6.0, -6.0, 2.999, -2.999, 3.001, -3.001, 20.0, -20.0, 20.5]
SPECIAL = [INF, -INF, NAN, 1e-40, -1e-40, 3e38, -3e38, 88.8, -88.8, 104.0, -104.0, 0.25, -2.0, 7.0, -7.0]
EDGES = PIECES + SPECIAL  # 32 values: whole vectors in PyTorch's kernels
GRADS = [1.0, INF, 0.0]


def edges(dtype=F32):
    return torch.tensor(EDGES, dtype=F64).to(dtype)


def pairs(dtype):
    """Gradients and edge values, few at a time: PyTorch's kernels give NaN other results in whole vectors than in the rest."""
    for x in edges(dtype).split(7):
        for grad in GRADS if dtype == F32 else GRADS[:1]:
            yield torch.full_like(x, grad), x.clone()


class Edges:
    def __init__(self, rec):
        self.rec = rec

    def __call__(self, op, *args, **kwargs):
        """One call, whether it succeeds or is refused."""
        for errors in (False, True):
            with contextlib.suppress(Exception), make.recording(self.rec, "edges", errors=errors):
                op(*args, **kwargs)
                break

    def grad(self, fn, *inputs):
        make.backward(self.rec, "edges", lambda: fn(*inputs), list(inputs))


def activations(e):
    for dtype, (g, x) in ((dtype, pair) for dtype in FLOATS for pair in pairs(dtype)):
        for low, high in ((-1, 1), (0, 6), (-3.0, 3.0), (0.5, 0.5), (2, 1)):
            e(A.hardtanh_backward, g, x, low, high)
        for threshold in (0, 1, -0.5, INF, NAN):
            e(A.threshold_backward, g, x, threshold)
        e(A.hardsigmoid_backward, g, x)
        e(A.hardswish_backward, g, x)
        e(A.silu_backward, g, x)
        e(A.mish_backward, g, x)
        for slope in (0.01, 0.0, -0.2):
            e(A.leaky_relu_backward, g, x, slope, False)
        for scales in ((1, 1, 1), (1.6732632423543772, 1.0507009873554805, 1), (1, 1, 0.5), (2, 0.5, -1)):
            e(A.elu_backward, g, *scales, False, x)
            e(A.elu_backward, g, *scales, True, x)
        for beta, threshold in ((1, 20), (2, 6), (0.5, 3), (-1, 20)):
            e(A.softplus_backward, g, x, beta, threshold)
        for lambd in (0.5, 0.0, 3, INF):
            e(A.hardshrink_backward, g, x, lambd)
            e(A.softshrink_backward, g, x, lambd)
        if g[0].isfinite():  # the exact form depends on the machine's library, as that of `gelu` does at infinity
            e(A.gelu_backward, g, x)
        e(A.gelu_backward, g, x, approximate="tanh")
        e(A.log_sigmoid_backward, g, x, torch.empty(0, dtype=dtype))
        e(A.log_sigmoid_backward, g, x, A.log_sigmoid_forward(x)[1])
        e(A.sigmoid_backward, g, x)
        e(A.tanh_backward, g, x)
        for eps in (None, 0.25, 0.0, 1e-6, -0.5, 0.75):
            e(A.logit_backward, g, x, eps)
        e(A._prelu_kernel_backward, g, x, torch.tensor(0.25, dtype=dtype).expand_as(x))
        e(A._prelu_kernel_backward, g, x, torch.tensor(NAN, dtype=dtype).expand_as(x))
        e(A.rrelu_with_noise_backward, g, x, torch.full_like(x, 0.2), 0.1, 0.3, False, False)
        e(A.rrelu_with_noise_backward, g, x, torch.full_like(x, 0.2), 0.1, 0.3, True, False)
        e(A.rrelu_with_noise_backward, g, x, torch.full_like(x, 0.2), 0.3, 0.3, True, False)
        if dtype in (F32, F64):
            e(A.glu_backward, g[: len(x) // 2].clone(), x[: len(x) // 2 * 2].clone(), 0)
        for op in (A.hardtanh, A.hardswish, A.hardsigmoid, A.relu6, A.relu, A.silu, A.mish, A.selu, A.elu, A.celu,
                   A.leaky_relu, A.softplus, A.log_sigmoid, A.hardshrink, A.softshrink, A.sigmoid, A.tanh,
                   A.logit, A.rrelu, A.threshold):
            e(op, x, *((1, 2) if op is A.threshold else ()))
        for eps in (None, 0.25, 0.0, 1e-6, -0.5, 0.75):
            e(A.logit, x, eps)
        e(A.gelu, x, approximate="tanh")
        e(A.prelu, x, torch.tensor([0.25], dtype=dtype))
        e(A.celu, x, 0.5)
        e(A.celu, x, -1.0)
        e(A.elu, x, 1, 1, 0.5)


def losses(e):
    for dtype, (g, x) in ((dtype, pair) for dtype in (F32, F64, BF16) for pair in pairs(dtype)):
        y = x.flip(0).contiguous()
        for reduction in (0, 1, 2):
            grad = g if reduction == 0 else torch.tensor(1.0, dtype=dtype)
            for target in (y, torch.zeros_like(x), x):
                e(A.mse_loss_backward, grad, x, target, reduction)
                for size in (1.0, 0.5, 3.0):
                    e(A.huber_loss_backward, grad, x, target, reduction, size)
                for beta in (1.0, 0.5, 0.0):
                    e(A.smooth_l1_loss_backward, grad, x, target, reduction, beta)
                e(A.soft_margin_loss_backward, grad, x, target, reduction)
                if reduction == 0:
                    e(A.mse_loss, x, target, 0)
                    e(A.huber_loss, x, target, 0, 0.5)
                    e(A.smooth_l1_loss, x, target, 0, 0.0)
                    e(A.smooth_l1_loss, x, target, 0, 0.5)
                    e(A.soft_margin_loss, x, target, 0)
    for dtype in (F32, F64, BF16):
        for reduction in (0, 1, 2):
            p = torch.tensor([0.0, 1.0, 0.5, 1e-12, 1 - 1e-7, 1e-40, -0.0, NAN], dtype=dtype).repeat(5, 1)
            t = torch.tensor([0.0, 1.0, 0.5, 1.0, 0.0], dtype=dtype)[:, None].expand(5, 8).contiguous()
            grad = torch.ones_like(p) if reduction == 0 else torch.tensor(1.0, dtype=dtype)
            e(A.binary_cross_entropy, p, t, None, reduction)
            e(A.binary_cross_entropy_backward, grad, p, t, None, reduction)
            e(A.binary_cross_entropy_with_logits, edges(dtype)[12:20].expand(5, 8).clone(), t, None, None, reduction)
        rows = torch.tensor([[0.0, 1, 2], [INF, 1, 2], [-INF, 1, 2], [-INF, -INF, -INF], [NAN, 1, 2], [3e38, -3e38, 0], [INF, INF, 0]], dtype=dtype)
        for op, back in ((A._softmax, A._softmax_backward_data), (A._log_softmax, A._log_softmax_backward_data)):
            e(op, rows, 1, False)
            out = op(rows, 1, False)
            e(back, torch.ones_like(rows), out, 1, dtype)
            e(back, torch.eye(7, 3, dtype=dtype), out, 1, dtype)
            e(back, torch.full_like(rows, INF), out, 1, dtype)


def autograd(e):
    """Derivatives that autograd composes of several operators, at the ends of their domains."""
    unary = (torch.abs, torch.sqrt, torch.rsqrt, torch.log, torch.log1p, torch.log2, torch.log10, torch.reciprocal,
             torch.asin, torch.acos, torch.atan, torch.asinh, torch.acosh, torch.atanh, torch.tan, torch.erfinv,
             torch.sinc, torch.sgn, torch.exp, torch.expm1, torch.sinh, torch.cosh, torch.special.ndtri,
             torch.special.log_ndtr, torch.special.entr, torch.special.erfcx, torch.i0, torch.special.i0e,
             torch.special.i1, torch.special.i1e, torch.lgamma, torch.digamma, torch.nan_to_num, torch.frac)
    for fn in unary:
        e.grad(fn, edges().requires_grad_())
    x = edges().requires_grad_()
    for fn in (lambda v: v.clamp(-1, 1), lambda v: v.clamp(min=0), lambda v: v.clamp(max=0.5), lambda v: v ** 2, lambda v: v ** 0,
               lambda v: v ** 0.5, lambda v: v ** -1, lambda v: 2 ** v, lambda v: 0 ** v, lambda v: v.norm(), lambda v: v.norm(1),
               lambda v: v.norm(INF), lambda v: v.norm(3), lambda v: v.prod(), lambda v: v.cumprod(0), lambda v: v.max(), lambda v: v.min(),
               lambda v: v.amax(), lambda v: v.logsumexp(0), lambda v: v.logcumsumexp(0), lambda v: v.std(), lambda v: v.var(),
               lambda v: v.softmax(0), lambda v: v.log_softmax(0), lambda v: v.cummax(0)[0]):
        e.grad(fn, x)
    zero = torch.tensor([0.0, 0.0, 2.0, 0.0], requires_grad=True)
    one = torch.tensor([0.0, 3.0, 2.0, -1.0], requires_grad=True)
    for v in (zero, one, torch.zeros(4, requires_grad=True)):
        for fn in (torch.prod, lambda v: v.cumprod(0), lambda v: v.norm(), lambda v: v.norm(1), lambda v: v.norm(0),
                   lambda v: v.norm(INF), lambda v: v.norm(0.5), lambda v: torch.dist(v, torch.zeros(4), 2), lambda v: v.std(), lambda v: v.median(),
                   lambda v: v.abs().max(), lambda v: v.amax(), lambda v: v.amin(), lambda v: torch.cdist(v[None], torch.zeros(1, 4)),
                   lambda v: torch.cdist(v[None], torch.zeros(1, 4), 1.0), lambda v: torch.pdist(v[:, None].expand(4, 3))):
            e.grad(fn, v)
    y = x.detach().flip(0).requires_grad_()
    for fn in (torch.atan2, torch.hypot, torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.fmod, torch.remainder,
               torch.pow, torch.xlogy, torch.special.xlog1py, torch.logaddexp, torch.logaddexp2, torch.copysign, torch.div, torch.mul):
        e.grad(fn, x, y)


def resampling(e):
    x1, x2, x3 = torch.arange(10.0).view(1, 2, 5), torch.arange(40.0).view(1, 2, 4, 5), torch.arange(48.0).view(1, 1, 3, 4, 4)
    scales = (0.3, 0.51, 0.7, 1.3, 1.5, 1.7, 2.0, 2.3, 2.6, 1 / 3, 7 / 3)
    for s in scales:
        for op1, op2, op3 in ((A.upsample_nearest1d, A.upsample_nearest2d, A.upsample_nearest3d),
                              (A._upsample_nearest_exact1d, A._upsample_nearest_exact2d, A._upsample_nearest_exact3d)):
            e(op1.vec, x1, None, [s])
            e(op2.vec, x2, None, [s, 1.5])
            e(op3.vec, x3, None, [1.5, s, 1.0])
            for given in (s, None):
                n = max(1, math.floor(5 * s))
                m = max(1, math.floor(4 * s))
                e(op1.default, x1, [n], given)
                e(op2.default, x2, [m, n], given, given)
                e(op2.default, x2, [m, n], None, given)
                e(op3.default, x3, [3, m, m], None, given, given)
        e(A.upsample_linear1d.vec, x1, None, False, [s])
        e(A.upsample_bilinear2d.vec, x2, None, False, [s, 1.5])
        e(A.upsample_bilinear2d.vec, x2, None, True, [s, 1.5])
        e(A.upsample_bicubic2d.vec, x2, None, False, [s, 1.5])
        e(A.upsample_trilinear3d.vec, x3, None, False, [1.5, s, 1.0])
        long = torch.arange(97.0).view(1, 1, 97)
        e(A.upsample_nearest1d.vec, long, None, [s])
        e(A._upsample_nearest_exact1d.vec, long, None, [s])
        e(A.upsample_linear1d.vec, long, None, False, [s])
        for recompute in (True, False, None):
            for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
                e(lambda: torch.nn.functional.interpolate(x2, scale_factor=(s, 1.3), mode=mode, recompute_scale_factor=recompute))
        for op1, op2 in ((A.upsample_nearest1d_backward, A.upsample_nearest2d_backward),
                         (A._upsample_nearest_exact1d_backward, A._upsample_nearest_exact2d_backward)):
            n = max(1, math.floor(5 * s))
            e(op1, torch.ones(1, 2, n), [n], [1, 2, 5], s)
            e(op2, torch.ones(1, 2, n, n), [n, n], [1, 2, 4, 5], None, s)


def moments(e):
    """Variances and means of rows with a large mean, large and tiny elements, and elements that are not finite."""
    near = torch.tensor([[0.0, 1.0, 2.0, -2.5, 0.25, -1.0], [4.0, 4.0, 4.0, 4.0, 4.0, 4.5]], dtype=F64)
    rows = [[INF], [-INF], [NAN], [1, INF], [INF, 1], [1, INF, 2], [1, 2, -INF], [INF, INF], [INF, -INF], [1, NAN], [NAN, INF],
            [1e38], [1e-30, 2e-30, 4e-30], [-0.0, -0.0]]
    for dtype in FLOATS:
        inputs = [(near + shift).to(dtype) for shift in (0, 3e6, -1e5)]
        inputs += [torch.tensor([row], dtype=F64).to(dtype) for row in rows]
        inputs += [torch.tensor([[1, 2], [3, INF]], dtype=dtype), torch.tensor([[1, INF], [3, 4]], dtype=dtype)]
        for x in inputs:
            for op in (A.var.correction, A.std.correction, A.var_mean.correction, A.std_mean.correction):
                e(op, x, [1])
                e(op, x, [0], correction=0, keepdim=True)
                e(op, x)
    large = torch.tensor([1e19, -1e19]).repeat(1, 50)  # the mean is what rounding leaves of it
    for op in (A.var.correction, A.std.correction):
        e(op, large, [1])
        e(op, large)
    huge = torch.tensor([[3e38, -3e38, 3e38, 2e38], [1.0, 2.0, 3.0, 4.0]])  # one result alone has another kernel
    for op in (A.var.correction, A.std.correction, A.var_mean.correction, A.std_mean.correction):
        e(op, huge, [1])
    far = (near + 3e6).to(F32)
    for training in (True, False):
        e(A._native_batch_norm_legit_functional, far.t().contiguous(), None, None, torch.zeros(2), torch.ones(2), training, 1.0, 1e-5)
    for name in ("any", "all"):
        for dims in ([], [0], [0, 1], None):
            for keepdim in (False, True):
                e(getattr(A, name).dims, torch.tensor([[0.0, NAN, 2.0], [0.0, -0.0, 1.0]]), dims, keepdim)


def halves(e):
    """Halves beside numbers, integers and tensors of one element: which of them are rounded to the half first."""
    wide = torch.tensor([2049, 4099, 257, 70001])
    for dtype in (F16, BF16):
        h = torch.tensor([0.1, 0.3, 0.7, 1.1], dtype=dtype)
        others = [torch.tensor(0.3), torch.tensor(0.7, dtype=F64), torch.tensor(4099), wide, wide[3:], wide[1:2].to(I32)]
        numbers = [0.3, 0.7, 1.1, 2049, 70001 if dtype == BF16 else 4099, True]
        for name in ("eq", "ne", "lt", "le", "gt", "ge"):
            for number in numbers:
                e(getattr(A, name).Scalar, h, number)
            for other in others:
                e(getattr(A, name).Tensor, h, other)
            e(getattr(A, name).Tensor, wide.to(dtype), wide)
        for op in (A.add.Tensor, A.sub.Tensor, A.mul.Tensor, A.div.Tensor, A.remainder.Tensor, A.fmod.Tensor, A.atan2, A.maximum, A.fmin,
                   A.pow.Tensor_Tensor, A.hypot, A.copysign.Tensor, A.floor_divide):
            for other in others:
                e(op, h, other)
                if op is not A.floor_divide:
                    e(op, other, h)
        for op in (A.add.Tensor, A.sub.Tensor, A.mul.Tensor, A.div.Tensor, A.remainder.Scalar, A.fmod.Scalar, A.pow.Tensor_Scalar, A.rsub.Scalar):
            for number in (0.1, 0.3, 1.1, 2049, 4099):
                e(op, h, number)
        for mode in ("floor", "trunc"):
            for other in (0.1, torch.tensor(0.1, dtype=F64), wide):
                e(A.div.Tensor_mode, h, other, rounding_mode=mode)
        ends = torch.tensor([-INF, -0.0, 0.0, -4.0, 4.0, INF], dtype=dtype)
        for exponent in (0.5, -0.5, 2, 3, -1, -2):
            e(A.pow.Tensor_Scalar, ends, exponent)
        torch.manual_seed(0)
        for mean in (3, 30, 300, 1000):
            x = (torch.randn(2, 3, 4, 8) + mean).to(dtype)
            for weight in (None, torch.ones(3, dtype=dtype), torch.ones(3)):
                bias = None if weight is None else weight * 0
                e(A._native_batch_norm_legit.no_stats, x, weight, bias, True, 0.1, 1e-5)
            e(A.instance_norm, x, None, None, None, None, True, 0.1, 1e-5, False)
            e(A.native_group_norm, x, None, None, 2, 3, 32, 3, 1e-5)
            e(A.native_layer_norm, x, [8], None, None, 1e-5)


def unbounded(e):
    """Resized images with elements that are not finite: which elements they reach."""
    line = torch.tensor([1.0, INF, 2.0, NAN, 3.0, -INF, 4.0, 5.0])
    for dtype, align in itertools.product((F32, F64, BF16), (False, True)):
        for size in (16, 15, 8, 5, 1):
            x = line.to(dtype)
            e(A.upsample_linear1d.vec, x.view(1, 1, 8), [size], align, None)
            e(A.upsample_bilinear2d.vec, x.view(1, 1, 2, 4), [4, size], align, None)
            e(A.upsample_bilinear2d.vec, x.view(1, 1, 2, 4), [2, size], align, None)
            e(A.upsample_trilinear3d.default, x.view(1, 1, 2, 2, 2), [2, 3, size], align)
            e(A.upsample_bicubic2d.vec, x.view(1, 1, 2, 4), [4, size], align, None)
        e(A.upsample_linear1d.vec, line.to(dtype).view(1, 1, 8), None, align, [1.7])
        e(A.upsample_bilinear2d.vec, line.to(dtype).view(1, 2, 2, 2), None, align, [2.0, 1.3])


def statistics(e):
    """Saved statistics and gradients of normalisations whose weights have another dtype than the input."""
    for dtype, weight_dtype in itertools.product((F32, BF16, F16, F64), (F32, BF16, F16, F64, None)):
        x = torch.arange(24.0).view(2, 3, 4).sin().to(dtype)
        w, b = (None if weight_dtype is None else torch.linspace(0.5, 2, 4).to(weight_dtype) for _ in range(2))
        c, d = (None if weight_dtype is None else torch.linspace(0.5, 2, 3).to(weight_dtype) for _ in range(2))
        mean, var = (torch.linspace(0.5, 2, 3).to(weight_dtype or dtype) for _ in range(2))
        for shape in ((2, 3, 4), (0, 3, 4), (2, 0, 4)):
            y = x[: shape[0], : shape[1]].contiguous()
            e(A.native_layer_norm, y, [4], w, b, 1e-5)
            e(A.layer_norm, y, [4], w, b, 1e-5)
            e(A.rms_norm, y, [4], w, 1e-5)
            e(A._fused_rms_norm, y, [4], w, 1e-5)
            if shape[1] != 3:
                continue
            e(A.native_group_norm, y, c, d, shape[0], 3, 4, 1, 1e-5)
            e(A.group_norm, y, 1, c, d, 1e-5)
            for training in (True, False):
                e(A.native_batch_norm, y, c, d, mean.clone(), var.clone(), training, 0.1, 1e-5)
                e(A._native_batch_norm_legit, y, c, d, mean.clone(), var.clone(), training, 0.1, 1e-5)
                e(A.batch_norm, y, c, d, mean.clone(), var.clone(), training, 0.1, 1e-5, False)
                e(A.instance_norm, y, c, d, mean.clone(), var.clone(), True, 0.1, 1e-5, False)
            e(A._native_batch_norm_legit.no_stats, y, c, d, True, 0.1, 1e-5)
            e(A._native_batch_norm_legit_no_training, y, c, d, mean, var, 0.1, 1e-5)
            e(A._native_batch_norm_legit_functional, y, c, d, mean, var, True, 0.1, 1e-5)
            e(A._batch_norm_with_update, y, c, d, mean.clone(), var.clone(), 0.1, 1e-5)
            e(A._batch_norm_with_update_functional, y, c, d, mean, var, 0.1, 1e-5)
            g = torch.ones_like(y)
            if dtype == weight_dtype and dtype in (F32, F64) and shape[0] > 0:  # PyTorch crashes on empty batches
                saved = torch.linspace(0.5, 2, 3, dtype=dtype)
                for training in (True, False):
                    e(A.native_batch_norm_backward, g, y, c, mean, var, saved, saved, training, 1e-5, [True, True, True])


def scatters(e):
    """Sums, products and means of elements that one index names often: wrapped, rounded and overflowing ones."""
    for dtype in (U8, I8, I16, I32, I64, F16, BF16):
        step = 7 if dtype == I64 else 1
        for n in (5, 128, 256, 300):
            if dtype.is_floating_point:
                source = torch.full((n,), 0.5, dtype=dtype)
            else:
                source = ((torch.arange(n) * 37 % 11 - 5) * step).to(dtype)
            own, index = torch.tensor([7, 3]).to(dtype), torch.zeros(n, dtype=I64)
            if n == 5:
                index[3] = 1
            for include in (True, False):
                e(A.scatter_reduce, own, 0, index, source, "mean", include_self=include)
                e(A.index_reduce, own, 0, index, source, "mean", include_self=include)
                e(A.index_reduce, own.expand(2, 2).contiguous(), 1, index, source.expand(2, n).contiguous(), "mean", include_self=include)
            for name in ("sum", "prod"):
                e(A.scatter_reduce, own, 0, index, source, name)
            for name in ("add", "multiply"):
                e(A.scatter, own, 0, index, source, reduce=name)
            e(A.scatter_add, own, 0, index, source)
            e(A.index_add, own, 0, index, source)
            e(A.index_add, own.expand(2, 2).contiguous(), 1, index, source.expand(2, n).contiguous())
            e(A.index_add, own, 0, index, source, alpha=2)
            e(A.index_put, own, [index], source, True)
    big = torch.tensor([60000.0, -60000.0, 60000.0, 60000.0], dtype=F16)
    for places in ([0, 0, 1, 1], [0, 1, 1, 1]):
        for include in (True, False):
            for name in ("sum", "mean", "prod"):
                e(A.scatter_reduce, big[:2], 0, torch.tensor(places), big, name, include_self=include)
                if name != "sum":
                    e(A.index_reduce, big[:2], 0, torch.tensor(places), big, name, include_self=include)
    wide = torch.tensor([2**31 - 1, -(2**31), 123456789, -987654321, 65537], dtype=I32)
    for include in (True, False):
        for name in ("sum", "prod", "mean", "amax", "amin"):
            e(A.scatter_reduce, wide[:2], 0, torch.tensor([0, 0, 1, 0, 1]), wide, name, include_self=include)
            if name != "sum":
                e(A.index_reduce, wide[:2], 0, torch.tensor([0, 0, 1, 0, 1]), wide, name, include_self=include)
    flags = torch.tensor([True, False])
    for include in (True, False):
        for name in ("sum", "prod", "mean", "amax", "amin"):
            for own, source in ((flags, flags), (flags.expand(2, 2).clone(), flags.expand(2, 2).clone())):
                e(A.scatter_reduce, own, 0, torch.zeros_like(source, dtype=I64), source, name, include_self=include)
                if name != "sum":
                    e(A.index_reduce, own, 0, torch.tensor([0, 0]), source, name, include_self=include)


def overflows(e):
    """Finite numbers whose products overflow float32, though their sums and roots would not."""
    query = torch.tensor([1e20, 1.0, -1e20, 1e-20])[:, None].expand(4, 2)
    keys = torch.tensor([[1e20, -1.0, 2.0], [-1e20, 1.0, 2.0], [1.0, 1.0, 1.0], [3e18, -3e18, 0.0], [-1e20, -2e20, -3e20]])
    values = torch.tensor([[1.0, -2.0], [3.0, 0.5], [-1.0, 2.0]])
    for dtype in (F32, F64, BF16):
        q, v = query[None, None].to(dtype).contiguous(), values[None, None].to(dtype)
        for row in keys:
            k = row[None, None, :, None].expand(1, 1, 3, 2).to(dtype).contiguous()
            for mask in (None, torch.zeros(4, 3, dtype=dtype), torch.tensor([-INF, 0.0, 1.0], dtype=dtype).expand(4, 3).contiguous()):
                e(A._scaled_dot_product_flash_attention_for_cpu, q, k, v, attn_mask=mask)
                e(A.scaled_dot_product_attention, q, k, v, mask)
            e(A._scaled_dot_product_flash_attention_for_cpu, q, k, v, scale=1e-3)
    wide = torch.tensor([[1e20, -1e20, 1.0, 2.0], [1e20, 1.0, -1e20, 1e20], [3e38, 3e38, -3e38, 1.0], [1e19, 1e19, 1e19, 1e19]])
    for dtype in (F32, F64):
        m = wide.to(dtype)
        for other in (m, m.t().contiguous(), m.flip(0).contiguous(), torch.ones_like(m)):
            e(A.mm, m, other)
            e(A.bmm, m[None], other[None])
            e(A.dot, m[0], other[1].contiguous())
            e(A.mv, m, other[0].contiguous())
            e(A.convolution, m[None], other[:, :, None], None, [1], [0], [1], False, [0], 1)
    tiny = torch.tensor([[1e-25, 1e-25, 0.0, 0.0], [1e-30, 0.0, 0.0, 1e-31], [-0.0, -0.0, -0.0, -0.0], [1e13, 1e13, -1e13, 1.0]])
    for dtype in (F32, F64, BF16):
        for m in (wide.to(dtype), tiny.to(dtype)):
            for p in (0, 0.5, 1, 2, 3, 4, INF, -INF, -1, 2.5):
                e(A.linalg_vector_norm, m, p, [1])
                e(A.linalg_vector_norm, m, p, [0])
                e(A.norm, m, p, [1])
                e(A.dist, m[0], m[1], p)


def sampling(e):
    """Coordinates that are NaN, infinite or too large, and those at the ends of the image."""
    places = [NAN, INF, -INF, 1e30, 3e9, -1e10, 1e5, 0.3, -1.0, 1.0]
    for dtype in FLOATS:
        image = torch.arange(1.0, 13.0).view(1, 1, 3, 4).to(dtype)
        volume = torch.arange(1.0, 25.0).view(1, 1, 2, 3, 4).to(dtype)
        grid = torch.tensor(list(itertools.product(places, places)), dtype=F64).to(dtype).view(1, 1, -1, 2)
        cube = torch.tensor(list(itertools.product(places[:4] + places[7:9], repeat=3)), dtype=F64).to(dtype).view(1, 1, 1, -1, 3)
        for padding, align in itertools.product((0, 1, 2), (False, True)):
            for mode in (0, 1, 2):
                e(A.grid_sampler_2d, image, grid, mode, padding, align)
            for mode in (0, 1):
                e(A.grid_sampler_3d, volume, cube, mode, padding, align)


def normalizations(e):
    """Rows of zeros of both signs, of one number, and of numbers whose squares overflow float32."""
    zeros = torch.full((2, 2, 4), -0.0)
    alternating = torch.tensor([1e20, -1e20]).repeat(8).view(2, 2, 4)
    growing = torch.arange(1.0, 17.0).view(2, 2, 4)
    for dtype in FLOATS:
        one, flat = torch.ones(2, dtype=dtype), torch.zeros(2, dtype=dtype)
        for x in (zeros, zeros.abs(), torch.full((2, 2, 4), -1.0), torch.tensor([0.0, -0.0]).repeat(8).view(2, 2, 4), alternating, growing * 1e19, growing * 1e-25):
            x = x.to(dtype)
            if not x.isfinite().all():
                continue
            for w, b in ((None, None), (one, flat), (-one, flat)):
                for training in (True, False):
                    e(A._native_batch_norm_legit, x, w, b, flat.clone(), one.clone(), training, 0.1, 1e-5)
                e(A._native_batch_norm_legit.no_stats, x, w, b, True, 0.1, 1e-5)
                e(A._native_batch_norm_legit_no_training, x, w, b, flat, one, 0.1, 1e-5)
                if x.abs().max() < 1e10:
                    e(A.native_group_norm, x, w, b, 2, 2, 4, 1, 1e-5)
            if x.abs().max() < 1e10:
                e(A.native_layer_norm, x, [4], None, None, 1e-5)
            e(A.mean, x, [2])
            e(A.mean, x)
    for row in ([INF, 1.0, 2.0], [-INF, 1.0, 2.0], [INF, -INF, 1.0]):
        for dtype in FLOATS:
            e(A.native_layer_norm, torch.tensor(row, dtype=dtype), [3], None, None, 1e-5)
            e(A.var_mean, torch.tensor(row, dtype=dtype), [0])
    for row in ([3e38, 3e38, 1e-38, 1e-38], [1e-38, 1e-38, 3e38, 3e38], [3e38, 3e38, 1.0, 1.0], [3e38, -3e38, 3e38, 1.0]):
        x = torch.tensor(row)
        e(A.prod, x, 0)
        e(A.mean, x, [0])
        for weight in (0.25, 0.75):
            e(A.lerp, x, x.flip(0).contiguous(), weight)


def refusals(e):
    flags, x, i = torch.tensor([[True, False], [False, True]]), torch.arange(6.0).view(2, 3), torch.arange(6).view(2, 3)
    unary = ("neg", "abs", "sign", "sgn", "signbit", "ceil", "floor", "round", "trunc", "frac", "relu", "relu6", "square", "bitwise_not",
             "logical_not", "sqrt", "exp", "reciprocal", "positive", "angle", "conj_physical", "isnan", "isinf", "isfinite", "sigmoid", "silu",
             "mish", "gelu", "hardswish", "hardsigmoid", "hardtanh", "elu", "selu", "celu", "leaky_relu", "softplus", "log_sigmoid", "tanh",
             "nan_to_num", "cumsum", "erf", "deg2rad", "rad2deg", "lgamma", "digamma", "sinc", "logit", "median", "nanmedian", "argmax", "argmin",
             "max", "min", "amax", "amin", "sort", "argsort", "msort", "mode", "all", "any", "sum", "prod", "mean", "std", "var", "count_nonzero",
             "nonzero", "unique", "trace", "tril", "triu", "cummax", "cummin", "logsumexp", "softmax", "log_softmax", "aminmax", "norm", "t", "det")
    for name in unary:
        packet = getattr(A, name, None)
        for value in (flags, i.to(U8), i[:0], torch.tensor(True)):
            for more in ((), (0,), ([0],)):
                e(lambda: packet(value, *more))
    for name in ("sub", "add", "mul", "div", "rsub", "remainder", "fmod", "floor_divide", "pow", "maximum", "minimum", "fmax", "fmin", "bitwise_and",
                 "bitwise_left_shift", "logical_and", "atan2", "hypot", "copysign", "heaviside", "lerp", "nextafter", "gcd", "lcm", "ldexp", "xlogy",
                 "logaddexp", "clamp_min", "clamp_max", "eq", "lt", "true_divide", "addcmul", "where", "dot", "mm", "cross", "matmul", "dist"):
        packet = getattr(A, name, None)
        for a, b in ((flags, flags), (flags, True), (flags, x[:, :2]), (i[:, :2], flags), (flags, 2), (True, flags)):
            e(lambda: packet(a, b))
    for a, b in ((flags, flags), (x, x)):
        for alpha in (2, True, 1.5):
            e(lambda: A.add(a, b, alpha=alpha))
            e(lambda: A.sub(a, b, alpha=alpha))
        e(lambda: A.add(i, i, alpha=1.5))
    for dims in ([0, 0], [0, -2], [2], [-3], [0, 1, 0], []):
        for name in ("sum", "mean", "amax", "amin", "std", "var", "logsumexp", "flip", "any", "all", "permute", "count_nonzero", "nansum",
                     "var_mean", "std_mean", "squeeze", "linalg_vector_norm", "unsqueeze"):
            packet = getattr(A, name)
            e(lambda: packet(x, dims))
            e(lambda: packet(x, 2, dims) if name == "linalg_vector_norm" else packet(x, dims, True))
        e(lambda: A.norm(x, 2, dims))
        e(lambda: A.roll(x, [1] * len(dims), dims))
        e(lambda: A.tensordot(x, x, dims, dims))
        e(lambda: A.movedim(x, dims, dims))
        e(lambda: A.rot90(x, 1, dims))
    for dim in (2, -3, -4, 5):
        for name in ("cumsum", "softmax", "unbind", "select", "sort", "argmax", "squeeze", "unsqueeze", "size", "gather", "index_select", "cat", "stack",
                     "split", "chunk", "narrow", "flip", "repeat_interleave", "diagonal", "glu", "topk", "kthvalue", "unfold", "max", "median"):
            packet = getattr(A, name)
            for args in ((x, dim), (x, dim, 0), (x, dim, torch.tensor([0])), ([x, x], dim), (x, 1, dim), (x, dim, 0, 1), (x, dim, 1, 1)):
                e(lambda: packet(*args))
    for offset in (-1, -2, -5, 2, 7):
        e(lambda: A.as_strided(x, [2], [1], offset))
        e(lambda: A.as_strided(x, [2], [-1], 0))
        e(lambda: A.as_strided(x, [-2], [1], 0))
        e(lambda: A.diagonal(x, offset))
        e(lambda: A.diag_embed(x, offset))
        e(lambda: A.tril(x, offset))
        e(lambda: A.triu(x, offset))
        e(lambda: A.trace(x))
        e(lambda: A.diagonal_scatter(x, torch.ones(1), offset))
        e(lambda: A.diagonal_scatter(x, torch.ones(2), offset))
        e(lambda: A.tril_indices(3, 3, offset))
        e(lambda: A.tril_indices(offset, 3))
        e(lambda: A.narrow(x, 1, offset, 1))
        e(lambda: A.narrow(x, 1, 0, offset))
        e(lambda: A.select(x, 1, offset))
        e(lambda: A.slice(x, 1, offset, None, 1))
        e(lambda: A.slice(x, 1, 0, None, offset))
        e(lambda: A.slice_scatter(x, x, 1, offset))
        e(lambda: A.as_strided_scatter(x, torch.ones(2), [2], [1], offset))
        e(lambda: A.index_select(x, 1, torch.tensor([offset])))
        e(lambda: A.gather(x, 1, torch.tensor([[offset]])))
        e(lambda: A.index(x, [torch.tensor([offset])]))
        e(lambda: A.take(x, torch.tensor([offset])))
        e(lambda: A.put(x, torch.tensor([offset]), torch.ones(1)))
        e(lambda: A.scatter(x, 1, torch.tensor([[offset]]), 1.0))
        e(lambda: A.index_add(x, 1, torch.tensor([offset]), torch.ones(2, 1)))
        e(lambda: A.index_fill(x, 1, torch.tensor([offset]), 1.0))
        e(lambda: A.index_put(x, [torch.tensor([offset])], torch.ones(3)))
        e(lambda: A.embedding(x, torch.tensor([offset])))
        e(lambda: A.one_hot(torch.tensor([offset]), 3))
        e(lambda: A.split(x, offset))
        e(lambda: A.chunk(x, offset))
        e(lambda: A.unfold(x, 1, offset, 1))
        e(lambda: A.unfold(x, 1, 1, offset))
        e(lambda: A.repeat(x, [offset, 1]))
        e(lambda: A.expand(x, [offset, 3]))
        e(lambda: A.view(x, [offset, 3]))
        e(lambda: A.constant_pad_nd(x, [offset, 0]))
        e(lambda: A.reflection_pad1d(x, [offset, 0]))
        e(lambda: A.replication_pad1d(x, [offset, 0]))
        e(lambda: A.topk(x, offset))
        e(lambda: A.kthvalue(x, offset))
        e(lambda: A.multinomial(x.abs(), offset))
        e(lambda: A.eye(offset))
        e(lambda: A.zeros([offset]))
        e(lambda: A.arange(offset))
        e(lambda: A.arange(0, 5, offset))
        e(lambda: A.linspace(0, 1, offset))
        e(lambda: A.bincount(torch.tensor([offset])))
        e(lambda: A.pixel_shuffle(x.view(1, 6, 1, 1), offset))
        e(lambda: A.channel_shuffle(x.view(1, 6, 1, 1), offset))
        e(lambda: A.avg_pool1d(x[None], [offset]))
        e(lambda: A.max_pool1d(x[None], [2], [offset]))
        e(lambda: A.avg_pool1d(x[None], [2], [1], [offset]))
        e(lambda: A.conv1d(x[None], torch.ones(1, 2, 1), None, [1], [offset]))
        e(lambda: A.conv1d(x[None], torch.ones(1, 2, 1), None, [offset]))
        e(lambda: A.conv1d(x[None], torch.ones(1, 2, 1), None, [1], [0], [offset]))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--only", help="record only overloads that match")
    p.add_argument("--parts", default="activations,losses,autograd,resampling,moments,halves,unbounded,statistics,scatters,overflows,sampling,normalizations,refusals")
    p.add_argument("--most", type=int, default=400, help="most calls of an overload")
    options = p.parse_args()
    os.makedirs(options.out, exist_ok=True)
    rec = make.Recorder(options.only)
    for part in options.parts.split(","):
        torch.manual_seed(0)
        globals()[part](Edges(rec))
    total = dropped = 0
    for name in sorted(rec.cases):
        if re.search(r"_out$|\.out$|profiler", name):
            continue
        calls = [c for c in rec.cases[name].values() if not (c.error and c.error[0] == "NotImplementedError")]
        good = [c for c in calls[: options.most] if make.settle(c)]
        dropped += len(calls) - len(good)
        total += len(good)
        if good:
            path = os.path.join(options.out, name + ".safetensors")
            make.write_file(path, name, good[0].func, make.group_of(good[0].func, name), good)
    print(f"{total} calls of {len(rec.cases)} overloads, {dropped} dropped")


if __name__ == "__main__":
    main()
