"""Calls of the operators that PyTorch's quantization tools write, for make_overloads.py --calls quantized_calls.

A part is a function `part(c)`. `c(op, *args, **kwargs)` is a call, whether it succeeds or is refused. All results are compared bit by bit, but for the
floating-point sums of products.
"""
import math

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  (registers the quantized_decomposed operators)
import torchao_definitions  # noqa: F401

A = torch.ops.aten
Q = torch.ops.quantized_decomposed
T = torch.ops.torchao
INF, NAN = math.inf, math.nan
F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I64, I32, I16, I8, U8, U16 = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16
E4, E5 = torch.float8_e4m3fn, torch.float8_e5m2
EXACT = r"^(de)?quantize_|^choose_qparams|^_choose_qparams|^fake_quant|^_fake_quantize_per|^convert_element_type|^_convert_weight|^_dyn_quant|^_weight_int4pack_mm_for_cpu"

ENDS = {U8: (0, 255), I8: (-128, 127), I16: (-(2**15), 2**15 - 1), I32: (-(2**31), 2**31 - 1), U16: (0, 2**16 - 1)}
HARD = [NAN, INF, -INF, 3e38, -3e38, 1e10, -1e10, 2.5, -2.5, 0.5, 1.5, -0.5, -0.0, 0.0, 3e9, -3e9, 127.4, 128.6, -127.5, -128.5, 1e18, -1e19, 1e-40, 63.75, 255.5, 32767.5]
SCALES = (0.1, 0.5, 1.0, 0.0235, 1e-3, 3.7, 1e-40, 1e30, 0.0, -0.25, INF, NAN)


def hard(dtype=F32):
    return torch.tensor(HARD, dtype=F64).to(dtype)


def ties(scale, dtype=F32):
    """Values at and beside the middle of two levels."""
    middle = (torch.arange(-6, 7, dtype=F64) + 0.5) * scale
    at = middle.to(F32)
    return torch.cat([at, torch.nextafter(at, torch.tensor(INF)), torch.nextafter(at, torch.tensor(-INF))]).to(dtype)


def r(*shape, dtype=F32, lo=-3.0, hi=3.0):
    if not dtype.is_floating_point:
        return torch.randint(int(lo), int(hi) + 1, shape, dtype=dtype)
    return (torch.rand(shape, dtype=F64) * (hi - lo) + lo).to(dtype)


def whole(dtype):
    """All values of 8 bits, or the ends and the middle of wider integers."""
    low, high = ENDS[dtype]
    if high - low < 256:
        return torch.arange(low, high + 1, dtype=I64).to(dtype)
    return torch.tensor([low, low + 1, low // 2, -1 if low else 1, 0, 1, 7, high // 2, 2**24 + 1 if high > 2**24 else 3, high - 1, high], dtype=I64).to(dtype)


def quantize_tensors(c):
    for dtype, (low, high) in ENDS.items():
        for scale, zero in ((0.1, 0), (0.5, 1), (1.0, -3), (0.0235, 5)):
            c(Q.quantize_per_tensor.default, hard(), scale, zero, low, high, dtype)
    for scale in SCALES[4:]:
        for dtype in (I8, U8, I32):
            c(Q.quantize_per_tensor.default, hard(), scale, 3, *ENDS[dtype], dtype)
    for dtype in (F16, BF16):
        c(Q.quantize_per_tensor.default, hard(dtype), 0.1, 5, 0, 255, U8)
        c(Q.quantize_per_tensor.default, ties(0.1, dtype), 0.1, 0, -128, 127, I8)
    for scale in (0.1, 0.3, 1 / 3, 0.0078125, 7e-4):
        c(Q.quantize_per_tensor.default, ties(scale), scale, 0, -128, 127, I8)
        c(Q.quantize_per_tensor.default, ties(scale), scale, 7, 0, 15, U8)
    for low, high in ((-8, 7), (0, 0), (-127, 127), (5, 2), (-1, 1), (127, 127)):
        c(Q.quantize_per_tensor.default, r(3, 4), 0.2, 1, low, high, I8)
    for zero in (-128, 127, 1000, -1000, 2**31 - 1, -(2**31), 2**40, 2**24 + 1):
        c(Q.quantize_per_tensor.default, r(8), 0.2, zero, -128, 127, I8)
        c(Q.quantize_per_tensor.default, r(8), 0.2, zero, *ENDS[I32], I32)
    for dtype in (E4, E5):
        c(Q.quantize_per_tensor.default, hard(), 0.5, 0, -448, 448, dtype)
        c(Q.quantize_per_tensor.default, hard(), 0.5, 0, -448, 449, dtype)
    for shape in ((0,), (2, 0, 3), ()):
        c(Q.quantize_per_tensor.default, r(*shape), 0.1, 3, 0, 255, U8)
    c(Q.quantize_per_tensor.default, r(4, 6).t(), 0.1, 3, 0, 255, U8)
    c(Q.quantize_per_tensor.default, r(4, 6)[:, ::2], 0.1, 3, 0, 255, U8)
    c(Q.quantize_per_tensor.default, r(2, 3, 2, 2).to(memory_format=torch.channels_last), 0.1, 3, 0, 255, U8)
    for bad in (r(3, dtype=F64), r(3, dtype=I32)):
        c(Q.quantize_per_tensor.default, bad, 0.1, 0, -128, 127, I8)
    for low, high, dtype in ((-129, 127, I8), (-128, 128, I8), (-1, 255, U8), (0, 256, U8), (-128, 127, I64), (-(2**31) - 1, 0, I32), (0, 1, F32)):
        c(Q.quantize_per_tensor.default, r(3), 0.1, 0, low, high, dtype)


def quantize_tensor_forms(c):
    for scale, zero in ((torch.tensor(0.1), torch.tensor(3)), (torch.tensor([0.1]), torch.tensor([3])), (torch.tensor([[0.1]], dtype=F64), torch.tensor([[3]], dtype=I32)),
                        (torch.tensor(0.1, dtype=BF16), torch.tensor(3, dtype=I8)), (torch.tensor(0), torch.tensor(2)), (torch.tensor(0.0), torch.tensor(2)), (torch.tensor(NAN), torch.tensor(2)),
                        (torch.tensor(0.1), torch.tensor(2.5)), (torch.tensor([0.1, 0.2]), torch.tensor(0)), (torch.tensor(0.1), torch.tensor([0, 1])), (torch.zeros(0), torch.tensor(0))):
        c(Q.quantize_per_tensor.tensor, hard(), scale, zero, -128, 127, I8)
        c(Q.quantize_per_tensor.tensor2, hard(), scale, zero, torch.tensor(0), torch.tensor([200]), U8)
        c(Q.dequantize_per_tensor.tensor, whole(I8)[::5], scale, zero, -128, 127, I8)
        c(Q.dequantize_per_tensor.tensor2, whole(U8)[::5], scale, zero, torch.tensor(0), torch.tensor(255), U8, out_dtype=F16)
    c(Q.quantize_per_tensor.tensor2, r(4), torch.tensor(0.1), torch.tensor(0), torch.tensor([0, 1]), torch.tensor(7), U8)
    c(Q.quantize_per_tensor.tensor2, r(4), torch.tensor(0.1), torch.tensor(0), torch.tensor(-200), torch.tensor(7), I8)
    c(Q.quantize_per_tensor.tensor, r(4, dtype=F64), torch.tensor(0.1), torch.tensor(0), -128, 127, I8)
    c(Q.quantize_per_tensor.tensor, r(0, 3), torch.tensor(0.1), torch.tensor(0), -128, 127, I8)
    for dtype in (F16, BF16):
        c(Q.quantize_per_tensor.tensor, hard(dtype), torch.tensor(0.1), torch.tensor(4), -128, 127, I8)


def dequantize_tensors(c):
    for dtype in ENDS:
        for out in (None, F32, F16, BF16, F64):
            kwargs = {} if out is None else {"out_dtype": out}
            c(Q.dequantize_per_tensor.default, whole(dtype), 0.0235, 3, *ENDS[dtype], dtype, **kwargs)
            c(Q.dequantize_per_tensor.default, whole(dtype)[-11:], 1 / 3, -1000, *ENDS[dtype], dtype, **kwargs)
    for scale in SCALES:
        c(Q.dequantize_per_tensor.default, whole(I8)[::9], scale, -5, -128, 127, I8)
    for zero in (2**31, 2**24 + 1, 2**40 + 1):
        c(Q.dequantize_per_tensor.default, whole(I8)[::9], 0.1, zero, -128, 127, I8)
    for dtype in (E4, E5):
        c(Q.dequantize_per_tensor.default, r(5).to(dtype), 0.5, 1, -448, 448, dtype)
    for shape in ((0,), (2, 0), ()):
        c(Q.dequantize_per_tensor.default, r(*shape, dtype=I8), 0.1, 3, -128, 127, I8)
    c(Q.dequantize_per_tensor.default, r(4, 6, dtype=I8).t(), 0.1, 3, -128, 127, I8)
    c(Q.dequantize_per_tensor.default, r(4, dtype=I8), 0.1, 3, 0, 255, U8)
    c(Q.dequantize_per_tensor.default, r(4, dtype=I64), 0.1, 3, 0, 255, I64)
    c(Q.dequantize_per_tensor.default, r(4), 0.1, 3, 0, 255, F32)


def channels(c):
    x = torch.stack([hard()[:12], hard()[12:24], ties(0.1)[:12]])
    for dtype, (low, high) in ENDS.items():
        for kind in (F32, F64, F16, BF16):
            for zeros in (torch.tensor([0, 3, -1]), torch.tensor([0, 3, 1], dtype=I32)):
                c(Q.quantize_per_channel.default, x, torch.tensor([0.1, 0.5, 0.3], dtype=kind), zeros, 0, low, high, dtype)
        c(Q.quantize_per_channel.default, x, torch.tensor([0.0, INF, NAN]), torch.tensor([0, 3, 1]), 0, low, high, dtype)
        c(Q.quantize_per_channel.default, x, torch.tensor([1e-40, -0.5, 1e30]), torch.tensor([0, 3, 1]), 0, low, high, dtype)
    for kind in (I8, F32, F64, U8):
        c(Q.quantize_per_channel.default, x, torch.tensor([0.1, 0.5, 0.3]), torch.tensor([0.0, 2.5, 1.0]).to(kind), 0, -128, 127, I8)
    for dtype in (F16, BF16):
        c(Q.quantize_per_channel.default, r(3, 4, 2, dtype=dtype), torch.rand(4), torch.tensor([0, 1, 2, 3]), 1, -128, 127, I8)
    y = r(2, 3, 4)
    for axis in (0, 1, 2, -1, -2, 3):
        size = y.shape[axis] if axis < 3 else 2
        c(Q.quantize_per_channel.default, y, torch.rand(size), torch.arange(size), axis, -128, 127, I8)
        c(Q.dequantize_per_channel.default, r(2, 3, 4, dtype=I8, lo=-128, hi=127), torch.rand(size), torch.arange(size), axis, -128, 127, I8)
    for shape in ((0, 3), (3, 0), (2, 3, 0)):
        c(Q.quantize_per_channel.default, r(*shape), torch.rand(shape[1]), torch.zeros(shape[1], dtype=I64), 1, -128, 127, I8)
        c(Q.dequantize_per_channel.default, r(*shape, dtype=I8), torch.rand(shape[1]), torch.zeros(shape[1], dtype=I64), 1, -128, 127, I8)
    c(Q.quantize_per_channel.default, r(4, 6).t(), torch.rand(4), torch.arange(4), 1, -128, 127, I8)
    c(Q.quantize_per_channel.default, r(2, 3, 2, 2).to(memory_format=torch.channels_last), torch.rand(3), torch.arange(3), 1, -128, 127, I8)
    c(Q.quantize_per_channel.default, r(3, 4), torch.rand(1), torch.zeros(1, dtype=I64), 0, -128, 127, I8)
    for bad in ((r(3, 4, dtype=F64), torch.rand(3), torch.arange(3), 0, -128, 127, I8), (r(3, 4), torch.rand(2), torch.arange(2), 0, -128, 127, I8), (r(3, 4), torch.rand(3), torch.arange(2), 0, -128, 127, I8),
                (r(3, 4), torch.rand(3), torch.arange(3), 0, -129, 127, I8), (r(3, 4), torch.rand(3), torch.arange(3), 0, 0, 255, I64), (r(3, 4), torch.rand(3, 1), torch.arange(3), 0, 0, 255, U8)):
        c(Q.quantize_per_channel.default, *bad)
    for dtype in ENDS:
        values = whole(dtype)[-11:].repeat(3, 1)
        for kind in (F32, F64, F16, BF16):
            for out in (None, F16, BF16, F64):
                kwargs = {} if out is None else {"out_dtype": out}
                c(Q.dequantize_per_channel.default, values, torch.tensor([0.1, 0.0235, 0.7], dtype=kind), torch.tensor([0, 3, -7]), 0, *ENDS[dtype], dtype, **kwargs)
        c(Q.dequantize_per_channel.default, values, torch.tensor([0.1, 0.0235, 0.7]), None, 0, *ENDS[dtype], dtype)
        c(Q.dequantize_per_channel.default, values, torch.tensor([0.0, INF, NAN]), torch.tensor([1, 2, 3], dtype=I32), 0, *ENDS[dtype], dtype)
        for zeros in (I8, U8, I32, F32):
            c(Q.dequantize_per_channel.default, values, torch.tensor([0.1, 0.0235, 0.7]), torch.tensor([1, 2, 100]).to(zeros), 0, *ENDS[dtype], dtype)
    c(Q.dequantize_per_channel.default, r(3, 4, dtype=I8), torch.rand(3), torch.arange(3), 0, 0, 255, U8)
    c(Q.dequantize_per_channel.default, r(3, 4, dtype=I8), torch.rand(3), torch.arange(3), 0, -129, 127, I8)
    c(Q.dequantize_per_channel.default, r(3, 4, dtype=I8), torch.rand(2), None, 0, -128, 127, I8)


def tokens(c):
    x = torch.stack([hard()[:13], hard()[13:26], ties(0.1)[:13]])
    scales, zeros = torch.tensor([[0.1], [0.5], [0.3]]), torch.tensor([[0], [3], [-1]])
    for dtype, (low, high) in ENDS.items():
        for kind in (F32, F64, F16, BF16):
            c(Q.quantize_per_token.default, x, scales.to(kind), zeros, low, high, dtype)
            c(Q.quantize_per_token.default, x, scales.to(kind), zeros.to(F32) + 0.25, low, high, dtype)
            c(Q.dequantize_per_token.default, whole(dtype)[-11:].repeat(3, 1), scales.to(kind), zeros, low, high, dtype, F32)
            c(Q.dequantize_per_token.default, whole(dtype)[-11:].repeat(3, 1), scales.to(kind), zeros.to(F32), low, high, dtype, F16)
        c(Q.quantize_per_token.default, x, torch.tensor([[0.0], [INF], [NAN]]), zeros, low, high, dtype)
        c(Q.dequantize_per_token.default, whole(dtype)[-11:].repeat(3, 1), torch.tensor([[0.0], [INF], [NAN]]), zeros.to(I8), low, high, dtype, F32)
    for dtype in (F16, BF16, F64):
        c(Q.quantize_per_token.default, x.to(dtype), scales, zeros, -128, 127, I8)
        c(Q.quantize_per_token.default, x.to(dtype), scales.to(dtype), zeros.to(dtype), -128, 127, I8)
        c(Q.dequantize_per_token.default, r(3, 4, dtype=I8), scales, zeros, -128, 127, I8, dtype)
    c(Q.quantize_per_token.default, r(2, 3, 4), torch.rand(2, 3, 1), torch.zeros(2, 3, 1, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(4, dtype=I32), torch.rand(1), torch.zeros(1, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(2, 0), torch.rand(2, 1), torch.zeros(2, 1, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(0, 2), torch.rand(0, 1), torch.zeros(0, 1, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(3, 4), torch.rand(2, 1), torch.zeros(2, 1, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(3, 4), torch.rand(3, 1), torch.zeros(2, 1, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(3, 4), torch.rand(3), torch.zeros(3, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(3, 3), torch.rand(3), torch.zeros(3, dtype=I64), -128, 127, I8)
    c(Q.quantize_per_token.default, r(3, 4), torch.rand(3, 1), torch.zeros(3, 1, dtype=I64), -129, 127, I8)
    c(Q.dequantize_per_token.default, r(0, 2, dtype=I8), torch.rand(0, 1), torch.zeros(0, 1, dtype=I64), -128, 127, I8, F32)
    c(Q.dequantize_per_token.default, r(3, 4, dtype=U8, lo=0), torch.rand(3, 1), torch.zeros(3, 1, dtype=I64), -128, 127, I8, F32)


def groups(c):
    x = torch.stack([ties(0.1)[:12], torch.tensor(HARD[5:17]).nan_to_num(), r(12)])
    scales, zeros = torch.rand(3, 3) + 0.01, torch.randint(-4, 5, (3, 3))
    for dtype, (low, high) in ENDS.items():
        for kind in (F32, F64, F16, BF16):
            c(Q.quantize_per_channel_group.default, x, scales.to(kind), zeros, low, high, dtype, 4)
            c(Q.dequantize_per_channel_group.default, whole(dtype)[-8:].repeat(3, 1), scales.to(kind)[:, :2], zeros[:, :2].contiguous(), low, high, dtype, 4, F32)
        c(Q.quantize_per_channel_group.default, x, torch.zeros(3, 3), zeros, low, high, dtype, 4)
        c(Q.dequantize_per_channel_group.default, whole(dtype)[-8:].repeat(3, 1), scales[:, :2], None, low, high, dtype, 4, BF16)
    for zero in (I8, I32, F32):
        c(Q.quantize_per_channel_group.default, x, scales, (zeros + 0.25).to(zero), -8, 7, I8, 4)
        c(Q.dequantize_per_channel_group.default, r(3, 12, dtype=I8, lo=-8, hi=7), scales, (zeros + 0.25).to(zero), -8, 7, I8, 4, F16)
    for dtype in (F16, BF16, F64):
        c(Q.quantize_per_channel_group.default, x.to(dtype), scales, zeros, -8, 7, I8, 4)
        c(Q.quantize_per_channel_group.default, x.to(dtype), scales.to(dtype), zeros, -8, 7, I8, 6)
    c(Q.quantize_per_channel_group.default, r(3, 6), torch.rand(3, 1), torch.zeros(3, 1, dtype=I64), -8, 7, I8, 128)
    c(Q.dequantize_per_channel_group.default, r(3, 6, dtype=I8), torch.rand(3, 1), torch.zeros(3, 1, dtype=I64), -8, 7, I8, 128, F32)
    c(Q.quantize_per_channel_group.default, r(0, 4), torch.rand(0, 2), torch.zeros(0, 2, dtype=I64), -8, 7, I8, 2)
    for bad in ((hard().reshape(2, 13), torch.rand(2, 1), torch.zeros(2, 1), -8, 7, I8, 13), (r(3, 6), torch.rand(3, 2), torch.zeros(3, 2), -8, 7, I8, 4), (r(3, 6), torch.rand(3, 6), torch.zeros(3, 6), -8, 7, I8, 1),
                (r(2, 3, 4), torch.rand(6, 2), torch.zeros(6, 2), -8, 7, I8, 2), (r(3, 6), torch.rand(3, 2), torch.zeros(3, 2), -8, 7, I8, 2), (r(3, 6), torch.rand(3, 2), torch.zeros(3, 2), -8, 7, I8, 8)):
        c(Q.quantize_per_channel_group.default, *bad)
        c(Q.dequantize_per_channel_group.default, torch.zeros(bad[0].shape, dtype=I8), *bad[1:], F32)


def parameters(c):
    inputs = [r(3, 4), r(3, 4) * 1e-9, r(3, 4).abs(), -r(3, 4).abs(), torch.zeros(3), torch.tensor([NAN, 1.0]), torch.tensor([INF, 1.0]), torch.tensor([-INF, 1.0]), torch.tensor([INF, -INF]), torch.tensor([3e38, -3e38]),
              torch.tensor(2.5), r(4, 6).t(), r(3, 4, dtype=F16), r(3, 4, dtype=BF16), torch.tensor([1e-42, -1e-43]), torch.zeros(0), torch.tensor([0.1, 25.5 / 2]), r(64) * 37, torch.full((2,), 65504.0, dtype=F16), torch.tensor([65504.0, -65504.0], dtype=F16)]
    for x in inputs:
        for dtype, low, high in ((I8, -128, 127), (U8, 0, 255), (I8, -127, 127), (I16, -(2**15), 2**15 - 1), (I32, -(2**31), 2**31 - 1), (I8, -8, 7), (U8, 0, 127), (U8, 3, 200)):
            for eps in (1e-5, 2**-23) if dtype == I8 and low == -128 else (1.1920928955078125e-07,):
                c(Q.choose_qparams.tensor, x, low, high, eps, dtype)
                c(Q.choose_qparams_symmetric.tensor, x, low, high, eps, dtype)
    for bad in ((r(3, dtype=F64), -128, 127, 1e-5, I8), (r(3, dtype=I32), -128, 127, 1e-5, I8), (r(3), 127, -128, 1e-5, I8), (r(3), 5, 5, 1e-5, I8), (r(3), -128, 127, 1e-5, I64), (r(3), 1, 127, 1e-5, I8), (r(3), -128, -1, 1e-5, I8), (r(3), 0, 255, 1e-5, I8)):
        c(Q.choose_qparams.tensor, *bad)
        c(Q.choose_qparams_symmetric.tensor, *bad)
    rows = [r(3, 4), r(2, 3, 4), r(5), torch.stack([torch.tensor(HARD[i:i + 2]) for i in range(0, 26, 2)]), torch.zeros(2, 3), -r(3, 4).abs(), r(3, 4).abs(), r(3, 4, dtype=F16), r(3, 4, dtype=BF16), r(3, 4, dtype=F64), r(3, 4, dtype=I32), r(4, 6).t(),
            r(0, 3), r(3, 0), torch.tensor([[65504.0, -65504.0]], dtype=F16), torch.tensor([[1e-42], [-1e-43]]), r(8, 16) * 37, hard(BF16).reshape(13, 2), hard(F16).reshape(13, 2)]
    for x in rows:
        for dtype in (I8, U8):
            c(Q.choose_qparams_per_token.default, x, dtype)
            c(Q.choose_qparams_per_token_asymmetric.default, x, dtype)
            c(Q._choose_qparams_per_token_asymmetric_impl.default, x, dtype)


def fakes(c):
    x = torch.stack([hard()[:12], hard()[12:24], ties(0.1)[:12]])
    for low, high in ((-128, 127), (0, 255), (-8, 7), (5, 2), (-(2**31), 2**31 - 1)):
        for zeros in (torch.tensor([0, 3, 1]), torch.tensor([0, 3, -1], dtype=I32), torch.tensor([0.5, 2.75, -1.0])):
            c(Q.fake_quant_per_channel.default, x, torch.tensor([0.1, 0.5, 0.3]), zeros, 0, low, high)
    c(Q.fake_quant_per_channel.default, x, torch.tensor([0.1, 0.5, 0.3], dtype=F64), torch.tensor([0, 3, 1]), 0, -128, 127)
    c(Q.fake_quant_per_channel.default, x, torch.tensor([0.0, INF, NAN]), torch.tensor([0, 3, 1]), 0, -128, 127)
    c(Q.fake_quant_per_channel.default, x, torch.tensor([1e-40, -0.5, 1e30]), torch.tensor([0, 3, 1]), 0, -128, 127)
    for axis in (0, 1, 2, 3):
        size = (2, 3, 4)[axis] if axis < 3 else 2
        c(Q.fake_quant_per_channel.default, r(2, 3, 4), torch.rand(size), torch.arange(size), axis, -8, 7)
    c(Q.fake_quant_per_channel.default, r(3, 4, dtype=F16), torch.rand(3), torch.arange(3), 0, -8, 7)
    c(Q.fake_quant_per_channel.default, r(3, 4), torch.rand(2), torch.arange(2), 0, -8, 7)
    c(Q.fake_quant_per_channel.default, r(3, 4), torch.rand(1), torch.arange(1), 0, -8, 7)
    c(Q.fake_quant_per_channel.default, r(0, 4), torch.rand(4), torch.arange(4), 1, -8, 7)
    for source in (F32, F16, BF16, F64, I8, U8, I32, I64, torch.bool):
        value = r(3, 4).to(source) if source != U8 else r(3, 4, dtype=U8, lo=0, hi=255)
        for target in (F32, F16, I8, U8, I32, torch.bool):
            c(getattr(Q.convert_element_type, "no_fuse"), value, target)
    c(getattr(Q.convert_element_type, "no_fuse"), r(4, 6).t(), F16)
    c(getattr(Q.convert_element_type, "no_fuse"), r(4, 6).t(), F32)
    c(getattr(Q.convert_element_type, "no_fuse"), r(0, 3), F16)
    for dtype in (F32, F16, BF16, F64):
        for scale, zero, low, high in ((0.1, 0, -128, 127), (0.5, 5, 0, 255), (1 / 3, -3, -8, 7), (0.0, 0, -128, 127), (1e-40, 0, -128, 127), (INF, 0, -128, 127), (NAN, 0, -128, 127), (-0.5, 1, 0, 15)):
            c(A.fake_quantize_per_tensor_affine.default, hard(dtype), scale, zero, low, high)
            c(A.fake_quantize_per_tensor_affine_cachemask.default, hard(dtype), scale, zero, low, high)
            c(A.fake_quantize_per_tensor_affine.tensor_qparams, hard(dtype), torch.tensor(scale), torch.tensor(zero, dtype=I32), low, high)
        c(A.fake_quantize_per_tensor_affine.default, ties(0.1, dtype), 0.1, 0, -128, 127)
        c(A._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default, ties(0.1, dtype), torch.tensor(0.1), torch.tensor(3, dtype=I32), torch.tensor([1]), -8, 7)
        c(A._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default, ties(0.1, dtype), torch.tensor(0.1), torch.tensor(3, dtype=I32), torch.tensor([0]), -8, 7)
        for zeros in (torch.tensor([0, 3, -1], dtype=I32), torch.tensor([0.25, 3, -1.5]), torch.tensor([0.25, 3, -1.5], dtype=F16)):
            c(A.fake_quantize_per_channel_affine.default, x.to(dtype), torch.tensor([0.1, 0.5, 0.3]), zeros, 0, -128, 127)
            c(A.fake_quantize_per_channel_affine_cachemask.default, x.to(dtype), torch.tensor([0.0, INF, NAN]), zeros, 0, -128, 127)
    for bad in ((r(3), 0.1, 9, -8, 7), (r(3), 0.1, 0, 7, -8), (r(3, dtype=I32), 0.1, 0, -8, 7), (r(0), 0.1, 0, -8, 7)):
        c(A.fake_quantize_per_tensor_affine.default, *bad)


def affine(c):
    x = torch.stack([hard()[:12], hard()[12:24], ties(0.1)[:12], r(12)])
    blocks = {"tensor": ([4, 12], ()), "row": ([1, 12], (4,)), "column": ([4, 1], (12,)), "group": ([1, 4], (4, 3)), "tile": ([2, 3], (2, 4)), "element": ([1, 1], (4, 12))}
    for name, (block, shape) in blocks.items():
        scales = torch.rand(shape) + 0.01
        zeros = torch.randint(-4, 5, shape)
        for dtype, (low, high) in ENDS.items():
            c(T.quantize_affine.default, x, block, scales, zeros.to(I32), dtype)
            c(T.dequantize_affine.default, whole(dtype)[-12:].repeat(4, 2)[:, :12].contiguous(), block, scales, zeros.to(I32), dtype, low, high)
        c(T.quantize_affine.default, x, block, scales, zeros.to(I8), I8, -8, 7)
        c(T.quantize_affine.default, x, block, scales, None, I8)
        c(T.dequantize_affine.default, r(4, 12, dtype=I8), block, scales, None, I8, -8, 7)
        for out in (F32, F16, BF16, F64):
            c(T.dequantize_affine.default, r(4, 12, dtype=I8), block, scales, zeros.to(I8), I8, -8, 7, out)
            c(T.dequantize_affine.default, r(4, 12, dtype=I8), block, scales.to(BF16), zeros.to(F32), I8, output_dtype=out)
        for mapping in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
            for source in (x, r(4, 12), r(4, 12, dtype=F16), r(4, 12, dtype=BF16), -r(4, 12).abs(), torch.zeros(4, 12)):
                c(T.choose_qparams_affine.default, source, mapping, block, I8)
            c(T.choose_qparams_affine.default, r(4, 12), mapping, block, I8, -8, 7, 1e-5, F64, I32, True)
            c(T.choose_qparams_affine.default, r(4, 12), mapping, block, U8, None, None, None, F16, I8)
            c(T.choose_qparams_affine.default, r(4, 12, dtype=BF16), mapping, block, I32, eps=1e-5, zero_point_dtype=I64)
            c(T.choose_qparams_affine.default, r(4, 12), mapping, block, E4, None, None, None, F32, F32)
    for dtype in (F16, BF16):
        c(T.quantize_affine.default, x.to(dtype), [1, 4], torch.rand(4, 3) + 0.01, torch.zeros(4, 3, dtype=I32), I8)
        c(T.quantize_affine.default, x.to(dtype), [1, 4], (torch.rand(4, 3) + 0.01).to(dtype), torch.zeros(4, 3, dtype=dtype), I8)
    c(T.quantize_affine.default, r(4, 12), [1, 4], torch.rand(4, 3), torch.zeros(4, 3), E4)
    c(T.quantize_affine.default, r(2, 3, 4), [1, 3, 2], torch.rand(2, 1, 2), torch.zeros(2, 1, 2, dtype=I32), U8)
    c(T.quantize_affine.default, x, [1, 12], torch.tensor([0.0, INF, NAN, -0.5]), torch.zeros(4, dtype=I32), I8)
    c(T.quantize_affine.default, r(0, 4), [1, 4], torch.rand(0), torch.zeros(0, dtype=I32), I8)
    c(T.quantize_affine.default, r(3, 0), [1, 1], torch.rand(3, 0), torch.zeros(3, 0, dtype=I32), I8)
    c(T.dequantize_affine.default, r(0, 4, dtype=I8), [1, 4], torch.rand(0), None, I8)
    for bad in ((r(4, 12), [1, 5], torch.rand(4), torch.zeros(4), I8), (r(4, 12), [12], torch.rand(4), torch.zeros(4), I8), (r(4, 12), [1, 12], torch.rand(5), torch.zeros(4), I8), (r(4, 12), [1, 12], torch.rand(4), torch.zeros(4), I64),
                (r(4, 12), [1, 12], torch.rand(4), torch.zeros(4), I8, -129), (r(4, 12), [1, 12], torch.rand(4), torch.zeros(4), I8, None, 128), (r(4, 12, dtype=F64), [1, 12], torch.rand(4), torch.zeros(4), I8), (r(4, 6).t(), [1, 2], torch.rand(6, 2), torch.zeros(6, 2), I8)):
        c(T.quantize_affine.default, *bad)
        c(T.dequantize_affine.default, torch.zeros(bad[0].shape, dtype=I8), *bad[1:])
        c(T.choose_qparams_affine.default, bad[0], "ASYMMETRIC", bad[1], *bad[4:])
    c(T.dequantize_affine.default, r(4, 12, dtype=U8, lo=0), [1, 12], torch.rand(4), None, I8)
    c(T.choose_qparams_affine.default, r(4, 12), "OTHER", [1, 12], I8)
    c(T.choose_qparams_affine.default, r(4, 12, dtype=I32), "SYMMETRIC", [1, 12], I8)
    c(T.choose_qparams_affine.default, r(0, 12), "SYMMETRIC", [1, 12], I8)
    c(T.choose_qparams_affine.default, r(4, 0), "SYMMETRIC", [1, 1], I8)


def products(c):
    for m, k, n in ((3, 16, 16), (1, 5, 8), (0, 8, 8), (2, 200, 4)):
        for a, b in ((I8, I8), (U8, I8), (U8, U8), (I8, U8)):
            c(A._int_mm.default, r(m, k, dtype=a, lo=0 if a == U8 else -128, hi=255 if a == U8 else 127), r(k, n, dtype=b, lo=0 if b == U8 else -128, hi=255 if b == U8 else 127))
    c(A._int_mm.default, r(4, 3, dtype=I8).t(), r(5, 4, dtype=I8).t())
    for bad in ((r(3, 4, dtype=I8), r(5, 3, dtype=I8)), (r(3, 4, dtype=I8), r(4, 3, dtype=I32)), (r(3, 4), r(4, 3)), (r(3, dtype=I8), r(3, 3, dtype=I8))):
        c(A._int_mm.default, *bad)
    for dtype in (F32, F16, BF16):
        c(A._weight_int8pack_mm.default, r(3, 16, dtype=dtype), r(8, 16, dtype=I8, lo=-8, hi=8), torch.rand(8).to(dtype))
        c(A._weight_int8pack_mm.default, r(1, 32, dtype=dtype), r(32, 32, dtype=I8, lo=-8, hi=8), torch.rand(32).to(dtype))
    for bad in ((r(3, 16), r(8, 15, dtype=I8), torch.rand(8)), (r(3, 16), r(8, 16), torch.rand(8)), (r(3, 16), r(8, 16, dtype=I8), torch.rand(7)), (r(3, 16, dtype=F64), r(8, 16, dtype=I8), torch.rand(8))):
        c(A._weight_int8pack_mm.default, *bad)
    for rows, columns in ((16, 4), (32, 2), (48, 2), (64, 2), (80, 6), (144, 4), (0, 4), (16, 0)):
        c(A._convert_weight_to_int4pack_for_cpu.default, torch.randint(0, 16, (rows, columns), dtype=I32), 2)
    c(A._convert_weight_to_int4pack_for_cpu.default, torch.randint(-20, 300, (64, 4), dtype=I32), 1)
    c(A._convert_weight_to_int4pack_for_cpu.default, torch.randint(0, 16, (4, 16), dtype=I32).t(), 1)
    for bad in (r(16, 4), torch.zeros(16, dtype=I32), torch.zeros(8, 4, dtype=I32), torch.zeros(16, 3, dtype=I32)):
        c(A._convert_weight_to_int4pack_for_cpu.default, bad, 2)
    for dtype in (F32, F16, BF16):
        for rows, columns, group in ((1, 32, 32), (3, 64, 32), (4, 64, 64), (5, 64, 32)):
            w = torch.ops.aten._convert_weight_to_int4pack_for_cpu(torch.randint(0, 16, (16, columns), dtype=I32), 2)
            c(A._weight_int4pack_mm_for_cpu.default, r(rows, columns, dtype=dtype), w, group, r(columns // group, 16, 2, dtype=dtype))
    w = torch.randint(0, 256, (16, 16), dtype=U8)
    for bad in ((r(2, 32), w, 16, r(2, 16, 2)), (r(2, 64), w, 32, r(2, 16, 2)), (r(2, 32), w.to(I8), 32, r(1, 16, 2)), (r(2, 32), w, 32, r(1, 16)), (r(2, 32), w, 32, r(1, 8, 2)), (r(2, 32, dtype=F64), w, 32, r(1, 16, 2)), (r(2, 32, dtype=BF16), w, 32, r(1, 16, 2))):
        c(A._weight_int4pack_mm_for_cpu.default, *bad)
    for n, k, block in ((4, 32, 32), (6, 64, 64), (4, 64, 32), (3, 128, 64), (2, 10, 10)):
        q, s, b = torch.randint(0, 256, (n * k // 2,), dtype=U8), torch.rand(n * (k // block)) / 100, r(n)
        for dtype in (F32, BF16):
            c(A._dyn_quant_pack_4bit_weight.default, q, s.to(dtype), None, block, k, n)
            c(A._dyn_quant_pack_4bit_weight.default, q, s.to(dtype), b, block, k, n)
        p, pb = torch.cat([q.float(), s]), torch.cat([q.float(), s, b])
        for dtype in (F32, BF16):
            for x in (r(3, k, dtype=dtype), r(2, k, dtype=dtype).abs() * 40, -r(2, k, dtype=dtype).abs(), torch.zeros(1, k, dtype=dtype), r(5, k, dtype=dtype) * 1e-3):
                c(A._dyn_quant_matmul_4bit.default, x, p, block, k, n)
            c(A._dyn_quant_matmul_4bit.default, r(3, k, dtype=dtype), pb, block, k, n)
        hardest = torch.cat([hard(), hard(), hard(), hard(), hard()])[:k].repeat(1, 1)
        c(A._dyn_quant_matmul_4bit.default, hardest, p, block, k, n)
        c(A._dyn_quant_matmul_4bit.default, r(0, k), p, block, k, n)
    c(A._dyn_quant_matmul_4bit.default, r(2, 32, dtype=F16), p, 32, 32, 4)
    c(A._dyn_quant_matmul_4bit.default, r(2, 64), torch.rand(64), 16, 64, 2)


PARTS = (products, affine, quantize_tensors, quantize_tensor_forms, dequantize_tensors, channels, tokens, groups, parameters, fakes)
