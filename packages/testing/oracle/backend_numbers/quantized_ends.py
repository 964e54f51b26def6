"""Quantization of NaN, infinities and numbers beyond the integers of its steps."""

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401

A = torch.ops.aten
Q = torch.ops.quantized_decomposed
NAN, INF = float("nan"), float("inf")
X = torch.tensor([NAN, INF, -INF, 3e38, -3e38, 1e10, -1e10, 2.5, -2.5, 0.0, 3e9, -3e9, 127.4, 128.6, 1e18, -1e19])
COUNT = len(X)
STEPS = ((0.1, 0, -128, 127), (0.1, 5, 0, 255), (1.0, -3, -128, 127), (0.5, 0, 0, 15))


def simulated(record):
    for scale, zero, low, high in STEPS:
        zeros = torch.full((COUNT,), zero, dtype=torch.int32)
        one = torch.tensor(zero, dtype=torch.int32)
        scales = torch.full((COUNT,), scale)
        calls = {
            "tensor": lambda x: (torch.fake_quantize_per_tensor_affine(x, scale, zero, low, high), *A.fake_quantize_per_tensor_affine_cachemask(x, scale, zero, low, high)),
            "tensors": lambda x: torch.fake_quantize_per_tensor_affine(x, scales[0], one, low, high),
            "channels": lambda x: (torch.fake_quantize_per_channel_affine(x, scales, zeros, 0, low, high), *A.fake_quantize_per_channel_affine_cachemask(x, scales, zeros, 0, low, high)),
            "shifted channels": lambda x: torch.fake_quantize_per_channel_affine(x, scales, zeros + 0.25, 0, low, high),
        }
        for name, call in calls.items():
            record(f"fake_quantize {name} {scale} {zero}", call, (X,), (X.flip(0),))


def quantized(record):
    kinds = {torch.int8: (-128, 127), torch.uint8: (0, 255), torch.int16: (-(2**15), 2**15 - 1), torch.int32: (-(2**31), 2**31 - 1)}
    half, one = torch.tensor(0.5), torch.tensor(1)
    for dtype, (low, high) in kinds.items():
        ends = torch.tensor(low), torch.tensor(high)
        name = str(dtype).removeprefix("torch.")
        scales, zeros = torch.full((COUNT,), 0.5), torch.full((COUNT,), 1)
        record(f"quantize_per_tensor {name}", lambda x: (Q.quantize_per_tensor(x, 0.5, 1, low, high, dtype), Q.quantize_per_tensor.tensor(x, half, one, low, high, dtype), Q.quantize_per_tensor.tensor2(x, half, one, *ends, dtype)), (X,))
        record(f"quantize_per_channel {name}", lambda x: Q.quantize_per_channel(x, scales, zeros, 0, low, high, dtype), (X,))


def parameters(record):
    given = [(torch.tensor(values),) for values in ([1.0, NAN], [1.0, INF], [-INF, 1.0], [-INF, INF], [NAN, NAN], [3e38, -3e38], [INF, NAN], [1.5, -0.25])]
    for low, high, dtype in ((-128, 127, torch.int8), (0, 255, torch.uint8)):
        record(f"choose_qparams {dtype}", lambda x: (*Q.choose_qparams.tensor(x, low, high, 1e-5, dtype), *Q.choose_qparams_symmetric.tensor(x, low, high, 1e-5, dtype)), *given, rtol=1e-6)
    record("choose_qparams_per_token", lambda x: Q.choose_qparams_per_token_asymmetric(x[None], torch.int8), *given, rtol=1e-6)


def make(record):
    simulated(record)
    quantized(record)
    parameters(record)
