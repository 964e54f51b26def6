"""Arguments of layers and losses, whose tensors have to fit each other: convolutions, pools, norms, attention."""

import math

import torch
from values import DRAW, INTS, WIDE, chance, float_dtype, pick, places, risky_places, several, sizes

MAKERS = {}


def maker(*names):
    def add(function):
        for name in names:
            MAKERS[name] = function
        return function

    return add


def family(pattern, *dimensions):
    return [pattern.format(d) for d in dimensions or (1, 2, 3)]


def dimensions(name):
    return next((d for d in (1, 2, 3) if f"{d}d" in name), 2)


def maybe(tensor):
    """Often a tensor, else none; `tensor` makes it."""
    return tensor() if chance(0.6) else None


def mask():
    return [chance(0.8) for _ in range(3)]


def batch():
    return pick([1], [2, 1], [1, 2])


@maker("convolution")
def convolution(program, name, overload):
    n, dtype, groups, transposed = pick(1, 2, 2, 3), float_dtype(), pick(1, 1, 2), chance(0.4)
    into, out, kernel = groups * pick(1, 2), groups * pick(1, 2, 3), several(n, 1, 2, 3)
    shape = [pick(1, 2), into] + sizes(n)
    same = [ref for ref in program.tensors() if list(ref.value.shape) == shape and ref.value.dtype == dtype]
    images = DRAW.choice(same) if same and chance(0.5) else program.input(shape, dtype)
    weight = program.input(([into, out // groups] if transposed else [out, into // groups]) + kernel, dtype)
    bias = maybe(lambda: program.input([out], dtype))
    stride, padding, dilation = (several(pick(n, n, 1), *few) for few in ((1, 1, 2, 3), (0, 1, 2), (1, 1, 2)))
    added = several(pick(n, n, 1), 0, 0, 1) if transposed else [0] * n
    return [images, weight, bias, stride, padding, dilation, transposed, added, groups], {}


@maker("convolution_backward")
def convolution_backward(program, name, overload):
    n, dtype, groups, transposed = pick(1, 2, 2, 3), pick(*WIDE), pick(1, 1, 2), chance(0.4)
    into, out = groups * pick(1, 2), groups * pick(1, 2)
    shape = [pick(1, 2), into] + sizes(n)
    weight = ([into, out // groups] if transposed else [out, into // groups]) + several(n, 1, 2, 3)
    stride, padding, dilation = several(n, 1, 2, 3), several(n, 0, 1), several(n, 1, 1, 2)
    added = [pick(0, min(step - 1, 1)) if transposed else 0 for step in stride]
    rest = [stride, padding, dilation, transposed, added, groups]
    result = torch.ops.aten.convolution(torch.zeros(shape), torch.zeros(weight), None, *rest)
    wanted = mask()
    bias = [out] if wanted[2] else pick([out], None)
    tensors = [program.input(list(one), dtype) for one in (result.shape, shape, weight)]
    return tensors + [bias] + rest + [wanted], {}


def window(n):
    kernel = several(n, 1, 2, 3)
    return kernel, pick([], several(n, 1, 2, 3)), [DRAW.randint(0, size // 2) for size in kernel]


@maker(*family("max_pool{}d"), *family("max_pool{}d_with_indices"))
def max_pool(program, name, overload):
    n = dimensions(name)
    images = program.input(batch() + sizes(n), pick(*[float_dtype()] * 3, *INTS))
    return [images, *window(n), several(n, 1, 1, 2), chance(0.5)], {}


@maker(*family("avg_pool{}d"))
def avg_pool(program, name, overload):
    n = dimensions(name)
    images = program.input(batch() + sizes(n), pick(*[float_dtype()] * 4, torch.int64))
    divisor = [pick(1, 3, -2, 7)] if n > 1 and chance(0.5) else []
    return [images, *window(n), chance(0.5), chance(0.5)] + divisor, {}


@maker(*family("avg_pool{}d_backward", 2, 3))
def avg_pool_backward(program, name, overload):
    n, dtype = dimensions(name), float_dtype()
    shape, rest = [2, 1] + sizes(n), [*window(n), chance(0.5), chance(0.5), pick(None, 3, -2)]
    result = getattr(torch.ops.aten, f"avg_pool{n}d")(torch.zeros(shape), *rest)
    return [program.input(result.shape, dtype), program.input(shape, dtype)] + rest, {}


@maker("max_pool2d_with_indices_backward")
def max_pool_backward(program, name, overload):
    dtype, inner = float_dtype(), sizes(2)
    rest = [*window(2), several(2, 1, 2), chance(0.5)]
    result, _ = torch.ops.aten.max_pool2d_with_indices(torch.zeros([2, 1] + inner), *rest)
    gradient, images = program.input(result.shape, dtype), program.input([2, 1] + inner, dtype)
    return [gradient, images] + rest + [program.input(result.shape, torch.int64, fill=risky_places(math.prod(inner)))], {}


@maker("max_unpool2d", "max_unpool3d")
def max_unpool(program, name, overload):
    n = dimensions(name)
    shape, out = pick([1], [2, 1]) + [2, 2, 3][:n], several(n, 4, 5, 6)
    indices = program.input(shape, torch.int64, fill=risky_places(math.prod(out)))
    return [program.input(shape, float_dtype()), indices, out] + ([[2] * 3, [0] * 3] if n == 3 else []), {}


@maker(*family("adaptive_avg_pool{}d"), *family("_adaptive_avg_pool{}d", 2, 3), *family("adaptive_max_pool{}d"))
def adaptive_pool(program, name, overload):
    n = dimensions(name)
    return [program.input(batch() + sizes(n, 1), float_dtype()), several(n, 1, 2, 3, 5, 8, 0)], {}


@maker(*family("_adaptive_avg_pool{}d_backward", 2, 3))
def adaptive_pool_backward(program, name, overload):
    n, dtype = dimensions(name), float_dtype()
    return [program.input([2, 1] + sizes(n, 1, 4), dtype), program.input([2, 1] + sizes(n, 1, 7), dtype)], {}


NEAREST = (*family("upsample_nearest{}d"), *family("_upsample_nearest_exact{}d"))
LINEAR = ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d")


@maker(*NEAREST, *LINEAR, "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")
def upsample(program, name, overload):
    n, corners = dimensions(name), [] if "nearest" in name else [chance(0.5)]
    images = program.input(pick([1, 2], [2, 1]) + sizes(n, 1, 6), pick(*[float_dtype()] * 3, torch.uint8))
    out = sizes(n, 1, 9)
    if overload.startswith("vec"):
        by_scale = [images, None] + corners + [several(n, 0.5, 1.7, 2.0, 1.3, 3.0)]
        return (by_scale if chance(0.5) else [images, out] + corners + [None]), {}
    return [images, out] + corners + several(pick(0, n), None, 0.5, 2.0, 1.3, 0.77), {}


@maker(*(f"{name}_backward" for name in NEAREST + LINEAR))
def upsample_backward(program, name, overload):
    n, corners = dimensions(name), [] if "nearest" in name else [chance(0.5)]
    out, images = sizes(n, 1, 9), [2, 1] + sizes(n, 1, 6)
    return [program.input([2, 1] + out, float_dtype()), out, images] + corners + several(pick(0, n), None, 2.0, 1.3), {}


def grid(program, n, out, dtype):
    return program.input([2] + out + [n], dtype, mode=pick("normal", "ends", "ties", "positive"))


def grid_modes(n):
    return [pick(0, 1, 2) if n == 2 else pick(0, 1), pick(0, 1, 2), chance(0.5)]


@maker("grid_sampler", *family("grid_sampler_{}d", 2, 3))
def grid_sampler(program, name, overload):
    n, dtype = dimensions(name), pick(*WIDE)
    return [program.input([2, 1] + sizes(n, 1, 5), dtype), grid(program, n, sizes(n, 1, 4), dtype)] + grid_modes(n), {}


@maker(*family("grid_sampler_{}d_backward", 2, 3))
def grid_sampler_backward(program, name, overload):
    n, dtype = dimensions(name), pick(*WIDE)
    out = sizes(n, 1, 4)
    tensors = [program.input([2, 1] + out, dtype), program.input([2, 1] + sizes(n, 1, 5), dtype)]
    return tensors + [grid(program, n, out, dtype)] + grid_modes(n) + [[chance(0.8), True]], {}


@maker("affine_grid_generator")
def affine_grid(program, name, overload):
    n = pick(2, 3)
    return [program.input([2, n, n + 1], float_dtype()), [2, 1] + sizes(n, 1, 4), chance(0.5)], {}


@maker("scaled_dot_product_attention", "_scaled_dot_product_attention_math")
def attention(program, name, overload):
    dtype, lead, (length, keys, width, out) = float_dtype(), pick([1, 2], [2, 2], [2]), several(4, 1, 2, 3, 4)
    kind = pick("causal", "masked", "plain")
    tensors = [program.input(lead + shape, dtype) for shape in ([length, width], [keys, width], [keys, out])]
    bias = None
    if kind == "masked":
        shape = pick([length, keys], lead + [length, keys], [1, keys])
        bias = program.input(shape, pick(dtype, torch.bool), mode=pick("normal", "ends"))
    return tensors + [bias, 0.0, kind == "causal"], ({"scale": pick(0.5, 1.0, 0.0, -1.0)} if chance(0.4) else {})


@maker("native_layer_norm", "layer_norm")
def layer_norm(program, name, overload):
    dtype, shape = float_dtype(), sizes(3, 1, 4)
    inner = shape[-pick(1, 2) :]
    weight, bias = (maybe(lambda: program.input(inner, dtype)) for _ in range(2))
    return [program.input(shape, dtype), inner, weight, bias, pick(1e-5, 0.0, 0.1)], {}


@maker("native_layer_norm_backward")
def layer_norm_backward(program, name, overload):
    dtype, shape = pick(*WIDE), sizes(3, 1, 4)
    gradient, values = program.input(shape, dtype), program.input(shape, dtype)
    # PyTorch reads these as if they were row-major.
    moments = [program.input(shape[:2] + [1], dtype, layout="plain") for _ in range(2)]
    weights = [maybe(lambda: program.input(shape[-1:], dtype)) for _ in range(2)]
    return [gradient, values, shape[-1:], *moments, *weights, mask()], {}


@maker("native_group_norm", "group_norm")
def group_norm(program, name, overload):
    dtype, groups, count, rows = float_dtype(), pick(1, 2, 3), pick(1, 2), pick(1, 2)
    channels, inner = groups * count, sizes(1, 1, 4)
    weights = [maybe(lambda: program.input([channels], dtype)) for _ in range(2)]
    values, eps = program.input([rows, channels] + inner, dtype), pick(1e-5, 0.1)
    if name == "group_norm":
        return [values, groups, *weights, eps], {}
    return [values, *weights, rows, channels, inner[0], groups, eps], {}


BATCH_NORMS = ("batch_norm", "native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_functional")


@maker(*BATCH_NORMS, "instance_norm")
def batch_norm(program, name, overload):
    dtype, channels = float_dtype(), pick(1, 2, 3)

    def per_channel():
        return program.input([channels], dtype, mode="positive", layout="plain")

    values = program.input([2, channels] + sizes(pick(0, 1, 2), 1, 4), dtype)
    given = [values, maybe(per_channel), maybe(per_channel), per_channel(), per_channel()]
    given += [chance(0.5), pick(0.1, 0.0, 1.0), pick(1e-5, 0.1)]
    return given + ([False] if name in ("batch_norm", "instance_norm") else []), {}


@maker("native_batch_norm_backward")
def batch_norm_backward(program, name, overload):
    dtype, channels = pick(*WIDE), pick(1, 2)
    shape = [2, channels] + sizes(pick(1, 2), 1, 4)
    per_channel = [program.input([channels], dtype, mode="positive") for _ in range(5)]
    return [program.input(shape, dtype), program.input(shape, dtype), *per_channel, chance(0.5), 1e-5, mask()], {}


@maker("embedding")
def embedding(program, name, overload):
    index = program.input(sizes(pick(0, 1, 2), 0, 4), pick(*INTS[:2]), fill=risky_places(5, 0.15))
    return [program.input([5, 3], float_dtype()), index, pick(-1, 0, 2, -3, 7), chance(0.3)], {}


@maker("embedding_dense_backward")
def embedding_backward(program, name, overload):
    shape = sizes(pick(1, 2), 1, 4)
    index = program.input(shape, pick(*INTS[:2]), fill=risky_places(5))
    return [program.input(shape + [3], float_dtype()), index, 5, pick(-1, 0, 2), chance(0.4)], {}


@maker("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only")
def embedding_bag(program, name, overload):
    count, kind, with_last, mode, dtype = pick(0, 4, 6), pick(*INTS[:2]), chance(0.4), pick(0, 1, 2), float_dtype()

    def starts(shape, _dtype):
        offsets = torch.sort(torch.randint(0, count + 1, shape))[0]
        if shape[0]:
            offsets[0] = 0
        if with_last and shape[0]:
            offsets[-1] = count
        return offsets

    index = program.input([count], kind, fill=risky_places(5))
    offsets = program.input([pick(1, 2, 3, 4)], kind, fill=starts, layout="plain")
    weights = program.input([count], dtype) if mode == 0 and chance(0.5) else None
    table = program.input([5, 3], dtype)
    return [table, index, offsets, chance(0.3), mode, False, weights, with_last, pick(-1, 0, 2, -2, 9)], {}


@maker("nll_loss", "nll_loss_nd", "nll_loss_forward", "cross_entropy_loss", "nll_loss2d", "nll_loss2d_forward")
def nll_loss(program, name, overload):
    dtype, classes, ignored = float_dtype(), pick(1, 2, 4), pick(-100, 0, 1, -1)
    any_rank = name in ("nll_loss_nd", "cross_entropy_loss")
    shape = [2, classes] + sizes(2 if "2d" in name else pick(0, 1, 2) if any_rank else 0, 1, 3)
    weight = program.input([classes], dtype, mode="positive") if chance(0.5) else None

    def labels(wanted, _dtype):
        made = torch.randint(0, classes, wanted)
        if made.numel() and chance(0.5):
            made.view(-1)[DRAW.randrange(made.numel())] = ignored
        return made

    if name == "cross_entropy_loss" and chance(0.3):
        ignored, target = -100, program.input(shape, dtype, mode="positive")
    else:
        target = program.input([shape[0]] + shape[2:], torch.int64, fill=labels)
    smoothing = [pick(0.0, 0.1, 0.5, 1.0)] if name == "cross_entropy_loss" else []
    return [program.input(shape, dtype), target, weight, pick(0, 1, 2), ignored] + smoothing, {}


@maker("nll_loss_backward", "nll_loss2d_backward")
def nll_loss_backward(program, name, overload):
    dtype, classes, reduction = float_dtype(), pick(2, 4), pick(0, 1, 2)
    shape = [2, classes] + (sizes(2, 1, 3) if "2d" in name else [])
    targets = [shape[0]] + shape[2:]
    gradient, values = program.input(targets if reduction == 0 else [], dtype), program.input(shape, dtype)
    labels = program.input(targets, torch.int64, fill=places(classes, False))
    weight = program.input([classes], dtype) if chance(0.5) else None
    return [gradient, values, labels, weight, reduction, pick(-100, 0, 1), program.input([], dtype)], {}


@maker("multi_margin_loss")
def multi_margin_loss(program, name, overload):
    dtype = pick(*WIDE)
    labels = program.input([3], torch.int64, fill=risky_places(4, 0))
    weight = program.input([4], dtype) if chance(0.5) else None
    return [program.input([3, 4], dtype), labels, pick(1, 2), pick(1.0, 0.5), weight, pick(0, 1, 2)], {}


@maker("multilabel_margin_loss", "multilabel_margin_loss_forward")
def multilabel_margin_loss(program, name, overload):
    labels = program.input([3, 4], torch.int64, fill=lambda shape, _dtype: torch.randint(-1, 4, shape))
    return [program.input([3, 4], pick(*WIDE)), labels, pick(0, 1, 2)], {}


@maker("binary_cross_entropy", "binary_cross_entropy_with_logits")
def binary_cross_entropy(program, name, overload):
    dtype, shape, is_logits = float_dtype(), sizes(2, 1, 3), name.endswith("logits")
    values = program.input(shape, dtype, mode="normal" if is_logits else "positive")
    target = program.input(shape, dtype, mode=pick("positive", "normal"))
    weights = [maybe(lambda: program.input(shape[-1:], dtype)) for _ in range(2 if is_logits else 1)]
    return [values, target, *weights, pick(0, 1, 2)], {}


@maker("triplet_margin_loss")
def triplet_margin_loss(program, name, overload):
    dtype, shape = float_dtype(), sizes(2, 1, 3)
    tensors = [program.input(shape, dtype) for _ in range(3)]
    return tensors + [pick(1.0, 0.0), pick(1.0, 2.0, math.inf), 1e-6, chance(0.5), pick(0, 1, 2)], {}


@maker("lstm_cell", "gru_cell", "rnn_tanh_cell")
def cell(program, name, overload):
    gates, dtype = {"lstm_cell": 4, "gru_cell": 3, "rnn_tanh_cell": 1}[name], pick(*WIDE)
    state = [program.input([2, 3], dtype) for _ in range(2 if gates == 4 else 1)]
    weights = [program.input([gates * 3, width], dtype) for width in (4, 3)]
    biases = [program.input([gates * 3], dtype) for _ in range(2)] if chance(0.5) else []
    return [program.input([2, 4], dtype), state if gates == 4 else state[0], *weights, *biases], {}


@maker("_softmax", "_log_softmax")
def softmax(program, name, overload):
    rank = pick(0, 1, 2, 3)
    dim = DRAW.randrange(-max(1, rank), max(1, rank))
    return [program.input(sizes(rank, 0, 4), float_dtype()), dim, False], {}
