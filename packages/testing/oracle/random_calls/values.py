"""Random tensors, with odd layouts and numbers at the ends of their dtypes, and random scalars."""

import math
import random

import torch

# The dtypes of the IR's texts.
NAMES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "b8",
    torch.complex64: "c64",
    torch.complex128: "c128",
    torch.uint16: "u16",
    torch.uint32: "u32",
    torch.uint64: "u64",
}
COMMON = list(NAMES)[:11]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
WIDE = FLOATS[:2]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]

DRAW = random.Random()


def chance(probability):
    return DRAW.random() < probability


def pick(*options):
    return DRAW.choice(options)


def several(count, *options):
    return [DRAW.choice(options) for _ in range(count)]


def sizes(count, low=3, high=7):
    return [DRAW.randint(low, high) for _ in range(count)]


class Ref:
    """A value of the program by its name."""

    def __init__(self, name, value):
        self.name, self.value = name, value


class Spec:
    """How an input is made; it is made anew for each run, in the same layout."""

    def __init__(self, shape, dtype, mode, fill, layout):
        self.shape, self.dtype, self.mode, self.fill, self.layout = list(shape), dtype, mode, fill, layout
        self.order = DRAW.sample(range(len(self.shape)), len(self.shape))

    def make(self, other_sizes=None):
        shape = [(other_sizes or {}).get(size, size) for size in self.shape]
        made = self.fill(shape, self.dtype) if self.fill else numbers(shape, self.dtype, self.mode)
        return self.laid_out(made.to(self.dtype), shape)

    def laid_out(self, made, shape):
        if self.layout == "permuted" and len(shape) > 1:
            return made.permute(self.order).contiguous().permute([self.order.index(d) for d in range(len(shape))])
        if self.layout == "spaced" and shape:
            return torch.zeros(shape[:-1] + [shape[-1] * 2], dtype=self.dtype)[..., ::2].copy_(made)
        if self.layout == "offset":
            return torch.zeros(made.numel() + 3, dtype=self.dtype)[3:].view(shape).copy_(made)
        if self.layout == "expanded" and shape and shape[0] > 1 and self.fill is None:
            return made[:1].contiguous().expand(shape)
        return made.contiguous()


def numbers(shape, dtype, mode):
    if dtype == torch.bool:
        return torch.rand(shape) > 0.5
    if dtype.is_complex:
        return torch.randn(shape, dtype=dtype)
    if dtype.is_floating_point:
        if mode == "ties":
            return torch.randint(-2, 3, shape).to(dtype)
        if mode == "positive":
            return (torch.rand(shape, dtype=torch.float64) * 0.98 + 0.01).to(dtype)
        made = (torch.randn(shape, dtype=torch.float64) * pick(1, 1, 3, 10)).to(dtype)
    elif mode == "positive":
        return torch.randint(0, 4, shape).to(dtype)
    else:
        made = torch.randint(0 if is_unsigned(dtype) else -3, 6, shape).to(dtype)
    return with_ends(made) if mode == "ends" else made


def is_unsigned(dtype):
    return not dtype.is_floating_point and not dtype.is_complex and dtype != torch.bool and torch.iinfo(dtype).min == 0


def with_ends(made):
    """Puts NaN, infinities, zeros of both signs, subnormals and the largest integers at a quarter of the places."""
    flat = made.reshape(-1)
    for _ in range(max(1, len(flat) // 4) if len(flat) else 0):
        at = DRAW.randrange(len(flat))
        if made.dtype.is_floating_point:
            large = 60000.0 if made.dtype == torch.float16 else 1e30
            flat[at] = pick(math.nan, math.inf, -math.inf, -0.0, 0.0, large, 1e-40, 0.5, -0.5, 1.5, 2.5, 1.0, -1.0)
        elif made.dtype in INTS:
            ends = torch.iinfo(made.dtype)
            flat[at] = pick(ends.min, ends.max, 0, 1, ends.max - 1, ends.min + 1, -1 if ends.min < 0 else 255)
    return flat.reshape(made.shape)


def places(bound, negative=True, outside=False):
    """Fills an index of a dimension of this size; `outside` allows one place beyond its end."""

    def fill(shape, _dtype):
        if bound <= 0:
            return torch.zeros(shape, dtype=torch.int64)
        return torch.randint(-bound if negative else 0, bound + (1 if outside else 0), shape)

    return fill


def risky_places(bound, negative=0.1):
    return places(bound, chance(negative), chance(0.1))


def broadcastable(shape):
    shape, drawn = list(shape), DRAW.random()
    if drawn < 0.6:
        return shape
    if drawn < 0.75:
        return shape[DRAW.randrange(len(shape) + 1) :]
    return [1 if chance(0.4) else size for size in shape] if drawn < 0.9 else []


def scalar():
    drawn = DRAW.random()
    if drawn < 0.35:
        return pick(0, 1, 2, 3, -1, -2, 5, 7)
    if drawn < 0.75:
        return pick(0.5, 1.5, -0.5, 2.0, 0.0, -1.0, 0.1, 1.7, 3.0)
    if drawn < 0.85:
        return pick(True, False)
    return pick(math.inf, -math.inf, math.nan, -0.0, 300, -129, 2**31, 1e10, 2**40, 65536, -(2**63))


def float_dtype():
    return pick(*[torch.float32] * 4, torch.float64, torch.float16, torch.bfloat16)
