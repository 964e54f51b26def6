"""Arguments of indexing, padding, products, sorted searches and quantization, which have to fit each other."""

import math

import torch
from arguments import Unknown, any_dtype
from neural_arguments import dimensions, family, maker
from values import (
    DRAW,
    FLOATS,
    INTS,
    WIDE,
    broadcastable,
    chance,
    float_dtype,
    numbers,
    pick,
    places,
    risky_places,
    scalar,
    several,
    sizes,
)

LAYOUTS = ("plain", "permuted", "spaced", "offset")


@maker("constant_pad_nd")
def constant_pad(program, name, overload):
    shape = sizes(pick(1, 2, 3), 1, 5)
    padding = several(2 * DRAW.randint(1, len(shape)), 0, 1, 2, -1, -1)
    return [program.input(shape, any_dtype(program)), padding, scalar()], {}


@maker(*family("reflection_pad{}d"), *family("replication_pad{}d"), "_pad_circular")
def mirror_pad(program, name, overload):
    is_circular = name == "_pad_circular"
    n = pick(1, 2, 3) if is_circular else dimensions(name)
    dtype = pick(*[float_dtype()] * 3, torch.int64, torch.complex64, torch.int8, torch.bool)
    lead = [2, 1] if is_circular else pick([1], [2, 1])
    return [program.input(lead + sizes(n, 2, 5), dtype), several(2 * n, 0, 1, 2, -1, 3)], {}


@maker("pad")
def pad(program, name, overload):
    n = pick(1, 2, 3)
    values = program.input([2, 1] + sizes(n, 2, 4), pick(*[float_dtype()] * 3, torch.int32))
    return [values, several(2 * n, 0, 1, 2, -1), pick("reflect", "replicate", "circular", "constant"), None], {}


@maker("searchsorted", "bucketize")
def sorted_search(program, name, overload):
    is_search, dtype = name == "searchsorted", pick(*FLOATS, *INTS)
    mode = pick("normal", "ties")

    def ordered(shape, kind):
        return torch.sort(numbers(shape, kind, mode), -1)[0]

    flat = not is_search or chance(0.4)
    steps = program.input([pick(0, 1, 3, 5)] if flat else [2, 4], dtype, fill=ordered, layout="plain")
    keywords = {"right": chance(0.5), "out_int32": chance(0.3)}
    if "Scalar" in overload:
        wanted = scalar()
    else:
        wanted = program.input([2, 3] if not flat or chance(0.6) else [], dtype if chance(0.8) else any_dtype(program))
    if is_search and chance(0.4):
        keywords["side"] = pick("left", "right")
        keywords["right"] = keywords["side"] == "right" and chance(0.8)
    return ([steps, wanted] if is_search else [wanted, steps]), keywords


@maker("histc")
def histc(program, name, overload):
    values = program.input(sizes(2, 1, 5), pick(*WIDE, torch.int64))
    return [values, pick(1, 3, 10), pick(0, -1, -3), pick(0, 2, 3)], {}


@maker("bincount")
def bincount(program, name, overload):
    count = pick(0, 5, 8)
    values = program.input([count], pick(*INTS), mode=pick("positive", "normal"))
    weights = program.input([count], pick(float_dtype(), torch.int64)) if chance(0.5) else None
    return [values, weights, pick(0, 3, 9)], {}


@maker("im2col")
def im2col(program, name, overload):
    images = program.input([2, 1] + sizes(2, 3, 6), pick(float_dtype(), torch.complex64))
    return [images, several(2, 1, 2, 3), several(2, 1, 2), several(2, 0, 1), several(2, 1, 2)], {}


@maker("col2im")
def col2im(program, name, overload):
    out, stride, padding = sizes(2, 3, 5), pick(1, 2), pick(0, 1)
    columns = math.prod((size + 2 * padding - 2) // stride + 1 for size in out)
    return [program.input([2, 8, columns], float_dtype()), out, [2, 2], [1, 1], [padding] * 2, [stride] * 2], {}


@maker("pixel_shuffle", "pixel_unshuffle", "channel_shuffle")
def shuffle(program, name, overload):
    return [program.input([2, 4, 4, 2], any_dtype(program)), 2], {}


@maker("fake_quantize_per_tensor_affine", "fake_quantize_per_tensor_affine_cachemask")
def fake_quantize(program, name, overload):
    if overload not in ("", "default"):
        raise Unknown(overload)
    values = program.input(sizes(2, 1, 4), float_dtype())
    return [values, pick(0.1, 0.5, 1.0), pick(0, 3, -5, 10), pick(-128, 0), pick(127, 255)], {}


@maker("fake_quantize_per_channel_affine", "fake_quantize_per_channel_affine_cachemask")
def fake_quantize_channels(program, name, overload):
    scales = program.input([3], torch.float32, mode="positive", layout="plain")
    zeros = program.input([3], torch.int32, mode="positive", layout="plain")
    return [program.input([3, 2], pick(*WIDE)), scales, zeros, 0, 0, 255], {}


@maker("renorm")
def renorm(program, name, overload):
    values = program.input(sizes(pick(2, 3), 1, 4), float_dtype())
    return [values, pick(1.0, 2.0, 0.5, math.inf, 3.0), pick(0, 1, -1), pick(1.0, 0.0, 0.5)], {}


@maker("cdist", "_cdist_forward")
def cdist(program, name, overload):
    dtype, rows = pick(*WIDE), pick(1, 2) if name == "cdist" else 2
    points = [program.input([2, pick(0, 2, 3), 2], dtype), program.input([rows, 3, 2], dtype)]
    return points + [pick(0.0, 1.0, 2.0, 3.0, math.inf, 0.5), pick(None, 0, 1, 2)], {}


@maker("index_put", "index_put_", "_unsafe_index_put")
def index_put(program, name, overload):
    dtype, shape, picked = any_dtype(program), sizes(pick(1, 2, 3), 1, 4), pick([2], [3], [2, 3], [])
    index = []
    for size in shape[: DRAW.randint(1, len(shape))]:
        kind, fill = pick(torch.int64, torch.int64, torch.int32), places(size, chance(0.5), chance(0.08))
        index.append(None if chance(0.2) else program.input(broadcastable(picked), kind, fill=fill))
    chosen = [slice(None) if ref is None else ref.value.clamp(-n, n - 1).long() for ref, n in zip(index, shape)]
    written = torch.zeros(shape)[tuple(chosen)].shape
    values = program.input(broadcastable(written), dtype)
    return [program.input(shape, dtype, layout=pick(*LAYOUTS)), index, values, chance(0.5)], {}


@maker("index_reduce", "index_reduce_")
def index_reduce(program, name, overload):
    values, dim, shape = written_dimension(program, overload)
    count, source = pick(1, 2, 4), list(shape)
    source[dim] = count
    index = program.input([count], pick(*INTS[:2]), fill=risky_places(shape[dim]))
    given = [values, dim, index, program.input(source, values.value.dtype), pick("prod", "mean", "amax", "amin")]
    return given, {"include_self": chance(0.5)}


@maker("scatter_reduce", "scatter_reduce_", "scatter", "scatter_", "scatter_add", "scatter_add_")
def scatter(program, name, overload):
    values, dim, shape = written_dimension(program, overload)
    picked = [max(0, size - pick(0, 0, 1)) for size in shape]
    picked[dim] = pick(1, 3, 5)
    index = program.input(picked, torch.int64, fill=risky_places(shape[dim]))
    source = program.input([size + pick(0, 1) for size in picked], values.value.dtype)
    if name.startswith("scatter_reduce"):
        kind = pick("sum", "prod", "mean", "amax", "amin")
        return [values, dim, index, source, kind], {"include_self": chance(0.5)}
    keywords = {"reduce": pick("add", "multiply")} if "reduce" in overload else {}
    return [values, dim, index, scalar() if "value" in overload else source], keywords


def written_dimension(program, overload):
    if "out" in overload:
        raise Unknown(overload)
    shape = sizes(pick(1, 2, 3), 1, 4)
    dim = DRAW.randrange(-len(shape), len(shape))
    return program.input(shape, any_dtype(program), layout=pick(*LAYOUTS)), dim, shape


@maker("as_strided", "as_strided_copy", "as_strided_scatter")
def as_strided(program, name, overload):
    values = program.input(sizes(2, 2, 4), any_dtype(program))
    shape = sizes(pick(0, 1, 2, 3), 1, 3)
    source = [program.input(shape, values.value.dtype)] if name.endswith("scatter") else []
    return [values, *source, shape, several(len(shape), 0, 1, 1, 2, 3), pick(None, 0, 1, 2)], {}


# The shapes of the operands of each product; n, m, k and b are drawn.
PRODUCTS = {
    "mm": ("nk", "km"),
    "bmm": ("bnk", "bkm"),
    "addmm": ("+nm", "nk", "km"),
    "baddbmm": ("+bnm", "bnk", "bkm"),
    "addbmm": ("+nm", "bnk", "bkm"),
    "addmv": ("+n", "nk", "k"),
    "addr": ("+nm", "n", "m"),
    "mv": ("nk", "k"),
    "dot": ("k", "k"),
    "vdot": ("k", "k"),
    "inner": ("nk", "mk"),
    "outer": ("n", "m"),
    "bilinear": ("nk", "nm", "2km"),
}
MATMULS = ("k", "k"), ("nk", "k"), ("k", "km"), ("bnk", "km"), ("nk", "bkm"), ("21nk", "bkm")


@maker(*PRODUCTS, "matmul", "linear")
def product(program, name, overload):
    if "out" in overload or "dtype" in overload:
        raise Unknown(overload)
    dtype = pick(*[float_dtype()] * 3, *INTS, torch.complex64)
    drawn = dict(zip("nmkb12", several(4, 0, 1, 2, 3, 4, 5, 9) + [1, 2]))

    def operand(letters):
        shape = [drawn[letter] for letter in letters.lstrip("+")]
        return program.input(broadcastable(shape) if letters[0] == "+" else shape, dtype)

    keywords = {}
    for factor in ("alpha", "beta") if "add" in name else ():
        if chance(0.5):
            keywords[factor] = pick(0.5, 2, 0.0, 1.7, 0) if dtype.is_floating_point else pick(0, 1, 2, -1)
    if name == "linear":
        bias = operand("m") if chance(0.5) else None
        return [operand(pick("k", "nk", "bnk")), operand("mk"), bias], {}
    letters = pick(*MATMULS) if name == "matmul" else PRODUCTS[name]
    return [operand(one) for one in letters] + ([None] if name == "bilinear" else []), keywords


@maker("roll")
def roll(program, name, overload):
    shape = sizes(pick(1, 2, 3), 0, 4)
    dims = [DRAW.randrange(-len(shape), len(shape)) for _ in range(DRAW.randint(0, len(shape)))]
    return [program.input(shape, any_dtype(program)), several(max(1, len(dims)), 0, 1, -1, 7, -9), dims], {}


@maker("unfold")
def unfold(program, name, overload):
    return [program.input(sizes(2, 3, 6), any_dtype(program)), pick(0, 1, -1), pick(1, 2, 3, 0), pick(1, 2, 3)], {}


@maker("unique_dim", "unique_consecutive", "_unique2", "_unique")
def unique(program, name, overload):
    shape, dtype = sizes(pick(1, 2), 1, 5), pick(*WIDE, *INTS, torch.bool)
    values = program.input(shape, dtype, mode=pick("ties", "positive", "ends"))
    if name == "unique_dim":
        return [values, pick(0, -1), True, chance(0.5), chance(0.5)], {}
    return [values] + [chance(0.7) for _ in range(3 if name == "_unique2" else 2)], {}
