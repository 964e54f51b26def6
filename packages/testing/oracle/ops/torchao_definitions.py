"""The three affine operators of torchao 0.19, by their published definitions (pytorch/ao, `torchao/quantization/quant_primitives.py`).

torchao is not installed beside the oracle, so that this file says again what its operators compute, with PyTorch's own kernels for each step. Schemas and
the dispatch key are torchao's: exports keep the operators, and `run_decompositions` with the default table lowers them.
"""
from typing import List, Optional, Tuple, Union

import torch
from torch._library.infer_schema import infer_schema

LIBRARY = torch.library.Library("torchao", "FRAGMENT")
Number = Optional[Union[int, float, bool]]
BITS = {getattr(torch, f"uint{n}"): (0, 2**n - 1) for n in range(1, 8)}
BOUNDS = {
    torch.uint8: (0, 255), torch.int8: (-128, 127), torch.int16: (-(2**15), 2**15 - 1), torch.int32: (-(2**31), 2**31 - 1), **BITS,
    **{getattr(torch, f"int{n}"): (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in range(1, 8)},
    **{kind: (torch.finfo(kind).min, torch.finfo(kind).max) for kind in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)},
}


def limits(dtype, low, high):
    if dtype not in BOUNDS:
        raise ValueError(f"Unsupported dtype: {dtype}")
    least, most = BOUNDS[dtype]
    low, high = least if low is None else low, most if high is None else high
    if low < least:
        raise AssertionError(f"quant_min out of bound for dtype, quant_min_lower_bound: {least} quant_min: {low}")
    if high > most:
        raise AssertionError(f"quant_max out of bound for dtype, quant_max_upper_bound: {most} quant_max: {high}")
    return low, high


def blocks(size, block):
    """The shape in which each block has dimensions of its own, and these dimensions."""
    if len(block) != len(size):
        raise AssertionError(f"Got input dim:{len(size)}, block_size: {list(block)}")
    shape, inner = [], []
    for d, (total, part) in enumerate(zip(size, block)):
        if part == total or part == 1:
            if part != 1:
                inner.append(len(shape))
            shape.append(total)
            continue
        if part > 1 and total % part != 0:
            raise AssertionError(f"Expecting input size at {d} dimension: {total} to be divisible by block_size at {d} dimension: {part}")
        shape += [total // part, part] if part > 1 else [total]
        if part > 1:
            inner.append(len(shape) - 1)
    return shape, inner


def _quantize_affine(input: torch.Tensor, block_size: List[int], scale: torch.Tensor, zero_point: Optional[torch.Tensor], output_dtype: torch.dtype,
                     quant_min: Number = None, quant_max: Number = None) -> torch.Tensor:
    low, high = limits(output_dtype, quant_min, quant_max)
    if input.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise AssertionError(f"Unsupported input dtype: {input.dtype}")
    size = input.shape
    shape, inner = blocks(size, block_size)
    parts = input.view(shape)
    one = [1 if d in inner else n for d, n in enumerate(shape)]
    scale = scale.view(one)
    # Without a zero point, and with one of no elements, torchao adds None.
    zero_point = zero_point.view(one) if zero_point is not None and zero_point.numel() > 0 else None
    return torch.clamp(torch.round(parts * (1.0 / scale)) + zero_point, low, high).view(size).to(torch.uint8 if output_dtype in BITS else output_dtype)


def _dequantize_affine(input: torch.Tensor, block_size: List[int], scale: torch.Tensor, zero_point: Optional[torch.Tensor], input_dtype: torch.dtype,
                       quant_min: Number = None, quant_max: Number = None, output_dtype: torch.dtype = torch.float32) -> torch.Tensor:
    if input_dtype not in BITS and input.dtype != input_dtype:
        raise AssertionError(f"Expected: {input_dtype}, got: {input.dtype}")
    if output_dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise AssertionError(f"Unsupported output dtype: {output_dtype}")
    limits(input_dtype, quant_min, quant_max)
    size = input.shape
    shape, inner = blocks(size, block_size)
    parts = input.view(shape)
    one = [1 if d in inner else n for d, n in enumerate(shape)]
    scale = scale.view(one)
    zero = None if zero_point is None else zero_point.view(one)
    value = parts.to(output_dtype, copy=True)
    if zero is not None:
        value = value - zero.to(output_dtype)
    return (value * scale).view(size).to(output_dtype)


def _choose_qparams_affine(input: Optional[torch.Tensor], mapping_type: str, block_size: List[int], target_dtype: torch.dtype, quant_min: Number = None,
                           quant_max: Number = None, eps: Optional[float] = None, scale_dtype: Optional[torch.dtype] = None,
                           zero_point_dtype: Optional[torch.dtype] = None, keepdim: bool = False) -> Tuple[torch.Tensor, torch.Tensor]:
    low, high = limits(target_dtype, quant_min, quant_max)
    if mapping_type not in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
        raise AssertionError(f"Unsupported mapping type: {mapping_type}")
    scale_dtype = input.dtype if scale_dtype is None else scale_dtype
    eps = torch.finfo(input.dtype).smallest_normal if eps is None else eps
    size = input.shape
    shape, inner = blocks(size, block_size)
    parts = input.view(shape)
    least, most = torch.amin(parts, dim=inner, keepdim=keepdim), torch.amax(parts, dim=inner, keepdim=keepdim)
    least, most = torch.min(least, torch.zeros_like(least)), torch.max(most, torch.zeros_like(most))
    if mapping_type == "ASYMMETRIC":
        scale = torch.clamp((most - least) / float(high - low), min=eps)
        zero = torch.clamp(low - torch.round(least / scale), low, high)
        zero_point_dtype = torch.int32 if zero_point_dtype is None else zero_point_dtype
    else:
        if mapping_type == "SYMMETRIC":
            scale = torch.max(-least, most) / (float(high - low) / 2)
        else:
            below, above = least / float(low), most / float(high)
            scale = torch.where(below > above, below, above)
        zero = torch.full_like(scale, int((high + low + 1) / 2))
        scale = torch.clamp(scale, min=eps)
    if keepdim:
        count = [n // part for n, part in zip(size, block_size)]
        scale, zero = scale.reshape(count), zero.reshape(count)
    return scale.to(dtype=scale_dtype, device=input.device), zero.to(dtype=zero_point_dtype)


for function in (_quantize_affine, _dequantize_affine, _choose_qparams_affine):
    name = function.__name__[1:]
    LIBRARY.define(name + infer_schema(function, mutates_args={}))
    LIBRARY.impl(name, function, "CompositeImplicitAutograd")
